//! An element that a signal chooses, to read and to assign.

use super::bundle::Bundle;
use super::store;
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
        let mut fields: Vec<Vec<Signal>> = vec![];
        for element in self {
            let mut field = 0;
            element.each(&mut |_, _, s| {
                if fields.len() == field {
                    fields.push(vec![]);
                }
                fields[field].push(s);
                field += 1;
            });
        }
        let Some(first) = self.first() else {
            store::with(index.key, loc, |b| b.error(loc, "an element of an empty list".into(), vec![], None));
            panic!("{loc}: an element of an empty list");
        };
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
