//! What stands beside the Verilog is what its readers take: file lists, FuseSoC cores, constraints, registers.

mod common;

use common::{Place, kvforge, stdout};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use yaml_rust2::{Yaml, YamlLoader};

/// A block without registers and with two clocks, an engine, and one with registers in several windows.
const NAMES: [&str; 3] = ["fifo_two_clocks_32x16", "oaken_quantizer_p1", "vq_attention_tiles_cq4_2"];

fn generated() -> Place {
    let place = Place::new();
    for name in NAMES {
        stdout(&place, &format!("generate {name} --out out"));
    }
    place
}

/// Names of the files of a configuration with this extension.
fn files(place: &Place, name: &str, extension: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(place.path().join("out").join(name)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|file| Path::new(file).extension().is_some_and(|e| e == extension)).collect()
}

/// The lines of a file list without comments.
fn listed(place: &Place, name: &str) -> Vec<String> {
    let text = place.read(&format!("out/{name}/{name}.f"));
    text.lines().filter(|line| !line.starts_with("//")).map(String::from).collect()
}

#[test]
fn file_lists_name_all_verilog_and_the_top_last() {
    let place = generated();
    for name in NAMES {
        let list = listed(&place, name);
        assert_eq!(list.iter().cloned().collect::<BTreeSet<_>>(), files(&place, name, "v"), "{name}");
        let text = place.read(&format!("out/{name}/{name}.f"));
        let top = list.last().unwrap().trim_end_matches(".v");
        assert!(text.contains(&format!("// top module: {top}\n")), "{text}");
    }
    stdout(&place, "generate oaken_quantizer_p1 --out out --single-file");
    assert_eq!(listed(&place, "oaken_quantizer_p1"), ["oaken_quantizer_p1.v"]);
}

/// Verilator and Icarus read the list; one that names a file that is not there is refused, so that the test can fail.
#[test]
fn simulators_read_file_lists() {
    let (Some(verilator), Some(icarus)) = (sim::tools::find("verilator"), sim::tools::find("iverilog")) else { return };
    let place = generated();
    let runs = |name: &str, list: &str| {
        let folder = place.path().join("out").join(name);
        let last = listed(&place, name).pop().unwrap();
        let top = last.trim_end_matches(".v");
        let mut from_anywhere = Command::new(&verilator);
        from_anywhere.args(["--lint-only", "-Wall", "--top-module", top, "-F"]).arg(folder.join(list));
        let mut in_its_folder = Command::new(&icarus);
        in_its_folder.args(["-g2005", "-t", "null", "-s", top, "-f", list]).current_dir(&folder);
        [from_anywhere, in_its_folder].map(|mut command| command.output().unwrap())
    };
    for name in NAMES {
        for output in runs(name, &format!("{name}.f")) {
            assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        }
        place.write(&format!("out/{name}/wrong.f"), b"not_there.v\n");
        assert!(runs(name, "wrong.f").iter().all(|output| !output.status.success()), "{name}");
    }
}

#[test]
fn cores_of_fusesoc_name_files_that_are_there() {
    let place = generated();
    for name in NAMES {
        let text = place.read(&format!("out/{name}/{name}.core"));
        assert!(text.starts_with("CAPI=2:\n"), "{text}");
        // the first line is no YAML but the mark of FuseSoC; what is behind it is
        let core = &YamlLoader::load_from_str(text.split_once('\n').unwrap().1).unwrap()[0];
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(core["name"].as_str(), Some(format!("kvforge:generated:{name}:{version}").as_str()));
        let of = |set: &str| -> Vec<String> {
            let files = core["filesets"][set]["files"].as_vec().unwrap().iter();
            files.map(|file| file.as_str().unwrap().to_string()).collect()
        };
        assert_eq!(of("rtl"), listed(&place, name));
        let xdc = if name == "fifo_two_clocks_32x16" { "xdc" } else { "sdc" };
        assert_eq!((of("sdc"), of("xdc")), (vec![format!("{name}.sdc")], vec![format!("{name}.{xdc}")]));
        for file in [of("rtl"), of("sdc"), of("xdc")].concat() {
            assert!(place.path().join("out").join(name).join(&file).is_file(), "{file}");
        }
        let top = listed(&place, name).pop().unwrap().replace(".v", "");
        for target in ["lint", "synth"] {
            assert_eq!(core["targets"][target]["toplevel"].as_str(), Some(top.as_str()), "{target}");
        }
        assert_eq!(core["targets"]["default"]["filesets"], Yaml::Array(vec![Yaml::String("rtl".into())]));
    }
}

