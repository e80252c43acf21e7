//! A plan for vector quantization on an FPGA, from what is free of it (vq-llm.txt, sections V and VI): by table or by multiplication, where the books are,
//! how many lanes, units and queries side by side, and how units share a task.
//!
//! [`machines`] lists what can be chosen, [`cost`] says what it costs, [`plan()`] takes the fastest that fits. Cycles are those of the hardware's own
//! formulas; areas are fitted to the committed measurements of `docs/qor.json`, which the tests beside this file hold.

mod area;
mod caches;
mod cost;
mod cycles;
mod explain;
mod head;
mod machine;
mod search;
mod split;
mod task;

pub use area::Area;
pub use caches::{COLD, Cache, other_caches};
pub use cost::{Bytes, Cost, cost};
pub use cycles::{
    MEMORY, attention_by_multiplication, encoder_command, load, matrix_command, scores_command, values_command,
};
pub use explain::{Alternative, Choice, alternatives, choices, count, split};
pub use head::{head_job, head_params};
pub use machine::{Machine, Store, Way, machines, matrix_scales};
pub use search::plan;
pub use split::{Split, best_split, split_bytes};
pub use task::{Attention, DEVICES, Free, Matrix, PlanError, Task, Tiles, tiles};

#[cfg(test)]
mod oracle;
#[cfg(test)]
mod tests;
