//! An Oaken system from the pins of its line, as machine code, with recorded keys and values: bit for bit what the golden model says.
#![allow(missing_docs)]

use hdl::engine::{Engine, PowerUp};
use hw::catalogue::{Value, block, cache_board_params};
use hw::oaken::EngineParams;
use hw::soc::oaken_system::oaken_system;
use hw::soc::system_addresses::SystemAddresses;
use hw::soc::system_params::{Engines, SystemParams};
use sim::data::Recording;
use sim::golden::oaken::DenseBits;
use sim::oaken_bench::to_bytes;
use sim::profile::{Method, Profile, Widths};
use std::path::Path;
use testbenches::drivers::system::host_of;
use testbenches::drivers::system_paths::set_up;
use testbenches::drivers::{Effort, cache_board_pins_driver, there_and_back};

const PARAMS: SystemParams = SystemParams {
    engine: EngineParams { lanes: 4, max_length: 1024, dense_bits: 4, settings: 1 },
    engines: Engines::Both,
    clock_hertz: 48_000_000,
    clocks_per_bit: 16,
    records: 512,
};

/// From the pins of the line to the pins of the chip, whose clock is half a cycle ahead.
#[test]
fn a_cache_on_a_board_keeps_its_pages_in_the_chip() {
    let numbers = [
        ("requests", 2),
        ("layers", 2),
        ("heads", 2),
        ("head_elements", 64),
        ("tokens", 8),
        ("settings", 2),
        ("clock_hertz", 75_000_000),
        ("clocks_per_bit", 25),
        ("oscillator_hertz", 25_000_000),
        ("cas_latency", 2),
    ];
    let block = block("oaken_cache_board").expect("a block");
    let values = block.resolve(numbers.map(|(name, number)| (name, Value::Number(number)))).expect("legal");
    let driver = cache_board_pins_driver("top", cache_board_params(&values));
    let mut engine = jit::simulator(&driver.design);
    // as an ECP5 has its flip-flops when it is configured: what makes the reset runs in the cycles before it, too
    engine.power_up(PowerUp::Zero);
    driver.run(&mut engine, Effort::from_environment()).unwrap_or_else(|error| panic!("{error}"));
}

fn read(file: &str) -> Recording {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data").join(file);
    Recording::read(path).unwrap_or_else(|e| panic!("{e}"))
}

/// A key and a value of SmolLM2, each with its thresholds.
#[test]
fn recorded_vectors_come_back_as_the_golden_model_has_them() {
    let profiled = [read("smollm2_profile.safetensors")];
    let profile = Profile::from_recordings(&profiled, Method::default(), Widths::default());
    let profile = profile.unwrap_or_else(|e| panic!("{e}"));
    let run = read("smollm2_run.safetensors");
    let design = oaken_system("oaken_system_p4", PARAMS).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(design.combinational_paths(), []);
    let port = |name| design.port_list().iter().position(|port| port.name == name).expect("a port");
    let mut engine = jit::simulator(&design);
    let mut host = host_of(&mut engine, [port("uart_rx"), port("uart_tx")], PARAMS.clocks_per_bit);
    let addresses = SystemAddresses::new(PARAMS);
    host.open(&mut engine).unwrap();
    let mut seen = 0;
    for tensor in run.tensors.iter().take(2) {
        let t = profile.layer(tensor.layer, tensor.kind).expect("profiled").thresholds;
        let v = tensor.vectors().next().expect("a vector");
        set_up(&addresses, &mut host, &mut engine, v.len(), &t).unwrap();
        host.put(&mut engine, &to_bytes(v)).unwrap();
        let found = host.take(&mut engine).unwrap();
        assert_eq!(
            found,
            to_bytes(&there_and_back(v, DenseBits::PAPER, &t)),
            "{:?} of layer {}",
            tensor.kind,
            tensor.layer
        );
        seen += v.len();
    }
    assert!(seen >= 2 * 64, "{seen} elements");
}

/// More vectors than the system holds: the host is told that there is no room, takes, and nothing is lost.
#[test]
fn a_host_that_only_puts_is_told_so_and_loses_nothing() {
    let p = SystemParams { records: 2, ..PARAMS };
    let design = oaken_system("oaken_system_small", p).unwrap_or_else(|e| panic!("{e}"));
    let port = |name| design.port_list().iter().position(|port| port.name == name).expect("a port");
    let mut engine = jit::simulator(&design);
    let mut host = host_of(&mut engine, [port("uart_rx"), port("uart_tx")], p.clocks_per_bit);
    let addresses = SystemAddresses::new(p);
    host.open(&mut engine).unwrap();
    let t = sim::golden::oaken::Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal");
    let n = 64;
    set_up(&addresses, &mut host, &mut engine, n, &t).unwrap();
    let mut rng = fastrand::Rng::with_seed(sim::bus::seed(1));
    let mut put = vec![];
    let refused = (0..200).find_map(|_| {
        let v = testbenches::drivers::random_vector(&mut rng, n, &t);
        let full = host.put(&mut engine, &to_bytes(&v)).err();
        if full.is_none() {
            put.push(v);
        }
        full
    });
    assert!(refused.is_some_and(|why| why.contains("status 4")), "{} vectors found room", put.len());
    assert!(put.len() >= 30, "{} vectors found room", put.len());
    for (i, v) in put.iter().enumerate() {
        let found = host.take(&mut engine).unwrap();
        assert_eq!(found, to_bytes(&there_and_back(v, DenseBits::PAPER, &t)), "vector {i}");
    }
    println!("{} vectors waited in the system", put.len());
}