#[test]
fn constraints_have_the_clocks_that_are_asked_for() {
    let place = Place::new();
    let clocks = |arguments: &str, file: &str| -> Vec<String> {
        stdout(&place, &format!("generate {arguments} --out out"));
        let text = place.read(&format!("out/{file}"));
        text.lines().filter(|line| line.starts_with("create_clock")).map(String::from).collect()
    };
    let clock = |name: &str, period: &str| format!("create_clock -name {name} -period {period} [get_ports {name}]");
    let two = |s: &str, m: &str| vec![clock("m_clk", m), clock("s_clk", s)];
    let sorted = |mut lines: Vec<String>| {
        lines.sort();
        lines
    };
    let sdc = "fifo_two_clocks_32x16/fifo_two_clocks_32x16.sdc";
    assert_eq!(sorted(clocks("fifo_two_clocks_32x16", sdc)), two("10.000", "10.000"));
    assert_eq!(sorted(clocks("fifo_two_clocks_32x16 --clock 125 --clock m_clk=48", sdc)), two("8.000", "20.833"));
    // what a parameter says goes before the default, and the command line before it
    assert_eq!(clocks("sdram_16", "sdram_16/sdram_16.sdc"), [clock("clk", "13.333")]);
    assert_eq!(clocks("sdram_16 --clock 80", "sdram_16/sdram_16.sdc"), [clock("clk", "12.500")]);
    assert_eq!(clocks("ulx3s_85f", "ulx3s_85f/ulx3s_85f.sdc"), [clock("clk", "40.000")]);
    assert_eq!(clocks("f16_add --set latency=0", "f16_add/f16_add.sdc"), Vec::<String>::new());

    // Vivado bounds the data path alone
    let [sdc, xdc] =
        ["sdc", "xdc"].map(|e| place.read(&format!("out/fifo_two_clocks_32x16/fifo_two_clocks_32x16.{e}")));
    assert!(sdc.contains("\nset_max_delay $crossing_delay -from") && !sdc.contains("datapath_only"), "{sdc}");
    assert!(xdc.contains("\nset_max_delay -datapath_only -from") && !xdc.contains("-hold"), "{xdc}");
    assert!(!place.path().join("out/ulx3s_85f/ulx3s_85f.xdc").exists());
}

#[test]
fn registers_are_those_of_the_configuration() {
    let place = generated();
    assert!(files(&place, "fifo_two_clocks_32x16", "svd").is_empty());
    assert_eq!(files(&place, "vq_attention_tiles_cq4_2", "svd").len(), 3, "two heads and the merging");
    let mut bases = vec![];
    for name in NAMES {
        for file in files(&place, name, "svd") {
            let stem = file.trim_end_matches(".svd");
            let read = |extension: &str| place.read(&format!("out/{name}/{stem}.{extension}"));
            let device = svd_parser::parse(&read("svd")).unwrap_or_else(|error| panic!("{file}: {error}"));
            let json: serde_json::Value = serde_json::from_str(&read("json")).unwrap();
            let peripheral = &device.peripherals[0];
            assert_eq!(json["base"].as_u64(), Some(peripheral.base_address), "{file}");
            bases.push(peripheral.base_address);
            let registers: Vec<(&str, u64)> =
                peripheral.registers().map(|r| (r.name.as_str(), r.address_offset.into())).collect();
            let in_json = json["registers"].as_array().unwrap().iter();
            let in_json: Vec<(&str, u64)> =
                in_json.map(|r| (r["name"].as_str().unwrap(), r["offset"].as_u64().unwrap())).collect();
            assert_eq!(registers, in_json, "{file}");
            let (c, rust, rdl) = (read("h"), read("rs"), read("rdl"));
            assert_eq!(rdl.matches('{').count(), rdl.matches('}').count(), "{rdl}");
            for (register, offset) in registers {
                let prefix = json["name"].as_str().unwrap().to_uppercase();
                let define = format!("#define {prefix}_{}_OFFSET 0x{offset:02x}u\n", register.to_uppercase());
                assert!(c.contains(&define), "{define}");
                assert!(rdl.contains(&format!("}} \\{register} @ {offset:#x};")), "{register}");
                let (_, module) = rust.split_once(&format!("pub mod {register} {{\n")).expect(register);
                let (_, value) = module.split_once("pub const OFFSET: usize = ").expect(register);
                assert!(value.starts_with(&format!("{offset:#04x};")), "{register}: {value:.10}");
            }
        }
    }
    assert_eq!(bases, [0, 0, 0x100, 0x200]);
}

