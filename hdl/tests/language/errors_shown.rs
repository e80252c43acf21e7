//! How errors look where nobody prints them: in an `unwrap`, in a `main` that returns them.
#![allow(missing_docs)]

use crate::common;

use common::golden::{compare, stable};
use common::mistakes::Io;
use hdl::*;

fn errors() -> Result<Design<Io>, Errors> {
    let m = Module::new("example");
    let io = Io::new(m);
    io.y.set(io.a + io.b);
    io.c.unused();
    m.finish(io)
}

#[test]
fn an_unwrap_shows_the_messages() {
    let panic = std::panic::catch_unwind(|| errors().unwrap()).unwrap_err();
    let text = panic.downcast_ref::<String>().expect("a panic has a text");
    compare("errors", "unwrap.txt", &stable(text));
}

#[test]
fn debug_is_display_on_a_new_line() {
    let errors = errors().unwrap_err();
    assert_eq!(format!("{errors:?}"), format!("\n{errors}"));
    assert_eq!(format!("{:?}", errors.0[0]), format!("\n{}", errors.0[0]));
    let boxed: Box<dyn std::error::Error> = errors.clone().into();
    assert_eq!(format!("Error: {boxed:?}"), format!("Error: \n{errors}"));
}

/// Is this what can stand in a function, but for places that the reader fills in?
fn is_rust(text: &str) -> bool {
    // a method alone, and a cast of an argument
    let text = text.strip_prefix('.').unwrap_or(text);
    syn::parse_str::<syn::Expr>(text).is_ok() || syn::parse_str::<syn::Block>(&format!("{{ {text} }}")).is_ok()
}

/// What a help gives to type in is Rust; words alone, and what is of other tools, are not looked at.
#[test]
fn help_is_rust() {
    const OF_OTHERS: &[&str] = &["iverilog -E", "[WIDTH - 1:0]"];
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors");
    let (mut looked_at, mut wrong) = (0, vec![]);
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for help in text.lines().filter(|line| line.trim_start().starts_with("help: ")) {
            let pieces = help.split('`').skip(1).step_by(2);
            for piece in pieces.filter(|piece| piece.contains(['(', ' ', ';']) && !OF_OTHERS.contains(piece)) {
                looked_at += 1;
                if !is_rust(piece) {
                    wrong.push(piece.to_string());
                }
            }
        }
    }
    assert!(looked_at > 150, "only {looked_at} pieces");
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(!is_rust("let x = p.state(m.reg(bits(8)), y") && !is_rust("m.when(c, || )"));
}
