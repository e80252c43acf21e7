//! The bench: an engine with the models of everything around the design.

use super::checker::{BusError, Rule, StreamChecker};
use super::ports::{Field, StreamPorts};
use super::stalls::{Pattern, Stalls};
use super::stream::{Beat, Sink, SinkModel, Source, SourceModel};
use crate::build::Bundle;
use crate::design::Design;
use crate::engine::{Engine, environment_seed, range};
use fastrand::Rng;

/// The seed of a test: `default`, or the one in the environment variable `KVFORGE_SEED`. It is printed, for tests that fail.
pub fn seed(default: u64) -> u64 {
    let seed = environment_seed().unwrap_or(default);
    println!("seed {seed} (KVFORGE_SEED sets another)");
    seed
}

/// The seed of one of several runs of a test: `own`, or for each `KVFORGE_SEED` another, all different. It is printed, for tests that
/// fail.
pub fn run_seed(own: u64) -> u64 {
    let seed = own.wrapping_add(environment_seed().unwrap_or(0).wrapping_mul(1_000_000));
    println!("seed {seed}, that is {own} and a million for each of KVFORGE_SEED");
    seed
}

/// Cycles from the first to the last one of a list, both counted: as many as the list has, where there was a transfer in each.
pub fn span(cycles: &[u64]) -> u64 {
    cycles.last().map_or(0, |last| last + 1 - cycles[0])
}

/// Drives an engine cycle by cycle: sources and sinks on the streams, and all checks.
pub struct Bench<'e> {
    /// The running design, for ports that no model drives.
    pub engine: &'e mut dyn Engine,
    seed: u64,
    rng: Rng,
    sources: Vec<SourceModel>,
    sinks: Vec<SinkModel>,
    /// Sinks whose beats answer those of all the sources listed.
    responses: Vec<(Vec<Source>, Sink)>,
    cycle: u64,
}

