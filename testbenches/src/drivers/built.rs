//! Designs for drivers.

use hdl::Errors;

/// The design, or its errors as a panic: parameters of drivers are legal.
pub(super) fn build<T>(design: Result<T, Errors>) -> T {
    design.unwrap_or_else(|errors| panic!("{errors}"))
}
