//! A codebook cache with a memory tier, with everything around it: books that are loaded and stand in memory, a memory that answers late and with errors,
//! indices, and a check of all that comes out.
//!
//! A book in memory has other numbers than the one that is loaded: so it shows from where each entry comes.

mod of_hardware;

use crate::bus::axi4::Response;
use crate::bus::axi4_memory::{Axi4Memory, MemoryModel};
use crate::bus::{Beat, Bench, Sink, Source, Stalls};
use crate::golden::vq::tiered::TieredCache;
use crate::vq_benches::cache::{CacheBench, Episode, Expected, Times, packet};
use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{Bundle, Design};
use std::ops::Range;

/// A cache: its parameters and its streams.
#[derive(Clone, Debug)]
pub struct TieredBench {
    /// All but the memory. There are two places for books.
    pub cache: CacheBench,
    /// Entries on the chip.
    pub shared: usize,
    /// Bits of a byte address.
    pub address_bits: u32,
}

/// Loads, a switch, and what is looked up then.
#[derive(Clone, Debug, Default)]
pub struct TieredEpisode {
    /// All but the memory.
    pub cache: Episode,
    /// Where the book stands of each load, in bytes.
    pub addresses: Vec<u64>,
    /// The entries that stand in memory at the last address, behind the book's head.
    pub values: Vec<u16>,
}

/// What is around the cache in a run.
#[derive(Clone, Debug)]
pub struct Around {
    /// Stalls of the streams, in the order of `sources` and `sinks`.
    pub stalls: [Stalls; 6],
    /// The memory.
    pub memory: MemoryModel,
    /// For all that is random.
    pub seed: u64,
    /// After so many cycles the run ends, whatever there is; nothing is checked then but what streams must keep to.
    pub stop: Option<u64>,
}

/// A run that goes on.
struct Run<'e> {
    bench: Bench<'e>,
    memory: Axi4Memory,
    sources: [Source; 3],
    sinks: [Sink; 3],
    limit: u64,
    stop: Option<u64>,
    /// Memory gives a word as soon as it is due: then it is taken in that cycle.
    gives_at_once: bool,
}

