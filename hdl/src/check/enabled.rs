//! All of a pipeline stands together: what stands in it is held by the enable in which it begins, and by no other.

use crate::ir::*;

pub(super) fn check(b: &mut Draft) {
    let mut wrong = vec![];
    for (id, node) in b.def.nodes.iter().enumerate() {
        let (Some(stage @ Stage { at: Some(_), .. }), Op::Net(net)) = (node.stage, &node.op) else { continue };
        let holds = match net {
            Net::Reg(_) => true,
            Net::MemRead(m, p) => b.def.mems[*m as usize].reads[*p as usize].sync,
            _ => false,
        };
        let own = b.enabling.registers.get(&(id as Id)).copied();
        if holds && own != b.pipe(stage).enabled.map(|enabled| enabled.enable) {
            wrong.push((node.loc, b.describe(id as Id), stage));
        }
    }
    for (inst, (stage, _)) in &b.staging.instances {
        let pin = b.advance_pin(*inst);
        let own = pin.and_then(|pin| b.enabling.pins.get(&pin)).map(|enabled| enabled.enable);
        let inst = &b.def.insts[*inst as usize];
        if inst.def.keeps_something() && own != b.pipe(*stage).enabled.map(|enabled| enabled.enable) {
            let loc = inst.pins.first().map_or(b.pipe(*stage).loc, |pin| b.node(*pin).loc);
            wrong.push((loc, format!("an instance of `{}`", inst.def.name), *stage));
        }
    }
    for write in &b.staging.writes {
        let Some(stage) = write.stage.filter(|s| s.at.is_some()) else { continue };
        if write.enabled.map(|e| e.enable) != b.pipe(stage).enabled.map(|e| e.enable) {
            wrong.push((write.loc, format!("a write port of {}", b.memory_label(write.memory)), stage));
        }
    }
    wrong.sort_by_key(|(loc, ..)| *loc);
    for (loc, what, stage) in wrong {
        let (name, begins) = (b.pipe(stage).name.clone(), b.pipe(stage).loc);
        let message = format!("{what} does not stand when the rest of pipeline `{name}` does");
        let notes = vec![(begins, "the pipeline begins here")];
        let help = "begin the pipeline and declare what stands in it inside the same `in_enabled`, or both outside";
        b.error(loc, message, notes, Some(help.into()));
    }
}
