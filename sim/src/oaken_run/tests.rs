//! The driver itself, on a small module in the place of an engine.

use super::*;
use hdl::sim::Simulator;
use hdl::{Bundle, Design, Errors, Module, Signal, bits, module, ports};

#[derive(Clone, Copy, Bundle)]
struct Axis {
    tdata: Signal,
    tkeep: Signal,
    tlast: Signal,
    tvalid: Signal,
    #[flip]
    tready: Signal,
}

fn axis(bytes: u32) -> Axis {
    Axis { tdata: bits(8 * bytes), tkeep: bits(bytes), tlast: bits(1), tvalid: bits(1), tready: bits(1) }
}

ports! {
    struct TwinPorts(bytes: u32) {
        input s_axis: Axis = axis(bytes),
        output m_axis_dense: Axis = axis(bytes),
        output m_axis_sparse: Axis = axis(bytes),
    }
}

/// Gives every beat to both outputs; a beat takes `pause` cycles. Beats with tlast are swallowed if `deaf`.
#[module]
fn twins(bytes: u32, pause: u32, deaf: bool) -> Result<Design<TwinPorts>, Errors> {
    let m = Module::new("twins");
    let io = TwinPorts::new(m, bytes);
    let wait = m.reg_reset(bits(8), 0);
    let open = wait.eq(0);
    let both = io.m_axis_dense.tready & io.m_axis_sparse.tready;
    let take = io.s_axis.tvalid & open & both;
    let swallowed = io.s_axis.tlast & m.lit(u32::from(deaf), 1);
    m.when(take, || wait.set(pause - 1)).elsewhen(!open, || wait.set(wait - 1));
    io.s_axis.tready.set(open & both);
    for to in [io.m_axis_dense, io.m_axis_sparse] {
        to.tdata.set(io.s_axis.tdata);
        to.tkeep.set(io.s_axis.tkeep);
        to.tlast.set(io.s_axis.tlast);
        to.tvalid.set(take & !swallowed);
    }
    m.finish(io)
}

fn vectors(count: u16, length: u16) -> Vec<Vec<u16>> {
    (0..count).map(|v| (0..length).map(|i| v * 1000 + i).collect()).collect()
}

#[test]
fn packets_come_out_as_they_went_in_and_cycles_are_counted() {
    for (bytes, pause) in [(2, 1), (8, 1), (16, 3), (80, 2)] {
        let mut engine = Simulator::new(&twins(bytes, pause, false).unwrap_or_else(|e| panic!("{e}")));
        engine.reset(2);
        let vectors = vectors(5, 67);
        let mut done = 0;
        let run = run_quantizer(&mut engine, vectors.iter().map(Vec::as_slice), &mut || done += 1).unwrap();
        for (vector, record) in vectors.iter().zip(&run.results) {
            let expected: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
            assert_eq!(record.dense, expected);
            assert_eq!(record.sparse, expected);
        }
        let beats = 5 * (2 * 67_u64).div_ceil(bytes.into());
        assert_eq!((run.results.len(), done), (5, 5));
        assert_eq!(run.cycles, (beats - 1) * u64::from(pause) + 1);
    }
}

#[test]
fn what_does_not_come_out_is_an_error() {
    let mut engine = Simulator::new(&twins(4, 1, true).unwrap_or_else(|e| panic!("{e}")));
    engine.reset(2);
    let vectors = vectors(1, 64);
    let error = run_quantizer(&mut engine, vectors.iter().map(Vec::as_slice), &mut || ()).unwrap_err();
    assert!(matches!(error, RunError::Stuck { stream: "m_axis_dense", received: 0, expected: 1, .. }), "{error}");
}

#[test]
fn missing_ports_are_named() {
    let mut engine = Simulator::new(&twins(4, 1, false).unwrap_or_else(|e| panic!("{e}")));
    let error = run_dequantizer(&mut engine, 64, &[], &mut || ()).unwrap_err();
    assert_eq!(error, RunError::NoPort("s_axis_dense_tdata".into()));
    assert_eq!(write_registers(&mut engine, &[]), Err(RunError::NoPort("s_axil_awaddr".into())));
}
