use super::{SdramParams, SdramPorts, SdramTimes, sdram};
use ::sim::bus::sdram::{Sdram, SdramShape, SdramTimes as ChipTimes};
use ::sim::sdram_bench::{Burst, MasterStalls, SdramBench};
use fastrand::Rng;
use hdl::Design;
use hdl::bus::{Stalls, seed};
use hdl::engine::Engine;

/// IS42S16160G-7 at 75 MHz, and M12L64322A-6 at 100 MHz with registers in front of its data and IDs; the pause is short.
pub const PARAMS: [SdramParams; 3] = [
    SdramParams {
        clock_hertz: 75_000_000,
        data_bits: 16,
        row_bits: 13,
        column_bits: 9,
        bank_bits: 2,
        mask: true,
        cas_latency: 2,
        read_delay: 0,
        read_id_bits: 0,
        write_id_bits: 0,
        times: SdramTimes {
            t_rcd: 15,
            t_rp: 15,
            t_ras: 42,
            t_rc: 60,
            t_rrd: 14,
            t_wr: 2,
            t_mrd: 2,
            t_refi: 7812,
            pause: 2,
        },
    },
    SdramParams {
        clock_hertz: 100_000_000,
        data_bits: 32,
        row_bits: 11,
        column_bits: 8,
        bank_bits: 2,
        mask: false,
        cas_latency: 3,
        read_delay: 1,
        read_id_bits: 3,
        write_id_bits: 1,
        times: SdramTimes {
            t_rcd: 18,
            t_rp: 18,
            t_ras: 42,
            t_rc: 60,
            t_rrd: 12,
            t_wr: 2,
            t_mrd: 2,
            t_refi: 15625,
            pause: 2,
        },
    },
    // slow: every time is a cycle
    SdramParams {
        clock_hertz: 10_000_000,
        data_bits: 32,
        row_bits: 12,
        column_bits: 10,
        bank_bits: 1,
        mask: true,
        cas_latency: 2,
        read_delay: 0,
        read_id_bits: 0,
        write_id_bits: 4,
        times: SdramTimes {
            t_rcd: 15,
            t_rp: 15,
            t_ras: 42,
            t_rc: 60,
            t_rrd: 14,
            t_wr: 1,
            t_mrd: 1,
            t_refi: 7812,
            pause: 2,
        },
    },
];

/// Their chips, by hand: times in cycles of 13.3, 10 and 100 ns.
fn chip(i: usize) -> Sdram {
    let p = PARAMS[i];
    let shape = SdramShape {
        word_bytes: p.data_bits / 8,
        row_bits: p.row_bits,
        column_bits: p.column_bits,
        bank_bits: p.bank_bits,
    };
    let [rcd, rp, ras, rc, rrd, wr, mrd, interval, pause] =
        [[2, 2, 4, 5, 2, 2, 2, 585, 150], [2, 2, 5, 6, 2, 2, 2, 1562, 200], [1, 1, 1, 1, 1, 1, 1, 78, 20]][i];
    let times = ChipTimes {
        cas_latency: p.cas_latency.into(),
        t_rcd: rcd,
        t_rp: rp,
        t_ras: ras,
        t_rc: rc,
        t_rrd: rrd,
        t_wr: wr,
        t_mrd: mrd,
        refresh_interval: interval,
        init_pause: pause,
        init_refreshes: 8,
    };
    Sdram::new(shape, times, 7)
}

fn rig<'e>(
    (i, design): (usize, &Design<SdramPorts>),
    engine: &'e mut dyn Engine,
    chip: Sdram,
    settings: (MasterStalls, usize, u64),
) -> SdramBench<'e> {
    let io = &design.ports;
    let mut rig = SdramBench::new(engine, design, (&io.s_axi, &io.sdram), (chip, PARAMS[i].read_delay), settings);
    rig.reset().unwrap();
    rig
}

const FAST: MasterStalls = [Stalls::Never; 3];

