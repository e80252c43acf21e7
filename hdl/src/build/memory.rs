//! Memories: asynchronous and synchronous read, byte enables, initial contents, several ports, any clock domain.

use super::attribute::check_attribute;
use super::bundle::Bundle;
use super::control::check_conditions;
use super::module::Module;
use super::naming::Nameable;
use super::number::same_layouts;
use super::signal::clog2;
use super::state_fields::{NoState, StateFields};
use super::store;
use super::vector::lengths_differ;
use crate::ir::names::{LUT_RAM, join};
use crate::ir::{self, *};
use num_bigint::BigUint;
use std::panic::Location;

/// A memory of words of type `B`. It takes the name of its `let`.
///
/// ```
/// # use hdl::*;
/// # ports! { struct P() { input at: Signal = bits(9), input data: Signal = bits(32), input bytes: Signal = bits(4),
/// #     input from: Signal = bits(9), output word: Signal = bits(32) } }
/// # #[module]
/// # fn example() -> Result<Design<P>, Errors> {
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// let words = m.memory(bits(32), 512).style(RamStyle::Block).init(0..512u32);
/// words.write_lanes(io.at, io.data, io.bytes);  // an enable for each byte
/// io.word.set(words.read_sync(io.from));        // a cycle later; `read` is at once, for LUT RAM
/// # m.finish(io)
/// # }
/// # example().unwrap();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Memory<B = Signal> {
    module: Module,
    index: u32,
    shape: B,
}

/// Where synthesis should put a memory (the `ram_style` attribute).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RamStyle {
    /// Block RAM; needs synchronous reads.
    Block,
    /// LUT RAM; printed if the device has any, see [`Options::lut_ram`](crate::Options).
    Distributed,
    /// Flip-flops; a table (contents, no writes): logic.
    Registers,
}

/// The most words of a memory.
const MAX_WORDS: usize = 1 << 30;

impl Module {
    /// A memory of `depth` words of the given shape; addresses are `clog2(depth)` bits, which is 1 for a single word. Reading beyond the last word gives an
    /// unspecified value, writing there does nothing.
    #[track_caller]
    pub fn memory<B: Bundle>(self, shape: B, depth: usize) -> Memory<B> {
        let loc = Location::caller();
        self.forward(&shape, "the words of a memory", "store", loc);
        self.possible_width(shape.wide_width(), "a word", loc);
        let index = self.with(|b| {
            if depth == 0 {
                b.error(loc, "a memory cannot have 0 words".into(), vec![], Some(format!("1 to {MAX_WORDS} words")));
            } else if depth > MAX_WORDS {
                let help = format!("1 to {MAX_WORDS} words");
                b.error(loc, format!("a memory cannot have {depth} words"), vec![], Some(help));
            }
            b.def.mems.push(ir::Memory {
                name: String::new(),
                width: shape.total_width().min(MAX_WIDTH as u32),
                depth: depth.min(MAX_WORDS + 1) as u32,
                init: vec![],
                reads: vec![],
                writes: vec![],
                attributes: vec![],
                crossing: None,
                loc,
            });
            b.def.mems.len() as u32 - 1
        });
        Memory { module: self, index, shape: shape.shape() }
    }
}

