//! The flow, with programs that stand in for the tools: what they are given, what is made of what they say, and each way to fail.

use super::*;
use crate::bitstream::tests::{OF_9C, OF_25F, of_ecp5, of_gowin, of_ice40};
use crate::boards::find;
use crate::device::Family;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// A report of two clocks.
fn report(reached: f64) -> String {
    format!(
        r#"{{"utilization": {{"TRELLIS_COMB": {{"used": 700, "available": 24288}}, "DCUA": {{"used": 0, "available": 0}}}},
            "fmax": {{"$glbnet$clk": {{"achieved": 300.0, "constraint": 48.0}}, "$glbnet$system_clk": {{"achieved": {reached}, "constraint": 72.0}}}},
            "critical_paths": [{{"from": "posedge $glbnet$system_clk", "to": "posedge $glbnet$system_clk", "path": [
                {{"type": "clk-to-q", "delay": 0.5}}, {{"type": "routing", "delay": 1.5, "net": "a.b"}},
                {{"type": "logic", "delay": 0.25}}, {{"type": "routing", "delay": 1.0, "net": "c"}}, {{"type": "setup", "delay": 0.0}}]}}],
            "detailed": [1, 2, 3]}}"#
    )
}

/// A folder with programs of these texts.
struct Tools(std::path::PathBuf);

impl Tools {
    fn new(test: &str, programs: &[(&str, &str)]) -> Tools {
        let folder = std::env::temp_dir().join(format!("kvforge-build-{test}-{}", std::process::id()));
        let tools = folder.join("tools");
        fs::create_dir_all(&tools).unwrap();
        for (name, text) in programs {
            let file = tools.join(name);
            fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::write(tools.join("good.bit"), of_ecp5(OF_25F, true)).unwrap();
        Tools(folder)
    }
    fn build(&self, board: &str, seeds: u32) -> Result<Built, BuildError> {
        let (tools, folder) = (self.0.join("tools"), self.0.join("out"));
        let board = find(board).expect("a board");
        let request =
            Request { board, top: "top", verilog: "module top;", tools: &tools, folder: &folder, seeds, clock: 72.0 };
        build(&request, |_| {})
    }
    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.0.join("out").join(file)).unwrap()
    }
}

