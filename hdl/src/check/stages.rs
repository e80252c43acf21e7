//! The stages of pipelines again, when all is assigned: while building, a wire, register or output of an instance may be read before
//! its stage is known.

use crate::ir::*;
use rustc_hash::FxHashSet as HashSet;

pub(super) fn check(b: &mut Draft) {
    if b.staging.pipes.is_empty() {
        return;
    }
    check_ends(b);
    check_gates(b);
    for (id, what, loc) in std::mem::take(&mut b.staging.outside) {
        b.check_outside(id, &what, loc);
    }
    check_expressions(b);
    if b.errors.is_empty() {
        check_assignments(b);
        check_settings(b);
        check_ways_back(b);
        check_memories(b);
        check_writes(b);
        check_enables(b);
    }
}

/// A pipeline that begins with a stream ends with one.
fn check_ends(b: &mut Draft) {
    for pipe in 0..b.staging.pipes.len() as u32 {
        let endless = b.elastic(pipe).is_some_and(|e| e.leaves.is_none());
        if endless {
            let PipeData { name, variable, loc, .. } = &b.staging.pipes[pipe as usize];
            let message = format!("pipeline `{name}` begins with a stream and does not end");
            let (loc, help) = (*loc, format!("end it with `{variable}.leave_stream(x, to)`"));
            b.error(loc, message, vec![], Some(help));
        }
    }
}

/// What enters comes from outside.
fn check_gates(b: &mut Draft) {
    let mut gates: Vec<(Id, Gate)> = b.staging.gates.iter().map(|(id, gate)| (*id, *gate)).collect();
    gates.sort_by_key(|(id, _)| *id);
    for (id, gate) in gates {
        let (Gate::Enter | Gate::Constant, Op::Alias(of)) = (gate, &b.node(id).op) else { continue };
        let (of, loc, into) = (*of, b.node(id).loc, b.node(id).stage);
        let (Some(inside @ Stage { at: Some(at), .. }), Some(into)) = (b.node(of).stage, into) else { continue };
        let (what, name) = (b.describe(of), &b.pipe(inside).name);
        let message = format!(
            "{what} is taken from outside here, but it is assigned inside pipeline `{name}`: it stands at stage {at}"
        );
        let help = match inside.pipe == into.pipe {
            true => format!(
                "a way back from a later stage is marked where it is declared: `let x = {}.feedback(m.wire(bits({})), y);`",
                b.pipe(inside).variable,
                b.node(of).width
            ),
            false => format!("take what it is assigned out of that pipeline: `{}.leave(..)`", b.pipe(inside).variable),
        };
        let notes = vec![(b.node(of).loc, "it comes from here")];
        b.error(loc, message, notes, Some(help));
    }
}

/// Something was read before it was known to stand at a stage.
fn early(b: &mut Draft, of: &[Id], loc: Loc) {
    let Some(&id) = of.iter().find(|id| b.node(**id).stage.is_some_and(|s| s.at.is_some())) else { return };
    let Some(stage @ Stage { at: Some(at), .. }) = b.node(id).stage else { return };
    let message = format!(
        "{} is read here before it is assigned: it stands at stage {at} of pipeline `{}`",
        b.describe(id),
        b.pipe(stage).name
    );
    let help = match b.node(id).op {
        Op::Net(Net::PinOut(_)) => "connect the inputs of the instance first".into(),
        Op::Net(Net::Reg(_)) => format!(
            "assign it first; if it is meant as the items before left it, mark it where it is declared: `let x = {}.state(m.reg(bits({})), y);`",
            b.pipe(stage).variable,
            b.node(id).width
        ),
        _ => format!(
            "assign it first; a way back from a later stage is marked where it is declared: `let x = {}.feedback(m.wire(bits({})), y);`",
            b.pipe(stage).variable,
            b.node(id).width
        ),
    };
    let notes = vec![(b.node(id).loc, "it comes from here")];
    b.error(loc, message, notes, Some(help));
}

