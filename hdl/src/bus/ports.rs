//! Where the signals of a stream stand among the ports of a design.

use crate::build::Bundle;
use crate::design::Design;

/// The ports of one stream: indices for an [`Engine`](crate::engine::Engine).
#[derive(Clone, Debug)]
pub struct StreamPorts {
    /// Name of the valid port, for messages.
    pub name: String,
    /// One bit: a beat is there.
    pub valid: usize,
    /// One bit: the receiver takes it.
    pub ready: usize,
    /// The fields of the payload, in the order of the bundle, each with its name and width.
    pub payload: Vec<Field>,
}

/// A field of a payload.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name in the bundle.
    pub name: String,
    /// Port.
    pub port: usize,
    /// Bits.
    pub width: u32,
}

impl StreamPorts {
    /// The ports of a stream: a bundle with the fields `valid` and `ready` ([`Stream`](crate::Stream)) or `tvalid` and `tready`
    /// (AXI4-Stream). All other fields are payload.
    ///
    /// # Panics
    /// If the bundle has no such fields, or is not a port of the design.
    #[track_caller]
    pub fn of<P, B: Bundle>(design: &Design<P>, bundle: &B) -> StreamPorts {
        let mut axi = false;
        bundle.each(&mut |path, _, _| axi |= path == "tvalid");
        StreamPorts::channel(design, bundle, if axi { "t" } else { "" })
    }

    /// The ports of one channel of a bus: of the fields that start with `prefix`, as `aw` in AXI4-Lite.
    ///
    /// # Panics
    /// As [`StreamPorts::of`].
    #[track_caller]
    pub fn channel<P, B: Bundle>(design: &Design<P>, bundle: &B, prefix: &str) -> StreamPorts {
        let (mut valid, mut ready, mut payload, mut foreign) = (None, None, vec![], None);
        bundle.each(&mut |path, _, signal| {
            let Some(name) = path.strip_prefix(prefix) else { return };
            let Some(port) = design.port_index(signal) else {
                foreign = Some(path.to_string());
                return;
            };
            match name {
                "valid" => valid = Some(port),
                "ready" => ready = Some(port),
                _ => payload.push(Field { name: path.to_string(), port, width: signal.width() }),
            }
        });
        if let Some(path) = foreign {
            panic!("`{path}` is not a port of `{}`", design.name());
        }
        let (Some(valid), Some(ready)) = (valid, ready) else {
            panic!("a stream needs the fields `{prefix}valid` and `{prefix}ready`");
        };
        StreamPorts { name: design.port_name(valid).to_string(), valid, ready, payload }
    }
}
