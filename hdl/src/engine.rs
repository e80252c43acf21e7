//! What drives a design in simulation, whatever runs it: the built-in [simulator](crate::sim::Simulator) and the
//! Verilator engine of crate `sim` both implement [`Engine`], so that one test text runs on either.

#[doc(hidden)]
pub mod access;
mod memory;
mod port_ref;
mod power_up;
pub(crate) mod range;

pub use crate::design::PortInfo;
pub use crate::ir::Signals;
pub use memory::{Backdoor, MemoryInfo};
pub use port_ref::PortRef;
pub use power_up::{Began, PowerUp};
pub(crate) use power_up::{environment_seed, fill};

use crate::ir::{Failure, Property};
use num_bigint::BigUint;

/// A running design.
///
/// Tests reach ports with `poke` and `peek`, which `dyn Engine` and every engine of kvforge have (see
/// [`port_access!`](crate::port_access)): by the signal in [`Design::ports`](crate::Design::ports), by name, or by index. The
/// methods here are what an engine offers beneath: ports by their index in [`Engine::ports`], wide values as little-endian
/// 64-bit limbs. Inputs start as 0, registers and memories with random contents ([`PowerUp`]). All methods that take a port or a clock
/// panic with its name (or the legal range) when it does not fit the call: such a call is a mistake in the test.
///
/// ```
/// use hdl::{engine::Engine, sim::Simulator, *};
/// # ports! { struct P() { input a: Signal = bits(8), output y: Signal = bits(8) } }
/// # #[module]
/// # fn delay() -> Result<Design<P>, Errors> {
/// #     let m = Module::new("delay");
/// #     let io = P::new(m);
/// #     let before = m.reg_reset(bits(8), 0);
/// #     before.set(io.a);
/// #     io.y.set(before);
/// #     m.finish(io)
/// # }
///
/// /// Runs on whatever engine it is given.
/// fn test(engine: &mut dyn Engine, ports: P) {
///     engine.reset(2);
///     engine.poke(ports.a, 7);
///     assert_eq!(engine.peek(ports.y), 0);
///     engine.step(); // a rising edge on all clocks
///     assert_eq!(engine.peek(ports.y), 7);
///     engine.poke_signed("a", -2); // by name, as two's complement
///     engine.step();
///     assert_eq!((engine.peek("y"), engine.peek_signed("y")), (254, -2));
/// }
///
/// let design = delay()?;
/// test(&mut Simulator::new(&design), design.ports);
/// # Ok::<(), Errors>(())
/// ```
pub trait Engine {
    /// The ports, in the order in which the design declares them.
    fn ports(&self) -> &[PortInfo];

    /// Sets an input of at most 64 bits. Panics if `value` has bits beyond its width.
    fn poke_u64(&mut self, port: usize, value: u64);

    /// Value of a port of at most 64 bits, after combinational logic has settled.
    fn peek_u64(&mut self, port: usize) -> u64;

    /// Sets an input of any width. `limbs` may be longer than needed when the excess is zero.
    fn poke_wide(&mut self, port: usize, limbs: &[u64]);

    /// Value of a port of any width; `limbs` beyond its width are set to zero. Panics if they are too few.
    fn peek_wide(&mut self, port: usize, limbs: &mut [u64]);

    /// Sets the reset of a domain (index into [`Engine::clocks`]): `true` is "in reset", whatever the polarity.
    fn set_reset(&mut self, domain: usize, active: bool);

    /// Names of the clocks, one for each domain of the design.
    fn clocks(&self) -> &[String];

    /// A rising edge, at one instant, on every clock whose bit is set in `clocks`.
    fn edge(&mut self, clocks: u64);

    /// The asserts and assumes that failed so far, each once: where it failed first.
    fn failures(&self) -> &[Failure] {
        &[]
    }

    /// With `true`, an assert or assume that fails is only kept in [`Engine::failures`]; else (as at the start) its edge panics
    /// with its message and source line, so that no test misses it.
    fn keep_failures(&mut self, keep: bool) {
        let _ = keep;
    }

