//! What the tables of Oaken's MMU need for whole models, and what is lost in the last pages of streams: tables of docs/blocks/oaken_mmu.md.

fn main() {
    println!("{}", sim::oaken_storage::pages::tables());
    print!("{}", sim::oaken_storage::pages::partly_filled());
}
