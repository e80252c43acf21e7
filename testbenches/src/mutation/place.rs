//! A mutation, and where it is.

/// A mutation as Yosys describes it.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// From 1: the value of the input that makes it alive.
    pub number: usize,
    /// The module in which it is.
    pub module: String,
    /// The command that builds it in.
    pub command: String,
    /// What happens to which pin, for people.
    pub what: String,
    /// The place in the Verilog and in the Rust source, if it is known.
    pub place: Option<Place>,
}

/// Where a mutation is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// File and line of the Verilog.
    pub verilog: String,
    /// The line itself, without its comment.
    pub text: String,
    /// File and line of the Rust source, from the comment of that line or of the declaration of the signal that it assigns.
    pub rust: Option<String>,
}
