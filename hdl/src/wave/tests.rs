//! Golden waves of a small design. To renew them after a wanted change: `BLESS=1 cargo test -p kvforge-hdl wave`.

use super::Wave;
use crate::engine::{Engine, PowerUp};
use crate::ir::{BinOp, Op};
use crate::sim::Simulator;
use crate::sim::tests::Build;
use std::path::Path;

/// A counter with enable, its low bit, and a wide signal.
fn design() -> Simulator {
    let mut m = Build::new("counter");
    let en = m.input("en", 1);
    let count = m.reg("count", 8, Some(0xf), Some(en), 0);
    let three = m.lit(3u8, 8);
    let next = m.bin(BinOp::Add, count, three);
    m.0.nodes[next as usize].name = Some("u_sub.next".into());
    m.set(count, next);
    let odd = m.node(Op::Slice(count, 0), 1);
    m.output("odd", odd);
    let wide = m.node(Op::Repeat(count, 12), 96);
    m.output("wide", wide);
    m.simulate()
}

fn record() -> Wave {
    let mut sim = design();
    sim.power_up(PowerUp::Zero);
    let mut wave = Wave::all(&sim);
    for cycle in 0..8u64 {
        sim.set_reset(0, cycle < 2);
        sim.poke(0, u64::from(cycle != 4));
        wave.sample(&mut sim);
        sim.step();
    }
    wave
}

fn golden(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/wave/golden").join(file);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, text).expect("a writable source folder");
    }
    let want = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(text == want, "{file} differs from the golden one; got:\n{text}");
}

#[test]
fn vcd() {
    golden("counter.vcd", &record().vcd());
}

#[test]
fn svg() {
    let picture = record().svg(&["en", "odd", "count", "wide"], 1..100).expect("known names");
    golden("counter.svg", &picture);
}

#[test]
fn unknown_names_get_proposals() {
    let sim = design();
    let error = Wave::of(&sim, &["en", "next"]).expect_err("no such signal");
    assert_eq!(error.to_string(), "no signal is named `next`; there is `u_sub.next`");
    let error = record().svg(&["counter"], 0..4).expect_err("no such signal");
    assert_eq!(error.to_string(), "no signal is named `counter`; there is `count`");
}

#[test]
fn ports_of_any_engine() {
    let mut sim = design();
    let (mut ports, mut some) = (Wave::ports(&sim), Wave::of(&sim, &["en", "odd", "wide"]).expect("known names"));
    for _ in 0..5 {
        sim.poke(0, 1);
        ports.sample_ports(&mut sim);
        some.sample(&mut sim);
        sim.step();
    }
    assert_eq!(ports.vcd(), some.vcd());
    assert_eq!(ports.svg(&["odd"], 0..5), some.svg(&["odd"], 0..5));
    assert_eq!(ports.cycles(), 5);
}

/// A picture of nothing is still a picture.
#[test]
fn empty_ranges() {
    let wave = record();
    for range in [0..0, 20..30, 8..8] {
        assert!(wave.svg(&["count"], range).expect("a known name").ends_with("</svg>\n"));
    }
}
