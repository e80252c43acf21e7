use super::*;
use crate::stream::testing::{build, message};
use hdl::engine::Engine;
use sim::bus::{Ticks, seed};

/// The instants (edges of any clock) at which pulses were taken, and at which they came out; `percent` of the periods of
/// `s_clk` have a pulse. The last 200 instants have none.
fn run(stages: u32, ticks: Ticks, percent: u8, instants: usize) -> (Vec<usize>, Vec<usize>) {
    let design = build(pulse_synchronizer(stages));
    let port = |signal| design.port_index(signal).expect("a port");
    let PulseSynchronizerPorts { s_pulse, s_ready, m_pulse } = design.ports;
    let mut engine = jit::simulator(&design);
    assert_eq!(engine.clocks(), ["s_clk", "m_clk"]);
    let mut rng = fastrand::Rng::with_seed(seed(7));
    let (mut taken, mut given) = (vec![], vec![]);
    engine.reset(stages + 1);
    for (instant, edges) in ticks.take(instants).enumerate() {
        if instant + 200 >= instants {
            engine.poke(port(s_pulse), 0);
        }
        if edges & 0b01 != 0 && engine.peek(port(s_pulse)) & engine.peek(port(s_ready)) == 1 {
            taken.push(instant);
        }
        if edges & 0b10 != 0 && engine.peek(port(m_pulse)) == 1 {
            given.push(instant);
        }
        engine.edge(edges);
        if edges & 0b01 != 0 {
            engine.poke(port(s_pulse), u64::from(rng.u8(..100) < percent));
        }
    }
    (taken, given)
}

#[test]
fn every_pulse_arrives_once() {
    for stages in 2..=4 {
        for (s, m) in [(10, 10), (10, 11), (100, 37), (7, 30), (3, 40), (64, 63)] {
            for (percent, jitter) in [(100, 0), (30, s.min(m)), (3, s.min(m))] {
                let (taken, given) = run(stages, Ticks::new(&[s, m], jitter, 5), percent, 4000);
                assert!(taken.len() > 20, "{} pulses with periods {s}, {m}", taken.len());
                assert_eq!(taken.len(), given.len(), "{stages} {s} {m} {percent}");
                // one at a time: it comes out after it was taken and before the next is taken
                for (i, (t, g)) in taken.iter().zip(&given).enumerate() {
                    assert!(t < g && taken.get(i + 1).is_none_or(|next| g < next), "{stages} {s} {m}: {t} {g}");
                }
            }
        }
    }
}

#[test]
fn latency_and_throughput_are_as_stated() {
    for stages in 2..=4 {
        // both clocks at the same instants: the edge that takes the pulse does not count
        let (taken, given) = run(stages, Ticks::new(&[1, 1], 0, 1), 100, 1000);
        let stages = stages as usize;
        assert_eq!(given[0] - taken[0], stages + 1, "it is seen an edge after it is there");
        assert_eq!(taken[1] - taken[0], 2 * (stages + 1));
    }
}

#[test]
fn its_crossings_are_declared() {
    let design = build(pulse_synchronizer(2));
    let crossings = design.crossings();
    let ways: Vec<(Option<&str>, &str)> = crossings.iter().map(|c| (c.from.as_deref(), c.to.as_str())).collect();
    assert_eq!(ways, [(Some("s_clk"), "m_clk"), (Some("m_clk"), "s_clk")]);
    assert_eq!(design.combinational_paths(), []);
}

#[test]
fn parameters_are_checked() {
    assert_eq!(message(pulse_synchronizer(1)), "stages = 1 is out of range");
}
