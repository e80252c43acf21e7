//! The event controller: no kernel is launched before all that it waits for are over, none twice, and none is forgotten.

use super::{Engine, Proof};
use crate::checkers::{Side, sends_by_the_rules, stalls_at_most};
use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, cat, module};
use hw::h2m2::event_controller::{EventControllerPorts, event_controller};
use hw::h2m2::event_types::{Registration, RegistrationOutcome, slot_bits};

/// What is known of a kernel, from the streams alone.
#[derive(Clone, Copy)]
struct Followed {
    /// It is registered, since this cycle at the latest, and not over.
    open: Signal,
    /// It was launched, and is not over.
    running: Signal,
    /// It is over in this cycle.
    ends: Signal,
}

/// A registration that was taken in the cycle before, and whether it is a good one.
#[module]
fn registered(m: Module, io: EventControllerPorts) -> (Registration, Signal) {
    let taken = m.reg_reset(bits(1), 0);
    let held = m.reg(io.register.payload.shape());
    taken.set(io.register.transfer());
    held.set(io.register.payload);
    let mine = io.answer.valid & io.answer.payload.slot.eq(held.slot);
    m.assert(!taken | mine, "each registration is answered in the next cycle");
    (held, taken & io.answer.payload.outcome.is(RegistrationOutcome::Okay))
}

/// Follows the kernel of this number.
#[module]
fn follow(m: Module, io: EventControllerPorts, (x, okay): (Registration, Signal), slot: u32) -> Followed {
    let [was_open, running, was_on] = [0, 1, 2].map(|_| m.reg_reset(bits(1), 0));
    let begins = okay & x.slot.eq(slot);
    let side = begins.mux(x.side, was_on);
    let open = was_open | begins;
    let at = |s: Stream, number: u32| s.valid & s.payload.eq(slot) & side.eq(number);
    let launched =
        io.launch.into_iter().zip(0..).map(|(s, i)| at(s, i) & s.ready).fold(begins.lit(0u32, 1), |a, b| a | b);
    let over =
        io.complete.into_iter().zip(0..).map(|(s, i)| at(s, i) & s.ready).fold(begins.lit(0u32, 1), |a, b| a | b);
    let ends = running & over;
    was_open.set(open & !ends);
    was_on.set(side);
    running.set((running & !ends) | launched);
    for (s, i) in io.launch.into_iter().zip(0u32..) {
        let offered = s.valid & s.payload.eq(slot);
        m.assert(!offered | (open & !running), "a kernel is launched once for each registration, and not before");
        m.assert(!offered | side.eq(i), "a kernel is launched on its side");
    }
    m.assert(!(begins & was_open), "no number is given to two kernels at a time");
    Followed { open, running, ends }
}

/// The controller with all that it promises; what comes in keeps its rules.
#[module]
fn events_proof(kernels: u32) -> Result<Design<()>, Errors> {
    let m = Module::new(format!("prove_events_{kernels}"));
    let io = EventControllerPorts::new(m, kernels);
    let part = m.instance(&event_controller("events_part", kernels)?);
    part.register.set(io.register);
    io.answer.set(part.answer);
    for i in 0..2 {
        io.launch[i].set(part.launch[i]);
        part.complete[i].set(io.complete[i]);
        sends_by_the_rules(m, io.launch[i], Side::Part);
        sends_by_the_rules(m, io.complete[i], Side::Surroundings);
    }
    io.stray.set(part.stray);
    sends_by_the_rules(m, io.register, Side::Surroundings);
    sends_by_the_rules(m, io.answer, Side::Part);

    let (x, okay) = registered(m, io);
    let all: Vec<Followed> = (0..kernels).map(|slot| follow(m, io, (x, okay), slot)).collect();
    let pack = |of: fn(&Followed) -> Signal| cat(&all.iter().rev().map(of).collect::<Vec<_>>());
    let (open, running, ends) = (pack(|k| k.open), pack(|k| k.running), pack(|k| k.ends));

    m.section("one kernel, whichever it is");
    let slot = m.anyconst(slot_bits(kernels));
    let one = hdl::logic::one_hot(slot, 1 << slot.width()).trunc(kernels);
    let waits_for = m.reg_reset(bits(kernels), 0).comment("kernels that it waits for");
    let begins = okay & x.slot.eq(slot);
    let now = begins.mux(x.after & open & !one, waits_for);
    waits_for.set(now & !ends);
    let offered = io.launch.into_iter().map(|s| s.valid & s.payload.eq(slot)).fold(begins.lit(0u32, 1), |a, b| a | b);
    m.assert(!(offered & now.any()), "none is launched early");
    m.assert(!begins | !(x.after & !open & one).any(), "none waits for itself");
    let is = |x: Signal| (x & one).any();
    let takes = io.launch[0].ready & io.launch[1].ready;
    stalls_at_most(m, is(open) & !is(running) & !now.any() & takes, 4 + kernels, "none is forgotten");
    m.cover(now.any(), "it waits for another one");
    m.cover(offered, "it is launched");
    m.cover(io.stray.any, "a completion is dropped");
    Ok(m.finish(io)?.erase())
}

/// The proofs of this file: the event controller.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let proof = |kernels: u32| -> Result<Proof, Errors> {
        Ok(Proof {
            name: format!("events_{kernels}"),
            part: format!("event controller, {kernels} kernels"),
            design: events_proof(kernels)?,
            engine: Engine::Pdr,
            cover_depth: 24,
        })
    };
    // one kernel more takes pdr longer than 6 minutes
    Ok(vec![proof(2)?])
}
