//! Tagged unions: a signal that holds one of several bundles, and a tag that says which.

use super::bundle::{Bundle, Selector};
use super::control::BlockEnd;
use super::module::Module;
use super::naming::{COUNTED, Layout, Nameable, name_fields};
use super::number::{Value, same_unions};
use super::signal::bits;
use super::slices::cat;
use super::state::{State, StateSignal, state};
use super::state_fields::{StateFields, tell_union};
use super::store;
use super::vector::{counts, fields_differ, same_names};
use crate::ir::*;
use std::panic::Location;

/// An enum whose variants have signals as fields; [`tagged!`](crate::tagged!) declares one.
///
/// In the hardware it is a tag (a [state](State)) and a payload as wide as the widest variant. A value of the enum is what is
/// assigned; [`Module::match_tag`] goes the other way, with Rust's `match`.
///
/// ```
/// # use hdl::*;
/// tagged! {
///     /// What a master asks for.
///     enum Command(address_bits: u32) {
///         Idle,
///         Read { address: Signal = bits(address_bits) },
///         Write { address: Signal = bits(address_bits), data: Signal = bits(8) },
///     }
/// }
///
/// ports! {
///     struct P() {
///         input s: Stream<TaggedSignal<Command>> = stream(Command::shape(4)), // `s_tag`, `s_payload`
///         output last: TaggedSignal<Command> = Command::shape(4),
///         output data: Signal = bits(8),
///     }
/// }
/// # #[module]
/// # fn example() -> Result<Design<P>, Errors> {
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// let words = m.memory(bits(8), 16);
/// let (write, address, data) = (m.wire(bits(1)), m.wire(bits(4)), m.wire(bits(8)));
/// write.set(0);
/// data.set(0);
/// m.match_tag(io.s.payload, |command| match command { // a variant that is forgotten does not compile
///     Command::Idle => address.set(0),
///     Command::Read { address: from } => address.set(from),
///     Command::Write { address: to, data: word } => {
///         write.set(io.s.valid);
///         address.set(to);
///         data.set(word);
///     }
/// });
/// words.write(address, data, write);
/// io.data.set(words.read(address));
///
/// let last = m.reg_reset_to(Command::shape(4), Command::Idle); // also `reg`, `wire`, `memory`, `mux`
/// m.when(io.s.transfer(), || last.set(io.s.payload));
/// m.when(last.is(CommandTag::Write), || last.set(Command::Read { address: Command::as_write(last).0 }));
/// io.last.set(last);
/// io.s.ready.set(1);
/// # m.finish(io)
/// # }
/// # example().unwrap();
/// ```
pub trait Tagged: Copy + 'static {
    /// Name of the enum.
    const NAME: &'static str;
    /// The names of the variants.
    type Tag: State;
    /// One of each variant, in their order.
    #[doc(hidden)]
    type Shapes: Copy + AsRef<[Self]>;
    /// The name of this variant.
    fn tag(&self) -> Self::Tag;
    #[doc(hidden)]
    fn each_field(&self, f: &mut dyn FnMut(&str, bool, Signal));
    /// As [`Bundle::layouts`], of the fields of this variant.
    #[doc(hidden)]
    fn layouts(&self, f: &mut dyn FnMut(&str, Layout));
    #[doc(hidden)]
    fn map_fields(&self, f: &mut dyn FnMut(&str, bool, Signal) -> Signal) -> Self;
}

/// A signal that holds a variant of a tagged union.
pub struct TaggedSignal<T: Tagged> {
    tag: StateSignal<T::Tag>,
    payload: Signal,
    shapes: T::Shapes,
}

impl<T: Tagged> Clone for TaggedSignal<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Tagged> Copy for TaggedSignal<T> {}

