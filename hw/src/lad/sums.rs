//! Sums and output of attention correction (AC): the terms of active and latest positions are added to numerator and denominator of a query head, and the output is their
//! quotient (docs/lad.md, section 7, steps 6 to 8, and section 3; lad.txt, section IV).
//!
//! | port | |
//! | --- | --- |
//! | `command` | a job: does it begin with zeros or with what comes at `start`? Taken when the positions of the job before are; `command_ready` is a register's |
//! | `start` | where the sums begin, a beat in a cycle, in front of the first position; `start_ready` follows registers |
//! | `s` | coefficients, the last one marked. One is taken with the last beat of its value; `s_ready` follows `s_valid`, `s_keep`, `s_last` and `value_valid` |
//! | `value` | the values of these positions, a beat in a cycle; `value_ready` follows `s_valid`, `s_keep` and `s_last` |
//! | `m` | the output; registers |
//! | `report` | how the job ended, behind its output; registers |
//!
//! - Parameters: those of [`SumsParams`].
//! - Throughput: a beat of a value in every cycle, position after position, and [`OVERHEAD`] cycles a job; with a start as many more as that has beats, and [`START`]. Jobs of few positions
//!   wait for outputs: there is one in [`interval`] cycles. Latency: [`latency`] cycles from the last beat of a job to its report.
//! - Combinational paths: from `s_valid`, `s_keep` and `s_last` to `value_ready`, from these and `value_valid` to `s_ready`.
//! - Sums under way have so many bits that of no sum of all positions anything is lost but multiples of what would leave it outside of 48 bits. So, whatever the order is, what fits at the end is
//!   right, and what does not is known.
//! - The last terms of a job leave its sums where the output is made of them, an element a cycle, while the next job is added up.
//! - Without an output, a job leaves its report alone. Nothing of it reaches the next one.

mod lane;
mod output;
mod quotient;
mod total;

pub use super::sum_types::*;

use self::lane::sum_lane;
use self::output::Output;
use self::total::Total;
use hdl::*;

/// Cycles of a job beside those in which beats are taken.
pub const OVERHEAD: u32 = 1;
/// Cycles more of a job that has a start.
pub const START: u32 = 1;

/// Cycles from the last beat of a job to its report, if the output is taken as it comes.
pub fn latency(p: SumsParams) -> u32 {
    p.head + 42
}

/// Cycles from output to output at the least.
pub fn interval(p: SumsParams) -> u32 {
    latency(p) + p.beats()
}

/// Sums.
#[module]
pub fn sums(p: SumsParams) -> Result<Design<SumsPorts>, Errors> {
    let SumsParams { head, lanes, max_positions } = p;
    let name = format!("lad_sums_{head}x{lanes}_{max_positions}");
    p.check(&name)?;
    let m = Module::new(name);
    m.doc("Sums of the terms of positions, and the output, which is their quotient.");
    let io = SumsPorts::new(m, p);
    let done = io.report.transfer();
    let output = Output::new(m, p);
    let total = Total::take(m, &io, done, p);

    m.section("the numerator, lane by lane");
    let unit = sum_lane(p)?;
    let starts = io.start.payload.numerator.lanes(SUM_BITS);
    let (mut given, mut overs) = (vec![], vec![]);
    for (value, start) in io.value.payload.lanes(16).into_iter().zip(starts) {
        let lane = m.instance(&unit);
        lane.value.set(value);
        lane.magnitude.set(total.magnitude);
        lane.negative.set(total.negative);
        lane.starts.set(total.starts);
        lane.start.set(start);
        lane.read.set(total.read);
        lane.write.set(total.write);
        lane.give.set(output.beat);
        given.push(lane.sum);
        overs.push(lane.over);
    }
    let over = m.reg_reset(bits(1), 0).comment("a last sum does not fit");
    let ended = m.reg_reset(bits(1), 0).comment("all last sums are there");
    m.when(done, || over.set(0));
    m.when(total.gave & Vector::of(overs).pack().any(), || over.set(1));
    ended.set(total.ended);
    output.make(m, total.job, Vector::of(given), (over, ended), &io, p);
    m.finish(io)
}

#[cfg(test)]
mod tests;
