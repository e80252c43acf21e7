//! The rules of AXI4 for what goes over a port, from either side. That `valid` and its beat stand until they are taken, and wait for no
//! `ready`, every [`Bench`](hdl::bus::Bench) checks already.
//!
//! Chapters are those of the AMBA AXI specification (IHI 0022H).

use super::axi4::*;
use std::collections::VecDeque;
use std::fmt;

/// A rule that was broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Violation {
    /// A3.4.1: a burst crosses an address of 4 KiB.
    Crosses4K(Request),
    /// A3.4.1: a burst of the type that is reserved.
    ReservedBurst(Request),
    /// A3.4.1: a fixed burst of more than 16 beats.
    LongFixed(Request),
    /// A3.4.1: a wrapping burst has 2, 4, 8 or 16 beats, and begins at a multiple of its size.
    Wrap(Request),
    /// A3.4.1: a beat is wider than the bus.
    Size(Request),
    /// A4.4: a code of AxCACHE that is reserved: allocation without the right to change.
    Cache(Request),
    /// More requests are under way than were agreed on.
    TooMany(Request),
    /// A3.4.1: `wlast` or `rlast` is not at the last beat of its burst, or at another one.
    Last {
        /// The request.
        request: Request,
        /// The beat, from 0.
        beat: u64,
    },
    /// A3.4.3: a byte is written that is not of its beat.
    Strobe {
        /// The request.
        request: Request,
        /// The beat, from 0.
        beat: u64,
        /// The strobes.
        strobes: u64,
    },
    /// A3.3.1: data or a response that nobody asked for with this ID.
    NotRequested(u64),
    /// A3.3.1: a write is answered before its last data were taken.
    BeforeItsData(u64),
    /// A3.4.5: EXOKAY for an access that was not exclusive.
    Exclusive(u64),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rule { chapter, rule } = self.rule();
        let chapter = if chapter.is_empty() { String::new() } else { format!(" (IHI 0022H, {chapter})") };
        write!(f, "AXI4: {rule}{chapter}: {self:?}")
    }
}

/// What was broken, as docs/axi4-checker.md has it.
struct Rule {
    chapter: &'static str,
    rule: &'static str,
}

impl Violation {
    fn rule(&self) -> Rule {
        let (chapter, rule) = match self {
            Violation::Crosses4K(_) => ("A3.4.1", "a burst does not cross an address of 4 KiB"),
            Violation::ReservedBurst(_) => ("A3.4.1", "a burst is fixed, incrementing or wrapping"),
            Violation::LongFixed(_) => ("A3.4.1", "fixed bursts have at most 16 beats"),
            Violation::Wrap(_) => {
                ("A3.4.1", "a wrapping burst has 2, 4, 8 or 16 beats and begins at a multiple of the size of its beats")
            }
            Violation::Size(_) => ("A3.4.1", "a beat is not wider than the bus"),
            Violation::Cache(_) => ("A4.4", "AxCACHE has none of its reserved codes"),
            Violation::TooMany(_) => ("", "no more requests are under way than were agreed on"),
            Violation::Last { .. } => {
                ("A3.4.1", "`wlast` and `rlast` are 1 at the last beat of a burst, and at no other")
            }
            Violation::Strobe { .. } => ("A3.4.3", "only bytes of its beat are written"),
            Violation::NotRequested(_) => ("A3.3.1", "who did not ask with an ID gets no data and no response with it"),
            Violation::BeforeItsData(_) => ("A3.3.1", "a write is answered after its last data"),
            Violation::Exclusive(_) => ("A3.4.5", "EXOKAY answers exclusive accesses only, and there are none"),
        };
        Rule { chapter, rule }
    }
}

impl std::error::Error for Violation {}

/// Sees all that is transferred on a port, in the order of the cycles, and says what is wrong. Within a cycle, requests come first.
#[derive(Clone, Debug)]
pub struct Axi4Checker {
    bus_bytes: u64,
    outstanding: usize,
    reads: Vec<(Request, u64)>,
    /// Writes whose data are not all there, with the beats that came.
    writes: VecDeque<(Request, u64)>,
    /// Data that came before their address.
    early: VecDeque<WriteBeat>,
    /// Writes that wait for their response.
    unanswered: Vec<Request>,
}

