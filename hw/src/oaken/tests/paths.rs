//! The combinational paths of the contracts, from port to port, are all that there are.

use super::super::guard::length_guard;
use super::super::quantizer::quantizer;
use super::super::record_walker::record_walker;
use super::super::types::EngineParams;
use super::super::vector_guard::vector_guard;
use hdl::{Design, Errors};

/// Each input that reaches outputs within a cycle, with them.
fn paths<P>(design: &Result<Design<P>, Errors>) -> Vec<String> {
    let design = design.as_ref().unwrap_or_else(|errors| panic!("{errors}"));
    let mut all: Vec<(&str, Vec<&str>)> = vec![];
    for (from, to) in design.combinational_paths() {
        match all.iter_mut().find(|(input, _)| *input == from) {
            Some((_, outputs)) => outputs.push(to),
            None => all.push((from, vec![to])),
        }
    }
    all.into_iter().map(|(from, to)| format!("{from}: {}", to.join(", "))).collect()
}

#[test]
fn of_the_guards() {
    let expected = [
        "start: s_ready, m_valid, early, late",
        "flush: s_ready, m_valid, m_data, early, late, passing",
        "m_ready: s_ready, early, late",
        "s_valid: m_valid, early, late",
        "s_data: m_data",
        "beats_minus_1: m_last, early, late",
        "s_last: early, late",
    ];
    assert_eq!(paths(&length_guard(8, 16)), expected);
    assert_eq!(paths(&vector_guard(8, 16)), expected);
}

#[test]
fn of_the_quantizer() {
    for settings in [1, 4] {
        for lanes in [1, 16, 64] {
            let p = EngineParams { lanes, max_length: 256, dense_bits: 4, settings };
            let mut expected = vec!["flush: s_ready, early, late", "s_valid: early, late", "s_last: early, late"];
            if settings > 1 {
                expected.push("setting_chunks_minus_1: early, late");
            }
            assert_eq!(paths(&quantizer(p)), expected, "{p:?}");
        }
    }
}

#[test]
fn of_the_record_walker() {
    for settings in [1, 4] {
        for lanes in [1, 16, 64] {
            let p = EngineParams { lanes, max_length: 256, dense_bits: 4, settings };
            let expected = ["flush: s_ready, write_valid, begins", "start: begins"];
            assert_eq!(paths(&record_walker(p)), expected, "{p:?}");
        }
    }
}
