//! A decoder layer of one decode iteration: its kernels, the parts of them on each side, and what is copied between the sides.

use super::choices::Choices;
use super::events::{Graph, Resource};
use super::kernel::{Machine, Work, copy_time};
use driver::shape::{Shape, Sublayer};
use driver::solver::Mapping;

/// Element operations of the vector units for each score of a softmax: maximum, exponential, sum, division.
const SOFTMAX: u64 = 4;
/// For each element of layer normalization and residual: addition, mean, variance, scaling.
const NORM: u64 = 4;

/// A batch in one iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The decoder.
    pub shape: Shape,
    /// Requests.
    pub requests: u64,
    /// Tokens of all requests together.
    pub tokens: u64,
}

/// The kernels of a layer, in their order; after each there is a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Queries, keys and values; writes the new keys and values.
    Qkv,
    /// Scores, softmax and weighted values of all heads of a side in one fused kernel.
    Attention,
    /// The projection behind attention.
    Projection,
    /// Residual and layer normalization, by each side for itself.
    NormBefore,
    /// The feed-forward network's first matrix, or first two, with activation.
    Up,
    /// Its last matrix.
    Down,
    /// Residual and layer normalization.
    NormAfter,
}

impl Stage {
    /// All of them in order.
    pub const ALL: [Stage; 7] =
        [Stage::Qkv, Stage::Attention, Stage::Projection, Stage::NormBefore, Stage::Up, Stage::Down, Stage::NormAfter];

    /// The sublayer whose mapping splits the kernel; `None` if each side does all of it.
    pub fn sublayer(self) -> Option<Sublayer> {
        match self {
            Stage::Qkv => Some(Sublayer::QkvLinear),
            Stage::Attention => Some(Sublayer::Attention),
            Stage::Projection | Stage::Up | Stage::Down => Some(Sublayer::Fc),
            Stage::NormBefore | Stage::NormAfter => None,
        }
    }
}

impl Batch {
    /// What so many parts of a kernel are, in one layer.
    pub fn work(&self, stage: Stage, parts: u64, choices: &Choices) -> Work {
        let Batch { shape: s, requests, tokens } = self;
        if parts == 0 && stage.sublayer().is_some() {
            return Work::default();
        }
        let matrix = |weights: u64| Work { read: weights, batch: *requests, ..Work::default() };
        let columns = |rows: u64, columns: u64| matrix(rows * (columns / s.heads) * parts);
        let work = match stage {
            Stage::Qkv => {
                let written = 2 * s.head * parts * requests;
                Work { written, ..matrix((s.group() + 2) * s.head * s.hidden * parts) }
            }
            Stage::Attention => {
                let (read, heads) = (2 * s.head * parts * tokens, s.group() * parts);
                Work { read, dot: read * s.group(), vector: SOFTMAX * heads * tokens, ..Work::default() }
            }
            Stage::Projection => columns(s.heads * s.head, s.hidden),
            Stage::Up => {
                let ups = s.feed_forward_matrices - 1;
                Work {
                    vector: ups * requests * (s.feed_forward / s.heads) * parts,
                    ..columns(ups * s.hidden, s.feed_forward)
                }
            }
            Stage::Down => columns(s.feed_forward, s.hidden),
            Stage::NormBefore | Stage::NormAfter => Work { vector: NORM * requests * s.hidden, ..Work::default() },
        };
        let visited =
            if stage == Stage::Attention && choices.pages_of_all_layers { work.read * s.layers } else { work.read };
        Work { pages: Work::pages_of(visited), ..work }
    }
    /// Bytes that are copied from the fast to the large side and back behind a kernel: whatever one side computed and the other needs.
    pub fn copies(&self, stage: Stage, mapping: Mapping) -> (u64, u64) {
        let Batch { shape: s, requests, .. } = self;
        let Mapping([attention, qkv, fc]) = mapping;
        // activation matrices are fully copied into both memories (section 3.1)
        let both = |bytes: u64, n: u64, parts: u64| (bytes * requests * n, bytes * requests * (parts - n));
        match stage {
            Stage::Qkv => {
                let head = (s.group() + 2) * s.head * requests;
                (head * qkv.saturating_sub(attention), head * attention.saturating_sub(qkv))
            }
            Stage::Attention => both(s.group() * s.head, attention, s.kv_heads),
            Stage::Projection | Stage::Down => both(s.hidden / s.heads, fc, s.heads),
            Stage::Up => both(s.feed_forward / s.heads, fc, s.heads),
            Stage::NormBefore | Stage::NormAfter => (0, 0),
        }
    }
    /// How many parts of a kernel are on the fast side, and on the large side.
    pub fn split(&self, stage: Stage, mapping: Mapping) -> (u64, u64) {
        match stage.sublayer() {
            None => (1, 1),
            Some(sublayer) => {
                let fast = mapping.0[sublayer as usize];
                (fast, self.shape.parts(sublayer) - fast)
            }
        }
    }
}

/// The asymmetric system.
#[derive(Clone, Debug)]
pub struct Asymmetric<'a> {
    /// What is open in the text.
    pub choices: &'a Choices,
    /// The fast side.
    pub fast: Machine,
    /// The large side.
    pub large: Machine,
}

impl<'a> Asymmetric<'a> {
    /// With address translation, or without its costs.
    pub fn new(choices: &'a Choices, translation: bool) -> Self {
        let (fast, large) = (Machine::fast(choices, translation), Machine::large(choices, translation));
        Asymmetric { choices, fast, large }
    }
    /// Durations of a stage: both sides' kernels, the copies to the large and to the fast side.
    fn durations(&self, batch: &Batch, stage: Stage, mapping: Mapping) -> [u64; 4] {
        let (fast, large) = batch.split(stage, mapping);
        let (to_large, to_fast) = batch.copies(stage, mapping);
        let link = self.choices.hardware.link_bandwidth;
        [
            self.fast.time(&batch.work(stage, fast, self.choices)),
            self.large.time(&batch.work(stage, large, self.choices)),
            copy_time(to_large, &self.fast.side, link),
            copy_time(to_fast, &self.large.side, link),
        ]
    }
    /// A stage between two barriers; a copy begins when its kernel has ended, and the link carries one at a time.
    pub fn stage_time(&self, batch: &Batch, stage: Stage, mapping: Mapping) -> u64 {
        let [fast, large, to_large, to_fast] = self.durations(batch, stage, mapping);
        let ((first, copy), (second, other)) =
            if fast <= large { ((fast, to_large), (large, to_fast)) } else { ((large, to_fast), (fast, to_large)) };
        second.max(first + copy) + other
    }
    /// One layer as events.
    pub fn graph(&self, batch: &Batch, mapping: Mapping) -> Graph {
        let mut graph = Graph::default();
        let mut barrier: Vec<usize> = vec![];
        for stage in Stage::ALL {
            let [fast, large, to_large, to_fast] = self.durations(batch, stage, mapping);
            let fast = graph.add(Resource::Fast, fast, &barrier);
            let large = graph.add(Resource::Large, large, &barrier);
            let to_large = graph.add(Resource::Link, to_large, &[fast]);
            let to_fast = graph.add(Resource::Link, to_fast, &[large]);
            barrier = vec![fast, large, to_large, to_fast];
        }
        graph
    }
    /// An iteration: all layers are alike and follow each other.
    pub fn time(&self, batch: &Batch, mapping: Mapping) -> u64 {
        self.graph(batch, mapping).end() * batch.shape.layers
    }
}
