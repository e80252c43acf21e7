//! Settings of both Oaken engines: which are legal, when they take effect, and which vectors they are for.

use fastrand::Rng;
use hdl::engine::Engine;
use sim::bus::{AxiLiteMaster, Beat, Bench, BusError, Sink, Source, Stalls, packet_bytes};
use sim::golden::oaken::Thresholds;
use sim::oaken_bench::Device;

/// Elements of the vectors.
pub(super) const LENGTH: usize = 128;

/// Thresholds for tests that could have any: at 0.1 and 1 on either side.
pub(super) fn plain_thresholds() -> Thresholds {
    Thresholds::from_f32(-1.0, -0.1, 0.1, 1.0).expect("legal")
}

/// An engine as it is seen from its streams: beats of a vector go in, bytes of its result come out.
pub(super) trait Converts {
    /// Connects registers, inputs and outputs.
    fn streams(&self, bench: &mut Bench) -> (AxiLiteMaster, Vec<Source>, Vec<Sink>);
    /// What goes in for a vector, for each input.
    fn beats(&self, vector: &[u16], t: &Thresholds) -> Vec<Vec<Beat>>;
    /// What comes out for a vector, for each output.
    fn results(&self, vector: &[u16], t: &Thresholds) -> Vec<Vec<u8>>;
    /// Bytes of a beat of each output.
    fn output_bytes(&self) -> Vec<u32>;
    /// What comes out for a vector whose part of the first input is taken for surplus of another.
    fn results_without(&self, vector: &[u16], t: &Thresholds) -> Vec<Vec<u8>>;
}

/// An engine under way, set up through its registers.
pub(super) struct Converting<'e, D> {
    pub device: &'e D,
    bench: Bench<'e>,
    axil: AxiLiteMaster,
    sources: Vec<Source>,
    sinks: Vec<Sink>,
    /// Of all vectors that are sent.
    seed: u64,
    /// The thresholds of the vectors that are sent.
    t: Thresholds,
}

/// A vector with many outliers.
pub(super) fn vector(seed: u64, length: usize) -> Vec<u16> {
    let mut rng = Rng::with_seed(seed);
    (0..length).map(|_| half::f16::from_f32(rng.f32() * 3.0 - 1.5).to_bits()).collect()
}

/// Everything below.
pub(super) fn test<P>(device: &Device<P>, engine: &mut dyn Engine, seed: u64) -> Result<(), String>
where
    Device<P>: Converts,
{
    let mut run = Converting::new(device, engine, seed)?;
    run.legality(seed)?;
    run.stopped_outputs()?;
    run.waits_at_the_outputs()?;
    run.settings_wait()?;
    run.every_change_counts()?;
    run.lost_lasts()?;
    run.flushes(seed)?;
    run.flushes_around_a_beginning()
}

