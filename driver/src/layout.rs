//! Where weights and KV cache are in the virtual address space.
//!
//! From address 0: the parts of qkv-linear, then those of fc, each with its weights of all layers; then, for each request's slot and each
//! head of keys and values, a region for the longest request. Each of them begins at a page, so that a page belongs to one part and a
//! mapping splits no page. Of a KV region only pages with tokens are mapped (section 3.4 (a): contiguous in logical space, physical memory
//! as needed). A page of it holds the same tokens in some layers: for each layer first their keys, then their values, each contiguous.
//!
//! How many layers share a page is a parameter. With all of them the least memory is lost, half a page for a request and head on average, but
//! every layer visits every page, each time for a small piece; with fewer there are as many more partly filled pages, visited less often.

use crate::page::PageSize;
use crate::shape::{Shape, ShapeError, Sublayer};
use crate::table::most_pages;
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
    page_layers: u64,
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
    #[error(
        "a page of {page} bytes is too small; a token's key and value of a head take {token} bytes in the layers that share it"
    )]
    PageTooSmall {
        /// The page's bytes.
        page: u64,
        /// Bytes of a token and head.
        token: u64,
    },
    /// More layers than there are, or none.
    #[error("page_layers = {found} is out of range; legal is 1 to the {layers} layers of the decoder")]
    PageLayers {
        /// Layers that were to share a page.
        found: u64,
        /// The decoder's layers.
        layers: u64,
    },
    /// Nothing to lay out.
    #[error("{0} = 0 is out of range; legal is 1 or more")]
    Zero(&'static str),
    /// More pages than a table has.
    #[error(
        "slots = {slots} of max_tokens = {max_tokens} take more than the {pages} virtual pages of {page} bytes that a table may \
         have; legal are at most {most_slots} slots of so many tokens, or {most_tokens} tokens in so many slots"
    )]
    TooLarge {
        /// Requests under way.
        slots: u64,
        /// Tokens of each.
        max_tokens: u64,
        /// Most pages of a table.
        pages: u64,
        /// The page's bytes.
        page: u64,
        /// Most requests of as many tokens.
        most_slots: u64,
        /// Most tokens of as many requests.
        most_tokens: u64,
    },
}

