//! A setting that is stored over one which vectors under way have: those keep the old one, and the vectors behind have the new one.

use super::back::{Dequantizer, decoded, encoded};
use super::{back, device};
use fastrand::Rng;
use hw::oaken::{DequantizerAxiPorts, QuantizerAxiPorts};
use sim::bus::{AxiLiteMaster, Beat, Bench, Sink, Source, Stalls, packet, packet_bytes, seed};
use sim::golden::oaken::{Thresholds, encode};
use sim::oaken_bench::{Device, misfit, numbered, to_bytes};
use testbenches::drivers::{random_thresholds, random_vector};

/// An engine with stopped outputs.
struct Rig<'e, P> {
    device: &'e Device<P>,
    bench: Bench<'e>,
    axil: AxiLiteMaster,
    sources: Vec<Source>,
    sinks: Vec<Sink>,
}

impl<P> Rig<'_, P> {
    fn run(&mut self, cycles: u64) {
        self.bench.run(cycles).unwrap_or_else(|e| panic!("{e}"));
    }
    fn stall(&mut self, stalls: Stalls) {
        self.sinks.iter().for_each(|sink| self.bench.stall_sink(*sink, stalls));
    }
    fn send(&mut self, parts: Vec<Vec<Beat>>) {
        self.sources.iter().zip(parts).for_each(|(source, beats)| self.bench.send(*source, beats));
    }
    fn read(&mut self, register: &str) -> u64 {
        self.axil.read(&mut self.bench, self.device.address(register)).expect("answers").1
    }
    fn store(&mut self, number: usize, (n, t): &(usize, Thresholds)) {
        let registers = ["length", "s_low", "t_low", "t_high", "s_high", "setting", "setting"];
        let [s_low, t_low, t_high, s_high] = t.bits().map(u64::from);
        let values = [*n as u64, s_low, t_low, t_high, s_high, number as u64, 0x100 | number as u64];
        for (register, value) in registers.into_iter().zip(values) {
            self.axil.write(&mut self.bench, self.device.address(register), value).expect("answers");
        }
    }
    /// Stores all settings, sends `before` and half of `open`, stores a `new` one under `number`, and sends the rest and `after`. What
    /// came out of each output.
    fn exchange(
        &mut self,
        table: &[(usize, Thresholds)],
        [before, open, after]: [Vec<Vec<Beat>>; 3],
        (number, new): (usize, &(usize, Thresholds)),
    ) -> Vec<Vec<Vec<u8>>> {
        self.bench.reset().unwrap_or_else(|e| panic!("{e}"));
        self.device.store(&mut self.bench, &self.axil, table).expect("answers");
        self.stall(Stalls::Always);
        self.send(before);
        let half = |beats: Vec<Beat>| {
            let (first, rest) = beats.split_at(beats.len().div_ceil(2));
            (first.to_vec(), rest.to_vec())
        };
        let (first, rest) = open.into_iter().map(half).unzip();
        self.send(first);
        self.run(600);
        // the first beat of the last source, which names the setting, has been taken
        let named = *self.sources.last().expect("a source");
        assert_eq!((self.bench.unsent(named), self.read("status")), (0, 3), "{:?}", self.device.params);
        self.store(number, new);
        assert_eq!(self.read("status"), 3, "{:?}", self.device.params);
        self.send(rest);
        self.send(after);
        self.run(200);
        self.stall(Stalls::Never);
        self.run(6000);
        self.sinks.iter().map(|sink| packet_bytes(self.bench.beats(*sink))).collect()
    }
}

fn quantizer_rig<'e>(q: &'e Device<QuantizerAxiPorts>, bench: Bench<'e>) -> Rig<'e, QuantizerAxiPorts> {
    let (design, io, mut bench) = (&q.design, &q.design.ports, bench);
    let axil = AxiLiteMaster::new(&mut bench, design, &io.s_axil, Stalls::Never);
    let sources = vec![bench.source(design, &io.s_axis, Stalls::Never)];
    let sinks = [&io.m_axis_dense, &io.m_axis_sparse].map(|part| bench.sink(design, part, Stalls::Never)).to_vec();
    Rig { device: q, bench, axil, sources, sinks }
}

fn dequantizer_rig<'e>(d: &'e Dequantizer, bench: Bench<'e>) -> Rig<'e, DequantizerAxiPorts> {
    let (design, io, mut bench) = (&d.design, &d.design.ports, bench);
    let axil = AxiLiteMaster::new(&mut bench, design, &io.s_axil, Stalls::Never);
    let parts = [&io.s_axis_dense, &io.s_axis_sparse].map(|part| bench.source(design, part, Stalls::Never));
    let sinks = vec![bench.sink(design, &io.m_axis, Stalls::Never)];
    Rig { device: d, bench, axil, sources: parts.to_vec(), sinks }
}

/// Vectors by the number that they name and the setting that this is for them.
struct Plan {
    table: Vec<(usize, Thresholds)>,
    number: usize,
    new: (usize, Thresholds),
    /// Before the change, in the midst of it, and behind it.
    vectors: [Vec<(usize, Vec<u16>)>; 3],
}

