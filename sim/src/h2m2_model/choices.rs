//! What H2M2's text leaves open, and what is taken for it: once for all models, before any result was looked at.
//!
//! Each choice can be changed alone: [`alternatives`] lists how.

use driver::hardware::{H2M2, Hardware};
use driver::page::PageSize;

/// Cycles from a burst's request to its translation on a hit in the MMU of hw/src/h2m2, whose test of hits compares it.
pub const HIT_CYCLES: u64 = 5;
/// Cycles that a miss takes there besides its walk; its test of misses compares it.
pub const MISS_CYCLES: u64 = 17;
/// Picoseconds of a page-table walk: a read of memory (Table 2: 300 ns).
pub const WALK: u64 = 300_000;
/// The page size (section 4.2.1).
pub const PAGE: PageSize = PageSize::HUGE;

/// Sequence lengths of a figure, which the text does not give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// From 256, doubling, up to 2048 for GPT3 (Figure 3), and once more for each next model ("longer", sections 5.2.1 and 5.2.3).
    Doubling,
    /// The same ends in equal steps of 256.
    Even,
    /// From 256, doubling, as far as the footprint fits the memory of LPDDR only.
    UpToFull,
    /// 256 to 2048, doubling, for all models.
    Same,
}

/// What becomes of a TLB miss, each of which takes the MMU's cycles and a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walks {
    /// A core reads one page after the other: it waits for each miss. (Of the four that the MMU has under way for a requester, the other
    /// three are those of the page's next bursts, which share the walk; a test in hw/src/h2m2 measures it.)
    Serial,
    /// A core reads four pages in turn, burst by burst: four walks are under way at a time.
    Four,
    /// The next page's walk is made ahead: none is waited for.
    Ahead,
}

/// How the hierarchical system brings in what is not in its fast memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hierarchical {
    /// Fast memory keeps what it has room for; the rest of a kernel's data is copied when the kernel is to start.
    OnDemand,
    /// The same, copied while earlier kernels run.
    Ahead,
    /// Least recently used data are replaced: of what is visited in a circle and does not fit, nothing is kept.
    LeastRecent,
}

/// For which of a figure's lengths FlexGen's static mapping is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Static {
    /// The longest.
    Longest,
    /// The middle one.
    Middle,
    /// The shortest whose mapping has room at the longest too.
    Shortest,
}

/// How speedups are averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mean {
    /// Their sum over their number.
    Arithmetic,
    /// Of the times: the sum of the baseline's over the sum of the system's.
    OfTimes,
}

/// All choices.
#[derive(Clone, Debug, PartialEq)]
pub struct Choices {
    /// Tables 1 and 2; one array a core, whose next weights load while the present ones are used.
    pub hardware: Hardware,
    /// Sequence lengths.
    pub lengths: Lengths,
    /// How speedups are averaged.
    pub mean: Mean,
    /// Percent of the bandwidth of the fast and of the large memory that is reached.
    pub reached: (u64, u64),
    /// Bytes that a core loads before it begins to compute: a tile of the array.
    pub chunk: u64,
    /// Whether weights are loaded before the barrier in front of their kernel.
    pub weights_ahead: bool,
    /// TLB misses.
    pub walks: Walks,
    /// Whether a page of KV cache holds all layers (a layout that the driver offers), so that each layer visits every page.
    pub pages_of_all_layers: bool,
    /// Whether room counts in pages as the driver lays them out, instead of bytes.
    pub room_in_pages: bool,
    /// Equation 2: whether the tensors of all layers are one, instead of each layer's by itself.
    pub tensors_of_all_layers: bool,
    /// Sublayer-granular mapping: whether each decoder layer is mapped by itself.
    pub layers_differ: bool,
    /// The hierarchical system.
    pub hierarchical: Hierarchical,
    /// FlexGen's mapping.
    pub flexgen: Static,
    /// Picoseconds of an all-reduce of 8-HBM besides its data and its 14 steps through the memories.
    pub all_reduce: u64,
    /// Energy of a byte of the fast memory over that of a byte of the large one.
    pub energy: f64,
    /// The dynamic scenario: in how many iterations a request ends, on average.
    pub request_life: u32,
    /// The dynamic scenario: the longest request in tokens.
    pub request_tokens: u64,
    /// The dynamic scenario: whether H2M2 is charged for migration.
    pub migration_costs: bool,
}

impl Default for Choices {
    fn default() -> Self {
        Choices {
            hardware: H2M2,
            lengths: Lengths::Doubling,
            mean: Mean::Arithmetic,
            reached: (100, 100),
            chunk: H2M2.core.rows * H2M2.core.columns,
            weights_ahead: false,
            walks: Walks::Serial,
            pages_of_all_layers: false,
            room_in_pages: false,
            tensors_of_all_layers: false,
            layers_differ: true,
            hierarchical: Hierarchical::OnDemand,
            flexgen: Static::Longest,
            all_reduce: 0,
            energy: 1.0,
            request_life: 32,
            request_tokens: 2048,
            migration_costs: true,
        }
    }
}

