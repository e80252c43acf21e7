use super::*;
use crate::stream::testing::message;
use crate::stream::testing::three_inputs::{merges_under_stalls, seen, with_bench};
use sim::bus::Stalls;

#[test]
fn packets_stay_whole_and_inputs_keep_their_order() {
    merges_under_stalls(true, |words| {
        for pair in words.windows(2) {
            let [(word, source), (_, next)] = pair else { unreachable!("two of them") };
            assert!(word[2] == 1 || source == next, "a packet is interrupted: {pair:?}");
        }
    });
}

#[test]
fn packets_take_turns_without_a_bubble() {
    with_bench(true, ([Stalls::Never; 3], Stalls::Never), |bench, sources, sink| {
        sources.iter().for_each(|s| bench.send(*s, (0..40u64).map(|i| [i, 1, u64::from(i % 4 == 3)])));
        bench.run_until_received(sink, 120, 121).unwrap();
        let order: Vec<u64> = seen(bench, sink).iter().map(|(_, source)| *source).collect();
        assert_eq!(order, (0..120).map(|i| i / 4 % 3).collect::<Vec<_>>());
    });
}

#[test]
fn an_input_that_pauses_within_its_packet_keeps_the_output() {
    with_bench(true, ([Stalls::Never; 3], Stalls::Never), |bench, [first, second, _], sink| {
        bench.send(first, [[1, 1, 0], [2, 1, 0]]);
        bench.send(second, [[0x1000, 1, 1]]);
        bench.run(20).unwrap();
        assert_eq!(seen(bench, sink).len(), 2, "the packet is not over");
        bench.send(first, [[3, 1, 1]]);
        bench.run(20).unwrap();
        let words: Vec<u64> = seen(bench, sink).iter().map(|(word, _)| word[0]).collect();
        assert_eq!(words, [1, 2, 3, 0x1000]);
    });
}

#[test]
fn refuses_parameters_out_of_range() {
    assert_eq!(message(packet_arbiter(8, 1)), "inputs = 1 is out of range");
    assert_eq!(message(packet_arbiter(0, 2)), "width = 0 is out of range");
    assert_eq!(message(packet_arbiter(2048, 64)), "the words of all inputs have 131072 bits");
}
