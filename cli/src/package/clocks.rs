//! The frequencies of clocks, for timing constraints: of the command line, of the parameters of a block, or [`DEFAULT_MHZ`].

use crate::configuration::Configuration;
use crate::report::Problem;
use hdl::Design;
use hw::catalogue::Value;

/// Where nothing says how quick a clock is.
pub const DEFAULT_MHZ: f64 = 100.0;
/// Parameters that say how quick the clock of a block is; of a board top that at the pin.
const PARAMETERS: [&str; 2] = ["oscillator_hertz", "clock_hertz"];
/// What is legal.
const LEGAL: &str = "MHZ or PORT=MHZ, from 0.001 to 10000 MHz: `--clock 125`, `--clock m_clk=50`";

/// A clock as it was set on the command line.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockSetting {
    /// The port; `None` for all that are not named.
    pub port: Option<String>,
    pub mhz: f64,
}

/// Reads `MHZ` or `PORT=MHZ`.
pub fn parse_clock(text: &str) -> Result<ClockSetting, String> {
    let (port, number) = match text.split_once('=') {
        Some((port, number)) => (Some(port.trim().to_string()), number),
        None => (None, text),
    };
    let mhz = number.trim().parse::<f64>().ok().filter(|mhz| (0.001..=10_000.0).contains(mhz));
    let is_named = port.as_ref().is_none_or(|port| !port.is_empty());
    mhz.filter(|_| is_named).map(|mhz| ClockSetting { port, mhz }).ok_or(format!("legal: {LEGAL}"))
}

/// The clocks of a design, each with its period in nanoseconds.
pub fn periods(
    configuration: &Configuration,
    design: &Design<()>,
    settings: &[ClockSetting],
) -> Result<Vec<(String, f64)>, Problem> {
    check(configuration, design, settings)?;
    let of_parameter = PARAMETERS.iter().find_map(|name| {
        let (_, value) = configuration.values.iter().find(|(parameter, _)| parameter == name)?;
        if let Value::Number(hertz) = value { Some(*hertz as f64 / 1e6) } else { None }
    });
    let set = |port: Option<&str>| settings.iter().find(|s| s.port.as_deref() == port).map(|s| s.mhz);
    let mhz = |port: &str| set(Some(port)).or(set(None)).or(of_parameter).unwrap_or(DEFAULT_MHZ);
    Ok(design.clocks().map(|(port, _)| (port.to_string(), 1000.0 / mhz(port))).collect())
}

/// Each port that is named is a clock, and nothing is set twice.
fn check(configuration: &Configuration, design: &Design<()>, settings: &[ClockSetting]) -> Result<(), Problem> {
    for (i, setting) in settings.iter().enumerate() {
        let before = settings[..i].iter().find(|before| before.port == setting.port);
        if let Some(before) = before {
            let clock = setting.port.as_ref().map_or("the clock".into(), |port| format!("clock `{port}`"));
            let problem = Problem::new(format!("{clock} is set twice: to {} and to {} MHz", before.mhz, setting.mhz));
            return Err(problem.help("leave one of them out"));
        }
        let Some(port) = &setting.port else { continue };
        let clocks: Vec<&str> = design.clocks().map(|(clock, _)| clock).collect();
        if !clocks.contains(&port.as_str()) {
            let problem = Problem::new(format!("{} has no clock `{port}`", configuration.name));
            return Err(match &clocks[..] {
                [] => problem.note("it has no clock at all: its outputs follow its inputs"),
                clocks => problem.note(format!("its clocks: {}", clocks.join(", "))),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{ClockSetting, parse_clock};

    #[test]
    fn a_clock_is_a_number_or_a_port_with_a_number() {
        let is = |text: &str, port: Option<&str>, mhz: f64| {
            assert_eq!(parse_clock(text), Ok(ClockSetting { port: port.map(String::from), mhz }));
        };
        is("125", None, 125.0);
        is("m_clk = 33.25", Some("m_clk"), 33.25);
        for wrong in ["", "fast", "0", "-1", "NaN", "inf", "1e9", "=100", "clk=", "clk=100MHz"] {
            assert!(parse_clock(wrong).is_err_and(|error| error.contains("PORT=MHZ")), "{wrong}");
        }
    }
}
