//! The drivers on the plain designs: what they ask for, the designs do.

use hdl::sim::Simulator;
use testbenches::drivers::{Effort, small};

#[test]
fn the_designs_pass_on_the_built_in_simulator() {
    for driver in small(false) {
        let start = std::time::Instant::now();
        let outcome = driver.run(&mut Simulator::new(&driver.design), Effort::from_environment());
        outcome.unwrap_or_else(|error| panic!("{}: {error}", driver.name));
        println!("{} passes in {:.1} s", driver.name, start.elapsed().as_secs_f64());
    }
}