fn check_expressions(b: &mut Draft) {
    let read = walk::read_nodes(&b.def, &walk::drivers(&b.def));
    for id in 0..b.def.nodes.len() as Id {
        let operands = b.node(id).op.operands();
        // what nothing reads may be a place that was named before it was assigned
        if operands.is_empty() || b.staging.gates.contains_key(&id) || !read.contains(&id) {
            continue;
        }
        let (loc, known) = (b.node(id).loc, b.node(id).stage);
        match b.merge_stages(&operands, loc) {
            Ok(Some(stage)) if stage.at.is_some() && known != Some(stage) => early(b, &operands, loc),
            Ok(_) => {}
            Err(_) => return, // one is enough: the others follow from it
        }
        if !b.errors.is_empty() {
            return;
        }
    }
}

fn check_assignments(b: &mut Draft) {
    let mut sets = vec![];
    Stmt::each_set(&b.def.stmts, &mut vec![], &mut |target, place, value, _, under| {
        let low = if let Place::AtSignal(low) = place { Some(low) } else { None };
        let sources: Vec<Id> = under.iter().copied().chain([value]).chain(low).collect();
        sets.push((target, value, sources));
    });
    for (target, value, sources) in sets {
        let loc = b.set_at.get(&(target, value)).copied().unwrap_or(b.node(target).loc);
        let Ok(stage) = b.merge_stages(&sources, loc) else { return };
        if let Some(stage) = stage.filter(|s| s.at.is_some())
            && stage_of_sources(b, target) != Some(stage)
        {
            return early(b, &sources, loc);
        }
    }
}

/// What follows settings stands still as they do: a register that also follows itself would not.
fn check_settings(b: &mut Draft) {
    let drivers = walk::drivers(&b.def);
    let still = |id: &Id| b.node(*id).stage.is_some_and(|s| s.at.is_none()) && !b.staging.gates.contains_key(id);
    let follows_itself = |id: &Id| {
        let (mut todo, mut seen) = (drivers.get(id).cloned().unwrap_or_default(), HashSet::default());
        while let Some(next) = todo.pop() {
            if next == *id {
                return true;
            }
            if seen.insert(next) {
                todo.extend(walk::sources(&b.def, &drivers, next));
            }
        }
        false
    };
    let Some(id) = b.def.regs.iter().map(|r| r.node).find(|id| still(id) && follows_itself(id)) else { return };
    let (what, Some(stage)) = (b.describe(id), b.node(id).stage) else { return };
    let PipeData { name, variable, .. } = b.pipe(stage);
    let message = format!("{what} reads itself and what stands still in pipeline `{name}`: it does not stand still");
    let help = format!(
        "a register that settings alone change is assigned outside, before `{variable}.constant`; one that items change is marked with `{variable}.state`"
    );
    b.error(b.node(id).loc, message, vec![], Some(help));
}

/// The stage at which what is assigned to this net stands.
fn stage_of_sources(b: &Draft, target: Id) -> Option<Stage> {
    match b.node(target).op {
        Op::Net(Net::PinIn(inst)) => b.staging.instances.get(&inst).map(|(base, _)| *base),
        Op::Net(Net::Reg(_)) if b.named_after.contains_key(&target) => b.node(target).stage.map(|s| s.later(-1)),
        _ if b.staging.marks.get(&target) == Some(&Mark::Past) => b.node(target).stage,
        Op::Net(Net::Reg(_)) => b.staging.written.get(&target).copied(),
        _ if b.staging.marks.contains_key(&target) => b.staging.written.get(&target).copied(),
        Op::Net(Net::Wire) => b.node(target).stage,
        _ => None,
    }
}

