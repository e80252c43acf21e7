//! How far Algorithm 1 is from the best of all mappings: the table of docs/h2m2-model.md.

fn main() {
    print!("{}", driver::solver::gap::table());
}
