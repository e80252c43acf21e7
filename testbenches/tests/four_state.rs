//! Every named configuration in a simulator with unknown values, after the reset of its driver: one or two cycles.
#![allow(missing_docs)]

use ::sim::golden::oaken::{DenseBits, Thresholds, encode};
use ::sim::oaken_bench::{Parts, Pauses, dequantize_each, dequantizer, quantize_each, quantizer};
use fastrand::Rng;
use hdl::*;
use hw::catalogue::{Value, block, sdram_params};
use hw::oaken::EngineParams;
use hw::vq::attention_head::HeadParams;
use hw::vq::attention_tiles::TilesParams;
use rayon::prelude::*;
use std::time::Instant;
use testbenches::drivers::{
    Driver, Effort, configuration, head_driver, names, random_vector, sdram_driver, tiles_driver,
};
use testbenches::four_state::{TOOLS, check};
use testbenches::{have, yosys};

/// Edges of each run.
const EDGES: usize = 5000;

/// What takes Icarus long, and is made of the parts of the others: looked at in the long run.
const LARGE: [&str; 10] = [
    "colorlight_i5",
    "colorlight_i9",
    "oaken_cache_p4",
    "oaken_dequantizer_p64",
    "oaken_quantizer_p64",
    "oaken_system_p4",
    "ulx3s_85f",
    "ulx3s_85f_cache",
    "vq_attention_head_cq2",
    "vq_attention_tiles_cq4_2",
];

/// Edges until a part that no reset begins has given what came in: operands of a number unit, the reset that is synchronized.
fn settles(name: &str) -> usize {
    if ["f16_", "bf16_", "reset_synchronizer"].iter().any(|prefix| name.starts_with(prefix)) { 64 } else { 0 }
}

fn run(driver: &Driver) -> Result<(), String> {
    let start = Instant::now();
    let edges = if Effort::from_environment().long { 10 * EDGES } else { EDGES };
    let folder = yosys::folder();
    let mut engine = jit::simulator(&driver.design);
    let compared = check(driver, &mut engine, edges, settles(&driver.name), &folder)
        .map_err(|error| format!("{} (see {}): {error}", driver.name, folder.display()))?;
    let _ = std::fs::remove_dir_all(&folder);
    println!("{}: {compared:?} in {:.1} s", driver.name, start.elapsed().as_secs_f64());
    if compared.values < compared.edges / 2 {
        return Err(format!("{}: hardly anything was known", driver.name));
    }
    Ok(())
}

#[test]
fn nothing_unknown_leaves_a_configuration() {
    if !have(&TOOLS) {
        return;
    }
    let mut names = names();
    if !Effort::from_environment().long {
        let all = names.len();
        names.retain(|name| !LARGE.contains(&name.as_str()));
        assert_eq!(names.len(), all - LARGE.len(), "{LARGE:?} are names of configurations");
    }
    let drivers: Vec<Driver> = names.iter().map(|name| configuration(name).unwrap()).collect();
    let wrong: Vec<String> = drivers.par_iter().with_max_len(1).map(run).filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), drivers.len(), wrong.join("\n"));
}

/// An attention head with small books: the edges that are looked at are whole jobs, where those of the named configurations are their first books.
#[test]
fn nothing_unknown_leaves_an_attention_head() {
    if !have(&TOOLS) {
        return;
    }
    let p = HeadParams { entries: 8, vector: 2, positions: 8, tokens: 8, address_bits: 32, partial: false };
    run(&head_driver("head_of_small_books", p)).unwrap();
}

/// The same of two heads, with the word behind each result and the merging.
#[test]
fn nothing_unknown_leaves_attention_tiles() {
    if !have(&TOOLS) {
        return;
    }
    let head = HeadParams { entries: 8, vector: 4, positions: 8, tokens: 8, address_bits: 32, partial: true };
    run(&tiles_driver("tiles_of_small_books", TilesParams { head, tiles: 2 })).unwrap();
}

/// An SDRAM controller with a short pause behind power-up: the edges that are looked at are bursts, where those of the named configurations are in it.
#[test]
fn nothing_unknown_leaves_an_sdram_controller() {
    if !have(&TOOLS) {
        return;
    }
    let ids = [("read_id_bits", 2), ("write_id_bits", 1)];
    let given = [("clock_hertz", 75_000_000), ("cas_latency", 2), ("pause", 2)].into_iter().chain(ids);
    let given = given.map(|(name, number)| (name, Value::Number(number)));
    let p = sdram_params(&block("sdram").unwrap().resolve(given).unwrap());
    run(&sdram_driver("sdram_of_a_short_pause", p)).unwrap();
}

