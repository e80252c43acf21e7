//! Commands, stops and errors at random.

use super::{At, MigrationBench, Move, outcome};
use crate::bus::axi4::Response;
use fastrand::Rng;

/// Each page's place once all that was asked for has been done, and the places that are to be filled by then.
pub struct Planned {
    places: Vec<At>,
    targets: Vec<At>,
}

impl Planned {
    /// All pages are where they are.
    pub fn new(rig: &MigrationBench) -> Planned {
        Planned { places: rig.world.places.clone(), targets: vec![] }
    }
    /// May one more be given?
    pub fn has_room(&self, rig: &MigrationBench) -> bool {
        rig.under_way() == 0 || self.targets.len() < 4
    }
    /// A move of any page to any free place; now and then a wrong one.
    pub fn any(&mut self, rig: &MigrationBench, rng: &mut Rng) -> Move {
        if rig.under_way() == 0 {
            *self = Planned::new(rig);
        }
        let page = rng.u64(0..rig.world.shape.pages);
        let old = self.places[page as usize];
        let taken: Vec<At> = self.places.iter().chain(&self.targets).copied().collect();
        let to = rig.world.free(&taken, rng);
        let mut command = Move { page, from: old, to, tables: rig.world.tables[page as usize] };
        match rng.u32(0..12) {
            0 => command.from.1 ^= 64,
            1 => command.from.0 ^= 1,
            2 => command.to = old,
            3 => command.tables = 3,
            _ => self.places[page as usize] = to,
        }
        self.targets.push(to);
        command
    }
}

impl MigrationBench<'_> {
    /// Commands, stops and errors at random for so many cycles; at the end, all commands are waited for, or not.
    pub fn random(&mut self, rng: &mut Rng, cycles: u64, whole: bool) -> Result<(), String> {
        let rig = self;
        let mut planned = Planned::new(rig);
        let (mut quiet, mut stops) = (0, false);
        for cycle in 0..cycles {
            // after an error or a stop pages are elsewhere than was planned: then all commands are waited for
            let bad = rig.ended.last().is_some_and(|x| x.outcome != outcome::OKAY && x.outcome != outcome::MAPPING);
            if rig.under_way() == 0 || (!bad && planned.has_room(rig)) {
                let command = planned.any(rig, rng);
                rig.give(command);
            }
            match rng.u32(0..6000) {
                0 if quiet == 0 => {
                    let side = rng.usize(0..2);
                    let table = rig.world.table_range(side);
                    let from = rng.u64(0..table.start) / 4096 * 4096;
                    let range = if rng.bool() { table } else { from..from + 4096 };
                    rig.set_errors(side, vec![(range, Response::Decode)]);
                    quiet = 2000;
                }
                1 => rig.use_pages([0, 2, 6][rng.usize(0..3)]),
                2 => {
                    stops = true;
                    let now = rng.bool();
                    rig.stop([true, now]);
                }
                _ => (),
            }
            if stops && rng.u32(0..300) == 0 {
                stops = false;
                rig.stop([false; 2]);
            }
            if quiet == 1 {
                (0..2).for_each(|side| rig.set_errors(side, vec![]));
            }
            quiet = u64::saturating_sub(quiet, 1);
            rig.step().map_err(|error| format!("cycle {cycle}: {error}"))?;
        }
        (0..2).for_each(|side| rig.set_errors(side, vec![]));
        rig.stop([false; 2]);
        if whole { rig.finish(10_000_000) } else { Ok(()) }
    }
}
