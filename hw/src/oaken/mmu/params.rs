//! What the parts of the MMU have in common: parameters, names of streams, and slices.

use crate::memory::axi::AxiParams;
use crate::memory::mover::MoverParams;
pub use crate::oaken::slice_sender::Slice;
use crate::oaken::slices::{self, MAX_HEADS, MAX_TAG};
use crate::oaken::types::CHUNK;
use hdl::{Bundle, Errors, Signal, bits, clog2};
use std::panic::Location;

/// The parameters of the MMU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MmuParams {
    /// The widths of its AXI4 port, as each of its engines sees it: without IDs.
    pub axi: AxiParams,
    /// Bytes of a page: a power of two from 1 KiB to 64 KiB.
    pub page_bytes: u32,
    /// Pages that it has, 4 to 65,536.
    pub pages: u32,
    /// Requests that may be open, 1 to 64.
    pub requests: u32,
    /// Layers of the model, 1 to 128.
    pub layers: u32,
    /// Heads of a layer's keys, and of its values, 1 to 64.
    pub heads: u32,
    /// Elements of a head: a multiple of 64.
    pub head_elements: u32,
    /// Bits of the dense code of keys, 3 to 6.
    pub key_bits: u32,
    /// Bits of the dense code of values, 3 to 6.
    pub value_bits: u32,
    /// The most tokens of a request, 1 to 65,535: the slice framer counts them in 16 bits.
    pub tokens: u32,
    /// Bits of the tags of commands, 1 to 16.
    pub tag_bits: u32,
    /// Bursts that each engine may have under way, 1 to 16.
    pub outstanding: u32,
}

/// Bits of the number of bytes of a command to the engines: a page of 64 KiB.
pub const LENGTH_BITS: u32 = 17;

/// The longest vector, in elements.
const LONGEST: u32 = 8192;

impl MmuParams {
    /// A name that tells all parameters.
    pub fn name(self, what: &str) -> String {
        let MmuParams { axi, page_bytes, pages, requests, layers, heads, head_elements, .. } = self;
        let MmuParams { key_bits, value_bits, tokens, tag_bits, outstanding, .. } = self;
        format!(
            "{what}_{}_a{}_g{page_bytes}_n{pages}_r{requests}_l{layers}_h{heads}x{head_elements}_k{key_bits}_v{value_bits}_t{tokens}_{tag_bits}_o{outstanding}",
            8 * axi.data_bytes,
            axi.address_bits
        )
    }
    /// Bytes of the longest sparse slice: header, counts, an entry for every element.
    pub fn longest_sparse(self) -> u32 {
        slices::longest_sparse_slice(self.head_elements)
    }
    /// Bytes of a dense slice of keys, and of values.
    pub fn dense_bytes(self) -> [u32; 2] {
        [self.key_bits, self.value_bits].map(|width| slices::dense_slice(self.head_elements, width))
    }
    /// Bytes of the longest slice.
    pub fn longest_slice(self) -> u32 {
        let [key, value] = self.dense_bytes();
        self.longest_sparse().max(key).max(value)
    }
    /// Bits of a byte's place in its page.
    pub fn offset_bits(self) -> u32 {
        self.page_bytes.ilog2()
    }
    /// Bits of the number of a page.
    pub fn page_bits(self) -> u32 {
        clog2(self.pages as usize)
    }
    /// Bits of a number of pages.
    pub fn count_bits(self) -> u32 {
        clog2(self.pages as usize + 1)
    }
    /// Bits of the address of a page.
    pub fn base_bits(self) -> u32 {
        self.axi.address_bits - self.offset_bits()
    }
    /// Bits of the bytes of a slice.
    pub fn slice_bits(self) -> u32 {
        clog2(self.longest_slice() as usize + 1)
    }
    /// Bits of the bytes of a stream.
    pub fn bytes_bits(self) -> u32 {
        clog2(self.tokens as usize * self.longest_slice() as usize + 1).max(self.offset_bits() + 1)
    }
    /// Bits of a number of tokens.
    pub fn token_bits(self) -> u32 {
        clog2(self.tokens as usize + 1)
    }
    /// Bits of the number of a group.
    pub fn group_bits(self) -> u32 {
        group(self).total_width()
    }
    /// Bits of the number of a stream in its group: head, and part.
    pub fn step_bits(self) -> u32 {
        clog2(self.heads as usize) + 1
    }
    /// Streams of a group.
    pub fn streams(self) -> u32 {
        2 * self.heads
    }
    /// Parameters of the burst engines; with `scatter` a command may go on in another page.
    pub fn mover(self, scatter: bool) -> MoverParams {
        MoverParams {
            axi: self.axi,
            length_bits: LENGTH_BITS,
            tag_bits: 1,
            outstanding: self.outstanding,
            buffer: 2 * self.axi.longest_burst(),
            scatter_bits: scatter.then(|| self.offset_bits()),
            aligned: !scatter, // pages are read from their beginnings on
        }
    }

