//! rust-hdl's synchronous FIFO inside a module, under Verilator.
#![allow(missing_docs)]

use ::sim::tools::have;
use ::sim::verilator::Model;
use hdl::engine::Engine;
use hdl::*;
use rust_hdl_core::prelude::Bits;
use rust_hdl_widgets::prelude::SynchronousFIFO;
use std::collections::VecDeque;

ports! {
    struct FifoPorts(width: u32) {
        input write: Signal = bits(1),
        input data_in: Signal = bits(width),
        input read: Signal = bits(1),
        output data_out: Signal = bits(width),
        output full: Signal = bits(1),
        output empty: Signal = bits(1),
        output almost_full: Signal = bits(1),
        output almost_empty: Signal = bits(1),
        output overflow: Signal = bits(1),
        output underflow: Signal = bits(1),
    }
}

/// 16 words of 8 bits, in the Verilog of rust-hdl.
fn fifo(width: u32) -> Result<Design<FifoPorts>, Errors> {
    let f = from_rust_hdl::foreign("rust_hdl_fifo", SynchronousFIFO::<Bits<8>, 4, 5, 1>::default())?;
    f.clock("clock");
    let io = FifoPorts::new(f, width);
    f.finish(io)
}

ports! {
    struct QueuePorts() {
        input s: Stream = stream(bits(8)),
        output m: Stream = stream(bits(8)),
        output lost: Signal = bits(1),
    }
}

/// The FIFO between streams.
#[module]
fn queue() -> Result<Design<QueuePorts>, Errors> {
    let m = Module::new("stream_queue");
    let io = QueuePorts::new(m);
    let fifo = m.instance(&fifo(8)?);
    fifo.write.set(io.s.transfer());
    fifo.data_in.set(io.s.payload);
    fifo.read.set(io.m.transfer());
    io.s.ready.set(!fifo.full);
    io.m.valid.set(!fifo.empty);
    io.m.payload.set(fifo.data_out);
    let lost = m.reg_reset(bits(1), 0);
    lost.set(lost | fifo.overflow | fifo.underflow);
    io.lost.set(lost);
    m.finish(io)
}

#[test]
fn words_come_out_in_order_under_random_stalls() {
    if !have(&["verilator"]) {
        return;
    }
    let design = queue().unwrap_or_else(|e| panic!("{e}"));
    let mut model = Model::of(&design, Reset::default()).unwrap_or_else(|e| panic!("{e}"));
    let port = |name: &str| model.port(name).unwrap_or_else(|| panic!("no port {name}"));
    let (valid, ready, payload) = (port("s_valid"), port("s_ready"), port("s_payload"));
    let (out_valid, out_ready, out) = (port("m_valid"), port("m_ready"), port("m_payload"));
    let lost = port("lost");
    let mut rng = fastrand::Rng::with_seed(hdl::bus::seed(3));
    let (mut inside, mut taken, mut most) = (VecDeque::new(), 0, 0);
    model.reset(2);
    for cycle in 0..5000 {
        // long phases of a fast source, of a fast sink, and of both
        let (fast_in, fast_out) = (cycle / 100 % 3 != 1, cycle / 100 % 3 != 0);
        let word = rng.u64(..256);
        model.poke(payload, word);
        model.poke(valid, u64::from(fast_in || rng.u8(..4) == 0));
        model.poke(out_ready, u64::from(fast_out || rng.u8(..4) == 0));
        let (put, got) =
            (model.peek(valid) & model.peek(ready) == 1, model.peek(out_valid) & model.peek(out_ready) == 1);
        if got {
            assert_eq!(Some(model.peek(out)), inside.pop_front(), "cycle {cycle}");
            taken += 1;
        }
        if put {
            inside.push_back(word);
        }
        most = most.max(inside.len());
        model.step();
    }
    assert_eq!(model.peek(lost), 0);
    assert!(taken > 2000 && most == 16, "{taken} words came out, at most {most} were inside");
}

#[test]
fn a_wrong_width_is_found_in_its_verilog() {
    let errors = fifo(9).expect_err("the FIFO has 8 bits").to_string();
    assert!(errors.contains("port `data_in` of `rust_hdl_fifo` has 8 bits in its text, but 9 bits here"), "{errors}");
}

mod open {
    use rust_hdl_core::prelude::*;

    /// A block whose output nobody drives.
    #[derive(LogicBlock, Default)]
    pub struct Open {
        pub input: Signal<In, Bit>,
        pub output: Signal<Out, Bit>,
    }

    impl Logic for Open {
        fn update(&mut self) {}
    }
}

#[test]
fn its_own_check_is_an_error() {
    let errors = from_rust_hdl::foreign("open", open::Open::default()).expect_err("`output` is open").to_string();
    assert!(errors.contains("rust-hdl's check of `open` fails") && errors.contains("output"), "{errors}");
}
