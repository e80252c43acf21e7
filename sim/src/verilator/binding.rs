//! Calls into the compiled model, and access to its ports in memory: with `hdl/jit/src/code.rs`, which calls what it has compiled
//! itself, the only unsafe code of this project.
#![allow(unsafe_code)]

use super::error::VerilatorError;
use super::inner::Public;
use hdl::engine::PortInfo;
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The C functions of a model, as `shim.cpp` defines them.
struct Functions {
    destroy: unsafe extern "C" fn(*mut c_void),
    eval: unsafe extern "C" fn(*mut c_void) -> c_int,
    edge: unsafe extern "C" fn(*mut c_void, u64, c_int) -> c_int,
    failures: unsafe extern "C" fn(*mut c_void) -> *const c_char,
    open_trace: unsafe extern "C" fn(*mut c_void, *const c_char) -> c_int,
    close_trace: unsafe extern "C" fn(*mut c_void),
    write_coverage: unsafe extern "C" fn(*mut c_void, *const c_char) -> c_int,
}

/// A public signal, as the shim gives it.
#[repr(C)]
struct RawPublic {
    scope: *const c_char,
    name: *const c_char,
    address: *mut u8,
    width: u32,
    writable: u32,
    depth: u32,
}

/// Where a port lies in the model's memory.
#[derive(Clone, Copy)]
struct PortMemory {
    address: *mut u8,
    /// 1, 2, 4 or 8 bytes for ports of at most 64 bits, else a multiple of 4.
    bytes: usize,
    /// Words of a memory; 1 for what is none.
    words: u64,
}

/// What all of these ask of their callers: the address is that of a C++ integer with this size, aligned as such, or of an array
/// of `bytes / 4` 32-bit words, in an instance that lives and does not run.
impl PortMemory {
    #[inline]
    unsafe fn read(self) -> u64 {
        // SAFETY: see above.
        unsafe {
            match self.bytes {
                1 => u64::from(self.address.read()),
                2 => u64::from(self.address.cast::<u16>().read()),
                4 => u64::from(self.address.cast::<u32>().read()),
                8 => self.address.cast::<u64>().read(),
                _ => unreachable!("a wide port is read by `read_limbs`"),
            }
        }
    }

    #[inline]
    unsafe fn write(self, value: u64) {
        // SAFETY: see above.
        unsafe {
            match self.bytes {
                1 => self.address.write(value as u8),
                2 => self.address.cast::<u16>().write(value as u16),
                4 => self.address.cast::<u32>().write(value as u32),
                8 => self.address.cast::<u64>().write(value),
                _ => unreachable!("a wide port is written by `write_limbs`"),
            }
        }
    }

    #[inline]
    unsafe fn read_limbs(self, limbs: &mut [u64]) {
        let words = self.address.cast::<u32>();
        for (index, limb) in limbs.iter_mut().enumerate() {
            // SAFETY: see above.
            let word = |at: usize| if 4 * at < self.bytes { unsafe { words.add(at).read() } } else { 0 };
            *limb = u64::from(word(2 * index)) | u64::from(word(2 * index + 1)) << 32;
        }
    }

    #[inline]
    unsafe fn write_limbs(self, limbs: &[u64]) {
        let words = self.address.cast::<u32>();
        for at in 0..self.bytes / 4 {
            let limb = limbs.get(at / 2).copied().unwrap_or(0);
            // SAFETY: see above.
            unsafe { words.add(at).write((limb >> (32 * (at % 2))) as u32) };
        }
    }
}

/// A model in memory. Ports are addressed by their index in the list that [`Binding::open`] was given; behind them come the
/// public signals inside.
///
/// Values are not checked against widths here: the caller does.
pub(super) struct Binding {
    functions: Functions,
    instance: *mut c_void,
    ports: Vec<PortMemory>,
    /// Holds the code that `functions` point to.
    _library: Library,
}

