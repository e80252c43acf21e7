//! From the schedule to cranelift's functions. Truth values are bytes, everything else is 64 bits.

use crate::places::Places;
use crate::roots::{Roots, Store};
use crate::scalar::{Op, Word, Words};
use crate::schedule::{Function, Item};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I64};
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Type, Value};
use cranelift_codegen::isa::TargetFrontendConfig;
use cranelift_frontend::{FunctionBuilder, Switch};
use hdl::sim::native::{self, BRANCH, Group, Shape};

/// Writes functions, one after the other.
pub struct Emitter<'a> {
    pub words: &'a Words,
    pub roots: &'a Roots,
    pub memories: &'a [Shape],
    pub places: &'a Places,
    pub groups: &'a [Group],
    /// Items so far, counted as in [`Places`].
    at: usize,
    /// Values of the function in the making: as they are, and truth values as 64 bits.
    values: Vec<[Option<Value>; 2]>,
    /// What was entered into `values`, to be taken out at the end of a block or function.
    entered: Vec<(Word, usize)>,
}

/// The arguments of a function.
struct Arguments {
    slots: Value,
    limbs: Value,
    clocks: Value,
}

impl<'a> Emitter<'a> {
    pub fn new(
        words: &'a Words,
        roots: &'a Roots,
        memories: &'a [Shape],
        places: &'a Places,
        groups: &'a [Group],
    ) -> Emitter<'a> {
        let values = vec![[None; 2]; words.nodes.len()];
        Emitter { words, roots, memories, places, groups, at: 0, values, entered: vec![] }
    }

    /// Fills in the body of a function of slots, limbs of memories, and clocks.
    pub fn function(&mut self, function: &Function, mut builder: FunctionBuilder, config: TargetFrontendConfig) {
        let b = &mut builder;
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        b.seal_block(entry);
        let [slots, limbs, clocks] = [0, 1, 2].map(|i| b.block_params(entry)[i]);
        let a = Arguments { slots, limbs, clocks };
        for block in function {
            match block.gate {
                Some(gate) => self.gated(b, &a, gate, &block.items),
                None => {
                    self.at += 1;
                    self.items(b, &a, &block.items, true);
                }
            }
        }
        b.ins().return_(&[]);
        self.forget(0);
        builder.finalize(config);
    }

    /// Items that are left out unless the gate is 1.
    fn gated(&mut self, b: &mut FunctionBuilder, a: &Arguments, gate: Word, items: &[Item]) {
        let condition = self.natural(b, a, gate);
        self.at += 1;
        // What others still read is kept whether the block runs or not.
        for item in items {
            if let Item::Store(store) = item {
                self.save(b, a, store);
            }
        }
        let (inside, after) = (b.create_block(), b.create_block());
        b.ins().brif(condition, inside, &[], after, &[]);
        b.switch_to_block(inside);
        b.seal_block(inside);
        let outside = self.entered.len();
        self.items(b, a, items, false);
        self.forget(outside);
        b.ins().jump(after, &[]);
        b.switch_to_block(after);
        b.seal_block(after);
    }

    fn items(&mut self, b: &mut FunctionBuilder, a: &Arguments, items: &[Item], save: bool) {
        for item in items {
            match item {
                Item::Compute(word) => self.compute(b, a, *word),
                Item::Store(store) => {
                    if save {
                        self.save(b, a, store);
                    }
                    // A slot of one bit is a byte that is 0 or 1, and seven that stay 0.
                    let value = match store.mask {
                        1 => self.natural(b, a, store.value),
                        _ => self.int(b, a, store.value),
                    };
                    b.ins().store(MemFlagsData::trusted(), value, a.slots, 8 * store.slot as i32);
                }
                Item::Write(i) => self.write(b, a, *i),
                Item::Switch(group) => self.group(b, a, *group),
            }
            self.at += 1;
        }
    }

    /// Choices that are made together: a jump to the arm that is taken.
    fn group(&mut self, b: &mut FunctionBuilder, a: &Arguments, group: u32) {
        let group = &self.groups[group as usize];
        self.results(b, a, &group.before);
        let blocks: Vec<(u32, Block)> = group.arms.iter().map(|(number, _)| (*number, b.create_block())).collect();
        let (default, after) = (b.create_block(), b.create_block());
        self.jump(b, a, group, &blocks, default);
        let arms = group.arms.iter().map(|(_, arm)| arm).zip(blocks.into_iter().map(|(_, block)| block));
        for (arm, block) in arms.chain([(&group.default, default)]) {
            b.switch_to_block(block);
            b.seal_block(block);
            let outside = self.entered.len();
            for item in &arm.items {
                match *item {
                    native::Item::Node(word) => self.compute(b, a, word),
                    native::Item::Group(group) => self.group(b, a, group),
                }
            }
            self.results(b, a, &arm.results);
            self.forget(outside);
            b.ins().jump(after, &[]);
        }
        b.switch_to_block(after);
        b.seal_block(after);
    }

    /// The jump of a group to the blocks of its arms.
    fn jump(&mut self, b: &mut FunctionBuilder, a: &Arguments, group: &Group, blocks: &[(u32, Block)], default: Block) {
        if group.labels == BRANCH {
            let condition = self.natural(b, a, group.selector);
            b.ins().brif(condition, blocks[0].1, &[], default, &[]);
            return;
        }
        let selector = self.int(b, a, group.selector);
        let mut switch = Switch::new();
        for (value, arm) in self.words.labels[group.labels as usize].values() {
            if let Ok(at) = blocks.binary_search_by_key(arm, |(number, _)| *number) {
                switch.set_entry((*value).into(), blocks[at].1);
            }
        }
        switch.emit(b, selector, default);
    }

    /// Choices take values.
    fn results(&mut self, b: &mut FunctionBuilder, a: &Arguments, results: &[(Word, Word)]) {
        for &(member, word) in results {
            let value = self.operand(b, a, word, self.kind(member));
            b.ins().store(MemFlagsData::trusted(), value, a.slots, 8 * self.places.passed[&member] as i32);
        }
    }

    /// Values from here on are not there outside.
    fn forget(&mut self, begin: usize) {
        for (word, kind) in self.entered.drain(begin..) {
            self.values[word as usize][kind] = None;
        }
    }

    fn enter(&mut self, word: Word, kind: usize, value: Value) -> Value {
        self.values[word as usize][kind] = Some(value);
        self.entered.push((word, kind));
        value
    }

    /// Keeps what a state holds, if somebody reads it after it is stored.
    fn save(&mut self, b: &mut FunctionBuilder, a: &Arguments, store: &Store) {
        if let Some(place) = self.places.saved.get(&store.slot) {
            let old = b.ins().load(I64, MemFlagsData::trusted(), a.slots, 8 * store.slot as i32);
            b.ins().store(MemFlagsData::trusted(), old, a.slots, 8 * *place as i32);
        }
    }

    /// The type that a word has.
    fn kind(&self, word: Word) -> Type {
        if self.words.nodes[word as usize].truth { I8 } else { I64 }
    }

    /// A word as it is.
    fn natural(&mut self, b: &mut FunctionBuilder, a: &Arguments, word: Word) -> Value {
        if let Some(value) = self.values[word as usize][0] {
            return value;
        }
        let load = |b: &mut FunctionBuilder, kind, slot: u32| {
            b.ins().load(kind, MemFlagsData::trusted(), a.slots, 8 * slot as i32)
        };
        let kind = self.kind(word);
        let value = match self.words.op(word) {
            // Not kept: as an operand of one instruction it becomes part of it.
            Op::Const(value) => return b.ins().iconst(I64, value as i64),
            Op::Load(slot) if self.places.is_late(slot, self.at) => load(b, kind, self.places.saved[&slot]),
            Op::Load(slot) => load(b, kind, slot),
            Op::Clock(domain) => {
                let bit = b.ins().ushr_imm_u(a.clocks, i64::from(domain));
                let bit = b.ins().band_imm_u(bit, 1);
                b.ins().ireduce(I8, bit)
            }
            _ => load(b, kind, self.places.passed[&word]),
        };
        self.enter(word, 0, value)
    }

    /// A word as 64 bits.
    fn int(&mut self, b: &mut FunctionBuilder, a: &Arguments, word: Word) -> Value {
        if self.kind(word) == I64 {
            return self.natural(b, a, word);
        }
        if let Some(value) = self.values[word as usize][1] {
            return value;
        }
        let byte = self.natural(b, a, word);
        let value = b.ins().uextend(I64, byte);
        self.enter(word, 1, value)
    }

    /// A word as an operand of something that gives this type.
    fn operand(&mut self, b: &mut FunctionBuilder, a: &Arguments, word: Word, kind: Type) -> Value {
        match self.words.op(word) {
            Op::Const(value) if kind == I8 => b.ins().iconst(I8, value as i64),
            _ if kind == I8 => self.natural(b, a, word),
            _ => self.int(b, a, word),
        }
    }

    fn compute(&mut self, b: &mut FunctionBuilder, a: &Arguments, word: Word) {
        let kind = self.kind(word);
        let value = match self.words.op(word) {
            Op::And(x, y) => {
                let (x, y) = (self.operand(b, a, x, kind), self.operand(b, a, y, kind));
                b.ins().band(x, y)
            }
            Op::Or(x, y) => {
                let (x, y) = (self.operand(b, a, x, kind), self.operand(b, a, y, kind));
                b.ins().bor(x, y)
            }
            Op::Xor(x, y) => {
                let (x, y) = (self.operand(b, a, x, kind), self.operand(b, a, y, kind));
                b.ins().bxor(x, y)
            }
            Op::Select(c, x, y) => {
                let c = self.natural(b, a, c);
                let (x, y) = (self.operand(b, a, x, kind), self.operand(b, a, y, kind));
                b.ins().select(c, x, y)
            }
            Op::Read { mem, limb, addr } => {
                let shape = self.memories[mem as usize];
                let addr = self.int(b, a, addr);
                let at = word_at(b, a.limbs, shape, addr);
                b.ins().load(I64, MemFlagsData::trusted(), at, 8 * limb as i32)
            }
            op => self.arithmetic(b, a, op),
        };
        self.enter(word, 0, value);
        if let Some(place) = self.places.passed.get(&word) {
            b.ins().store(MemFlagsData::trusted(), value, a.slots, 8 * *place as i32);
        }
    }

    /// Operations whose operands are 64 bits.
    fn arithmetic(&mut self, b: &mut FunctionBuilder, a: &Arguments, op: Op) -> Value {
        let mut operands = [None; 3];
        let mut free = operands.iter_mut();
        op.each_operand(|w| {
            if let Some(place) = free.next() {
                *place = Some(self.int(b, a, w));
            }
        });
        let [Some(x), y, _] = operands else { unreachable!("{op:?} has operands") };
        let y = y.unwrap_or(x);
        match op {
            Op::Add(..) => b.ins().iadd(x, y),
            Op::Sub(..) => b.ins().isub(x, y),
            Op::Mul(..) => b.ins().imul(x, y),
            Op::MulHigh(..) => b.ins().umulhi(x, y),
            Op::Shl(_, by) => b.ins().ishl_imm_u(x, i64::from(by)),
            Op::Shr(_, by) => b.ins().ushr_imm_u(x, i64::from(by)),
            Op::Sar(_, by) => b.ins().sshr_imm_u(x, i64::from(by)),
            Op::ShlBy(..) => b.ins().ishl(x, y),
            Op::ShrBy(..) => b.ins().ushr(x, y),
            Op::SarBy(..) => b.ins().sshr(x, y),
            Op::Eq(..) => b.ins().icmp(IntCC::Equal, x, y),
            Op::Ne(..) => b.ins().icmp(IntCC::NotEqual, x, y),
            Op::Lt(..) => b.ins().icmp(IntCC::UnsignedLessThan, x, y),
            Op::LtSigned(..) => b.ins().icmp(IntCC::SignedLessThan, x, y),
            Op::Popcount(_) => b.ins().popcnt(x),
            _ => unreachable!("{op:?} is emitted elsewhere"),
        }
    }

    /// A word of a memory takes its new bits.
    fn write(&mut self, b: &mut FunctionBuilder, a: &Arguments, index: usize) {
        let write = &self.roots.writes[index];
        let addr = self.int(b, a, write.addr);
        let at = word_at(b, a.limbs, self.memories[write.mem as usize], addr);
        for (i, &(data, mask)) in write.limbs.iter().enumerate() {
            let offset = 8 * i as i32;
            let mut value = self.int(b, a, data);
            if self.words.as_const(mask) != Some(u64::MAX) {
                let mask = self.int(b, a, mask);
                let old = b.ins().load(I64, MemFlagsData::trusted(), at, offset);
                let kept = b.ins().band_not(old, mask);
                let new = b.ins().band(value, mask);
                value = b.ins().bor(kept, new);
            }
            b.ins().store(MemFlagsData::trusted(), value, at, offset);
        }
    }
}

/// Address of a word.
fn word_at(b: &mut FunctionBuilder, limbs: Value, shape: Shape, addr: Value) -> Value {
    let bytes = b.ins().imul_imm_s(addr, 8 * shape.stride as i64);
    let start = b.ins().iadd_imm_s(limbs, 8 * shape.start as i64);
    b.ins().iadd(start, bytes)
}
