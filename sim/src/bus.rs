//! The bus models and checkers of [`hdl::bus`], and how long tests are.

pub use hdl::bus::*;

/// Are the long forms of tests requested: is the environment variable `KVFORGE_LONG` 1?
pub fn long() -> bool {
    std::env::var("KVFORGE_LONG").is_ok_and(|value| value == "1")
}
