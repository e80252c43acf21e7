//! A reader of AXI4: an address and a length in, data out. Several bursts are under way, and none crosses 4 KiB.

use hdl::bus::{Beat, Bench, Stalls, seed};
use hdl::logic::UpDown;
use hdl::{sim::Simulator, *};

#[derive(Clone, Copy, Bundle)]
struct Command {
    /// Of bytes; a multiple of 4.
    address: Signal,
    /// Words of 4 bytes; at least 1.
    words: Signal,
}

#[derive(Clone, Copy, Bundle)]
struct Burst {
    addr: Signal,
    /// Words, less 1.
    len: Signal,
}

#[derive(Clone, Copy, Bundle)]
struct Word {
    data: Signal,
    error: Signal,
    last: Signal,
}

ports! {
    struct ReaderPorts() {
        input command: Stream<Command> = stream(Command { address: bits(32), words: bits(16) }),
        output ar: Stream<Burst> = stream(Burst { addr: bits(32), len: bits(8) }),
        input r: Stream<Word> = stream(Word { data: bits(32), error: bits(1), last: bits(1) }),
        /// `last` at the end of the command.
        output data: Stream<Word> = stream(Word { data: bits(32), error: bits(1), last: bits(1) }),
    }
}

/// At most `outstanding` bursts of at most 16 words.
#[module]
fn axi_reader(outstanding: usize) -> Result<Design<ReaderPorts>, Errors> {
    let m = Module::new("axi_reader");
    let io = ReaderPorts::new(m);
    let next = m.reg_reset(io.command.payload.shape(), 0); // what is still to be asked for

    m.section("bursts");
    let to_border = (m.lit(1024u32, 11) - next.address.bits(11, 2).zext(11)).zext(16);
    let room = to_border.lt(16).mux(to_border, 16);
    let last = next.words.le(room);
    let words = last.mux(next.words, room);
    let in_flight = UpDown::new(m, outstanding as u32);
    io.ar.valid.set(next.words.ne(0) & !in_flight.is_full());
    io.ar.payload.set(Burst { addr: next.address, len: (words - 1).trunc(8) });
    io.command.ready.set(next.words.eq(0));
    m.when(io.ar.transfer(), || {
        next.set(Command { address: next.address + (words << 2).zext(32), words: next.words - words })
    });
    m.when(io.command.transfer(), || next.set(io.command.payload));

    m.section("data: of each burst that is under way, is it the last one of its command?");
    let ends = m.memory(bits(1), outstanding);
    let [head, tail] = [(); 2].map(|_| m.reg_reset(bits(clog2(outstanding)), 0));
    let after = |at: Signal| at.eq(outstanding - 1).mux(at.zeros(at.width()), at + 1);
    let done = io.r.transfer() & io.r.payload.last;
    ends.write(tail, last, io.ar.transfer());
    m.when(io.ar.transfer(), || tail.set(after(tail)));
    m.when(done, || head.set(after(head)));
    in_flight.count(io.ar.transfer(), done);
    let end = io.r.payload.last & ends.read(head);
    io.data.set(io.r.with(Word { last: end, ..io.r.payload }));
    m.finish(io)
}

#[test]
fn reads_every_word_once() -> Result<(), Box<dyn std::error::Error>> {
    for outstanding in [1, 3, 4] {
        let design = axi_reader(outstanding)?;
        let mut sim = Simulator::new(&design);
        let (mut bench, io) = (Bench::new(&mut sim, seed(7)), design.ports);
        let command = bench.source(&design, &io.command, Stalls::Never);
        let ar = bench.sink(&design, &io.ar, Stalls::Percent(30));
        let r = bench.source(&design, &io.r, Stalls::Percent(50));
        let data = bench.sink(&design, &io.data, Stalls::Runs(9));
        bench.reset()?;
        let commands = [[0, 1], [4092, 2], [0x1_0f80, 200], [0x7fc4, 20]];
        let word = |address, last: bool| Beat::from([address, 0, last.into()]); // its address is its data
        let all = commands.iter().flat_map(|[from, n]| (1..=*n).map(move |i| word(from + 4 * i - 4, i == *n)));
        let all: Vec<Beat> = all.collect();
        bench.send(command, commands);
        let (mut ends, mut most) = (vec![], 0);
        while bench.beats(data).len() < all.len() && bench.cycle() < 10_000 {
            bench.step()?;
            let asked = bench.beats(ar)[ends.len()..].to_vec();
            for burst in asked {
                let (from, n) = (burst.field(0), burst.field(1) + 1);
                assert!(n <= 16 && from / 4096 == (from + 4 * n - 1) / 4096, "{burst:?}");
                bench.send(r, (1..=n).map(|i| word(from + 4 * i - 4, i == n)));
                ends.push(ends.last().unwrap_or(&0) + n as usize);
            }
            most = most.max(ends.iter().filter(|end| **end > bench.sent_at(r).len()).count());
        }
        assert_eq!(bench.beats(data), all);
        assert_eq!(most, outstanding);
    }
    Ok(())
}