impl Axi4Checker {
    /// A checker for a port of so many bytes, with at most so many reads and so many writes under way.
    pub fn new(bus_bytes: u64, outstanding: usize) -> Axi4Checker {
        let (reads, writes, early, unanswered) = Default::default();
        Axi4Checker { bus_bytes, outstanding, reads, writes, early, unanswered }
    }

    /// A beat of AR.
    pub fn ar(&mut self, request: Request) -> Result<(), Violation> {
        self.request(request)?;
        self.reads.push((request, 0));
        if self.reads.len() > self.outstanding { Err(Violation::TooMany(request)) } else { Ok(()) }
    }

    /// A beat of R.
    pub fn r(&mut self, x: &ReadBeat) -> Result<(), Violation> {
        // those of one ID are answered in order, and not mixed
        let at = self.reads.iter().position(|(request, _)| request.id == x.id);
        let at = at.ok_or(Violation::NotRequested(x.id))?;
        let (request, beat) = self.reads[at];
        self.reads[at].1 += 1;
        if x.last != (beat == request.len) {
            return Err(Violation::Last { request, beat });
        }
        if x.last {
            self.reads.remove(at);
        }
        self.response(x.id, x.response)
    }

    /// A beat of AW.
    pub fn aw(&mut self, request: Request) -> Result<(), Violation> {
        self.request(request)?;
        self.writes.push_back((request, 0));
        let early = std::mem::take(&mut self.early);
        early.into_iter().try_for_each(|beat| self.w(beat))?;
        let under_way = self.writes.len() + self.unanswered.len();
        if under_way > self.outstanding { Err(Violation::TooMany(request)) } else { Ok(()) }
    }

    /// A beat of W. It may come before its address; then it is looked at when that comes.
    pub fn w(&mut self, x: WriteBeat) -> Result<(), Violation> {
        let Some((request, done)) = self.writes.front_mut() else {
            self.early.push_back(x);
            return Ok(());
        };
        let (request, beat) = (*request, std::mem::replace(done, *done + 1));
        if x.last != (beat == request.len) {
            return Err(Violation::Last { request, beat });
        }
        let (address, bytes) = request.bytes_of(beat);
        let lanes = (u64::MAX >> (64 - bytes)) << (address % self.bus_bytes);
        if x.strobes & !lanes != 0 {
            return Err(Violation::Strobe { request, beat, strobes: x.strobes });
        }
        if x.last {
            self.writes.pop_front();
            self.unanswered.push(request);
        }
        Ok(())
    }

    /// A beat of B.
    pub fn b(&mut self, x: WriteResponse) -> Result<(), Violation> {
        let Some(at) = self.unanswered.iter().position(|request| request.id == x.id) else {
            let early = self.writes.iter().any(|(request, _)| request.id == x.id);
            return Err(if early { Violation::BeforeItsData(x.id) } else { Violation::NotRequested(x.id) });
        };
        self.unanswered.remove(at);
        self.response(x.id, x.response)
    }

    /// Is nothing under way?
    pub fn is_idle(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty() && self.early.is_empty() && self.unanswered.is_empty()
    }

    fn response(&self, id: u64, response: Response) -> Result<(), Violation> {
        if response == Response::ExclusiveOkay { Err(Violation::Exclusive(id)) } else { Ok(()) }
    }

    fn request(&self, x: Request) -> Result<(), Violation> {
        let size = 1u64 << x.size;
        let beats = x.beats();
        if size > self.bus_bytes {
            return Err(Violation::Size(x));
        }
        if x.cache & 2 == 0 && x.cache & 12 != 0 {
            return Err(Violation::Cache(x));
        }
        match x.burst {
            BurstKind::Reserved => Err(Violation::ReservedBurst(x)),
            BurstKind::Fixed if beats > 16 => Err(Violation::LongFixed(x)),
            BurstKind::Wrapping if ![2, 4, 8, 16].contains(&beats) || !x.address.is_multiple_of(size) => {
                Err(Violation::Wrap(x))
            }
            BurstKind::Incrementing if x.address % 4096 / size + beats > 4096 / size => Err(Violation::Crosses4K(x)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
