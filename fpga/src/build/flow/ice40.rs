//! Lattice iCE40 UltraPlus.

use super::programs::{Flow, Placement, texts};

/// Multipliers stand in the DSP blocks: one of 16 by 16 bits is some 300 logic cells else.
pub(super) const FLOW: Flow = Flow {
    place: "nextpnr-ice40",
    pack: "icepack",
    placed: "asc",
    bitstream: "bin",
    synthesis: |top| format!("synth_ice40 -dsp -top {top} -json netlist.json"),
    place_arguments,
    pack_arguments: |_, placed, bitstream| texts(&[placed, bitstream]),
};

/// A demand that is missed is told by the caller, with all of the report. The constraints name pins that a design may leave out.
fn place_arguments(placement: &Placement) -> Vec<String> {
    let Placement { device, constraints, seed, placed, report, .. } = placement;
    let package = device.package.to_lowercase();
    texts(
        &[
            &["--up5k", "--package", &package, "--seed", seed, "--json", "netlist.json"][..],
            &["--pcf", constraints, "--asc", placed, "--report", report, "--timing-allow-fail"],
        ]
        .concat(),
    )
}
