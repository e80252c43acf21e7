//! The driver of both sides: holds page tables, free pages and the mapping, and changes them at the end of an iteration
//! (section 4.2.2: mapping decision, migration, allocation).

use crate::entry::{Entry, EntryError, Side};
use crate::footprint::{RequestError, RequestId, Tracker};
use crate::hardware::{Hardware, HardwareError, SideHardware};
use crate::layout::{Layout, LayoutError};
use crate::migration::{Placed, Plan, PlanError, Region, Spaces, plan};
use crate::page::PageSize;
use crate::shape::{Shape, ShapeError, Sublayer};
use crate::solver::{Mapping, NoMapping, solve};
use crate::space::{FreeSpace, SpaceError};
use crate::table::{PageTable, TableError};
use std::collections::BTreeMap;
use thiserror::Error;

/// A free page of the large side that is never used otherwise: with it, two full memories can exchange pages.
const RESERVE: u64 = 1;

/// What a manager is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The decoder.
    pub shape: Shape,
    /// The two sides; their capacities count in whole pages.
    pub hardware: Hardware,
    /// The size of pages.
    pub page: PageSize,
    /// Layers that share a page of KV cache (see [`layout`](crate::layout)).
    pub page_layers: u64,
    /// Requests that can be under way together.
    pub slots: u64,
    /// The longest request, in tokens.
    pub max_tokens: u64,
    /// Physical addresses of the first bytes of the fast and of the large side.
    pub bases: (u64, u64),
}

/// Something that happens to a request between two iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It begins, with so many tokens.
    Start(RequestId, u64),
    /// It has one more token.
    Grow(RequestId),
    /// It ends.
    Finish(RequestId),
}

/// What the hardware has to be told, in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Virtual pages that are not mapped any more: to be invalidated.
    pub unmapped: Vec<u64>,
    /// Pages to be moved; the tables of the manager hold where they are afterwards.
    pub plan: Plan,
    /// Virtual pages that are mapped now.
    pub mapped: Vec<u64>,
}

