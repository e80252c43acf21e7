//! Register files: many registers of one shape, from which signals choose.

use super::bundle::Bundle;
use super::module::Module;
use super::number::Value;
use super::store;
use super::vector::{MAX_ELEMENTS, Vector, wrong_length};
use crate::ir::*;
use std::panic::Location;

impl Module {
    /// A vector of registers that is printed in few lines: one register for each field, which holds it for all elements. Their
    /// fields can be read and assigned as those of `reg(vector(shape, length))`: all, one by one, and with
    /// [`at`](super::Elements::at).
    ///
    /// `entries[2].tag` is bits `[2 * width +: width]` of `entries_tag`. An enable, an attribute or a reset at once, which belong to
    /// a register, need `reg`.
    ///
    /// ```
    /// # use hdl::*;
    /// # ports! { struct P() { input write: Signal = bits(1), input to: Signal = bits(5), input from: Signal = bits(5),
    /// #     input value: Signal = bits(32), output word: Signal = bits(32) } }
    /// # #[module]
    /// # fn example() -> Result<Design<P>, Errors> {
    /// # let m = Module::new("example");
    /// # let io = P::new(m);
    /// let x = m.reg_file(bits(32), 32); // `reg [1023:0] x`
    /// m.when(io.write, || x.at(io.to).set(io.value));
    /// io.word.set(x.at(io.from));
    /// # m.finish(io)
    /// # }
    /// # let text = verilog(&example().unwrap(), &Options::default()).single();
    /// # assert!(text.contains("if (to == _i1[4:0]) x[32 * _i1 +: 32] <= value;"), "{text}");
    /// # assert!(text.contains("assign word = x[{from, 5'h0} +: 32];"), "{text}");
    /// ```
    #[track_caller]
    pub fn reg_file<B: Bundle>(self, shape: B, length: usize) -> Vector<B> {
        self.file(shape, length, None::<u32>, Location::caller())
    }
    /// A register file of which every field of every element has this value after reset.
    #[track_caller]
    pub fn reg_file_reset<B: Bundle>(self, shape: B, length: usize, reset: impl Value<Signal> + Copy) -> Vector<B> {
        self.file(shape, length, Some(reset), Location::caller())
    }
    fn file<B: Bundle>(self, shape: B, length: usize, reset: Option<impl Value<Signal> + Copy>, loc: Loc) -> Vector<B> {
        self.forward(&shape, "a register", "register", loc);
        if let Some((message, help)) = wrong_length(length) {
            store::with(self.key, loc, |b| b.error(loc, message, vec![], Some(help)));
        }
        let count = length.clamp(1, MAX_ELEMENTS) as u32;
        let fields = shape.map(&mut |_, _, s| {
            let Some(total) = s.width.checked_mul(count).filter(|total| *total <= MAX_BITS) else {
                let message = format!("a register file of {count} elements with a field of {} bits", s.width);
                let help = format!("at most {MAX_BITS} bits in a field of all elements; a memory has more");
                let poison = store::with(self.key, loc, |b| {
                    b.error(loc, message, vec![], Some(help));
                    b.poison(s.width, loc)
                });
                return Signal { key: self.key, id: poison.unwrap_or(0), width: s.width };
            };
            let net = self.reg_at(total, loc);
            store::with(self.key, loc, |b| b.files.insert(net.id));
            if let Some(reset) = reset {
                let value = self.reset_of(reset, s.width, loc).repeat(count);
                store::with(self.key, loc, |b| b.set_reset_number(net.id, value.id, loc));
            }
            net
        });
        self.with(|b| b.numbered.clear());
        if reset.is_some() {
            self.check_reset_of_states(&shape, &fields, loc);
        }
        let element = |i: u32| {
            fields.map(&mut |_, _, field| {
                let width = field.width / count;
                field.slice_at(i * width, width, loc)
            })
        };
        Vector::new((0..count).map(element).collect())
    }
    /// A reset value for registers of `width` bits.
    fn reset_of(self, reset: impl Value<Signal>, width: u32, loc: Loc) -> Signal {
        let errors = self.with(|b| b.errors.len());
        let value = reset.like(&self.lit(0u32, width));
        self.with(|b| {
            // a number that does not fit is reported from inside this function, against the 0
            b.errors[errors..].iter_mut().for_each(|e| {
                e.span = loc.into();
                e.message = e.message.replace("`0` ", "an element ");
            });
        });
        value
    }
}

/// The most bits of a field of all elements.
const MAX_BITS: u32 = 1 << 20;

/// If these are the elements of a register file, its registers take the name of the vector.
pub(super) fn take_name<B: Bundle>(elements: &[B], name: &str) -> bool {
    let Some(first) = elements.first() else {
        return false;
    };
    let mut is_file = true;
    first.each(&mut |path, _, s| {
        is_file &= store::name_file(s, &names::join(name, path));
    });
    is_file
}
