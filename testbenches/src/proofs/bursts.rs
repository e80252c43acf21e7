//! AXI4 bursts: the splitter cuts each command into legal bursts that cover exactly its bytes; a reader ends each command once; arbiters lose,
//! invent and mix nothing.

use super::{Engine, Proof};
use crate::checkers::{Moves, Side, keeps_words_in_order, sends_by_the_rules, stalls_at_most};
use hdl::{Bundle, Design, Errors, Module, Signal, bits, cat, module};
use hw::memory::axi::AxiParams;
use hw::memory::axi_read_arbiter::{AxiReadArbiterPorts, axi_read_arbiter};
use hw::memory::axi_write_arbiter::{AxiWriteArbiterPorts, axi_write_arbiter};
use hw::memory::burst_splitter::{Burst, BurstSplitterPorts, burst_splitter};
use hw::memory::mover::{Command, MoverParams};

/// Two pages of 4 KiB, commands of less than two.
pub(super) fn mover(data_bytes: u32) -> MoverParams {
    MoverParams {
        axi: AxiParams { data_bytes, address_bits: 13, id_bits: 0 },
        length_bits: 13,
        tag_bits: 1,
        outstanding: 2,
        buffer: 512,
        scatter_bits: None,
        aligned: false,
    }
}

/// Bits of a byte's place, with those behind the last address.
const PLACE: u32 = 15;

/// The splitter with what each burst must be like.
#[module]
fn splitter_ports(m: Module, p: MoverParams) -> Result<BurstSplitterPorts, Errors> {
    let io = BurstSplitterPorts::new(m, p);
    let part = m.instance(&burst_splitter(p)?);
    part.s.set(io.s);
    io.m.set(part.m);
    part.failed.set(io.failed);
    part.over.set(io.over);
    sends_by_the_rules(m, io.s, Side::Surroundings);
    sends_by_the_rules(m, io.m, Side::Part);
    let ends = m.reg_reset(bits(5), 0).comment("commands whose last burst is out and not over");
    ends.set(ends + (io.m.transfer() & io.m.payload.last).zext(5) - io.over.zext(5));
    m.assume(!io.over | ends.any(), "a command is over behind its last burst");
    m.assume(!(io.m.transfer() & ends.ge(16)), "no more commands are under way than there may be");
    Ok(io)
}

/// No burst is illegal, whatever came before.
#[module]
fn legal_proof(name: &str, p: MoverParams) -> Result<Design<()>, Errors> {
    let m = Module::new(name);
    let io = splitter_ports(m, p)?;
    let Burst { address, len, last, none, beyond, .. } = io.m.payload;
    let offered = io.m.valid;
    let (byte, beat) = (p.axi.byte_bits(), p.axi.beat_bits());
    let first = address.bits(11, byte);
    let width = beat.max(8) + 1;
    let crosses = (first.zext(width) + len.zext(width)).drop_low(beat).any();
    m.assert(!offered | !crosses, "no burst crosses 4 KiB");
    m.assert(!offered | !address.trunc(byte).any(), "bursts have addresses of whole beats");
    m.assert(!(offered & none) | (last & !len.any()), "what asks for nothing ends its command");
    m.assert(!(offered & beyond) | none, "nothing is asked for beyond the last address");
    let full = (len.eq(p.axi.longest_burst() - 1)) | (first.zext(width) + len.zext(width)).trunc(beat).all();
    m.assert(!offered | last | full, "each burst but the last one is as long as it may be");

    m.section("how many commands, and in which order");
    let ends = Moves { moves: io.m.transfer() & last, word: io.m.payload.tag };
    let begins = Moves { moves: io.s.transfer(), word: io.s.payload.tag };
    keeps_words_in_order(m, begins, ends, 2, false);
    stalls_at_most(m, io.s.valid & !io.s.ready & io.m.ready & !io.m.valid, 2, "a burst comes in every second cycle");
    m.cover(offered & !last, "a command has several bursts");
    Ok(m.finish(io)?.erase())
}

