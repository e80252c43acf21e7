//! The migration planner (section 4.2.2): from where pages are to where a mapping wants them, with the fewest bytes moved.
//!
//! A mapping says how many parts of a sublayer are on the fast side, not which. Moving a part costs those of its pages that are not
//! there yet, so the parts for which the fast side is cheapest, in comparison with the large side, go there.

use crate::entry::Side;
use crate::space::{FreeSpace, SpaceError};
use thiserror::Error;

/// A virtual page and where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The virtual page's number.
    pub page: u64,
    /// The memory.
    pub side: Side,
    /// Physical address.
    pub address: u64,
}

/// A sublayer: the pages of each part, and how many parts are to be on the fast side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// The pages of each part, on the fast or the large side.
    pub parts: Vec<Vec<Placed>>,
    /// Parts for the fast side.
    pub fast: usize,
}

/// One page's move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The virtual page's number.
    pub page: u64,
    /// The side that it leaves.
    pub from: Side,
    /// Physical address there.
    pub from_address: u64,
    /// The side that it goes to.
    pub to: Side,
    /// Physical address there.
    pub to_address: u64,
}

/// What to move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// In this order: a page may go to where an earlier one was.
    pub moves: Vec<Move>,
    /// For each region and part, whether it is on the fast side in the end.
    pub on_fast: Vec<Vec<bool>>,
}

/// Why there is no plan; nothing is taken from the memories then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PlanError {
    /// More parts than there are.
    #[error("{fast} parts are to be on the fast side, of {parts}")]
    Parts {
        /// Parts for the fast side.
        fast: usize,
        /// All parts.
        parts: usize,
    },
    /// Not managed.
    #[error("virtual page {0} is on the remote side; only pages of the fast and the large side are moved")]
    Remote(u64),
    /// A page would have to go where no page is free.
    #[error("no free page on the {0:?} side for the pages that go there")]
    NoRoom(Side),
    /// A page says that it is where it is not.
    #[error("virtual page {page}: {error}")]
    Space {
        /// The virtual page's number.
        page: u64,
        /// What is wrong with its address.
        error: SpaceError,
    },
}

/// The free pages of both memories.
#[derive(Clone, Debug)]
pub struct Spaces {
    /// Of the fast side.
    pub fast: FreeSpace,
    /// Of the large side.
    pub large: FreeSpace,
}

impl Spaces {
    /// Those of a side; `None` for the remote one.
    pub fn of(&mut self, side: Side) -> Option<&mut FreeSpace> {
        match side {
            Side::Fast => Some(&mut self.fast),
            Side::Large => Some(&mut self.large),
            Side::Remote => None,
        }
    }
}

impl Plan {
    /// The moves in batches within which no page goes to where another one of the batch was, so that a batch may move in any order.
    pub fn batches(&self) -> Vec<&[Move]> {
        let (mut batches, mut start) = (vec![], 0);
        let mut left = std::collections::HashSet::new();
        for (i, m) in self.moves.iter().enumerate() {
            if left.contains(&(m.to, m.to_address)) {
                batches.push(&self.moves[start..i]);
                start = i;
                left.clear();
            }
            left.insert((m.from, m.from_address));
        }
        batches.push(&self.moves[start..]);
        batches
    }
}

/// The parts that go to the fast side: with these, the fewest pages move.
pub fn choose(region: &Region) -> Result<Vec<bool>, PlanError> {
    let Region { parts, fast } = region;
    if *fast > parts.len() {
        return Err(PlanError::Parts { fast: *fast, parts: parts.len() });
    }
    let elsewhere = |part: &[Placed], side| part.iter().filter(|placed| placed.side != side).count() as i64;
    let more_if_fast = |i: usize| elsewhere(&parts[i], Side::Fast) - elsewhere(&parts[i], Side::Large);
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|&i| (more_if_fast(i), i));
    let mut on_fast = vec![false; parts.len()];
    order[..*fast].iter().for_each(|&i| on_fast[i] = true);
    Ok(on_fast)
}

/// Plans the moves, takes their destinations from the free pages and gives back what they leave.
pub fn plan(regions: &[Region], spaces: &mut Spaces) -> Result<Plan, PlanError> {
    let on_fast = regions.iter().map(choose).collect::<Result<Vec<_>, _>>()?;
    let (mut to_fast, mut to_large) = (vec![], vec![]);
    for (region, on_fast) in regions.iter().zip(&on_fast) {
        for (part, &fast) in region.parts.iter().zip(on_fast) {
            for &placed in part {
                match (placed.side, fast) {
                    (Side::Remote, _) => return Err(PlanError::Remote(placed.page)),
                    (Side::Large, true) => to_fast.push(placed),
                    (Side::Fast, false) => to_large.push(placed),
                    _ => {}
                }
            }
        }
    }
    let mut after = spaces.clone();
    let moves = in_order(to_fast, to_large, &mut after)?;
    *spaces = after;
    Ok(Plan { moves, on_fast })
}

/// Moves so that each has a free page to go to: first to the large side while that has one, which makes room on the fast side.
fn in_order(to_fast: Vec<Placed>, to_large: Vec<Placed>, spaces: &mut Spaces) -> Result<Vec<Move>, PlanError> {
    let (mut to_fast, mut to_large) = (to_fast.into_iter().peekable(), to_large.into_iter().peekable());
    let mut moves = vec![];
    loop {
        let large = to_large.peek().is_some() && spaces.large.free_pages() > 0;
        let fast = to_fast.peek().is_some() && spaces.fast.free_pages() > 0;
        let (placed, destination) = match (large, fast) {
            (true, _) => (to_large.next(), &mut spaces.large),
            (false, true) => (to_fast.next(), &mut spaces.fast),
            (false, false) => break,
        };
        let (Some(placed), to) = (placed, destination.side()) else { break };
        let to_address = destination.take().ok_or(PlanError::NoRoom(to))?;
        moves.push(Move { page: placed.page, from: placed.side, from_address: placed.address, to, to_address });
        let space = spaces.of(placed.side).ok_or(PlanError::Remote(placed.page))?;
        space.give_back(placed.address).map_err(|error| PlanError::Space { page: placed.page, error })?;
    }
    match (to_large.peek(), to_fast.peek()) {
        (Some(_), _) => Err(PlanError::NoRoom(Side::Large)),
        (None, Some(_)) => Err(PlanError::NoRoom(Side::Fast)),
        (None, None) => Ok(moves),
    }
}

#[cfg(test)]
mod tests;
