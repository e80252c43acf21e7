//! Pokes and peeks by signal, name or index, the same for all engines.

use super::{Engine, PortInfo, PortRef, big_from_limbs, range};
use crate::ir::Signal;
use num_bigint::BigUint;
use std::fmt::Display;

/// Gives an engine the methods by which tests reach ports: `poke` and `peek`, both also with
/// `_signed`, `_big` and `_bundle`, and `memory`. `dyn Engine` and the engines of kvforge have them.
///
/// They are no methods of [`Engine`](crate::engine::Engine) itself, which a test uses as `&mut dyn Engine`: they take a port in
/// any form, so they are generic.
#[macro_export]
macro_rules! port_access {
    ($engine:ty) => {
        impl $engine {
            /// Sets an input, of any width, to a number of at most 64 bits. The port is a signal of
            /// [`Design::ports`]($crate::Design::ports), a name or an index.
            ///
            /// # Panics
            /// If there is no such input (the message names the ports), or the value does not fit.
            #[inline]
            #[track_caller]
            pub fn poke<'p>(&mut self, port: impl Into<$crate::engine::PortRef<'p>>, value: u64) {
                $crate::engine::access::poke(self, port.into(), value)
            }

            /// As `poke`, as two's complement.
            ///
            /// # Panics
            /// As `poke`.
            #[track_caller]
            pub fn poke_signed<'p>(&mut self, port: impl Into<$crate::engine::PortRef<'p>>, value: i64) {
                $crate::engine::access::poke_signed(self, port.into(), value)
            }

            /// As `poke`, a number of any size.
            ///
            /// # Panics
            /// As `poke`.
            #[track_caller]
            pub fn poke_big<'p>(&mut self, port: impl Into<$crate::engine::PortRef<'p>>, value: &$crate::BigUint) {
                $crate::engine::access::poke_big(self, port.into(), value)
            }

            /// Value of a port of at most 64 bits, after combinational logic has settled.
            ///
            /// # Panics
            /// If there is no such port, or it is wider.
            #[inline]
            #[track_caller]
            pub fn peek<'p>(&mut self, port: impl Into<$crate::engine::PortRef<'p>>) -> u64 {
                $crate::engine::access::peek(self, port.into()).1
            }

            /// As `peek`, read as two's complement.
            ///
            /// # Panics
            /// As `peek`.
            #[track_caller]
            pub fn peek_signed<'p>(&mut self, port: impl Into<$crate::engine::PortRef<'p>>) -> i64 {
                let (width, value) = $crate::engine::access::peek(self, port.into());
                (value << (64 - width)) as i64 >> (64 - width)
            }

            /// Value of a port of any width.
            ///
            /// # Panics
            /// If there is no such port.
            #[track_caller]
            pub fn peek_big<'p>(&mut self, port: impl Into<$crate::engine::PortRef<'p>>) -> $crate::BigUint {
                $crate::engine::access::peek_big(self, port.into())
            }

            /// Sets the fields of a bundle that are inputs, in their order: of an input [`Stream`]($crate::Stream), valid
            /// and payload.
            ///
            /// # Panics
            /// As `poke`, and if there are more or fewer numbers than inputs.
            #[track_caller]
            pub fn poke_bundle(&mut self, bundle: impl $crate::engine::Signals, values: impl IntoIterator<Item = u64>) {
                let values: Vec<u64> = values.into_iter().collect();
                $crate::engine::access::poke_bundle(self, &bundle.signals(), &values)
            }

            /// Values of all fields of a bundle, in their order.
            ///
            /// # Panics
            /// As `peek`.
            #[track_caller]
            pub fn peek_bundle(&mut self, bundle: impl $crate::engine::Signals) -> Vec<u64> {
                let mut values = vec![];
                for signal in bundle.signals() {
                    values.push(self.peek(signal));
                }
                values
            }

            /// A memory inside, by its hierarchical name such as `core.ring`, through the back door.
            ///
            /// # Panics
            /// If the engine opens no memory of this name (the message names those that there are).
            #[track_caller]
            pub fn memory(&mut self, name: &str) -> $crate::engine::Backdoor<'_> {
                $crate::engine::Backdoor::open(self, name)
            }
        }
    };
}

