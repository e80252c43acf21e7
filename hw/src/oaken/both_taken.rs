//! Tells when a vector has left by two ports: the last beats of both its parts have been taken.

use hdl::{Bundle, Module, Signal, bits, clog2, module};

/// One bit, a register: in the cycle before, the second one of a vector's two parts was taken to its end. `dense` and `sparse` say that
/// the last beat of one is taken; either may be some vectors ahead of the other, `most` at most.
#[module]
pub fn both_taken(m: Module, dense: Signal, sparse: Signal, most: u32) -> Signal {
    let ahead = m.reg_reset(bits(clog2(most as usize + 1) + 1), 0);
    ahead.comment("dense parts that were taken before their sparse parts; below 0, the other way round");
    let sparse_is_ahead = ahead.msb();
    let dense_is_ahead = ahead.any() & !sparse_is_ahead;
    m.when(dense & !sparse, || ahead.set(ahead + 1)).elsewhen(sparse & !dense, || ahead.set(ahead - 1));
    let limit = |level: u32| ahead.eq(m.lit(level & ((2 << clog2(most as usize + 1)) - 1), ahead.width()));
    m.assert(!(dense & !sparse & limit(most)), "no dense part leaves of a vector that is not there");
    m.assert(!(sparse & !dense & limit(most.wrapping_neg())), "no sparse part leaves of a vector that is not there");
    let both = m.reg_reset(bits(1), 0);
    both.set((dense & sparse) | (dense & sparse_is_ahead) | (sparse & dense_is_ahead));
    both
}