impl<'e, P> Converting<'e, Device<P>>
where
    Device<P>: Converts,
{
    /// Resets, sets length and thresholds, and lets vectors begin.
    pub fn new(device: &'e Device<P>, engine: &'e mut dyn Engine, seed: u64) -> Result<Self, String> {
        let mut bench = Bench::new(engine, seed);
        let (axil, sources, sinks) = device.streams(&mut bench);
        bench.reset().map_err(|e| e.to_string())?;
        let t = plain_thresholds();
        let mut run = Converting { device, bench, axil, sources, sinks, seed, t };
        run.set(LENGTH as u64, run.t.bits())?;
        run.write("enable", 1)?;
        Ok(run)
    }

    /// A vector with many outliers, another one for each seed.
    pub fn vector(&self, own: u64, length: usize) -> Vec<u16> {
        vector(self.seed.wrapping_mul(1000).wrapping_add(own), length)
    }

    pub fn write(&mut self, register: &str, value: u64) -> Result<(), String> {
        self.axil.write(&mut self.bench, self.device.address(register), value).map(|_| ()).map_err(|e| e.to_string())
    }

    pub fn read(&mut self, register: &str) -> Result<u64, String> {
        Ok(self.axil.read(&mut self.bench, self.device.address(register)).map_err(|e| e.to_string())?.1)
    }

    fn set(&mut self, length: u64, [s_low, t_low, t_high, s_high]: [u16; 4]) -> Result<(), String> {
        let thresholds = [("s_low", s_low), ("t_low", t_low), ("t_high", t_high), ("s_high", s_high)];
        self.write("length", length)?;
        thresholds.into_iter().try_for_each(|(register, value)| self.write(register, value.into()))
    }

    /// Sends beats, and compares what comes out since with the results of the vectors.
    pub fn exchange(&mut self, beats: Vec<Vec<Beat>>, vectors: &[&[u16]]) -> Result<(), String> {
        self.exchange_stopped(beats, vectors, &[])
    }

    /// The same with outputs that first take nothing, until nothing moves any more.
    fn exchange_stopped(&mut self, beats: Vec<Vec<Beat>>, vectors: &[&[u16]], stopped: &[Sink]) -> Result<(), String> {
        let packets = |run: &Self| run.sinks.iter().map(|sink| packet_bytes(run.bench.beats(*sink))).collect();
        let before: Vec<Vec<_>> = packets(self);
        self.sources.iter().zip(beats).for_each(|(source, beats)| self.bench.send(*source, beats));
        // surely enough, also for chunks of outliers
        let elements = vectors.iter().map(|v| v.len()).sum::<usize>().max(LENGTH);
        let cycles = 200 + 4 * elements as u64 / u64::from(self.device.params.lanes);
        if !stopped.is_empty() {
            stopped.iter().for_each(|sink| self.bench.stall_sink(*sink, Stalls::Always));
            self.bench.run(cycles).map_err(|e: BusError| e.to_string())?;
            stopped.iter().for_each(|sink| self.bench.stall_sink(*sink, Stalls::Never));
        }
        self.bench.run(cycles).map_err(|e: BusError| e.to_string())?;
        let after: Vec<Vec<_>> = packets(self);
        let want: Vec<_> = vectors.iter().map(|v| self.device.results(v, &self.t)).collect();
        let equal = (after.iter().zip(&before).enumerate())
            .all(|(i, (after, before))| after[before.len()..].iter().eq(want.iter().map(|results| &results[i])));
        if equal { Ok(()) } else { Err("wrong results".into()) }
    }

    /// Outputs that stop, each alone or all of them, until all that waits inside is full, then take everything: nothing is lost.
    fn stopped_outputs(&mut self) -> Result<(), String> {
        let most = self.device.params.max_length as usize;
        // the longest vectors fill the ring of the quantizer, the shortest ones its count of vectors under way
        for (length, number) in [(most, 4), (64, 40)] {
            self.set(length as u64, self.t.bits())?;
            let vectors: Vec<Vec<u16>> = (0..number).map(|i| self.vector(i, length)).collect();
            let mut beats = vec![vec![]; self.sources.len()];
            for part in vectors.iter().map(|v| self.device.beats(v, &self.t)) {
                beats.iter_mut().zip(part).for_each(|(all, part)| all.extend(part));
            }
            let slices: Vec<&[u16]> = vectors.iter().map(|v| &v[..]).collect();
            let each = self.sinks.iter().map(|sink| vec![*sink]);
            for stopped in each.chain([self.sinks.clone()]).collect::<Vec<_>>() {
                self.exchange_stopped(beats.clone(), &slices, &stopped)
                    .map_err(|e| format!("{} outputs stopped, length {length}: {e}", stopped.len()))?;
            }
        }
        Ok(())
    }

    /// A vector whose last beat waits at an output is under way, and is counted when that is taken.
    fn waits_at_the_outputs(&mut self) -> Result<(), String> {
        self.set(LENGTH as u64, self.t.bits())?;
        let vector = self.vector(7, LENGTH);
        let results = self.device.results(&vector, &self.t);
        let before = self.read("vectors")?;
        for (i, sink) in self.sinks.clone().into_iter().enumerate() {
            let first = self.bench.beats(sink).len();
            let beats = self.device.beats(&vector, &self.t);
            let last = first + results[i].len().div_ceil(self.device.output_bytes()[i] as usize) - 1;
            self.sources.iter().zip(beats).for_each(|(source, beats)| self.bench.send(*source, beats));
            self.bench.run_until_received(sink, last, 2000).map_err(|e| e.to_string())?;
            self.bench.stall_sink(sink, Stalls::Always);
            self.bench.run(400).map_err(|e| e.to_string())?;
            let waiting = (self.read("status")?, self.read("vectors")?.wrapping_sub(before));
            self.bench.stall_sink(sink, Stalls::Never);
            self.bench.run(4).map_err(|e| e.to_string())?;
            let taken = (self.read("status")?, self.read("vectors")?.wrapping_sub(before));
            let i = i as u64;
            if (waiting, taken) != ((3, i), (2, i + 1)) {
                return Err(format!(
                    "output {i}: status and vectors {waiting:?} while the last beat waits, then {taken:?}"
                ));
            }
        }
        Ok(())
    }

    /// The status says whether settings are legal, as the description of the registers does.
    fn legality(&mut self, seed: u64) -> Result<(), String> {
        let mut rng = Rng::with_seed(seed);
        let max = u64::from(self.device.params.max_length);
        let edges = [0, 0x8000, 1, 0x8001, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00];
        for (outer, inner) in edges.iter().flat_map(|a| edges.map(|b| (*a, b))) {
            self.is_legal_as_described(LENGTH as u64, [outer, inner, 0, 0x3c00])?;
            self.is_legal_as_described(LENGTH as u64, [0xbc00, 0x8000, inner, outer])?;
        }
        for i in 0..600 {
            // the register has 32 bits, and all of them count
            let bit = 1 << rng.u32(0..32);
            let length =
                if i % 2 == 0 { [0, 64, max, max + 64, 64 | bit, bit][rng.usize(0..6)] } else { LENGTH as u64 };
            let (low, high) = (rng.u16(0..0x7c00), rng.u16(0..0x7c00));
            // t and s next to each other: every bit of the comparison decides
            let (near_low, near_high) = (low ^ 1 << rng.u32(0..15), high ^ 1 << rng.u32(0..15));
            let mut bits = [0x8000 | low, 0x8000 | near_low, near_high, high];
            match i % 3 {
                0 => bits[rng.usize(0..4)] = edges[rng.usize(0..edges.len())],
                // the smallest mistake: one bit, on the wrong side of 0
                1 => bits[i / 3 % 4] = [0, 0, 0x8000, 0x8000][i / 3 % 4] | 1 << (i / 12 % 15),
                _ => (),
            }
            self.is_legal_as_described(length, bits)?;
        }
        Ok(())
    }

    /// Sets this, and looks at the status.
    fn is_legal_as_described(&mut self, length: u64, bits: [u16; 4]) -> Result<(), String> {
        self.set(length, bits)?;
        let magnitudes = bits.map(|x| x & 0x7fff);
        let side = |x: u16, negative: bool| x & 0x7fff == 0 || (x >> 15 == 1) == negative;
        let legal = length.is_multiple_of(64)
            && (1..=u64::from(self.device.params.max_length)).contains(&length)
            && side(bits[0], true)
            && side(bits[1], true)
            && side(bits[2], false)
            && side(bits[3], false)
            && magnitudes[1] <= magnitudes[0]
            && magnitudes[2] <= magnitudes[3]
            && magnitudes[0] < 0x7c00
            && magnitudes[3] < 0x7c00;
        let right = self.read("status")? == if legal { 2 } else { 0 };
        if right { Ok(()) } else { Err(format!("length {length}, thresholds {bits:x?}: legal is not {legal}")) }
    }

    /// New settings wait for the vectors under way; while settings are illegal or `enable` is 0, no vector begins.
    fn settings_wait(&mut self) -> Result<(), String> {
        self.set(LENGTH as u64, self.t.bits())?;
        let (vector, other) = (self.vector(8, LENGTH), [0xbc00, 0xb000, 0x3000, 0x3c00]);
        let beats = self.device.beats(&vector, &self.t);
        // of one beat, the one: a vector begins with it
        let half = |b: &Vec<Beat>| b.len().div_ceil(2);
        let (first, rest) = beats.iter().map(|b| (b[..half(b)].to_vec(), b[half(b)..].to_vec())).unzip();
        self.exchange(first, &[])?;
        let busy = self.read("status")?;
        self.set(64, other)?;
        self.exchange(rest, &[&vector]).map_err(|e| format!("settings changed during a vector: {e}"))?;
        let idle = self.read("status")?;
        if (busy, idle) != (3, 2) {
            return Err(format!("status {busy} during a vector, {idle} afterwards"));
        }
        let takes_none = |run: &Self, waiting: usize, why| {
            let left: usize = run.sources.iter().map(|source| run.bench.unsent(*source)).sum();
            if left == waiting { Ok(()) } else { Err(format!("{why}: {left} of {waiting} beats are left")) }
        };
        // a beat that goes ahead would be the last one already
        self.write("length", u64::from(self.device.params.lanes.clamp(2, 32)))?;
        self.exchange(vec![], &[])?;
        self.t = Thresholds::from_bits(other[0], other[1], other[2], other[3]).expect("legal");
        let beats = self.device.beats(&vector, &self.t);
        let waiting = beats.iter().map(Vec::len).sum();
        self.exchange(beats, &[]).map_err(|e| format!("illegal length: {e}"))?;
        takes_none(self, waiting, "illegal length")?;
        self.write("length", LENGTH as u64 + 1)?;
        self.exchange(vec![], &[]).map_err(|e| format!("another illegal length: {e}"))?;
        self.write("enable", 0)?;
        self.write("length", LENGTH as u64)?;
        self.exchange(vec![], &[]).map_err(|e| format!("not enabled: {e}"))?;
        takes_none(self, waiting, "not enabled")?;
        self.write("enable", 1)?;
        self.exchange(vec![], &[&vector]).map_err(|e| format!("enabled again: {e}"))
    }

    /// Three vectors in one packet of the first input, as if two lasts were lost: the first is right, and so is the one behind them.
    fn lost_lasts(&mut self) -> Result<(), String> {
        self.set(LENGTH as u64, plain_thresholds().bits())?;
        self.t = plain_thresholds();
        let vectors: Vec<Vec<u16>> = (20..24).map(|i| self.vector(i, LENGTH)).collect();
        let received =
            |run: &Self| -> Vec<Vec<_>> { run.sinks.iter().map(|sink| packet_bytes(run.bench.beats(*sink))).collect() };
        let before = received(self);
        for (i, vector) in vectors.iter().enumerate() {
            let mut beats = self.device.beats(vector, &self.t);
            if let Some(last) = beats[0].last_mut().filter(|_| i < 2) {
                last.0[2] = 0u32.into();
            }
            self.sources.iter().zip(beats).for_each(|(source, beats)| self.bench.send(*source, beats));
        }
        self.bench.run(400 + 8 * LENGTH as u64).map_err(|e| e.to_string())?;
        let want: Vec<Vec<Vec<u8>>> = (vectors.iter().enumerate())
            .map(|(i, v)| {
                let lacks = i == 1 || i == 2;
                if lacks { self.device.results_without(v, &self.t) } else { self.device.results(v, &self.t) }
            })
            .collect();
        let right = (received(self).iter().zip(&before).enumerate())
            .all(|(i, (after, before))| after[before.len()..].iter().eq(want.iter().map(|results| &results[i])));
        if right { Ok(()) } else { Err("two lasts lost: wrong results".into()) }
    }

    /// Whatever is under way leaves when the engine is flushed, what comes is dropped, and the next vector is right.
    fn flushes(&mut self, seed: u64) -> Result<(), String> {
        self.set(LENGTH as u64, plain_thresholds().bits())?;
        self.t = plain_thresholds();
        let mut rng = Rng::with_seed(seed);
        for round in 0..12 {
            let vector = self.vector(round, LENGTH);
            let beats = self.device.beats(&vector, &self.t);
            // some of a vector, of each input as much as it likes; or all but of the first
            for (i, (source, beats)) in self.sources.iter().zip(&beats).enumerate() {
                let least = if round % 3 == 0 && i > 0 { beats.len() } else { 0 };
                self.bench.send(*source, beats[..rng.usize(least..=beats.len())].to_vec());
            }
            if round % 3 == 0 {
                // a vector that does not end, and surplus behind it
                let mut endless = [&beats[0][..], &beats[0][..1]].concat();
                endless.iter_mut().for_each(|beat| beat.0[2] = 0u32.into());
                self.bench.send(self.sources[0], endless);
            }
            // every third time, until the surplus comes
            let most = if round % 3 == 0 { 2 * LENGTH as u64 / u64::from(self.device.params.lanes) } else { 0 };
            self.bench.run(most + rng.u64(0..150)).map_err(|e| e.to_string())?;
            self.write("flush", 1)?;
            self.sources.iter().for_each(|source| self.bench.send(*source, beats[0][..1].to_vec()));
            self.bench.run(400).map_err(|e| e.to_string())?;
            let left: usize = self.sources.iter().map(|source| self.bench.unsent(*source)).sum();
            let status = self.read("status")?;
            if (left, status) != (0, 2) {
                return Err(format!("round {round}: flushed, {left} beats are left, status {status}"));
            }
            self.write("flush", 0)?;
            self.exchange(self.device.beats(&vector, &self.t), &[&vector])
                .map_err(|e| format!("round {round}, behind a flush: {e}"))?;
        }
        Ok(())
    }

    /// The request to flush in each cycle around that in which a vector comes: the engine is idle afterwards, and the next vector is right.
    fn flushes_around_a_beginning(&mut self) -> Result<(), String> {
        let vector = self.vector(30, LENGTH);
        let beats = self.device.beats(&vector, &self.t);
        let flush = self.device.address("flush");
        for offset in -6..14i64 {
            let ahead = (-offset).max(0) as u64;
            let run = |run: &mut Self, cycles: u64| run.bench.run(cycles).map_err(|e: BusError| e.to_string());
            let send = |run: &mut Self| {
                run.sources.iter().zip(&beats).for_each(|(source, beats)| run.bench.send(*source, beats.clone()));
            };
            if offset >= 0 {
                send(self);
                run(self, offset as u64)?;
            }
            self.axil.queue_write(&mut self.bench, flush, 1, 0xf);
            if offset < 0 {
                run(self, ahead)?;
                send(self);
            }
            run(self, 100 + 2 * LENGTH as u64 / u64::from(self.device.params.lanes))?;
            let (flushed, status) = (self.read("flush")?, self.read("status")?);
            self.write("flush", 0)?;
            if (flushed, status) != (1, 2) {
                return Err(format!("flushed {offset} cycles behind the beginning: flush {flushed}, status {status}"));
            }
        }
        self.exchange(beats, &[&vector]).map_err(|e| format!("behind flushes around a beginning: {e}"))
    }

    /// Settings of which a single bit is new are taken over by an idle engine.
    fn every_change_counts(&mut self) -> Result<(), String> {
        let chunks = u64::from(self.device.params.max_length) / 64;
        for bit in (0..8).map(|bit| 1u64 << bit) {
            let before = if bit == 1 { 2 } else { 1 };
            for length in [before, before | bit].into_iter().filter(|length| *length <= chunks) {
                self.one_setting(64 * length as usize, [0xbc00, 0xae66, 0x2e66, 0x3c00])?;
            }
        }
        let (largest, least) = ([0xfbff, 0x8000, 0, 0x7bff], [0x8400, 0x8000, 0, 0x0400]);
        // from 0x0400 bit after bit to 0x7bff, first the inner thresholds, then the outer ones
        for (start, which) in [(largest, [1, 2]), (least, [0, 3])] {
            let mut bits = start;
            which.iter().for_each(|i| bits[*i] = bits[*i] & 0x8000 | 0x0400);
            self.one_setting(64, bits)?;
            for (bit, i) in (0..15).flat_map(|bit| which.map(|i| (bit, i))) {
                bits[i] ^= 1 << bit;
                self.one_setting(64, bits)?;
            }
        }
        Ok(())
    }

    /// A vector with these settings.
    fn one_setting(&mut self, length: usize, bits: [u16; 4]) -> Result<(), String> {
        self.set(length as u64, bits)?;
        self.t = Thresholds::from_bits(bits[0], bits[1], bits[2], bits[3]).expect("legal");
        // the thresholds and their neighbours: each of their bits decides on a group
        let near = |x: u16| {
            let (sign, magnitude) = (x & 0x8000, x & 0x7fff);
            [magnitude, magnitude.saturating_sub(1), magnitude.min(0x7bfe) + 1].map(|magnitude| sign | magnitude)
        };
        let mut vector = self.vector(9, length);
        bits.iter().flat_map(|x| near(*x)).zip(&mut vector).for_each(|(x, place)| *place = x);
        self.exchange(self.device.beats(&vector, &self.t), &[&vector])
            .map_err(|e| format!("length {length}, thresholds {bits:x?}: {e}"))
    }
}
