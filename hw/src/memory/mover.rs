//! What the burst reader and the burst writer have in common: parameters, commands, and how a command ended.

use super::axi::AxiParams;
use hdl::{Bundle, Errors, Signal, State, StateSignal, bits, state};
use std::panic::Location;

/// The parameters of a burst reader or writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MoverParams {
    /// The widths of its AXI4 port. It has one ID, so `id_bits` is 0.
    pub axi: AxiParams,
    /// Bits of the number of bytes of a command, 13 to 32.
    pub length_bits: u32,
    /// Bits of a command's tag, 1 to 32.
    pub tag_bits: u32,
    /// Bursts that may be under way, 1 to 16.
    pub outstanding: u32,
    /// Beats that it can hold, a power of two: twice the longest burst at least.
    pub buffer: u32,
    /// Memory lies in pages of 2 to the power of this, 10 to 16: behind the end of a page, a command goes on in one that it names.
    pub scatter_bits: Option<u32>,
    /// Commands begin with whole beats: the lowest bits of their addresses are not looked at, and cost nothing.
    pub aligned: bool,
}

/// A command: so many bytes, from this address on.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Command {
    /// Byte address of the first byte; any.
    pub address: Signal,
    /// Bytes; any number, also none.
    pub bytes: Signal,
    /// With pages: the number of the one in which it goes on behind the end of that of its address; it reaches no further.
    pub next: Option<Signal>,
    /// Comes back when the command is done.
    pub tag: Signal,
}

/// The shape of a command.
pub fn command(p: MoverParams) -> Command {
    let next = p.scatter_bits.map(|page| bits(p.axi.address_bits - page));
    Command { address: bits(p.axi.address_bits), bytes: bits(p.length_bits), next, tag: bits(p.tag_bits) }
}

/// How a command ended. The codes of the two bus errors are those of AXI4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, State)]
#[state(width = 3)]
pub enum Outcome {
    /// All bytes were moved.
    Okay = 0,
    /// It reaches beyond the last address; bursts up to there were made.
    Range = 1,
    /// The memory answered SLVERR.
    Slave = 2,
    /// Nobody answers at the address: DECERR.
    Decode = 3,
    /// Its packet has fewer bytes than the command; those that are not there were not written.
    Short = 4,
    /// Its packet has more bytes than the command; the others were dropped.
    Long = 5,
}

/// A command is done.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Done {
    /// That of the command.
    pub tag: Signal,
    /// How it ended.
    pub outcome: StateSignal<Outcome>,
    /// Where it failed, if it did.
    pub address: Signal,
}

/// The shape of the end of a command.
pub fn done(p: MoverParams) -> Done {
    Done { tag: bits(p.tag_bits), outcome: state(), address: bits(p.axi.address_bits) }
}

impl MoverParams {
    /// A mover of whole words: 8 bursts may be under way, and two of the longest ones have room.
    pub fn words(axi: AxiParams, length_bits: u32) -> MoverParams {
        let (tag_bits, outstanding, buffer) = (1, 8, 512);
        MoverParams { axi, length_bits, tag_bits, outstanding, buffer, scatter_bits: None, aligned: true }
    }

    /// A name that tells all parameters.
    pub fn name(self, what: &str) -> String {
        let MoverParams { axi, length_bits, tag_bits, outstanding, buffer, scatter_bits, aligned } = self;
        let bits = 8 * axi.data_bytes;
        let pages = scatter_bits.map(|page| format!("_p{page}")).unwrap_or_default();
        let aligned = if aligned { "_aligned" } else { "" };
        let address = axi.address_bits;
        format!("{what}_{bits}_a{address}_l{length_bits}_t{tag_bits}_o{outstanding}_b{buffer}{pages}{aligned}")
    }

    /// Bits of a byte's place in what no burst crosses: 4 KiB, or a shorter page.
    pub fn boundary_bits(self) -> u32 {
        self.scatter_bits.map_or(12, |page| page.min(12))
    }
    /// Bits of a beat's place there.
    pub fn beat_bits(self) -> u32 {
        self.boundary_bits().saturating_sub(self.axi.byte_bits())
    }

