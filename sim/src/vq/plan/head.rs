//! The attention head that can be generated: scores and values with all that is around them.

use super::area::{self, Area};
use super::cost::{Bytes, Cost};
use super::cycles::{MEMORY, scores_command, values_command};
use super::task::{Attention, Free};
use hw::vq::attention_head::{self, HeadParams};
use hw::vq::scores::ScoresParams;
use hw::vq::table_types::{MAX_TOKENS, TableParams};
use hw::vq::values::ValuesParams;

/// What the head's own bound and three accesses of the memory are above the simulation, with a memory of 40 cycles; fitted.
const HIDDEN: u64 = 74;

/// The parameters of a head.
pub fn head_params(table: TableParams) -> HeadParams {
    let TableParams { entries, vector, positions, .. } = table;
    HeadParams { entries, vector, positions, tokens: MAX_TOKENS, address_bits: 32, partial: false }
}

/// Cycles of a job that attends to some tokens, 8,192 at most: scores, a cycle a token for the softmax, values.
pub fn head_job(table: TableParams, tokens: u64) -> u64 {
    let (scores, values) = (ScoresParams { table, scaled: false }, ValuesParams { table, scaled: false });
    let units = scores_command(scores, tokens) + values_command(values, tokens);
    // what the head has besides its units, whose own overhead is in theirs
    let of_units = u64::from(hw::vq::scores::overhead(scores) + hw::vq::values::overhead(values));
    let besides = u64::from(attention_head::overhead(head_params(table))) - of_units;
    units + tokens + besides + 3 * MEMORY - HIDDEN
}

/// A head: what works by table, encoder, softmax and burst engines, as they were measured. Its registers and sequencer are not counted by themselves: the fits of
/// scores and values are that much too large.
pub fn head(table: TableParams) -> Area {
    let (scores, values) = (ScoresParams { table, scaled: false }, ValuesParams { table, scaled: false });
    area::scores(scores) + area::values(values) + area::encoder() + area::SOFTMAX + area::READER + area::WRITER
}

/// A task with heads: each has 64 bits of the bus and one query at a time. As many as fit and the bus feeds, and no more than make it faster, or one.
pub fn with_heads(a: Attention, free: &Free) -> (usize, Cost) {
    let [entries, vector, positions] = [a.entries(), a.vector(), a.positions()].map(|n| n as u32);
    let table = TableParams { entries, vector, positions, residuals: 1, queries: 1 };
    let area = head(table);
    let jobs = a.heads * a.batch * a.queries;
    let most_heads = (area.times_in(free.area) as usize).min(free.ports()).min(jobs).max(1);
    let turns = jobs.div_ceil(most_heads);
    let heads = jobs.div_ceil(turns);
    // more tokens than a job has are several jobs, whose results are merged
    let most = MAX_TOKENS as usize;
    let (whole, rest) = (a.tokens / most, a.tokens % most);
    let of_rest = if rest > 0 { head_job(table, rest as u64) } else { 0 };
    let of_tokens = whole as u64 * head_job(table, most as u64) + of_rest;
    let commands = a.tokens.div_ceil(most);
    let bytes = Bytes {
        books: 2 * jobs * commands * a.book_bytes(),
        indices: 2 * jobs * a.tokens * a.positions(),
        sums: if commands == 1 { 0 } else { 2 * jobs * commands * a.head },
    };
    let cycles = turns as u64 * of_tokens;
    (heads, Cost { area: area * heads as u32, cycles, bytes, estimate: commands > 1 })
}