impl<B: Bundle> Memory<B> {
    /// Contents before the first clock edge; words not given are 0. A memory that is also written has no reset: what the registers
    /// before its enable come up with may write to it before they are reset.
    #[track_caller]
    pub fn init<T: Into<BigUint>>(self, words: impl IntoIterator<Item = T>) -> Self {
        let loc = Location::caller();
        let mut words: Vec<BigUint> = words.into_iter().map(Into::into).collect();
        let fields = StateFields::of(&self.shape);
        self.module.with(|b| {
            let (width, depth) = (b.def.mems[self.index as usize].width, b.def.mems[self.index as usize].depth);
            if !b.def.mems[self.index as usize].init.is_empty() {
                let message = format!("{} has contents already", b.memory_label(self.index));
                b.error(loc, message, vec![], Some("give all words to one `init`".into()));
            }
            if words.len() > depth as usize {
                let help = "fewer words, or a deeper memory; words that are not given are 0";
                b.error(
                    loc,
                    format!("{} initial words for a memory of {depth}", words.len()),
                    vec![],
                    Some(help.into()),
                );
            }
            if let Some(i) = words.iter().position(|w| w.bits() > u64::from(width)) {
                b.error(
                    loc,
                    format!("initial word {i} is {}, which does not fit in {}", words[i], counted(width, "bit")),
                    vec![],
                    Some(format!("0 to {} fit", fold::ones(width))),
                );
            }
            if b.errors.is_empty() {
                check_states(b, self.index, &fields, &words, loc);
            }
            if b.errors.is_empty() {
                words.resize(depth as usize, BigUint::default());
            }
            b.def.mems[self.index as usize].init = words;
        });
        self
    }
    /// Where synthesis should put it.
    #[track_caller]
    pub fn style(self, style: RamStyle) -> Self {
        let (name, value) = match style {
            RamStyle::Block => ("ram_style", "block"),
            RamStyle::Distributed => LUT_RAM,
            RamStyle::Registers => ("ram_style", "registers"),
        };
        self.attribute(name, value)
    }
    /// A Verilog attribute.
    #[track_caller]
    pub fn attribute(self, name: &str, value: &str) -> Self {
        let loc = Location::caller();
        store::with(self.module.key, loc, |b| {
            let given = b.def.mems[self.index as usize].attributes.clone();
            check_attribute(b, &given, name, value, loc);
            b.def.mems[self.index as usize].attributes.push((name.into(), value.into()));
        });
        self
    }
    /// Its ports may have several clocks: the reason says why no word is read while another clock writes it.
    #[track_caller]
    pub fn crossing(self, reason: &str) -> Self {
        let loc = Location::caller();
        self.module.with(|b| {
            b.check_reason(reason, loc);
            b.def.mems[self.index as usize].crossing = Some(reason.into());
        });
        self
    }
    /// The address, if it is a signal of this module; if not, that is reported, and something stands in its place.
    #[track_caller]
    fn address(self, addr: Signal) -> Id {
        let loc = Location::caller();
        let id = store::with(self.module.key, loc, |b| {
            let depth = b.def.mems[self.index as usize].depth;
            let wanted = clog2(depth as usize);
            if !b.check_same(&[addr], loc) {
                return b.poison(wanted, loc);
            }
            if addr.width != wanted && depth as usize <= MAX_WORDS {
                let message = format!(
                    "the address of {} ({}) must have {}, not {}",
                    b.memory_label(self.index),
                    counted(depth, "word"),
                    counted(wanted, "bit"),
                    b.describe(addr.id)
                );
                b.error(loc, message, vec![], Some("cut or widen it with `trunc` or `zext`".into()));
            }
            if let Some(at) = b.constant(addr.id).filter(|at| **at >= BigUint::from(depth)) {
                let message =
                    format!("there is no word {at} in {} ({})", b.memory_label(self.index), counted(depth, "word"));
                b.error(loc, message, vec![], Some(format!("its words are 0 to {}", depth.saturating_sub(1))));
            }
            addr.id
        });
        id.unwrap_or(0)
    }
    /// Has what is written the shape of the words? If not, that is reported; a word of one signal is left to the caller.
    #[track_caller]
    fn check_shape(self, data: &B) -> bool {
        let loc = Location::caller();
        if lengths_differ(&self.shape, data) || !same_layouts(data, &self.shape, loc) {
            return false;
        }
        let mut alike = true;
        let mut given = data.signals().into_iter();
        self.shape.each(&mut |path, _, wanted| {
            let Some(s) = given.next().filter(|s| !path.is_empty() && s.width != wanted.width) else { return };
            alike = false;
            self.module.with(|b| {
                if b.check_same(&[s], loc) && b.node(s.id).op != Op::Poison {
                    let (words, bits) = (b.memory_label(self.index), counted(wanted.width, "bit"));
                    let message =
                        format!("field `{path}` has {bits} in the words of {words}, not those of {}", b.describe(s.id));
                    let note = vec![(b.node(s.id).loc, "the data comes from here")];
                    b.error(loc, message, note, Some("widen with `zext` or `sext`, or cut with `trunc`".into()));
                }
            });
        });
        alike
    }
    #[track_caller]
    fn read_port(self, addr: Signal, sync: bool, enable: Option<Signal>) -> B {
        let loc = Location::caller();
        let addr = self.address(addr);
        let ours = |enable: &Signal| store::with(self.module.key, loc, |b| b.check_same(&[*enable], loc)) == Some(true);
        let enable = enable.filter(ours);
        if let Some(enable) = enable {
            enable.one_bit("the enable of a read port");
        }
        if self.shape.wide_width() > MAX_WIDTH {
            return self.shape.map(&mut |_, _, s| self.module.lost(s.width, loc)); // reported where it is declared
        }
        let port = self.module.with(|b| {
            if sync && b.blocks.len() > 1 {
                let help = "declare it outside; the condition goes into `read_sync_enabled`, or chooses what to do with the word";
                self.under_a_condition(b, "a synchronous read port", help, loc);
            }
            b.def.mems[self.index as usize].reads.len() as u32
        });
        let width = self.shape.total_width();
        let data = self.module.net(width, Net::MemRead(self.index, port), None, loc);
        store::with(self.module.key, loc, |b| {
            let mut enable = enable.map(|e| e.id);
            // what stands still may be the address, but the word there may change
            let of_enable = |b: &mut Draft| b.merge_stages(&[addr, enable?], loc).ok().flatten();
            let stage = b.node(addr).stage.filter(|s| s.at.is_some());
            if let Some(stage) = stage.or_else(|| of_enable(b).filter(|s| s.at.is_some())) {
                b.def.nodes[data.id as usize].stage = Some(stage.later(i32::from(sync)));
                enable = b.read_enable(addr, stage, sync, enable, loc);
                b.reaches(data.id, loc);
            }
            let enable = if sync { b.register_enable(data.id, enable, loc) } else { enable };
            let port = ReadPort { addr, data: data.id, sync, enable, domain: b.domain };
            b.def.mems[self.index as usize].reads.push(port);
        });
        self.shape.unpack(data)
    }
    /// In a pipeline scope it is read and written at different stages, on purpose: an item may not see what one shortly before it
    /// wrote, or may see what one behind it wrote.
    #[track_caller]
    pub fn feedback(self) -> Self {
        self.module.with(|b| b.staging.feedback_memories.insert(self.index));
        self
    }
    /// The word at `addr`, in the same cycle.
    #[track_caller]
    pub fn read(self, addr: Signal) -> B {
        self.read_port(addr, false, None)
    }
    /// The word at `addr` one cycle later; a write in the cycle of the address is not seen yet. In a pipeline that stands, it stands
    /// too.
    #[track_caller]
    pub fn read_sync(self, addr: Signal) -> B {
        self.read_port(addr, true, None)
    }
    /// As [`Memory::read_sync`], holding the last word unless `enable` is 1. In a pipeline, `enable` is of the stage of the address.
    #[track_caller]
    pub fn read_sync_enabled(self, addr: Signal, enable: Signal) -> B {
        self.read_port(addr, true, Some(enable))
    }
    /// Writes a word when `enable` is 1; in a pipeline, once for each item: not while it stands.
    #[track_caller]
    pub fn write(self, addr: Signal, data: B, enable: Signal) {
        if enable.one_bit("the enable of a write port") {
            self.write_lanes(addr, data, enable);
        }
    }
    /// Writes the parts of a word (as many equal ones as `mask` has bits) whose bit of `mask` is 1: byte enables.
    #[track_caller]
    pub fn write_lanes(self, addr: Signal, data: B, mask: Signal) {
        let loc = Location::caller();
        let addr = self.address(addr);
        let alike = self.check_shape(&data);
        let data = data.pack();
        self.module.with(|b| {
            if !b.check_same(&[data, mask], loc) || !alike || !self.may_write(b, data, mask, loc) {
                return;
            }
            let Ok(stage) = b.merge_stages(&[addr, data.id, mask.id], loc) else { return };
            let (memory, enabled, sources) = (self.index, b.enabling.current, [addr, data.id, mask.id]);
            b.staging.writes.push(Written { memory, sources, stage, enabled, loc });
            let moves = stage.filter(|s| s.at.is_some()).and_then(|stage| b.moves(stage));
            let mask = b.gated(mask.id, moves, stage);
            let mask = b.mask_here(mask, loc);
            let port = WritePort { addr, data: data.id, mask, domain: b.domain, section: b.section(), loc };
            b.def.mems[self.index as usize].writes.push(port);
        });
    }
    /// A port that has a clock takes no condition.
    fn under_a_condition(self, b: &mut Draft, what: &str, help: &str, loc: Loc) {
        let name = b.memory_label(self.index);
        let message = format!("{what} of {name} stands under a condition, which it would ignore");
        b.error(loc, message, vec![], Some(help.into()));
    }
    /// Does a write port stand where it can, with data and a mask as wide as they must be? If not, that is reported.
    fn may_write(self, b: &mut Draft, data: Signal, mask: Signal, loc: Loc) -> bool {
        check_conditions(b, "a write port", loc);
        let width = b.def.mems[self.index as usize].width;
        let (d, m, name) = (b.describe(data.id), b.describe(mask.id), b.memory_label(self.index));
        let (message, help) = if b.blocks.len() > 1 {
            self.under_a_condition(b, "a write port", "declare it outside, with the condition in its enable", loc);
            return false;
        } else if data.width != width {
            let message = format!("{name} has words of {}, the data is {d}", counted(width, "bit"));
            let note = vec![(b.node(data.id).loc, "the data comes from here")];
            b.error(loc, message, note, Some("widen with `zext` or `sext`, or cut with `trunc`".into()));
            return false;
        } else if !width.is_multiple_of(mask.width) {
            let message = format!("the mask {m} does not divide the words of {name} ({})", counted(width, "bit"));
            (message, "the mask has one bit for each equal part of the word")
        } else {
            return true;
        };
        b.error(loc, message, vec![], Some(help.into()));
        false
    }
}