/// A way back through a register comes from a stage: else nothing says when it is to be held.
fn check_ways_back(b: &mut Draft) {
    let registers = b.def.regs.iter().map(|reg| reg.node);
    let back = registers.filter(|id| b.staging.marks.get(id) == Some(&Mark::Feedback));
    let unknown: Vec<Id> = back.filter(|id| !b.staging.written.contains_key(id)).collect();
    for id in unknown {
        let assigned = b.set_at.iter().filter(|((target, _), _)| *target == id).map(|(_, loc)| *loc).min();
        let (Some(loc), Some(stage)) = (assigned, b.node(id).stage) else { continue };
        let PipeData { name, variable, .. } = b.pipe(stage);
        let message =
            format!("{} is a way back in pipeline `{name}`, and is assigned from none of its stages", b.describe(id));
        let help = format!(
            "assign what stands at the stage that it comes back from; what an item changes at the stage where it is read is `{variable}.state(..)`"
        );
        b.error(loc, message, vec![(b.node(id).loc, "it comes from here")], Some(help));
    }
}

fn check_memories(b: &mut Draft) {
    for (index, m) in b.def.mems.clone().into_iter().enumerate() {
        let at = |b: &Draft, id: Id| b.node(id).stage.filter(|s| s.at.is_some());
        for r in &m.reads {
            let data = at(b, r.addr).map(|s| s.later(i32::from(r.sync)));
            if data.is_some() && at(b, r.data) != data {
                early(b, &[r.addr], b.node(r.data).loc);
            }
        }
        if b.staging.feedback_memories.contains(&(index as u32)) {
            continue;
        }
        let written = b.staging.writes.iter().filter(|w| w.memory == index as u32);
        let writes: Vec<Stage> = written.filter_map(|w| w.sources.iter().find_map(|id| at(b, *id))).collect();
        let apart = m.reads.iter().find_map(|r| {
            let read = at(b, r.addr)?;
            Some((read, *writes.iter().find(|w| w.pipe == read.pipe && **w != read)?, b.node(r.data).loc))
        });
        if let Some((read, write, loc)) = apart {
            let message = format!(
                "{} is read at stage {} of pipeline `{}` and written at stage {}",
                b.memory_label(index as u32),
                read.at.unwrap_or(0),
                b.pipe(read).name,
                write.at.unwrap_or(0)
            );
            let help = "then an item may miss what the one before it wrote: read and write at one stage, with `meet`; or, if it is \
                        meant so, say it where the memory is declared with `.feedback()`";
            b.error(loc, message, vec![(m.loc, "the memory")], Some(help.into()));
        }
    }
}

/// A write port knows its stage: it holds as that does.
fn check_writes(b: &mut Draft) {
    for write in b.staging.writes.clone() {
        let Ok(stage) = b.merge_stages(&write.sources, write.loc) else { return };
        if stage.is_some_and(|s| s.at.is_some()) && stage != write.stage {
            early(b, &write.sources, write.loc);
        }
    }
}

/// The enable that the user gave to a register is of the stage from which the register is written.
fn check_enables(b: &mut Draft) {
    for reg in b.def.regs.clone() {
        let given = b.enabling.own_enable(&reg);
        let Some(enable) = given.filter(|_| !b.named_after.contains_key(&reg.node)) else { continue };
        let (stage, written) = (b.node(enable).stage, b.staging.written.get(&reg.node).copied());
        let own = written.and_then(|stage| b.advance(stage)) == Some(enable);
        let fits = match (written, stage) {
            _ if own => true,
            (Some(w), Some(s)) => s.pipe == w.pipe && (s.at.is_none() || s == w),
            (Some(_), None) => b.is_free(enable),
            (None, Some(s)) => s.at.is_none(),
            (None, None) => true,
        };
        if fits {
            continue;
        }
        let stands = |b: &Draft, s: Option<Stage>| match s {
            Some(s) => format!("at stage {} of pipeline `{}`", s.at.unwrap_or(0), b.pipe(s).name),
            None => "outside of pipelines".into(),
        };
        let message = format!(
            "{} is enabled by {} {}, and written {}",
            b.describe(reg.node),
            b.describe(enable),
            stands(b, stage),
            stands(b, written)
        );
        let help = "an enable belongs to what is assigned: delay it with `meet`, or use `enter`, `constant` or `leave`";
        let notes = vec![(b.node(enable).loc, "the enable comes from here")];
        b.error(b.node(reg.node).loc, message, notes, Some(help.into()));
    }
}
