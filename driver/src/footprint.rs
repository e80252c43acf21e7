//! The footprint tracker (section 4.2.2): requests, their lengths, and the bytes that each part of a decoder takes.

use crate::hardware::Hardware;
use crate::layout::page_tokens;
use crate::page::PageSize;
use crate::shape::{Shape, ShapeError, Sublayer};
use crate::solver::{Load, Problem};
use std::collections::BTreeMap;
use thiserror::Error;

/// What tells requests apart.
pub type RequestId = u32;

/// The requests of a batch, each of its own length.
#[derive(Clone, Debug)]
pub struct Tracker {
    shape: Shape,
    /// Layers that share a page of KV cache.
    page_layers: u64,
    tokens: BTreeMap<RequestId, u64>,
    all_tokens: u64,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RequestError {
    /// It has begun.
    #[error("request {0} is under way already")]
    Known(RequestId),
    /// It has not begun, or has ended.
    #[error("request {0} is not under way")]
    Unknown(RequestId),
    /// Its tokens cannot be counted together with those of the others.
    #[error(
        "request {id} brings {tokens} tokens to the {others} of all requests; legal are at most {max} of all together"
    )]
    TooMany {
        /// The request.
        id: RequestId,
        /// The tokens that it brings.
        tokens: u64,
        /// Tokens before.
        others: u64,
        /// The most there may be.
        max: u64,
    },
}

impl Tracker {
    /// No requests yet; all layers share the pages of KV cache.
    pub fn new(shape: Shape) -> Result<Tracker, ShapeError> {
        shape.check()?;
        Ok(Tracker { shape, page_layers: shape.layers, tokens: BTreeMap::new(), all_tokens: 0 })
    }
    /// Fewer layers, at least one, share a page of KV cache.
    pub fn with_page_layers(mut self, page_layers: u64) -> Tracker {
        self.page_layers = page_layers.clamp(1, self.shape.layers);
        self
    }
    /// The decoder.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }
    /// Most tokens of all requests together: their keys and values, counted once for each query head, have fewer than 2^60 bytes.
    pub fn max_tokens(&self) -> u64 {
        ((1 << 60) - 1) / (self.shape.token_bytes() * self.shape.heads)
    }
    /// A request begins with a prompt of so many tokens.
    pub fn start(&mut self, id: RequestId, tokens: u64) -> Result<(), RequestError> {
        if self.tokens.contains_key(&id) {
            return Err(RequestError::Known(id));
        }
        self.all_tokens = self.more(id, tokens)?;
        self.tokens.insert(id, tokens);
        Ok(())
    }
    /// A request has one more token.
    pub fn grow(&mut self, id: RequestId) -> Result<(), RequestError> {
        let more = self.more(id, 1);
        let tokens = self.tokens.get_mut(&id).ok_or(RequestError::Unknown(id))?;
        self.all_tokens = more?;
        *tokens += 1;
        Ok(())
    }
    /// A request ends; returns its length in tokens.
    pub fn finish(&mut self, id: RequestId) -> Result<u64, RequestError> {
        let tokens = self.tokens.remove(&id).ok_or(RequestError::Unknown(id))?;
        self.all_tokens -= tokens;
        Ok(tokens)
    }
    /// Requests under way with their lengths in tokens.
    pub fn requests(&self) -> impl Iterator<Item = (RequestId, u64)> {
        self.tokens.iter().map(|(&id, &tokens)| (id, tokens))
    }
    /// How many requests are under way.
    pub fn batch(&self) -> u64 {
        self.tokens.len() as u64
    }
    /// Tokens of all requests together.
    pub fn all_tokens(&self) -> u64 {
        self.all_tokens
    }
    /// Tokens of all requests, with some more of one of them.
    fn more(&self, id: RequestId, tokens: u64) -> Result<u64, RequestError> {
        let (others, max) = (self.all_tokens, self.max_tokens());
        let all = others.checked_add(tokens).filter(|&all| all <= max);
        all.ok_or(RequestError::TooMany { id, tokens, others, max })
    }
    /// Bytes of one part of a sublayer, in all layers and for all requests.
    pub fn part_bytes(&self, sublayer: Sublayer) -> u64 {
        match sublayer {
            Sublayer::Attention => self.all_tokens * self.shape.token_bytes(),
            Sublayer::QkvLinear => self.shape.qkv_part_bytes(),
            Sublayer::Fc => self.shape.fc_part_bytes(),
        }
    }
    /// Pages of one part of a sublayer, laid out as [`layout`](crate::layout) does: each request's keys and values of a head begin at a page.
    pub fn part_pages(&self, sublayer: Sublayer, page: PageSize) -> u64 {
        match sublayer {
            Sublayer::Attention => {
                let in_page = page_tokens(&self.shape, page, self.page_layers).max(1);
                let groups = self.shape.layers.div_ceil(self.page_layers);
                self.tokens.values().map(|tokens| tokens.div_ceil(in_page) * groups).sum()
            }
            _ => page.pages(self.part_bytes(sublayer)),
        }
    }
    /// Bytes of everything.
    pub fn bytes(&self) -> u64 {
        Sublayer::ALL.iter().map(|&s| self.part_bytes(s) * self.shape.parts(s)).sum()
    }
    /// What Algorithm 1 has to solve, counted in bytes.
    ///
    /// # Panics
    /// If [`Hardware::check`] refuses the hardware.
    pub fn problem(&self, hardware: &Hardware) -> Problem {
        self.problem_in(hardware, |sublayer| self.part_bytes(sublayer))
    }
    /// What Algorithm 1 has to solve, counted in whole pages; `reserve` pages of the large side are kept free, all if it has
    /// no more.
    ///
    /// # Panics
    /// If [`Hardware::check`] refuses the hardware.
    pub fn problem_in_pages(&self, hardware: &Hardware, page: PageSize, reserve: u64) -> Problem {
        let whole = |bytes: u64| bytes / page.bytes() * page.bytes();
        // where so many requests have begun a page that 64 bits do not hold the bytes, Algorithm 1 refuses them
        let room = |sublayer| self.part_pages(sublayer, page).saturating_mul(page.bytes());
        let mut problem = self.problem_in(hardware, room);
        problem.fast_capacity = whole(hardware.fast.capacity);
        problem.large_capacity = whole(hardware.large.capacity).saturating_sub(reserve.saturating_mul(page.bytes()));
        problem
    }

