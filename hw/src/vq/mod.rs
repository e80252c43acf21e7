//! Vector quantization: codes become vectors of numbers as fast as they come from memory (vq-llm.txt, sections II and V).

pub mod banked_cache;
pub mod banked_types;
mod book_loader;
pub mod cache_types;
pub mod codebook_cache;
pub mod e8p;
mod e8p_points;
pub mod index_unpacker;
mod lane_window;
mod reorder_buffer;
mod tell_fault;