impl Layout {
    /// Lays out a decoder with `slots` requests under way, of at most `max_tokens` tokens each; `page_layers` layers share a page of KV cache.
    /// All together may have [`most_pages`] pages.
    pub fn new(
        shape: Shape,
        page: PageSize,
        page_layers: u64,
        slots: u64,
        max_tokens: u64,
    ) -> Result<Layout, LayoutError> {
        shape.check()?;
        if !(1..=shape.layers).contains(&page_layers) {
            return Err(LayoutError::PageLayers { found: page_layers, layers: shape.layers });
        }
        let page_tokens = page_tokens(&shape, page, page_layers);
        if page_tokens == 0 {
            return Err(LayoutError::PageTooSmall { page: page.bytes(), token: 2 * shape.head * page_layers });
        }
        if let Some((name, _)) = [("slots", slots), ("max_tokens", max_tokens)].iter().find(|(_, value)| *value == 0) {
            return Err(LayoutError::Zero(name));
        }
        let region_pages = max_tokens.div_ceil(page_tokens);
        let layout = Layout { shape, page, page_layers, slots, page_tokens, region_pages };
        layout.check_pages(max_tokens)?;
        Ok(layout)
    }
    /// Checks that a table has room for all pages.
    fn check_pages(&self, max_tokens: u64) -> Result<(), LayoutError> {
        let (slots, pages) = (self.slots, most_pages(self.page));
        let kv_pages = pages.saturating_sub(self.kv_start());
        let regions = self.shape.kv_heads * self.layer_groups();
        let most_slots = kv_pages / regions / self.region_pages;
        if slots <= most_slots {
            return Ok(());
        }
        let most_tokens = kv_pages / regions / slots * self.page_tokens;
        Err(LayoutError::TooLarge { slots, max_tokens, pages, page: self.page.bytes(), most_slots, most_tokens })
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
        self.kv_start() + self.slots * self.shape.kv_heads * self.layer_groups() * self.region_pages
    }
    /// Virtual pages of the weights of a part of qkv-linear or fc. There are none for attention.
    ///
    /// # Panics
    /// If `part` is not below [`Shape::parts`].
    #[track_caller]
    pub fn weight_pages(&self, sublayer: Sublayer, part: u64) -> Range<u64> {
        below("part", part, self.shape.parts(sublayer));
        let (base, pages) = match sublayer {
            Sublayer::Attention => (0, 0),
            Sublayer::QkvLinear => (0, self.qkv_pages()),
            Sublayer::Fc => (self.qkv_pages() * self.shape.kv_heads, self.fc_pages()),
        };
        base + part * pages..base + (part + 1) * pages
    }
    /// Virtual address of the weights of a part of qkv-linear or fc in a layer.
    ///
    /// # Panics
    /// If the sublayer is attention, which has no weights, if `part` is not below [`Shape::parts`], or if `layer` is not below
    /// [`Shape::layers`].
    #[track_caller]
    pub fn weight_address(&self, sublayer: Sublayer, part: u64, layer: u64) -> u64 {
        below("layer", layer, self.shape.layers);
        let all_layers = match sublayer {
            Sublayer::Attention => panic!("attention has no weights; legal are qkv-linear and fc"),
            Sublayer::QkvLinear => self.shape.qkv_part_bytes(),
            Sublayer::Fc => self.shape.fc_part_bytes(),
        };
        self.weight_pages(sublayer, part).start * self.page.bytes() + layer * (all_layers / self.shape.layers)
    }
    /// Virtual pages of the first tokens of a slot's request, for one head.
    ///
    /// # Panics
    /// If `slot` is not below [`slots`](Layout::slots), `head` not below [`Shape::kv_heads`], or `tokens` above
    /// [`max_tokens`](Layout::max_tokens).
    #[track_caller]
    pub fn kv_pages(&self, slot: u64, head: u64, tokens: u64) -> impl Iterator<Item = u64> + use<> {
        below("tokens", tokens, self.max_tokens() + 1);
        let (first, region, pages) = (self.region(slot, head, 0), self.region_pages, tokens.div_ceil(self.page_tokens));
        (0..self.layer_groups()).flat_map(move |group| first + group * region..first + group * region + pages)
    }
    /// Virtual address of a token's key or value of a head in a layer. Those of the next token follow, up to the end of the page's tokens.
    ///
    /// # Panics
    /// If `slot` is not below [`slots`](Layout::slots), `head` not below [`Shape::kv_heads`], `token` not below
    /// [`max_tokens`](Layout::max_tokens), or `layer` not below [`Shape::layers`].
    #[track_caller]
    pub fn kv_address(&self, slot: u64, head: u64, token: u64, layer: u64, kind: Kind) -> u64 {
        below("token", token, self.max_tokens());
        below("layer", layer, self.shape.layers);
        let page = self.region(slot, head, layer / self.page_layers) + token / self.page_tokens;
        let row = (2 * (layer % self.page_layers) + kind as u64) * self.page_tokens + token % self.page_tokens;
        page * self.page.bytes() + row * self.shape.head
    }
    /// Tokens of a page of keys and values.
    pub fn page_tokens(&self) -> u64 {
        self.page_tokens
    }

