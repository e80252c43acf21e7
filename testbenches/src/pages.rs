//! The generated parts of the pages in docs/blocks, and the register files in docs/registers.
//!
//! A page is written by hand but for what stands between `<!-- generated: NAME -->` and `<!-- end -->`.

mod refused;

use hdl::Design;
use hw::catalogue::{Block, Value, Values, block};
use hw::control::RegisterMap;
use std::fmt::Write;

const BEGIN: &str = "<!-- generated: ";
const END: &str = "<!-- end -->";

/// A page: the block, and the parameters whose ports it shows; the others have their defaults.
struct Page {
    block: &'static str,
    shown: &'static [(&'static str, i128)],
}

const PAGES: &[Page] = &[
    Page { block: "oaken_quantizer", shown: &[] },
    Page { block: "oaken_dequantizer", shown: &[] },
    Page { block: "oaken_record_join", shown: &[] },
    Page { block: "oaken_record_split", shown: &[] },
    Page { block: "oaken_slice_splitter", shown: &[("bus_bits", 128)] },
    Page { block: "oaken_slice_framer", shown: &[] },
    Page { block: "fifo", shown: &[("width", 32), ("depth", 512)] },
    Page { block: "register_slice", shown: &[("width", 32)] },
    Page { block: "widen", shown: &[("words", 4), ("ratio", 8)] },
    Page { block: "narrow", shown: &[("words", 4), ("ratio", 8)] },
    Page { block: "convert", shown: &[("words_in", 5), ("words_out", 3)] },
    Page { block: "pack", shown: &[("words_in", 8), ("words_out", 8)] },
    Page { block: "demultiplexer", shown: &[("width", 32), ("outputs", 4)] },
    Page { block: "arbiter", shown: &[("width", 32), ("inputs", 4)] },
    Page { block: "packet_arbiter", shown: &[("width", 32), ("inputs", 4)] },
    Page { block: "credit_counter", shown: &[("credits", 16)] },
    Page { block: "ram", shown: &[("width", 32), ("depth", 512), ("lanes", 4)] },
    Page { block: "oaken_mmu", shown: OAKEN_MMU },
    Page { block: "h2m2_mmu", shown: &[] },
    Page { block: "burst_reader", shown: &[] },
    Page { block: "burst_writer", shown: &[] },
    Page { block: "axi_read_arbiter", shown: &[("masters", 2)] },
    Page { block: "axi_write_arbiter", shown: &[("masters", 2)] },
    Page { block: "sdram", shown: &[("clock_hertz", 75_000_000), ("cas_latency", 2)] },
    Page { block: "h2m2_events", shown: &[] },
    Page { block: "h2m2_migration", shown: &[] },
    Page { block: "vq_index_unpacker", shown: &[] },
    Page { block: "vq_codebook_cache", shown: &[("lanes", 2)] },
    Page { block: "vq_banked_cache", shown: &[("lanes", 2)] },
    Page { block: "vq_tiered_cache", shown: &[("lanes", 2)] },
    Page { block: "vq_e8p_decoder", shown: &[] },
    Page { block: "vq_matrix_vector", shown: &[] },
    Page { block: "vq_products", shown: &[] },
    Page { block: "vq_attention_head", shown: &[] },
    Page { block: "vq_attention_tiles", shown: &[] },
    Page { block: "vq_encoder", shown: &[] },
    Page { block: "vq_scores", shown: &[] },
    Page { block: "vq_values", shown: &[] },
    Page { block: "softmax", shown: &[] },
    Page { block: "attention_merge", shown: &[] },
    Page { block: "attention_merge_axi", shown: &[] },
    Page { block: "lad_scores", shown: &[] },
    Page { block: "lad_apid", shown: &[("lanes", 2)] },
    Page { block: "lad_md", shown: &[] },
    Page { block: "lad_sums", shown: &[] },
    Page { block: "lad_centres", shown: &[] },
    Page { block: "fifo_two_clocks", shown: &[("width", 32), ("depth", 16)] },
    Page { block: "pulse_synchronizer", shown: &[] },
    Page { block: "reset_synchronizer", shown: &[] },
    Page { block: "uart", shown: &[("clocks_per_bit", 25)] },
    Page { block: "frame_receiver", shown: &[] },
    Page { block: "frame_transmitter", shown: &[] },
    Page { block: "link", shown: &[] },
    Page { block: "oaken_system", shown: OAKEN_SYSTEM },
    Page { block: "oaken_cache", shown: OAKEN_CACHE },
    Page { block: "oaken_board", shown: ORANGECRAB },
    Page { block: "oaken_cache_board", shown: ULX3S_CACHE },
    Page { block: "float_add", shown: &[("exp", 5), ("frac", 10)] },
    Page { block: "float_multiply", shown: &[("exp", 5), ("frac", 10)] },
    Page { block: "float_multiply_add", shown: &[("exp", 5), ("frac", 10)] },
    Page { block: "float_compare", shown: &[("exp", 5), ("frac", 10)] },
    Page { block: "float_tree", shown: &[("exp", 5), ("frac", 10), ("lanes", 16), ("latency", 16)] },
    Page { block: "float_dot", shown: &[("exp", 5), ("frac", 10), ("lanes", 16), ("latency", 20)] },
    Page { block: "float_divide", shown: &[("exp", 5), ("frac", 10), ("latency", 16)] },
    Page { block: "float_recip", shown: &[("exp", 5), ("frac", 10), ("latency", 14)] },
    Page { block: "float_sqrt", shown: &[("exp", 5), ("frac", 10), ("latency", 13)] },
    Page { block: "float_rsqrt", shown: &[("exp", 5), ("frac", 10), ("segments", 64)] },
    Page { block: "float_exp", shown: &[("exp", 5), ("frac", 10), ("segments", 32)] },
    Page { block: "float_from_integer", shown: &[("exp", 5), ("frac", 10), ("bits", 8)] },
    Page { block: "float_to_integer", shown: &[("exp", 5), ("frac", 10), ("bits", 8)] },
    Page { block: "float_convert", shown: &[("exp", 5), ("frac", 10), ("to_exp", 8), ("to_frac", 7)] },
];