impl<T: Tagged> Bundle for TaggedSignal<T> {
    fn selector(&self) -> Selector {
        Selector::Tagged
    }
    fn layouts(&self, f: &mut dyn FnMut(&str, Layout)) {
        let mut fields = vec![];
        for (i, variant) in self.shapes.as_ref().iter().enumerate() {
            variant.each_field(&mut |path, _, s| fields.push((format!("{i}_{path}"), s.width)));
            fields.extend(counts(|f| variant.layouts(f)).into_iter().map(|count| (i.to_string(), count)));
        }
        f(T::NAME, fields);
        let mut unions = |name: &str, layout| {
            if name != COUNTED {
                f(name, layout);
            }
        };
        self.shapes.as_ref().iter().for_each(|variant| variant.layouts(&mut unions));
    }
    fn each(&self, f: &mut dyn FnMut(&str, bool, Signal)) {
        f("tag", false, self.tag.code());
        f("payload", false, self.payload);
    }
    fn map(&self, f: &mut dyn FnMut(&str, bool, Signal) -> Signal) -> Self {
        let tag = self.tag.map(&mut |_, flip, s| f("tag", flip, s));
        let payload = f("payload", false, self.payload);
        if let Selector::State(names) = tag.selector() {
            tell_union(tag.code(), names, payload, || self.shapes.as_ref().iter().map(states_of).collect());
        }
        TaggedSignal { tag, payload, shapes: self.shapes }
    }
}

impl<T: Tagged> Nameable for TaggedSignal<T> {
    fn take_name(&self, name: &str) {
        name_fields(self, name);
    }
}

/// Bits of all fields of a variant.
fn width<T: Tagged>(variant: &T) -> u32 {
    let mut sum = 0u32;
    variant.each_field(&mut |_, _, s| sum = sum.saturating_add(s.width));
    sum
}

/// The fields of a variant that hold states, in the bits of its payload: the first field is the highest.
fn states_of<T: Tagged>(variant: &T) -> StateFields {
    let (mut top, mut lows) = (width(variant), vec![]);
    variant.each_field(&mut |_, _, s| {
        top = top.saturating_sub(s.width);
        lows.push(top);
    });
    StateFields::among(&lows, |f| {
        variant.map_fields(&mut |_, _, s| f(s));
    })
}