/// One choice made otherwise.
pub struct Alternative {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it takes, and instead of what.
    pub text: &'static str,
    change: fn(&mut Choices),
}

impl Alternative {
    /// These choices with this one changed.
    pub fn of(&self, choices: &Choices) -> Choices {
        let mut changed = choices.clone();
        (self.change)(&mut changed);
        changed
    }
}

/// Every open choice, changed alone.
pub fn alternatives() -> &'static [Alternative] {
    ALTERNATIVES
}

macro_rules! alternatives {
    ($($name:literal, $text:literal, $change:expr;)*) => {
        const ALTERNATIVES: &[Alternative] = &[$(Alternative { name: $name, text: $text, change: $change }),*];
    };
}

alternatives! {
    "lengths-even", "lengths in steps of 256 instead of doubling", |c| c.lengths = Lengths::Even;
    "lengths-full", "lengths double as far as LPDDR alone has room", |c| c.lengths = Lengths::UpToFull;
    "lengths-same", "lengths 256 to 2048 for all models", |c| c.lengths = Lengths::Same;
    "mean-of-times", "speedup of the summed times instead of the mean speedup", |c| c.mean = Mean::OfTimes;
    "arrays-2", "2 systolic arrays a core instead of 1", |c| c.hardware.core.arrays = 2;
    "arrays-4", "4 systolic arrays a core", |c| c.hardware.core.arrays = 4;
    "arrays-8", "8 systolic arrays a core", |c| c.hardware.core.arrays = 8;
    "arrays-32", "32 systolic arrays a core, as many as the matrix-vector unit has rows", |c| c.hardware.core.arrays = 32;
    "loads-wait", "an array computes or loads weights, not both", |c| c.hardware.core.loads_overlap = false;
    "chunk-spm", "a core loads half of its scratchpad memory (16 MiB) before it computes, instead of a tile",
        |c| c.chunk = c.hardware.core.scratchpad;
    "weights-ahead", "weights are loaded before the barrier in front of their kernel", |c| c.weights_ahead = true;
    "reached-90", "90 % of both bandwidths are reached", |c| c.reached = (90, 90);
    "reached-75", "75 % of both bandwidths are reached", |c| c.reached = (75, 75);
    "reached-large-80", "80 % of the bandwidth of LPDDR alone is reached", |c| c.reached = (100, 80);
    "reached-fast-60", "60 % of the bandwidth of HBM alone is reached", |c| c.reached = (60, 100);
    "capacity-decimal", "memories of 10^9 bytes a GB instead of 2^30",
        |c| (c.hardware.fast.capacity, c.hardware.large.capacity) = (96_000_000_000, 512_000_000_000);
    "room-in-pages", "room counts in pages, a request's head in pages of its own", |c| c.room_in_pages = true;
    "walks-four", "a core reads 4 pages in turn, burst by burst, so 4 walks are under way instead of 1",
        |c| c.walks = Walks::Four;
    "walks-ahead", "the next page's walk is made ahead", |c| c.walks = Walks::Ahead;
    "pages-of-all-layers", "a page of KV cache holds all layers, so each layer visits it",
        |c| c.pages_of_all_layers = true;
    "tensors-of-all-layers", "fragmentation: a side's tensors of all layers are one", |c| c.tensors_of_all_layers = true;
    "layers-alike", "sublayer-granular: all decoder layers are mapped alike", |c| c.layers_differ = false;
    "hierarchical-ahead", "hierarchical: data come in while earlier kernels run", |c| c.hierarchical = Hierarchical::Ahead;
    "hierarchical-lru", "hierarchical: least recently used data leave", |c| c.hierarchical = Hierarchical::LeastRecent;
    "flexgen-middle", "FlexGen: mapped for the middle length instead of the longest", |c| c.flexgen = Static::Middle;
    "flexgen-shortest", "FlexGen: mapped for the shortest length that has room at the longest",
        |c| c.flexgen = Static::Shortest;
    "all-reduce-10us", "8-HBM: 10 us more an all-reduce", |c| c.all_reduce = 10_000_000;
    "all-reduce-50us", "8-HBM: 50 us more an all-reduce", |c| c.all_reduce = 50_000_000;
    "energy-hbm-131", "a byte of HBM takes 1.31 times the energy of one of LPDDR instead of the same",
        |c| c.energy = 1.31;
    "energy-hbm-54", "a byte of HBM takes 0.54 times the energy", |c| c.energy = 0.54;
    "requests-live-128", "dynamic: a request ends in 128 iterations on average instead of 32", |c| c.request_life = 128;
    "requests-1024", "dynamic: the longest request has 1024 tokens instead of 2048", |c| c.request_tokens = 1024;
    "migration-free", "dynamic: migration takes no time", |c| c.migration_costs = false;
}