/// Reads and writes of all kinds, with stalls, many of them in few rows of few banks.
#[test]
fn answers_as_a_memory() {
    for (i, p) in PARAMS.into_iter().enumerate() {
        let design = sdram("sdram", p).unwrap();
        let mut engine = jit::simulator(&design);
        for (round, stalls) in [FAST, [Stalls::Percent(40); 3], [Stalls::Runs(30); 3]].into_iter().enumerate() {
            let seed = seed(10 * i as u64 + round as u64);
            let mut rng = Rng::with_seed(seed);
            let mut rig = rig((i, &design), &mut engine, chip(i), (stalls, 1 + 3 * round, seed));
            let bits = p.address_bits();
            (0..400).for_each(|_| rig.send(Burst::random(&mut rng, bits)));
            rig.finish().unwrap_or_else(|e| panic!("chip {i}, seed {seed}: {e}"));
            println!("commands by code: {:?}", rig.chip.counts);
        }
    }
}

/// A write whose data do not come stops no read.
#[test]
fn a_write_without_data_stops_no_read() {
    let design = sdram("sdram", PARAMS[0]).unwrap();
    let mut engine = jit::simulator(&design);
    let stalls = [Stalls::Never, Stalls::Always, Stalls::Never];
    let mut rig = rig((0, &design), &mut engine, chip(0), (stalls, 4, 1));
    rig.send(Burst::write(&mut Rng::with_seed(seed(1)), 0, 4));
    (0..10).for_each(|n| rig.send(Burst::read(4096 * (n + 1), 8)));
    (0..3000).for_each(|_| rig.step().unwrap());
    assert_eq!(rig.answered_at().map(<[u64]>::len), [80, 0]);
}

/// As many bursts as there is room for wait for a master that takes nothing, each with its ID.
#[test]
fn reads_wait_with_their_ids() {
    let i = 1; // with IDs
    let design = sdram("sdram", PARAMS[i]).unwrap();
    let mut engine = jit::simulator(&design);
    let stalls = [Stalls::Never, Stalls::Never, Stalls::Runs(400)];
    let mut rig = rig((i, &design), &mut engine, chip(i), (stalls, 24, seed(1)));
    (0..200).for_each(|n| rig.send(Burst::read(64 * n, 1)));
    rig.finish().unwrap();
}

/// Behind a reset in any cycle the chip is initialised anew, and all is right.
#[test]
fn reset_in_any_cycle() {
    for (i, p) in PARAMS.into_iter().enumerate() {
        let design = sdram("sdram", p).unwrap();
        let mut engine = jit::simulator(&design);
        let mut kept = chip(i);
        for round in 0..150 {
            let mut rng = Rng::with_seed(seed(round));
            let mut rig = rig((i, &design), &mut engine, kept, (FAST, 4, round));
            let bits = p.address_bits();
            (0..8).for_each(|_| rig.send(Burst::random(&mut rng, bits)));
            if round % 3 == 0 {
                rig.finish().unwrap_or_else(|e| panic!("chip {i}, round {round}: {e}"));
            } else {
                // the first rounds in the initialisation
                let cycles = if round < 30 { rng.u64(0..300) } else { 250 + round };
                (0..cycles).for_each(|_| rig.step().unwrap_or_else(|e| panic!("chip {i}, round {round}: {e}")));
            }
            kept = rig.into_chip();
        }
    }
}

/// A bench without stalls, whose chip is initialised; what `f` does with it.
fn run<T>(i: usize, f: impl FnOnce(&mut SdramBench) -> T) -> T {
    let design = sdram("sdram", PARAMS[i]).unwrap();
    let mut engine = jit::simulator(&design);
    let mut rig = rig((i, &design), &mut engine, chip(i), (FAST, 8, 1));
    rig.start().unwrap();
    f(&mut rig)
}

/// A long read has a beat in every slot, within rows and from row to row. Refreshes alone interrupt, each for the same time: all banks are precharged
/// when the last word is read, tRP, the refresh, tRC, the row, tRCD.
#[test]
fn long_reads() {
    for (i, gap) in [13, 12, 5].into_iter().enumerate() {
        run(i, |rig| {
            (0..32).for_each(|n| rig.send(Burst::read(2048 * n, 256)));
            let before = rig.chip.counts[1];
            rig.finish().unwrap();
            let slot = u64::from(PARAMS[i].burst());
            let gaps = rig.answered_at()[0].windows(2).map(|pair| pair[1] - pair[0]);
            let longer: Vec<u64> = gaps.filter(|gap| *gap != slot).collect();
            assert!(longer.iter().all(|longer| *longer == gap), "chip {i}: {longer:?}");
            assert_eq!(longer.len() as u64, rig.chip.counts[1] - before, "chip {i}: one for each refresh");
        });
    }
}

