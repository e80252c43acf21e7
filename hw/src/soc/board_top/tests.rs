use super::*;
use crate::oaken::EngineParams;
use crate::soc::system_params::Engines;
use ::sim::link_bench::Host;
use hdl::engine::Engine;

fn params() -> BoardParams {
    let engine = EngineParams { lanes: 1, max_length: 64, dense_bits: 4, settings: 1 };
    let system =
        SystemParams { engine, engines: Engines::Both, clock_hertz: 72_000_000, clocks_per_bit: 16, records: 16 };
    BoardParams { system, pll: Pll::Ehxplll, oscillator_hertz: 48_000_000, leds: 4, leds_low: true, wifi_gpio0: false }
}

/// The clock of the system stands until the PLL has locked; then the host is answered, and the LEDs say so.
#[test]
fn a_host_is_answered_through_the_pins() {
    let design = board_top("top", params()).unwrap_or_else(|e| panic!("{e}"));
    let names: Vec<_> = design.port_list().iter().map(|port| port.name.clone()).collect();
    assert_eq!(
        (names, design.clocks().collect::<Vec<_>>()),
        (vec!["uart_rx".into(), "uart_tx".into(), "led".into()], vec![("clk", None)])
    );
    let port = |signal| design.port_index(signal).expect("a port");
    let io = &design.ports;
    let mut engine = jit::simulator(&design);
    assert_eq!(engine.clocks(), ["clk", "system_clk"]);
    engine.poke(io.uart_rx, 1);
    let mut host = Host::new(port(io.uart_rx), port(io.uart_tx), 16);
    host.rest(&mut engine, 20);
    assert_eq!(engine.peek(io.led), 0b1111, "none shines");
    host.open(&mut engine).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(engine.peek(io.led), 0b1101, "a frame has come");
    assert_eq!(host.read(&mut engine, 0), Ok(u32::from_be_bytes(*b"KVFO")));
    assert_eq!(host.read(&mut engine, 0x10), Ok(72_000_000));
    host.send(&mut engine, &[0, 1, 1, 0]);
    assert_eq!(host.read(&mut engine, 0), Ok(u32::from_be_bytes(*b"KVFO")));
    assert_eq!(engine.peek(io.led), 0b1001, "and a damaged one");
}

#[test]
fn clocks_that_the_pll_cannot_make_are_refused() {
    let mut p = params();
    p.system.clock_hertz = 71_999_999;
    let message = board_top("top", p).unwrap_err().to_string();
    assert!(message.contains("EHXPLLL cannot make 71.999999 MHz of 48 MHz; the nearest is"), "{message}");
    p = BoardParams { leds: 17, ..params() };
    assert!(board_top("top", p).unwrap_err().to_string().contains("leds = 17 is out of range"));
}

/// The ESP32 of the ULX3S is left alone from power-up on, also while the PLL has not locked.
#[test]
fn the_pin_of_the_radio_is_1() {
    let design = board_top("top", BoardParams { wifi_gpio0: true, ..params() }).unwrap_or_else(|e| panic!("{e}"));
    let pin = design.ports.wifi_gpio0.expect("the pin");
    let mut engine = jit::simulator(&design);
    assert_eq!(engine.peek(pin), 1);
}