port_access!(dyn Engine + '_);

/// What stands in the place of a value in a message.
fn of(port: PortRef) -> String {
    match port {
        PortRef::Name(name) => format!("`{name}`"),
        _ => "a port".into(),
    }
}

/// The index of an input.
#[inline]
#[track_caller]
fn input(ports: &[PortInfo], port: PortRef) -> usize {
    let index = match port {
        PortRef::Index(index) if index < ports.len() => index,
        // no closures here: a panic in one would not name the line of the test
        _ => match port.find(ports) {
            Ok(index) => index,
            Err(problem) => panic!("cannot poke {}: {problem}", of(port)),
        },
    };
    assert!(ports[index].input, "cannot poke `{}`: it is an output", ports[index].name);
    index
}

/// As the method that [`port_access!`](crate::port_access) makes.
#[inline]
#[track_caller]
pub fn poke<E: Engine + ?Sized>(engine: &mut E, port: PortRef, value: u64) {
    let index = input(engine.ports(), port);
    match engine.ports()[index].width {
        65.. => engine.poke_wide(index, &[value]),
        64 => engine.poke_u64(index, value),
        width if value >> width == 0 => engine.poke_u64(index, value),
        width => misfit(&engine.ports()[index].name, width, &value, &range::legal(width)),
    }
}

#[cold]
#[track_caller]
fn misfit(name: &str, width: u32, value: &dyn Display, legal: &str) -> ! {
    panic!("cannot poke `{name}` ({width} bits) with {value}: legal is {legal}")
}

/// As the method that [`port_access!`](crate::port_access) makes.
#[track_caller]
pub fn poke_signed<E: Engine + ?Sized>(engine: &mut E, port: PortRef, value: i64) {
    let index = input(engine.ports(), port);
    let width = engine.ports()[index].width;
    match range::signed(value, width) {
        Some(limbs) => engine.poke_wide(index, &limbs),
        None => {
            let legal = range::legal_signed(width) + " for `poke_signed`";
            misfit(&engine.ports()[index].name, width, &value, &legal)
        }
    }
}

/// As the method that [`port_access!`](crate::port_access) makes.
#[track_caller]
pub fn poke_big<E: Engine + ?Sized>(engine: &mut E, port: PortRef, value: &BigUint) {
    let index = input(engine.ports(), port);
    let width = engine.ports()[index].width;
    match range::fits(value, width) {
        true => engine.poke_wide(index, &value.to_u64_digits()),
        false => misfit(&engine.ports()[index].name, width, value, &range::legal(width)),
    }
}

/// Width and value of a port, or of a signal inside.
#[inline]
#[track_caller]
pub fn peek<E: Engine + ?Sized>(engine: &mut E, port: PortRef) -> (u32, u64) {
    let ports = engine.ports();
    let index = match port {
        PortRef::Index(index) if index < ports.len() => Ok(index),
        _ => port.find(ports),
    };
    let (width, value) = match index {
        Ok(index) if ports[index].width <= 64 => return (ports[index].width, engine.peek_u64(index)),
        Ok(index) => panic!("`{}` has {} bits: use `peek_big`", ports[index].name, ports[index].width),
        Err(problem) => inside(engine, port, &problem),
    };
    match u64::try_from(&value) {
        Ok(value) if width <= 64 => (width, value),
        _ => panic!("{} has {width} bits: use `peek_big`", of(port)),
    }
}

/// Value of a port, or of a signal inside.
#[track_caller]
pub fn peek_big<E: Engine + ?Sized>(engine: &mut E, port: PortRef) -> BigUint {
    match port.find(engine.ports()) {
        Ok(index) => {
            let mut limbs = vec![0; engine.ports()[index].limbs()];
            engine.peek_wide(index, &mut limbs);
            big_from_limbs(&limbs)
        }
        Err(problem) => inside(engine, port, &problem).1,
    }
}

/// A signal that is no port, if it is named and the engine knows it.
#[cold]
#[track_caller]
fn inside<E: Engine + ?Sized>(engine: &mut E, port: PortRef, problem: &str) -> (u32, BigUint) {
    let found = match port {
        PortRef::Name(name) => engine.look_inside(name),
        _ => None,
    };
    match found {
        Some(found) => found,
        None => panic!("cannot peek at {}: {problem}", of(port)),
    }
}

/// As the method that [`port_access!`](crate::port_access) makes.
#[track_caller]
pub fn poke_bundle<E: Engine + ?Sized>(engine: &mut E, bundle: &[Signal], values: &[u64]) {
    let ports = engine.ports();
    let index = |signal: &Signal| PortRef::from(*signal).find(ports);
    let found: Result<Vec<usize>, String> = bundle.iter().map(index).collect();
    let all = match found {
        Ok(all) => all,
        Err(problem) => panic!("cannot poke a bundle: {problem}"),
    };
    let inputs: Vec<usize> = all.into_iter().filter(|index| ports[*index].input).collect();
    if inputs.len() != values.len() {
        let names: Vec<String> = inputs.iter().map(|index| format!("`{}`", ports[*index].name)).collect();
        let names = if names.is_empty() { "none".into() } else { names.join(", ") };
        panic!("cannot poke a bundle with {} values: its inputs are {names}", values.len());
    }
    for (index, value) in inputs.into_iter().zip(values) {
        poke(engine, index.into(), *value);
    }
}
