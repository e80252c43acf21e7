//! The two sides and their accelerators (Tables 1 and 2), and the ideal times that Algorithm 1 weighs.

use thiserror::Error;

/// A memory with the accelerator chips at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideHardware {
    /// Bytes of the memory.
    pub capacity: u64,
    /// Bytes a second of the memory.
    pub bandwidth: u64,
    /// Accelerator cores, of all chips of the side.
    pub cores: u64,
    /// Time to the first byte, in picoseconds.
    pub latency: u64,
}

/// An accelerator core (Table 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Core {
    /// Systolic arrays of the matrix-matrix unit.
    pub arrays: u64,
    /// Rows of an array, which are as many cycles as loading its weights takes.
    pub rows: u64,
    /// Columns of an array.
    pub columns: u64,
    /// Whether an array's next weights are loaded while the present ones are used.
    pub loads_overlap: bool,
    /// Multiply-accumulates a cycle of the matrix-vector unit.
    pub dot_lanes: u64,
    /// Elements a cycle of the vector unit, and of the special function unit.
    pub vector_lanes: u64,
    /// Cycles a second.
    pub frequency: u64,
    /// Bytes of one of the two halves of the scratchpad memory.
    pub scratchpad: u64,
}

/// Both sides, their cores and the link between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hardware {
    /// The bandwidth-centric side.
    pub fast: SideHardware,
    /// The capacity-centric side.
    pub large: SideHardware,
    /// The cores of both sides.
    pub core: Core,
    /// Bytes a second of the link between the sides.
    pub link_bandwidth: u64,
}

/// A field of the hardware is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("hardware.{field} = {value} is out of range; legal is 1 to {most}")]
pub struct HardwareError {
    /// The field.
    pub field: &'static str,
    /// What it is.
    pub value: u64,
    /// The most it may be.
    pub most: u64,
}

const CORES_A_CHIP: u64 = 4;
const SECOND: u128 = 1_000_000_000_000;

/// Tables 1 and 2. GB and TB are powers of ten where they are rates and powers of two where they are memories, as memory vendors have it.
/// Table 2 gives no number for the arrays of a core, as it does for the matrix-vector unit's rows: one.
pub const H2M2: Hardware = Hardware {
    fast: SideHardware { capacity: 96 << 30, bandwidth: 3_000_000_000_000, cores: CORES_A_CHIP, latency: 32_000 },
    large: SideHardware { capacity: 512 << 30, bandwidth: 544_000_000_000, cores: CORES_A_CHIP, latency: 45_000 },
    core: Core {
        arrays: 1,
        rows: 128,
        columns: 128,
        loads_overlap: true,
        dot_lanes: 32 * 128,
        vector_lanes: 128,
        frequency: 1_000_000_000,
        scratchpad: 16 << 20,
    },
    link_bandwidth: 960_000_000_000,
};

/// Picoseconds that `amount` takes at `rate` a second, rounded up; `u64::MAX` if they are more than 64 bits hold, seven months.
///
/// # Panics
/// If the rate is 0, or the amount is 2^88 or more.
pub fn duration(amount: u128, rate: u128) -> u64 {
    assert!(rate > 0, "rate = 0 is out of range; legal is 1 or more a second");
    assert!(amount >> 88 == 0, "amount = {amount} is out of range; legal is below 2^88");
    (amount * SECOND).div_ceil(rate).try_into().unwrap_or(u64::MAX)
}

impl Hardware {
    /// Checks what times are computed with: counts of units are 1 to 2^20, the frequency is 1 to 2^40 Hz, and bandwidths are 1 to 2^60
    /// bytes a second. The times of [`SideHardware`] and [`Core`] are for hardware of which this holds.
    pub fn check(&self) -> Result<(), HardwareError> {
        let Hardware { fast, large, core, link_bandwidth } = self;
        let (count, frequency, bandwidth) = (1 << 20, 1 << 40, 1 << 60);
        let fields = [
            ("fast.bandwidth", fast.bandwidth, bandwidth),
            ("fast.cores", fast.cores, count),
            ("large.bandwidth", large.bandwidth, bandwidth),
            ("large.cores", large.cores, count),
            ("core.arrays", core.arrays, count),
            ("core.rows", core.rows, count),
            ("core.columns", core.columns, count),
            ("core.dot_lanes", core.dot_lanes, count),
            ("core.vector_lanes", core.vector_lanes, count),
            ("core.frequency", core.frequency, frequency),
            ("link_bandwidth", *link_bandwidth, bandwidth),
        ];
        match fields.into_iter().find(|(_, value, most)| !(1..=*most).contains(value)) {
            Some((field, value, most)) => Err(HardwareError { field, value, most }),
            None => Ok(()),
        }
    }
}

impl Core {
    /// Picoseconds of so many cycles.
    pub fn cycles(&self, cycles: u64) -> u64 {
        duration(cycles.into(), self.frequency.into())
    }
}

