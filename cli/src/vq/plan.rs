//! `kvforge vq plan`: which units, how many of them, and what other choices would cost.

use crate::args::VqPlanOptions;
use crate::json::json;
use crate::nearest::nearest;
use crate::report::{Failure, Problem};
use crate::table::table;
use serde::Serialize;
use sim::vq::plan::{
    Alternative, Area, Attention, Choice, Cost, DEVICES, Free, Machine, Matrix, PlanError, Split, Task, alternatives,
    choices, cost, count, plan, split,
};
use std::io::Write;

pub fn run(options: &VqPlanOptions) -> Result<(), Failure> {
    let (task, free) = (task(options)?, free(options)?);
    let machine = plan(&task, &free).map_err(failure)?;
    let plan = Plan {
        task: words(&task),
        free: free.area,
        bus_bits: free.bus_bits,
        machine,
        cost: cost(&task, &machine),
        split: split(&task, &machine),
        choices: choices(&task, &machine, &free),
        alternatives: alternatives(&task, &machine, &free),
        float16_bytes: 2 * task.numbers(),
    };
    let mut out = std::io::stdout().lock();
    if options.json {
        return Ok(writeln!(out, "{}", json(&plan)?)?);
    }
    writeln!(out, "  {}\n  free: {}, {} bits of bus a cycle\n", plan.task, plan.free, plan.bus_bits)?;
    let rows = plan.choices.iter().map(|choice| [choice.what.to_string(), choice.chosen.clone(), choice.why.clone()]);
    writeln!(out, "{}\n", table(&["choice", "chosen", "why"], rows))?;
    writeln!(out, "{}\n", costs(&plan))?;
    let memory = plan.cost.bytes.memory();
    let share = 100.0 * memory as f64 / plan.float16_bytes as f64;
    writeln!(
        out,
        "  bytes: from memory, of books and of indices, and of partial sums between units; cycles: of a step"
    )?;
    writeln!(
        out,
        "  {memory} bytes come from memory, {share:.1} % of the {} of binary16, read once",
        plan.float16_bytes
    )?;
    writeln!(out, "  placing needs slack: a plan that takes nearly all that is free may not be routed, or be slow")?;
    if plan.cost.estimate || plan.alternatives.iter().any(|other| other.cost.estimate) {
        writeln!(
            out,
            "  estimate: not all of it is built: sums over several units, several queries on one set of values, values by \
             multiplication, other caches of books, more than 8192 tokens in a head"
        )?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Plan {
    task: String,
    free: Area,
    bus_bits: usize,
    machine: Machine,
    cost: Cost,
    split: Option<Split>,
    choices: Vec<Choice>,
    alternatives: Vec<Alternative>,
    float16_bytes: usize,
}

/// The plan and its alternatives.
fn costs(plan: &Plan) -> String {
    let row = |what: &str, cost: &Cost, fits: bool| {
        let Cost { area, cycles, bytes, .. } = cost;
        let area = [area.lut4, area.dp16kd, area.dsp].map(|count| count.to_string());
        let bytes = [bytes.books, bytes.indices, bytes.sums].map(|count| count.to_string());
        let times = format!("{:.2}", *cycles as f64 / plan.cost.cycles as f64);
        let notes = [(cost.estimate, "estimate"), (!fits, "does not fit")];
        let notes: Vec<&str> = notes.into_iter().filter(|note| note.0).map(|note| note.1).collect();
        [vec![what.to_string()], area.to_vec(), vec![cycles.to_string(), times], bytes.to_vec(), vec![notes.join(", ")]]
            .concat()
    };
    let chosen = [row("the plan", &plan.cost, true)];
    let others = plan.alternatives.iter().map(|other| row(&other.what, &other.cost, other.fits));
    let headings = [">LUT sites", ">DP16KD", ">DSP", ">cycles", ">times", ">books", ">indices", ">sums", ""];
    table(&[&["what"][..], &headings].concat(), chosen.into_iter().chain(others))
}

fn words(task: &Task) -> String {
    match task {
        Task::Attention(a) => {
            let tokens = count(a.tokens, "token", "tokens");
            let heads = count(a.heads, "key-value head", "key-value heads");
            let queries = count(a.queries, "query", "queries");
            let (algorithm, head, batch) = (a.algorithm, a.head, a.batch);
            format!(
                "{algorithm}, a step of attention in a layer: {tokens}, {heads} of {head}, {queries} each, batch {batch}"
            )
        }
        Task::Matrix(m) => {
            let vectors = count(m.batch, "vector", "vectors");
            format!("{}, a matrix {} x {} times {vectors}", m.algorithm, m.rows, m.cols)
        }
    }
}

fn task(options: &VqPlanOptions) -> Result<Task, Failure> {
    let VqPlanOptions { algorithm, tokens, head, heads, queries, rows, cols, batch, .. } = *options;
    let of_attention = [("head", head), ("heads", heads), ("queries", queries)];
    if let Some((name, _)) = of_attention.iter().find(|(_, given)| !algorithm.is_for_kv() && given.is_some()) {
        let problem = Problem::new(format!("{algorithm} is for a matrix: it has no --{name}"));
        return Err(problem.help("--batch says how many vectors there are").into());
    }
    match (algorithm.is_for_kv(), tokens, rows, cols) {
        (true, Some(tokens), None, None) => {
            let [heads, queries] = [heads, queries].map(|count| count.unwrap_or(1));
            Ok(Task::Attention(Attention { algorithm, tokens, head: head.unwrap_or(64), heads, queries, batch }))
        }
        (true, tokens, ..) => {
            let missing = if tokens.is_none() { "--tokens is missing" } else { "it has no --rows and --cols" };
            let problem = Problem::new(format!("{algorithm} is for attention: {missing}"));
            Err(problem.note("legal: --tokens, --head, --heads, --queries and --batch").into())
        }
        (false, None, Some(rows), Some(cols)) => Ok(Task::Matrix(Matrix { algorithm, rows, cols, batch })),
        (false, tokens, rows, _) => {
            let wrong = match (tokens, rows) {
                (Some(_), _) => "it has no --tokens",
                (None, None) => "--rows is missing",
                (None, Some(_)) => "--cols is missing",
            };
            let problem = Problem::new(format!("{algorithm} is for a matrix: {wrong}"));
            Err(problem.note("legal: --rows, --cols and --batch").into())
        }
    }
}

fn free(options: &VqPlanOptions) -> Result<Free, Failure> {
    let all = match (&options.device, options.lut4, options.dp16kd, options.dsp) {
        (Some(name), ..) => device(name)?,
        (None, Some(_), Some(_), Some(_)) => Area::default(),
        _ => {
            let problem = Problem::new("it is not said what is free");
            return Err(problem.note("legal: --device, or all of --lut4, --dp16kd and --dsp").into());
        }
    };
    let area = Area {
        lut4: options.lut4.unwrap_or(all.lut4),
        dp16kd: options.dp16kd.unwrap_or(all.dp16kd),
        dsp: options.dsp.unwrap_or(all.dsp),
    };
    Ok(Free { area, bus_bits: options.bus_bits })
}

fn device(name: &str) -> Result<Area, Failure> {
    if let Some((_, area)) = DEVICES.iter().find(|device| device.0 == name) {
        return Ok(*area);
    }
    let names = DEVICES.map(|device| device.0);
    let mut problem = Problem::new(format!("there is no device `{name}`")).note(format!("legal: {}", names.join(", ")));
    if let Some(meant) = nearest(name, names) {
        problem = problem.help(format!("did you mean {meant}?"));
    }
    Err(problem.help("of any other, --lut4, --dp16kd and --dsp say what is free").into())
}

fn failure(error: PlanError) -> Failure {
    let problem = Problem::new(&error);
    match error {
        PlanError::Range { what, .. } => problem.help(format!("--{what} says it")).into(),
        PlanError::Algorithm { .. } => problem.into(),
        PlanError::Full { .. } => {
            problem.help("a larger device, or more of it, with --lut4, --dp16kd and --dsp").into()
        }
    }
}
