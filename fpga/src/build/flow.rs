//! What the programs of each family are called and told.

mod ecp5;
mod gowin;
mod ice40;
mod programs;

pub(super) use programs::Placement;

use crate::boards::Board;
use crate::device::Family;
use programs::Flow;

/// The flow of a board's device.
pub(super) fn of(board: &Board) -> &'static Flow {
    match board.device.family {
        Family::Ecp5 => &ecp5::FLOW,
        Family::Ice40 => &ice40::FLOW,
        Family::Gowin => &gowin::FLOW,
    }
}
