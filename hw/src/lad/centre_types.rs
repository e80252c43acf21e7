//! What goes in and out of the centres of keys.

use super::apid_types::MAX_POSITIONS;
use super::score_types::DOT_BITS;
use hdl::*;

/// Bits of a threshold.
pub const THRESHOLD_BITS: u32 = 17;
/// Bits of a factor.
pub const FACTOR_BITS: u32 = 16;

/// The parameters of centres.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CentresParams {
    /// The most positions, 16 to [`MAX_POSITIONS`].
    pub max_positions: u32,
}

impl CentresParams {
    /// Bits of a position.
    pub fn position_bits(self) -> u32 {
        clog2(self.max_positions as usize)
    }
    #[track_caller]
    pub(super) fn check(self, module: &str) -> Result<(), Errors> {
        let CentresParams { max_positions } = self;
        if (16..=MAX_POSITIONS).contains(&max_positions) {
            return Ok(());
        }
        let help = "from 16 to 65535: the latest 16 are in no cache, and a record has 16 bits for a position";
        Err(Errors::parameter(module, format!("max_positions = {max_positions} is out of range"), help))
    }
}

/// A key and its dot product with the new one. The first of a list is the new key itself.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct KeyDot {
    /// Which.
    pub position: Signal,
    /// With the new key: the cosine above which it takes a centre, in steps of 2^-16; 2^16 and above: none. Of others it is not looked at.
    pub threshold: Signal,
    /// With a centre: the factor of its record. Of the new key it is not looked at.
    pub factor: Signal,
    /// The exact dot product, two's complement, 24 places behind the point.
    pub dot: Signal,
    /// There is none: an element of a key is infinite or NaN.
    pub faulty: Signal,
    /// It is the last one of the list.
    pub last: Signal,
}

/// How a list ended.
#[derive(Clone, Copy, Debug, State)]
pub enum CentreCause {
    /// The record is that of the new key.
    Done,
    /// The centres did not rise, or one was not before the new key: an end was lost. There is no record.
    Order,
    /// A dot product was none. There is no record.
    NotFinite,
    /// A factor was negative, infinite or NaN, or the square of the new key negative: no steps make such. There is no record.
    Inconsistent,
}

/// The record of a new key. But for the position, it means nothing if its cause is another one than [`CentreCause::Done`].
#[derive(Clone, Copy, Debug, Bundle)]
pub struct CentreRecord {
    /// Of which key.
    pub position: Signal,
    /// The position of its centre.
    pub centre: Signal,
    /// Of a centre the reciprocal of its length, or 0; of another key its length over its centre's, with the sign of their dot product. In binary16.
    pub factor: Signal,
    /// It is a centre.
    pub own: Signal,
    /// Whether it is a record at all.
    pub cause: StateSignal<CentreCause>,
}

pub(super) fn key_dot(p: CentresParams) -> KeyDot {
    KeyDot {
        position: bits(p.position_bits()),
        threshold: bits(THRESHOLD_BITS),
        factor: bits(FACTOR_BITS),
        dot: bits(DOT_BITS),
        faulty: bits(1),
        last: bits(1),
    }
}

pub(super) fn record(p: CentresParams) -> CentreRecord {
    let position = bits(p.position_bits());
    CentreRecord { position, centre: position, factor: bits(FACTOR_BITS), own: bits(1), cause: state() }
}

ports! {
    /// Ports of centres.
    pub struct CentresPorts(p: CentresParams) {
        /// The new key, then the centres, the oldest first: each with its dot product with the new key.
        input s: Stream<KeyDot> = stream(key_dot(p)),
        /// The record of the new key.
        output m: Stream<CentreRecord> = stream(record(p)),
    }
}