// SAFETY: a model has no ties to the thread that made it (the shim sets its only thread-local at each call), and
// every access that changes it needs `&mut Binding`.
unsafe impl Send for Binding {}

impl Binding {
    /// Loads a library that `build` made for these `ports`, and starts its model with random contents of that seed, or with zeros
    /// where it is 0.
    ///
    /// With it come the public signals inside.
    pub(super) fn open(
        library: &Path,
        ports: &[PortInfo],
        seed: u32,
    ) -> Result<(Binding, Vec<Public>), VerilatorError> {
        // SAFETY: the library comes from `build`, which compiled it from `shim.cpp`: loading it runs only the
        // constructors of Verilator's runtime, and the functions and what they give have the types given here.
        unsafe {
            let library = Library::new(library)?;
            let create = *library.get::<unsafe extern "C" fn(u32) -> *mut c_void>(b"kv_create")?;
            let port_memory = *library.get::<unsafe extern "C" fn(*mut c_void, *mut *mut u8, *mut u32)>(b"kv_ports")?;
            let publics =
                *library.get::<unsafe extern "C" fn(*mut c_void, *mut *const RawPublic) -> u32>(b"kv_publics")?;
            let functions = Functions {
                destroy: *library.get(b"kv_destroy")?,
                eval: *library.get(b"kv_eval")?,
                edge: *library.get(b"kv_edge")?,
                failures: *library.get(b"kv_failures")?,
                open_trace: *library.get(b"kv_open_trace")?,
                close_trace: *library.get(b"kv_close_trace")?,
                write_coverage: *library.get(b"kv_write_coverage")?,
            };
            let instance = create(seed);
            let mut addresses = vec![std::ptr::null_mut(); ports.len()];
            let mut sizes = vec![0; ports.len()];
            port_memory(instance, addresses.as_mut_ptr(), sizes.as_mut_ptr());
            let memory = |(address, bytes): (*mut u8, u32)| PortMemory { address, bytes: bytes as usize, words: 1 };
            let mut memory: Vec<PortMemory> = addresses.into_iter().zip(sizes).map(memory).collect();
            for (port, memory) in ports.iter().zip(&memory) {
                assert_eq!(memory.bytes, storage_bytes(port.width), "storage of `{}`", port.name);
            }
            let mut first = std::ptr::null();
            let count = publics(instance, &mut first) as usize;
            let raw = if count == 0 { &[][..] } else { std::slice::from_raw_parts(first, count) };
            memory.extend(raw.iter().map(|p| PortMemory {
                address: p.address,
                bytes: storage_bytes(p.width),
                words: p.depth.max(1).into(),
            }));
            let text = |text| CStr::from_ptr(text).to_string_lossy().into_owned();
            let public = |p: &RawPublic| Public {
                scope: text(p.scope),
                name: text(p.name),
                width: p.width,
                writable: p.writable != 0,
                depth: p.depth,
            };
            let found = raw.iter().map(public).collect();
            Ok((Binding { functions, instance, ports: memory, _library: library }, found))
        }
    }

    /// Evaluates the model. Returns true when an assertion has failed.
    pub(super) fn eval(&mut self) -> bool {
        // SAFETY: the instance lives until `drop`.
        unsafe { (self.functions.eval)(self.instance) != 0 }
    }

    /// A rising edge on the clocks in the mask. Returns true when an assertion has failed.
    ///
    /// `settled`: the model was evaluated with its clocks low and its present inputs.
    pub(super) fn edge(&mut self, clocks: u64, settled: bool) -> bool {
        // SAFETY: as in `eval`.
        unsafe { (self.functions.edge)(self.instance, clocks, c_int::from(settled)) != 0 }
    }

    /// What failed since the last call, one failure a line.
    pub(super) fn failures(&mut self) -> String {
        // SAFETY: as in `eval`; the text is a C string that the instance owns, and it is copied at once.
        unsafe { CStr::from_ptr((self.functions.failures)(self.instance)).to_string_lossy().into_owned() }
    }

