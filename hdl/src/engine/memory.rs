//! Memories through the back door: read and written by a test, beside the ports of the design.

use super::{Engine, big_from_limbs, range};
use num_bigint::BigUint;

/// A memory inside a design.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryInfo {
    /// Hierarchical: instances and memory, with dots between them.
    pub name: String,
    /// Bits of a word.
    pub width: u32,
    /// Words.
    pub depth: u64,
}

impl MemoryInfo {
    /// 64-bit limbs that a word takes.
    pub fn limbs(&self) -> usize {
        self.width.div_ceil(64) as usize
    }
}

/// A memory of a running design, through the back door: from `memory` of any engine that opens its memories, such as the
/// built-in simulator.
///
/// A word is there at once, without a clock: asynchronous reads show it now, synchronous ones from the next edge on. Words
/// of a bundle are one number, as [`Bundle::pack`](crate::Bundle::pack) makes it.
///
/// ```
/// use hdl::{engine::Engine, sim::Simulator, *};
/// # ports! { struct P() { input at: Signal = bits(4), output word: Signal = bits(8) } }
/// # #[module]
/// # fn lookup() -> Result<Design<P>, Errors> {
/// #     let m = Module::new("lookup");
/// #     let io = P::new(m);
/// #     let words = m.memory(bits(8), 16);
/// #     words.write(io.at, io.at.zext(8), io.at.all());
/// #     io.word.set(words.read_sync(io.at));
/// #     m.finish(io)
/// # }
/// let design = lookup()?; // `words` is a memory of 16 bytes
/// let mut sim = Simulator::new(&design);
/// sim.memory("words").load(0, [3, 1, 4, 1, 5]);
/// assert_eq!(sim.memory("words").read(2), 4);
/// sim.poke(design.ports.at, 4);
/// sim.step();
/// assert_eq!(sim.peek(design.ports.word), 5);
/// # Ok::<(), Errors>(())
/// ```
pub struct Backdoor<'e> {
    engine: &'e mut dyn Engine,
    index: usize,
}

impl<'e> Backdoor<'e> {
    /// The memory with this hierarchical name.
    ///
    /// # Panics
    /// If the engine opens none of this name.
    #[track_caller]
    pub fn open(engine: &'e mut dyn Engine, name: &str) -> Backdoor<'e> {
        let all = engine.memories();
        if let Some(index) = all.iter().position(|m| m.name == name) {
            return Backdoor { engine, index };
        }
        let names: Vec<String> = all.iter().map(|m| format!("`{}`", m.name)).collect();
        match names.is_empty() {
            true => panic!("there is no memory `{name}`: this engine opens none"),
            false => panic!("there is no memory `{name}`; the memories are {}", names.join(", ")),
        }
    }

    fn info(&self) -> &MemoryInfo {
        &self.engine.memories()[self.index]
    }

    /// Bits of a word.
    pub fn width(&self) -> u32 {
        self.info().width
    }

    /// Words.
    pub fn depth(&self) -> u64 {
        self.info().depth
    }

    /// A word of at most 64 bits.
    ///
    /// # Panics
    /// If words are wider, or the address is past the end.
    #[track_caller]
    pub fn read(&mut self, address: u64) -> u64 {
        let info = self.info();
        assert!(info.width <= 64, "words of `{}` have {} bits: use `read_big`", info.name, info.width);
        self.limbs(address)[0]
    }

    /// A word.
    ///
    /// # Panics
    /// If the address is past the end.
    #[track_caller]
    pub fn read_big(&mut self, address: u64) -> BigUint {
        big_from_limbs(&self.limbs(address))
    }

    #[track_caller]
    fn limbs(&mut self, address: u64) -> Vec<u64> {
        self.check(address);
        let mut limbs = vec![0; self.info().limbs()];
        self.engine.read_memory(self.index, address, &mut limbs);
        limbs
    }

    /// Replaces a word, of any width, by a number of at most 64 bits.
    ///
    /// # Panics
    /// If the address is past the end, or the word does not fit.
    #[track_caller]
    pub fn write(&mut self, address: u64, word: u64) {
        self.write_big(address, &word.into());
    }

    /// Replaces a word.
    ///
    /// # Panics
    /// As [`Backdoor::write`].
    #[track_caller]
    pub fn write_big(&mut self, address: u64, word: &BigUint) {
        self.check(address);
        let MemoryInfo { name, width, .. } = self.info();
        let legal = range::legal(*width);
        assert!(range::fits(word, *width), "cannot write {word} to `{name}` (words of {width} bits): legal is {legal}");
        let mut limbs = word.to_u64_digits();
        limbs.resize(self.info().limbs(), 0);
        self.engine.write_memory(self.index, address, &limbs);
    }

    /// Replaces words, from an address on.
    ///
    /// # Panics
    /// As [`Backdoor::write`].
    #[track_caller]
    pub fn load(&mut self, from: u64, words: impl IntoIterator<Item = u64>) {
        for (address, word) in (from..).zip(words) {
            self.write(address, word);
        }
    }

    #[track_caller]
    fn check(&self, address: u64) {
        let MemoryInfo { name, depth, .. } = self.info();
        assert!(address < *depth, "`{name}` has no word {address}: legal is 0 to {}", depth - 1);
    }
}
