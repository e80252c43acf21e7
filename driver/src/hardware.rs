//! The two sides and their accelerators (Tables 1 and 2), and the ideal times that Algorithm 1 weighs.

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

/// Picoseconds that `amount` takes at `rate` a second, rounded up.
pub fn duration(amount: u128, rate: u128) -> u64 {
    (amount * SECOND).div_ceil(rate) as u64
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
    pub fn matrix_time(&self, core: &Core, weights: u64, batch: u64) -> u64 {
        let cycles = if core.loads_overlap { batch.max(core.rows) } else { batch + core.rows };
        let tile = u128::from(core.rows * core.columns);
        let rate = u128::from(core.arrays * self.cores) * u128::from(core.frequency) * tile;
        duration(u128::from(weights) * u128::from(cycles), rate)
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
}
