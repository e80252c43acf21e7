//! What others take in the same flow, beside ours.

use super::record::Record;

/// A unit of others in the same flow, without registers inside, beside our configuration that does the same.
struct Peer {
    ours: &'static str,
    name: &'static str,
    /// LUT4, CCU2C, MULT18X18D.
    counts: [u64; 3],
    mhz: f64,
}

const HARDFLOAT: &str = "Berkeley HardFloat, recoded";

const PEERS: &[Peer] = &[
    Peer { ours: "f16_add", name: HARDFLOAT, counts: [286, 42, 0], mhz: 45.9 },
    Peer { ours: "f16_mul", name: HARDFLOAT, counts: [234, 18, 1], mhz: 50.6 },
    Peer { ours: "f16_mul", name: "the same, with IEEE ports", counts: [505, 41, 1], mhz: 34.0 },
    Peer { ours: "f16_fma", name: HARDFLOAT, counts: [827, 82, 1], mhz: 24.5 },
    Peer { ours: "f16_fma", name: "cvfpu", counts: [763, 92, 1], mhz: 23.1 },
];

/// What others take in the same flow.
pub fn peers(record: &Record) -> String {
    let row = |peer: &Peer| {
        let ours = record.configurations.get(&format!("{} at latency 0", peer.ours))?;
        let counts = ["LUT4", "CCU2C", "MULT18X18D"].map(|cell| ours.count(cell));
        let cells = |[lut, carry, dsp]: [u64; 3]| format!("{lut} | {carry} | {dsp}");
        let (ours, theirs) =
            (format!("{} | {}", cells(counts), ours.clock()), format!("{} | {:.1}", cells(peer.counts), peer.mhz));
        Some(format!("| {} | {ours} | {} | {theirs} |\n", peer.ours, peer.name))
    };
    let rows: String = PEERS.iter().filter_map(row).collect();
    format!("{PEERS_HEAD}{rows}{PEERS_NOTE}")
}

const PEERS_HEAD: &str = "
## Beside others

| at latency 0 | LUT4 | CCU2C | DSP | MHz | peer | LUT4 | CCU2C | DSP | MHz |
| --- | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: |
";

const PEERS_NOTE: &str = "
binary16 between registers, round to nearest even only, no flags, operation constant; the same Yosys, nextpnr, scripts and seed.
HardFloat is release 1 (addRecFN, mulRecFN, mulAddRecFN), cvfpu its fpnew_fma for FP16 without pipeline registers, as in the Python
package pythondata_cpu_cva6 4.2.0.post435. HardFloat's recoded form has the leading one in front, so subnormals cost its units nothing;
IEEE ports are with its conversions on both sides. The registers are in [peers/](peers). To measure these, or a unit of your own:

    cargo xtask qor --pnr --top hardfloat_mul --files docs/peers/hardfloat.v $HARDFLOAT/*.v --include $HARDFLOAT $HARDFLOAT/RISCV
    cargo xtask qor --pnr --top cvfpu_fma --files $COMMON_CELLS/src/{cf_math_pkg,lzc}.sv \\
        $CVFPU/src/fpnew_{pkg,classifier,rounding,fma}.sv docs/peers/cvfpu.sv --include $COMMON_CELLS/include

where `$HARDFLOAT` is the folder with its Verilog, of which the wrappers need HardFloat_primitives, HardFloat_rawFN, isSigNaNRecFN,
addRecFN, mulRecFN, mulAddRecFN, fNToRecFN and recFNToFN.
";

/// What others take to translate addresses.
pub fn translations(record: &Record) -> String {
    let ours = ["h2m2_mmu", "h2m2_mmu_48"].iter().filter_map(|name| {
        let figures = record.configurations.get(*name)?;
        let [lut, ff, ram] = ["LUT4", "TRELLIS_FF", "DP16KD"].map(|cell| figures.count(cell));
        Some(format!(
            "| {name}, with walks, registers and four requesters | 2048 | {lut} | {ff} | {ram} | {} |\n",
            figures.clock()
        ))
    });
    let theirs = TLBS.iter().map(|tlb| {
        let Tlb { name, entries, counts: [lut, ff, ram], mhz } = tlb;
        format!("| {name}, between registers | {entries} | {lut} | {ff} | {ram} | {mhz:.1} |\n")
    });
    format!("{TRANSLATIONS_HEAD}{}{TRANSLATIONS_NOTE}", ours.chain(theirs).collect::<String>())
}

/// A TLB of others.
struct Tlb {
    name: &'static str,
    entries: u32,
    /// LUT4, FF, DP16KD.
    counts: [u64; 3],
    mhz: f64,
}

const TLBS: &[Tlb] = &[
    Tlb { name: "IOTLB of riscv-iommu", entries: 8, counts: [7165, 2087, 0], mhz: 88.0 },
    Tlb { name: "IOTLB of riscv-iommu", entries: 16, counts: [11_230, 3703, 0], mhz: 70.5 },
    Tlb { name: "cva6's first level", entries: 16, counts: [3970, 2112, 0], mhz: 74.9 },
    Tlb { name: "cva6's second level, 2 ways", entries: 128, counts: [3116, 1425, 8], mhz: 66.3 },
    Tlb { name: "Coyote's for 2 MB, 2 ways", entries: 1024, counts: [567, 880, 12], mhz: 129.8 },
    Tlb { name: "Coyote's for 2 MB, 4 ways", entries: 2048, counts: [1729, 1152, 24], mhz: 108.4 },
];

const TRANSLATIONS_HEAD: &str = "
| translation of addresses | entries | LUT4 | FF | DP16KD | MHz |
| --- | ---: | ---: | ---: | ---: | ---: |
";

const TRANSLATIONS_NOTE: &str = "
The IOTLB is zero-day-labs/riscv-iommu at 18ad30a, `rv_iommu_iotlb_sv39x4` alone. It is another kind: any entry holds any page of three sizes, two
levels of translation and identifiers of virtual machines, and it answers within the cycle; so each entry is compared with each request,
which block RAM cannot do. To measure it ([peers/iotlb.sv](peers/iotlb.sv) has 16 entries):

    cargo xtask qor --pnr --top iotlb_regs --files $IOMMU/packages/dependencies/riscv_pkg.sv $IOMMU/packages/rv_iommu/rv_iommu_pkg.sv \\
        $IOMMU/rtl/translation_logic/rv_iommu_iotlb_sv39x4.sv docs/peers/iotlb.sv --include $IOMMU/packages/dependencies

cva6 is openhwgroup/cva6 at 6cb2001, configuration cv64a6_imafdc_sv39: `cva6_tlb` with the 16 entries that it has there, and
`cva6_shared_tlb`, which that configuration leaves out, with the depth that it names. The first level is of the IOTLB's kind: it answers within
the cycle and compares each entry. The second is sets in block RAM, read when the first one misses, and has no register behind its comparison.
Coyote is fpgasystems/Coyote, `tlb_controller` at 1013484 with the sizes of its build (order 9, 2 ways, 48 bits of virtual and 44 of physical
addresses) and with four ways of as many sets. It is the nearest to ours: one size of pages, a lookup a cycle, 3 cycles a hit. Its host fills it, so
there are no walks; its entries have 82 bits, with two numbers of processes; its queue of updates and the state machine in front of it, which takes one
request at a time, are not counted. Yosys makes a copy of its RAM for each of two read ports: 12 block RAMs where 6 would do. Ours is a whole MMU: its
rows have the turn among requesters, rights, walks and registers in them, but no numbers of processes. So the rows say what a lookup
costs in each kind, not which MMU is better. All were read by Yosys' `read_slang` as they are.
";
