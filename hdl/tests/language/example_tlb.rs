//! A TLB of 16 sets with 4 ways: a lookup in each cycle, pseudo-LRU replacement.

use hdl::logic::{TreePlru, first_one, index_of_one_hot, mux1h, one_hot};
use hdl::{engine::Engine, sim::Simulator, *};

const SETS: usize = 16;
const WAYS: usize = 4;

#[derive(Clone, Copy, Bundle)]
struct Entry {
    tag: Signal,
    frame: Signal,
}

ports! {
    struct TlbPorts() {
        /// A page is looked up in this cycle, which counts as a use of it.
        input lookup: Signal = bits(1),
        input page: Signal = bits(20),
        /// It is there, at this frame; in the same cycle.
        output hit: Signal = bits(1),
        output frame: Signal = bits(20),
        /// The entry of another page is written, in the place of an old one; or it is dropped.
        input fill: Signal = bits(1),
        input invalidate: Signal = bits(1),
        input new_page: Signal = bits(20),
        input new_frame: Signal = bits(20),
    }
}

#[module]
fn tlb() -> Result<Design<TlbPorts>, Errors> {
    let m = Module::new("tlb");
    let io = TlbPorts::new(m);
    let plru = TreePlru::new(WAYS);
    let valid = m.reg_file_reset(bits(WAYS as u32), SETS, 0); // a bit for each way
    let ages = m.reg_file_reset(plru.state(), SETS, 0);
    let entries = m.reg_file(vector(Entry { tag: bits(16), frame: bits(20) }, WAYS), SETS);
    let find = |set: Signal, tag: Signal| {
        Vector::of(entries.at(set).into_iter().map(|e| e.tag.eq(tag))).pack() & valid.at(set)
    };

    m.section("lookup");
    let (set, tag) = (io.page.trunc(4), io.page.drop_low(4));
    let hits = find(set, tag);
    let hit = hits.any();
    let used = plru.used(ages.at(set), index_of_one_hot(hits));
    m.when(io.lookup & hit, || ages.at(set).set(used));
    io.hit.set(hit);
    io.frame.set(mux1h(hits, &entries.at(set)).frame);

    m.section("update: the way of the page, else a free one, else an old one");
    let (new_set, new_tag) = (io.new_page.trunc(4), io.new_page.drop_low(4));
    let (holds, before) = (find(new_set, new_tag), valid.at(new_set));
    let free = first_one(!before);
    let victim = free.any.mux(free.index, plru.victim(ages.at(new_set)));
    let way = holds.any().mux(index_of_one_hot(holds), victim);
    m.when(io.invalidate, || valid.at(new_set).set(before & !holds));
    m.when(io.fill, || {
        entries.at(new_set).at(way).set(Entry { tag: new_tag, frame: io.new_frame });
        valid.at(new_set).set(before | one_hot(way, WAYS));
        ages.at(new_set).set(plru.used(ages.at(new_set), way));
    });
    m.finish(io)
}

#[test]
fn keeps_what_was_used() {
    let design = tlb().unwrap();
    let (mut sim, io) = (Simulator::new(&design), design.ports);
    let update = |sim: &mut Simulator, command, page| {
        sim.poke_bundle((command, io.new_page, io.new_frame), [1, page, page ^ 0xabcde]);
        sim.step();
        sim.poke(command, 0);
    };
    let look = |sim: &mut Simulator, page| {
        sim.poke_bundle((io.lookup, io.page), [1, page]);
        let there = sim.peek(io.hit) == 1 && sim.peek(io.frame) == page ^ 0xabcde;
        sim.step();
        there
    };
    sim.reset(2);
    (0..64).for_each(|page| update(&mut sim, io.fill, page));
    assert!((0..64).all(|page| look(&mut sim, page)) && look(&mut sim, 5));
    update(&mut sim, io.fill, 0x1_0005); // set 5 is full: 37 is in the half that was not used last, and older there than 53
    assert_eq!([5, 21, 37, 53, 0x1_0005].map(|page| look(&mut sim, page)), [true, true, false, true, true]);
    update(&mut sim, io.invalidate, 21);
    assert_eq!([5, 21, 53].map(|page| look(&mut sim, page)), [true, false, true]);
    update(&mut sim, io.fill, 0x2_0005); // into the free way
    update(&mut sim, io.fill, 5); // it is there already
    assert_eq!([5, 21, 53, 0x1_0005, 0x2_0005].map(|page| look(&mut sim, page)), [true, false, true, true, true]);
    assert_eq!((0..0x4_0000).filter(|page| look(&mut sim, *page)).count(), 64);
}
