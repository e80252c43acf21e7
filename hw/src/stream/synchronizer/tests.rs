use super::*;
use crate::stream::testing::{build, message};
use hdl::engine::Engine;
use hdl::{Options, verilog};

#[test]
fn gives_the_input_after_its_stages() {
    for stages in 2..=4 {
        let design = build(synchronizer(5, stages));
        let mut sim = jit::simulator(&design);
        let (d, q) = (design.port_index(design.ports.d).unwrap(), design.port_index(design.ports.q).unwrap());
        sim.reset(1);
        sim.poke(d, 0x15);
        for _ in 1..stages {
            sim.step();
            assert_eq!(sim.peek(q), 0);
        }
        sim.step();
        assert_eq!(sim.peek(q), 0x15);
        assert_eq!(design.combinational_paths(), []);
    }
}

#[test]
fn neighbours_in_gray_code_differ_in_one_bit() {
    ports! {
        struct GrayPorts() {
            input number: Signal = bits(4),
            output code: Signal = bits(4),
        }
    }
    let m = Module::new("gray");
    let io = GrayPorts::new(m);
    io.code.set(gray(io.number));
    let design = build(m.finish(io));
    let mut sim = jit::simulator(&design);
    let mut code = |n: u64| {
        sim.poke(0, n % 16);
        sim.peek(1)
    };
    for n in 0..16 {
        assert_eq!((code(n) ^ code(n + 1)).count_ones(), 1, "{n}");
    }
}

#[test]
fn registers_carry_the_attributes_that_tools_read() {
    let text = verilog(&build(synchronizer(1, 3)), &Options::default()).single();
    let declared = "(* ASYNC_REG = \"TRUE\" *) (* keep = \"true\" *) (* syn_preserve = \"1\" *) reg stage_";
    assert_eq!(text.matches(declared).count(), 3, "{text}");
}

#[test]
fn parameters_are_checked() {
    assert_eq!(message(synchronizer(1, 1)), "stages = 1 is out of range");
    assert_eq!(message(synchronizer(1, 5)), "stages = 5 is out of range");
    assert_eq!(message(synchronizer(0, 2)), "width = 0 is out of range");
}

ports! {
    struct ButtonPorts() {
        input button: Signal = bits(1),
        input other: Signal = bits(1),
        output pressed: Signal = bits(1),
    }
}

/// Takes over an asynchronous input, or what two of them come to.
#[module]
fn button(alone: bool) -> Result<Design<ButtonPorts>, Errors> {
    let m = Module::new("button_reader");
    let io = ButtonPorts::new(m);
    io.other.unused();
    m.port_domain((io.button, io.other), m.asynchronous());
    let value = if alone { io.button } else { io.button & io.other };
    io.pressed.set(synchronized(m, value, m.current_domain(), 2)?);
    m.finish(io)
}

#[test]
fn takes_an_asynchronous_input() {
    let design = build(button(true));
    let sdc = hdl::constraints(&design, &[]).expect("there is a crossing");
    assert!(sdc.contains("set_false_path -from [get_ports button]"), "{sdc}");
    let mut sim = jit::simulator(&design);
    sim.reset(1);
    sim.poke(0, 1);
    let seen: Vec<u64> = (0..3).map(|_| (sim.step(), sim.peek(2)).1).collect();
    assert_eq!(seen, [0, 1, 1]);
    let text = message(button(false));
    assert!(text.contains("`button` (1 bit), which belongs to no clock, and `other` (1 bit)"), "{text}");
    assert!(text.contains("cross to another clock as one signal in `sync`"), "{text}");
}
