//! Event controller: launches kernels on two accelerators, each as soon as the kernels that it waits for have finished, on either side.
//!
//! A driver registers a kernel with its number, its side and the kernels that must be over first, and goes on; the accelerators say which
//! kernels have finished (section 4.1 of the paper, "kernel synchronization"). Nothing of that goes by way of the host.
//!
//! | port | |
//! | --- | --- |
//! | `register` | a kernel: its number (`slot`), its `side`, and a bit for each kernel that it waits for. `register_ready` is made of registers |
//! | `answer` | how each registration ended, in their order; registers |
//! | `launch` | for each side the kernels that it may begin; `launch_valid` is a register, the number is read from LUT RAM |
//! | `complete` | for each side the kernels that it has finished. While both sides offer one, they are taken in turn |
//! | `stray` | one cycle: a completion was dropped, since that kernel does not run on that side; registers |
//!
//! - A kernel is refused whose number is none or is in use (registered, and not finished), or that waits for one that was not registered
//!   since reset, itself among them. So what a kernel waits for was registered before it, and no circle can be made. What was refused
//!   leaves no trace.
//! - A kernel that has finished may be waited for: it is over. Once its number is registered again, the number means the new one.
//! - Of the kernels that are ready, the one with the lowest number goes to its side, one in a cycle, of both sides together; on each side they are
//!   launched in the order in which they came there.
//! - Parameters: `kernels`, 2 to 64. Latency: a launch is offered 4 cycles after the last completion that it waits for was taken, and one
//!   later for each kernel that goes before it. Throughput: a completion in every cycle, but none in the cycle behind one that is dropped; a registration takes two cycles for each number
//!   and two for each kernel that it waits for.
//! - Combinational paths: the `complete_valid` of each side to the `complete_ready` of the other.
//! - After reset no kernel is known; registrations are taken when the tables are cleared, a cycle for each number.
//!
//! For each kernel a counter has how many it waits for, and steps when one of them is over; for each kernel a row of a memory has which
//! kernels wait for it. Both are written while it is registered, row by row: there is time then. A completion reads one row.

use super::event_registration::{Registrar, Row, register};
use super::event_types::*;
use super::step_counter::{MAX_WIDTH, stepped};
use crate::stream::fifo::{Style, fifo};
use hdl::logic::{first_one, one_hot};
use hdl::*;

/// The most kernels.
pub const MAX_KERNELS: u32 = 1 << MAX_WIDTH;

ports! {
    /// Ports of an event controller.
    pub struct EventControllerPorts(kernels: u32) {
        /// Kernels to be launched.
        input register: Stream<Registration> =
            stream(Registration { slot: bits(slot_bits(kernels)), side: bits(1), after: bits(kernels) }),
        /// How each registration ended.
        output answer: Stream<Answer> = stream(Answer { slot: bits(slot_bits(kernels)), outcome: state() }),
        /// Kernels that a side may begin.
        output launch: Vector<Stream> = vector(stream(bits(slot_bits(kernels))), 2),
        /// Kernels that a side has finished.
        input complete: Vector<Stream> = vector(stream(bits(slot_bits(kernels))), 2),
        /// A completion was dropped.
        output stray: Stray = Stray { any: bits(1), slot: bits(slot_bits(kernels)), side: bits(1) },
    }
}

/// An event controller for so many kernels.
#[module]
pub fn event_controller(name: &str, kernels: u32) -> Result<Design<EventControllerPorts>, Errors> {
    check(name, kernels)?;
    let m = Module::new(name);
    m.doc("Launches kernels on two sides, each when those that it waits for have finished.");
    let io = EventControllerPorts::new(m, kernels);

    m.section("a kernel has finished: the sides take turns");
    let running = m.reg_reset(bits(kernels), 0).comment("kernels that were launched and have not finished");
    let sides = m.memory(bits(1), 1 << slot_bits(kernels)).style(RamStyle::Distributed);
    let completion = take(m, io, running, sides);

    m.section("who waits for it");
    let row = Row::read(m, kernels, completion);

    m.section("a kernel is registered");
    let Registrar { kernel, counts, enters } = register(m, io.register, io.answer, row, completion);
    sides.write(io.register.payload.slot, io.register.payload.side, enters);

    m.section("how many kernels each one waits for, with the sign turned");
    let waiting = m.reg_reset(vector(bits(1), kernels as usize), 0);
    waiting.into_iter().for_each(|x| _ = x.comment("it is registered and was not launched"));
    let unmet = m.reg_reset(vector(bits(slot_bits(kernels)), kernels as usize), 0);
    let mut ready = vec![];
    for (i, unmet) in (0u32..).zip(unmet) {
        let met = row.is_over & row.waiting.bit(i);
        m.when(met | (counts & kernel.bit(i)), || unmet.set(stepped(unmet)));
        ready.push(waiting[i as usize] & !unmet.any());
    }
    ready.reverse();

    m.section("the first one that waits for nothing more goes to its side");
    let first = first_one(cat(&ready));
    let goes = cat(&grants(cat(&ready), None));
    for (i, waiting) in (0u32..).zip(waiting) {
        // the value is that of a register: a LUT for the enable is all
        m.when(goes.bit(i) | (enters & kernel.bit(i)), || waiting.set(kernel.bit(i)));
    }
    let side = sides.read(first.index);
    let launched = launch(m, io.launch, first.any, first.index, side, kernels)?;
    let finished = decoded(completion.slot, completion.counts, kernels);
    running.set((running | launched) & !finished);
    m.finish(io)
}

