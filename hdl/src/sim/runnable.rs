//! What the built-in simulator says of foreign modules.

use crate::ir::*;
use crate::ir::{Diagnostic, Errors};
use std::sync::Arc;

/// An error for each instance of a foreign module that has no model.
pub(crate) fn unrunnable(def: &Arc<Def>) -> Result<(), Errors> {
    let mut errors = vec![];
    let own = def.foreign.iter().any(|f| f.model.is_none()).then_some(def);
    if own.is_some() || def.foreign_below.iter().any(|f| f.foreign.iter().any(|f| f.model.is_none())) {
        visit(def, "", &mut errors);
    }
    if errors.is_empty() { Ok(()) } else { Err(Errors(errors)) }
}

fn visit(def: &Arc<Def>, path: &str, errors: &mut Vec<Diagnostic>) {
    if let Some(f) = def.foreign.as_deref().filter(|f| f.model.is_none()) {
        let (kind, help) = match f.text {
            Some(_) => ("foreign module", "run the design with Verilator, or give a model with `Foreign::model`"),
            None => ("black box", "give a model with `Foreign::model`, or its Verilog with `Foreign::text`"),
        };
        errors.push(Diagnostic {
            module: def.name.clone(),
            message: match path {
                "" => format!("the built-in simulator cannot run the {kind} `{}`", def.name),
                _ => format!("the built-in simulator cannot run `{path}`, an instance of the {kind} `{}`", def.name),
            },
            span: f.loc.into(),
            notes: vec![],
            help: Some(help.into()),
        });
    }
    for inst in &def.insts {
        let path = if path.is_empty() { inst.name.clone() } else { format!("{path}.{}", inst.name) };
        visit(&inst.def, &path, errors);
    }
}
