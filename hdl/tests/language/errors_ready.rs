//! Errors of payloads that depend on `ready` within the cycle: tests/errors/NAME.txt. `BLESS=1` renews the files.
#![allow(missing_docs)]

use crate::errors_held::{StreamPorts, between, passing};
use hdl::*;

/// Nor may anything else that leaves follow it: what says that the item goes on, or `ready` itself, also through logic.
#[test]
#[module]
fn a_payload_that_waits_for_ready() {
    for (name, collapse, how) in [
        ("payload_that_moves", false, 0),
        ("payload_that_moves_through_logic", true, 1),
        ("payload_of_ready", false, 2),
        ("payload_of_ready_by_another_name", false, 3),
    ] {
        between(name, |m, io| {
            io.y.set(0);
            let (p, x) = m.pipeline_stream("items", io.s, Elastic { collapse, flush: None });
            let x = x.next();
            let goes = match how {
                0 => p.moves(x),
                1 => {
                    let goes = m.wire(bits(1));
                    goes.set(0);
                    m.when(p.moves(x), || goes.set(x.bit(0)));
                    goes
                }
                _ => p.constant(io.m.ready),
            };
            if how == 3 {
                let out = m.wire(io.m.shape());
                out.ready.set(io.m.ready);
                io.m.valid.set(out.valid);
                io.m.payload.set(out.payload);
                p.leave_stream(x ^ goes.zext(8), out);
            } else {
                p.leave_stream(x ^ goes.zext(8), io.m);
            }
        });
    }
    for how in 0..5 {
        between(&format!("payload_of_ready_behind_logic_{how}"), |m, io| {
            io.y.set(0);
            let (p, x) = m.pipeline_stream("items", io.s, Elastic::default());
            let out = m.wire(io.m.shape());
            let ready = io.m.ready;
            let pair = m.wire(bits(2));
            pair.set(ready.cat(io.c));
            match how {
                0 => out.ready.set(!!ready),
                1 => out.ready.set(ready & io.c),
                2 => m.when(ready, || out.ready.set(1)).otherwise(|| out.ready.set(0)),
                3 => out.ready.set(pair.bit(1)),
                _ => {
                    let unit = m.instance(&passing());
                    unit.s.set(out);
                    io.m.set(unit.m);
                }
            }
            if how < 4 {
                io.m.valid.set(out.valid);
                io.m.payload.set(out.payload);
            }
            p.leave_stream(x.next() ^ p.constant(ready).zext(8), out);
        });
    }
    payload_of_wready();
    // a stage before, it is 1 for every item that arrives
    let m = Module::new("example");
    let io = StreamPorts::new(m);
    io.c.unused();
    let (p, x) = m.pipeline_stream("items", io.s, Elastic::default());
    let goes = p.moves(x).next();
    io.y.set(p.leave(p.moves(goes)).zext(8));
    p.leave_stream(x.next() ^ goes.zext(8), io.m);
    m.finish(io).unwrap();
}

#[derive(Clone, Copy, Bundle)]
struct WriteChannel {
    wvalid: Signal,
    #[flip]
    wready: Signal,
    wdata: Signal,
}

ports! {
    struct WritePorts() {
        input s: Stream = stream(bits(8)),
        output axi: WriteChannel = WriteChannel { wvalid: bits(1), wready: bits(1), wdata: bits(8) },
        input go: Signal = bits(1),
    }
}

/// It is called `wready` in AXI. What chooses among ends is none, and may be in a payload.
#[module]
fn payload_of_wready() {
    for wrong in [true, false] {
        let m = Module::new("example");
        let io = WritePorts::new(m);
        let (p, x) = m.pipeline_stream("items", io.s, Elastic::default());
        let out = m.wire(stream(bits(8)));
        let mark = if wrong { io.axi.wready } else { io.go };
        p.leave_stream(x.next() ^ p.constant(mark).zext(8), out);
        out.ready.set(io.axi.wready & io.go);
        io.axi.wvalid.set(out.valid & io.go);
        io.axi.wdata.set(out.payload);
        assert_eq!(m.finish(io).is_err(), wrong);
    }
}
