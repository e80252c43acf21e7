//! The command that runs proofs: what holds is proved, what is broken fails with its message and source line.
#![allow(missing_docs)]

use std::process::{Command, Output};
use testbenches::{formal, have, proofs};

fn run(name: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_formal")).arg(name).output().expect("the command can be run")
}

/// The place in the source that a message names, as the text of its line.
fn line_of(log: &str, message: &str) -> String {
    let place = log.split(&format!("\"{message}\" at ")).nth(1).and_then(|rest| rest.lines().next()).expect(log);
    let mut parts = place.split(':');
    let (file, number) = (parts.next().unwrap(), parts.next().unwrap().parse::<usize>().unwrap());
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let text = std::fs::read_to_string(format!("{root}/{file}")).unwrap();
    text.lines().nth(number - 1).unwrap().to_string()
}

#[test]
fn the_page_says_what_is_proved() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/formal.md")).unwrap();
    let table = formal::renewed(&page, &proofs::all().unwrap_or_else(|e| panic!("{e}")), &[]);
    let renew = "`cargo xtask formal --write` with the names of new proofs renews docs/formal.md";
    let table = table.unwrap_or_else(|e| panic!("{e} ({renew})"));
    assert!(page.ends_with(&table), "docs/formal.md has other rows or asserts ({renew})");
}

/// The figures of the README are those of the rows of docs/formal.md.
#[test]
fn the_readme_counts_the_proofs() {
    let of = |file: &str| std::fs::read_to_string(format!("{}/../{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let (page, readme) = (of("docs/formal.md"), of("README.md"));
    let rows = |end: &str| page.lines().filter(|line| line.starts_with("| ") && line.ends_with(end)).count();
    let (proved, bounded) = (rows("| proved |"), rows(" cycles |"));
    let says = format!(
        "| proofs | {}, of which {proved} hold for all cycles and {bounded} for as many as the table says. ",
        proved + bounded
    );
    assert!(readme.contains(&says), "README.md must say {says:?}");
}

#[test]
fn a_part_that_holds_is_proved() {
    if !have(&formal::TOOLS) {
        return;
    }
    let output = run("join");
    let log = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && log.contains("proved"), "{log}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_broken_part_ends_with_an_error_that_names_the_property_and_its_line() {
    if !have(&formal::TOOLS) {
        return;
    }
    let output = run("broken_fifo");
    let log = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{log}");
    assert!(log.starts_with("error: 1 of 1 proofs failed:\nbroken_fifo\n  failed: assert \""), "{log}");
    // the prover may find any one of what breaks when a word is overwritten
    let messages = ["the payload stays until it is taken", "words come out in their order, unchanged"];
    let message = messages.into_iter().find(|m| log.contains(m)).expect(&log);
    let line = line_of(&log, message);
    assert!(
        line.contains("sends_by_the_rules(m, io.m, Side::Part)") || line.contains("keeps_words_in_order"),
        "{line}"
    );
}

#[test]
fn a_bounded_proof_finds_what_breaks_within_its_bound() {
    if !have(&formal::TOOLS) {
        return;
    }
    let output = run("broken_bounded_fifo");
    let log = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{log}");
    assert!(log.starts_with("error: 1 of 1 proofs failed:\nbroken_bounded_fifo\n  failed: assert \""), "{log}");
}

#[test]
fn buffers_for_shorter_vectors_let_records_hang() {
    if !have(&formal::TOOLS) {
        return;
    }
    for name in ["broken_join", "broken_split"] {
        let output = run(name);
        let log = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{log}");
        assert!(log.starts_with(&format!("error: 1 of 1 proofs failed:\n{name}\n")), "{log}");
    }
}

#[test]
fn a_flag_that_is_lost_when_it_is_set_while_it_is_cleared_is_found() {
    if !have(&formal::TOOLS) {
        return;
    }
    let output = run("broken_flags");
    let log = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{log}");
    let message = "a flag is set whatever is written in that cycle, and cleared by a 1 alone";
    assert!(log.contains(&format!("failed: assert \"{message}\" at testbenches/src/proofs/registers.rs:")), "{log}");
}

#[test]
fn a_setting_that_changes_while_a_vector_is_under_way_is_found() {
    if !have(&formal::TOOLS) {
        return;
    }
    let output = run("broken_setting");
    let log = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{log}");
    let message = "the settings in use stay while a vector is under way";
    assert!(log.contains(&format!("failed: assert \"{message}\" at hw/src/oaken/promises.rs:")), "{log}");
}

#[test]
fn surroundings_that_let_nothing_happen_do_not_pass_for_a_proof() {
    if !have(&formal::TOOLS) {
        return;
    }
    let output = run("broken_surroundings");
    let log = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{log}");
    assert!(log.contains("not reached: cover \"it can be full\" at testbenches/src/proofs/words.rs:"), "{log}");
}

#[test]
fn an_unknown_name_is_an_error_that_lists_the_known_ones() {
    let output = run("fiffo");
    let log = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(log.starts_with("error: no proof begins with `fiffo`; there are register_slice_1, "), "{log}");
}
