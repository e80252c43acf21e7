//! Any power-up (`power_up`), for parts of the engines whose surroundings keep to rules, and for so many cycles.

use super::copies::{Told, both};
use super::{Engine, Proof};
use hdl::engine::PortInfo;
use hdl::logic::UpDown;
use hdl::*;
use hw::oaken::EngineParams;
use hw::oaken::record_walker::record_walker;
use hw::oaken::sparse_writer::sparse_writer;

/// The signal of a port.
fn pin(ports: &[PortInfo], pins: &[Signal], name: &str) -> Signal {
    let at = ports.iter().position(|port| port.name == name);
    pins[at.unwrap_or_else(|| panic!("no port {name}"))]
}

/// Cycles behind a chunk after which it can have been read.
const READS: usize = 4;

/// The walker: a chunk is read some cycles after it left, and the length is that of all records under way. Nothing is read in part: the ring
/// is free when all chunks are read.
#[module]
fn walker(lanes: u32) -> Result<Design<()>, Errors> {
    let m = Module::new(format!("prove_power_up_walker_{lanes}"));
    let part = record_walker(EngineParams { lanes, max_length: 64, dense_bits: 4, settings: 1 })?;
    let pins = both(m, &part, &Told::default(), |_| None)?;
    let ports = part.port_list();
    let pin = |name: &str| pin(&ports, &pins, name);
    let mut left = pin("m_valid") & pin("m_ready");
    for _ in 0..READS {
        let later = m.reg_reset(bits(1), 0);
        later.set(left);
        left = later;
    }
    let unread = UpDown::new(m, 63);
    unread.count(left, pin("done"));
    m.assume(!pin("done") | unread.level.any(), "what is read has left");
    m.assume(!pin("reading"), "nothing is read in part");
    let length = pin("chunks_minus_1");
    let under_way = m.past(pin("holds") | pin("s_valid")) & m.past_valid();
    m.assume(!under_way | length.eq(m.past(length)), "the length is that of all records under way");
    m.finish(())
}

/// The writer with its payloads.
#[module]
fn writer(lanes: u32) -> Result<Design<()>, Errors> {
    let m = Module::new(format!("prove_power_up_words_{lanes}"));
    let part = sparse_writer(EngineParams { lanes, max_length: 64, dense_bits: 4, settings: 1 }, 2)?;
    both(m, &part, &Told::default(), |_| None)?;
    m.finish(())
}

pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let proof = |name: &str, part: &str, design, depth| {
        let (name, part) = (format!("power_up_{name}"), format!("any power-up, {part}"));
        Proof { name, part, design, engine: Engine::Bounded(depth), cover_depth: 14 }
    };
    Ok(vec![
        proof("walker", "record walker", walker(1)?, 12),
        proof("words", "sparse writer with payloads", writer(1)?, 14),
    ])
}
