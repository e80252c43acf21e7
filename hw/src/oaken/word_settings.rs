//! The settings of the words of the ring, where each vector names its own: they come beside the words, are kept for the newest of them as
//! what the walker knows of these, and that of the word with which a record begins leaves beside the header.

use super::sparse_ring::{NEWEST, address};
use super::types::*;
use super::walker_records::HEADERS;
use super::walker_words::Arrived;
use crate::stream::fifo_with_room::fifo_with_room;
use hdl::*;

/// The setting that came beside `word`, if words have one.
#[module]
pub fn word_setting(m: Module, given: Option<Setting>, arrived: Arrived, word: Signal) -> Option<Setting> {
    let given = given?;
    // beside the word, in registers
    let setting_of_word = m.reg(setting());
    setting_of_word.set(given);
    let settings = m.memory(setting(), NEWEST as usize).style(RamStyle::Distributed);
    settings.write(arrived.address, setting_of_word, arrived.valid);
    Some(settings.read(address(word, NEWEST)))
}

/// Sends the setting of a record that `begins`, `of_word`, as `sent` beside its header: the two queues hold the same records.
#[module]
pub fn send_setting(
    m: Module,
    of_word: Option<Setting>,
    begins: Signal,
    (sent, header): (Option<Setting>, Stream),
) -> Result<(), Errors> {
    let Some((of_word, sent)) = of_word.zip(sent) else { return Ok(()) };
    let settings = m.instance(&fifo_with_room(setting().total_width(), HEADERS)?);
    let begun_with_setting = m.reg(setting());
    let setting_begun = m.reg_reset(bits(1), 0);
    begun_with_setting.set(of_word);
    setting_begun.set(begins);
    settings.push.set(setting_begun);
    settings.word.set(begun_with_setting.pack());
    settings.m.ready.set(header.ready);
    m.assert(settings.m.valid.eq(header.valid), "each header has its setting");
    sent.set(setting().unpack(settings.m.payload));
    Ok(())
}