impl Run<'_> {
    /// A cycle. Gives whether the run has been stopped.
    fn step(&mut self) -> Result<bool, String> {
        if self.stop.is_some_and(|stop| self.bench.cycle() >= stop) {
            return Ok(true);
        }
        if self.bench.cycle() > self.limit {
            return Err("it hangs".into());
        }
        self.memory.step(&mut self.bench).map_err(|e| e.to_string())?;
        self.bench.step().map_err(|e| e.to_string())?;
        if self.gives_at_once && self.memory.was_refused(&self.bench, 0) {
            return Err(format!("a word of memory was refused in cycle {}", self.bench.cycle()));
        }
        Ok(false)
    }

    /// Cycles until it is so. Gives whether the run has been stopped.
    fn until(&mut self, done: impl Fn(&Bench) -> bool) -> Result<bool, String> {
        while !done(&self.bench) {
            if self.step()? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl TieredBench {
    /// Runs episodes, one after the other, after a reset: the loads of each while the beats of the one before are looked up. Gives the cycles in which beats
    /// were taken and answered, and those in which memory gave a word; nothing if the run was stopped.
    ///
    /// # Errors
    /// What came out wrong, or did not come.
    pub fn run<P, B: Bundle>(
        &self,
        engine: &mut dyn Engine,
        (design, bus): (&Design<P>, &B),
        episodes: &[TieredEpisode],
        around: &Around,
    ) -> Result<Option<(Times, Vec<u64>)>, String> {
        let mut run = self.begin(engine, (design, bus), episodes, around)?;
        let [load, words, s] = run.sources;
        let [loaded, m, fault] = run.sinks;
        if self.send(&mut run, episodes, around.seed)? {
            return Ok(None);
        }
        let (expected, asked) = self.expected(&run.memory, episodes, &around.memory);
        let (answers, reports) = (expected.answers.len(), expected.reports.len());
        let all = |bench: &Bench| {
            bench.unsent(words) == 0 && bench.beats(m).len() >= answers && bench.beats(loaded).len() >= reports
        };
        if run.until(all)? {
            return Ok(None);
        }
        for _ in 0..100 {
            run.step()?;
        }
        let bench = &run.bench;
        let all_faults = around.stalls[5] == Stalls::Never;
        self.cache.compare(&expected, bench.beats(loaded), bench.beats(m), bench.beats(fault), all_faults)?;
        if !run.memory.is_idle() {
            return Err("memory has something under way".into());
        }
        let requests: Vec<u64> = run.memory.requests.iter().map(|(_, request)| request.address).collect();
        if requests != asked {
            let at = requests.iter().zip(&asked).take_while(|(request, asked)| request == asked).count();
            return Err(format!(
                "request {at} of {} to memory: {:#x?}, not {:#x?}",
                asked.len(),
                requests.get(at),
                asked.get(at)
            ));
        }
        let [taken, announced] = [s, load].map(|source| bench.sent_at(source).to_vec());
        let [answered, reported] = [m, loaded].map(|sink| bench.received_at(sink).to_vec());
        Ok(Some((Times { taken, answered, announced, reported }, run.memory.read_at(bench, 0).to_vec())))
    }

    /// All around the cache, after a reset.
    fn begin<'e, P, B: Bundle>(
        &self,
        engine: &'e mut dyn Engine,
        (design, bus): (&Design<P>, &B),
        episodes: &[TieredEpisode],
        around: &Around,
    ) -> Result<Run<'e>, String> {
        let stalls = around.stalls;
        let mut bench = Bench::new(engine, around.seed);
        let sources = [0, 1, 2].map(|i| bench.source_at(self.cache.sources[i].clone(), stalls[i]));
        let sinks = [0, 1, 2].map(|i| bench.sink_at(self.cache.sinks[i].clone(), stalls[3 + i]));
        let mut memory = Axi4Memory::new(around.memory.clone(), around.seed);
        memory.read_port(&mut bench, design, bus);
        for episode in episodes {
            let bytes: Vec<u8> = episode.values.iter().flat_map(|x| x.to_le_bytes()).collect();
            if let Some(address) = episode.addresses.last() {
                for (i, byte) in (8..).zip(bytes) {
                    memory.bytes.write(self.wrapped(address.wrapping_add(i)), &[byte]);
                }
            }
        }
        bench.reset().map_err(|e| e.to_string())?;
        let work: usize = episodes
            .iter()
            .map(|e| {
                60 * e.cache.beats.len() * self.cache.lanes + e.cache.loads.iter().map(|l| l.1.len()).sum::<usize>()
            })
            .sum();
        let limit = bench.cycle() + 5000 + 100 * (work + 20 * episodes.len()) as u64;
        let stop = around.stop.map(|stop| bench.cycle() + stop);
        let gives_at_once = around.memory.giving == Stalls::Never;
        Ok(Run { bench, memory, sources, sinks, limit, stop, gives_at_once })
    }

    /// Sends all that goes in. Gives whether the run has been stopped.
    fn send(&self, run: &mut Run, episodes: &[TieredEpisode], seed: u64) -> Result<bool, String> {
        let mut rng = Rng::with_seed(seed);
        let [load, words, s] = run.sources;
        let (mut loads, mut beats) = (0, 0);
        for episode in episodes {
            let first_of_last = beats;
            for ((id, book), address) in episode.cache.loads.iter().zip(&episode.addresses) {
                // the low bits of an address are not looked at
                run.bench.send(load, [[u64::from(*id), address | rng.u64(0..8)]]);
                run.bench.send(words, packet(book));
            }
            loads += episode.cache.loads.len();
            if run.until(|bench| bench.sent_at(load).len() >= loads)? || run.step()? {
                return Ok(true);
            }
            let beat = |(i, beat): (usize, &Vec<u16>)| self.cache.beat(beat, i == 0, &mut rng);
            let sent: Vec<Beat> = episode.cache.beats.iter().enumerate().map(beat).collect();
            beats += sent.len();
            run.bench.send(s, sent);
            if run.until(|bench| bench.sent_at(s).len() > first_of_last)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What the model says, and the words that memory is asked for.
    fn expected(&self, memory: &Axi4Memory, episodes: &[TieredEpisode], model: &MemoryModel) -> (Expected, Vec<u64>) {
        let mut cache = TieredCache::new(self.cache.entries, self.cache.vector, self.shared);
        let (mut expected, mut asked) = (Expected::default(), vec![]);
        let word = |address: u64| {
            let address = self.wrapped(address);
            let bytes = memory.bytes.read(address, 8).try_into().expect("8 bytes");
            model.error_at(address).is_none().then(|| u64::from_le_bytes(bytes))
        };
        for episode in episodes {
            for ((id, book), address) in episode.cache.loads.iter().zip(&episode.addresses) {
                expected.report(*id, cache.load(*id, *address, book));
            }
            cache.switch();
            for beat in &episode.cache.beats {
                let answer = cache.access(beat, word);
                asked.extend(answer.asked.iter().map(|address| self.wrapped(*address)));
                if let Some((cause, lane)) = answer.fault {
                    expected.faults.push([cause as u64, expected.answers.len() as u64, lane as u64]);
                }
                expected.answers.push(self.cache.answer(beat, &answer.entries, &answer.wrong));
            }
        }
        (expected, asked)
    }

    /// An address on the bus.
    fn wrapped(&self, address: u64) -> u64 {
        address & (u64::MAX >> (64 - self.address_bits))
    }

    /// Bytes of the largest book.
    fn book_bytes(&self) -> u64 {
        8 + 2 * (self.cache.entries * self.cache.vector) as u64
    }

    /// Random episodes as those of a codebook cache, with books at any place in memory: up to its end and around it. Some numbers there are infinite,
    /// of entries that are asked for.
    pub fn random_episodes(&self, rng: &mut Rng, number: usize) -> Vec<TieredEpisode> {
        let room = self.book_bytes().next_multiple_of(8);
        let all = u64::MAX >> (64 - self.address_bits);
        assert!(all / room > number as u64, "each book has a place of its own");
        // one time in two one of them lies around the end of memory, any of its words the last one there
        let before_end = 8 * rng.u64(1..=room / 8) + room * rng.u64(0..number as u64);
        let start = if rng.bool() { 0u64.wrapping_sub(before_end) } else { 8 * rng.u64(0..=all / 8) };
        let episodes = self.cache.random_episodes(rng, number);
        let episode = |(i, cache): (usize, Episode)| {
            let mut values = self.cache.values(rng, self.cache.entries);
            if rng.u8(0..3) == 0 {
                for _ in 0..3 {
                    let number = rng.usize(0..self.cache.vector);
                    values[self.cache.vector * self.cold_index(rng, &cache) + number] |= 0x7c00;
                }
            }
            let addresses = (0..cache.loads.len()).map(|_| self.wrapped(start.wrapping_add(i as u64 * room)));
            TieredEpisode { addresses: addresses.collect(), values, cache }
        };
        episodes.into_iter().enumerate().map(episode).collect()
    }

    /// An index that is asked for in these beats, one in memory if there is any.
    fn cold_index(&self, rng: &mut Rng, episode: &Episode) -> usize {
        let asked = episode.beats.iter().flatten().map(|index| usize::from(*index));
        let cold: Vec<usize> = asked.filter(|index| (self.shared..self.cache.entries).contains(index)).collect();
        if cold.is_empty() { rng.usize(0..self.cache.entries) } else { cold[rng.usize(0..cold.len())] }
    }

    /// Some words of the books of these episodes, of entries that are asked for: there memory answers with errors.
    pub fn errors(&self, rng: &mut Rng, episodes: &[TieredEpisode]) -> Vec<(Range<u64>, Response)> {
        let one = |episode: &TieredEpisode| {
            let address = episode.addresses.last()?;
            let number = self.cache.vector * self.cold_index(rng, &episode.cache) + rng.usize(0..self.cache.vector);
            let at = self.wrapped(address.wrapping_add(8 + 2 * number as u64)) & !7;
            let response = if rng.bool() { Response::Slave } else { Response::Decode };
            Some((at..at.saturating_add(8 * rng.u64(1..=2)), response))
        };
        episodes.iter().filter_map(one).collect()
    }
}
