//! Parameters that are legal one by one and refused together, for the pages of the blocks: what the catalogue says of an example of each.

use hw::catalogue::{Block, Problem, Value};

/// Settings of an example.
type Example = &'static [(&'static str, i128)];

/// An example of each refusal of a block, beside what its page shows.
const REFUSED: &[(&str, &[Example])] = &[
    ("h2m2_mmu", &[&[("virtual_bits", 48), ("page_bits", 12)], &[("entries", 4096), ("ways", 1), ("page_bits", 30)]]),
    ("h2m2_migration", &[&[("virtual_bits", 48), ("page_bits", 12)]]),
    (
        "oaken_mmu",
        &[
            &[("head_elements", 1024), ("page_bytes", 1024)],
            &[("heads", 64), ("head_elements", 192)],
            &[("pages", 64), ("heads", 64), ("head_elements", 64)],
            &[("pages", 65536), ("page_bytes", 65536), ("address_bits", 30)],
        ],
    ),
    (
        "oaken_cache",
        &[
            &[("head_elements", 2048), ("page_bytes", 1024)],
            &[("heads", 64), ("head_elements", 192)],
            &[("pages", 65536), ("page_bytes", 65536)],
            &[("pages", 4)],
        ],
    ),
    (
        "oaken_cache_board",
        &[
            &[("clock_hertz", 76_000_000)],
            &[("clock_hertz", 150_000_000), ("clocks_per_bit", 50)],
            &[("heads", 64), ("head_elements", 192)],
            &[("head_elements", 2048), ("page_bytes", 1024)],
            &[("row_bits", 11), ("column_bits", 8), ("bank_bits", 1), ("page_bytes", 65536), ("heads", 17)],
        ],
    ),
    ("oaken_slice_splitter", &[&[("heads", 64), ("head_elements", 192)]]),
    (
        "vq_tiered_cache",
        &[
            &[("entries", 256), ("shared", 256)],
            &[("registers", 16), ("shared", 8)],
            &[("vector", 16), ("outstanding", 17)],
            &[("entries", 2048), ("vector", 4), ("address_bits", 13)],
        ],
    ),
    ("burst_reader", &[&[("buffer", 256), ("data_bits", 64)]]),
    ("burst_writer", &[&[("buffer", 256), ("data_bits", 64)]]),
    ("sdram", &[&[("clock_hertz", 143_000_000)], &[("clock_hertz", 10_000_000), ("t_refi", 1000)]]),
];

/// The list of a block: each refusal with its example. An example that is not refused is an error.
pub fn refused(block: &Block, shown: Example) -> Result<String, String> {
    let (_, examples) = REFUSED.iter().find(|(name, _)| *name == block.name).ok_or("no refusals are known of it")?;
    let mut text = "Refused together, though each is legal by itself:\n\n".to_string();
    for example in *examples {
        let given = shown.iter().chain(*example).map(|(name, number)| (*name, Value::Number(*number)));
        let mistakes = block.resolve(given).err().ok_or_else(|| format!("{example:?} is not refused"))?;
        let [mistake] = &mistakes[..] else { return Err(format!("{example:?}: {mistakes:?}")) };
        if !matches!(mistake.problem, Problem::Together(_)) {
            return Err(format!("{example:?}: {mistake} is not about several parameters"));
        }
        let names: Vec<String> = mistake.names.iter().map(|name| format!("`{name}`")).collect();
        let settings: Vec<String> = example.iter().map(|(name, number)| format!("`{name} = {number}`")).collect();
        let (legal, why) = (mistake.legal(), mistake.why());
        text += &format!("- {}: {legal}; {why}. Not {}: {mistake}.\n", listed(&names), listed(&settings));
    }
    Ok(text)
}

/// `a`, `b` and `c`.
fn listed(items: &[String]) -> String {
    match items.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => items.concat(),
    }
}