impl SideHardware {
    /// Time to read bytes at full bandwidth.
    pub fn read_time(&self, bytes: u64) -> u64 {
        duration(bytes.into(), self.bandwidth.into())
    }
    /// Time of the matrix-matrix units to multiply weights of 1 byte with a batch of vectors: each tile of the array's size is loaded
    /// (`rows` cycles), then a vector a cycle passes.
    ///
    /// # Panics
    /// If weights and cycles of a tile multiply to 2^88 or more.
    pub fn matrix_time(&self, core: &Core, weights: u64, batch: u64) -> u64 {
        let (batch, rows) = (u128::from(batch), u128::from(core.rows));
        let cycles = if core.loads_overlap { batch.max(rows) } else { batch + rows };
        let tile = u128::from(core.rows * core.columns);
        let rate = u128::from(core.arrays * self.cores) * u128::from(core.frequency) * tile;
        duration(u128::from(weights).saturating_mul(cycles), rate)
    }
    /// Time of the matrix-vector units for so many multiply-accumulates.
    pub fn dot_time(&self, core: &Core, multiplications: u64) -> u64 {
        let rate = u128::from(core.dot_lanes * self.cores) * u128::from(core.frequency);
        duration(multiplications.into(), rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rates_are_those_of_the_tables() {
        let Hardware { fast, large, core, .. } = H2M2;
        assert_eq!(fast.read_time(3_000_000_000), 1_000_000_000);
        assert_eq!(large.read_time(544_000_000), 1_000_000_000);
        assert_eq!(large.read_time(1), 2, "rounded up");
        // 4 cores with an array: 4 tiles of 16 KiB in 128 ns, whatever the batch is up to 128
        for (batch, time) in [(1, 128_000), (128, 128_000), (129, 129_000), (256, 256_000)] {
            assert_eq!(fast.matrix_time(&core, 4 * 16384, batch), time);
        }
        let apart = Core { loads_overlap: false, ..core };
        assert_eq!(fast.matrix_time(&apart, 4 * 16384, 32), 160_000);
        assert_eq!(fast.dot_time(&core, 4 * 4096 * 7), 7_000);
    }

    /// What the check says of H2M2 with a change.
    fn message(change: impl Fn(&mut Hardware)) -> String {
        let mut hardware = H2M2;
        change(&mut hardware);
        hardware.check().unwrap_err().to_string()
    }

    #[test]
    fn impossible_hardware_is_told() {
        assert_eq!(H2M2.check(), Ok(()));
        let bandwidth = "hardware.fast.bandwidth = 0 is out of range; legal is 1 to 1152921504606846976";
        assert_eq!(message(|h| h.fast.bandwidth = 0), bandwidth);
        assert_eq!(message(|h| h.large.cores = 0), "hardware.large.cores = 0 is out of range; legal is 1 to 1048576");
        let frequency = "hardware.core.frequency = 0 is out of range; legal is 1 to 1099511627776";
        assert_eq!(message(|h| h.core.frequency = 0), frequency);
        assert_eq!(message(|h| h.core.arrays = 0), "hardware.core.arrays = 0 is out of range; legal is 1 to 1048576");
        let rows = "hardware.core.rows = 18446744073709551615 is out of range; legal is 1 to 1048576";
        assert_eq!(message(|h| h.core.rows = u64::MAX), rows);
        let lanes = "hardware.core.dot_lanes = 1048577 is out of range; legal is 1 to 1048576";
        assert_eq!(message(|h| h.core.dot_lanes = (1 << 20) + 1), lanes);
    }

    #[test]
    fn the_largest_legal_hardware_has_times() {
        let count = 1 << 20;
        let side = SideHardware { bandwidth: 1 << 60, cores: count, ..H2M2.fast };
        let core = Core {
            arrays: count,
            rows: count,
            columns: count,
            dot_lanes: count,
            vector_lanes: count,
            frequency: 1 << 40,
            ..H2M2.core
        };
        assert_eq!(Hardware { fast: side, large: side, core, link_bandwidth: 1 << 60 }.check(), Ok(()));
        let times = [side.matrix_time(&core, 1 << 48, 1), side.dot_time(&core, u64::MAX), side.read_time(1 << 60)];
        assert_eq!(times, [1, 15_258_790, SECOND as u64]);
    }

    #[test]
    fn a_time_beyond_64_bits_is_the_longest() {
        assert_eq!(duration(18_446_744, 1), 18_446_744 * SECOND as u64);
        assert_eq!(duration(18_446_745, 1), u64::MAX);
        assert_eq!(duration((1 << 88) - 1, 1), u64::MAX);
    }

    #[test]
    #[should_panic(expected = "rate = 0 is out of range; legal is 1 or more a second")]
    fn without_a_rate_there_is_no_time() {
        duration(1, 0);
    }

    #[test]
    #[should_panic(expected = "amount = 309485009821345068724781056 is out of range; legal is below 2^88")]
    fn an_amount_beyond_88_bits_has_no_time() {
        duration(1 << 88, u128::MAX);
    }
}
