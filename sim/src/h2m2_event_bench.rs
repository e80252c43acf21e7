//! The event controller (`hw::h2m2`) with a driver and two accelerators around it, and what it must do, cycle by cycle.
//!
//! The model knows the contract alone: who waits for whom, in which order kernels go, and how many cycles that may take.

use crate::bus::{Bench, Sink, Source, Stalls};
use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{Bundle, Design, Signal};
use std::collections::VecDeque;

/// Cycles from a completion to the cycle in which who waited for it goes to its side; a cycle later it is offered.
const READY: u64 = 3;

/// A kernel to be registered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// Its number.
    pub slot: usize,
    /// 0 or 1.
    pub side: usize,
    /// A bit for each kernel that it waits for.
    pub after: u64,
}

/// How a registration ends, with the codes of the hardware.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It is registered.
    Okay = 0,
    /// There is no such number.
    Range = 1,
    /// The kernel of this number has not finished.
    Busy = 2,
    /// It waits for a kernel that was not registered, or for itself.
    Unknown = 3,
}

/// What happened in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Answers, by their codes.
    pub answers: [usize; 4],
    /// Kernels that were launched, on each side.
    pub launches: [usize; 2],
    /// Completions that were dropped.
    pub strays: usize,
    /// The most kernels that one waited for.
    pub most: u32,
    /// The most kernels that became ready together.
    pub together: usize,
}

/// What is known of a number.
#[derive(Clone, Copy, Default)]
struct Slot {
    known: bool,
    /// There is a kernel that is not over.
    open: bool,
    /// It was launched.
    running: bool,
    /// It goes to its side as soon as it waits for nothing.
    waiting: bool,
    side: usize,
    /// Kernels that it waits for.
    waits: u64,
    /// The first cycle in which it may go to its side.
    ready: u64,
    /// When its last kernel was over.
    over: u64,
}

/// What the controller must do.
struct EventModel {
    slots: Vec<Slot>,
    /// Kernels of each side, and since which cycle they are offered.
    queues: [VecDeque<(usize, u64)>; 2],
    tally: Tally,
}

impl EventModel {
    fn new(kernels: usize) -> EventModel {
        EventModel { slots: vec![Slot::default(); kernels], queues: Default::default(), tally: Tally::default() }
    }
    fn register(&mut self, x: Kernel, cycle: u64) -> Outcome {
        let known = |k: usize| k != x.slot && self.slots.get(k).is_some_and(|slot| slot.known);
        let outcome = match self.slots.get(x.slot) {
            None => Outcome::Range,
            Some(slot) if slot.open => Outcome::Busy,
            _ if (0..64).any(|k| x.after >> k & 1 == 1 && !known(k)) => Outcome::Unknown,
            _ => Outcome::Okay,
        };
        self.tally.answers[outcome as usize] += 1;
        if outcome == Outcome::Okay {
            let (mut waits, mut ready) = (0, cycle);
            for (k, slot) in self.slots.iter().enumerate().filter(|(k, _)| x.after >> k & 1 == 1) {
                waits |= u64::from(slot.open) << k;
                // one that is over since a moment ago is still on its way
                ready = ready.max(if slot.open { 0 } else { slot.over + READY });
            }
            self.tally.most = self.tally.most.max(waits.count_ones());
            let (known, open, waiting, running, side) = (true, true, true, false, x.side);
            self.slots[x.slot] = Slot { known, open, running, waiting, side, waits, ready, over: 0 };
        }
        outcome
    }
    /// Is the completion one of a kernel that runs there?
    fn complete(&mut self, slot: usize, side: usize, cycle: u64) -> bool {
        let counts = self.slots.get(slot).is_some_and(|x| x.running && x.side == side);
        if !counts {
            self.tally.strays += 1;
            return false;
        }
        (self.slots[slot].open, self.slots[slot].running, self.slots[slot].over) = (false, false, cycle);
        for other in self.slots.iter_mut().filter(|other| other.waits >> slot & 1 == 1) {
            other.waits &= !(1 << slot);
            other.ready = other.ready.max(cycle + READY);
        }
        true
    }
    /// One kernel goes to its side.
    fn go(&mut self, cycle: u64) {
        let able = |slot: &Slot| slot.waiting && slot.waits == 0 && slot.ready <= cycle;
        let together = self.slots.iter().filter(|slot| able(slot)).count();
        self.tally.together = self.tally.together.max(together);
        if let Some(number) = self.slots.iter().position(able) {
            self.slots[number].waiting = false;
            self.queues[self.slots[number].side].push_back((number, cycle + 1));
        }
    }
    fn offered(&self, side: usize, cycle: u64) -> Option<usize> {
        self.queues[side].front().filter(|(_, since)| *since <= cycle).map(|(slot, _)| *slot)
    }
}

