//! LAD's centres of keys: lists of dot products as the scores give them, and a check of the records.

mod keys;

pub use keys::{Kind, made_keys, random_dot, random_factor, random_key, recorded_keys};

use crate::bus::{Bench, Sink, Source, Stalls, StreamPorts};
use crate::golden::lad::number::{exceeds, norm, product, projection, reciprocal};
use crate::golden::lad::{KeyRecord, NO_CENTRES};
use hdl::engine::Engine;

/// Centres: their streams.
#[derive(Clone, Debug)]
pub struct CentresBench {
    /// The most positions.
    pub max_positions: usize,
    /// `s`.
    pub source: StreamPorts,
    /// `m`.
    pub sink: StreamPorts,
}

/// A centre beside a new key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CentreDot {
    /// Which.
    pub position: usize,
    /// Of its record.
    pub factor: u16,
    /// Its dot product with the new key.
    pub dot: i64,
    /// That is none.
    pub faulty: bool,
}

/// A new key with all that its record needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewKey {
    /// Which.
    pub position: usize,
    /// The cosine that is exceeded.
    pub threshold: u32,
    /// Its dot product with itself.
    pub square: i64,
    /// That is none.
    pub faulty: bool,
    /// The centres before it.
    pub centres: Vec<CentreDot>,
}

/// Why a list has no record, in the order of their codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It has one.
    Done,
    /// Positions are not in order.
    Order,
    /// A dot product is none.
    NotFinite,
    /// A factor or the square is none that steps make.
    Inconsistent,
}

/// When things happened.
#[derive(Clone, Debug)]
pub struct CentresTimes {
    /// The cycle in which each beat was taken.
    pub beats: Vec<u64>,
    /// The cycle in which each record came.
    pub records: Vec<u64>,
    /// Position, centre, factor, whether it is its own centre, cause.
    pub told: Vec<[u64; 5]>,
}

impl NewKey {
    /// Whether this is a list.
    pub fn cause(&self) -> Cause {
        let rises = self.centres.windows(2).all(|pair| pair[0].position < pair[1].position);
        let before = self.centres.iter().all(|centre| centre.position < self.position);
        match () {
            _ if !rises || !before => Cause::Order,
            _ if self.faulty || self.centres.iter().any(|centre| centre.faulty) => Cause::NotFinite,
            _ if self.square < 0 || self.centres.iter().any(|centre| centre.factor >= 0x7c00) => Cause::Inconsistent,
            _ => Cause::Done,
        }
    }

    /// Its record, of a list that is one: docs/lad.md, section 5.
    pub fn record(&self) -> KeyRecord {
        let own = |factor| KeyRecord { centre: self.position as u16, factor };
        let usable = |x: u16| (1..0x7c00).contains(&x);
        let length = norm(self.square);
        if !usable(length) || !usable(reciprocal(length)) {
            return own(0);
        }
        let mut best: Option<(u32, CentreDot)> = None;
        for centre in &self.centres {
            let reach = projection(centre.dot, centre.factor);
            if reach > best.map_or(0, |best| best.0) {
                best = Some((reach, *centre));
            }
        }
        let near = |best: &(u32, CentreDot)| self.threshold < NO_CENTRES && exceeds(best.0, self.threshold, length);
        let found = best.filter(near).map(|(_, centre)| (centre, product(length, centre.factor)));
        match found {
            Some((centre, factor)) if usable(factor) => {
                let factor = factor | u16::from(centre.dot < 0) << 15;
                KeyRecord { centre: centre.position as u16, factor }
            }
            _ => own(reciprocal(length)),
        }
    }

    /// The beats of its list. What is not looked at is anything.
    fn beats(&self) -> Vec<[u64; 6]> {
        let noise = (self.square as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ self.position as u64;
        let none = self.centres.is_empty();
        let key = [self.position as u64, self.threshold.into(), noise & 0xffff, self.square as u64];
        let mut beats = vec![[key[0], key[1], key[2], key[3], self.faulty.into(), none.into()]];
        for (i, centre) in self.centres.iter().enumerate() {
            let CentreDot { position, factor, dot, faulty } = *centre;
            let last = i + 1 == self.centres.len();
            let noise = noise.rotate_left(i as u32) & 0x1_ffff;
            beats.push([position as u64, noise, factor.into(), dot as u64, faulty.into(), last.into()]);
        }
        beats
    }

    /// What `m` says: of a list that is none, only the position and the cause.
    fn told(&self) -> [u64; 5] {
        let cause = self.cause();
        if cause != Cause::Done {
            return [self.position as u64, 0, 0, 0, cause as u64];
        }
        let KeyRecord { centre, factor } = self.record();
        let own = usize::from(centre) == self.position;
        [self.position as u64, centre.into(), factor.into(), own.into(), 0]
    }
}

impl CentresBench {
    fn start<'e>(
        &self,
        engine: &'e mut dyn Engine,
        keys: &[NewKey],
        stalls: [Stalls; 2],
        seed: u64,
    ) -> Result<(Bench<'e>, Source, Sink), String> {
        let mut bench = Bench::new(engine, seed);
        let source = bench.source_at(self.source.clone(), stalls[0]);
        let sink = bench.sink_at(self.sink.clone(), stalls[1]);
        bench.reset().map_err(|e| e.to_string())?;
        keys.iter().for_each(|key| bench.send(source, key.beats()));
        Ok((bench, source, sink))
    }

    /// Sends the lists of new keys after a reset, and compares each record with the model. Stalls of `s` and `m`.
    ///
    /// # Errors
    /// What came out wrong, or did not come.
    pub fn run(
        &self,
        engine: &mut dyn Engine,
        keys: &[NewKey],
        stalls: [Stalls; 2],
        seed: u64,
    ) -> Result<CentresTimes, String> {
        let (mut bench, source, sink) = self.start(engine, keys, stalls, seed)?;
        let beats: usize = keys.iter().map(|key| 60 + key.centres.len()).sum();
        bench.run_until_received(sink, keys.len(), 1000 + 20 * beats as u64).map_err(|e| e.to_string())?;
        bench.run(60).map_err(|e| e.to_string())?;
        let told: Vec<[u64; 5]> = bench
            .beats(sink)
            .iter()
            .map(|beat| match [0, 1, 2, 3, 4].map(|i| beat.field(i)) {
                [position, .., cause] if cause != 0 => [position, 0, 0, 0, cause],
                fields => fields,
            })
            .collect();
        for (i, key) in keys.iter().enumerate() {
            if told.get(i) != Some(&key.told()) {
                return Err(format!("key {i}: {:x?} came, not {:x?}, of {key:x?}", told.get(i), key.told()));
            }
        }
        if told.len() != keys.len() || bench.unsent(source) > 0 {
            let left = bench.unsent(source);
            return Err(format!("{} records came, not {}; {left} beats were not taken", told.len(), keys.len()));
        }
        let records = bench.received_at(sink).to_vec();
        Ok(CentresTimes { beats: bench.sent_at(source).to_vec(), records, told })
    }

    /// Sends lists for so many cycles, and leaves all as it is then.
    ///
    /// # Errors
    /// A stream that breaks its rules.
    pub fn run_for(
        &self,
        engine: &mut dyn Engine,
        keys: &[NewKey],
        stalls: [Stalls; 2],
        (seed, cycles): (u64, u64),
    ) -> Result<(), String> {
        let (mut bench, ..) = self.start(engine, keys, stalls, seed)?;
        bench.run(cycles).map_err(|e| e.to_string())
    }
}
