//! Gowin LittleBee and Arora.

use super::programs::{Flow, Placement, texts};
use crate::device::Device;

pub(super) const FLOW: Flow = Flow {
    place: "nextpnr-himbaechel-gowin",
    pack: "gowin_pack",
    placed: "json",
    bitstream: "fs",
    // Wide LUTs (MUX2_LUT5 and so on) need sites side by side: with them nextpnr 0.11.1 did not place the system of the Tang Nano 9K in 5 minutes, and it
    // has more LUTs without (docs/boards.md).
    synthesis: |top| format!("synth_gowin -nowidelut -top {top} -json netlist.json"),
    place_arguments,
    pack_arguments: |device, placed, bitstream| texts(&["-d", family(device), "-o", bitstream, placed]),
};

/// This nextpnr does not know what a PLL makes of a clock: it is told the frequency of the system, and holds every clock to that.
fn place_arguments(placement: &Placement) -> Vec<String> {
    let Placement { device, constraints, seed, placed, report, clock } = placement;
    let (clock, constraints) = (clock.to_string(), format!("cst={constraints}"));
    let family = format!("family={}", family(device));
    texts(
        &[
            &["--device", device.part, "--vopt", &family, "--vopt", &constraints, "--freq", &clock, "--seed", seed][..],
            &["--json", "netlist.json", "--write", placed, "--report", report, "--timing-allow-fail"],
        ]
        .concat(),
    )
}

/// What Apicula calls the silicon, without what else is in the package.
fn family(device: &Device) -> &'static str {
    match device.name {
        "GW1NR-9C" => "GW1N-9C",
        _ => "GW2A-18C",
    }
}