/// How everything around the controller stalls: registrations, answers, launches, completions.
#[derive(Clone, Copy, Debug)]
pub struct EventStalls(pub [Stalls; 4]);

/// A controller with everything around it.
pub struct EventBench<'e> {
    bench: Bench<'e>,
    register: Source,
    answer: Sink,
    launch: [Sink; 2],
    complete: [Source; 2],
    valid: [usize; 2],
    stray: Vec<usize>,
    rng: Rng,
    model: EventModel,
    sent: Vec<Kernel>,
    outcomes: Vec<(usize, Outcome)>,
    /// Completions that were handed over, for each side.
    finished: [Vec<usize>; 2],
    /// Kernels that run, and when they will be over.
    due: Vec<(u64, usize, usize)>,
    /// Cycles that kernels take, at most.
    longest: u64,
}

impl<'e> EventBench<'e> {
    /// For a controller of so many kernels: its ports for registrations, answers, launches and completions, and those of `stray`.
    pub fn new<P, B: Bundle>(
        engine: &'e mut dyn Engine,
        design: &Design<P>,
        (register, answer): (&impl Bundle, &impl Bundle),
        (launch, complete): (&[B], &[B]),
        stray: [Signal; 3],
        (kernels, stalls, seed): (usize, EventStalls, u64),
    ) -> EventBench<'e> {
        let mut bench = Bench::new(engine, seed);
        let EventStalls(stalls) = stalls;
        let register = bench.source(design, register, stalls[0]);
        let answer = bench.sink(design, answer, stalls[1]);
        let valid = [0, 1].map(|side| crate::bus::StreamPorts::of(design, &launch[side]).valid);
        let launch = [0, 1].map(|side| bench.sink(design, &launch[side], stalls[2]));
        let complete = [0, 1].map(|side| bench.source(design, &complete[side], stalls[3]));
        let stray = stray.map(|signal| design.port_index(signal).expect("a port")).to_vec();
        let mut rng = Rng::with_seed(seed);
        let longest = [1, 8, 100, 1000][rng.usize(0..4)];
        let (model, sent, outcomes) = (EventModel::new(kernels), vec![], vec![]);
        let (finished, due) = Default::default();
        EventBench {
            bench,
            register,
            answer,
            launch,
            complete,
            valid,
            stray,
            rng,
            model,
            sent,
            outcomes,
            finished,
            due,
            longest,
        }
    }

    /// Resets, registers so many kernels, and waits until all are over; or stops after so many cycles.
    pub fn run(mut self, kernels: usize, stop: Option<u64>) -> Result<Tally, String> {
        self.bench.reset().map_err(|e| e.to_string())?;
        let limit = self.bench.cycle() + 4000 * kernels as u64 + 20_000;
        loop {
            let open = self.model.slots.iter().any(|slot| slot.open);
            let answered = self.bench.beats(self.answer).len();
            if self.sent.len() == kernels && answered == kernels && !open || stop == Some(self.bench.cycle()) {
                return self.check_answers().map(|()| self.model.tally);
            }
            if self.sent.len() < kernels && self.sent.len() < answered + 2 {
                self.send_kernel();
            }
            self.send_completions();
            self.step().map_err(|e| format!("cycle {}: {e}", self.bench.cycle()))?;
            if self.bench.cycle() > limit {
                let left = self.model.slots.iter().filter(|slot| slot.open).count();
                return Err(format!("{answered} of {kernels} registrations are answered, {left} kernels are not over"));
            }
        }
    }

    /// One cycle, compared with the model.
    fn step(&mut self) -> Result<(), String> {
        let cycle = self.bench.cycle();
        for side in 0..2 {
            let (valid, right) = (self.bench.engine.peek(self.valid[side]), self.model.offered(side, cycle));
            if valid != u64::from(right.is_some()) {
                return Err(format!("launch {side} is {valid}, and the model has {right:?}"));
            }
        }
        self.bench.step().map_err(|e| e.to_string())?;
        let now = |times: &[u64]| times.last() == Some(&cycle);
        for side in 0..2 {
            if now(self.bench.received_at(self.launch[side])) {
                let got = self.bench.beats(self.launch[side]).last().expect("a beat").field(0) as usize;
                let (right, _) = self.model.queues[side].pop_front().ok_or("a launch of nothing")?;
                if got != right {
                    return Err(format!("kernel {got} is launched on side {side}, and not {right}"));
                }
                self.model.slots[got].running = true;
                self.model.tally.launches[side] += 1;
                let grain = [1, 1, 64][self.rng.usize(0..3)];
                let due = (cycle + 1 + self.rng.u64(0..self.longest)).next_multiple_of(grain);
                self.due.push((due, side, got));
            }
        }
        let mut stray = None;
        for side in 0..2 {
            let times = self.bench.sent_at(self.complete[side]);
            if now(times) {
                let slot = self.finished[side][times.len() - 1];
                // what was launched in this cycle does not run yet
                let early = self.due.iter().any(|(_, s, x)| (*s, *x) == (side, slot)) && self.launched_now(side, slot);
                let counts = !early && self.model.complete(slot, side, cycle);
                stray = stray.or((!counts).then_some((slot, side)));
            }
        }
        if now(self.bench.sent_at(self.register)) {
            let kernel = self.sent[self.bench.sent_at(self.register).len() - 1];
            self.outcomes.push((kernel.slot, self.model.register(kernel, cycle)));
        }
        self.model.go(cycle);
        self.check_stray(stray)
    }

    /// Was it launched in the cycle that is just over?
    fn launched_now(&self, side: usize, slot: usize) -> bool {
        let cycle = self.bench.cycle() - 1;
        self.bench.received_at(self.launch[side]).last() == Some(&cycle)
            && self.bench.beats(self.launch[side]).last().is_some_and(|beat| beat.field(0) == slot as u64)
    }

    fn check_stray(&mut self, right: Option<(usize, usize)>) -> Result<(), String> {
        let [any, slot, side] = [0, 1, 2].map(|i| self.bench.engine.peek(self.stray[i]));
        let got = (any == 1).then_some((slot as usize, side as usize));
        if got == right { Ok(()) } else { Err(format!("stray is {got:?}, and not {right:?}")) }
    }

    fn check_answers(&self) -> Result<(), String> {
        let answers = self.bench.beats(self.answer).iter().map(|beat| (beat.field(0) as usize, beat.field(1)));
        for (number, (got, right)) in answers.zip(&self.outcomes).enumerate() {
            if got != (right.0, right.1 as u64) {
                return Err(format!("registration {number}, {:?}: {got:?}, and not {right:?}", self.sent[number]));
            }
        }
        Ok(())
    }

    /// Is its completion under way, or its registration?
    fn is_held(&self, slot: usize) -> bool {
        let taken = self.bench.sent_at(self.register).len();
        let flying = |side: usize| &self.finished[side][self.bench.sent_at(self.complete[side]).len()..];
        (0..2).any(|side| flying(side).contains(&slot)) || self.sent[taken..].iter().any(|kernel| kernel.slot == slot)
    }

    /// A kernel: mostly a legal one, since its number is free.
    fn send_kernel(&mut self) {
        let numbers = self.model.slots.len().next_power_of_two();
        let legal = |slot: &usize| self.model.slots.get(*slot).is_some_and(|x| !x.open) && !self.is_held(*slot);
        let free: Vec<usize> = (0..numbers).filter(legal).collect();
        let slot = match self.rng.u32(0..16) {
            0 => self.rng.usize(0..numbers),
            _ if free.is_empty() => return,
            _ => free[self.rng.usize(0..free.len())],
        };
        if self.is_held(slot) {
            return;
        }
        let after = self.prerequisites(slot);
        let kernel = Kernel { slot, side: self.rng.usize(0..2), after };
        self.bench.send(self.register, [[slot as u64, kernel.side as u64, after]]);
        self.sent.push(kernel);
    }

    /// Few, many or all of those that are known; now and then anything.
    fn prerequisites(&mut self, slot: usize) -> u64 {
        let slots = &self.model.slots;
        let of = |choose: fn(&Slot) -> bool| {
            let chosen = slots.iter().enumerate().filter(|(k, x)| *k != slot && choose(x));
            chosen.fold(0, |mask, (k, _)| mask | 1 << k)
        };
        let (known, open) = (of(|x| x.known), of(|x| x.open));
        match self.rng.u32(0..12) {
            0 => self.rng.u64(..) >> (64 - slots.len()),
            1 => known | (1u64 << slot) & (u64::MAX >> (64 - slots.len())),
            2 => known,
            3 | 4 => open,
            5 => known & self.rng.u64(..),
            6 => 0,
            _ => open & self.rng.u64(..) & self.rng.u64(..),
        }
    }

    /// Kernels that are over, and completions of kernels that do not run.
    fn send_completions(&mut self) {
        let cycle = self.bench.cycle();
        let mut rest = vec![];
        for (due, side, slot) in std::mem::take(&mut self.due) {
            if due > cycle || self.is_held(slot) {
                rest.push((due, side, slot));
            } else {
                self.bench.send(self.complete[side], [[slot as u64]]);
                self.finished[side].push(slot);
            }
        }
        self.due = rest;
        let (side, slot) = (self.rng.usize(0..2), self.rng.usize(0..self.model.slots.len().next_power_of_two()));
        let runs = self.model.slots.get(slot).is_some_and(|x| x.open && x.side == side);
        if self.rng.u32(0..50) == 0 && !runs && !self.is_held(slot) {
            self.bench.send(self.complete[side], [[slot as u64]]);
            self.finished[side].push(slot);
        }
    }
}
