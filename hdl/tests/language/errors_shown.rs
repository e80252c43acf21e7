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
