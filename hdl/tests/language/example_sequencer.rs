//! A controller of 512 states, made by a loop: a state for each line of a program.

use hdl::{engine::Engine, sim::Simulator, *};

/// What a line does before the next one follows.
#[derive(Clone, Copy)]
enum Step {
    /// Waits until the event has this number.
    Await(u64),
    /// Sets the counter.
    Count(u64),
    /// Gives a number out.
    Give(u64),
    /// Counts down and goes back to a line, until the counter is 0.
    Repeat(usize),
}

/// Waits for an event, gives a number one to three times, waits for the next event, and so on.
fn program(lines: usize) -> Vec<Step> {
    let line = |i: usize| match i % 4 {
        0 => Step::Await(i as u64 / 4 % 16),
        1 => Step::Count(i as u64 / 4 % 3),
        2 => Step::Give(i as u64 / 4),
        _ => Step::Repeat(i - 1),
    };
    (0..lines).map(line).collect()
}

ports! {
    struct SequencerPorts(lines: usize) {
        /// Number of the event that happens in this cycle.
        input happens: Signal = bits(4),
        /// A number is given out in this cycle.
        output valid: Signal = bits(1),
        output number: Signal = bits(8),
        /// The line that runs in this cycle.
        output line: Signal = bits(clog2(lines)),
    }
}

#[module]
fn sequencer(program: &[Step]) -> Result<Design<SequencerPorts>, Errors> {
    let m = Module::new("sequencer");
    let io = SequencerPorts::new(m, program.len());
    let line = m.reg_reset(io.line.shape(), 0);
    let count = m.reg_reset(bits(2), 0);
    io.line.set(line);
    io.valid.set(0);
    io.number.set(0);
    m.switch(line, |s| {
        for (i, step) in program.iter().enumerate() {
            let next = (i + 1) % program.len();
            s.case(i, || match *step {
                Step::Await(event) => _ = m.when(io.happens.eq(event), || line.set(next)),
                Step::Count(n) => {
                    count.set(n);
                    line.set(next);
                }
                Step::Give(number) => {
                    io.valid.set(1);
                    io.number.set(number);
                    line.set(next);
                }
                Step::Repeat(to) => {
                    count.set(count - 1);
                    line.set(to);
                    m.when(count.eq(0), || line.set(next));
                }
            });
        }
        s.default(|| line.set(0)); // a code beyond the last line
    });
    m.finish(io)
}

/// Beside the program, run by Rust: the same line, and the same number given, in every cycle; until each line was reached.
#[test]
fn runs_its_program() {
    let program = program(512);
    let design = sequencer(&program).unwrap();
    let (mut sim, io) = (Simulator::new(&design), design.ports);
    let (mut line, mut count, mut seen) = (0, 0, vec![false; program.len()]);
    sim.reset(2);
    for cycle in 0..20_000 {
        let event = cycle * 7 % 16;
        sim.poke(io.happens, event);
        let given = if let Step::Give(number) = program[line] { [1, number] } else { [0, 0] };
        assert_eq!((sim.peek(io.line), sim.peek_bundle((io.valid, io.number))), (line as u64, given.to_vec()));
        seen[line] = true;
        let next = (line + 1) % program.len();
        (line, count) = match program[line] {
            Step::Await(wanted) if event != wanted => (line, count),
            Step::Repeat(to) if count > 0 => (to, count - 1),
            Step::Count(n) => (next, n),
            _ => (next, count),
        };
        sim.step();
    }
    assert!(seen.iter().all(|line| *line), "every line runs");
}