/// The words of a memory are codes of states where its shape has some; so are those that are not given, which are 0.
fn check_states(b: &mut Draft, memory: u32, fields: &StateFields, words: &[BigUint], loc: Loc) {
    let (name, depth) = (b.memory_label(memory), b.def.mems[memory as usize].depth as usize);
    let given = words.iter().enumerate().find_map(|(i, word)| Some((i, fields.wrong(word)?)));
    let rest = || (words.len() < depth).then(|| fields.wrong(&BigUint::ZERO)).flatten();
    let (message, wrong) = match given {
        Some((i, wrong)) => (format!("initial word {i} of {name} has {}", wrong.code), wrong),
        None => match rest() {
            Some(wrong) => (format!("the words from {} of {name} are not given, and are 0", words.len()), wrong),
            None => return,
        },
    };
    let NoState { of, .. } = wrong;
    let codes: Vec<String> = of.variants.iter().take(4).map(|v| format!("`{}` is {}", v.name, v.code)).collect();
    let more = if of.variants.len() > 4 { ", .." } else { "" };
    let message = format!("{message}, which is no state of `{}`", of.name);
    b.error(
        loc,
        message,
        vec![],
        Some(format!("give every word with the code of a state: {}{more}", codes.join(", "))),
    );
}

impl<B> Nameable for Memory<B> {
    fn take_name(&self, name: &str) {
        store::if_open(self.module.key, |b| {
            let name = b.scopes.iter().rev().fold(name.to_string(), |n, scope| join(scope, &n));
            let mem = &mut b.def.mems[self.index as usize];
            if mem.name.is_empty() {
                mem.name = name;
            }
        });
    }
}