impl<T: Tagged> TaggedSignal<T> {
    /// The shape with these variants.
    #[doc(hidden)]
    pub fn of(shapes: T::Shapes) -> TaggedSignal<T> {
        let widest = shapes.as_ref().iter().map(width).max().unwrap_or(0);
        TaggedSignal { tag: state(), payload: bits(widest), shapes }
    }
    /// Which variant it is.
    pub fn tag(&self) -> StateSignal<T::Tag> {
        self.tag
    }
    /// The fields of the variant in the low bits, the first one highest; 0 above them.
    pub fn payload(&self) -> Signal {
        self.payload
    }
    /// One bit: is it this variant?
    #[track_caller]
    pub fn is(&self, tag: T::Tag) -> Signal {
        self.tag.is(tag)
    }
    /// The variant with this index, with fields that read the payload, whatever the tag is.
    #[doc(hidden)]
    #[track_caller]
    pub fn variant(&self, index: usize) -> T {
        self.variant_at(index, Location::caller())
    }
    fn variant_at(&self, index: usize, loc: Loc) -> T {
        let shape = self.shapes.as_ref()[index];
        let mut top = width(&shape);
        let name = T::Tag::VARIANTS[index].to_lowercase();
        shape.map_fields(&mut |path, _, s| {
            top -= s.width;
            let wish = names::join(&name, path);
            self.payload.build(s.width, loc, |b| b.field(self.payload.id, top, s.width, &wish, loc))
        })
    }
    /// The fields of a value as a payload.
    #[track_caller]
    fn packed(&self, value: T) -> Signal {
        let loc = Location::caller();
        let (index, key) = (value.tag().index(), self.payload.key);
        let (mut wanted, mut flips, mut given) = (vec![], vec![], vec![]);
        self.shapes.as_ref()[index].each_field(&mut |path, flip, s| {
            wanted.push((path.to_string(), s));
            flips.push(flip);
        });
        value.each_field(&mut |path, _, s| given.push((path.to_string(), s)));
        let mut parts: Vec<Signal> = given.iter().map(|(_, s)| *s).collect();
        if fields_differ(&wanted, &given, &[&[self.payload], &parts[..]].concat(), loc) {
            return self.payload.poison(self.payload.width);
        }
        if counts(|f| self.shapes.as_ref()[index].layouts(f)) != counts(|f| value.layouts(f)) {
            same_names(&[&[self.payload], &parts[..]].concat(), loc);
            return self.payload.poison(self.payload.width);
        }
        let (mine, theirs) = (&self.shapes.as_ref()[index], &value);
        if !same_unions(|f| mine.layouts(f), |f| theirs.layouts(f), &[&[self.payload], &parts[..]].concat(), loc) {
            return self.payload.poison(self.payload.width);
        }
        let variant = format!("{}::{}", T::NAME, T::Tag::VARIANTS[index]);
        let fits = wanted.iter().zip(flips).zip(&parts).map(|(((path, shape), flip), s)| {
            let of = format!("`{path}` of `{variant}`");
            let check = |b: &mut Draft| {
                if !b.check_same(&[*s], loc) {
                    return false;
                }
                if flip {
                    let help = "give it the payload of the stream, or a bundle without flipped fields";
                    b.error(loc, format!("{of} is a flipped field: a payload runs one way"), vec![], Some(help.into()));
                } else if shape.width != s.width && b.node(s.id).op != Op::Poison {
                    let message =
                        format!("{of} has {}, not those of {}", counted(shape.width, "bit"), b.describe(s.id));
                    b.error(loc, message, vec![], Some("widen with `zext` or `sext`, or cut with `trunc`".into()));
                }
                !flip && shape.width == s.width
            };
            store::with(key, loc, check).unwrap_or(false)
        });
        let fits = fits.collect::<Vec<_>>().into_iter().all(|fits| fits);
        let above = self.payload.width.saturating_sub(parts.iter().map(|s| s.width).sum());
        if !fits {
            return self.payload.poison(self.payload.width);
        }
        if above > 0 {
            parts.insert(0, self.payload.zeros(above));
        }
        cat(&parts)
    }
}

impl<T: Tagged> Value<TaggedSignal<T>> for T {
    #[track_caller]
    fn like(self, like: &TaggedSignal<T>) -> TaggedSignal<T> {
        TaggedSignal { tag: self.tag().like(&like.tag), payload: like.packed(self), ..*like }
    }
}

impl Module {
    /// Assignments that depend on the variant of a [tagged union](Tagged): `f` describes them for each variant, one after the other,
    /// and assignments made for a variant apply only while the tag is its. Rust's `match` in `f` gives the fields, and does not
    /// compile when a variant is forgotten. A tag that no variant has goes the way of the last one.
    #[track_caller]
    pub fn match_tag<T: Tagged, R: BlockEnd>(self, value: TaggedSignal<T>, mut f: impl FnMut(T) -> R) {
        let (loc, tag) = (Location::caller(), value.tag.code());
        if !store::with(self.key, loc, |b| b.check_same(&[tag, value.payload], loc)).unwrap_or(false) {
            return;
        }
        let variants: Vec<T> = (0..value.shapes.as_ref().len()).map(|i| value.variant_at(i, loc)).collect();
        let arms = variants.into_iter().map(|variant| {
            let code = variant.tag().like(&value.tag).code().id;
            (vec![code], self.block(tag.id, || f(variant)))
        });
        let arms = arms.collect();
        let Selector::State(e) = value.tag.selector() else { return };
        self.with(|b| {
            let states = Some(b.enum_index(&e));
            b.add_switch(Cases { selector: tag.id, states, arms, default: None }, loc);
        });
    }
}
