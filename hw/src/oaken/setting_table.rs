//! Setting table: thresholds and lengths of several kinds of vectors, such as the keys and the values of some layers. Each vector
//! names the number of its own, and gets it beside its beats.
//!
//! | port | |
//! | --- | --- |
//! | `store` | in a cycle where it is valid, the setting goes into the table under its number |
//! | `s` | beats of packets, each with a number; that of the first beat counts |
//! | `m` | the beats with the setting of their number; valid and payload are registers |
//! | `unset` | one cycle: a packet began whose number nothing was stored under since reset |
//!
//! A number that nothing was stored under stands for the longest vector with the thresholds that the registers have after reset.
//! A setting is not to be stored in the cycle in which a vector with its number begins: that one may have the old or the new one.
//!
//! Parameters: width of a beat; [`EngineParams::settings`] and the longest vector. Latency 2, a beat a cycle. Combinational: `m`
//! ready to `s` ready.

use super::types::*;
use hdl::*;

/// Magnitude of S where nothing was set: the largest number, so that nothing is an outer outlier.
const UNSET_S: u32 = 0x7bff;

/// A setting on its way into the table.
#[derive(Clone, Copy, Bundle)]
pub struct Store {
    /// There is one.
    pub valid: Signal,
    /// Where it goes.
    pub number: Signal,
    /// The setting.
    pub setting: Setting,
}

/// Shape of a [`Store`] for numbers of so many bits.
pub fn store(number_bits: u32) -> Store {
    Store { valid: bits(1), number: bits(number_bits), setting: setting() }
}

/// A beat of a packet with the number of a setting.
#[derive(Clone, Copy, Bundle)]
pub struct NumberedBeat {
    /// Whatever the packet is made of.
    pub data: Signal,
    /// The packet ends.
    pub last: Signal,
    /// The number.
    pub number: Signal,
}

/// A beat with the setting that its number stands for.
#[derive(Clone, Copy, Bundle)]
pub struct SetBeat {
    /// As it came.
    pub data: Signal,
    /// The packet ends.
    pub last: Signal,
    /// The setting.
    pub setting: Setting,
}

ports! {
    /// Ports of [`setting_table`].
    pub struct SettingTablePorts(width: u32, number_bits: u32) {
        /// A setting to keep.
        input store: Store = store(number_bits),
        /// Beats.
        input s: Stream<NumberedBeat> = stream(NumberedBeat { data: bits(width), last: bits(1), number: bits(number_bits) }),
        /// Beats with their settings.
        output m: Stream<SetBeat> = stream(SetBeat { data: bits(width), last: bits(1), setting: setting() }),
        /// A packet began without a setting.
        output unset: Signal = bits(1),
    }
}

/// The table for packets of beats of `width` bits.
#[module]
pub fn setting_table(width: u32, number_bits: u32, max_length: u32) -> Result<Design<SettingTablePorts>, Errors> {
    let count = 1usize << number_bits;
    let m = Module::new(format!("oaken_setting_table_{count}x{width}_n{max_length}"));
    m.doc("Thresholds and lengths of several kinds of vectors, each of which names its own.");
    let io = SettingTablePorts::new(m, width, number_bits);

    m.section("the settings");
    let style = if count > 16 { RamStyle::Block } else { RamStyle::Distributed };
    let settings = m.memory(setting(), count).style(style);
    // one bit for each number: something was stored under it
    let stored = m.reg_reset(vector(bits(1), count), 0);
    settings.write(io.store.number, io.store.setting, io.store.valid);
    m.when(io.store.valid, || stored.at(io.store.number).set(true));

    m.section("the beats look theirs up");
    let (p, beat) = m.pipeline_stream("look_up", io.s, Elastic { collapse: true, flush: None });
    let found = settings.read_sync(beat.number);
    let is_stored = p.constant(stored).at(beat.number).next();
    // in registers, whose set and reset the choice becomes: the memory takes half a cycle to its output
    let setting = is_stored.mux(found, unset_setting(m, max_length)).next();
    p.leave_stream(SetBeat { data: beat.data.later(2), last: beat.last.later(2), setting }, io.m);

    m.section("does a packet begin without one?");
    let first = m.reg_reset(bits(1), 1);
    let unset = m.reg_reset(bits(1), 0);
    m.when(io.s.transfer(), || first.set(io.s.payload.last));
    unset.set(io.s.transfer() & first & !stored.at(io.s.payload.number));
    io.unset.set(unset);
    m.finish(io)
}

/// What a number stands for that nothing was stored under.
#[module]
fn unset_setting(m: Module, max_length: u32) -> Setting {
    let magnitude = |x: u32| m.lit(x, 15);
    let (s, t) = (magnitude(UNSET_S), magnitude(0));
    Setting {
        chunks_minus_1: m.lit(max_length / CHUNK - 1, 7),
        thresholds: Thresholds { s_low: s, t_low: t, t_high: t, s_high: s },
    }
}
