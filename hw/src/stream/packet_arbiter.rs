//! Packet arbiter: several streams to one, packet by packet in turn (round robin). Who has begun a packet keeps the
//! output until its last beat.
//!
//! | port | |
//! | --- | --- |
//! | `s` | streams in side by side: bit `i` of `s_valid` and `s_ready` is that of input `i`, its beat begins at bit `i * width`. `s_ready` is 1 for the one that is granted, while the output moves |
//! | `s_last` | bit `i`: the packet of input `i` ends with its beat |
//! | `m` | the beats, `m_source` is the number of the input; all but `m_ready` are registers |
//!
//! - Parameters: `width`, bits of a beat, from 1 to 65,536; `inputs`, from 2 to 64; all beats together at most 65,536 bits.
//! - Fair: a packet that is offered waits for at most `inputs - 1` packets of others, one of each, and then goes. An input
//!   that pauses within its packet holds up the others.
//! - Latency 1 cycle; 1 transfer in every cycle, also between packets.
//! - Combinational paths: `m_ready` and `s_valid` of all inputs to `s_ready`.
//! - After reset the output is empty, and input 0 comes first.

use super::arbiter::check;
use super::round_robin::round_robin;
use super::several::{Streams, choose, streams};
use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, cat, clog2, module, ports, stream};

/// A beat of a packet and where it came from.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct GrantedBeat {
    /// The beat.
    pub payload: Signal,
    /// The packet ends with it.
    pub last: Signal,
    /// Number of the input.
    pub source: Signal,
}

/// The shape of a beat of `width` bits from one of `inputs`.
pub fn granted_beat(width: u32, inputs: u32) -> GrantedBeat {
    GrantedBeat { payload: bits(width), last: bits(1), source: bits(clog2(inputs as usize)) }
}

ports! {
    /// Ports of a packet arbiter.
    pub struct PacketArbiterPorts(width: u32, inputs: u32) {
        /// the inputs side by side, each with its beat
        input s: Streams = streams(inputs, width * inputs),
        /// the packet of the input ends with its beat
        input s_last: Signal = bits(inputs),
        /// the packets in turn
        output m: Stream<GrantedBeat> = stream(granted_beat(width, inputs)),
    }
}

/// An arbiter between packets of `inputs` streams of beats of `width` bits.
#[module]
pub fn packet_arbiter(width: u32, inputs: u32) -> Result<Design<PacketArbiterPorts>, Errors> {
    let name = format!("packet_arbiter_{inputs}x{width}");
    check(&name, width, inputs)?;
    let m = Module::new(name);
    m.doc("Arbiter: several streams to one, packet by packet in turn.");
    let io = PacketArbiterPorts::new(m, width, inputs);

    m.section("who is granted: within a packet only its input");
    let valid = m.reg_reset(bits(1), 0);
    let beat = m.reg(granted_beat(width, inputs));
    let locked = m.reg_reset(bits(1), 0).comment("a packet has begun");
    let owner = m.reg(bits(inputs)).comment("its input");
    let moves = io.m.ready | !valid;
    let requests = io.s.valid & (owner | !locked.repeat(inputs));
    let advance = moves & requests.any();
    let grant = round_robin(m, requests, advance);
    let last = (grant.one_hot & io.s_last).any();
    m.when(advance, || {
        locked.set(!last);
        owner.set(grant.one_hot);
    });

    m.section("the beat");
    io.s.ready.set(grant.one_hot & moves.repeat(inputs));
    io.m.valid.set(valid);
    io.m.payload.set(beat);
    m.when(moves, || {
        let payload = choose(grant.index, &io.s.payload.lanes(width));
        valid.set(grant.any);
        beat.set(GrantedBeat { payload, last, source: grant.index });
    });
    m.finish(io)
}

/// Several streams of packets to one stream of beats, their ends and the numbers of their inputs. `last` says of each
/// input whether its packet ends with its beat.
///
/// # Errors
/// If there are less than 2 or more than 64 streams, or their payloads are too wide.
#[module]
pub fn arbitrate_packets<P: Bundle>(
    m: Module,
    inputs: &[Stream<P>],
    last: impl Fn(&P) -> Signal,
) -> Result<Stream<(P, Signal)>, Errors> {
    let Some(first) = inputs.first() else {
        return Err(Errors::parameter("packet_arbiter", "inputs = 0 is out of range", "from 2 to 64"));
    };
    let arbiter = m.instance(&packet_arbiter(first.payload.total_width(), inputs.len() as u32)?);
    let words: Vec<Signal> = inputs.iter().rev().map(|s| s.payload.pack()).collect();
    let valid: Vec<Signal> = inputs.iter().rev().map(|s| s.valid).collect();
    let lasts: Vec<Signal> = inputs.iter().rev().map(|s| last(&s.payload)).collect();
    arbiter.s.payload.set(cat(&words));
    arbiter.s.valid.set(cat(&valid));
    arbiter.s_last.set(cat(&lasts));
    arbiter.m.payload.last.unused(); // it stands in the payload too
    inputs.iter().enumerate().for_each(|(i, s)| s.ready.set(arbiter.s.ready.bit(i as u32)));
    Ok(arbiter.m.with((first.payload.unpack(arbiter.m.payload.payload), arbiter.m.payload.source)))
}

#[cfg(test)]
mod tests;
