use super::*;
use crate::stream::testing::three_inputs::{merges_under_stalls, seen, with_bench};
use crate::stream::testing::{build, message};
use hdl::engine::Engine;
use sim::bus::Stalls;

#[test]
fn every_word_goes_once_with_its_source_and_inputs_keep_their_order() {
    merges_under_stalls(false, |_| ());
}

#[test]
fn takes_turns_without_a_bubble() {
    with_bench(false, ([Stalls::Never; 3], Stalls::Never), |bench, sources, sink| {
        sources.iter().for_each(|s| bench.send(*s, (0..30u64).map(|i| [i, 1, 0])));
        bench.run_until_received(sink, 90, 91).unwrap();
        let order: Vec<u64> = seen(bench, sink).iter().map(|(_, source)| *source).collect();
        assert_eq!(order, (0..90).map(|i| i % 3).collect::<Vec<_>>());
        // one alone has all of the rate
        bench.send(sources[1], (0..50u64).map(|i| [i, 1, 0]));
        bench.run_until_received(sink, 140, 52).unwrap();
    });
}

/// Against the bound of the contract, with every pattern of requests over and over.
#[test]
fn nobody_waits_for_more_than_one_word_of_each_other() {
    for inputs in [2u32, 3, 5, 8] {
        let design = build(arbiter(8, inputs));
        let mut engine = jit::simulator(&design);
        let port = |signal| design.port_index(signal).unwrap();
        let ArbiterPorts { s, m } = design.ports;
        let mut rng = fastrand::Rng::with_seed(sim::bus::seed(7));
        let (mut offered, mut waited, mut longest) = (0u64, vec![0; inputs as usize], 0);
        engine.reset(2);
        for _ in 0..5000 {
            offered |= rng.u64(0..1 << inputs) & rng.u64(..);
            engine.poke(port(s.valid), offered);
            engine.poke(port(m.ready), u64::from(rng.u8(0..4) > 0));
            let granted = engine.peek(port(s.ready)) & offered;
            assert!(granted.count_ones() <= 1);
            for (i, waited) in waited.iter_mut().enumerate() {
                let mine = granted >> i & 1 == 1;
                let others = granted != 0 && !mine && offered >> i & 1 == 1;
                *waited = if mine { 0 } else { *waited + u32::from(others) };
                longest = longest.max(*waited);
            }
            offered &= !granted;
            engine.step();
        }
        assert_eq!(longest, inputs - 1, "the bound holds, and is reached");
    }
}

#[test]
fn refuses_parameters_out_of_range() {
    assert_eq!(message(arbiter(8, 1)), "inputs = 1 is out of range");
    assert_eq!(message(arbiter(8, 65)), "inputs = 65 is out of range");
    assert_eq!(message(arbiter(0, 2)), "width = 0 is out of range");
    assert_eq!(message(arbiter(65536, 2)), "the words of all inputs have 131072 bits");
}

#[test]
fn has_the_paths_that_it_states() {
    assert_eq!(build(arbiter(8, 4)).combinational_paths(), [("s_valid", "s_ready"), ("m_ready", "s_ready")]);
}