/// Takes completions, and drops those of kernels that do not run there.
#[module]
fn take(m: Module, io: EventControllerPorts, running: Signal, sides: Memory) -> Completion {
    let [first, second] = [io.complete[0], io.complete[1]];
    let turn = m.reg_reset(bits(1), 0).comment("the side that goes first if both have one");
    let both = first.valid & second.valid;
    let stray = m.reg_reset(bits(1), 0);
    // behind a stray one there is a cycle for the registration that goes on: else a side that is out of order would stop it for ever
    first.ready.set(!(second.valid & turn) & !stray);
    second.ready.set(!(first.valid & !turn) & !stray);
    let taken = (first.valid | second.valid) & !stray;
    m.when(both & taken, || turn.set(!turn));
    let side = second.valid & (turn | !first.valid);
    let slot = side.mux(second.payload, first.payload);
    let runs = running.zext(1 << slot.width()).part(slot, 1) & sides.read(slot).eq(side);
    let (stray_slot, stray_side) = (m.reg(bits(slot.width())), m.reg(bits(1)));
    stray.set(taken & !runs);
    stray_slot.set(slot);
    stray_side.set(side);
    io.stray.set(Stray { any: stray, slot: stray_slot, side: stray_side });
    Completion { taken, counts: taken & runs, slot }
}

/// Gives a kernel to its side. Gives a bit for each kernel that was launched.
#[module]
fn launch(
    m: Module,
    launch: Vector<Stream>,
    any: Signal,
    slot: Signal,
    side: Signal,
    kernels: u32,
) -> Result<Signal, Errors> {
    let queue = fifo(slot.width(), kernels as usize, Style::Distributed)?;
    let mut launched = m.lit(0u32, kernels);
    for (number, launch) in (0u32..).zip(launch) {
        let queue = m.instance(&queue);
        let mine = any & side.eq(number);
        queue.s.valid.set(mine);
        queue.s.payload.set(slot);
        queue.level.unused();
        m.assert(!mine | queue.s.ready, "all kernels have room");
        launch.set(queue.m);
        launched = launched | decoded(queue.m.payload, launch.transfer(), kernels);
    }
    Ok(launched)
}

/// The lowest 1 alone, from the highest bit down: a tree, whose leaves know whether there is one below.
fn grants(x: Signal, grant: Option<Signal>) -> Vec<Signal> {
    if x.width() == 1 {
        return vec![grant.map_or(x, |grant| x & grant)];
    }
    let half = x.width().next_power_of_two() / 2;
    let (low, high) = (x.trunc(half), x.drop_low(half));
    let none_below = !low.any();
    let mut all = grants(high, Some(grant.map_or(none_below, |grant| grant & none_below)));
    all.extend(grants(low, grant));
    all
}

/// A bit for each kernel: that of this number, if there is one. In two steps: rows and columns are decoded once for all.
pub(super) fn decoded(slot: Signal, any: Signal, kernels: u32) -> Signal {
    let width = slot.width();
    if width < 2 {
        return one_hot(slot, 2) & any.repeat(2);
    }
    let (low, high) = (slot.trunc(width / 2), slot.drop_low(width / 2));
    let low = one_hot(low, 1 << low.width());
    let high = one_hot(high, 1 << high.width()) & any.repeat(1 << high.width());
    let rows: Vec<Signal> = (0..high.width()).rev().map(|row| low & high.bit(row).repeat(low.width())).collect();
    cat(&rows).trunc(kernels)
}

/// Checks `kernels`.
#[track_caller]
fn check(module: &str, kernels: u32) -> Result<(), Errors> {
    if (2..=MAX_KERNELS).contains(&kernels) {
        return Ok(());
    }
    let help = "from 2 (one kernel waits for nobody) to 64 (the masks of a larger one would be too wide)";
    Err(Errors::parameter(module, format!("kernels = {kernels} is out of range"), help))
}

#[cfg(test)]
mod tests;
