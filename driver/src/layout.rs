//! Where weights and KV cache are in the virtual address space.
//!
//! From address 0: the parts of qkv-linear, then those of fc, each with its weights of all layers; then, for each request's slot and each
//! head of keys and values, a region for the longest request. Each of them begins at a page, so that a page belongs to one part and a
//! mapping splits no page. Of a KV region only pages with tokens are mapped (section 3.4 (a): contiguous in logical space, physical memory
//! as needed). A page of it holds the same tokens in all layers: for each layer first their keys, then their values, each contiguous.

use crate::page::PageSize;
use crate::shape::{Shape, ShapeError, Sublayer};
use std::ops::Range;
use thiserror::Error;

/// Keys or values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Keys.
    Key = 0,
    /// Values.
    Value = 1,
}

/// A layout for so many requests of at most so many tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    shape: Shape,
    page: PageSize,
    slots: u64,
    page_tokens: u64,
    region_pages: u64,
}

/// Why there is no layout.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LayoutError {
    /// The decoder is not legal.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A page is too small.
    #[error("a page of {page} bytes is too small; a token's key and value of a head take {token} bytes in all layers")]
    PageTooSmall {
        /// The page's bytes.
        page: u64,
        /// Bytes of a token and head.
        token: u64,
    },
    /// Nothing to lay out.
    #[error("{0} = 0 is out of range; legal is 1 or more")]
    Zero(&'static str),
}

impl Layout {
    /// Lays out a decoder with `slots` requests under way, of at most `max_tokens` tokens each.
    pub fn new(shape: Shape, page: PageSize, slots: u64, max_tokens: u64) -> Result<Layout, LayoutError> {
        shape.check()?;
        let page_tokens = page.bytes() / shape.token_bytes();
        if page_tokens == 0 {
            return Err(LayoutError::PageTooSmall { page: page.bytes(), token: shape.token_bytes() });
        }
        if let Some((name, _)) = [("slots", slots), ("max_tokens", max_tokens)].iter().find(|(_, value)| *value == 0) {
            return Err(LayoutError::Zero(name));
        }
        Ok(Layout { shape, page, slots, page_tokens, region_pages: max_tokens.div_ceil(page_tokens) })
    }
    /// The decoder.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }
    /// The size of pages.
    pub fn page(&self) -> PageSize {
        self.page
    }
    /// Requests that can be under way.
    pub fn slots(&self) -> u64 {
        self.slots
    }
    /// Tokens for which a region has room: at least those that were asked for.
    pub fn max_tokens(&self) -> u64 {
        self.region_pages * self.page_tokens
    }
    /// Virtual pages of everything, from 0: the length of the page tables.
    pub fn pages(&self) -> u64 {
        self.kv_start() + self.slots * self.shape.kv_heads * self.region_pages
    }
    /// Virtual pages of the weights of a part of qkv-linear or fc. There are none for attention.
    pub fn weight_pages(&self, sublayer: Sublayer, part: u64) -> Range<u64> {
        let (base, pages) = match sublayer {
            Sublayer::Attention => (0, 0),
            Sublayer::QkvLinear => (0, self.qkv_pages()),
            Sublayer::Fc => (self.qkv_pages() * self.shape.kv_heads, self.fc_pages()),
        };
        base + part * pages..base + (part + 1) * pages
    }
    /// Virtual address of the weights of a part of qkv-linear or fc in a layer.
    pub fn weight_address(&self, sublayer: Sublayer, part: u64, layer: u64) -> u64 {
        let all_layers = match sublayer {
            Sublayer::Fc => self.shape.fc_part_bytes(),
            _ => self.shape.qkv_part_bytes(),
        };
        self.weight_pages(sublayer, part).start * self.page.bytes() + layer * (all_layers / self.shape.layers)
    }
    /// Virtual pages of the first tokens of a slot's request, for one head.
    pub fn kv_pages(&self, slot: u64, head: u64, tokens: u64) -> Range<u64> {
        let start = self.kv_start() + (slot * self.shape.kv_heads + head) * self.region_pages;
        start..start + tokens.div_ceil(self.page_tokens)
    }
    /// Virtual address of a token's key or value of a head in a layer. Those of the next token follow, up to the end of the page's tokens.
    pub fn kv_address(&self, slot: u64, head: u64, token: u64, layer: u64, kind: Kind) -> u64 {
        let page = self.kv_pages(slot, head, 0).start + token / self.page_tokens;
        let row = (2 * layer + kind as u64) * self.page_tokens + token % self.page_tokens;
        page * self.page.bytes() + row * self.shape.head
    }
    /// Tokens of a page of keys and values.
    pub fn page_tokens(&self) -> u64 {
        self.page_tokens
    }

