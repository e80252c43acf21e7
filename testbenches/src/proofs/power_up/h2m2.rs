//! H2M2's MMU, its migration engine and its events.

use super::super::Proof;
use super::super::copies::{Pins, ago, keeps_offers, of};
use super::super::h2m2_mmu::SMALL;
use hdl::*;
use hw::h2m2::event_controller::event_controller;
use hw::h2m2::invalidation::invalidation;
use hw::h2m2::migration_control::migration_control;
use hw::h2m2::migration_params::MigrationParams;
use hw::h2m2::migration_table::migration_table;
use hw::h2m2::page_copier::page_copier;
use hw::h2m2::params::MmuParams;
use hw::h2m2::prefetch::prefetch;
use hw::h2m2::requester::requester;
use hw::h2m2::tlb::tlb;
use hw::h2m2::walks::walks;
use hw::h2m2::write_wait::write_wait;

/// Cycles from a lookup to what it found.
const FOUND: u32 = 3;

/// Pages are looked up when both sets were emptied.
#[module]
fn emptied_first(m: Module, pins: &Pins) {
    let emptied = [0u32, 1].map(|set| {
        let emptied = m.reg_reset(bits(1), 0);
        let this = pins.get("flush_set_payload").eq(set);
        m.when(pins.get("flush_set_valid") & pins.get("flush_set_ready") & this, || emptied.set(true));
        emptied
    });
    // what empties the last one is written by then
    let all = ago(m, 2, emptied[0] & emptied[1]);
    m.assume(!pins.get("look_valid") | all, "nothing is looked up before all sets were emptied");
    m.assume(!pins.get("look_valid") | !pins.get("hold"), "nor while lookups are held");
}

/// First results come in the order of the slots, of requests that were granted.
#[module]
fn results_in_order(m: Module, pins: &Pins) {
    let (grants, results) = (m.reg_reset(bits(5), 0), m.reg_reset(bits(5), 0));
    let granted = pins.get("granted");
    let first = pins.get("result_valid") & pins.get("result_first");
    m.assume(!granted | pins.get("asks"), "only what asks is granted");
    m.assume(!first | results.ne(grants), "what was granted has a result");
    m.assume(!first | pins.get("result_slot").eq(results.trunc(4)), "in the order of the slots");
    grants.set(grants + granted.zext(5));
    results.set(results + first.zext(5));
}

/// The bus answers what was asked, and no more misses come than there is room for.
#[module]
fn asked_first(m: Module, pins: &Pins) {
    let reads = m.reg_reset(bits(3), 0);
    let comes = pins.get("m_axi_rvalid") & pins.get("m_axi_rready");
    m.assume(!pins.get("m_axi_rvalid") | reads.any(), "what was not asked for is not answered");
    reads.set(reads + (pins.get("m_axi_arvalid") & pins.get("m_axi_arready")).zext(3) - comes.zext(3));
    let misses = m.reg_reset(bits(5), 0);
    let (comes, goes) = (pins.get("miss_valid"), pins.get("replay_valid") & pins.get("replay_ready"));
    m.assume(!comes | misses.lt(16), "no more misses are under way than there is room for");
    misses.set(misses + comes.zext(5) - goes.zext(5));
}

/// Only what asks is granted.
#[module]
fn granted_first(m: Module, pins: &Pins) {
    m.assume(!pins.get("granted") | pins.get("asks"), "only what asks is granted");
}

/// The MMU answers what it was asked.
#[module]
fn asked_before(m: Module, pins: &Pins) {
    let [asks, answers] =
        ["asks", "answers"].map(|port| pins.get(&format!("{port}_valid")) & pins.get(&format!("{port}_ready")));
    let level = m.reg_reset(bits(3), 0);
    level.set(level + asks.zext(3) - answers.zext(3));
    m.assume(!pins.get("answers_valid") | level.any(), "what was not asked for is not answered");
}

/// Only pages whose copy was begun were copied.
#[module]
fn begun_first(m: Module, pins: &Pins) {
    let [begins, ends] =
        ["job", "copied"].map(|port| pins.get(&format!("{port}_valid")) & pins.get(&format!("{port}_ready")));
    let jobs = m.reg_reset(bits(4), 0);
    jobs.set(jobs + begins.zext(4) - ends.zext(4));
    m.assume(!pins.get("copied_valid") | jobs.any(), "what was copied was begun");
}

/// Each memory gives data that were asked for, and answers writes that were announced.
#[module]
fn asked_and_announced(m: Module, pins: &Pins) {
    for side in 0..2 {
        let pin = |of: &str, port: &str| pins.get(&format!("m_axi_{of}_{side}_{port}"));
        let moves = |of: &str, channel: &str| pin(of, &format!("{channel}valid")) & pin(of, &format!("{channel}ready"));
        let (reads, writes) = (m.reg_reset(bits(4), 0), m.reg_reset(bits(4), 0));
        let come = moves("read", "r") & pin("read", "rlast");
        reads.set(reads + moves("read", "ar").zext(4) - come.zext(4));
        writes.set(writes + moves("write", "aw").zext(4) - moves("write", "b").zext(4));
        m.assume(!pin("read", "rvalid") | reads.any(), "data were asked for");
        m.assume(!pin("write", "bvalid") | writes.any(), "a write that is answered was announced");
    }
}

pub(super) fn proofs() -> Result<Vec<Proof>, Errors> {
    let waits = MmuParams { writes_wait: true, ..SMALL };
    let ahead = MmuParams { prefetch: true, ..SMALL };
    let migration = MigrationParams { data_bytes: 64, virtual_bits: 14, physical_bits: 14, page_bits: 12 };
    Ok(vec![
        of("invalidation", invalidation(SMALL)).shown_within(40).proof()?,
        of("tlb", tlb(SMALL))
            .given(emptied_first)
            .after("found", "look_valid", FOUND)
            .after("allowed", "look_valid", FOUND)
            .after("moving", "look_valid", FOUND)
            .after("frame", "look_valid", FOUND)
            .after("side", "look_valid", FOUND)
            .after("place", "look_valid", FOUND)
            .shown_within(12)
            .for_cycles(12)
            .proof()?,
        of("requester", requester(SMALL))
            .without_its_own()
            .given(results_in_order)
            .seldom("as")
            .seldom("s_ready")
            .seldom("leaves")
            .for_cycles(10)
            .proof()?,
        of("walks", walks(SMALL))
            .without_its_own()
            .given(asked_first)
            .without_payloads()
            .seldom("m_axi_ar")
            .for_cycles(10)
            .shown_within(16)
            .proof()?,
        of("write_wait", write_wait(waits, 4)).given(asked_before).for_cycles(12).proof()?,
        of("prefetch", prefetch(ahead)).given(granted_first).during("page", "asks").proof()?,
        of("events", event_controller("events", 2))
            .given(|m, pins| keeps_offers(m, pins, "register"))
            .during("stray_s", "stray_any")
            .seldom("")
            .for_cycles(12)
            .proof()?,
        of("migration_table", migration_table(migration)).during("decode", "failed").leaving_out("found").proof()?,
        of("migration_control", migration_control(migration)).given(begun_first).seldom("").for_cycles(10).proof()?,
        // words come from block RAM
        of("page_copier", page_copier(MigrationParams { data_bytes: 8, ..migration }))
            .without_its_own()
            .given(asked_and_announced)
            .leaving_out("m_axi_write_0_wdata")
            .leaving_out("m_axi_write_1_wdata")
            .seldom("")
            .for_cycles(9)
            .proof()?,
    ])
}
