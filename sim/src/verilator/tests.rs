use super::*;
use hdl::engine::{Engine, PowerUp};
use std::fs;
use std::time::Instant;

/// Returns from the test, and says so, when Verilator is not installed.
macro_rules! need_verilator {
    () => {
        if !crate::tools::have(&["verilator"]) {
            return;
        }
    };
}

const COUNTER: &str = "
module counter (input wire clk, input wire rst_n, input wire enable, output reg [7:0] count, output wire last);
    assign last = count == 8'd255 && enable;
    always @(posedge clk) if (!rst_n) count <= 8'd0; else if (enable) count <= count + 8'd1;
endmodule
";

fn port(name: &str, width: u32, input: bool) -> PortInfo {
    PortInfo::new(name, width, input)
}

fn domain(reset: Option<&str>, active_high: bool) -> Domain {
    Domain { clock: "clk".into(), reset: reset.map(|port| Reset { port: port.into(), active_high }) }
}

fn counter_ports() -> Vec<PortInfo> {
    vec![port("enable", 1, true), port("count", 8, false), port("last", 1, false)]
}

/// Builds a model with one clock `clk` and an active low reset, if it is named.
fn build(verilog: &str, top: &str, ports: &[PortInfo], reset: Option<&str>) -> Result<Model, VerilatorError> {
    let domains = [domain(reset, false)];
    Model::build(&ModelSpec { verilog, top, ports, domains: &domains, trace: false, coverage: false, quick: false })
}

fn counter() -> Model {
    build(COUNTER, "counter", &counter_ports(), Some("rst_n")).unwrap()
}

#[test]
fn a_counter_counts_wraps_and_resets() {
    need_verilator!();
    let mut model = counter();
    let [enable, count, last] = ["enable", "count", "last"].map(|name| model.port(name).unwrap());
    assert_eq!(model.clocks(), ["clk"]);
    model.reset(2);
    model.poke(enable, 1);
    for cycle in 0..600 {
        assert_eq!(model.peek(count), cycle % 256);
        assert_eq!(model.peek(last), u64::from(cycle % 256 == 255));
        model.step();
    }
    model.poke(enable, 0);
    model.step();
    assert_eq!(model.peek(count), 600 % 256, "holds without enable");
    model.edge(0);
    model.poke(enable, 1);
    model.edge(0);
    assert_eq!(model.peek(count), 600 % 256, "no edge on a clock that is not in the mask");
    model.set_reset(0, true);
    assert_eq!(model.peek(count), 600 % 256, "the reset is synchronous");
    model.step();
    assert_eq!(model.peek(count), 0);
    assert_eq!(model.cycles(), 2 + 600 + 1 + 2 + 1);
}

#[test]
fn combinational_logic_follows_inputs_without_an_edge() {
    need_verilator!();
    let mut model = counter();
    model.reset(1);
    model.poke(0, 1);
    (0..255).for_each(|_| model.step());
    for enable in [1, 0, 1] {
        model.poke(0, enable);
        assert_eq!(model.peek(2), enable);
    }
}

#[test]
fn every_storage_size_holds_every_bit() {
    need_verilator!();
    let widths = [1, 7, 8, 9, 16, 17, 32, 33, 63, 64, 65, 96, 128, 200];
    let mut verilog = String::from("module pass (input wire clk");
    let mut ports = Vec::new();
    for width in widths {
        let high = width - 1;
        verilog += &format!(", input wire [{high}:0] i{width}, output wire [{high}:0] c{width}");
        verilog += &format!(", output reg [{high}:0] r{width}");
        ports.push(port(&format!("i{width}"), width, true));
        ports.push(port(&format!("c{width}"), width, false));
        ports.push(port(&format!("r{width}"), width, false));
    }
    verilog += ");\n";
    for width in widths {
        verilog += &format!("assign c{width} = ~i{width}; always @(posedge clk) r{width} <= i{width};\n");
    }
    let mut model = build(&(verilog + "endmodule\n"), "pass", &ports, None).unwrap();
    for (at, width) in widths.into_iter().enumerate() {
        let [input, inverted, register] = [3 * at, 3 * at + 1, 3 * at + 2];
        let ones = BigOnes(width);
        for bit in 0..width {
            let mut value = vec![0u64; width.div_ceil(64) as usize];
            value[bit as usize / 64] = 1 << (bit % 64);
            model.poke_wide(input, &value);
            let mut seen = vec![u64::MAX; 5];
            model.peek_wide(inverted, &mut seen);
            let expected: Vec<u64> = (0..5).map(|limb| ones.limb(limb) & !value.get(limb).unwrap_or(&0)).collect();
            assert_eq!(seen, expected, "inverted bit {bit} of {width}");
            model.step();
            let mut seen = vec![u64::MAX; value.len()];
            model.peek_wide(register, &mut seen);
            assert_eq!(seen, value, "register bit {bit} of {width}");
        }
    }
}

/// A number of that many ones.
struct BigOnes(u32);

impl BigOnes {
    fn limb(&self, index: usize) -> u64 {
        match self.0 as usize {
            width if width >= 64 * (index + 1) => u64::MAX,
            width if width > 64 * index => (1 << (width - 64 * index)) - 1,
            _ => 0,
        }
    }
}