/// The engines with a small table of settings, of which one was never stored; of the named configurations `_s64` has a table, too.
#[test]
fn nothing_unknown_leaves_an_engine_with_settings() {
    if !have(&TOOLS) {
        return;
    }
    let p = EngineParams { lanes: 4, max_length: 256, dense_bits: 4, settings: 4 };
    let t = |x: f32| Thresholds::from_f32(-x, -x / 10.0, x / 10.0, x).expect("legal");
    let unset = Thresholds::from_bits(0xfbff, 0x8000, 0, 0x7bff).expect("legal");
    let table = [(64, t(1.0)), (128, t(0.5)), (192, t(2.0)), (256, unset)];
    let mut rng = Rng::with_seed(::sim::bus::seed(4));
    let vectors: Vec<(usize, Vec<u16>)> =
        (0..40).map(|i| (i % 4, random_vector(&mut rng, table[i % 4].0, &table[i % 4].1))).collect();
    let records: Vec<(usize, Parts)> = vectors
        .iter()
        .map(|(number, v)| {
            let record = encode(v, DenseBits::PAPER, &table[*number].1);
            (*number, Parts::from(record))
        })
        .collect();
    let (q, d) = (quantizer("q_of_each", p).unwrap(), dequantizer("d_of_each", p).unwrap());
    let quantizes = Driver::new("q_of_each", q.design.clone(), move |engine, effort| {
        let named: Vec<(usize, &[u16])> = vectors.iter().map(|(number, v)| (*number, &v[..])).collect();
        let run = quantize_each(&q, engine, &table[..3], &named, Pauses::OFTEN, effort.seed);
        run.map(|_| ()).map_err(|e| e.to_string())
    });
    let dequantizes = Driver::new("d_of_each", d.design.clone(), move |engine, effort| {
        let run = dequantize_each(&d, engine, &table, &records, Pauses::OFTEN, effort.seed);
        run.map(|_| ()).map_err(|e| e.to_string())
    });
    let wrong: Vec<String> = [quantizes, dequantizes].iter().map(run).filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

ports! {
    struct HangPorts() {
        input go: Signal = bits(1),
        output ready: Signal = bits(1),
    }
}

/// A register without reset in a loop with its own enable: what it comes up with decides whether it ever moves.
#[test]
#[module]
fn a_loop_without_a_reset_is_found() {
    if !have(&TOOLS) {
        return;
    }
    let m = Module::new("hangs");
    let io = HangPorts::new(m);
    let busy = m.reg(bits(1));
    m.when(!busy & io.go, || busy.set(0));
    let before = m.reg_reset(bits(1), 0);
    before.set(io.go);
    io.ready.set(!busy | before);
    let design = m.finish(io).unwrap();
    let go = design.port_index(design.ports.go).unwrap();
    let driver = Driver::new("hangs", design, move |engine, _| {
        engine.reset(2);
        (0..20).for_each(|cycle| {
            engine.poke_u64(go, cycle & 1);
            engine.step();
        });
        Ok(())
    });
    let folder = yosys::folder();
    let found = check(&driver, &mut jit::simulator(&driver.design), 100, 0, &folder).expect_err("`ready` is unknown");
    assert!(found.contains("`ready` is x"), "{found}");
    std::fs::remove_dir_all(&folder).unwrap();
}

ports! {
    struct PulsePorts() {
        input set: Signal = bits(1),
        input clear: Signal = bits(1),
        output count: Signal = bits(8),
        output at_once: Signal = bits(8),
    }
}

ports! {
    struct SincePorts() {
        input reset: Signal = bits(1),
        output count: Signal = bits(8),
    }
}

/// Clock edges since an asynchronous reset.
#[module]
fn since_reset() -> Design<SincePorts> {
    let m = Module::new("since_reset");
    let io = SincePorts::new(m);
    let since = m.reg(bits(8)).asynchronous_reset(io.reset, 0);
    since.set(since + 1);
    io.count.set(since);
    m.finish(io).unwrap()
}

/// A register with several assignments that resets others as soon as it is 1: events within a time step must not.
#[test]
#[module]
fn a_reset_from_a_register_has_no_glitch() {
    if !have(&TOOLS) {
        return;
    }
    let m = Module::new("pulse");
    let io = PulsePorts::new(m);
    let pulse = m.reg_reset(bits(1), 1);
    pulse.set(io.set);
    m.when(io.clear, || pulse.set(0));
    let since = m.instance(&since_reset());
    since.reset.set(pulse);
    io.at_once.set(since.count);
    let count = m.reg_reset(bits(8), 0);
    m.when(pulse, || count.set(count + 1));
    io.count.set(count);
    let design = m.finish(io).unwrap();
    let driver = Driver::new("pulse", design, |engine, _| {
        engine.reset(2);
        (0..200u64).for_each(|cycle| {
            engine.poke_u64(0, cycle.count_ones() as u64 & 1);
            engine.poke_u64(1, (cycle / 3) & 1);
            engine.step();
        });
        Ok(())
    });
    let folder = yosys::folder();
    let compared =
        check(&driver, &mut jit::simulator(&driver.design), 400, 0, &folder).unwrap_or_else(|e| panic!("{e}"));
    assert!(compared.values > 100, "{compared:?}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Those of an SDRAM controller.
const OF_SDRAM: &[&str] = &[
    "held_bank",
    "held_last",
    "held_len",
    "held_len_1",
    "held_place",
    "held_refused",
    "held_refused_1",
    "held_row",
    "held_write_1",
];

/// The registers without reset that stand in a loop with their own enable, and why none of them hangs.
const LOOPS: &[(&str, &[&str])] = &[
    // proved: power_up_gearbox
    ("gearbox_", &["keep", "last"]),
    // proved: power_up_packet_arbiter
    ("packet_arbiter_", &["owner"]),
    // a page decides only with its bit of `shares`, which has a reset, and is set where the page is
    ("h2m2_walks_", &["pages_0", "pages_1", "pages_2", "pages_3", "pages_4", "pages_5", "pages_6", "pages_7"]),
    // a number decides only with its bit of `taken`, which has a reset, and is set where the number is
    ("migration_control_", &["numbers_0", "numbers_1", "numbers_2", "numbers_3"]),
    // a bank decides only with its bit of `there`, which has a reset, and is set where the bank is
    ("lane_window_", &["waiting_0_bank", "waiting_1_bank", "waiting_2_bank", "waiting_3_bank"]),
    // they decide while `active` is 1, which has a reset; all are set when it becomes so
    ("index_unpacker_", &["ends", "left", "length", "place", "rows", "s_short"]),
    // looked at while `step_valid` is 1, which has a reset; they are set with it, and `number` when a pass begins
    ("oaken_mmu_steps", &["number", "step_empty", "step_entry_grew", "step_takes"]),
    // taken while `there` is 0, which has a reset, and looked at while it is 1
    ("write_aligner_", &["now_at_end", "now_burst_none", "now_left", "now_without_word"]),
    // set in each cycle in which `ready` is 1, which has a reset, and looked at while it is 0
    ("uart_transmitter_", &["timer"]),
    // set in the phase before those in which they decide; the phase has a reset
    ("link_responder", &["count", "ended", "wanted", "word"]),
    // `count`, `last` and the `ends` below hold a pipeline only where its valid bit is 1, which has a reset
    ("active_list_", &["count", "last"]),
    (
        "lad_scores_",
        &[
            "ends",
            "ends_1",
            "ends_1_s9",
            "ends_2",
            "ends_2_s2",
            "ends_2_s3",
            "ends_2_s4",
            "ends_2_s5",
            "ends_2_s6",
            "ends_3",
            "ends_3_s8",
            "ends_4",
            "ends_s2",
            "ends_s3",
            "ends_s4",
            "ends_s5",
            "ends_s6",
            "ends_s7",
        ],
    ),
    // set when a command is taken, and looked at while the phase, which has a reset, is that of a command
    ("lad_apid_", &["left"]),
    // `highest` is set when a command is taken; the others travel with a valid bit and are looked at where that is 1
    (
        "lad_md_",
        &[
            "highest",
            "mode",
            "mode_1",
            "mode_s3",
            "outside_1_s5",
            "placed_outside",
            "placed_outside_1",
            "placed_outside_s2",
            "placed_outside_s3",
            "placed_outside_s4",
            "there",
            "there_1",
            "there_s2",
            "there_s3",
            "writes_s6",
        ],
    ),
    // set by the first beat of a list; and by the limit behind its last one, looked at in the phase behind that, which has a reset
    ("lad_centres_", &["best_projection", "exponent_1", "magnitude_3"]),
    // a burst and a segment of it: looked at while the `valid` beside each is 1, which has a reset; they are set with it
    ("sdram_", OF_SDRAM),
    ("ulx3s_85f_cache_sdram", OF_SDRAM),
    // set by the first word of a book; where that lacks the entry, `any` says that there is none of it
    ("encoder_", &["largest", "largest_1"]),
];

#[test]
fn registers_in_a_loop_with_their_own_enable_are_those_that_were_looked_at() {
    let (mut seen, mut unknown) = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
    for name in names() {
        let driver = configuration(&name).unwrap();
        for (module, register) in driver.design.loops_without_reset() {
            let known = LOOPS.iter().position(|(prefix, _)| module.starts_with(prefix));
            let known = known.filter(|at| LOOPS[*at].1.contains(&register.as_str()));
            match known {
                Some(at) => drop(seen.insert((at, register))),
                None => drop(unknown.insert(format!("`{register}` of `{module}`"))),
            }
        }
    }
    assert!(unknown.is_empty(), "registers without reset that decide about themselves: {unknown:#?}");
    let listed: usize = LOOPS.iter().map(|(_, registers)| registers.len()).sum();
    assert_eq!(seen.len(), listed, "one of the list is in no loop any more");
}
