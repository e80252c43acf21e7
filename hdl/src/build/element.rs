//! An element that a signal chooses, to read and to assign.

use super::bundle::Bundle;
use super::number::same_layouts;
use super::store;
use super::vector::lengths_differ;
use crate::ir::*;
use std::panic::Location;

/// Vectors, arrays and slices of bundles: one element of them, chosen by a signal.
pub trait Elements<B: Bundle> {
    /// The element with the number `index`, which is `clog2(len)` bits wide (1 bit for 1 element).
    ///
    /// It can be read, and of wires, registers, outputs and inputs of instances it can be assigned, as a whole or field by field.
    /// Beyond the last element (where the length is no power of two), it reads as 0, and assigning does nothing.
    ///
    /// ```
    /// # use hdl::*;
    /// # ports! { struct P() { input way: Signal = bits(2), input tag: Signal = bits(8), input fill: Signal = bits(1), input flush: Signal = bits(1),
    /// #     output hit: Signal = bits(1) } }
    /// #[derive(Clone, Copy, Bundle)]
    /// struct Entry { valid: Signal, tag: Signal }
    /// # #[module]
    /// # fn example() -> Result<Design<P>, Errors> {
    /// # let m = Module::new("example");
    /// # let io = P::new(m);
    /// let entries = m.reg(vector(Entry { valid: bits(1), tag: bits(8) }, 4)); // or `reg_file`
    /// let entry = entries.at(io.way);
    /// io.hit.set(entry.valid & entry.tag.eq(io.tag));
    /// m.when(io.fill, || entries.at(io.way).set(Entry { valid: m.lit(1u32, 1), tag: io.tag }));
    /// m.when(io.flush, || entries.at(io.way).valid.set(0));
    /// # m.finish(io)
    /// # }
    /// # example().unwrap();
    /// ```
    ///
    /// # Panics
    /// If there are no elements.
    fn at(&self, index: Signal) -> B;
}

impl<B: Bundle> Elements<B> for [B] {
    #[track_caller]
    fn at(&self, index: Signal) -> B {
        let loc = Location::caller();
        let Some(first) = self.first() else {
            store::refuse(loc, "`at` of an empty list", "choose from one or more");
        };
        let mut fields: Vec<Vec<Signal>> = vec![];
        for element in self {
            if lengths_differ(first, element) || !same_layouts(first, element, loc) {
                return *first;
            }
            let mut field = 0;
            element.each(&mut |_, _, s| {
                if fields.len() == field {
                    fields.push(vec![]);
                }
                fields[field].push(s);
                field += 1;
            });
        }
        let mut fields = fields.into_iter();
        first.map(&mut |_, _, s| match fields.next() {
            Some(options) => {
                let all = [&options[..], &[index]].concat();
                Signal::build_of(&all, s.width, loc, |b| b.choose(&options, index, loc))
            }
            None => s,
        })
    }
}