/// The Oaken MMU as its page shows it: the named configuration.
const OAKEN_MMU: &[(&str, i128)] =
    &[("pages", 4096), ("requests", 4), ("layers", 32), ("heads", 4), ("head_elements", 128), ("tokens", 4096)];

/// A system as its page shows it: the named configuration.
const OAKEN_SYSTEM: &[(&str, i128)] =
    &[("lanes", 4), ("max_length", 1024), ("clock_hertz", 48_000_000), ("clocks_per_bit", 16)];

/// A cache as its page shows it: the named configuration.
const OAKEN_CACHE: &[(&str, i128)] = &[
    ("address_bits", 25),
    ("pages", 8192),
    ("requests", 4),
    ("layers", 30),
    ("heads", 3),
    ("head_elements", 64),
    ("tokens", 4096),
    ("clock_hertz", 75_000_000),
    ("clocks_per_bit", 25),
];

/// A board's top as its page shows it: that of the OrangeCrab, but for the polarity of the LEDs.
const ORANGECRAB: &[(&str, i128)] = &[
    ("lanes", 4),
    ("max_length", 1024),
    ("clock_hertz", 72_000_000),
    ("clocks_per_bit", 625),
    ("oscillator_hertz", 48_000_000),
];

/// A board's top with a cache as its page shows it: that of the ULX3S, but for the pin of its radio.
const ULX3S_CACHE: &[(&str, i128)] = &[
    ("requests", 4),
    ("layers", 30),
    ("heads", 3),
    ("head_elements", 64),
    ("tokens", 4096),
    ("clock_hertz", 75_000_000),
    ("clocks_per_bit", 25),
    ("oscillator_hertz", 25_000_000),
    ("leds", 8),
    ("cas_latency", 2),
];

/// Blocks with registers behind AXI4-Lite.
const WITH_REGISTERS: [&str; 8] = [
    "oaken_quantizer",
    "oaken_dequantizer",
    "oaken_mmu",
    "h2m2_mmu",
    "oaken_cache",
    "oaken_system",
    "vq_attention_head",
    "attention_merge_axi",
];

/// Where the Oaken engines stand in the generated SVD files; a system sets its own address.
const SVD_BASE: u64 = 0;

/// All pages: paths below `docs`, and what they become. `old` reads a page as it is.
pub fn pages(old: impl Fn(&str) -> Result<String, String>) -> Result<Vec<(String, String)>, String> {
    let page = |page: &Page| {
        let path = format!("blocks/{}.md", page.block);
        let text =
            fill(&old(&path)?, |part| generated(page, part)).map_err(|problem| format!("docs/{path}: {problem}"))?;
        Ok((path, text))
    };
    PAGES.iter().map(page).collect()
}

/// All register files: paths below `docs`, and contents.
pub fn register_files() -> Vec<(String, String)> {
    let maps = WITH_REGISTERS.map(|name| registers(name).expect("a block with registers"));
    let files = |map: &RegisterMap| {
        let path = |extension| format!("registers/{}.{extension}", map.name);
        [(path("h"), map.c_header()), (path("rs"), map.rust_module()), (path("svd"), map.svd(SVD_BASE))]
    };
    maps.iter().flat_map(files).collect()
}

/// Replaces all generated parts of a page by what `generated` says of their names.
fn fill(page: &str, generated: impl Fn(&str) -> Result<String, String>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let (name, after) = after.split_once(" -->").ok_or("a marker `<!-- generated: ` without ` -->`")?;
        let (_, after) = after.split_once(END).ok_or_else(|| format!("the part `{name}` has no `{END}`"))?;
        let _ = write!(out, "{before}{BEGIN}{name} -->\n\n{}\n{END}", generated(name)?);
        rest = after;
    }
    if out.is_empty() {
        return Err(format!("no part is marked `{BEGIN}NAME -->`"));
    }
    Ok(out + rest)
}

