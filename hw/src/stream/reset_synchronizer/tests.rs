use super::*;
use crate::stream::testing::{build, message};
use hdl::engine::Engine;
use hdl::{Options, Reset, verilog};

#[test]
fn begins_at_once_and_ends_after_its_stages() {
    for stages in 2..=4 {
        let design = build(reset_synchronizer(stages));
        let mut sim = jit::simulator(&design);
        let [reset, out] = [design.ports.reset, design.ports.clk_reset].map(|s| design.port_index(s).unwrap());
        for length in [1, 2, 7] {
            sim.poke(reset, 1);
            assert_eq!(sim.peek(out), 1, "before any edge");
            (0..length).for_each(|_| sim.step());
            sim.poke(reset, 0);
            for _ in 0..stages {
                assert_eq!(sim.peek(out), 1);
                sim.step();
            }
            assert_eq!(sim.peek(out), 0);
            (0..3).for_each(|_| sim.step());
            assert_eq!(sim.peek(out), 0);
        }
        assert_eq!(design.combinational_paths(), [("reset", "clk_reset")]);
    }
}

/// Whatever kind of reset the rest of the Verilog has.
#[test]
fn the_flip_flops_are_set_asynchronously_and_stay_apart() {
    let design = build(reset_synchronizer(3));
    for reset in [Reset::default(), Reset { asynchronous: true, active_low: true }] {
        let text = verilog(&design, &Options { reset, ..Options::default() }).single();
        assert!(text.contains("always @(posedge clk or posedge reset) begin\n        if (reset) begin"), "{text}");
        let declared = "(* ASYNC_REG = \"TRUE\" *) (* keep = \"true\" *) (* syn_preserve = \"1\" *) reg stage_";
        assert_eq!(text.matches(declared).count(), 3, "{text}");
    }
}

#[test]
fn has_one_clock_and_no_reset_of_its_own() {
    let design = build(reset_synchronizer(2));
    assert_eq!(design.clocks().collect::<Vec<_>>(), [("clk", None)]);
    let crossings = design.crossings();
    assert_eq!((crossings.len(), crossings[0].port.as_deref()), (1, Some("reset")));
}

#[test]
fn parameters_are_checked() {
    assert_eq!(message(reset_synchronizer(1)), "stages = 1 is out of range");
    assert_eq!(message(reset_synchronizer(5)), "stages = 5 is out of range");
}