    /// Are all parameters legal?
    #[track_caller]
    pub fn check(self, module: &str) -> Result<(), Errors> {
        let MoverParams { axi, length_bits, tag_bits, outstanding, buffer, scatter_bits, aligned: _ } = self;
        let place = Location::caller();
        let wrong = |what: String, help: &str| Err(Errors::parameter_at(place, module, what, help));
        axi.check_widths(module)?;
        if axi.id_bits != 0 {
            return wrong(format!("id_bits = {}", axi.id_bits), "0: it has one ID; an arbiter adds more");
        }
        let ranges = [
            ("length_bits", length_bits, 13, 32, "a page of 4 KiB at least"),
            ("tag_bits", tag_bits, 1, 32, "a tag has a bit, and more than 32 nobody needs"),
            ("outstanding", outstanding, 1, 16, "one burst at least, and a memory of 16 bursts' latency"),
        ];
        if let Some((name, value, least, most, why)) =
            ranges.iter().find(|(_, x, least, most, _)| x < least || x > most)
        {
            return wrong(format!("{name} = {value} is out of range"), &format!("from {least} to {most}: {why}"));
        }
        if let Some(page) = scatter_bits.filter(|page| !(10..=16).contains(page) || *page >= axi.address_bits) {
            let help = "from 10 to 16: pages of 1 KiB to 64 KiB, of which the addresses name two at least";
            return wrong(format!("scatter_bits = {page} is out of range"), help);
        }
        let least = 2 * axi.longest_burst();
        if !buffer.is_power_of_two() || !(least..=4096).contains(&buffer) {
            let help = format!("a power of two from {least} (two of the longest bursts) to 4096");
            return wrong(format!("buffer = {buffer}"), &help);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_parameters_out_of_range() {
        let axi = AxiParams { data_bytes: 8, address_bits: 32, id_bits: 0 };
        let p = MoverParams {
            axi,
            length_bits: 20,
            tag_bits: 8,
            outstanding: 4,
            buffer: 512,
            scatter_bits: Some(12),
            aligned: false,
        };
        let message = |p: MoverParams| p.check("mover").expect_err("parameters out of range").0[0].message.clone();
        assert!(p.check("mover").is_ok());
        assert_eq!(message(MoverParams { axi: AxiParams { data_bytes: 128, ..axi }, ..p }), "data_bytes = 128");
        assert_eq!(message(MoverParams { axi: AxiParams { id_bits: 1, ..axi }, ..p }), "id_bits = 1");
        for bits in [12, 33] {
            let what = format!("length_bits = {bits} is out of range");
            assert_eq!(message(MoverParams { length_bits: bits, ..p }), what);
        }
        for bits in [0, 33] {
            assert_eq!(message(MoverParams { tag_bits: bits, ..p }), format!("tag_bits = {bits} is out of range"));
        }
        for bursts in [0, 17] {
            let what = format!("outstanding = {bursts} is out of range");
            assert_eq!(message(MoverParams { outstanding: bursts, ..p }), what);
        }
        for (bits, address_bits) in [(9, 32), (17, 32), (16, 16)] {
            let axi = AxiParams { address_bits, ..axi };
            let what = format!("scatter_bits = {bits} is out of range");
            assert_eq!(message(MoverParams { axi, scatter_bits: Some(bits), ..p }), what);
        }
        for beats in [256, 768, 8192] {
            assert_eq!(message(MoverParams { buffer: beats, ..p }), format!("buffer = {beats}"));
        }
        let least = MoverParams { length_bits: 13, tag_bits: 1, outstanding: 1, scatter_bits: Some(10), ..p };
        let most =
            MoverParams { length_bits: 32, tag_bits: 32, outstanding: 16, buffer: 4096, scatter_bits: Some(16), ..p };
        assert!([least, most].iter().all(|p| p.check("mover").is_ok()));
    }
}
