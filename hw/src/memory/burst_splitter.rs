//! Burst splitter: cuts commands into the longest bursts that AXI4 allows.
//!
//! | port | |
//! | --- | --- |
//! | `s` | commands; `s_ready` is made of registers |
//! | `m` | bursts, at least one for each command; registers |
//! | `failed` | the oldest command whose last burst is not over has failed: no more is asked for it |
//! | `over` | one cycle for each command: its last burst is over |
//!
//! - No burst crosses 4 KiB or has more than 256 beats; each but the first and the last of a command has as many as that leaves it.
//! - With pages (`scatter_bits`), a command goes on behind the end of its page in the page that it names; no burst crosses the end of a page.
//! - A command without bytes, and the rest of one that failed or reaches beyond the last address, is one burst without beats (`none`).
//! - Parameters: those of [`MoverParams`]. Throughput: one burst in two cycles, from command to command too. Latency: 2 cycles.
//! - Combinational paths: none.

use super::mover::{Command, MoverParams, command};
use hdl::logic::UpDown;
use hdl::*;

/// A burst of a command.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Burst {
    /// Byte address of its first beat; a whole number of beats.
    pub address: Signal,
    /// Beats less 1; 0 with `none`.
    pub len: Signal,
    /// It is the last one of its command.
    pub last: Signal,
    /// Nothing is asked for: it only ends its command.
    pub none: Signal,
    /// With `none`: the command reaches beyond the last address.
    pub beyond: Signal,
    /// The byte of the command's first beat with which it begins.
    pub offset: Signal,
    /// The byte of the command's last beat with which it ends.
    pub end: Signal,
    /// That of the command.
    pub tag: Signal,
}

/// The shape of a burst.
pub fn burst(p: MoverParams) -> Burst {
    let (flag, byte) = (bits(1), bits(p.axi.byte_bits()));
    Burst {
        address: bits(p.axi.address_bits),
        len: bits(8),
        last: flag,
        none: flag,
        beyond: flag,
        offset: byte,
        end: byte,
        tag: bits(p.tag_bits),
    }
}

ports! {
    /// Ports of a burst splitter.
    pub struct BurstSplitterPorts(p: MoverParams) {
        /// Commands.
        input s: Stream<Command> = stream(command(p)),
        /// Bursts of commands.
        output m: Stream<Burst> = stream(burst(p)),
        /// The oldest command whose last burst is not over has failed.
        input failed: Signal = bits(1),
        /// The last burst of a command is over.
        input over: Signal = bits(1),
    }
}

/// Commands whose last bursts may be under way.
pub const COMMANDS: u32 = 18;

/// A burst splitter.
#[module]
pub fn burst_splitter(p: MoverParams) -> Result<Design<BurstSplitterPorts>, Errors> {
    let name = p.name("burst_splitter");
    p.check(&name)?;
    let m = Module::new(name);
    m.doc("Cuts commands into the longest bursts that AXI4 allows.");
    let io = BurstSplitterPorts::new(m, p);
    let active = m.reg_reset(bits(1), 0).comment("there is a command");
    let over = m.reg_reset(bits(1), 0).comment("its last burst is out");
    let rest = m.reg(rest(p));
    let valid = m.reg_reset(bits(1), 0);
    let out = m.reg(burst(p));

    m.section("the next burst, and what is left behind it");
    let goes = active & !over & !valid;
    let Next { limit, whole_page, fits } = next_burst(m, rest, p);
    let width = limit.width();
    let lasts = UpDown::new(m, COMMANDS);
    lasts.level.comment("last bursts that are not over");
    let cancelled = io.failed & lasts.is_empty();
    let none = rest.empty | rest.beyond | cancelled;
    let last = fits | none;
    let len = fits.mux(rest.beats.trunc(width), limit) & (!none).repeat(width);
    let page = page_behind(rest, whole_page, p);
    m.when(goes, || {
        out.set(burst_of(rest, len.zext(8), [last, none], p));
        rest.page.set(page.trunc(rest.page.width()));
        rest.beyond.set(page.msb());
        rest.beat.set(after(rest.beat, whole_page));
        rest.beats.set(rest.beats + !limit.zext(rest.beats.width())); // less the limit, and less one
        over.set(last);
    });

    m.section("in and out: what is late (`last`) decides nothing in its own cycle");
    let takes = !active | over;
    io.s.ready.set(takes);
    m.when(takes, || {
        active.set(io.s.valid);
        over.set(false);
        rest.set(begin(io.s.payload, p));
    });
    valid.set(goes | (valid & !io.m.ready));
    io.m.valid.set(valid);
    io.m.payload.set(out);
    let last_is_out = m.reg_reset(bits(1), 0);
    last_is_out.set(goes & last);
    lasts.count(last_is_out, io.over);
    m.assert(!last_is_out | !lasts.is_full() | io.over, "no more commands than may be under way");
    m.finish(io)
}