    /// The covers of the whole hierarchy, each with its instance (hierarchical name, empty for the top) and the edges of its
    /// clock, out of reset, at which it held; by the names of the instances, then as they stand in the module.
    fn covers(&self) -> Vec<(&Property, &str, u64)> {
        vec![]
    }

    /// Chooses the value of an [`anyconst`](crate::Module::anyconst) or [`anyseq`](crate::Module::anyseq) by its hierarchical
    /// name, such as `u_fifo.tag`. It stays until the next choice; before the first it is 0.
    ///
    /// # Panics
    /// If there is none with this name (the message names those that there are), or the value does not fit.
    fn choose(&mut self, name: &str, value: BigUint) {
        check_choice(&[], name, &value);
    }

    /// Begins again as when power comes on: registers, and memories without initial contents, hold this; inputs are 0, resets
    /// inactive, and there was no edge yet.
    fn power_up(&mut self, contents: PowerUp);

    /// Edges so far (calls of [`Engine::edge`]).
    fn cycles(&self) -> u64;

    /// A rising edge on all clocks.
    fn step(&mut self) {
        self.edge(u64::MAX);
    }

    /// Holds all resets active for `cycles` edges of all clocks, then releases them.
    fn reset(&mut self, cycles: u32) {
        let domains = self.clocks().len();
        (0..domains).for_each(|d| self.set_reset(d, true));
        (0..cycles).for_each(|_| self.step());
        (0..domains).for_each(|d| self.set_reset(d, false));
    }

    /// Index of the port with this name, if there is one.
    fn port(&self, name: &str) -> Option<usize> {
        self.ports().iter().position(|p| p.name == name)
    }

    /// Width and value of a signal inside, by its hierarchical name such as `u_mul.product`; `None` if there is none, or if
    /// the engine does not know it. The built-in simulator knows every named signal.
    fn look_inside(&mut self, name: &str) -> Option<(u32, BigUint)> {
        let _ = name;
        None
    }

    /// The memories inside that the engine opens to tests; `memory` is how they reach them.
    fn memories(&self) -> &[MemoryInfo] {
        &[]
    }

    /// A word of a memory, by its index in [`Engine::memories`], into as many limbs as it takes.
    fn read_memory(&mut self, memory: usize, address: u64, limbs: &mut [u64]) {
        let _ = (address, limbs);
        panic!("there is no memory {memory}");
    }

    /// Replaces a word of a memory.
    fn write_memory(&mut self, memory: usize, address: u64, limbs: &[u64]) {
        let _ = (address, limbs);
        panic!("there is no memory {memory}");
    }
}

/// The number that little-endian limbs stand for.
pub fn big_from_limbs(limbs: &[u64]) -> BigUint {
    BigUint::new(limbs.iter().flat_map(|l| [*l as u32, (l >> 32) as u32]).collect())
}

/// Panics unless `limbs` fit the input `port`; the one check that every engine makes before a poke.
pub fn check_poke(port: &PortInfo, limbs: &[u64]) {
    let PortInfo { name, width, input, .. } = port;
    assert!(input, "cannot poke `{name}`: it is an output");
    let value = big_from_limbs(limbs);
    let fits = range::fits(&value, *width);
    assert!(fits, "cannot poke `{name}` ({width} bits) with {value}: legal is {}", range::legal(*width));
}

/// Index of the value with this name among those that a test may choose. Panics if there is none, or if `value` does not fit;
/// the one check that every engine makes before a choice.
pub fn check_choice(free: &[PortInfo], name: &str, value: &BigUint) -> usize {
    let Some(index) = free.iter().position(|f| f.name == name) else {
        let mut names: Vec<&str> = free.iter().map(|f| f.name.as_str()).collect();
        names.sort_unstable();
        let there =
            if names.is_empty() { "the design has none".into() } else { format!("there are: {}", names.join(", ")) };
        panic!("no anyconst or anyseq `{name}`, {there}");
    };
    let (used, width) = (value.bits(), free[index].width);
    assert!(used <= u64::from(width), "cannot choose `{name}`: the value has {used} bits, `{name}` has {width}");
    index
}
