//! Memories against a vector of words.

use super::build::{Build, ByName, Random};
use crate::bus::run_seed;
use crate::engine::{Engine, PowerUp};
use crate::ir::*;
use num_bigint::BigUint;
use std::panic::Location;

fn memory(m: &mut Build, width: u32, depth: u32, init: Vec<BigUint>) -> u32 {
    let (reads, writes, attributes) = (vec![], vec![], vec![]);
    m.0.mems.push(Memory {
        name: "mem".into(),
        width,
        depth,
        init,
        reads,
        writes,
        attributes,
        crossing: None,
        loc: Location::caller(),
    });
    m.0.mems.len() as u32 - 1
}

fn read(m: &mut Build, mem: u32, addr: Id, sync: bool, enable: Option<Id>) {
    let port = m.0.mems[mem as usize].reads.len() as u32;
    let width = m.0.mems[mem as usize].width;
    let data = m.net("data", Net::MemRead(mem, port), width);
    m.0.mems[mem as usize].reads.push(ReadPort { addr, data, sync, enable, domain: 0 });
    m.output("q", data);
}

/// Two write ports with lanes, two sync reads (one with enable), one async read, on random traffic; depth not a power
/// of two, so that some addresses are past the end.
#[test]
fn random_traffic() {
    for (width, lanes) in [(8, 1), (32, 4), (64, 8), (65, 5), (96, 12), (200, 2), (200, 200)] {
        let depth = 11u32;
        let mut random = Random(run_seed(u64::from(width + lanes)));
        let init: Vec<BigUint> = (0..depth).map(|_| random.bits(width)).collect();
        let mut m = Build::new("traffic");
        let addr = ["a0", "a1", "a2", "a3", "a4"].map(|n| m.input(n, 4));
        let data = ["d0", "d1"].map(|n| m.input(n, width));
        let mask = ["m0", "m1"].map(|n| m.input(n, lanes));
        let en = m.input("en", 1);
        let mem = memory(&mut m, width, depth, init.clone());
        for i in 0..2 {
            let port = WritePort {
                addr: addr[i],
                data: data[i],
                mask: mask[i],
                domain: 0,
                section: 0,
                loc: std::panic::Location::caller(),
            };
            m.0.mems[mem as usize].writes.push(port);
        }
        read(&mut m, mem, addr[2], true, None);
        read(&mut m, mem, addr[3], true, Some(en));
        read(&mut m, mem, addr[4], false, None);
        let (mut sim, mut model) = (m.simulate(), init);
        sim.power_up(PowerUp::Zero);
        let mut q1 = BigUint::ZERO;
        let word = |model: &[BigUint], a: u64| model.get(a as usize).cloned().unwrap_or_default();
        for cycle in 0..400 {
            let a: Vec<u64> = (0..5).map(|_| random.below(13)).collect();
            // Often all ports meet at one address: there, order and age of data show.
            let a = if cycle % 3 == 0 { vec![a[0]; 5] } else { a };
            let d = [random.bits(width), random.bits(width)];
            let k = [random.bits(lanes), random.bits(lanes)];
            let enable = random.below(2);
            (0..5).for_each(|i| sim.poke(i, a[i]));
            (0..2).for_each(|i| sim.poke_big(5 + i, &d[i]));
            (0..2).for_each(|i| sim.poke_big(7 + i, &k[i]));
            sim.poke(9, enable);
            assert_eq!(sim.peek_big(12), word(&model, a[4]), "async read, cycle {cycle}");
            sim.step();
            let q0 = word(&model, a[2]);
            q1 = if enable == 1 { word(&model, a[3]) } else { q1 };
            for i in 0..2 {
                let lane = width / lanes;
                for l in (0..lanes).filter(|l| k[i].bit(u64::from(*l))) {
                    let bits = ((BigUint::from(1u8) << lane) - 1u8) << (l * lane);
                    if let Some(w) = model.get_mut(a[i] as usize) {
                        *w = ((&*w | &bits) ^ &bits) | (&d[i] & &bits);
                    }
                }
            }
            assert_eq!(sim.peek_big(10), q0, "sync read gives what was there before the write, cycle {cycle}");
            assert_eq!(sim.peek_big(11), q1, "sync read with enable {enable}, cycle {cycle}");
            assert_eq!(sim.peek_big(12), word(&model, a[4]), "async read after the edge, cycle {cycle}");
        }
    }
}

#[test]
fn a_memory_without_contents_starts_as_the_power_comes_up() {
    let mut m = Build::new("rom");
    let addr = m.input("addr", 2);
    let mem = memory(&mut m, 8, 4, vec![]);
    read(&mut m, mem, addr, false, None);
    let rom = memory(&mut m, 8, 4, [3u8, 1, 4, 1].map(BigUint::from).to_vec());
    read(&mut m, rom, addr, true, None);
    let mut sim = m.simulate();
    let mut words = |contents| {
        sim.power_up(contents);
        [3, 1, 4, 1]
            .into_iter()
            .enumerate()
            .map(|(addr, word)| {
                sim.put("addr", addr as u64);
                sim.step();
                assert_eq!(sim.peek(2), word);
                sim.peek(1)
            })
            .collect::<Vec<u64>>()
    };
    assert_eq!(words(PowerUp::Zero), [0; 4]);
    let (one, other) = (words(PowerUp::Random(1)), words(PowerUp::Random(2)));
    assert_ne!(one, other);
    assert_eq!(one, words(PowerUp::Random(1)));
}
