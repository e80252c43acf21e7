//! Parameters of the slices that the MMU keeps, for the splitter in front of it and the framer behind it. A slice has the same signals
//! whatever the width of its codes and the elements of its head are, so connections do not tell where those differ.

use super::params::MmuParams;
use crate::oaken::slices::SliceParams;
use crate::oaken::types::EngineParams;
use hdl::Errors;

impl MmuParams {
    /// The parameters of a splitter or framer beside this MMU, for the engine of keys or of values: [`MmuParams::check_slices`] holds
    /// for them. The framer gives the tag of a read with its history.
    #[track_caller]
    pub fn slice_params(self, module: &str, engine: EngineParams) -> Result<SliceParams, Errors> {
        let (bus_bytes, tag_bits) = (self.axi.data_bytes, self.tag_bits);
        let slices = SliceParams { engine, head_elements: self.head_elements, bus_bytes, tag_bits };
        self.check_slices(module, slices)?;
        slices.check_heads(module, self.heads)
    }
    /// Are slices of a splitter or framer those that this MMU keeps: codes as wide, heads as long, beats as wide? `module` is named in
    /// the message.
    #[track_caller]
    pub fn check_slices(self, module: &str, slices: SliceParams) -> Result<(), Errors> {
        let (codes, keys, values) = (slices.engine.dense_bits, self.key_bits, self.value_bits);
        let (head, own_head) = (slices.head_elements, self.head_elements);
        let (bus, own_bus) = (slices.bus_bytes, self.axi.data_bytes);
        if codes != keys && codes != values {
            let message = format!(
                "slices have codes of {codes} bits, and the MMU keeps keys of {keys} and values of {values} bits"
            );
            let help = "let `dense_bits` of the engine be `key_bits` or `value_bits` of the MMU";
            return Err(Errors::parameter(module, message, help));
        }
        if head != own_head {
            let message = format!("slices have {head} elements, and the heads of the MMU {own_head}");
            return Err(Errors::parameter(module, message, "let `head_elements` be the same in both"));
        }
        if bus != own_bus {
            let message = format!("slices come in beats of {bus} bytes, and the bus of the MMU has {own_bus}");
            return Err(Errors::parameter(module, message, "let `bus_bytes` be `data_bytes` of the MMU"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::axi::AxiParams;
    use crate::oaken::mmu::unit::unit;
    use crate::oaken::slice_splitter::slice_splitter;
    use hdl::*;

    fn mmu() -> MmuParams {
        MmuParams {
            axi: AxiParams { data_bytes: 8, address_bits: 32, id_bits: 0 },
            page_bytes: 1024,
            pages: 256,
            requests: 2,
            layers: 2,
            heads: 2,
            head_elements: 128,
            key_bits: 4,
            value_bits: 5,
            tokens: 100,
            tag_bits: 4,
            outstanding: 2,
        }
    }

    fn engine(dense_bits: u32) -> EngineParams {
        EngineParams { lanes: 4, max_length: 256, dense_bits, settings: 1 }
    }

    #[test]
    fn widths_of_codes_that_differ_are_told_with_both() {
        for legal in [4, 5] {
            assert_eq!(mmu().slice_params("mine", engine(legal)).map(|slices| slices.head_elements), Ok(128));
        }
        let (errors, line) = (mmu().slice_params("mine", engine(6)).unwrap_err(), line!());
        let message = "slices have codes of 6 bits, and the MMU keeps keys of 4 and values of 5 bits";
        assert_eq!(errors.0[0].message, message);
        assert_eq!(errors.0[0].span.line, line, "the place of the call");
    }

    #[test]
    fn heads_and_beats_that_differ_are_told_with_both() {
        let slices = mmu().slice_params("mine", engine(4)).unwrap();
        let message = |slices| mmu().check_slices("mine", slices).unwrap_err().0[0].message.clone();
        let head = message(SliceParams { head_elements: 192, ..slices });
        assert_eq!(head, "slices have 192 elements, and the heads of the MMU 128");
        let bus = message(SliceParams { bus_bytes: 16, ..slices });
        assert_eq!(bus, "slices come in beats of 16 bytes, and the bus of the MMU has 8");
    }

    ports! {
        struct JoinedPorts() {
            output free: Signal = bits(1),
        }
    }

    /// Mistakes of a splitter of such slices that is connected to the MMU without a check.
    #[module]
    fn joined(slices: SliceParams) -> Result<Design<JoinedPorts>, Errors> {
        let m = Module::new("joined");
        let io = JoinedPorts::new(m);
        let splitter = m.instance(&slice_splitter("splitter", 2, slices)?);
        let mmu = m.instance(&unit("mmu", mmu())?);
        mmu.slice.set(splitter.slice);
        mmu.s_axis.set(splitter.m_axis);
        m.finish(io)
    }

    fn told(slices: SliceParams) -> String {
        joined(slices).expect_err("much is not connected").to_string()
    }

    #[test]
    fn the_language_tells_beats_that_differ_and_not_codes() {
        let slices = mmu().slice_params("mine", engine(4)).unwrap();
        let wider = told(SliceParams { bus_bytes: 16, ..slices });
        assert!(wider.contains("128 bits") && wider.contains("64 bits") && wider.contains("differ"), "{wider}");
        let codes = told(SliceParams { engine: engine(6), ..slices });
        assert!(!codes.contains("differ"), "signals are the same, therefore `check_slices`: {codes}");
    }
}