    /// Reads a port of at most 64 bits.
    #[inline]
    pub(super) fn read(&self, port: usize) -> u64 {
        // SAFETY: the port lies in the living instance.
        unsafe { self.ports[port].read() }
    }

    /// Writes a port of at most 64 bits.
    #[inline]
    pub(super) fn write(&mut self, port: usize, value: u64) {
        // SAFETY: as in `read`. The model is not running: `&mut self` excludes it.
        unsafe { self.ports[port].write(value) }
    }

    /// Reads a port of more than 64 bits; the limbs beyond its width become zero, those that are missing are left out.
    #[inline]
    pub(super) fn read_limbs(&self, port: usize, limbs: &mut [u64]) {
        // SAFETY: as in `read`.
        unsafe { self.ports[port].read_limbs(limbs) }
    }

    /// Writes a port of more than 64 bits; missing limbs count as zero, those beyond its width are left out.
    #[inline]
    pub(super) fn write_limbs(&mut self, port: usize, limbs: &[u64]) {
        // SAFETY: as in `write`.
        unsafe { self.ports[port].write_limbs(limbs) }
    }

    /// Reads a word of a public memory into as many limbs as it takes.
    pub(super) fn read_word(&self, memory: usize, address: u64, limbs: &mut [u64]) {
        // SAFETY: as in `read`; `word` stays inside of the memory.
        match limbs {
            [one] => *one = unsafe { self.word(memory, address).read() },
            _ => unsafe { self.word(memory, address).read_limbs(limbs) },
        }
    }

    /// Writes a word of a public memory, given as as many limbs as it takes.
    pub(super) fn write_word(&mut self, memory: usize, address: u64, limbs: &[u64]) {
        // SAFETY: as in `write`; `word` stays inside of the memory.
        match limbs {
            [one] => unsafe { self.word(memory, address).write(*one) },
            _ => unsafe { self.word(memory, address).write_limbs(limbs) },
        }
    }

    /// Where a word of a public memory lies.
    fn word(&self, memory: usize, address: u64) -> PortMemory {
        let PortMemory { address: first, bytes, words } = self.ports[memory];
        assert!(address < words, "word {address} of {words}");
        // SAFETY: the words lie one behind the other, and there are so many of them.
        PortMemory { address: unsafe { first.add(address as usize * bytes) }, bytes, words: 1 }
    }

    /// Starts a VCD file; false when it cannot be opened.
    pub(super) fn open_trace(&mut self, path: &Path) -> bool {
        // SAFETY: as in `eval`; the path is a C string that outlives the call.
        c_path(path).is_some_and(|path| unsafe { (self.functions.open_trace)(self.instance, path.as_ptr()) != 0 })
    }

    /// Ends the VCD file, if there is one.
    pub(super) fn close_trace(&mut self) {
        // SAFETY: as in `eval`.
        unsafe { (self.functions.close_trace)(self.instance) }
    }

    /// Writes the coverage; false when it cannot be written.
    pub(super) fn write_coverage(&self, path: &Path) -> bool {
        // SAFETY: as in `eval`; the path is a C string that outlives the call. Writing reads the counters only.
        c_path(path).is_some_and(|path| unsafe { (self.functions.write_coverage)(self.instance, path.as_ptr()) != 0 })
    }
}

impl Drop for Binding {
    fn drop(&mut self) {
        // SAFETY: made by `kv_create`, destroyed once; the library is unloaded after this.
        unsafe { (self.functions.destroy)(self.instance) }
    }
}

/// The path for C; `None` when it holds a zero byte.
fn c_path(path: &Path) -> Option<CString> {
    CString::new(path.as_os_str().as_bytes()).ok()
}

/// Bytes in which Verilator keeps a port: the next integer, or 32-bit words above 64 bits.
fn storage_bytes(width: u32) -> usize {
    match width {
        0..=8 => 1,
        9..=16 => 2,
        17..=32 => 4,
        33..=64 => 8,
        _ => 4 * width.div_ceil(32) as usize,
    }
}