/// Bursts of a command follow each other, from its first byte to its last one.
#[module]
fn covers_proof(name: &str, p: MoverParams) -> Result<Design<()>, Errors> {
    let m = Module::new(name);
    let io = splitter_ports(m, p)?;
    let byte = p.axi.byte_bits();
    let Burst { address, len, last, none, offset, end, beyond, tag } = io.m.payload;
    tag.unused();

    m.section("commands under way: the one whose bursts come, and the next ones");
    let commands = hdl::vector((bits(13), bits(13)), 3);
    let queue = m.reg(commands);
    let level = m.reg_reset(bits(2), 0);
    let (push, pop) = (io.s.transfer(), io.m.transfer() & last);
    let place = level - pop.zext(2);
    let Command { address: from, bytes: count, .. } = io.s.payload;
    let all: Vec<(Signal, Signal)> = queue.into_iter().collect();
    for i in 0..3 {
        let next = if i < 2 { pop.mux(all[i + 1], all[i]) } else { all[i] };
        let mine = push & place.eq(i as u32);
        all[i].set(mine.mux((from, count), next));
    }
    level.set(place + push.zext(2));
    m.assert(level.ne(3) | !push | pop, "no more commands are inside than there is room for");

    m.section("what is left of the first one");
    let (start, bytes) = (all[0].0.zext(PLACE), all[0].1.zext(PLACE));
    let done = m.reg_reset(bits(PLACE), 0).comment("bytes that its bursts covered so far, from its first beat on");
    let head = cat(&[start.drop_low(byte), start.zeros(byte)]);
    let last_byte = start + bytes - 1;
    let covered = done + cat(&[len.zext(PLACE - byte) + 1, start.zeros(byte)]);
    m.when(io.m.transfer(), || done.set(last.mux(start.zeros(PLACE), covered)));
    let failed = m.reg_reset(bits(1), 0).comment("it was given up");
    failed.set((failed | io.failed) & !pop);
    let asks = io.m.valid & !none;
    let next = head + done;
    m.assert(!asks | address.zext(PLACE).eq(next), "a burst begins where the one before ended");
    let reached = (head + covered).gt(last_byte);
    m.assert(!(asks & last) | reached, "the last burst has the last byte");
    m.assert(!asks | last | !reached, "and none before it");
    let over = (head + covered - 1).drop_low(byte).eq(last_byte.drop_low(byte));
    m.assert(!(asks & last) | over, "the last burst ends with the beat of the last byte");
    let ends_at = start.trunc(byte) + (bytes - 1).trunc(byte);
    m.assert(!asks | end.eq(ends_at), "it tells the last byte's place in its beat");
    m.assert(!asks | offset.eq(start.trunc(byte)), "and the first one's");
    m.assert(!asks | bytes.any(), "no bytes have no burst");
    let outside = next.drop_low(13).any();
    let why = !bytes.any() | outside | failed | io.failed | m.past(io.failed);
    m.assert(!(io.m.valid & none) | why, "nothing is asked for only where there is nothing, or behind an error");
    m.assert(!(io.m.valid & beyond) | outside, "it is beyond the last address");
    m.cover(asks & last & done.drop_low(12).any(), "a command crosses 4 KiB");
    m.cover(io.m.valid & beyond, "a command reaches beyond the last address");
    Ok(m.finish(io)?.erase())
}

pub(super) fn narrow(id_bits: u32) -> AxiParams {
    AxiParams { data_bytes: 4, address_bits: 13, id_bits }
}

/// Two masters that read, on one bus.
#[module]
fn read_arbiter_proof() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_axi_read_arbiter");
    let p = narrow(1);
    let io = AxiReadArbiterPorts::new(m, 2, p);
    let part = m.instance(&axi_read_arbiter("read_arbiter_part", 2, p)?);
    io.m_axi.set(part.m_axi);
    let bus = io.m_axi.request();
    let bus_id = bus.payload.id.expect("behind an arbiter there are IDs");
    let word = |address: Signal, id: Signal| address.trunc(1).cat(id);
    sends_by_the_rules(m, bus, Side::Part);
    let mut took = m.lit(0u32, 1);
    for i in 0..2 {
        let x = io.s_axi[i];
        part.s_axi[i].set(x);
        let (asks, id) = (x.request(), x.arid.expect("the masters have IDs"));
        sends_by_the_rules(m, asks, Side::Surroundings);
        let mine = bus_id.bit(1).eq(i as u32);
        let input = Moves { moves: asks.transfer(), word: word(asks.payload.addr, id) };
        let output = Moves { moves: bus.transfer() & mine, word: word(bus.payload.addr, bus_id.trunc(1)) };
        keeps_words_in_order(m, input, output, 1, false);
        let other = io.s_axi[1 - i].request();
        let waits = asks.valid & !asks.ready;
        let passed = m.reg_reset(bits(1), 0).comment("the other one went first");
        passed.set(waits & (passed | other.transfer()));
        m.assert(!(passed & waits & other.transfer()), "a request lets the other master's go first once at most");
        let to = io.m_axi.rid.expect("behind an arbiter there are IDs");
        let gets = io.m_axi.rvalid & to.bit(1).eq(i as u32);
        m.assert(x.rvalid.eq(gets), "data go to the master that their ID names, and to no other");
        let same = x.rdata.eq(io.m_axi.rdata) & x.rresp.eq(io.m_axi.rresp) & x.rlast.eq(io.m_axi.rlast);
        let same = same & x.rid.expect("the masters have IDs").eq(to.trunc(1));
        m.assert(!x.rvalid | same, "unchanged");
        took = took | (gets & x.rready);
    }
    m.assert((io.m_axi.rvalid & io.m_axi.rready).eq(took), "data are taken by their master");
    Ok(m.finish(io)?.erase())
}