    fn qkv_pages(&self) -> u64 {
        self.page.pages(self.shape.qkv_part_bytes())
    }
    fn fc_pages(&self) -> u64 {
        self.page.pages(self.shape.fc_part_bytes())
    }
    fn kv_start(&self) -> u64 {
        self.qkv_pages() * self.shape.kv_heads + self.fc_pages() * self.shape.heads
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::GPT3_175B;
    use std::collections::BTreeSet;

    const SMALL: Shape =
        Shape { layers: 2, hidden: 32, head: 8, heads: 4, kv_heads: 2, feed_forward: 64, feed_forward_matrices: 3 };

    #[test]
    fn nothing_overlaps() {
        let page = PageSize::new(4096).unwrap();
        let layout = Layout::new(SMALL, page, 3, 300).unwrap();
        let mut taken = BTreeSet::new();
        let mut take = |address: u64, bytes: u64| {
            assert!(address + bytes <= layout.pages() * page.bytes());
            (address..address + bytes).for_each(|byte| assert!(taken.insert(byte), "byte {byte} twice"));
        };
        for (sublayer, layer_bytes) in [(Sublayer::QkvLinear, 4 * 8 * 32), (Sublayer::Fc, 4 * 8 * 8 + 3 * 32 * 16)] {
            for part in 0..SMALL.parts(sublayer) {
                for layer in 0..2 {
                    let address = layout.weight_address(sublayer, part, layer);
                    assert!(layout.weight_pages(sublayer, part).contains(&(address / 4096)));
                    take(address, layer_bytes);
                }
            }
        }
        for (slot, head, token) in (0..3).flat_map(|s| (0..2).flat_map(move |h| (0..300).map(move |t| (s, h, t)))) {
            for (layer, kind) in [(0, Kind::Key), (0, Kind::Value), (1, Kind::Key), (1, Kind::Value)] {
                let address = layout.kv_address(slot, head, token, layer, kind);
                assert!(layout.kv_pages(slot, head, token + 1).contains(&(address / 4096)));
                assert!(!layout.kv_pages(slot, head, token / 128 * 128).contains(&(address / 4096)));
                take(address, 8);
            }
        }
    }

    #[test]
    fn the_papers_pages_hold_85_tokens_and_all_requests_fit_a_terabyte() {
        let layout = Layout::new(GPT3_175B, PageSize::HUGE, 32, 2048).unwrap();
        assert_eq!((layout.page_tokens(), layout.max_tokens()), (85, 85 * 25));
        assert!(layout.pages() * PageSize::HUGE.bytes() < 1 << 40);
        let key = |token| layout.kv_address(0, 0, token, 5, Kind::Key);
        assert_eq!(key(84) - key(0), 84 * 128, "one burst after the other");
    }

    #[test]
    fn what_cannot_be_laid_out_is_told() {
        let small = PageSize::new(4096).unwrap();
        let error = Layout::new(GPT3_175B, small, 1, 1).unwrap_err();
        assert_eq!(error, LayoutError::PageTooSmall { page: 4096, token: 24576 });
        assert_eq!(Layout::new(SMALL, small, 0, 1), Err(LayoutError::Zero("slots")));
        assert_eq!(Layout::new(SMALL, small, 1, 0), Err(LayoutError::Zero("max_tokens")));
        assert!(matches!(Layout::new(Shape { heads: 3, ..SMALL }, small, 1, 1), Err(LayoutError::Shape(_))));
    }
}
