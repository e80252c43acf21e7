//! Small pieces of logic that the number units share. Combinational.

use hdl::*;

/// Is `x` at least `least`? For narrow `x` and constants.
#[track_caller]
pub fn at_least(x: Signal, least: u32) -> Signal {
    assert!(u64::from(least) < 1 << x.width(), "{least} does not fit");
    (0..x.width()).fold(x.lit(1u32, 1), |so_far, i| {
        // what is decided by the lower bits counts where this one is equal
        if least >> i & 1 == 1 { x.bit(i) & so_far } else { x.bit(i) | so_far }
    })
}

/// The option that `index` names. Only the indices that `options` lists with them need to occur.
#[track_caller]
pub fn pick<B: Bundle>(index: Signal, options: &[(u32, B)]) -> B {
    let Some(top) = index.width().checked_sub(1) else { return options[0].1 };
    let (low, high): (Vec<_>, Vec<_>) = options.iter().copied().partition(|(i, _)| i >> top & 1 == 0);
    let half = |options: &[(u32, B)]| {
        if top == 0 || options.len() == 1 { options[0].1 } else { pick(index.trunc(top), options) }
    };
    match (low.is_empty(), high.is_empty()) {
        (true, _) => half(&high),
        (_, true) => half(&low),
        _ => index.bit(top).mux(half(&high), half(&low)),
    }
}

/// `x` moved by `by` places to the left (to the right if negative), in `width` bits; what falls out is lost.
#[track_caller]
pub fn moved(x: Signal, by: i32, width: u32) -> Signal {
    let x = match u32::try_from(by) {
        Ok(left) => {
            if left == 0 {
                x
            } else {
                x.cat(x.zeros(left))
            }
        }
        Err(_) if by.unsigned_abs() >= x.width() => x.zeros(1),
        Err(_) => x.drop_low(by.unsigned_abs()),
    };
    if x.width() >= width { x.trunc(width) } else { x.zext(width) }
}

/// `a + b + carry` with one chain of carry cells.
pub fn add_carry(a: Signal, b: Signal, carry: Signal) -> Signal {
    (a.cat(a.lit(1u32, 1)) + b.cat(carry)).drop_low(1)
}
