//! What the tables of Oaken's MMU need for whole models, and what is lost in the last pages of streams.

use fastrand::Rng;

/// A model that is served.
struct Served {
    name: &'static str,
    requests: u64,
    layers: u64,
    heads: u64,
    elements: u64,
}

const LLAMA: Served = Served { name: "Llama2-7B", requests: 64, layers: 32, heads: 32, elements: 128 };
const SMOL: Served = Served { name: "SmolLM2-135M", requests: 64, layers: 30, heads: 3, elements: 64 };

const TOKENS: u64 = 4096;
/// Share of outliers, as in the paper.
const OUTLIERS: f64 = 0.1;

fn bits_for(n: u64) -> u64 {
    u64::from((n.max(2) - 1).ilog2() + 1)
}

impl Served {
    fn dense(&self) -> u64 {
        self.elements / 2
    }
    /// Longest and usual sparse slice.
    fn sparse(&self) -> [f64; 2] {
        let fixed = (8 + self.elements / 64) as f64;
        [fixed + self.elements as f64, fixed + OUTLIERS * self.elements as f64]
    }
    /// Streams of one part.
    fn streams(&self) -> u64 {
        self.requests * self.layers * 2 * self.heads
    }
    /// Pages that streams of all tokens have: with the longest sparse slices, and with usual ones.
    fn pages(&self, page: u64) -> [u64; 2] {
        self.sparse().map(|sparse| {
            let sparse = (sparse * TOKENS as f64).ceil() as u64;
            self.streams() * ((self.dense() * TOKENS).div_ceil(page) + sparse.div_ceil(page))
        })
    }
}

/// The table of tables: chain of pages, also if all elements are outliers, so that slices are the longest; entries of streams and groups; a flat
/// table, which has an entry for each page that may be needed.
pub fn tables() -> String {
    let mut text = "| model | streams | pages | chain MB | chain MB, if all are outliers | streams' entries MB | groups' entries MB \
                    | entries of a flat table | MB, with a free list |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        .to_string();
    for x in [LLAMA, SMOL] {
        let [most, pages] = x.pages(4096);
        let number = bits_for(pages);
        let entry = 2 * number + bits_for(TOKENS * x.sparse()[0] as u64 + 1) + 1;
        let streams = 2 * x.streams();
        let groups = x.requests * x.layers * 2;
        let mb = |bits: u64| bits as f64 / 8e6;
        let [chain, longest] = [pages, most].map(|pages| mb(pages * bits_for(pages)));
        let flat = mb(most * number + pages * number);
        let (of_streams, of_groups) = (mb(2 * entry * streams), mb(groups * 14));
        text += &format!(
            "| {} | {streams} | {pages} | {chain:.2} | {longest:.2} | {of_streams:.2} | {of_groups:.3} | {most} | {flat:.2} |\n",
            x.name
        );
    }
    text
}

/// The table of what is lost with 16 requests, beside half a page for each stream (4 heads of Llama2-7B).
pub fn partly_filled() -> String {
    let mut text =
        "| model | page | requests of 1000 tokens | calculated | of 1 to 4096 tokens | calculated |\n".to_string();
    text += "| --- | ---: | ---: | ---: | ---: | ---: |\n";
    for x in [Served { requests: 16, heads: 4, ..LLAMA }, Served { requests: 16, ..SMOL }] {
        for page in [1024, 4096, 16384, 65536] {
            let [(even, even_half), (uneven, half)] = [true, false].map(|even| lost(&x, page, even));
            let percent = [even, even_half, uneven, half].map(|x| format!("{:.2} %", 100.0 * x));
            text += &format!("| {} | {page} | {} |\n", x.name, percent.join(" | "));
        }
    }
    text
}

/// Share of memory that is lost, and what half a page for each stream would be.
fn lost(x: &Served, page: u64, even: bool) -> (f64, f64) {
    let mut rng = Rng::with_seed(1);
    let (mut used, mut held) = (0u64, 0u64);
    for _ in 0..x.requests {
        let tokens = if even { 1000 } else { rng.u64(1..=TOKENS) };
        for _ in 0..x.layers * 2 * x.heads {
            let sparse: u64 = (0..tokens).map(|_| x.sparse()[1] as u64 - 4 + rng.u64(0..9)).sum();
            for bytes in [sparse, x.dense() * tokens] {
                used += bytes;
                held += bytes.div_ceil(page) * page;
            }
        }
    }
    let calculated = 2.0 * x.streams() as f64 * page as f64 / 2.0;
    ((held - used) as f64 / held as f64, calculated / (used as f64 + calculated))
}

/// Bytes of the memory of a board.
const BOARD: u64 = 32 << 20;
/// Bytes of a page there.
const PAGE: u64 = 4096;

/// The table of tokens of one request that fit into the memory of a board, in pages with usual sparse slices and as plain binary16.
pub fn board() -> String {
    let model = Served { requests: 1, ..SMOL };
    let pages = |tokens: u64| {
        let sparse = (model.sparse()[1] * tokens as f64).ceil() as u64;
        model.streams() * ((model.dense() * tokens).div_ceil(PAGE) + sparse.div_ceil(PAGE))
    };
    let fit = (1..).find(|tokens| pages(*tokens) > BOARD / PAGE).unwrap_or(1) - 1;
    let plain = BOARD / (model.streams() * 2 * model.elements);
    format!(
        "| model | MiB | tokens as Oaken records | pages | tokens as binary16 |\n| --- | ---: | ---: | ---: | ---: |\n| {} | {} | {fit} | {} of {} | {plain} |\n",
        model.name,
        BOARD >> 20,
        pages(fit),
        BOARD / PAGE
    )
}