/// A vector in the engine, another one half in it, so long that both fit in whatever waits there, and five behind.
fn plan(rng: &mut Rng, settings: usize) -> Plan {
    let setting = |rng: &mut Rng| (64 * rng.usize(1..=2), random_thresholds(rng));
    let table: Vec<_> = (0..settings).map(|_| setting(rng)).collect();
    let (number, new) = (rng.usize(0..settings), setting(rng));
    let mut after = table.clone();
    after[number] = new;
    let vector = |rng: &mut Rng, table: &[(usize, Thresholds)], number: usize| {
        // below 2: neither NaN nor infinity
        (number, random_vector(rng, table[number].0, &table[number].1).iter().map(|x| x & !0x4000).collect())
    };
    let before = vec![vector(rng, &table, number)];
    let open = vec![vector(rng, &table, number)];
    let behind = [number, rng.usize(0..settings), number, rng.usize(0..settings), number];
    let behind = behind.into_iter().map(|number| vector(rng, &after, number)).collect();
    Plan { table, number, new, vectors: [before, open, behind] }
}

impl Plan {
    /// All vectors with what each is quantized with.
    fn each(&self) -> impl Iterator<Item = (usize, &Vec<u16>, (usize, Thresholds))> {
        let of = |when: usize, number: usize| match when {
            2 if number == self.number => self.new,
            _ => self.table[number],
        };
        let all = self.vectors.iter().enumerate();
        all.flat_map(move |(when, some)| some.iter().map(move |(number, v)| (*number, v, of(when, *number))))
    }
    /// The vectors of each time as beats of each source.
    fn beats(
        &self,
        sources: usize,
        beats: impl Fn(usize, &[u16], &Thresholds) -> Vec<Vec<Beat>>,
    ) -> [Vec<Vec<Beat>>; 3] {
        let mut all = self.each();
        [0, 1, 2].map(|when| {
            let mut joined = vec![vec![]; sources];
            for (number, v, (_, t)) in all.by_ref().take(self.vectors[when].len()) {
                joined.iter_mut().zip(beats(number, v, &t)).for_each(|(joined, beats)| joined.extend(beats));
            }
            joined
        })
    }
}

#[test]
fn vectors_under_way_keep_the_setting_that_they_began_with() {
    for (lanes, dense_bits, settings) in [(4, 4, 2), (4, 5, 4), (16, 4, 64), (16, 6, 2), (64, 4, 16), (64, 3, 2)] {
        let q = device(lanes, dense_bits, settings);
        for round in 0..6 {
            let seed = seed(u64::from(lanes) + 90 + round);
            let plan = plan(&mut Rng::with_seed(seed), settings as usize);
            let mut engine = jit::simulator(&q.design);
            let mut rig = quantizer_rig(&q, Bench::new(&mut engine, seed));
            let beats = plan.beats(1, |number, v, _| vec![numbered(misfit(v, lanes), Some(number))]);
            let got = rig.exchange(&plan.table, beats, (plan.number, &plan.new));
            let what = format!("{:?}, seed {seed}", q.params);
            let says = ["errors", "vectors", "status"].map(|register| rig.read(register));
            assert_eq!(says, [0, 7, 2], "{what}");
            for (i, (_, v, (_, t))) in plan.each().enumerate() {
                let want = encode(v, q.dense_bits(), &t);
                assert_eq!((&got[0][i], &got[1][i]), (&want.dense, &want.sparse), "record {i}, {what}");
            }
        }
    }
}

#[test]
fn records_under_way_keep_the_setting_that_they_began_with() {
    for (lanes, dense_bits, settings) in [(4, 4, 2), (4, 5, 4), (16, 4, 64), (16, 6, 2), (64, 4, 16), (64, 3, 2)] {
        let d = back::device(lanes, dense_bits, settings);
        for round in 0..6 {
            let seed = seed(u64::from(lanes) + 95 + round);
            let plan = plan(&mut Rng::with_seed(seed), settings as usize);
            let mut engine = jit::simulator(&d.design);
            let mut rig = dequantizer_rig(&d, Bench::new(&mut engine, seed));
            let beats = plan.beats(2, |number, v, t| {
                let record = encoded(&d, v, t);
                let dense = packet(&record.dense, d.params.dense_bytes() as usize);
                let sparse = packet(&record.sparse, d.params.sparse_bytes() as usize);
                vec![dense, numbered(sparse, Some(number))]
            });
            let got = rig.exchange(&plan.table, beats, (plan.number, &plan.new));
            let what = format!("{:?}, seed {seed}", d.params);
            let says = ["errors", "vectors", "status"].map(|register| rig.read(register));
            assert_eq!(says, [0, 7, 2], "{what}");
            for (i, (_, v, setting)) in plan.each().enumerate() {
                let want = decoded(&d, &encoded(&d, v, &setting.1), &setting);
                let want = to_bytes(&want);
                assert_eq!(got[0][i], want, "vector {i}, {what}");
            }
        }
    }
}
