//! Ports: a struct whose fields are the ports of a module, declared with widths and docs in one place.

/// Declares the ports of a module.
///
/// ```
/// use hdl::*;
/// ports! {
///     /// Ports of an adder with a registered sum.
///     pub struct AdderPorts(width: u32) {
///         /// First summand.
///         input a: Signal = bits(width),
///         /// Second summand.
///         input b: Signal = bits(width),
///         /// Sum of the cycle before, with its carry.
///         output sum: Signal = bits(width + 1),
///     }
/// }
/// ```
///
/// The struct gets `new(module, width)`, which declares the ports in this order.
#[macro_export]
macro_rules! ports {
    ($(#[$meta:meta])* $vis:vis struct $name:ident ($($arg:ident : $argty:ty),* $(,)?) {
        $( $(#[doc = $doc:literal])* $dir:ident $field:ident : $ty:ty = $shape:expr ),* $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy)]
        $vis struct $name { $( $(#[doc = $doc])* $vis $field: $ty ),* }
        impl $name {
            /// Declares the ports in a module. Errors about a port point to this declaration.
            $vis fn new(module: impl Into<$crate::Module> $(, $arg: $argty)*) -> Self {
                let module: $crate::Module = module.into();
                $( let $field: $ty = module.port(
                    stringify!($field), concat!("" $(, $doc)*), $crate::port_direction!($dir), $shape); )*
                Self { $($field),* }
            }
        }
        impl $crate::Ports for $name {
            fn map_ports(&self, f: &mut dyn FnMut($crate::Signal) -> $crate::Signal) -> Self {
                Self { $($field: $crate::Bundle::map(&self.$field, &mut |_, _, s| f(s))),* }
            }
        }
    };
}

/// `input` is true, `output` false; anything else does not compile.
#[doc(hidden)]
#[macro_export]
macro_rules! port_direction {
    (input) => {
        true
    };
    (output) => {
        false
    };
}
