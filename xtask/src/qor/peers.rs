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
    let theirs = IOTLB.iter().map(|(entries, lut, ff, mhz)| {
        format!("| IOTLB of riscv-iommu, between registers | {entries} | {lut} | {ff} | 0 | {mhz:.1} |\n")
    });
    format!("{TRANSLATIONS_HEAD}{}{TRANSLATIONS_NOTE}", ours.chain(theirs).collect::<String>())
}

/// Entries, LUT4, FF and MHz of the IOTLB.
const IOTLB: &[(u32, u32, u32, f64)] = &[(8, 7165, 2087, 88.0), (16, 11_230, 3703, 70.5)];

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
";
