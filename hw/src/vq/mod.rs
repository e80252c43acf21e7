//! Vector quantization: codes become vectors of numbers as fast as they come from memory (vq-llm.txt, sections II and V).

mod accumulator_lane;
pub mod attention_head;
pub mod attention_tiles;
pub mod banked_cache;
pub mod banked_types;
pub mod book_loader;
pub mod cache_types;
pub mod codebook_cache;
mod delay;
pub mod e8p;
mod e8p_points;
pub mod encoder;
pub mod group_books;
pub mod index_unpacker;
mod join_pairs;
pub mod lane_window;
pub mod matrix_vector;
pub mod passing_books;
pub mod products;
pub mod reorder_buffer;
pub mod residual_books;
pub mod running_sums;
pub mod scores;
pub mod table_types;
mod tell_fault;
pub mod values;
