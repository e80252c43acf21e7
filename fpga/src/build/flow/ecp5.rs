//! Lattice ECP5.

use super::programs::{Flow, Placement, texts};
use crate::device::Device;

pub(super) const FLOW: Flow = Flow {
    place: "nextpnr-ecp5",
    pack: "ecppack",
    placed: "config",
    bitstream: "bit",
    synthesis: |top| format!("synth_ecp5 -top {top} -json netlist.json"),
    place_arguments,
    pack_arguments: |_, placed, bitstream| texts(&["--compress", "--input", placed, "--bit", bitstream]),
};

/// A demand that is missed is told by the caller, with all of the report.
fn place_arguments(placement: &Placement) -> Vec<String> {
    let Placement { device, constraints, seed, placed, report, .. } = placement;
    let size = format!("--{}", size(device));
    texts(
        &[
            &[&size, "--package", device.package, "--speed", device.grade, "--seed", seed][..],
            &["--json", "netlist.json", "--lpf", constraints, "--textcfg", placed, "--report", report],
            &["--timing-allow-fail"],
        ]
        .concat(),
    )
}

/// How nextpnr calls an ECP5.
fn size(device: &Device) -> &'static str {
    match device.name {
        "LFE5U-25F" => "25k",
        "LFE5U-45F" => "45k",
        _ => "85k",
    }
}