/// A setting changes the registers; what does not belong to the configuration any more is removed, what is somebody's own is not.
#[test]
fn files_that_no_longer_belong_are_removed() {
    let place = Place::new();
    let reset = |place: &Place| {
        let text = place.read("out/oaken_quantizer_p1/oaken_quantizer_p1_registers.h");
        text.lines().filter(|line| line.contains("_SETTING_OFFSET")).count()
    };
    stdout(&place, "generate oaken_quantizer_p1 --out out");
    assert_eq!(reset(&place), 0);
    stdout(&place, "generate oaken_quantizer_p1 --out out --set settings=2");
    assert!(reset(&place) > 0);

    place.write("mine.toml", b"block = \"oaken_quantizer\"\n");
    stdout(&place, "generate --config mine.toml --out out");
    place.write("out/mine/own.h", b"/* by hand */\n");
    place.write("out/mine/own.json", b"{}\n");
    place.write("mine.toml", b"block = \"fifo\"\nparameters = { width = 8, depth = 4 }\n");
    let text = stdout(&place, "generate --config mine.toml --out out");
    for extension in ["h", "rs", "svd", "rdl", "json"] {
        let removed = format!("mine_registers.{extension}");
        assert!(text.lines().any(|line| line.contains(&removed) && line.ends_with("removed")), "{text}");
        assert!(!place.path().join("out/mine").join(removed).exists());
    }
    assert!(place.path().join("out/mine/own.h").exists() && place.path().join("out/mine/own.json").exists());

    // a copy is somebody's own, too, and a file of a name that is generated is not written over
    place.write("out/mine/copy.sdc", place.read("out/mine/mine.sdc").as_bytes());
    place.write("out/mine/mine.sdc", b"set_false_path -from [get_ports s_data]\n");
    let output = kvforge(&place, "generate --config mine.toml --out out");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && message.contains("out/mine/mine.sdc was not generated by kvforge"),
        "{message}"
    );
    assert!(place.read("out/mine/mine.sdc").starts_with("set_false_path"));
    std::fs::remove_file(place.path().join("out/mine/mine.sdc")).unwrap();
    stdout(&place, "generate --config mine.toml --out out");
    assert!(place.path().join("out/mine/copy.sdc").exists());
}

#[test]
fn a_block_needs_no_file() {
    let place = Place::new();
    let text = stdout(&place, "generate fifo --set width=8 --set depth=4 --out out");
    assert!(text.starts_with("fifo (") && text.contains("), top module fifo_8x4_block\n"), "{text}");
    assert!(text.contains("  4 files, "), "{text}");
    let header = place.read("out/fifo/fifo_8x4_block.v");
    assert!(header.contains("// configuration fifo --set width=8 --set depth=4, hash "), "{header}");
    assert!(stdout(&place, "describe oaken_quantizer").contains("from the command line, hash "));
    // the named configuration goes before the block of the same name
    assert!(stdout(&place, "describe h2m2_mmu").contains("from configs/h2m2_mmu.toml (built in), hash "));
}

#[test]
fn completions_and_the_man_page_name_all_commands() {
    let place = Place::new();
    let man = stdout(&place, "man");
    assert!(man.starts_with(".ie") || man.contains(".TH kvforge 1"), "{man}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = stdout(&place, &format!("completions {shell}"));
        for command in ["list", "generate", "describe", "profile", "demo", "host"] {
            assert!(text.contains(command) && man.contains(&format!(".SH \"KVFORGE {}\"", command.to_uppercase())));
        }
    }
}