    /// Are all parameters legal?
    #[track_caller]
    pub fn check(self, module: &str) -> Result<Self, Errors> {
        let place = Location::caller();
        let wrong = |what: String, help: &str| Err(Errors::parameter_at(place, module, what, help));
        let ranges = [
            ("pages", self.pages, 4, 1 << 16, "their chain lies in block RAM"),
            (
                "requests",
                self.requests,
                1,
                64,
                "each has a flip-flop that says that it is open, and a multiplexer over all",
            ),
            ("layers", self.layers, 1, 128, "Llama-3.1-405B has 126"),
            ("heads", self.heads, 1, MAX_HEADS, "a record of the slice splitter has no more"),
            ("key_bits", self.key_bits, 3, 6, "the widths of the record format"),
            ("value_bits", self.value_bits, 3, 6, "the widths of the record format"),
            ("tokens", self.tokens, 1, (1 << 16) - 1, "the slice framer counts the slices of a history in 16 bits"),
            ("tag_bits", self.tag_bits, 1, MAX_TAG, "a tag has a bit, and the slice framer takes no more than 16"),
        ];
        if let Some((name, value, least, most, why)) =
            ranges.iter().find(|(_, x, least, most, _)| x < least || x > most)
        {
            return wrong(format!("{name} = {value} is out of range"), &format!("from {least} to {most}: {why}"));
        }
        if !self.page_bytes.is_power_of_two() || !(1024..=65536).contains(&self.page_bytes) {
            return wrong(format!("page_bytes = {}", self.page_bytes), "a power of two from 1024 to 65536");
        }
        if !(CHUNK..=LONGEST).contains(&self.head_elements) || !self.head_elements.is_multiple_of(CHUNK) {
            let help = "a multiple of 64, at most 8192: a slice is some whole chunks of a vector";
            return wrong(format!("head_elements = {}", self.head_elements), help);
        }
        if self.heads * self.head_elements > LONGEST {
            let what = format!("heads = {} of {} elements", self.heads, self.head_elements);
            return wrong(what, "at most 8192 elements together: those of the longest vector");
        }
        if self.pages < self.streams() {
            let what = format!("pages = {} for heads = {}", self.pages, self.heads);
            return wrong(
                what,
                "2 * heads at least: the first vector of a request takes a page for each of its streams",
            );
        }
        self.axi.check_widths(module)?;
        self.mover(true).check(module)?;
        let longest = self.longest_slice();
        if longest > self.page_bytes {
            let what =
                format!("head_elements = {}: a slice of {longest} bytes is longer than a page", self.head_elements);
            return wrong(what, "longer pages, or heads of fewer elements: a slice may take one new page");
        }
        if self.axi.address_bits < self.offset_bits() + self.page_bits() {
            let what =
                format!("address_bits = {} for {} pages of {}", self.axi.address_bits, self.pages, self.page_bytes);
            return wrong(what, "as many bits as all pages need");
        }
        Ok(self)
    }
}

/// The streams that a vector goes to: request, layer, key or value.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Group {
    /// Number of the request.
    pub request: Signal,
    /// Number of the layer.
    pub layer: Signal,
    /// 1: values, 0: keys.
    pub value: Signal,
}