const ADDER: &str = "
module adder (input wire [199:0] a, input wire [199:0] b, output wire [200:0] sum);
    assign sum = {1'b0, a} + {1'b0, b};
endmodule
";

#[test]
fn a_wide_adder_without_a_clock() {
    need_verilator!();
    let ports = [port("a", 200, true), port("b", 200, true), port("sum", 201, false)];
    let spec = ModelSpec {
        verilog: ADDER,
        top: "adder",
        ports: &ports,
        domains: &[],
        trace: false,
        coverage: false,
        quick: false,
    };
    let mut model = Model::build(&spec).unwrap();
    let mut state = crate::bus::seed(1);
    for _ in 0..1000 {
        let mut random = || {
            // The top 8 bits of 200 are ones half of the time, so that carries reach bit 200.
            let limbs = [0; 4].map(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                state ^ state >> 29
            });
            hdl::engine::big_from_limbs(&[limbs[0], limbs[1], limbs[2], limbs[3] & 0xff])
        };
        let (a, b) = (random(), random());
        model.poke_big(0, &a);
        model.poke_big(1, &b);
        assert_eq!(model.peek_big(2), a + b);
    }
}

#[test]
fn two_models_run_in_two_threads() {
    need_verilator!();
    let run = |steps: u64| {
        let mut model = counter();
        model.reset(1);
        model.poke(0, 1);
        (0..steps).for_each(|_| model.step());
        (model.peek(1), model)
    };
    std::thread::scope(|scope| {
        let (a, b) = (scope.spawn(|| run(100_003)), scope.spawn(|| run(50_007)));
        let ((a, mut model), (b, _other)) = (a.join().unwrap(), b.join().unwrap());
        assert_eq!((a, b), (100_003 % 256, 50_007 % 256));
        // A model may be used by another thread than the one that made it.
        model.step();
        assert_eq!(model.peek(1), 100_004 % 256);
    });
}

#[test]
fn clock_domains_have_their_own_edges_and_resets() {
    need_verilator!();
    let verilog = "
        module two (input wire clk_a, input wire clk_b, input wire rst_a, output reg [3:0] a, output reg [3:0] b,
                    output reg [3:0] seen);
            initial b = 4'd0;
            always @(posedge clk_a) if (rst_a) a <= 4'd0; else a <= a + 4'd1;
            always @(posedge clk_b) begin b <= b + 4'd1; seen <= a; end
        endmodule";
    let ports = [port("a", 4, false), port("b", 4, false), port("seen", 4, false)];
    let domains = [
        Domain { clock: "clk_a".into(), reset: Some(Reset { port: "rst_a".into(), active_high: true }) },
        Domain { clock: "clk_b".into(), reset: None },
    ];
    let spec = ModelSpec {
        verilog,
        top: "two",
        ports: &ports,
        domains: &domains,
        trace: false,
        coverage: false,
        quick: false,
    };
    let mut model = Model::build(&spec).unwrap();
    model.power_up(PowerUp::Zero);
    model.edge(0b01);
    model.edge(0b01);
    model.edge(0b10);
    assert_eq!([model.peek(0), model.peek(1), model.peek(2)], [2, 1, 2]);
    model.edge(0b11);
    assert_eq!([model.peek(0), model.peek(1), model.peek(2)], [3, 2, 2], "both at one instant: `seen` is the old `a`");
    model.set_reset(0, true);
    model.step();
    assert_eq!([model.peek(0), model.peek(1), model.peek(2)], [0, 3, 3]);
}

#[test]
fn the_second_build_comes_from_the_cache() {
    need_verilator!();
    drop(counter());
    let start = Instant::now();
    drop(counter());
    let seconds = start.elapsed().as_secs_f64();
    assert!(seconds < 0.1, "the second build took {seconds} s");
}

#[test]
fn wrong_verilog_is_reported_in_verilators_words() {
    need_verilator!();
    let error = |verilog: &str| build(verilog, "bad", &[], None).err().unwrap().to_string();
    let message = error("module bad (input wire clk);\n  wire w = clk & nothing;\nendmodule\n");
    assert!(message.contains("model.v:2") && message.contains("nothing"), "{message}");
    let message = error("module bad (input wire clk);\n  missing m (.clk(clk));\nendmodule\n");
    assert!(message.contains("missing"), "{message}");
}

#[test]
fn ports_that_do_not_fit_are_reported() {
    need_verilator!();
    let mut ports = counter_ports();
    ports[1].width = 9;
    let error = build(COUNTER, "counter", &ports, Some("rst_n")).err().unwrap().to_string();
    let expected = "`count` is listed as an output of 9 bits, in the Verilog it is an output of 8 bits";
    assert_eq!(error, format!("ports of `counter`: {expected}"));
    let error = build(COUNTER, "counter", &counter_ports(), None).err().unwrap().to_string();
    assert_eq!(error, "ports of `counter`: `rst_n` is not in the list, the Verilog has it");
    ports[1] = port("enable", 1, true);
    let error = build(COUNTER, "counter", &ports, Some("rst_n")).err().unwrap().to_string();
    assert_eq!(error, "ports of `counter`: `enable` is listed twice");
}