    fn problem_in(&self, hardware: &Hardware, room: impl Fn(Sublayer) -> u64) -> Problem {
        if let Err(error) = hardware.check() {
            panic!("{error}");
        }
        let load = |sublayer| {
            let (fast, large) = self.part_times(hardware, sublayer);
            Load { parts: self.shape.parts(sublayer), bytes: room(sublayer), fast, large }
        };
        Problem {
            fast_capacity: hardware.fast.capacity,
            large_capacity: hardware.large.capacity,
            loads: Sublayer::ALL.map(load),
        }
    }
    /// Ideal times of one part on either side: its bytes at full bandwidth or its arithmetic at full rate, whichever is longer
    /// (section 4.3.2). Weights are used by the whole batch, keys and values by the query heads that share them.
    fn part_times(&self, hardware: &Hardware, sublayer: Sublayer) -> (u64, u64) {
        let bytes = self.part_bytes(sublayer);
        let times = [&hardware.fast, &hardware.large].map(|side| {
            let arithmetic = match sublayer {
                Sublayer::Attention => side.dot_time(&hardware.core, bytes * self.shape.group()),
                _ => side.matrix_time(&hardware.core, bytes, self.batch()),
            };
            arithmetic.max(side.read_time(bytes))
        });
        (times[0], times[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::{H2M2, SideHardware};
    use crate::shape::{GPT3_175B, LLAMA2_70B};
    use crate::solver::{NoMapping, solve};
    use proptest::prelude::*;

    fn tracker(shape: Shape, lengths: &[u64]) -> Tracker {
        let mut tracker = Tracker::new(shape).unwrap();
        for (id, &tokens) in (0..).zip(lengths) {
            tracker.start(id, tokens).unwrap();
        }
        tracker
    }

    #[test]
    fn bytes_are_those_of_the_formulas() {
        // GPT3: a token takes a key and a value of 12288 bytes in each of 96 layers
        let tracker = tracker(GPT3_175B, &[1000, 24]);
        assert_eq!(tracker.part_bytes(Sublayer::Attention) * 96, 1024 * 2 * 12288 * 96);
        assert_eq!(tracker.bytes(), 1024 * 2 * 12288 * 96 + GPT3_175B.weight_bytes());
        // a token of a head: 24 KiB, so 85 in a page of 2 MiB
        assert_eq!(tracker.part_pages(Sublayer::Attention, PageSize::HUGE), 12 + 1);
        assert_eq!(tracker.part_pages(Sublayer::QkvLinear, PageSize::HUGE), 3 * 128 * 12288 * 96 / (2 << 20));
    }

    #[test]
    fn grouped_queries_share_bytes_and_not_arithmetic() {
        let tracker = tracker(LLAMA2_70B, &[100]);
        let bytes = 100 * 2 * 128 * 80;
        assert_eq!(tracker.part_bytes(Sublayer::Attention), bytes);
        let load = tracker.problem(&H2M2).loads[0];
        assert_eq!(
            load.fast,
            (bytes * 8 * 1000).div_ceil(4 * 4096),
            "arithmetic: 8 times the bytes, 16384 a nanosecond"
        );
        assert_eq!(load.large, (bytes * 1_000_000).div_ceil(544_000), "memory");
    }

    #[test]
    fn requests_begin_and_end_once() {
        let mut tracker = tracker(GPT3_175B, &[5]);
        assert_eq!(tracker.start(0, 1), Err(RequestError::Known(0)));
        assert_eq!(tracker.grow(1), Err(RequestError::Unknown(1)));
        assert_eq!(tracker.grow(0), Ok(()));
        assert_eq!(tracker.finish(0), Ok(6));
        assert_eq!(tracker.finish(0), Err(RequestError::Unknown(0)));
        assert_eq!((tracker.all_tokens(), tracker.batch()), (0, 0));
    }

    #[test]
    fn more_tokens_than_can_be_counted_are_told() {
        let mut tracker = tracker(GPT3_175B, &[5]);
        // a token: 2 * 128 * 96 bytes of a head, 96 heads
        let max = ((1 << 60) - 1) / (2 * 128 * 96 * 96);
        let more = |tokens| format!("request 1 brings {tokens} tokens to the 5 of all requests");
        for tokens in [u64::MAX, max - 4] {
            let message = tracker.start(1, tokens).unwrap_err().to_string();
            assert_eq!(message, format!("{}; legal are at most 488671834567 of all together", more(tokens)));
        }
        assert_eq!((tracker.batch(), tracker.all_tokens()), (1, 5));
        tracker.start(1, max - 5).unwrap();
        let full = RequestError::TooMany { id: 0, tokens: 1, others: max, max };
        assert_eq!((tracker.grow(0), tracker.grow(7)), (Err(full), Err(RequestError::Unknown(7))));
        assert_eq!(tracker.requests().collect::<Vec<_>>(), [(0, 5), (1, max - 5)], "what is refused changes nothing");
        assert!(tracker.bytes() < 1 << 61);
        let problem = tracker.problem_in_pages(&H2M2, PageSize::HUGE, u64::MAX);
        assert_eq!(problem.large_capacity, 0);
        assert!(matches!(solve(&problem), Err(NoMapping::DoesNotFit { .. } | NoMapping::TooLarge)));
    }

    #[test]
    #[should_panic(expected = "hardware.fast.cores = 0 is out of range; legal is 1 to 1048576")]
    fn impossible_hardware_has_no_problem() {
        let fast = SideHardware { cores: 0, ..H2M2.fast };
        tracker(GPT3_175B, &[5]).problem(&Hardware { fast, ..H2M2 });
    }

    proptest! {
        #[test]
        fn the_sum_is_that_of_the_requests(events in prop::collection::vec((0_u32..6, 0_u8..3, 0_u64..3000), 0..60)) {
            let mut tracker = Tracker::new(GPT3_175B).unwrap();
            for (id, what, tokens) in events {
                let _ = match what {
                    0 => tracker.start(id, tokens),
                    1 => tracker.grow(id),
                    _ => tracker.finish(id).map(|_| ()),
                };
                prop_assert_eq!(tracker.all_tokens(), tracker.requests().map(|(_, tokens)| tokens).sum::<u64>());
                let pages = tracker.part_pages(Sublayer::Attention, PageSize::HUGE) * PageSize::HUGE.bytes();
                prop_assert!(pages >= tracker.part_bytes(Sublayer::Attention));
            }
        }
    }
}