/// The shape of a group's number.
pub fn group(p: MmuParams) -> Group {
    let count = |n: u32| bits(clog2(n as usize));
    Group { request: count(p.requests), layer: count(p.layers), value: bits(1) }
}

/// The shape of the number of a request.
pub fn request(p: MmuParams) -> Signal {
    bits(clog2(p.requests as usize))
}

impl Group {
    /// Is there such a request, and such a layer?
    pub fn is_legal(self, p: MmuParams) -> Signal {
        below(self.request, p.requests) & below(self.layer, p.layers)
    }
}

/// Is this number below a limit that it may not be able to reach?
pub fn below(x: Signal, limit: u32) -> Signal {
    match u64::from(limit) >= 1 << x.width() {
        true => x.lit(1u32, 1),
        false => x.lt(limit),
    }
}

/// A number in so many bits, which are enough for its value.
pub fn fit(x: Signal, width: u32) -> Signal {
    match x.width() < width {
        true => x.zext(width),
        false => x.trunc(width),
    }
}

/// The shape of what is known of a slice.
pub fn slice_shape(p: MmuParams) -> Slice {
    Slice { bytes: bits(p.slice_bits()), last: bits(1), failed: bits(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_parameters_out_of_range() {
        let p = MmuParams {
            axi: AxiParams { data_bytes: 8, address_bits: 32, id_bits: 0 },
            page_bytes: 1024,
            pages: 256,
            requests: 3,
            layers: 2,
            heads: 3,
            head_elements: 128,
            key_bits: 4,
            value_bits: 5,
            tokens: 500,
            tag_bits: 4,
            outstanding: 4,
        };
        assert!(p.check("mmu").is_ok());
        let message = |p: MmuParams| p.check("mmu").expect_err("parameters out of range").0[0].message.clone();
        type Field = fn(&mut MmuParams) -> &mut u32;
        let ranges: [(&str, Field, [u32; 2]); 8] = [
            ("pages", |p| &mut p.pages, [3, 65537]),
            ("requests", |p| &mut p.requests, [0, 65]),
            ("layers", |p| &mut p.layers, [0, 129]),
            ("heads", |p| &mut p.heads, [0, 65]),
            ("key_bits", |p| &mut p.key_bits, [2, 7]),
            ("value_bits", |p| &mut p.value_bits, [2, 7]),
            ("tokens", |p| &mut p.tokens, [0, 65536]),
            ("tag_bits", |p| &mut p.tag_bits, [0, 17]),
        ];
        for (name, field, values) in ranges {
            for value in values {
                let mut p = p;
                *field(&mut p) = value;
                assert_eq!(message(p), format!("{name} = {value} is out of range"));
            }
        }
        for page_bytes in [512, 1536, 131_072] {
            assert_eq!(message(MmuParams { page_bytes, ..p }), format!("page_bytes = {page_bytes}"));
        }
        for head_elements in [0, 96, 8256] {
            assert_eq!(message(MmuParams { head_elements, ..p }), format!("head_elements = {head_elements}"));
        }
        assert_eq!(message(MmuParams { heads: 64, head_elements: 192, ..p }), "heads = 64 of 192 elements");
        assert_eq!(message(MmuParams { pages: 5, ..p }), "pages = 5 for heads = 3");
        assert_eq!(message(MmuParams { outstanding: 17, ..p }), "outstanding = 17 is out of range");
        let long = MmuParams { heads: 1, head_elements: 1024, ..p };
        let what = format!("head_elements = 1024: a slice of {} bytes is longer than a page", long.longest_slice());
        assert_eq!(message(long), what);
        let few = MmuParams { axi: AxiParams { address_bits: 17, ..p.axi }, ..p };
        assert_eq!(message(few), "address_bits = 17 for 256 pages of 1024");
        assert!(MmuParams { pages: 128, ..few }.check("mmu").is_ok());
        for data_bytes in [0, 3, 128] {
            let bus = MmuParams { axi: AxiParams { data_bytes, ..p.axi }, ..p };
            assert_eq!(message(bus), format!("data_bytes = {data_bytes}"));
        }
    }
}