/// The message with which the call panics.
fn panic_message(call: impl FnOnce()) -> String {
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).expect_err("the call must panic");
    *panic.downcast::<String>().expect("a message")
}

#[test]
fn mistakes_of_a_test_panic_with_the_port() {
    need_verilator!();
    let mut model = counter();
    let message = panic_message(|| model.poke(0, 2));
    assert_eq!(message, "cannot poke `enable` (1 bits) with 2: legal is 0 and 1");
    assert_eq!(panic_message(|| model.poke(1, 0)), "cannot poke `count`: it is an output");
    assert_eq!(
        panic_message(|| model.poke_wide(0, &[1, 1])),
        "cannot poke `enable` (1 bits) with 18446744073709551617: legal is 0 and 1"
    );
    assert_eq!(panic_message(|| model.peek_wide(1, &mut [])), "cannot peek `count` into 0 limbs: it needs 1");
    assert_eq!(panic_message(|| model.set_reset(1, true)), "there is no clock domain 1: the design has 1");
}

#[test]
fn a_failed_assertion_ends_the_edge_with_its_place() {
    need_verilator!();
    let verilog = "
        module picky (input wire clk, input wire [3:0] value);
            always @(posedge clk) if (value == 4'd9) $fatal(1, \"value is nine\");
        endmodule";
    let mut model = build(verilog, "picky", &[port("value", 4, true)], None).unwrap();
    model.poke(0, 8);
    model.step();
    model.poke(0, 9);
    let message = panic_message(|| model.step());
    assert!(message.starts_with("after 2 edges: ") && message.contains("model.v:3"), "{message}");
    assert!(message.ends_with("value is nine"), "the words of the Verilog: {message}");
}

#[test]
fn traces_and_coverage_are_written() {
    need_verilator!();
    let folder = std::env::temp_dir().join(format!("kvforge-verilator-test-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let (ports, domains) = (counter_ports(), [domain(Some("rst_n"), false)]);
    let spec = ModelSpec {
        verilog: COUNTER,
        top: "counter",
        ports: &ports,
        domains: &domains,
        trace: true,
        coverage: true,
        quick: true,
    };
    let mut model = Model::build(&spec).unwrap();
    let (wave, coverage) = (folder.join("wave.vcd"), folder.join("coverage.dat"));
    model.open_vcd(&wave).unwrap();
    model.reset(1);
    model.poke(0, 1);
    (0..5).for_each(|_| model.step());
    model.close_vcd();
    model.write_coverage(&coverage).unwrap();
    let wave = fs::read_to_string(wave).unwrap();
    assert!(wave.contains("$var") && wave.contains("count [7:0]"), "{wave}");
    let code = wave.lines().find(|line| line.contains(" count [7:0]")).unwrap().split_whitespace().nth(3).unwrap();
    for value in 0..=5 {
        assert!(wave.lines().any(|line| line == format!("b{value:08b} {code}")), "count = {value} in {wave}");
    }
    assert!(wave.contains("\n#60\n"), "six edges of 10 ns in {wave}");
    assert!(fs::read_to_string(coverage).unwrap().contains("model.v"));
    let error = model.open_vcd(&folder.join("no/such/folder.vcd")).unwrap_err().to_string();
    assert!(error.contains("folder.vcd"), "{error}");
    assert_eq!(counter().open_vcd(&folder).unwrap_err().to_string(), "the model was built without `trace`");
    assert_eq!(counter().write_coverage(&folder).unwrap_err().to_string(), "the model was built without `coverage`");
    fs::remove_dir_all(&folder).unwrap();
}

/// What has no reset and no initial contents comes up as the test says, and again so when the test says it again.
#[test]
fn power_comes_up_as_the_test_says() {
    let verilog = "
        module up (input wire clk, output reg [31:0] a, output wire [99:0] b);
            reg [99:0] words [0:3];
            reg [1:0] at = 2'd1;
            assign b = words[at];
            always @(posedge clk) a <= ~a;
        endmodule";
    let ports = [port("a", 32, false), port("b", 100, false)];
    let domains = [Domain { clock: "clk".into(), reset: None }];
    let (trace, coverage, quick) = (false, false, false);
    let spec = ModelSpec { verilog, top: "up", ports: &ports, domains: &domains, trace, coverage, quick };
    let mut model = Model::build(&spec).unwrap();
    let mut came_up = |contents| {
        model.power_up(contents);
        assert_eq!(model.cycles(), 0);
        let seen = (model.peek(0), model.peek_big(1));
        model.step();
        assert_eq!(model.peek(0), !seen.0 & 0xffff_ffff);
        seen
    };
    let (one, other) = (came_up(PowerUp::Random(1)), came_up(PowerUp::Random(2)));
    assert!(one.0 != other.0 && one.1 != other.1, "{one:x?} {other:x?}");
    assert_eq!(came_up(PowerUp::Random(1)), one);
    assert_eq!(came_up(PowerUp::Zero), (0, 0u32.into()));
}