/// How long a burst may be.
struct Next {
    /// The most beats, less one.
    limit: Signal,
    /// They reach the end of the page.
    whole_page: Signal,
    /// The command's other beats are no more than that.
    fits: Signal,
}

/// The burst with which a command goes on.
#[module]
fn next_burst(m: Module, rest: Rest, p: MoverParams) -> Next {
    let to_page = !rest.beat;
    let (limit, whole_page) = match p.beat_bits() {
        0..=8 => (to_page, m.lit(1u32, 1)),
        _ => (to_page.trunc(8) | to_page.drop_low(8).any().repeat(8), !to_page.drop_low(8).any()),
    };
    let limit = limit.comment("beats up to the end of the page, or 256, less one");
    let beats = rest.beats;
    let width = limit.width();
    // within the page: the sum of two numbers has no carry; that is sooner known than that the beats are not above the limit
    let ends_at = beats.trunc(width).zext(width + 1) + rest.beat.trunc(width).zext(width + 1);
    let fits = !beats.drop_low(width).any() & (!whole_page | !ends_at.msb());
    Next { limit, whole_page, fits }
}

/// The burst of so many beats (less one) with which a command goes on.
fn burst_of(rest: Rest, len: Signal, [last, none]: [Signal; 2], p: MoverParams) -> Burst {
    let address = cat(&[rest.page, rest.beat, rest.offset.zeros(p.axi.byte_bits())]);
    let Rest { beyond, offset, end, tag, .. } = rest;
    Burst { address, len, last, none, beyond, offset, end, tag }
}

/// The page behind a burst that does not end its command; its highest bit: there is none.
#[module]
fn page_behind(rest: Rest, whole_page: Signal, p: MoverParams) -> Signal {
    let width = rest.page.width() + 1;
    let page = rest.page.zext(width) + whole_page.zext(width);
    let Some((next, scatter)) = rest.next.zip(p.scatter_bits) else { return page };
    match scatter - p.boundary_bits() {
        0 => whole_page.mux(next, rest.page).zext(width),
        inner => {
            let leaves = whole_page & rest.page.trunc(inner).all();
            leaves.mux(next.cat(next.zeros(inner)).zext(width), page)
        }
    }
}

/// The beat of the page behind a burst that does not end its command: 256 on, or the first one.
fn after(beat: Signal, whole_page: Signal) -> Signal {
    match beat.width() {
        0..=8 => beat.zeros(beat.width()),
        width => {
            let high = (beat.drop_low(8) + 1) & (!whole_page).repeat(width - 8);
            high.cat(beat.trunc(8) & (!whole_page).repeat(8))
        }
    }
}

/// What is left of a command.
#[derive(Clone, Copy, Bundle)]
struct Rest {
    /// Its page of 4 KiB, or a shorter one.
    page: Signal,
    /// Where it goes on behind the end of a page, if memory lies in pages.
    next: Option<Signal>,
    /// The beat in it.
    beat: Signal,
    /// Beats less 1.
    beats: Signal,
    /// It had no bytes.
    empty: Signal,
    /// The last page is over.
    beyond: Signal,
    offset: Signal,
    end: Signal,
    tag: Signal,
}

fn rest(p: MoverParams) -> Rest {
    let (byte, flag) = (p.axi.byte_bits(), bits(1));
    Rest {
        page: bits(p.axi.address_bits - p.boundary_bits()),
        next: p.scatter_bits.map(|page| bits(p.axi.address_bits - page)),
        beat: bits(p.beat_bits()),
        beats: bits(p.length_bits + 1 - byte),
        empty: flag,
        beyond: flag,
        offset: bits(byte),
        end: bits(byte),
        tag: bits(p.tag_bits),
    }
}

/// All of a command.
#[module]
fn begin(x: Command, p: MoverParams) -> Rest {
    let (byte, length) = (p.axi.byte_bits(), p.length_bits + 1);
    let offset = if p.aligned { x.address.zeros(byte) } else { x.address.trunc(byte) };
    // one subtracted where it is short, so that there is one carry chain
    let before = (!offset.any()).repeat(length - byte).cat(offset - 1);
    let last_byte = before + x.bytes.zext(length);
    Rest {
        page: x.address.drop_low(p.boundary_bits()),
        next: x.next,
        beat: x.address.bits(p.boundary_bits() - 1, byte),
        beats: last_byte.drop_low(byte),
        empty: !x.bytes.any(),
        beyond: offset.zeros(1),
        offset,
        end: last_byte.trunc(byte),
        tag: x.tag,
    }
}