impl<'e> Bench<'e> {
    /// A bench without models. The seed decides all stalls; every [`BusError`] names it.
    pub fn new(engine: &'e mut dyn Engine, seed: u64) -> Bench<'e> {
        let rng = Rng::with_seed(seed);
        Bench { engine, seed, rng, sources: vec![], sinks: vec![], responses: vec![], cycle: 0 }
    }

    /// A source on an input stream of the design.
    #[track_caller]
    pub fn source<P, B: Bundle>(&mut self, design: &Design<P>, stream: &B, stalls: Stalls) -> Source {
        self.source_at(StreamPorts::of(design, stream), stalls)
    }

    /// A sink on an output stream of the design.
    #[track_caller]
    pub fn sink<P, B: Bundle>(&mut self, design: &Design<P>, stream: &B, stalls: Stalls) -> Sink {
        self.sink_at(StreamPorts::of(design, stream), stalls)
    }

    /// A source on the given ports.
    ///
    /// # Panics
    /// If they are those of an output stream, or another source has them.
    #[track_caller]
    pub fn source_at(&mut self, ports: StreamPorts, stalls: Stalls) -> Source {
        let name = &ports.name;
        let is_input = self.engine.ports()[ports.valid].input;
        assert!(is_input, "`{name}` is an output: it takes a sink (`Bench::sink`), not a source");
        let taken = self.sources.iter().any(|source| source.ports.valid == ports.valid);
        assert!(!taken, "`{name}` has a source already: send what else there is with that one");
        let (queue, pattern) = (Default::default(), Pattern::new(stalls));
        self.sources.push(SourceModel { ports, queue, pattern, offered: None, cycles: vec![], clocks: u64::MAX });
        Source(self.sources.len() - 1)
    }

    /// A sink on the given ports.
    ///
    /// # Panics
    /// If they are those of an input stream, or another sink has them.
    #[track_caller]
    pub fn sink_at(&mut self, ports: StreamPorts, stalls: Stalls) -> Sink {
        let name = &ports.name;
        let is_output = !self.engine.ports()[ports.valid].input;
        assert!(is_output, "`{name}` is an input: it takes a source (`Bench::source`), not a sink");
        let taken = self.sinks.iter().any(|sink| sink.ports.valid == ports.valid);
        assert!(!taken, "`{name}` has a sink already: what it got is all that came");
        let (pattern, checker) = (Pattern::new(stalls), StreamChecker::default());
        self.sinks.push(SinkModel {
            ports,
            pattern,
            held: false,
            ready: false,
            beats: vec![],
            cycles: vec![],
            checker,
            clocks: u64::MAX,
        });
        Sink(self.sinks.len() - 1)
    }

    /// From now on, a beat of `sink` is legal only after one beat of each of `sources` that it answers.
    pub fn answers(&mut self, sources: &[Source], sink: Sink) {
        self.responses.push((sources.to_vec(), sink));
    }

    /// Another stall pattern for a source.
    pub fn stall_source(&mut self, source: Source, stalls: Stalls) {
        self.sources[source.0].pattern = Pattern::new(stalls);
    }

    /// Another stall pattern for a sink.
    pub fn stall_sink(&mut self, sink: Sink, stalls: Stalls) {
        self.sinks[sink.0].pattern = Pattern::new(stalls);
    }

    /// Holds a sink, or lets it go on: while it is held it takes nothing, and its stall pattern runs on.
    pub fn hold_sink(&mut self, sink: Sink, held: bool) {
        self.sinks[sink.0].held = held;
    }

    /// Queues beats at a source.
    ///
    /// # Panics
    /// If a beat has not as many fields as the payload, or a value does not fit its field.
    #[track_caller]
    pub fn send<T: Into<Beat>>(&mut self, source: Source, beats: impl IntoIterator<Item = T>) {
        let model = &mut self.sources[source.0];
        for beat in beats {
            let beat = beat.into();
            let (given, wanted) = (beat.0.len(), model.ports.payload.len());
            assert_eq!(given, wanted, "`{}`: a beat has {wanted} fields, not {given}", model.ports.name);
            for (field, value) in model.ports.payload.iter().zip(&beat.0) {
                let Field { name, width, .. } = field;
                let fits = range::fits(value, *width);
                assert!(fits, "cannot send {value} in `{name}` ({width} bits): legal is {}", range::legal(*width));
            }
            model.queue.push_back(beat);
        }
    }

    /// The beats that a source still has, with the one that it offers.
    pub fn unsent(&self, source: Source) -> usize {
        let model = &self.sources[source.0];
        model.queue.len() + usize::from(model.offered.is_some())
    }

    /// The beats that a sink got so far.
    pub fn beats(&self, sink: Sink) -> &[Beat] {
        &self.sinks[sink.0].beats
    }

    /// The cycles in which a source's beats were taken.
    pub fn sent_at(&self, source: Source) -> &[u64] {
        &self.sources[source.0].cycles
    }

    /// The cycles in which a sink's beats arrived.
    pub fn received_at(&self, sink: Sink) -> &[u64] {
        &self.sinks[sink.0].cycles
    }

    /// Cycles without a transfer between the first and the last transfer of a sink.
    pub fn bubbles(&self, sink: Sink) -> u64 {
        let all = self.received_at(sink);
        span(all) - all.len() as u64
    }

    /// Clock edges since the bench was made.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Resets the design for four cycles with all streams idle. What the sources offer is offered again afterwards.
    pub fn reset(&mut self) -> Result<(), BusError> {
        let domains = self.engine.clocks().len();
        for source in &mut self.sources {
            if let Some(beat) = source.offered.take() {
                source.queue.push_front(beat);
            }
            self.engine.poke(source.ports.valid, 0);
        }
        (0..domains).for_each(|domain| self.engine.set_reset(domain, true));
        for _ in 0..4 {
            self.engine.step();
            self.cycle += 1;
            for i in 0..self.sinks.len() {
                self.sinks[i].checker.reset();
                if self.engine.peek(self.sinks[i].ports.valid) == 1 {
                    return Err(self.error(i, Rule::ValidInReset));
                }
            }
        }
        (0..domains).for_each(|domain| self.engine.set_reset(domain, false));
        Ok(())
    }

    /// The source belongs to this clock (index into [`Engine::clocks`]): it moves at no other one's edges.
    ///
    /// # Panics
    /// If the design has no such clock.
    #[track_caller]
    pub fn source_clock(&mut self, source: Source, clock: usize) {
        self.sources[source.0].clocks = self.bit_of(clock);
    }

    /// The sink belongs to this clock, as in [`Bench::source_clock`].
    ///
    /// # Panics
    /// As there.
    #[track_caller]
    pub fn sink_clock(&mut self, sink: Sink, clock: usize) {
        self.sinks[sink.0].clocks = self.bit_of(clock);
    }

    /// The bit of this clock in a set of clocks.
    #[track_caller]
    fn bit_of(&self, clock: usize) -> u64 {
        let clocks = self.engine.clocks();
        assert!(clock < clocks.len(), "no clock {clock}: the design has {}", listed(clocks));
        1 << clock
    }

    /// One clock cycle: an edge of all clocks.
    #[track_caller]
    pub fn step(&mut self) -> Result<(), BusError> {
        self.edge(u64::MAX)
    }

    /// An edge of the clocks whose bit is set, at one instant.
    ///
    /// # Panics
    /// If other clocks have none, and of a source or sink nobody said which clock it belongs to.
    #[track_caller]
    pub fn edge(&mut self, clocks: u64) -> Result<(), BusError> {
        self.all_have_clocks(clocks);
        for source in self.sources.iter_mut().filter(|source| source.clocks & clocks != 0) {
            source.drive(self.engine, &mut self.rng);
        }
        for sink in self.sinks.iter_mut().filter(|sink| sink.clocks & clocks != 0) {
            sink.drive(self.engine, &mut self.rng);
        }
        for i in 0..self.sinks.len() {
            if self.sinks[i].clocks & clocks != 0 {
                self.check(i).map_err(|rule| self.error(i, rule))?;
            }
        }
        for source in self.sources.iter_mut().filter(|source| source.clocks & clocks != 0) {
            source.observe(self.engine, self.cycle);
        }
        self.engine.edge(clocks);
        self.cycle += 1;
        Ok(())
    }

    /// Where some clocks have an edge and others none, each stream must belong to one: at the edges of another it would see transfers
    /// that the design does not make.
    #[track_caller]
    fn all_have_clocks(&self, edges: u64) {
        let all = self.engine.clocks();
        if (0..all.len()).all(|clock| edges >> clock & 1 == 1) {
            return;
        }
        let sources = self.sources.iter().map(|source| (&source.ports.name, source.clocks));
        let sinks = self.sinks.iter().map(|sink| (&sink.ports.name, sink.clocks));
        if let Some((name, _)) = sources.chain(sinks).find(|(_, clocks)| *clocks == u64::MAX) {
            let help = "say it with `Bench::source_clock`, `Bench::sink_clock` or `AxiLiteMaster::clock`";
            panic!("`{name}` belongs to no clock, and not all have an edge ({}): {help}", listed(all));
        }
    }

    /// So many clock cycles.
    pub fn run(&mut self, cycles: u64) -> Result<(), BusError> {
        (0..cycles).try_for_each(|_| self.step())
    }

    /// Runs until a sink has got `wanted` beats in all. Not within `limit` cycles: an error.
    pub fn run_until_received(&mut self, sink: Sink, wanted: usize, limit: u64) -> Result<(), BusError> {
        for _ in 0..limit {
            if self.beats(sink).len() >= wanted {
                return Ok(());
            }
            self.step()?;
        }
        let received = self.beats(sink).len();
        if received >= wanted {
            Ok(())
        } else {
            Err(self.error(sink.0, Rule::Timeout { received, wanted, cycles: limit }))
        }
    }

    /// Looks at a sink before the edge, checks it, and notes the transfer.
    fn check(&mut self, index: usize) -> Result<(), Rule> {
        let sink = &mut self.sinks[index];
        let (mut payload, mut otherwise) = (vec![], vec![]);
        self.engine.poke(sink.ports.ready, (!sink.ready).into());
        let valid_otherwise = sink.look(self.engine, &mut otherwise);
        self.engine.poke(sink.ports.ready, sink.ready.into());
        let valid = sink.look(self.engine, &mut payload);
        if valid != valid_otherwise {
            return Err(Rule::ValidWaits(valid.into(), sink.ready.into()));
        }
        if valid && payload != otherwise {
            return Err(Rule::PayloadDependsOnReady);
        }
        sink.checker.observe(&sink.ports, valid, sink.ready, &payload)?;
        if valid {
            self.check_response(index)?;
        }
        let sink = &mut self.sinks[index];
        if valid && sink.ready {
            let beat = sink.beat(&payload);
            sink.beats.push(beat);
            sink.cycles.push(self.cycle);
        }
        Ok(())
    }

    /// A sink offers a beat: is there a request that it can answer?
    fn check_response(&self, index: usize) -> Result<(), Rule> {
        for (sources, _) in self.responses.iter().filter(|(_, sink)| sink.0 == index) {
            let requests = sources.iter().map(|s| self.sources[s.0].cycles.len()).min().unwrap_or(0);
            let response = self.sinks[index].beats.len() + 1;
            if response > requests {
                return Err(Rule::NoRequest { response, requests });
            }
        }
        Ok(())
    }

    /// An error at a sink, now.
    fn error(&self, sink: usize, rule: Rule) -> BusError {
        BusError { cycle: self.cycle, seed: self.seed, port: self.sinks[sink].ports.name.clone(), rule }
    }

    /// An error at a sink, now.
    pub(super) fn error_at(&self, sink: Sink, rule: Rule) -> BusError {
        self.error(sink.0, rule)
    }
}

/// Names of clocks, each with its number.
fn listed(clocks: &[String]) -> String {
    clocks.iter().enumerate().map(|(i, name)| format!("{i}: `{name}`")).collect::<Vec<_>>().join(", ")
}
