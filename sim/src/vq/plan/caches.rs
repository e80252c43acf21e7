//! What else could look up the entries of books: other copies, banks, registers, memory. None of these has a matrix-vector unit behind it that can be
//! generated, so they are estimates, shown beside the plan; rates and shares are those that were measured (docs/vq.md, docs/qor.json), also where another book or number of lanes would have others.

use super::area::{self, Area, logic, memory, wide};
use super::cost::Cost;
use super::cycles::{self, Lookups};
use super::machine::{Machine, Way};
use super::task::{Attention, Matrix, Task};
use crate::golden::vq::Algorithm;
use hw::vq::cache_types::WORD_NUMBERS;
use hw::vq::matrix_vector::MatrixParams;

/// A cache of a book, other than the one that is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    /// A copy for each lane, so that a port is left for a load.
    CopyALane,
    /// A copy for two lanes, which take both ports: the next book waits for the last lookup.
    CopyForTwo,
    /// Four banks of two ports for four lanes, of several units too.
    Banks,
    /// The first 32 entries of each lane in registers, beside what is built.
    Registers,
    /// So many of the first entries in block RAM as now, the others in memory.
    Tier(u32),
}

/// Cycles of 1,000 beats with banks: `vq_banked_cache_aqlm3` gets 0.9948 on the indices of a model.
const BEATS_OF_BANKS: u64 = 1005;
/// LUT sites of `vq_banked_cache_aqlm3`, of four lanes with entries of 128 bits; others are taken to be in proportion to the bits.
const LUT4_OF_BANKS: u32 = 3984;
/// Entries in registers.
const REGISTERS: u32 = 32;

/// Of 1,000 lookups those that the first entries do not have: the means of docs/vq.md.
pub const COLD: [(Algorithm, u32, u64); 6] = [
    (Algorithm::Cq4, 128, 297),
    (Algorithm::Cq2, 128, 325),
    (Algorithm::Gptvq2, 128, 262),
    (Algorithm::Aqlm3, 512, 772),
    (Algorithm::Aqlm3, 1024, 596),
    (Algorithm::Aqlm3, 2048, 312),
];

impl Cache {
    /// As in a table.
    pub fn name(self) -> String {
        match self {
            Cache::CopyALane => "a copy a lane".into(),
            Cache::CopyForTwo => "a copy for two lanes".into(),
            Cache::Banks => "four banks for four lanes".into(),
            Cache::Registers => format!("{REGISTERS} entries in registers"),
            Cache::Tier(shared) => format!("{shared} entries near, others from memory"),
        }
    }
    /// What lookups take.
    pub fn lookups(self, algorithm: Algorithm) -> Lookups {
        let usual = Lookups::EACH_CYCLE;
        match self {
            Cache::CopyALane | Cache::Registers => usual,
            Cache::CopyForTwo => Lookups { loads_wait: true, ..usual },
            Cache::Banks => Lookups { beats_of_1000: BEATS_OF_BANKS, loads_wait: true, ..usual },
            Cache::Tier(shared) => {
                let known = COLD.into_iter().find(|(of, first, _)| (*of, *first) == (algorithm, shared));
                Lookups { cold_of_1000: known.map_or(1000, |(_, _, cold)| cold), ..usual }
            }
        }
    }
    /// Block RAM and LUT4 in the place of what is built, of all units.
    fn area(self, p: MatrixParams, residuals: u32, units: u32) -> Area {
        let (entries, vector) = area::entries(p);
        let lanes = p.lanes / residuals;
        let ram = |dp16kd: u32| Area { lut4: 0, dp16kd, dsp: 0 };
        let control = logic(area::cache_sites(vector, p.lanes));
        // the built ones have both books of a tile, but for those of residuals, whose matrix has no other tile
        let near = |entries: u32| match residuals {
            1 => p.lanes * wide(16 * vector, 2 * entries * area::group_beats(p)),
            _ => residuals * lanes.div_ceil(2) * vector * memory(16, entries),
        };
        match self {
            Cache::CopyALane => (control + ram(p.lanes * wide(16 * vector, entries))) * units,
            Cache::CopyForTwo => (control + ram(lanes.div_ceil(2) * vector * memory(16, entries))) * units,
            Cache::Banks => {
                let sets = residuals * (units * lanes).div_ceil(4);
                banks(entries, vector) * sets
            }
            // a choice of 32 takes 16 LUT4 a bit
            Cache::Registers => (control + ram(near(entries)) + logic(p.lanes * 16 * vector * REGISTERS / 2)) * units,
            // a cache for each residual
            Cache::Tier(shared) => (logic(residuals * area::tier_sites(vector, lanes)) + ram(near(shared))) * units,
        }
    }
}

