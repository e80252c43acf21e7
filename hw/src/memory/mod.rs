//! Memories behind handshakes. For a memory inside a module there is [`hdl::Module::memory`].

pub mod ram;
