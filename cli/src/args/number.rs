//! Whole numbers on the command line: a wrong one is told together with what is legal.
//!
//! With `allow_negative_numbers` of their argument, negative ones come here, too, and are not taken for arguments.

use std::fmt::Display;
use std::num::{IntErrorKind, ParseIntError};
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A whole number, whose range what it is given to knows.
pub fn whole<T: FromStr<Err = ParseIntError>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => format!("legal is a whole number below 2^{}", 8 * size_of::<T>()),
        _ => "legal is a whole number, 0 or above".into(),
    })
}

/// A whole number of a range.
pub fn whole_in<T>(legal: RangeInclusive<T>) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + Display + PartialOrd + Clone + Send + Sync + 'static,
{
    move |text| {
        let (start, end) = (legal.start(), legal.end());
        text.parse().ok().filter(|number| legal.contains(number)).ok_or(format!("legal is {start} to {end}"))
    }
}
