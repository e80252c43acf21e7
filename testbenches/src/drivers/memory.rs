//! Parts that keep something for later: RAM, credits, the FIFO of two clocks.

use super::built::build;
use super::stream::random;
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{BigUint, Design};
use hw::memory::ram::{Collision, RamParams, RamPorts, ram};
use hw::stream::credit_counter::{CreditCounterPorts, credit_counter};
use hw::stream::fifo::Style;
use hw::stream::fifo_two_clocks::{FifoTwoClocksPorts, fifo_two_clocks};
use sim::bus::{Beat, Bench, BusError, Stalls, StreamPorts, Ticks};

/// A RAM.
pub fn ram_driver(name: impl Into<String>, p: RamParams) -> Driver {
    let design = build(ram(p));
    let held = design.clone();
    Driver::new(name, design, move |engine, effort| {
        let rounds = if effort.long { 40 } else { 4 };
        (0..rounds).try_for_each(|round| ram_test(&held, p, engine, effort.seed + round))
    })
}

/// Reads and writes at random; what is read is what stood there when its address was taken.
fn ram_test(design: &Design<RamPorts>, p: RamParams, engine: &mut dyn Engine, seed: u64) -> Result<(), String> {
    let port = |signal| design.port_index(signal).expect("a port");
    let io = &design.ports;
    let (enable, address, data) = (port(io.write_enable), port(io.write_address), port(io.write_data));
    let s = StreamPorts::of(design, &io.s);
    let mut rng = Rng::with_seed(seed);
    let mut bench = Bench::new(engine, seed);
    let stalls = [(Stalls::Percent(20), Stalls::Percent(40)), (Stalls::Never, Stalls::Never)][seed as usize % 2];
    let source = bench.source_at(s.clone(), stalls.0);
    let sink = bench.sink_at(StreamPorts::of(design, &io.m), stalls.1);
    let words = |e: BusError| e.to_string();
    bench.reset().map_err(words)?;
    let lane = p.width / p.lanes;
    let ones = (BigUint::from(1u32) << lane) - 1u32;
    let (mut model, mut expected) = (vec![None; p.depth], vec![]);
    let reads = 2 * p.depth;
    // few places, so that reads and writes meet; all places in turn at first
    let near = |rng: &mut Rng| if rng.bool() { rng.usize(0..p.depth.min(4)) } else { rng.usize(0..p.depth) };
    let addresses: Vec<usize> = (0..reads).map(|_| near(&mut rng)).collect();
    for cycle in 0..p.depth + 6 * reads {
        if cycle == p.depth {
            bench.send(source, addresses.iter().map(|a| *a as u64));
        }
        let at = if cycle < p.depth { cycle } else { near(&mut rng) };
        let word = random(&mut rng, p.width);
        let all = (1 << p.lanes) - 1;
        let mut mask = if cycle < p.depth { all } else { rng.u64(..) & all & (rng.u64(0..2) * all) };
        // what a read gives in the cycle of a write to its word is not said
        if p.collision == Collision::Any && addresses.get(expected.len()) == Some(&at) && cycle >= p.depth {
            mask = 0;
        }
        bench.engine.poke(enable, mask);
        bench.engine.poke(address, at as u64);
        bench.engine.poke_big(data, &word);
        let before = bench.sent_at(source).len();
        bench.step().map_err(words)?;
        if bench.sent_at(source).len() > before {
            expected.push(Beat(vec![model[addresses[before]].clone().unwrap_or_default()]));
        }
        let old: BigUint = model[at].clone().unwrap_or_default();
        let lanes = (0..p.lanes).filter(|i| mask >> i & 1 == 1).map(|i| &ones << (i * lane));
        let changed = lanes.fold(BigUint::ZERO, |bits, lane| bits | lane);
        model[at] = Some(&old ^ ((&old ^ &word) & changed));
    }
    bench.engine.poke(enable, 0);
    bench.run_until_received(sink, reads, 20 * reads as u64).map_err(words)?;
    let wrong = bench.beats(sink).iter().zip(&expected).position(|(got, want)| got != want);
    if let Some(i) = wrong {
        let (got, want) = (&bench.beats(sink)[i], &expected[i]);
        return Err(format!("read {i} of address {} gives {got:x?}, not {want:x?}", addresses[i]));
    }
    let streams = stalls != (Stalls::Never, Stalls::Never) || bench.bubbles(sink) == 0;
    if streams { Ok(()) } else { Err("not a word in every cycle".into()) }
}

/// A credit counter.
pub fn credit_counter_driver(name: impl Into<String>, credits: u32) -> Driver {
    let design = build(credit_counter(credits));
    let held = design.clone();
    Driver::new(name, design, move |engine, effort| credit_test(&held, credits, engine, effort))
}

