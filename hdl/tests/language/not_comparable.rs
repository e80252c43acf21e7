//! What stands for hardware has no equality, order or hash in Rust: those would speak of handles, not of values.

#![allow(missing_docs)]

use hdl::*;

/// Does a type have a trait? An inherent constant wins over that of a trait, so that both answers compile.
macro_rules! has {
    ($type:ty: $($bound:tt)+) => {{
        #[allow(dead_code)]
        trait No {
            const HAS: bool = false;
        }
        impl<T: ?Sized> No for T {}
        #[allow(dead_code)]
        struct Ask<T: ?Sized>(std::marker::PhantomData<T>);
        #[allow(dead_code)]
        impl<T: ?Sized + $($bound)+> Ask<T> {
            const HAS: bool = true;
        }
        <Ask<$type>>::HAS
    }};
}

macro_rules! no_values {
    ($($type:ty),* $(,)?) => {$({
        let found = [
            ("PartialEq", has!($type: PartialEq)),
            ("PartialEq<u32>", has!($type: PartialEq<u32>)),
            ("PartialEq<i32>", has!($type: PartialEq<i32>)),
            ("PartialOrd", has!($type: PartialOrd)),
            ("Hash", has!($type: std::hash::Hash)),
            ("Into<bool>", has!($type: Into<bool>)),
        ];
        let found: Vec<_> = found.into_iter().filter(|(_, has)| *has).map(|(name, _)| name).collect();
        assert!(found.is_empty(), "{} has {found:?}", stringify!($type));
    })*};
}

#[derive(Clone, Copy, State)]
enum Phase {
    Idle,
    Run,
}

#[test]
fn hardware_is_not_compared_by_rust() {
    assert!(has!(u32: PartialEq) && has!(bool: Into<bool>), "the question works");
    no_values!(
        Signal,
        StateSignal<Phase>,
        Memory,
        Memory<(Signal, Signal)>,
        Stream,
        Instance<Signal>,
        Pipeline,
        Module
    );
    no_values!(When, Switch<Signal>, Foreign, Design<()>, (Signal, Signal));
    let _ = [Phase::Idle, Phase::Run];
}
