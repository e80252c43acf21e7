//! The MMU of Oaken with a memory behind it, and what it must do: a model that knows tokens and bytes, not pages' places.

use crate::bus::axi4_memory::{Axi4Memory, MemoryModel};
use crate::bus::{Beat, Bench, Sink, Source, Stalls, StreamPorts, packet};
use fastrand::Rng;
use hdl::engine::Engine;
use hdl::{Bundle, Design};
use rustc_hash::FxHashMap as HashMap;

/// Request, layer, and 1 for values.
pub type Group = [u64; 3];

/// The slices of one vector: for each head the sparse and the dense one.
pub type Slices = Vec<[Vec<u8>; 2]>;

/// The parameters that the model has to know.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Bytes of a beat of the bus.
    pub beat: usize,
    /// Bytes of a page.
    pub page: u64,
    /// Pages.
    pub pages: u64,
    /// Heads.
    pub heads: u64,
    /// Elements of a head.
    pub elements: u64,
    /// Bytes of a dense slice of keys, and of values.
    pub dense: [u64; 2],
}

impl Shape {
    /// Bytes of the longest sparse slice.
    pub fn longest_sparse(self) -> u64 {
        8 + self.elements / 64 + self.elements
    }
    /// Slices of a vector for a group; `outliers` of 64 elements are outliers, on average.
    pub fn random_slices(self, rng: &mut Rng, group: Group, outliers: u64) -> Slices {
        let bytes = |rng: &mut Rng, n: u64| (0..n).map(|_| rng.u8(..)).collect();
        let chunks = self.elements / 64;
        let sparse = |rng: &mut Rng| 8 + chunks + (0..chunks).map(|_| rng.u64(0..=2 * outliers).min(64)).sum::<u64>();
        (0..self.heads)
            .map(|_| {
                let n = sparse(rng);
                [bytes(rng, n), bytes(rng, self.dense[group[2] as usize])]
            })
            .collect()
    }
}

/// The ports of an MMU that are streams.
#[derive(Clone, Debug)]
pub struct MmuStreams {
    /// Commands to append.
    pub append: StreamPorts,
    /// Commands to read.
    pub read: StreamPorts,
    /// Where it is no matter of registers: commands to open and release, and their answers.
    pub control: Option<[StreamPorts; 2]>,
    /// What is known of packets, and their words.
    pub vectors: [StreamPorts; 2],
    /// How appends and reads ended.
    pub answers: [StreamPorts; 2],
    /// Tokens of histories, sparse parts, dense parts.
    pub histories: [StreamPorts; 3],
    /// The port with the free pages, if there is one.
    pub free: Option<usize>,
}

/// How the ports of an MMU stall: commands, vectors, answers, histories.
pub type MmuStalls = [Stalls; 4];

/// An MMU with a memory behind it.
pub struct MmuBench<'e> {
    /// Everything that moves.
    pub bench: Bench<'e>,
    /// What is behind the bus.
    pub memory: Axi4Memory,
    /// What its streams hold, as far as appends were answered.
    pub model: HashMap<Group, Vec<Slices>>,
    /// What it is.
    pub shape: Shape,
    append: Source,
    read: Source,
    control: Option<(Source, Sink)>,
    vectors: [Source; 2],
    answers: [Sink; 2],
    histories: [Sink; 3],
    free: Option<usize>,
    appends: Vec<(Group, Slices)>,
    reads: Vec<(Group, u64, u64, usize)>,
    answered: usize,
    reads_answered: usize,
    taken: [usize; 2],
    histories_taken: usize,
    /// Of either part: words that were counted, and packets among them.
    counted: [(usize, usize); 2],
}

