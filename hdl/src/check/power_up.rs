//! Registers without reset that stand in a loop with their own enable: what they come up with may decide whether they ever change.

use crate::ir::walk::Drivers;
use crate::ir::*;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// Those of the module: a register of which an enable or a condition depends on itself, at once or through others without reset.
pub(super) fn loops(b: &Draft, drivers: &Drivers) -> Vec<Id> {
    let mut conditions: HashMap<Id, Vec<Id>> = HashMap::default();
    Stmt::each_set(&b.def.stmts, &mut vec![], &mut |target, _, _, _, under| {
        conditions.entry(target).or_default().extend(under);
    });
    let own = |reg: &Reg| conditions.get(&reg.node).into_iter().flatten().copied().chain(reg.enable).collect();
    let regs = b.def.regs.iter().filter(|reg| without_reset(reg));
    regs.filter(|reg| depends(b, drivers, own(reg), reg.node)).map(|reg| reg.node).collect()
}

fn without_reset(reg: &Reg) -> bool {
    reg.reset.is_none() && reg.async_reset.is_none()
}

/// Does any of these depend on `on`, now or through registers without reset?
fn depends(b: &Draft, drivers: &Drivers, mut todo: Vec<Id>, on: Id) -> bool {
    let mut seen = HashSet::default();
    while let Some(id) = todo.pop() {
        if id == on {
            return true;
        }
        if !seen.insert(id) {
            continue;
        }
        todo.extend(walk::sources(&b.def, drivers, id));
        if let Op::Net(Net::Reg(r)) = b.node(id).op
            && without_reset(&b.def.regs[r as usize])
        {
            todo.extend(drivers.get(&id).into_iter().flatten().copied().chain(b.def.regs[r as usize].enable));
        }
    }
    false
}