/// Why a call was refused. Nothing was changed then, but for `Plan`, `Table` and `Space`: these are mistakes in the manager itself.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ManagerError {
    /// The decoder is not legal.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The hardware is not legal.
    #[error(transparent)]
    Hardware(#[from] HardwareError),
    /// It cannot be laid out.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A memory is not legal.
    #[error(transparent)]
    Space(#[from] SpaceError),
    /// Both memories together are too small.
    #[error(transparent)]
    NoMapping(#[from] NoMapping),
    /// The request is not what the change takes it for.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// All slots are taken.
    #[error("request {id} finds no slot: all {slots} are taken")]
    NoSlot {
        /// The request.
        id: RequestId,
        /// The slots.
        slots: u64,
    },
    /// The request is too long.
    #[error("request {id} has {tokens} tokens; its region has room for {max}")]
    TooLong {
        /// The request.
        id: RequestId,
        /// Its tokens.
        tokens: u64,
        /// Tokens of a region.
        max: u64,
    },
    /// The manager contradicts itself: a mistake in it.
    #[error("plan: {0}")]
    Plan(#[from] PlanError),
    /// The manager contradicts itself: a mistake in it.
    #[error("table: {0}")]
    Table(#[from] TableError),
}

/// The requests under way.
#[derive(Clone, Debug)]
struct Requests {
    tracker: Tracker,
    /// The slot of each of them.
    slots: BTreeMap<RequestId, u64>,
    /// Slots and tokens of those that ended in this step.
    ended: Vec<(u64, u64)>,
}

/// The driver's state.
#[derive(Clone, Debug)]
pub struct Manager {
    hardware: Hardware,
    layout: Layout,
    requests: Requests,
    spaces: Spaces,
    table: PageTable,
    /// For each sublayer and part, whether it is on the fast side.
    on_fast: [Vec<bool>; 3],
}

impl Manager {
    /// Maps the weights of a decoder; no requests yet.
    pub fn new(settings: &Settings) -> Result<Manager, ManagerError> {
        let Settings { shape, hardware, page, page_layers, slots, max_tokens, bases } = *settings;
        hardware.check()?;
        let layout = Layout::new(shape, page, page_layers, slots, max_tokens)?;
        let space = |side, base, hardware: SideHardware| FreeSpace::new(side, page, base, hardware.capacity);
        let spaces = Spaces {
            fast: space(Side::Fast, bases.0, hardware.fast)?,
            large: space(Side::Large, bases.1, hardware.large)?,
        };
        let (tracker, table) =
            (Tracker::new(shape)?.with_page_layers(page_layers), PageTable::new(page, layout.pages()));
        let mapping = solve(&tracker.problem_in_pages(&hardware, page, RESERVE))?;
        let first = |sublayer: Sublayer| {
            (0..shape.parts(sublayer)).map(|part| part < mapping.0[sublayer as usize]).collect::<Vec<_>>()
        };
        let on_fast = Sublayer::ALL.map(first);
        let requests = Requests { tracker, slots: BTreeMap::new(), ended: vec![] };
        let mut manager = Manager { hardware, layout, requests, spaces, table, on_fast };
        for sublayer in [Sublayer::QkvLinear, Sublayer::Fc] {
            for part in 0..shape.parts(sublayer) {
                for page in manager.layout.weight_pages(sublayer, part) {
                    manager.map(sublayer, part, page, false)?;
                }
            }
        }
        Ok(manager)
    }
    /// Where everything is in the virtual address space.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
    /// The requests.
    pub fn tracker(&self) -> &Tracker {
        &self.requests.tracker
    }
    /// The slot of a request.
    pub fn slot(&self, id: RequestId) -> Option<u64> {
        self.requests.slots.get(&id).copied()
    }
    /// The page table, the same for both sides: no page has two copies.
    pub fn table(&self) -> &PageTable {
        &self.table
    }
    /// Whether a part is on the fast side.
    ///
    /// # Panics
    /// If the sublayer has no such part.
    pub fn is_fast(&self, sublayer: Sublayer, part: u64) -> bool {
        self.on_fast[sublayer as usize][part as usize]
    }
    /// How many parts of each sublayer are on the fast side.
    pub fn mapping(&self) -> Mapping {
        Mapping([0, 1, 2].map(|i: usize| self.on_fast[i].iter().filter(|&&fast| fast).count() as u64))
    }
    /// Free pages of the fast and of the large side.
    pub fn free_pages(&self) -> (u64, u64) {
        (self.spaces.fast.free_pages(), self.spaces.large.free_pages())
    }

    /// Takes the changes between two iterations, decides the mapping anew, and says what to move and what is mapped. An error changes
    /// nothing: what can be refused is refused while only a copy of the requests has changed, and Algorithm 1 leaves room for all pages.
    /// (An error of a plan, a table or a space is a mistake in the manager, which may then be half changed.)
    pub fn step(&mut self, changes: &[Change]) -> Result<Step, ManagerError> {
        let mut requests = self.requests.clone();
        changes.iter().try_for_each(|change| requests.take(change, &self.layout))?;
        let problem = requests.tracker.problem_in_pages(&self.hardware, self.layout.page(), RESERVE);
        let mapping = solve(&problem)?;
        self.requests = requests;
        let unmapped = self.release()?;
        let plan = self.migrate(mapping)?;
        Ok(Step { unmapped, plan, mapped: self.allocate()? })
    }

    /// Ends the mappings of requests that ended. Of one that has grown in this step, the last page may not be mapped yet.
    fn release(&mut self) -> Result<Vec<u64>, ManagerError> {
        let mut unmapped = vec![];
        for (slot, tokens) in std::mem::take(&mut self.requests.ended) {
            for head in 0..self.layout.shape().kv_heads {
                for page in self.layout.kv_pages(slot, head, tokens) {
                    if self.table.get(page)?.is_none() {
                        continue;
                    }
                    let Entry { side, address, .. } = self.table.unmap(page)?;
                    self.spaces.of(side).ok_or(PlanError::Remote(page))?.give_back(address)?;
                    unmapped.push(page);
                }
            }
        }
        Ok(unmapped)
    }
    /// Plans the moves to a mapping and enters them in the table.
    fn migrate(&mut self, mapping: Mapping) -> Result<Plan, ManagerError> {
        let regions = Sublayer::ALL
            .iter()
            .map(|&sublayer| {
                let parts = 0..self.layout.shape().parts(sublayer);
                let parts = parts.map(|part| self.placed(sublayer, part)).collect::<Result<_, _>>()?;
                Ok(Region { parts, fast: mapping.0[sublayer as usize] as usize })
            })
            .collect::<Result<Vec<_>, ManagerError>>()?;
        let plan = plan(&regions, &mut self.spaces)?;
        for m in &plan.moves {
            let old = self.table.get(m.page)?.ok_or(TableError::NotMapped(m.page))?;
            self.table.remap(m.page, Entry { side: m.to, address: m.to_address, ..old })?;
        }
        for (now, before) in plan.on_fast.iter().zip(&mut self.on_fast) {
            before.clone_from(now);
        }
        Ok(plan)
    }
    /// The pages of a part that are mapped.
    fn placed(&self, sublayer: Sublayer, part: u64) -> Result<Vec<Placed>, ManagerError> {
        let pages: Vec<u64> = match sublayer {
            Sublayer::Attention => self.kv_pages(part).collect(),
            _ => self.layout.weight_pages(sublayer, part).collect(),
        };
        let mut placed = Vec::with_capacity(pages.len());
        for page in pages {
            if let Some(Entry { side, address, .. }) = self.table.get(page)? {
                placed.push(Placed { page, side, address });
            }
        }
        Ok(placed)
    }
    /// Maps the pages of keys and values that are not mapped yet.
    fn allocate(&mut self) -> Result<Vec<u64>, ManagerError> {
        let mut mapped = vec![];
        for head in 0..self.layout.shape().kv_heads {
            let pages: Vec<u64> = self.kv_pages(head).collect();
            for page in pages {
                if self.table.get(page)?.is_none() {
                    self.map(Sublayer::Attention, head, page, true)?;
                    mapped.push(page);
                }
            }
        }
        Ok(mapped)
    }
    /// The virtual pages of a head's keys and values, of all requests.
    fn kv_pages(&self, head: u64) -> impl Iterator<Item = u64> {
        let Requests { tracker, slots, .. } = &self.requests;
        tracker.requests().flat_map(move |(id, tokens)| self.layout.kv_pages(slots[&id], head, tokens))
    }
    /// Maps a page on its part's side.
    fn map(&mut self, sublayer: Sublayer, part: u64, page: u64, write: bool) -> Result<(), ManagerError> {
        let side = if self.is_fast(sublayer, part) { Side::Fast } else { Side::Large };
        let space = self.spaces.of(side).ok_or(PlanError::Remote(page))?;
        let address = space.take().ok_or(PlanError::NoRoom(side))?;
        Ok(self.table.map(page, Entry { read: true, write, moving: false, side, address })?)
    }
}

impl Requests {
    fn take(&mut self, change: &Change, layout: &Layout) -> Result<(), ManagerError> {
        let max = layout.max_tokens();
        let fits = |id, tokens| if tokens > max { Err(ManagerError::TooLong { id, tokens, max }) } else { Ok(()) };
        match *change {
            Change::Start(id, tokens) => {
                fits(id, tokens)?;
                self.tracker.start(id, tokens)?;
                let taken = |slot: &u64| self.slots.values().any(|other| other == slot);
                let all = layout.slots();
                let slot = (0..all).find(|slot| !taken(slot)).ok_or(ManagerError::NoSlot { id, slots: all })?;
                self.slots.insert(id, slot);
                Ok(())
            }
            Change::Grow(id) => {
                self.tracker.grow(id)?;
                let tokens = self.tracker.requests().find(|request| request.0 == id).map_or(0, |request| request.1);
                fits(id, tokens)
            }
            Change::Finish(id) => {
                let tokens = self.tracker.finish(id)?;
                let slot = self.slots.remove(&id).ok_or(RequestError::Unknown(id))?;
                self.ended.push((slot, tokens));
                Ok(())
            }
        }
    }
}

impl From<EntryError> for ManagerError {
    fn from(error: EntryError) -> Self {
        TableError::from(error).into()
    }
}

#[cfg(test)]
mod tests;
