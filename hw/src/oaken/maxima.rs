//! Maxima: the largest magnitude of each group and side over a vector (docs/oaken-format.md, section 5, step 2).
//!
//! A tree over the lanes of a beat, a register after each level, then a running maximum over the beats. The shift of a group is
//! monotone, so the maxima of the raw magnitudes are enough and no lane subtracts a threshold. The first level compares each
//! pair of lanes once, whatever their groups are, and selects for all five maxima. With more than 16 lanes it has a register between
//! the two.
//!
//! Ports: a beat a cycle, no handshake; `done` with the result [`latency`] cycles after the last beat of a vector. Parameter:
//! lanes, a power of two from 1 to 64. Nothing is combinational from port to port.

use super::classify::{CLASSIFIED_BITS, Classified, classified};
use super::types::GROUP;
use hdl::*;

/// The five maxima, 0 where there is no element.
#[derive(Clone, Copy, Bundle)]
pub struct Maxima {
    /// Outer group, positive side.
    pub outer_pos: Signal,
    /// Outer group, negative side.
    pub outer_neg: Signal,
    /// Middle group, positive side.
    pub middle_pos: Signal,
    /// Middle group, negative side.
    pub middle_neg: Signal,
    /// Inner group, both sides.
    pub inner: Signal,
}

/// Shape of [`Maxima`].
pub fn maxima_shape() -> Maxima {
    Maxima { outer_pos: bits(15), outer_neg: bits(15), middle_pos: bits(15), middle_neg: bits(15), inner: bits(15) }
}

ports! {
    /// Ports of [`maxima`].
    pub struct MaximaPorts(lanes: u32) {
        /// A beat is there.
        input valid: Signal = bits(1),
        /// It is the first of its vector.
        input first: Signal = bits(1),
        /// It is the last of its vector.
        input last: Signal = bits(1),
        /// Its elements, the first in the low bits.
        input elements: Signal = bits(lanes * CLASSIFIED_BITS),
        /// A remark on the beat, for example that it held a NaN.
        input remark: Signal = bits(1),
        /// The maxima of a vector are there.
        output done: Signal = bits(1),
        /// The maxima.
        output maxima: Maxima = maxima_shape(),
        /// Any beat of the vector had the remark.
        output remarked: Signal = bits(1),
    }
}

/// Cycles from the last beat to the result.
pub fn latency(lanes: u32) -> u32 {
    lanes.ilog2().max(1) + 1 + u32::from(lanes > GROUP)
}

/// In which of the five classes an element is, in the order of [`Maxima`].
fn classes(x: Classified) -> [Signal; 5] {
    let middle = !x.outlier();
    [x.outer & !x.sign, x.outer & x.sign, middle & !x.sign, middle & x.sign, x.inner]
}

fn from_array([outer_pos, outer_neg, middle_pos, middle_neg, inner]: [Signal; 5]) -> Maxima {
    Maxima { outer_pos, outer_neg, middle_pos, middle_neg, inner }
}

/// The maxima of one element.
fn one(x: Classified) -> Maxima {
    from_array(classes(x).map(|member| member.repeat(15) & x.magnitude))
}

/// The maxima of two elements, with one comparison.
#[module]
fn pair(a: Classified, b: Classified, fast: bool) -> Maxima {
    let a_wins = a.magnitude.ge(b.magnitude);
    let (in_a, in_b) = (classes(a), classes(b));
    from_array(std::array::from_fn(|i| {
        let take = (in_a[i] & (a_wins | !in_b[i]), in_b[i] & !(in_a[i] & a_wins));
        let (take_a, take_b) = if fast { take.next() } else { take };
        (take_a.repeat(15) & a.magnitude.meet(take_a)) | (take_b.repeat(15) & b.magnitude.meet(take_a))
    }))
}

fn larger(a: Maxima, b: Maxima) -> Maxima {
    a.zip(&b, &mut |a, b| a.ge(b).mux(a, b))
}

/// The maxima over vectors of beats of `lanes` elements.
#[module]
pub fn maxima(lanes: u32) -> Result<Design<MaximaPorts>, Errors> {
    let m = Module::new(format!("oaken_maxima_p{lanes}"));
    m.doc("The largest magnitude of each group and side over a vector.");
    let io = MaximaPorts::new(m, lanes);
    let p = m.pipeline("maxima");
    let valid = p.enter_valid(io.valid);
    let (first, last) = p.enter((io.first, io.last));
    let elements: Vec<Classified> =
        p.enter(io.elements).lanes(CLASSIFIED_BITS).into_iter().map(|x| classified().unpack(x)).collect();

    m.section("the tree over the lanes");
    let mut level: Vec<Maxima> = match &elements[..] {
        [x] => vec![one(*x).next()],
        _ => elements.chunks(2).map(|x| pair(x[0], x[1], lanes > GROUP).next()).collect(),
    };
    for depth in 1.. {
        level.iter().enumerate().for_each(|(i, x)| {
            let _ = x.named(&format!("level{depth}_{i}"));
        });
        if level.len() == 1 {
            break;
        }
        level = level.chunks(2).map(|x| larger(x[0], x[1]).next()).collect();
    }
    let beat = level[0];

    m.section("the running maximum over the beats");
    let so_far = p.state(m.reg(maxima_shape()), beat);
    let remarked = p.state(m.reg(bits(1)), beat);
    let valid = valid.meet(beat);
    let first = first.meet(beat);
    let remark = p.enter(io.remark).meet(beat);
    m.when(valid, || {
        so_far.set(first.mux(beat, larger(so_far, beat)));
        remarked.set(remark | (remarked & !first));
    });
    let done = p.valid(valid & last.meet(beat)).next();
    io.done.set(p.leave(done));
    io.maxima.set(p.leave(p.after(so_far)));
    io.remarked.set(p.leave(p.after(remarked)));
    m.finish(io)
}