/// One part of a page.
fn generated(page: &Page, part: &str) -> Result<String, String> {
    let block = block(page.block).ok_or_else(|| format!("the catalogue has no block `{}`", page.block))?;
    let given = page.shown.iter().map(|(name, number)| (*name, Value::Number(*number)));
    let values = block.resolve(given).map_err(|mistakes| format!("{mistakes:?}"))?;
    let design = (block.build)(block.name, &values).map_err(|errors| errors.to_string())?;
    match part {
        "summary" => Ok(format!("{}.\n", capital(block.summary))),
        "parameters" => Ok(parameters(block)),
        "refused" => refused::refused(block, page.shown),
        "ports" => Ok(format!("{}\n\n{}", configuration(&values), ports(&design))),
        "timing" => Ok(timing(block, &values, &design)),
        "registers" => {
            registers(block.name).map(|map| map.markdown()).ok_or_else(|| format!("`{}` has no registers", block.name))
        }
        _ => Err(format!("unknown part `{part}`; legal: summary, parameters, refused, ports, timing, registers")),
    }
}

/// The registers of a block as its page shows it; of a system those that are its own.
fn registers(name: &str) -> Option<RegisterMap> {
    let page = PAGES.iter().find(|page| page.block == name)?;
    let given = page.shown.iter().map(|(name, number)| (*name, Value::Number(*number)));
    let block = block(name)?;
    let values = block.resolve(given).ok()?;
    block.registers(name, &values).into_iter().next().map(|window| window.map)
}

fn parameters(block: &Block) -> String {
    let mut text =
        "| parameter | meaning | legal | default | why nothing else |\n| --- | --- | --- | --- | --- |\n".to_string();
    for p in block.parameters {
        let default = p.default.map_or("must be given".into(), |preset| Value::from(preset).to_string());
        let _ = writeln!(text, "| `{}` | {} | {} | {default} | {} |", p.name, p.doc, p.legal_text(), p.why);
    }
    let _ = writeln!(text, "\nIn Rust: `{}`, of the crate `kvforge-hw`.", (block.function)());
    text
}

/// `With a = 1 and b = 2:`.
fn configuration(values: &Values) -> String {
    let values: Vec<String> = values.iter().map(|(name, value)| format!("`{name} = {value}`")).collect();
    match values.split_last() {
        Some((last, [])) => format!("With {last}:"),
        Some((last, rest)) => format!("With {} and {last}:", rest.join(", ")),
        None => "It has no parameters:".into(),
    }
}

fn ports(design: &Design<()>) -> String {
    let mut text = "| port | direction | bits | meaning |\n| --- | --- | --- | --- |\n".to_string();
    for (clock, reset) in design.clocks() {
        let _ = writeln!(text, "| `{clock}` | input | 1 | clock, rising edge |");
        if let Some(reset) = reset {
            let low = format!("reset, active at 1 (`{reset}_n`, active at 0, with `reset = \"...-low\"`)");
            let _ = writeln!(text, "| `{reset}` | input | 1 | {low} |");
        }
    }
    for port in design.port_table() {
        let (direction, doc) = (if port.input { "input" } else { "output" }, port.doc.replace('\n', " "));
        let direction = port.pad.map_or(direction.to_string(), |pad| format!("{direction}, of inout `{pad}`"));
        let _ = writeln!(text, "| `{}` | {direction} | {} | {doc} |", port.name, port.width);
    }
    text
}

fn timing(block: &Block, values: &Values, design: &Design<()>) -> String {
    let paths = design.combinational_paths();
    let paths: Vec<String> = paths.into_iter().map(|(from, to)| format!("`{from}` to `{to}`")).collect();
    let paths = if paths.is_empty() { "none".to_string() } else { paths.join(", ") };
    let (latency, throughput) = ((block.latency)(values), (block.throughput)(values));
    format!("- Latency: {latency}.\n- Throughput: {throughput}.\n- Combinational paths from port to port: {paths}.\n")
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or(String::new(), |first| first.to_uppercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use super::fill;

    fn shout(name: &str) -> Result<String, String> {
        if name == "bad" { Err("unknown part `bad`".into()) } else { Ok(format!("{}\n", name.to_uppercase())) }
    }

    #[test]
    fn generated_parts_are_replaced_and_the_rest_is_kept() {
        let page = "# a\n<!-- generated: x -->\nold\n<!-- end -->\nhand\n<!-- generated: y --><!-- end -->\n";
        let want =
            "# a\n<!-- generated: x -->\n\nX\n\n<!-- end -->\nhand\n<!-- generated: y -->\n\nY\n\n<!-- end -->\n";
        assert_eq!(fill(page, shout).as_deref(), Ok(want));
        assert_eq!(fill(want, shout).as_deref(), Ok(want));
    }

    #[test]
    fn mistakes_of_the_markers_are_named() {
        assert_eq!(fill("hand", shout).unwrap_err(), "no part is marked `<!-- generated: NAME -->`");
        assert_eq!(fill("<!-- generated: x -->", shout).unwrap_err(), "the part `x` has no `<!-- end -->`");
        assert_eq!(fill("<!-- generated: bad --><!-- end -->", shout).unwrap_err(), "unknown part `bad`");
    }
}
