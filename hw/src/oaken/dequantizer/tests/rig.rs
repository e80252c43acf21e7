//! The dequantizer with a source on either part of the records.

use super::super::DequantizerPorts;
use crate::oaken::tests::{dense_packet, set_thresholds};
use crate::oaken::types::EngineParams;
use hdl::sim::Simulator;
use hdl::{Design, Signal};
use sim::bus::{Bench, Sink, Source, Stalls, packet};
use sim::golden::oaken::Thresholds;

/// The dequantizer with a source on either part of the records, and the flags seen so far.
pub struct Rig<'a> {
    pub bench: Bench<'a>,
    pub design: &'a Design<DequantizerPorts>,
    p: EngineParams,
    pub dense: Source,
    pub sparse: Source,
    pub m: Sink,
    /// Beats of `m` that [`Rig::vectors`] has given.
    pub given: usize,
    pub flags: Vec<&'static str>,
}

impl<'a> Rig<'a> {
    /// `stalls` of dense, sparse and the elements.
    pub fn new(
        p: EngineParams,
        design: &'a Design<DequantizerPorts>,
        engine: &'a mut Simulator,
        stalls: [Stalls; 3],
    ) -> Self {
        let mut bench = Bench::new(engine, sim::bus::seed(5));
        let dense = bench.source(design, &design.ports.dense, stalls[0]);
        let sparse = bench.source(design, &design.ports.sparse, stalls[1]);
        let m = bench.sink(design, &design.ports.m, stalls[2]);
        bench.reset().unwrap_or_else(|e| panic!("{e}"));
        Self { bench, design, p, dense, sparse, m, given: 0, flags: vec![] }
    }

    pub fn port(&self, signal: Signal) -> usize {
        self.design.port_index(signal).expect("a port")
    }

    pub fn set(&mut self, t: &Thresholds, n: usize) {
        set_thresholds(self.bench.engine, self.design, self.design.ports.thresholds, t);
        let length = self.design.ports.length.expect("one setting");
        let (length_port, enable) = (self.port(length), self.port(self.design.ports.enable));
        self.bench.engine.poke(length_port, n as u64);
        self.bench.engine.poke(enable, 1);
        self.step();
    }

    pub fn send_dense(&mut self, dense: &[u8]) {
        self.bench.send(self.dense, dense_packet(self.p, dense));
    }

    pub fn send(&mut self, dense: &[u8], sparse: &[u8]) {
        self.send_dense(dense);
        self.bench.send(self.sparse, packet(sparse, self.p.sparse_bytes() as usize));
    }

    pub fn step(&mut self) {
        let io = &self.design.ports;
        let errors = [
            ("header", io.header_error),
            ("count", io.count_error),
            ("order", io.order_error),
            ("sparse length", io.sparse_length_error),
            ("dense length", io.dense_length_error),
        ];
        self.bench.step().unwrap_or_else(|e| panic!("{e}"));
        for (name, signal) in errors {
            let port = self.port(signal);
            if self.bench.engine.peek(port) == 1 && !self.flags.contains(&name) {
                self.flags.push(name);
            }
        }
    }

    /// Runs until so many elements arrived, and on until everything is taken: nothing may be left over.
    pub fn finish(&mut self, elements: usize) {
        let expected = elements / self.p.lanes as usize;
        let busy = self.port(self.design.ports.busy);
        let limit = self.bench.cycle() + 400 + 40 * expected as u64;
        let left = |rig: &mut Self| rig.bench.unsent(rig.dense) + rig.bench.unsent(rig.sparse);
        while self.bench.beats(self.m).len() < expected || left(self) > 0 || self.bench.engine.peek(busy) == 1 {
            let got = self.bench.beats(self.m).len();
            assert!(self.bench.cycle() < limit, "hangs with {got} of {expected} beats, {} beats unsent", left(self));
            self.step();
        }
        (0..30).for_each(|_| self.step());
        assert_eq!(self.bench.beats(self.m).len(), expected, "beats out");
    }

    /// The vectors that came out since the last call, cut at `last`.
    pub fn vectors(&mut self) -> Vec<Vec<u16>> {
        let (mut vectors, mut elements) = (vec![], vec![]);
        for beat in &self.bench.beats(self.m)[self.given..] {
            let mut bytes = beat.0[0].to_bytes_le();
            bytes.resize(2 * self.p.lanes as usize, 0);
            elements.extend(bytes.chunks(2).map(|b| u16::from_le_bytes([b[0], b[1]])));
            if beat.field(1) == 1 {
                vectors.push(std::mem::take(&mut elements));
            }
        }
        assert!(elements.is_empty(), "elements behind the last vector");
        self.given = self.bench.beats(self.m).len();
        vectors
    }
}