impl<'e> MmuBench<'e> {
    /// A bench; the ports of `design` are `streams` and `bus`.
    pub fn new<P, B: Bundle>(
        engine: &'e mut dyn Engine,
        (design, streams, bus): (&Design<P>, MmuStreams, &B),
        shape: Shape,
        (model, stalls, seed): (MemoryModel, MmuStalls, u64),
    ) -> MmuBench<'e> {
        let mut bench = Bench::new(engine, seed);
        let mut memory = Axi4Memory::new(model, seed);
        let [append, read] = [streams.append, streams.read].map(|ports| bench.source_at(ports, stalls[0]));
        let vectors = streams.vectors.map(|ports| bench.source_at(ports, stalls[1]));
        let answers = streams.answers.map(|ports| bench.sink_at(ports, stalls[2]));
        let control = streams
            .control
            .map(|[command, answer]| (bench.source_at(command, stalls[0]), bench.sink_at(answer, stalls[2])));
        let histories = streams.histories.map(|ports| bench.sink_at(ports, stalls[3]));
        memory.read_port(&mut bench, design, bus);
        memory.write_port(&mut bench, design, bus);
        MmuBench {
            bench,
            memory,
            model: HashMap::default(),
            shape,
            append,
            read,
            control,
            vectors,
            answers,
            histories,
            free: streams.free,
            appends: vec![],
            reads: vec![],
            answered: 0,
            reads_answered: 0,
            taken: [0; 2],
            histories_taken: 0,
            counted: [(0, 0); 2],
        }
    }

    /// Sends a vector. Its tag is its number modulo 16: `tag_bits` of 4 at least.
    pub fn append(&mut self, group: Group, slices: Slices, failed: bool) {
        let tag = self.appends.len() as u64 & 15;
        self.bench.send(self.append, [[group[0], group[1], group[2], tag]]);
        let count = slices.iter().flatten().count();
        for (i, bytes) in slices.iter().flatten().enumerate() {
            let last = i + 1 == count;
            self.bench.send(self.vectors[0], [[bytes.len() as u64, last.into(), (last && failed).into()]]);
            self.bench.send(self.vectors[1], packet(bytes, self.shape.beat));
        }
        self.appends.push((group, slices));
    }

    /// Opens or releases a request. What it had is forgotten when the answer comes.
    ///
    /// # Panics
    /// If that is a matter of registers.
    pub fn control(&mut self, release: bool, request: u64) {
        let (command, _) = self.control.expect("a stream of commands");
        self.bench.send(command, [[release.into(), request, 5]]);
    }

    /// Asks for the first tokens (0: all) of a head. Its tag is its number modulo 16: `tag_bits` of 4 at least.
    pub fn ask(&mut self, group: Group, head: u64, tokens: u64) {
        let tag = self.reads.len() as u64 & 15;
        self.bench.send(self.read, [[group[0], group[1], group[2], head, tokens, tag]]);
        let known = self.model.get(&group).map_or(0, Vec::len);
        self.reads.push((group, head, tokens, known));
    }

    /// One cycle.
    pub fn step(&mut self) -> Result<(), String> {
        self.memory.step(&mut self.bench).map_err(|e| e.to_string())?;
        self.bench.step().map_err(|e| e.to_string())
    }

    /// Runs until this is so.
    pub fn until(&mut self, what: &str, limit: u64, mut over: impl FnMut(&mut MmuBench) -> bool) -> Result<(), String> {
        let end = self.bench.cycle() + limit;
        while !over(self) {
            if self.bench.cycle() > end {
                return Err(format!("after {limit} cycles: not {what}"));
            }
            self.step()?;
        }
        Ok(())
    }

    /// Runs until all appends are answered; takes over into the model those that are okay. Gives the codes of all since the last time.
    pub fn finish_appends(&mut self) -> Result<Vec<u64>, String> {
        let all = self.appends.len();
        self.until("appended", 400_000, |x| x.bench.beats(x.answers[0]).len() >= all)?;
        self.take_appends()
    }

    /// Takes over into the model what was answered.
    pub fn take_appends(&mut self) -> Result<Vec<u64>, String> {
        let beats: Vec<_> = self.bench.beats(self.answers[0])[self.answered..].to_vec();
        let mut codes = vec![];
        for beat in beats {
            let (tag, code) = (beat.field(0), beat.field(1));
            if tag != self.answered as u64 & 15 {
                return Err(format!("append {} came back with the tag {tag}", self.answered));
            }
            let (group, slices) = self.appends[self.answered].clone();
            if code == 0 {
                self.model.entry(group).or_default().push(slices);
            }
            codes.push(code);
            self.answered += 1;
        }
        Ok(codes)
    }

    /// Runs until a command of control is answered. Gives its code.
    pub fn finish_control(&mut self, release: bool, request: u64) -> Result<u64, String> {
        let before = self.controlled();
        self.control(release, request);
        self.until("controlled", 400_000, |x| x.controlled() > before)?;
        let code = self.control.map_or(0, |(_, answers)| self.bench.beats(answers)[before].field(1));
        self.take_appends()?;
        if release && code == 0 {
            self.forget(request);
        }
        Ok(code)
    }

    /// A request was released: what it had is gone.
    pub fn forget(&mut self, request: u64) {
        self.model.retain(|group, _| group[0] != request);
    }

    /// Runs until all reads are answered and all their words came. Each must be what the model has, or, if vectors were on their way, more.
    pub fn finish_reads(&mut self) -> Result<Vec<u64>, String> {
        let all = self.reads.len();
        self.until("read", 4_000_000, |x| x.bench.beats(x.answers[1]).len() >= all)?;
        let answers: Vec<_> = self.bench.beats(self.answers[1])[self.reads_answered..].to_vec();
        let data = answers.iter().filter(|beat| beat.field(2) > 0).count() + self.taken[0];
        self.until("read to the last word", 400_000, |x| x.packets_read().iter().all(|n| *n >= data))?;
        self.take_appends()?;
        for answer in &answers {
            self.check_read(answer)?;
        }
        Ok(answers.iter().map(|beat| beat.field(1)).collect())
    }

    /// Packets of either part that came.
    pub fn packets_read(&mut self) -> [usize; 2] {
        for (i, (seen, packets)) in self.counted.iter_mut().enumerate() {
            let new = &self.bench.beats(self.histories[i + 1])[*seen..];
            *packets += new.iter().filter(|beat| beat.field(2) == 1).count();
            *seen += new.len();
        }
        self.counted.map(|(_, packets)| packets)
    }

    fn check_read(&mut self, answer: &Beat) -> Result<(), String> {
        let (group, head, asked, known) = self.reads[self.reads_answered];
        let (tag, code, tokens) = (answer.field(0), answer.field(1), answer.field(2) as usize);
        let here = format!("read {} of {group:?}, head {head}", self.reads_answered);
        if tag != self.reads_answered as u64 & 15 {
            return Err(format!("{here} came back with the tag {tag}"));
        }
        self.reads_answered += 1;
        if tokens == 0 {
            return match known {
                0 => Ok(()),
                _ if code != 0 => Ok(()),
                _ => Err(format!("{here}: nothing of {known} tokens")),
            };
        }
        let [told, told_tag] = [0, 1].map(|i| self.bench.beats(self.histories[0])[self.histories_taken].field(i));
        self.histories_taken += 1;
        if told_tag != tag {
            return Err(format!("{here}: `history` has the tag {told_tag}"));
        }
        let least = if asked == 0 { known } else { known.min(asked as usize) };
        if told != tokens as u64 || tokens < least || (asked > 0 && tokens > asked as usize) {
            return Err(format!("{here}: {tokens} tokens (`history`: {told}) of {known}, {asked} asked for"));
        }
        let failed = code == 6;
        self.check_parts(&here, (group, head), tokens, asked == 0, failed)
    }

    /// The parts of a history: the dense one is exact, the sparse one goes on at most to the end; of one that failed, a part says so.
    fn check_parts(
        &mut self,
        here: &str,
        (group, head): (Group, u64),
        tokens: usize,
        whole: bool,
        failed: bool,
    ) -> Result<(), String> {
        let history = self.model.get(&group).ok_or(format!("{here}: of a group without tokens"))?;
        let part = |part: usize, n: usize| -> Vec<u8> {
            history[..n.min(history.len())].iter().flat_map(|x| x[head as usize][part].clone()).collect()
        };
        let (least, all, expected) = (part(0, tokens), part(0, history.len()), part(1, tokens));
        let [(sparse, sparse_failed), (dense, dense_failed)] = [0, 1].map(|i| {
            let packet = packets(self.bench.beats(self.histories[i + 1])).swap_remove(self.taken[i]);
            self.taken[i] += 1;
            packet
        });
        let told = sparse_failed || dense_failed;
        if told != failed {
            return Err(match failed {
                true => format!("{here} failed, and no part of it says so"),
                false => format!("{here}: a part says that it failed"),
            });
        }
        if failed {
            return Ok(());
        }
        if dense != expected {
            let (got, expected) = (dense.len(), expected.len());
            return Err(format!("{here}: {got} bytes of the dense part, {expected} expected, or others"));
        }
        if !all.starts_with(&sparse) || !sparse.starts_with(&least) || (whole && sparse != least) {
            let (got, expected) = (sparse.len(), least.len());
            return Err(format!("{here}: {got} bytes of the sparse part, {expected} expected, or others"));
        }
        Ok(())
    }

    /// Free pages, as the MMU says.
    ///
    /// # Panics
    /// If there is no such port.
    pub fn free(&mut self) -> u64 {
        self.bench.engine.peek_u64(self.free.expect("a port with the free pages"))
    }

    /// Commands to open and release that were answered.
    pub fn controlled(&self) -> usize {
        self.control.map_or(0, |(_, answers)| self.bench.beats(answers).len())
    }

    /// Appends and reads that are not answered.
    pub fn unanswered(&self) -> [usize; 2] {
        let [appended, read] = self.answers.map(|sink| self.bench.beats(sink).len());
        [self.appends.len() - appended, self.reads.len() - read]
    }

    /// How the takers of histories stall from now on.
    pub fn take_histories(&mut self, stalls: Stalls) {
        self.histories.iter().for_each(|sink| self.bench.stall_sink(*sink, stalls));
    }

    /// Pages that the next vector of a group may need.
    pub fn pages_needed(&self, group: Group) -> u64 {
        let history = self.model.get(&group).map_or(&[][..], |history| history);
        let longest = [self.shape.longest_sparse(), self.shape.dense[group[2] as usize]];
        let needed = |head: usize, part: usize| -> u64 {
            let bytes: u64 = history.iter().map(|x| x[head][part].len() as u64).sum();
            (bytes + longest[part]).div_ceil(self.shape.page) - bytes.div_ceil(self.shape.page)
        };
        (0..self.shape.heads as usize).map(|head| needed(head, 0) + needed(head, 1)).sum()
    }

    /// Pages that the model's streams have.
    pub fn used_pages(&self) -> u64 {
        let bytes = |history: &[Slices], head: usize, part: usize| -> u64 {
            history.iter().map(|x| x[head][part].len() as u64).sum()
        };
        let heads = 0..self.shape.heads as usize;
        let of_group = |history: &[Slices]| -> u64 {
            let streams = heads.clone().flat_map(|head| [(head, 0), (head, 1)]);
            streams.map(|(head, part)| bytes(history, head, part).div_ceil(self.shape.page)).sum()
        };
        self.model.values().map(|history| of_group(history)).sum()
    }

    /// The cycles in which words of histories came, sparse and dense.
    pub fn words_given(&self) -> [&[u64]; 2] {
        [1, 2].map(|i| self.bench.received_at(self.histories[i]))
    }

    /// The cycles in which words of vectors were taken.
    pub fn words_taken(&self) -> &[u64] {
        self.bench.sent_at(self.vectors[1])
    }
}

/// Packets and whether they failed.
fn packets(beats: &[Beat]) -> Vec<(Vec<u8>, bool)> {
    let (mut list, mut bytes) = (vec![], vec![]);
    for beat in beats {
        let kept = beat.field(1).count_ones() as usize;
        let mut word = beat.0[0].to_bytes_le();
        word.resize(64, 0);
        bytes.extend(&word[..kept]);
        if beat.field(2) == 1 {
            list.push((std::mem::take(&mut bytes), beat.field(3) == 1));
        }
    }
    list
}