impl Drop for Tools {
    fn drop(&mut self) {
        // what is left over is in the system's folder for that
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// nextpnr of which the seeds reach these frequencies, one after the other.
fn nextpnr(reached: &[f64]) -> String {
    let mut text = "echo \"$@\"\n".to_string();
    for (seed, reached) in (1..).zip(reached) {
        text += &format!(
            "case \"$*\" in *\"--seed {seed} \"*) cat > report-{seed}.json <<'END'\n{}\nEND\n",
            report(*reached)
        );
        text += "esac\n";
        text += &format!("echo {seed} > placed-{seed}.config\n");
    }
    text
}

const ECPPACK: &str = "echo \"$@\"; cp \"$(dirname \"$0\")/good.bit\" \"$5\"";

#[test]
fn a_build_leaves_a_bitstream_logs_and_a_report() {
    let tools =
        Tools::new("good", &[("yosys", "echo \"$@\""), ("nextpnr-ecp5", &nextpnr(&[80.0])), ("ecppack", ECPPACK)]);
    let built = tools.build("orangecrab-25f", 3).unwrap();
    assert_eq!((built.seed, built.bytes), (1, of_ecp5(OF_25F, true).len() as u64));
    assert_eq!(built.bitstream.file_name().unwrap(), "orangecrab-25f.bit");
    assert_eq!(tools.text("design.v"), "module top;");
    assert!(tools.text("orangecrab-25f.lpf").contains("FREQUENCY PORT \"clk\" 48 MHZ"));
    assert!(tools.text("yosys.log").contains("-top top"));
    let placed = "--25k --package CSFBGA285 --speed 8 --seed 1 --json netlist.json --lpf orangecrab-25f.lpf";
    assert!(tools.text("nextpnr-1.log").starts_with(placed), "{}", tools.text("nextpnr-1.log"));
    let programs: Vec<&str> = built.runs.iter().map(|run| run.program).collect();
    assert_eq!(programs, ["yosys", "nextpnr-ecp5", "ecppack"]);
    assert_eq!(built.report.used, [Used { kind: "TRELLIS_COMB".into(), used: 700, available: 24288 }]);
    let clock = &built.report.clocks[1];
    assert_eq!((&clock.name[..], clock.reached, clock.demanded), ("system_clk", 80.0, 72.0));
    let critical = clock.critical.as_ref().unwrap();
    assert_eq!((critical.delay, critical.wires), (3.25, 2.5));
    let hops: Vec<(&str, f64)> = critical.hops.iter().map(|hop| (&hop.net[..], hop.at)).collect();
    assert_eq!(hops, [("a.b", 2.0), ("c", 3.25)]);
    assert!(built.report.clocks[0].critical.is_none());
}

#[test]
fn seeds_are_tried_until_one_is_fast_enough() {
    let programs = |reached: &[f64]| {
        [("yosys", "true".to_string()), ("nextpnr-ecp5", nextpnr(reached)), ("ecppack", ECPPACK.into())]
    };
    let of = |programs: &[(&'static str, String)]| {
        programs.iter().map(|(name, text)| (*name, text.clone())).collect::<Vec<_>>()
    };
    let with = |test: &str, reached: &[f64]| {
        let all = of(&programs(reached));
        Tools::new(test, &all.iter().map(|(name, text)| (*name, &text[..])).collect::<Vec<_>>())
    };
    let tools = with("second", &[70.0, 73.0, 90.0]);
    assert_eq!(tools.build("orangecrab-25f", 3).unwrap().seed, 2);
    let tools = with("none", &[70.0, 71.5, 60.0]);
    let error = tools.build("orangecrab-25f", 3).unwrap_err().to_string();
    assert_eq!(error, "system_clk reaches 71.5 MHz of 72.0 (the best of 3 seeds)");
    assert!(!tools.0.join("out/orangecrab-25f.bit").exists());
}

#[test]
fn what_fails_is_told() {
    let tools = Tools::new("missing", &[]);
    let error = tools.build("orangecrab-25f", 1).unwrap_err();
    assert!(matches!(error, BuildError::NoProgram { .. }), "{error}");
    let tools = Tools::new("failing", &[("yosys", "echo one; echo 'ERROR: two' >&2; exit 3")]);
    let former = tools.0.join("out/orangecrab-25f.bit");
    fs::create_dir_all(tools.0.join("out")).unwrap();
    fs::write(&former, "of a former build").unwrap();
    let error = tools.build("orangecrab-25f", 1).unwrap_err().to_string();
    assert!(
        error.starts_with("yosys failed, exit status: 3; the end of ") && error.ends_with("one\nERROR: two"),
        "{error}"
    );
    assert!(!former.exists(), "no bitstream is left");
    let tools = Tools::new("report", &[("yosys", "true"), ("nextpnr-ecp5", "echo '{}' > report-1.json")]);
    let error = tools.build("orangecrab-25f", 1).unwrap_err().to_string();
    assert!(error.contains("report-1.json: missing field"), "{error}");
    let of_no_clock = report(80.0).replace("72.0", "12.0");
    let tools = Tools::new(
        "clock",
        &[("yosys", "true"), ("nextpnr-ecp5", &format!("cat > report-1.json <<'END'\n{of_no_clock}\nEND"))],
    );
    let error = tools.build("orangecrab-25f", 1).unwrap_err().to_string();
    assert!(error.ends_with("report-1.json: no clock of 72 MHz is looked at"), "{error}");
    let cut = "head -c 100 \"$(dirname \"$0\")/good.bit\" > \"$5\"";
    let tools = Tools::new("packed", &[("yosys", "true"), ("nextpnr-ecp5", &nextpnr(&[80.0])), ("ecppack", cut)]);
    let error = tools.build("orangecrab-25f", 1).unwrap_err().to_string();
    assert!(error.contains("orangecrab-25f.bit: the bitstream is cut: it ends at byte 100"), "{error}");
}

/// The programs of the other families, and what they are given.
#[test]
fn each_family_has_its_flow() {
    let told = |board: &str, seed: u32, clock: &str| {
        let board = find(board).expect("a board");
        let nextpnr = format!(
            "echo \"$@\"; cat > report-{seed}.json <<'END'\n{}\nEND\necho > {}",
            report(80.0).replace("$glbnet$system_clk", clock),
            placed_of(board, seed)
        );
        let bytes = match board.device.family {
            Family::Ice40 => of_ice40(692, [336, 176, 336, 176]),
            _ => of_gowin(OF_9C),
        };
        let [synthesis, place, pack] = programs(board);
        let packer = format!("echo \"$@\"; cp \"$(dirname \"$0\")/packed\" {}", bitstream_of(board));
        let programs = [(synthesis, "echo \"$@\""), (place, &nextpnr[..]), (pack, &packer[..])];
        let tools = Tools::new(board.name, &programs);
        fs::write(tools.0.join("tools/packed"), bytes).unwrap();
        let built = tools.build(board.name, 1).unwrap();
        assert_eq!(built.runs.iter().map(|run| run.program).collect::<Vec<_>>(), [synthesis, place, pack]);
        assert!(built.report.clocks.iter().any(|clock| clock.name == "system_clk"), "{:?}", built.report.clocks);
        let logs = ["yosys.log".to_string(), "nextpnr-1.log".into(), format!("{pack}.log")];
        (built.bitstream.file_name().unwrap().to_str().unwrap().to_string(), logs.map(|log| tools.text(&log)).concat())
    };
    let (file, text) = told("icebreaker", 1, "system_clk_$glb_clk");
    let expected = "-p read_verilog design.v; synth_ice40 -dsp -top top -json netlist.json\n\
        --up5k --package sg48 --seed 1 --json netlist.json --pcf icebreaker.pcf --asc placed-1.asc --report report-1.json \
        --timing-allow-fail\nplaced-1.asc icebreaker.bin\n";
    assert_eq!((&file[..], &text[..]), ("icebreaker.bin", expected));
    let (file, text) = told("tang-nano-9k", 1, "system_clk");
    let expected = "-p read_verilog design.v; synth_gowin -nowidelut -top top -json netlist.json\n\
        --device GW1NR-LV9QN88PC6/I5 --vopt family=GW1N-9C --vopt cst=tang-nano-9k.cst --freq 72 --seed 1 \
        --json netlist.json --write placed-1.json --report report-1.json --timing-allow-fail\n\
        -d GW1N-9C -o tang-nano-9k.fs placed-1.json\n";
    assert_eq!((&file[..], &text[..]), ("tang-nano-9k.fs", expected));
}