/// Four banks of two ports for four lanes: LUT4 as measured with AQLM-3's vectors of 8, others taken to be in proportion.
pub(super) fn banks(entries: u32, vector: u32) -> Area {
    let bank = Area { lut4: 0, dp16kd: vector * memory(16, entries / 4), dsp: 0 };
    logic(LUT4_OF_BANKS * vector / 8) + bank * 4
}

/// The caches that an algorithm's books could be in. Lanes of CQ look up in books of their own: they have nothing to share.
fn all(algorithm: Algorithm) -> &'static [Cache] {
    match algorithm {
        Algorithm::Cq4 | Algorithm::Cq2 => &[Cache::Tier(128)],
        Algorithm::Gptvq2 => &[Cache::CopyForTwo, Cache::Banks, Cache::Registers, Cache::Tier(128)],
        Algorithm::Aqlm3 => {
            &[Cache::CopyALane, Cache::Banks, Cache::Registers, Cache::Tier(2048), Cache::Tier(1024), Cache::Tier(512)]
        }
        Algorithm::QuipSharp4 => &[],
    }
}

/// What the machine, which multiplies, would cost with each other cache; none where entries are not looked up.
pub fn other_caches(task: &Task, machine: &Machine) -> Vec<(Cache, Cost)> {
    let (algorithm, p, built) = match *task {
        _ if machine.way == Way::Table => return vec![],
        Task::Attention(a) => (a.algorithm, Some(machine.multiplied_scores(a)), super::cost::cost(task, machine)),
        Task::Matrix(m) => (m.algorithm, machine.matrix_vector(m), super::cost::cost(task, machine)),
    };
    let Some(p) = p else { return vec![] };
    let (residuals, units) = (algorithm.scheme().residuals as u32, machine.units as u32);
    let cost = |&cache: &Cache| {
        let lookups = cache.lookups(algorithm);
        let area = built.area.without(area::lookup(p) * units) + cache.area(p, residuals, units);
        let cycles = match *task {
            Task::Attention(a) => attention(a, machine, lookups),
            Task::Matrix(m) => cycles::matrix_with(m, machine, lookups),
        };
        let mut bytes = built.bytes;
        // a lookup in memory brings whole words
        let words = (2 * algorithm.scheme().vector).div_ceil(2 * WORD_NUMBERS as usize);
        bytes.books += cold(task, machine, lookups) * words * 8;
        (cache, Cost { area, cycles, bytes, estimate: true })
    };
    all(algorithm).iter().map(cost).collect()
}

/// Lookups in memory.
fn cold(task: &Task, machine: &Machine, lookups: Lookups) -> usize {
    let all = match *task {
        Task::Attention(a) => 2 * a.heads * a.batch * a.queries.div_ceil(machine.queries) * a.tokens * a.positions(),
        Task::Matrix(Matrix { rows, cols, batch, .. }) => {
            let scheme = task.algorithm().scheme();
            batch.div_ceil(machine.queries) * rows * cols / scheme.vector * scheme.residuals
        }
    };
    lookups.cold(all as u64) as usize
}

