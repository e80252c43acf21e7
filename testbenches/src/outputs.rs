//! Which outputs mean something always, and which only while something is valid.

use hdl::engine::PortInfo;

/// What an output is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A handshake, a status: known always.
    Known,
    /// Known while this port is 1.
    While(usize),
}

/// What the outputs are by their names: whatever begins as `m_valid`, `s_axil_rvalid` does belongs to that.
pub fn kinds(ports: &[PortInfo]) -> Vec<Kind> {
    let stem = |port: &PortInfo| port.name.strip_suffix("valid").filter(|_| !port.input).map(str::to_string);
    let stems: Vec<(usize, String)> = (0..).zip(ports).filter_map(|(i, port)| Some((i, stem(port)?))).collect();
    let kind = |port: &PortInfo| {
        let of = stems.iter().filter(|(_, stem)| port.name.starts_with(stem.as_str()) && !stem.is_empty());
        match of.max_by_key(|(_, stem)| stem.len()) {
            Some((valid, _)) if !port.name.ends_with("ready") && ports[*valid].name != port.name => Kind::While(*valid),
            _ => Kind::Known,
        }
    };
    ports.iter().map(kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_to_a_valid() {
        let port = |name: &str, input| PortInfo::new(name, 1, input);
        let ports = [
            port("s_ready", false),
            port("m_valid", false),
            port("m_payload_data", false),
            port("m_ready", true),
            port("s_axil_awready", false),
            port("s_axil_rvalid", false),
            port("s_axil_rdata", false),
            port("busy", false),
        ];
        let k = kinds(&ports);
        assert_eq!((k[0], k[1], k[4], k[5], k[7]), (Kind::Known, Kind::Known, Kind::Known, Kind::Known, Kind::Known));
        assert_eq!((k[2], k[6]), (Kind::While(1), Kind::While(5)));
    }
}
