//! How quickly lists of pages move.

use super::*;

/// Moves so many pages of the same direction. Gives the part of the slower bus that it takes, from the first beat of data to the last.
fn rate(width: u32, page_bits: u32, pages: u64, (bandwidth, most, latency): ([u64; 2], usize, u64)) -> f64 {
    let design = build(migration("migration", params(width, page_bits)));
    let mut engine = jit::simulator(&design);
    let mut rng = Rng::with_seed(::sim::bus::seed(1));
    let shape = Shape { page_bits, pages, places: 2 * pages };
    let mut world = World::new(shape, &mut rng);
    // all lie in the fast memory, and may be written
    for page in 0..pages {
        world.places[page as usize] = (0, page);
        world.bytes[0].write(page << page_bits, &world.content[page as usize]);
        (world.tables[page as usize], world.writable[page as usize]) = (3, 3);
        for table in 0..2 {
            let (at, entry) = (world.entry_at(table, page), world.entry(table, page));
            world.bytes[table].write(at, &entry.to_le_bytes());
        }
    }
    let models = bandwidth.map(|bandwidth| MemoryModel { latency, bandwidth, ..Default::default() });
    let mut rig = rig(&mut engine, &design, world, (models, 1));
    rig.use_pages(most);
    for page in 0..pages {
        rig.give(Move { page, from: (0, page), to: (1, page), tables: 3 });
    }
    rig.finish(1 << 26).unwrap();
    assert!(rig.ended.iter().all(|x| x.outcome == outcome::OKAY));
    let (read, written) = (rig.memories[0].read_at(&rig.bench, 0), rig.memories[1].written_at(&rig.bench, 0));
    let beats = (pages << page_bits) / u64::from(width);
    assert_eq!((read.len() as u64, written.len() as u64), (beats, beats));
    let slower = *bandwidth.iter().min().unwrap() as f64 / 256.0;
    let rate = beats as f64 / slower / (written[written.len() - 1] - read[0] + 1) as f64;
    println!(
        "{} bits, {pages} pages of 2^{page_bits}, {bandwidth:?}, latency {latency}, {most} in use: {rate:.4}",
        8 * width
    );
    rate
}

#[test]
fn lists_of_pages_at_the_rate_of_the_slower_bus() {
    for width in [8, 16, 32] {
        for bandwidth in [[256, 256], [256, 128], [128, 256]] {
            let rate = rate(width, 16, 8, (bandwidth, 0, 40));
            assert!(rate >= 0.95, "{rate}");
        }
        let rate = rate(width, 16, 8, ([256; 2], 4, 40));
        assert!(rate >= 0.95, "{rate}");
    }
    let rate = rate(64, 18, 8, ([256; 2], 4, 40));
    assert!(rate >= 0.95, "{rate}");
}

/// Buffer and bursts hide memories of up to 256 cycles, at every width (in the short form the two widest, whose lists take the fewest cycles);
/// those that take longer make the list slower.
#[test]
fn the_latency_of_a_memory_is_hidden_up_to_256_cycles() {
    let rights = [
        (8, [0.9995, 0.9956, 0.9173, 0.7782]),
        (16, [0.9990, 0.9951, 0.9170, 0.7782]),
        (32, [0.9980, 0.9942, 0.9165, 0.7783]),
        (64, [0.9980, 0.9980, 0.9980, 0.9647]),
    ];
    let widths = if ::sim::bus::long() { &rights[..] } else { &rights[2..] };
    for (width, rights) in widths.iter().copied() {
        for (latency, right) in [200, 256, 300, 400].into_iter().zip(rights) {
            let rate = rate(width, 18, 8, ([256; 2], 0, latency));
            let what = format!("{} bits, a memory of {latency} cycles", 8 * width);
            assert!((rate - right).abs() < 0.0005, "{what}: {rate:.4}, not {right}");
        }
    }
}

/// The size of a page that H2M2 takes: a page at the narrowest bus, three at the widest.
#[test]
fn pages_of_2_mb_at_the_rate_of_the_slower_bus() {
    for (width, pages) in [(8, 1), (64, 3)] {
        let rate = rate(width, 21, pages, ([256; 2], 4, 40));
        assert!(rate >= 0.999, "{rate}");
    }
}

/// Pages that are copied sooner than their entries are marked and switched, and at 512 bits those of 64 KiB, which are not.
#[test]
fn small_pages_take_as_long_as_their_entries() {
    for (width, bits, in_use, right) in
        [(8, 12, 0, 0.984), (32, 12, 0, 0.551), (64, 12, 0, 0.275), (64, 16, 0, 0.996), (64, 16, 4, 0.996)]
    {
        let rate = rate(width, bits, 16, ([256; 2], in_use, 40));
        let what = format!("{} bits, pages of 2^{bits}, {in_use} in use", 8 * width);
        assert!((rate - right).abs() < 0.0005, "{what}: {rate:.4}, not {right}");
    }
}