/// From a read that is taken to its first data, when nothing else is done: no row is open, its row is, another one of its bank is.
#[test]
fn latencies() {
    for (i, p) in PARAMS.into_iter().enumerate() {
        run(i, |rig| {
            let row = 1 << (p.address_bits() - p.row_bits);
            for address in [64, 64, 64 + row] {
                (0..10).for_each(|_| rig.step().unwrap());
                rig.send(Burst::read(address, 1));
                rig.finish().unwrap();
            }
            let cycles: Vec<u64> =
                rig.answered_at()[0].iter().zip(rig.reads_taken_at()).map(|(given, taken)| given - taken).collect();
            let wanted = [p.latency_of_a_closed_row(), p.latency(), p.latency_of_another_row()].map(u64::from);
            assert_eq!(cycles, wanted, "chip {i}");
        });
    }
}

/// Bytes a cycle of so many bursts, from the first request to the last answer, with all refreshes.
fn rate(i: usize, n: u64, f: impl Fn(u64, &mut Rng) -> Burst) -> f64 {
    run(i, |rig| {
        let mut rng = Rng::with_seed(seed(3));
        let bursts: Vec<Burst> = (0..n).map(|k| f(k, &mut rng)).collect();
        let bytes: u64 = bursts.iter().map(|burst| 8 * burst.request.beats()).sum();
        let begin = rig.bench.cycle();
        bursts.into_iter().for_each(|burst| rig.send(burst));
        rig.finish().unwrap();
        bytes as f64 / (rig.bench.cycle() - begin) as f64
    })
}

/// Long reads, long writes, both in turn; reads, writes and both in turn of 64 bytes anywhere. Rounded down.
#[test]
fn rates() {
    let wanted = [
        [1.968, 1.964, 1.963, 1.90, 1.88, 1.83],
        [3.97, 3.97, 3.95, 3.65, 3.62, 3.37],
        [3.84, 3.84, 3.82, 3.60, 3.62, 3.41],
    ];
    for (i, wanted) in wanted.into_iter().enumerate() {
        let long = |k: u64, rng: &mut Rng, write: bool| match write {
            true => Burst::write(rng, (1 << 20) + 2048 * k, 256),
            false => Burst::read(2048 * k, 256),
        };
        let bits = PARAMS[i].address_bits();
        let short = |rng: &mut Rng, write: bool| {
            let address = rng.u64(0..1 << (bits - 6)) * 64;
            if write { Burst::write(rng, address, 8) } else { Burst::read(address, 8) }
        };
        let rates = [
            rate(i, 64, |k, rng| long(k, rng, false)),
            rate(i, 64, |k, rng| long(k, rng, true)),
            rate(i, 64, |k, rng| long(k / 2, rng, k % 2 == 1)),
            rate(i, 1000, |_, rng| short(rng, false)),
            rate(i, 1000, |_, rng| short(rng, true)),
            rate(i, 1000, |k, rng| short(rng, k % 2 == 1)),
        ];
        println!("chip {i}: {rates:.3?} bytes a cycle, of {}", PARAMS[i].data_bits / 8);
        assert!(rates.iter().zip(&wanted).all(|(rate, wanted)| rate >= wanted), "chip {i}: {rates:.4?}");
    }
}

/// Those of the contract.
#[test]
fn combinational_paths() {
    let design = sdram("sdram", PARAMS[0]).unwrap();
    let paths = design.combinational_paths();
    let valids = ["s_axi_arvalid", "s_axi_awvalid"];
    let all: Vec<_> = ["s_axi_arready", "s_axi_awready"].iter().flat_map(|to| valids.map(|from| (from, *to))).collect();
    assert_eq!(paths, all);
}
