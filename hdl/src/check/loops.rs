//! No signal depends on itself within a cycle.

use crate::ir::*;

pub(super) fn check(b: &mut Draft) {
    let drivers = walk::drivers(&b.def);
    let mut done = vec![0u8; b.def.nodes.len()]; // 0 new, 1 on the path, 2 done
    for start in 0..b.def.nodes.len() as Id {
        let mut path: Vec<(Id, Vec<Id>)> = vec![];
        let mut next = (done[start as usize] == 0).then_some(start);
        loop {
            if let Some(id) = next.take() {
                done[id as usize] = 1;
                path.push((id, walk::sources(&b.def, &drivers, id)));
            }
            let Some((id, todo)) = path.last_mut() else {
                break;
            };
            match todo.pop() {
                None => {
                    done[*id as usize] = 2;
                    path.pop();
                }
                Some(to) if done[to as usize] == 0 => next = Some(to),
                Some(to) if done[to as usize] == 1 => {
                    let from = path.iter().position(|(i, _)| *i == to).unwrap_or(0);
                    let around: Vec<Id> = path[from..].iter().map(|p| p.0).filter(|i| is_named(b, *i)).collect();
                    let around = if around.is_empty() { vec![to] } else { around };
                    let names: Vec<String> =
                        around.iter().chain(around.first()).map(|i| format!("`{}`", b.label(*i))).collect();
                    let notes = around.iter().map(|i| (b.node(*i).loc, "through here")).collect();
                    let message = format!("a combinational loop: {}", names.join(" <- "));
                    b.error(b.node(to).loc, message, notes, Some(HELP.into()));
                    return;
                }
                Some(_) => {}
            }
        }
    }
}

const HELP: &str = "break it with a register, or keep apart in two wires what is one; the bits of a wire are one, those of a vector \
                    (`wire(vector(bits(1), n))`) are not";

/// Does the user know it by a name? Pins of instances are called after their ports.
fn is_named(b: &Draft, id: Id) -> bool {
    let node = b.node(id);
    node.name.is_some() || matches!(node.op, Op::Net(Net::PinIn(_) | Net::PinOut(_)))
}