    /// Groups of layers that share pages.
    fn layer_groups(&self) -> u64 {
        self.shape.layers.div_ceil(self.page_layers)
    }
    /// The first virtual page of a slot's keys and values of a head in a group of layers.
    #[track_caller]
    fn region(&self, slot: u64, head: u64, group: u64) -> u64 {
        below("slot", slot, self.slots);
        below("head", head, self.shape.kv_heads);
        let region = (slot * self.shape.kv_heads + head) * self.layer_groups() + group;
        self.kv_start() + region * self.region_pages
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

/// Panics if an argument is beyond its end.
#[track_caller]
fn below(name: &str, value: u64, end: u64) {
    assert!(value < end, "{name} = {value} is out of range; legal is 0 to {}", end - 1);
}

/// Tokens of a head of which a page holds keys and values in so many layers, for a decoder that [`Shape::check`] accepts.
///
/// # Panics
/// If `page_layers` is 0 or above [`Shape::layers`].
#[track_caller]
pub fn page_tokens(shape: &Shape, page: PageSize, page_layers: u64) -> u64 {
    let layers = shape.layers;
    assert!(
        (1..=layers).contains(&page_layers),
        "page_layers = {page_layers} is out of range; legal is 1 to the {layers} layers of the decoder"
    );
    page.bytes() / (2 * shape.head * page_layers)
}

#[cfg(test)]
mod ends;
#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::GPT3_175B;
    use std::collections::BTreeSet;

    const SMALL: Shape =
        Shape { layers: 3, hidden: 32, head: 8, heads: 4, kv_heads: 2, feed_forward: 64, feed_forward_matrices: 3 };

    /// Marks bytes as taken, once.
    struct Taken(BTreeSet<u64>);
    impl Taken {
        fn take(&mut self, address: u64, bytes: u64, end: u64) {
            assert!(address + bytes <= end);
            (address..address + bytes).for_each(|byte| assert!(self.0.insert(byte), "byte {byte} twice"));
        }
    }

    fn no_overlap(page_layers: u64) {
        let page = PageSize::new(4096).unwrap();
        let layout = Layout::new(SMALL, page, page_layers, 3, 300).unwrap();
        let (mut taken, end) = (Taken(BTreeSet::new()), layout.pages() * page.bytes());
        for (sublayer, layer_bytes) in [(Sublayer::QkvLinear, 4 * 8 * 32), (Sublayer::Fc, 4 * 8 * 8 + 3 * 32 * 16)] {
            for (part, layer) in (0..SMALL.parts(sublayer)).flat_map(|part| (0..3).map(move |layer| (part, layer))) {
                let address = layout.weight_address(sublayer, part, layer);
                assert!(layout.weight_pages(sublayer, part).contains(&(address / 4096)));
                taken.take(address, layer_bytes, end);
            }
        }
        let in_page = layout.page_tokens();
        for (slot, head, token) in (0..3).flat_map(|s| (0..2).flat_map(move |h| (0..300).map(move |t| (s, h, t)))) {
            for (layer, kind) in (0..3).flat_map(|layer| [(layer, Kind::Key), (layer, Kind::Value)]) {
                let address = layout.kv_address(slot, head, token, layer, kind);
                let pages = |tokens| layout.kv_pages(slot, head, tokens);
                assert!(pages(token + 1).any(|page| page == address / 4096));
                assert!(!pages(token / in_page * in_page).any(|page| page == address / 4096));
                taken.take(address, 8, end);
            }
        }
    }

    #[test]
    fn nothing_overlaps() {
        (1..=3).for_each(no_overlap);
    }

    #[test]
    fn the_papers_pages_hold_85_tokens_and_all_requests_fit_a_terabyte() {
        let layout = Layout::new(GPT3_175B, PageSize::HUGE, 96, 32, 2048).unwrap();
        assert_eq!((layout.page_tokens(), layout.max_tokens()), (85, 85 * 25));
        assert!(layout.pages() * PageSize::HUGE.bytes() < 1 << 40);
        let key = |token| layout.kv_address(0, 0, token, 5, Kind::Key);
        assert_eq!(key(84) - key(0), 84 * 128, "one burst after the other");
        let few = Layout::new(GPT3_175B, PageSize::HUGE, 8, 32, 2048).unwrap();
        assert_eq!((few.page_tokens(), few.kv_pages(0, 0, 1025).count()), (1024, 2 * 12));
    }

    #[test]
    fn weights_beyond_a_table_leave_no_slot() {
        let shape = Shape { layers: 1 << 14, hidden: 1 << 16, head: 512, kv_heads: 4, feed_forward: 1 << 16, ..SMALL };
        let error = Layout::new(shape, PageSize::new(4096).unwrap(), 4, 1, 1).unwrap_err();
        assert!(matches!(error, LayoutError::TooLarge { most_slots: 0, most_tokens: 0, .. }), "{error}");
    }

    #[test]
    fn what_cannot_be_laid_out_is_told() {
        let small = PageSize::new(4096).unwrap();
        let error = Layout::new(GPT3_175B, small, 96, 1, 1).unwrap_err();
        assert_eq!(error, LayoutError::PageTooSmall { page: 4096, token: 24576 });
        assert_eq!(Layout::new(SMALL, small, 3, 0, 1), Err(LayoutError::Zero("slots")));
        assert_eq!(Layout::new(SMALL, small, 3, 1, 0), Err(LayoutError::Zero("max_tokens")));
        for found in [0, 4] {
            assert_eq!(Layout::new(SMALL, small, found, 1, 1), Err(LayoutError::PageLayers { found, layers: 3 }));
        }
        assert!(matches!(Layout::new(Shape { heads: 3, ..SMALL }, small, 3, 1, 1), Err(LayoutError::Shape(_))));
    }
}
