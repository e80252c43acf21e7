//! The named configurations of `configs/` with their drivers.

use super::{
    Driver, axi_arbiters, bursts, cache, clocks, dequantizer, float, frames, h2m2_events, h2m2_migration, h2m2_mmu,
    lad, memory, merge, oaken, oaken_mmu, parts, records, regroup, routing, sdram, several, slices, softmax, system,
    uart, vq, vq_head, vq_matrix, vq_tables,
};
use hw::catalogue::{
    Value, Values, apid_params, arbiter_axi, banked_params, block, board_params, cache_board_params, cache_params,
    centres_params, encoder_params, framer_params, head_params, lad_scores_params, lad_sums_params, matrix_params,
    md_params, merge_axi_params, merge_params, migration_params, mmu_params, mover, oaken_cache_params,
    oaken_mmu_params, scores_params, sdram_params, slice_params, softmax_params, system_params, table_params,
    tiered_params, tiles_params, unpacker_params, values_params,
};
use hw::memory::ram::{Collision, RamParams};
use hw::stream::fifo::Style;
use hw::stream::pack::Beats;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs")
}

/// Names of all configurations, sorted.
pub fn names() -> Vec<String> {
    let files = std::fs::read_dir(folder()).into_iter().flatten().flatten();
    let name = |path: PathBuf| Some(path.file_name()?.to_str()?.strip_suffix(".toml")?.to_string());
    let mut names: Vec<String> = files.filter_map(|file| name(file.path())).collect();
    names.sort();
    names
}

/// The driver of a named configuration, or of a part that is none.
///
/// # Errors
/// If there is no such configuration or part, or no driver for its block; the message says what there is.
pub fn configuration(name: &str) -> Result<Driver, String> {
    if let Some(part) = parts().into_iter().find(|part| part.name == name) {
        return Ok(part);
    }
    let (block, values) = read(name)?;
    driver(name, &block, &values).ok_or_else(|| format!("there is no driver for the block `{block}` of {name}"))
}

/// Block and parameters of a configuration.
fn read(name: &str) -> Result<(String, Values), String> {
    let path = folder().join(format!("{name}.toml"));
    let known = || parts().into_iter().map(|part| part.name).chain(names()).collect::<Vec<_>>().join(", ");
    let text = std::fs::read_to_string(path).map_err(|_| format!("there is no {name}; there are {}", known()))?;
    let table: toml::Table = text.parse().map_err(|e| format!("configs/{name}.toml: {e}"))?;
    let block_name = table.get("block").and_then(|block| block.as_str()).unwrap_or_default();
    let found = block(block_name).ok_or_else(|| format!("configs/{name}.toml: no block `{block_name}`"))?;
    let empty = toml::Table::new();
    let given = table.get("parameters").and_then(|parameters| parameters.as_table()).unwrap_or(&empty);
    let value = |value: &toml::Value| match value {
        toml::Value::Integer(number) => Value::Number((*number).into()),
        toml::Value::Boolean(flag) => Value::Flag(*flag),
        toml::Value::String(name) => Value::Name(name.clone()),
        other => Value::Other(other.to_string()),
    };
    let values = found.resolve(given.iter().map(|(name, v)| (name.as_str(), value(v))));
    let mistakes = |mistakes: Vec<_>| mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    Ok((block_name.to_string(), values.map_err(|m: Vec<hw::catalogue::Mistake>| mistakes(m))?))
}

