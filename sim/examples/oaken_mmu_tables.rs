//! What the tables of Oaken's MMU need for whole models, and what is lost in the last pages of streams: tables of docs/blocks/oaken_mmu.md; and
//! what fits on a board, of docs/blocks/oaken_cache.md.

fn main() {
    println!("{}", sim::oaken_storage::pages::tables());
    println!("{}", sim::oaken_storage::pages::partly_filled());
    print!("{}", sim::oaken_storage::pages::board());
}
