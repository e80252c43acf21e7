//! Errors of vectors, of elements that signals choose, and of the logic made with them: tests/errors/NAME.txt. `BLESS=1` renews
//! the files.
#![allow(missing_docs)]

use crate::common;

use common::mistakes::{panics, reports};
use hdl::logic::{TreePlru, UpDown, mux1h, one_hot};
use hdl::*;

#[derive(Clone, Copy, Bundle)]
struct Entry {
    valid: Signal,
    tags: Vector,
}

fn entry(tags: usize) -> Entry {
    Entry { valid: bits(1), tags: vector(bits(4), tags) }
}

#[test]
#[module]
fn lengths() {
    reports("vector_lengths", |m, io| {
        let (four, three) = (m.wire(vector(bits(4), 4)), m.wire(vector(bits(4), 3)));
        three.iter().for_each(|x| x.set(io.b));
        four.set(three);
        io.y.set(four.at(io.b.trunc(2)).zext(8));
    });
    reports("vector_lengths_mux", |m, io| {
        let (two, one) = (m.reg(entry(2)), m.reg(entry(1)));
        [two.valid, one.valid].iter().for_each(|x| x.set(io.c));
        [two.tags[0], two.tags[1], one.tags[0]].iter().for_each(|x| x.set(io.b));
        io.y.set(io.c.mux(two, one).tags[0].zext(8));
    });
    reports("vector_lengths_list", |m, io| {
        let two = m.wire(vector(bits(4), 2));
        two.set(vec![io.b, io.b, io.b]);
        io.y.set(two[0].cat(two[1]));
    });
}

#[test]
#[module]
fn lengths_that_no_vector_has() {
    panics("vector_empty", || vector(bits(4), 0));
    panics("vector_lengths_shape", || entry(1).set(entry(3)));
    reports("vector_too_long", |m, io| {
        let long = m.reg_file(bits(1), 65_537);
        io.y.set(long[0].zext(8));
    });
    reports("register_file_too_large", |m, io| {
        let large = m.reg_file(bits(64), 32_768);
        large.at(io.a.zext(15)).set(io.a.zext(64));
        io.y.set(large[0].trunc(8));
    });
}

#[test]
#[module]
fn shapes() {
    reports("vector_shapes", |_, io| {
        let different = Vector::of([io.a, io.b.zext(8), io.b]);
        io.y.set(different[0]);
    });
    reports("elements_shapes", |_, io| {
        let different = [io.a, io.b];
        io.y.set(different.at(io.c));
    });
    reports("elements_another_module", |_, io| {
        let other = Module::new("other").lit(1u32, 8);
        let mixed = [io.a, other];
        io.y.set(mixed.at(io.c));
    });
}

#[test]
#[module]
fn indices() {
    reports("element_index_width", |m, io| {
        let four = m.reg(vector(bits(8), 4));
        four.at(io.b).set(io.a);
        io.y.set(four.at(io.c));
    });
    reports("element_index_constant", |m, io| {
        let three = m.reg(vector(bits(8), 3));
        three.at(m.lit(3u32, 2)).set(io.a);
        three.set([io.a; 3]);
        io.y.set(three.at(m.lit(2u32, 2)));
    });
    reports("element_index_of_one", |m, io| {
        let one = m.reg(vector(bits(8), 1));
        one.at(io.b).set(io.a);
        io.y.set(io.c.part(io.b, 1).zext(8) ^ one[0]);
    });
}

#[test]
#[module]
fn assignments() {
    reports("element_assign_input", |m, io| {
        let wire = m.wire(bits(8));
        wire.set(0);
        [wire, io.a].at(io.c).set(io.a + 1);
        io.y.set(wire);
    });
    reports("element_assign_width", |m, io| {
        let four = m.reg_file(bits(8), 4);
        four.at(io.b.trunc(2)).set(io.b);
        io.y.set(four[0]);
    });
    reports("element_latch", |m, io| {
        let two = m.wire(vector(bits(8), 2));
        two.at(io.c).set(io.a);
        io.y.set(two[0] ^ two[1]);
    });
    reports("register_file_reset", |m, io| {
        let file = m.reg_file_reset(bits(4), 4, 16);
        file.at(io.b.trunc(2)).set(io.b);
        io.y.set(file[0].zext(8));
    });
    reports("register_file_enable", |m, io| {
        let file = m.reg_file(bits(4), 4);
        file[0].set(io.b);
        file[0].enable(io.c);
        io.y.set(file[0].zext(8));
    });
    reports("register_file_of_streams", |m, io| {
        let file = m.reg_file(stream(bits(8)), 2);
        file[0].set(Stream { valid: io.c, ready: io.c, payload: io.a });
        io.y.set(file[0].payload);
    });
}

#[test]
#[module]
fn logic() {
    reports("logic_one_hot", |_, io| {
        io.y.set(one_hot(io.b, 8));
    });
    reports("logic_mux1h", |_, io| {
        io.y.set(mux1h(io.b, &[io.a, io.a, io.a]));
    });
    reports("logic_plru", |m, io| {
        let state = m.reg(TreePlru::new(4).state());
        state.set(TreePlru::new(4).used(state, io.b));
        io.y.set(TreePlru::new(8).victim(state).zext(8) ^ TreePlru::new(3).victim(state.trunc(2)).zext(8));
    });
    reports("logic_up_down", |m, io| {
        let count = UpDown::from(m, 5, 6);
        count.count(io.c, io.a);
        io.y.set(count.level.zext(8));
    });
}

/// What has nothing to choose from cannot go on.
#[test]
fn no_elements() {
    panics("elements_none", || {
        let none: Vec<Signal> = vec![];
        none.at(Module::new("example").lit(0u32, 1))
    });
}

#[test]
#[module]
fn nothing_to_choose_from() {
    panics("logic_mux1h_none", || {
        let none: Vec<Signal> = vec![];
        mux1h(Module::new("example").lit(0u32, 1), &none)
    });
    reports("vector_empty_in_a_module", |m, io| {
        let none = m.wire(vector(bits(8), 0));
        none.iter().for_each(|x| x.set(io.a));
        io.y.set(io.a);
    });
    reports("logic_plru_too_many", |m, io| {
        let plru = TreePlru::new(1 << 17);
        let ages = m.reg_reset(plru.state(), 0);
        ages.set(ages);
        io.y.set(plru.victim(ages).trunc(8));
    });
}

#[test]
fn widths_beyond_all_bounds() {
    reports("width_too_large", |_, io| {
        let long = io.a.repeat(1 << 21);
        let longer = cat(&[long, io.a]);
        io.y.set(longer.trunc(8) ^ io.a.repeat(u32::MAX).trunc(1).zext(8));
    });
}

/// A number of Rust that names no element cannot go on either.
#[test]
fn elements_beyond_the_end() {
    panics("element_beyond_the_end", || {
        let four = Module::new("example").reg(vector(bits(8), 4));
        four[7]
    });
    panics("elements_beyond_the_end", || {
        let four = Module::new("example").reg(vector(bits(8), 4));
        four[2..5].to_vec()
    });
    let (last, two) = (vector(bits(8), 4)[3], vector(bits(8), 4)[1..3].len());
    assert_eq!((last.width(), two), (8, 2));
}
