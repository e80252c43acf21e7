//! All that is random in a test takes the seed of `KVFORGE_SEED`: where a generator or a bench is made, the text of what it begins with names
//! a seed (`seed(3)`, `run_seed(round)`, `effort.seed`), and a loop or a `let` that calls something a seed makes it of one.
//!
//! A number that a function gets for its parameter `seed` is not seen here, nor is one for `PowerUp::Random`.

use std::fs;
use std::path::{Path, PathBuf};

/// What takes a seed, as its last argument.
const TAKES_SEED: [&str; 3] = ["with_seed(", "Bench::new(", "Random("];

/// Files in which a number of their own is right, each with its reason.
const EXEMPT: [(&str, &str); 9] = [
    ("cli/src/host/check.rs", "vectors of the product's own, the same in every run"),
    ("fpga/src/build/tests.rs", "the seeds of nextpnr, of which a build tries all"),
    ("hdl/src/check/numbers.rs", "no test: a check gives the same answer in every run"),
    ("hdl/src/engine/power_up.rs", "what takes KVFORGE_SEED itself"),
    ("hw/src/h2m2/trace_tests.rs", "a trace whose figures stand on a page"),
    ("sim/src/golden/float/stimuli.rs", "operands by their index, which the driver makes of the seed"),
    ("sim/src/oaken_storage/pages.rs", "lengths of requests of which a page has the figures"),
    ("sim/src/vq/random.rs", "a generator of the product's own: training gives the same in every run"),
    ("testbenches/tests/h2m2_together/decode.rs", "the contents of a page, which both sides know by its number"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace")
}

/// The Rust files below a folder; not those of examples, whose figures are the same in every run.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        let name = entry.file_name().expect("a name").to_string_lossy().into_owned();
        if entry.is_dir() && !["target", "examples"].contains(&&*name) && !name.starts_with('.') {
            files(&entry, found);
        } else if name.ends_with(".rs") {
            found.push(entry);
        }
    }
}

/// The arguments before the end of these brackets.
fn arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut found) = (0, 0, vec![]);
    for (at, c) in text.char_indices() {
        match c {
            ')' | ']' | '}' if depth == 0 => {
                found.push(text[from..at].trim());
                break;
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(text[from..at].trim());
                from = at + 1;
            }
            _ => (),
        }
    }
    found.retain(|argument| !argument.is_empty());
    found
}

fn names_a_seed(text: &str) -> bool {
    text.to_lowercase().contains("seed")
}

/// The lines that begin with a number of their own.
fn wrong(text: &str) -> Vec<String> {
    let code: String = text.lines().map(|line| line.split("//").next().unwrap_or("").to_string() + "\n").collect();
    let mut found = vec![];
    for made in TAKES_SEED {
        for (at, _) in code.match_indices(made) {
            let before = code[..at].chars().next_back().unwrap_or(' ');
            let another = before.is_alphanumeric() || before == '_' || (made == "Random(" && before == ':');
            let arguments = arguments(&code[at + made.len()..]);
            // benches of their own have no engine, or make one
            let takes_one = arguments.len() > usize::from(made == "Bench::new(");
            let declared = code[..at].ends_with("struct ");
            if let Some(last) = arguments.last().filter(|last| !names_a_seed(last))
                && !another
                && !declared
                && takes_one
            {
                found.push(format!("{made}.. {last})"));
            }
        }
    }
    for line in code.lines() {
        for (start, end) in
            [("for seed in ", " {"), ("for (seed, ", " {"), ("let seed = ", ";"), ("let mut seed = ", ";")]
        {
            let value = line.split_once(start).map(|(_, rest)| rest.rsplit_once(end).map_or(rest, |(value, _)| value));
            if value.is_some_and(|value| !names_a_seed(value)) {
                found.push(line.trim().to_string());
            }
        }
    }
    found
}

#[test]
fn nothing_random_has_a_seed_of_its_own() {
    let (mut all, mut found, mut needless) = (vec![], vec![], EXEMPT.map(|(name, _)| name).to_vec());
    files(root(), &mut all);
    assert!(all.len() > 500, "only {} files", all.len());
    for file in all {
        let name = file.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
        let wrong = wrong(&fs::read_to_string(&file).expect("a file"));
        if EXEMPT.iter().any(|(exempt, _)| *exempt == name) {
            needless.retain(|exempt| wrong.is_empty() || *exempt != name);
        } else if !name.starts_with("xtask/tests/") {
            found.extend(wrong.into_iter().map(|what| format!("{name}: {what}")));
        }
    }
    let help = "`seed` of `sim::bus` or `run_seed` makes a seed that follows KVFORGE_SEED";
    assert!(found.is_empty(), "these begin with a number of their own ({help}):\n{}", found.join("\n"));
    assert_eq!(needless, [""; 0], "exempt, and nothing in them needs it");
}

#[test]
fn a_number_is_found_and_a_seed_is_not() {
    let good = "Rng::with_seed(seed(3)); Bench::new(&mut engine, run_seed(u64::from(n))); with_seed(effort.seed + 2);";
    assert_eq!(wrong(good), [""; 0]);
    assert_eq!(wrong("for seed in (0..4).map(run_seed) {\nlet seed = effort.seed + 1;\nPowerUp::Random(1)"), [""; 0]);
    assert_eq!(wrong("Rng::with_seed(3)"), ["with_seed(.. 3)"]);
    assert_eq!(wrong("Bench::new(\n    &mut engine,\n    u64::from(lanes),\n)"), ["Bench::new(.. u64::from(lanes))"]);
    assert_eq!(wrong("Random(1 + width)"), ["Random(.. 1 + width)"]);
    assert_eq!(wrong("for seed in 0..4 {"), ["for seed in 0..4 {"]);
    assert_eq!(wrong("for (seed, x) in all {"), ["for (seed, x) in all {"]);
    assert_eq!(wrong("let seed = 10 * i;"), ["let seed = 10 * i;"]);
}