/// Two masters that write, on one bus. Bursts have one beat or two.
#[module]
fn write_arbiter_proof() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_axi_write_arbiter");
    let p = narrow(0);
    let io = AxiWriteArbiterPorts::new(m, 2, p);
    let part = m.instance(&axi_write_arbiter("write_arbiter_part", 2, p)?);
    io.m_axi.set(part.m_axi);
    let bus = io.m_axi.request();
    let bus_id = bus.payload.id.expect("behind an arbiter there are IDs");
    sends_by_the_rules(m, bus, Side::Part);
    let mut sent = m.lit(0u32, 1);
    for i in 0..2 {
        let x = io.s_axi[i];
        part.s_axi[i].set(x);
        let asks = x.request();
        sends_by_the_rules(m, asks, Side::Surroundings);
        let input = Moves { moves: asks.transfer(), word: asks.payload.addr.trunc(1) };
        let mine = bus.transfer() & bus_id.eq(i as u32);
        keeps_words_in_order(m, input, Moves { moves: mine, word: bus.payload.addr.trunc(1) }, 2, false);
        let gets = io.m_axi.bvalid & io.m_axi.bid.expect("behind an arbiter there are IDs").eq(i as u32);
        m.assert(x.bvalid.eq(gets), "responses go to the master that their ID names, and to no other");
        m.assert(!x.bvalid | x.bresp.eq(io.m_axi.bresp), "unchanged");
        let goes = x.wvalid & x.wready;
        let same = io.m_axi.wdata.eq(x.wdata) & io.m_axi.wstrb.eq(x.wstrb) & io.m_axi.wlast.eq(x.wlast);
        m.assert(!goes | (same & io.m_axi.wvalid & io.m_axi.wready), "a beat goes to the bus, unchanged");
        sent = sent | goes;
    }
    m.assert((io.m_axi.wvalid & io.m_axi.wready).eq(sent), "no beat is invented");

    m.section("one burst, whichever it is: its data come in its place");
    let granted = [0, 1].map(|i| io.s_axi[i].request().transfer());
    let any = granted[0] | granted[1];
    let ends = io.m_axi.wvalid & io.m_axi.wready & io.m_axi.wlast;
    let behind = m.reg_reset(bits(5), 0).comment("bursts that were taken and whose data are not all sent");
    behind.set(behind + any.zext(5) - ends.zext(5));
    m.assert(!ends | behind.any(), "no data come before their request is taken");
    let [seen, waits, master] = [0, 1, 2].map(|_| m.reg_reset(bits(1), 0));
    let ahead = m.reg(bits(5));
    let begins = any & !seen & m.anyseq(1);
    let now = waits & !ahead.any();
    m.when(begins, || {
        seen.set(true);
        master.set(granted[1]);
        ahead.set(behind - ends.zext(5));
    })
    .elsewhen(waits & ends, || ahead.set(ahead - 1));
    waits.set(begins | (waits & !(now & ends)));
    let goes = [0, 1].map(|i| io.s_axi[i].wvalid & io.s_axi[i].wready);
    m.assert(!now | !master.mux(goes[0], goes[1]), "data follow in the order of the requests");
    m.cover(now & ahead.eq(0) & master & goes[1] & behind.gt(1), "data of one burst, while another one waits");
    Ok(m.finish(io)?.erase())
}

pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let proof = |name: &str, part: &str, design, engine, cover_depth| Proof {
        name: name.into(),
        part: part.into(),
        design,
        engine,
        cover_depth,
    };
    let (wide, word) = (mover(64), mover(4));
    let legal_wide = legal_proof("prove_splitter_512", wide)?;
    let legal_word = legal_proof("prove_splitter_32", word)?;
    // 12 cycles: a command of any length and all of its bursts, or two short ones
    let covers = covers_proof("prove_splitter_covers", wide)?;
    Ok(vec![
        proof("burst_splitter_512", "burst splitter, 512 bits", legal_wide, Engine::Pdr, 12),
        proof("burst_splitter_32", "burst splitter, 32 bits", legal_word, Engine::Pdr, 12),
        proof("burst_bytes", "bytes of bursts, 512 bits", covers, Engine::Bounded(12), 12),
        proof("axi_read_arbiter", "read arbiter, 2 masters", read_arbiter_proof()?, Engine::Pdr, 12),
        proof("axi_write_arbiter", "write arbiter, 2 masters", write_arbiter_proof()?, Engine::Bounded(14), 14),
    ])
}
