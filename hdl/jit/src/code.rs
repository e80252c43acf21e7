//! The machine code: made, held and called. The only unsafe code of the simulator.
#![allow(unsafe_code)]

use crate::emit::Emitter;
use crate::limbs;
use crate::places::places;
use crate::roots::roots;
use crate::schedule::schedule;
use cranelift_codegen::Context;
use cranelift_codegen::ir::{AbiParam, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module, default_libcall_names};
use hdl::sim::native::{Native, Plan};
use std::error::Error;
use std::fmt;

/// A function: slots, limbs of the memories, clocks that rise.
type Entry = unsafe extern "C" fn(*mut u64, *mut u64, u64);

/// Machine code of a design.
pub struct Code {
    /// Owns the memory that the entries point into; taken only when the code goes away.
    module: Option<JITModule>,
    settle: Vec<Entry>,
    edge: Vec<Entry>,
    slots: usize,
    limbs: usize,
    /// A bit for each clock.
    clocks: u64,
    /// Bytes of machine code.
    bytes: usize,
}

// SAFETY: once made, the code is only read and run, and it has no state besides its arguments; the module is not touched
// again before the last owner drops it.
unsafe impl Send for Code {}
// SAFETY: as above.
unsafe impl Sync for Code {}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Code {{ functions: {}, bytes: {} }}", self.settle.len() + self.edge.len(), self.bytes)
    }
}

/// A module for this machine.
fn new_module() -> Result<JITModule, Box<dyn Error>> {
    let mut flags = settings::builder();
    // The words were optimised before: cranelift's own optimiser takes longer than it gives.
    let settings = [("opt_level", "none"), ("enable_verifier", "false"), ("enable_probestack", "false")];
    for (name, value) in settings.into_iter().chain([("unwind_info", "false")]) {
        flags.set(name, value)?;
    }
    let isa = cranelift_native::builder()?;
    let isa = isa.finish(settings::Flags::new(flags))?;
    Ok(JITModule::new(JITBuilder::with_isa(isa, default_libcall_names())))
}

impl Code {
    /// Compiles a design.
    pub fn compile(plan: &Plan) -> Result<Code, Box<dyn Error>> {
        let mut lowered = limbs::lower(plan);
        let mut roots = roots(&mut lowered);
        let mut words = lowered.words;
        let schedule = schedule(&mut words, &mut roots);
        let places = places(&words, &roots, &schedule, plan.slots);
        let mut emitter = Emitter::new(&words, &roots, &plan.memories, &places, &schedule.groups);
        let mut module = new_module()?;
        let (mut context, mut builder) = (module.make_context(), FunctionBuilderContext::new());
        let (mut ids, mut bytes) = (vec![], 0);
        for (i, function) in schedule.functions.iter().enumerate() {
            module.clear_context(&mut context);
            let parameter = AbiParam::new(types::I64);
            context.func.signature.params.extend([parameter; 3]);
            emitter.function(function, FunctionBuilder::new(&mut context.func, &mut builder), module.target_config());
            let id = module.declare_function(&format!("f{i}"), Linkage::Local, &context.func.signature)?;
            module.define_function(id, &mut context)?;
            bytes += size(&context);
            ids.push(id);
        }
        module.finalize_definitions()?;
        let entry = |id: &cranelift_module::FuncId| {
            let code = module.get_finalized_function(*id);
            // SAFETY: a finalized function with the signature given above, in the machine's C calling convention.
            unsafe { std::mem::transmute::<*const u8, Entry>(code) }
        };
        let mut entries: Vec<Entry> = ids.iter().map(entry).collect();
        let edge = entries.split_off(schedule.settling);
        let limbs = plan.memories.last().map_or(0, |m| m.start + m.stride * m.depth as usize);
        let clocks = 1u64.checked_shl(plan.domains).map_or(u64::MAX, |bit| bit - 1);
        Ok(Code { module: Some(module), settle: entries, edge, slots: places.slots as usize, limbs, clocks, bytes })
    }

    fn run(&self, entries: &[Entry], clocks: u64, slots: &mut [u64], limbs: &mut [u64]) {
        assert!(slots.len() >= self.slots && limbs.len() >= self.limbs, "slots and memories are those of the design");
        for entry in entries {
            // SAFETY: the code reads and writes slots below `self.slots` and limbs below `self.limbs` (addresses of
            // memories are compared with their depth), which were just seen to be there; nobody else has them meanwhile.
            unsafe { entry(slots.as_mut_ptr(), limbs.as_mut_ptr(), clocks) }
        }
    }
}

fn size(context: &Context) -> usize {
    context.compiled_code().map_or(0, |code| code.code_buffer().len())
}

impl Native for Code {
    fn slots(&self) -> usize {
        self.slots
    }
    fn settle(&self, slots: &mut [u64], limbs: &mut [u64]) {
        self.run(&self.settle, 0, slots, limbs);
    }
    fn edge(&self, clocks: u64, slots: &mut [u64], limbs: &mut [u64]) {
        if clocks & self.clocks != 0 {
            self.run(&self.edge, clocks, slots, limbs);
        }
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: the entries go away with `self`; nothing else points into the code.
            unsafe { module.free_memory() }
        }
    }
}
