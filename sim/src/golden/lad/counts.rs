//! Rows of counters: one for each interval (docs/lad.md, section 7, step 9, and section 8).

use super::intervals::MAX_INTERVALS;

/// How often a position's scores were in each interval; of the mode's interval it is not looked at.
pub type Counters = [u16; MAX_INTERVALS];

/// How often the mode's interval was met: in all steps but those that the other intervals have. None, if those are more than the age: no sequence of
/// steps makes such a row.
pub fn mode_count(counters: &Counters, mode: u8, age: usize) -> Option<u16> {
    let others = counters.iter().enumerate().filter(|(interval, _)| *interval != usize::from(mode));
    let count = age.checked_sub(others.map(|(_, count)| usize::from(*count)).sum())?;
    u16::try_from(count).ok()
}

/// Counts an interval that is not the mode; is it now more frequent than the mode? None, and nothing is counted, if the row is not one of that age.
pub fn count(counters: &mut Counters, mode: u8, interval: u8, age: usize) -> Option<bool> {
    let mut counted = *counters;
    let counter = &mut counted[usize::from(interval)];
    *counter = counter.checked_add(1)?;
    let more = *counter > mode_count(&counted, mode, age)?;
    *counters = counted;
    Some(more)
}