/// Takes and gives at random, also what is not there, with resets in between.
fn credit_test(
    design: &Design<CreditCounterPorts>,
    credits: u32,
    engine: &mut dyn Engine,
    effort: Effort,
) -> Result<(), String> {
    let port = |signal| design.port_index(signal).expect("a port");
    let io = &design.ports;
    let (take, give) = (port(io.take), port(io.give));
    let outputs = [port(io.available), port(io.level), port(io.excess)];
    let mut rng = Rng::with_seed(effort.seed);
    for _ in 0..if effort.long { 100 } else { 10 } {
        engine.reset(1);
        let (mut count, mut excess) = (u64::from(credits), false);
        // mostly taken, then mostly given: empty and full come up
        for cycle in 0..12 * credits + 60 {
            let want = [u64::from(count > 0), count, excess.into()];
            let got = outputs.map(|port| engine.peek(port));
            if got != want {
                return Err(format!("available, level, excess are {got:?}, not {want:?}"));
            }
            let mostly = (cycle / (3 * credits + 15)).is_multiple_of(2);
            let (takes, gives) = (rng.u8(0..8) < if mostly { 6 } else { 2 }, rng.u8(0..8) < if mostly { 2 } else { 6 });
            engine.poke(take, takes.into());
            engine.poke(give, gives.into());
            engine.step();
            count -= u64::from(takes && count > 0);
            let taken = takes && want[0] == 1;
            excess = gives && !taken && count == u64::from(credits);
            count += u64::from(gives && !excess);
        }
    }
    Ok(())
}

/// A FIFO of two clocks.
pub fn fifo_two_clocks_driver(name: impl Into<String>, width: u32, depth: usize, style: Style, stages: u32) -> Driver {
    let design = build(fifo_two_clocks(width, depth, style, stages));
    let held = design.clone();
    Driver::new(name, design, move |engine, effort| {
        // other words in each run: with the same ones, some bits of a place would never change
        let mut seed = effort.seed;
        let slow = if effort.long { 20 } else { 1 };
        for _ in 0..slow {
            for periods in [[100, 100], [100, 137], [300, 100], [61, 400]] {
                for stalls in [
                    (Stalls::Never, Stalls::Never),
                    (Stalls::Percent(30), Stalls::Percent(50)),
                    (Stalls::Runs(7), Stalls::Runs(12)),
                    (Stalls::Never, Stalls::Always),
                ] {
                    two_clocks_test(&held, depth, engine, (periods, stalls, seed))
                        .map_err(|e| format!("periods {periods:?}, {stalls:?}: {e}"))?;
                    seed += 1;
                }
            }
        }
        Ok(())
    })
}

/// Words go through, all of them, in their order; while nothing leaves, as many go in as there are places; without stalls and
/// with places enough, one moves with every edge of the slower clock.
fn two_clocks_test(
    design: &Design<FifoTwoClocksPorts>,
    depth: usize,
    engine: &mut dyn Engine,
    (periods, stalls, seed): ([u64; 2], (Stalls, Stalls), u64),
) -> Result<(), String> {
    let mut bench = Bench::new(engine, seed);
    let (s, m) = (bench.source(design, &design.ports.s, stalls.0), bench.sink(design, &design.ports.m, stalls.1));
    bench.source_clock(s, 0);
    bench.sink_clock(m, 1);
    let width = StreamPorts::of(design, &design.ports.s).payload[0].width;
    let mut rng = Rng::with_seed(seed);
    let words: Vec<Beat> = (0..120 + depth).map(|_| Beat(vec![random(&mut rng, width)])).collect();
    bench.reset().map_err(|e| e.to_string())?;
    bench.send(s, words.iter().cloned());
    let jitter = if stalls == (Stalls::Never, Stalls::Never) { 0 } else { periods[0].min(periods[1]) / 3 };
    let mut sent_edges = vec![];
    let mut edges = [0u64; 2];
    for clocks in Ticks::new(&periods, jitter, seed).take(60 * words.len()) {
        let before = bench.beats(m).len();
        bench.edge(clocks).map_err(|e| e.to_string())?;
        (0..2).for_each(|clock| edges[clock] += clocks >> clock & 1);
        if bench.beats(m).len() > before {
            sent_edges.push(edges);
        }
    }
    if stalls.1 == Stalls::Always {
        let taken = bench.sent_at(s).len();
        return if taken == depth { Ok(()) } else { Err(format!("takes {taken} words, not {depth}")) };
    }
    if bench.beats(m) != words {
        return Err(format!(
            "{} words come out, or others than the {} that went in",
            bench.beats(m).len(),
            words.len()
        ));
    }
    let slower = usize::from(periods[1] > periods[0]);
    let gap = sent_edges.windows(2).skip(depth).find(|pair| pair[1][slower] > pair[0][slower] + 1);
    match gap {
        Some(pair) if stalls == (Stalls::Never, Stalls::Never) && depth >= 16 => {
            Err(format!("no word between the edges {pair:?}"))
        }
        _ => Ok(()),
    }
}