fn attention(a: Attention, machine: &Machine, lookups: Lookups) -> u64 {
    let lookups_in_memory = cold(&Task::Attention(a), machine, lookups) as u64;
    let words = a.algorithm.scheme().vector.div_ceil(4);
    let beats = (2 * a.heads * a.batch * a.queries.div_ceil(machine.queries) * a.tokens * a.positions()) as u64
        / machine.lanes as u64;
    cycles::attention_by_multiplication(a, machine, true) - beats
        + beats.max(Lookups::memory_cycles(lookups_in_memory, words as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vq::plan::{Store, cost};
    use hw::vq::matrix_vector::overhead;

    fn machine(store: Store, lanes: usize, units: usize) -> Machine {
        Machine { way: Way::Multiply, store, units, lanes, queries: 1, together: units, split: 1 }
    }

    fn with(task: &Task, machine: &Machine, cache: Cache) -> Cost {
        other_caches(task, machine).into_iter().find(|(of, _)| *of == cache).unwrap().1
    }

    /// Two tiles of 256 x 256: books of 257 words and three cycles more, 2,048 beats of eight lookups, each a word of the same bus.
    #[test]
    fn books_of_256_entries_by_hand() {
        let m = Matrix { algorithm: Algorithm::Gptvq2, rows: 256, cols: 512, batch: 1 };
        let (task, machine) = (Task::Matrix(m), machine(Store::Copies, 8, 1));
        let (built, besides) = (cost(&task, &machine), u64::from(overhead(machine.matrix_vector(m).unwrap())));
        assert_eq!(built.cycles, 260 + (2048 + 257) + 2048 + besides);
        let pairs = with(&task, &machine, Cache::CopyForTwo);
        assert_eq!((pairs.cycles, pairs.area), (2 * (260 + 2048) + besides, built.area));
        let banks = with(&task, &machine, Cache::Banks);
        // 2,058.24 cycles a tile; two sets of four banks, four memories of two ports each
        assert_eq!(banks.cycles, 2 * (260 + 2059) + besides);
        assert_eq!(banks.area.dp16kd, built.area.dp16kd + 16);
        let registers = with(&task, &machine, Cache::Registers);
        assert_eq!((registers.cycles, registers.area.lut4), (built.cycles, built.area.lut4 + 8 * 64 * 16));
        // 262 of 1,000 lookups are cold: 4,292 in a tile, 16 in 44 cycles
        let memory = with(&task, &machine, Cache::Tier(128));
        assert_eq!(memory.cycles, 260 + 2 * 11_803 + besides);
        // 256 words of 64 bits take as many DP16KD as 512; what waits for memory is besides
        assert_eq!((memory.area.dp16kd, memory.area.lut4), (built.area.dp16kd, built.area.lut4 + 1630));
    }

    /// Two units, each with both books in 64 DP16KD: four banks serve both.
    #[test]
    fn banks_are_for_deep_books() {
        let task = Task::Matrix(Matrix { algorithm: Algorithm::Aqlm3, rows: 4096, cols: 4096, batch: 1 });
        let machine = machine(Store::Pairs, 4, 2);
        let built = cost(&task, &machine);
        let banks = with(&task, &machine, Cache::Banks);
        assert_eq!(banks.area.dp16kd, built.area.dp16kd - 64);
        let slower = banks.cycles as f64 / built.cycles as f64;
        assert!((1.004..1.006).contains(&slower), "{slower}");
        // a port of a memory of 512 x 36 looks up, so each lane has a copy: 32 for each of two lanes, books and units
        assert_eq!(with(&task, &machine, Cache::CopyALane).area.dp16kd, built.area.dp16kd + 128);
        let memory = with(&task, &machine, Cache::Tier(1024));
        // a quarter of the entries
        assert_eq!(memory.area.dp16kd, built.area.dp16kd - 96);
        assert!(memory.cycles > 2 * built.cycles && memory.estimate);
    }

    /// The largest tasks that are legal: nothing overflows.
    #[test]
    fn the_largest_tasks() {
        let a =
            |algorithm, head| Attention { algorithm, tokens: 1 << 20, head, heads: 1024, queries: 1024, batch: 1024 };
        for task in [a(Algorithm::Cq4, 256), a(Algorithm::Cq2, 512)].map(Task::Attention) {
            task.check().expect("legal");
            let machine = Machine { queries: 1, ..machine(Store::Copies, 8, 1) };
            let all = 2.0 * f64::from(1u32 << 30) * f64::from(1u32 << 20) * 128.0;
            for (_, cost) in other_caches(&task, &machine) {
                assert!(cost.cycles as f64 > 0.29 * all * 44.0 / 16.0, "{cost:?}");
            }
        }
    }

    /// The shares are those of docs/vq.md: columns are the first 16, 32, an eighth, a quarter and half of the entries.
    #[test]
    fn cold_lookups_are_those_that_were_measured() {
        let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/vq.md")).unwrap();
        for (algorithm, first, cold) in COLD {
            let entries = algorithm.scheme().max_entries() as u32;
            let column = 8 - (entries / first).ilog2() as usize;
            let (of, end) = (format!("| {algorithm} | "), format!("% | {entries} |"));
            let (tensor, count) = match algorithm {
                Algorithm::Aqlm3 | Algorithm::Gptvq2 => ("weight", 2),
                _ => ("layer", 4),
            };
            let rows =
                page.lines().filter(|line| line.starts_with(&of) && line.ends_with(&end) && line.contains(tensor));
            let share = |line: &str| {
                let cell = line.split('|').nth(column).unwrap();
                cell.trim().trim_end_matches(" %").parse::<f64>().unwrap()
            };
            let shares: Vec<f64> = rows.map(share).collect();
            assert_eq!(shares.len(), count, "{algorithm}: {shares:?}");
            let measured = 1000.0 - 10.0 * shares.iter().sum::<f64>() / count as f64;
            assert!((measured - cold as f64).abs() <= 1.0, "{algorithm}, first {first}: {measured}, not {cold}");
        }
    }
}