/// The driver of a block with these parameters, if there is one.
fn driver(name: &str, block: &str, v: &Values) -> Option<Driver> {
    let engine = || hw::catalogue::engine_params(v);
    let style = || if v.choice("style") == "block" { Style::Block } else { Style::Distributed };
    let converter = || (v.number("word_width"), v.number("words"), v.number("ratio"));
    Some(match block {
        "oaken_quantizer" if engine().setting_of_each() => several::quantizer_driver(name, engine()),
        "oaken_quantizer" => oaken::quantizer_driver(engine()),
        "oaken_dequantizer" if engine().setting_of_each() => several::dequantizer_driver(name, engine()),
        "oaken_dequantizer" => dequantizer::dequantizer_driver(engine()),
        "oaken_record_join" => records::record_join_driver(name, engine()),
        "oaken_record_split" => records::record_split_driver(name, engine()),
        "oaken_slice_splitter" => slices::splitter_driver(name, v.number("heads"), slice_params(v)),
        "oaken_slice_framer" => slices::framer_driver(name, framer_params(v)),
        "register_slice" => match v.choice("kind") {
            "forward" => regroup::forward_driver(name, v.number("width")),
            "backward" => regroup::backward_driver(name, v.number("width")),
            _ => parts::register_slice_driver(name, v.number("width")),
        },
        "convert" => regroup::convert_driver(name, v.number("word_width"), v.number("words_in"), v.number("words_out")),
        "pack" => {
            let beats = if v.choice("beats") == "any" { Beats::Any } else { Beats::Full };
            regroup::pack_driver(name, v.number("word_width"), v.number("words_in"), v.number("words_out"), beats)
        }
        "fifo" => parts::fifo_driver(name, v.number("width"), v.number("depth") as usize, style()),
        "fifo_two_clocks" => {
            let (width, depth) = (v.number("width"), v.number("depth") as usize);
            memory::fifo_two_clocks_driver(name, width, depth, style(), v.number("stages"))
        }
        "ram" => {
            let collision = if v.choice("collision") == "old" { Collision::Old } else { Collision::Any };
            let (width, depth, lanes) = (v.number("width"), v.number("depth") as usize, v.number("lanes"));
            memory::ram_driver(name, RamParams { width, depth, lanes, style: style(), collision })
        }
        "axi_read_arbiter" => axi_arbiters::read_driver(name, v.number("masters"), arbiter_axi(v)),
        "axi_write_arbiter" => axi_arbiters::write_driver(name, v.number("masters"), arbiter_axi(v)),
        "oaken_mmu" => oaken_mmu::driver(name, oaken_mmu_params(v)),
        "burst_reader" => bursts::reader_driver(name, mover(v)),
        "burst_writer" => bursts::writer_driver(name, mover(v)),
        "sdram" => sdram::sdram_driver(name, sdram_params(v)),
        "vq_e8p_decoder" => vq::e8p_decoder_driver(name, v.number("lanes")),
        "vq_banked_cache" => vq::banked_cache_driver(name, banked_params(v)),
        "vq_tiered_cache" => vq::tiered_cache_driver(name, tiered_params(v)),
        "vq_codebook_cache" => vq::codebook_cache_driver(name, cache_params(v)),
        "vq_attention_head" => vq_head::head_driver(name, head_params(v)),
        "vq_matrix_vector" => vq_matrix::matrix_vector_driver(name, matrix_params(v)),
        "vq_products" => vq_tables::products_driver(name, table_params(v)),
        "vq_encoder" => vq_tables::encoder_driver(name, encoder_params(v)),
        "vq_values" => vq_tables::values_driver(name, values_params(v)),
        "vq_scores" => vq_tables::scores_driver(name, scores_params(v)),
        "vq_index_unpacker" => vq::index_unpacker_driver(name, unpacker_params(v)),
        "softmax" => softmax::softmax_driver(name, softmax_params(v)),
        "attention_merge_axi" => vq_head::merge_axi_driver(name, merge_axi_params(v)),
        "vq_attention_tiles" => vq_head::tiles_driver(name, tiles_params(v)),
        "attention_merge" => merge::merge_driver(name, merge_params(v)),
        "lad_apid" => lad::apid_driver(name, apid_params(v)),
        "lad_centres" => lad::centres_driver(name, centres_params(v)),
        "lad_md" => lad::md_driver(name, md_params(v)),
        "lad_scores" => lad::scores_driver(name, lad_scores_params(v)),
        "lad_sums" => lad::sums_driver(name, lad_sums_params(v)),
        "h2m2_events" => h2m2_events::event_controller_driver(name, v.number("kernels")),
        "h2m2_migration" => h2m2_migration::migration_driver(name, migration_params(v)),
        "h2m2_mmu" => h2m2_mmu::mmu_driver(name, mmu_params(v)),
        "pulse_synchronizer" => clocks::pulse_synchronizer_driver(name, v.number("stages")),
        "reset_synchronizer" => clocks::reset_synchronizer_driver(name, v.number("stages")),
        "demultiplexer" => routing::demultiplexer_driver(name, v.number("width"), v.number("outputs")),
        "arbiter" => routing::arbiter_driver(name, v.number("width"), v.number("inputs")),
        "packet_arbiter" => routing::packet_arbiter_driver(name, v.number("width"), v.number("inputs")),
        "frame_receiver" => frames::frame_receiver_driver(name),
        "frame_transmitter" => frames::frame_transmitter_driver(name),
        "link" => frames::link_driver(name, v.number("buffer") as usize),
        "oaken_board" => system::board_driver(name, board_params(v)),
        "oaken_cache" => cache::cache_driver(name, oaken_cache_params(v)),
        "oaken_cache_board" => cache::cache_board_driver(name, cache_board_params(v)),
        "oaken_system" => system::system_driver(name, system_params(v)),
        "uart" => uart::uart_driver(name, v.number("clocks_per_bit")),
        "credit_counter" => memory::credit_counter_driver(name, v.number("credits")),
        "widen" => {
            let (word, words, ratio) = converter();
            regroup::widen_driver(name, word, words, ratio)
        }
        "narrow" => {
            let (word, words, ratio) = converter();
            regroup::narrow_driver(name, word, words, ratio)
        }
        _ => return float::driver(name, block, v),
    })
}
