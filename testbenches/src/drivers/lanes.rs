//! Streams side by side as streams of their own: an engine whose ports are lanes of the ports of another.

use hdl::engine::{Engine, PortInfo, PowerUp, big_from_limbs, check_poke};
use hdl::{BigUint, Design, Failure, Property, Signal};

/// Which lane of which port each port stands for.
#[derive(Clone)]
pub struct Lanes {
    ports: Vec<PortInfo>,
    /// The port that it is a lane of, and the lowest bit there.
    places: Vec<(usize, u32)>,
}

impl Lanes {
    /// The ports of a design; those listed are cut into `count` equal lanes.
    ///
    /// # Panics
    /// If a port has not so many lanes.
    pub fn of<P>(design: &Design<P>, cut: &[Signal], count: u32) -> Lanes {
        let cut: Vec<_> = cut.iter().map(|signal| design.port_index(*signal)).collect();
        let (mut ports, mut places) = (vec![], vec![]);
        for (port, info) in design.port_list().into_iter().enumerate() {
            let count = if cut.contains(&Some(port)) { count } else { 1 };
            assert!(info.width.is_multiple_of(count), "`{}` has no {count} equal lanes", info.name);
            let width = info.width / count;
            for lane in 0..count {
                let name = if count == 1 { info.name.clone() } else { format!("{}[{lane}]", info.name) };
                ports.push(PortInfo::new(name, width, info.input));
                places.push((port, lane * width));
            }
        }
        Lanes { ports, places }
    }

    /// Lane `lane` of a port of the design; of one that is not cut, lane 0 is all of it.
    pub fn port<P>(&self, design: &Design<P>, signal: Signal, lane: usize) -> usize {
        self.whole(design.port_index(signal).expect("a port of the design")) + lane
    }

    /// The first lane of a port of the design, or all of it.
    pub fn whole(&self, port: usize) -> usize {
        self.places.iter().position(|place| place.0 == port).expect("every port has a lane")
    }

    /// Bits of a lane.
    pub fn width(&self, port: usize) -> u32 {
        self.ports[port].width
    }

    /// An engine of the design, by these ports.
    pub fn on<'e>(&'e self, engine: &'e mut dyn Engine) -> InLanes<'e> {
        let inputs = (0..engine.ports().len()).map(|port| engine.peek_big(port)).collect();
        InLanes { lanes: self, engine, inputs }
    }
}

/// An engine by the lanes of its ports.
pub struct InLanes<'e> {
    lanes: &'e Lanes,
    engine: &'e mut dyn Engine,
    /// What stands at each whole input.
    inputs: Vec<BigUint>,
}

fn ones(width: u32) -> BigUint {
    (BigUint::from(1u32) << width) - 1u32
}

impl Engine for InLanes<'_> {
    fn ports(&self) -> &[PortInfo] {
        &self.lanes.ports
    }
    fn poke_u64(&mut self, port: usize, value: u64) {
        self.poke_wide(port, &[value]);
    }
    fn peek_u64(&mut self, port: usize) -> u64 {
        let mut limbs = [0];
        self.peek_wide(port, &mut limbs);
        limbs[0]
    }
    fn poke_wide(&mut self, port: usize, limbs: &[u64]) {
        let info = &self.lanes.ports[port];
        check_poke(info, limbs);
        let (whole, low) = self.lanes.places[port];
        let (mask, value) = (ones(info.width) << low, big_from_limbs(limbs) << low);
        let before = &self.inputs[whole];
        self.inputs[whole] = (before | &mask) ^ mask | value;
        self.engine.poke_big(whole, &self.inputs[whole]);
    }
    fn peek_wide(&mut self, port: usize, limbs: &mut [u64]) {
        let (whole, low) = self.lanes.places[port];
        let value = (self.engine.peek_big(whole) >> low) & ones(self.lanes.ports[port].width);
        limbs.fill(0);
        value.iter_u64_digits().zip(limbs).for_each(|(digit, limb)| *limb = digit);
    }
    fn set_reset(&mut self, domain: usize, active: bool) {
        self.engine.set_reset(domain, active);
    }
    fn clocks(&self) -> &[String] {
        self.engine.clocks()
    }
    fn edge(&mut self, clocks: u64) {
        self.engine.edge(clocks);
    }
    fn failures(&self) -> &[Failure] {
        self.engine.failures()
    }
    fn covers(&self) -> Vec<(&Property, &str, u64)> {
        self.engine.covers()
    }
    fn choose(&mut self, name: &str, value: BigUint) {
        self.engine.choose(name, value);
    }
    fn keep_failures(&mut self, keep: bool) {
        self.engine.keep_failures(keep);
    }
    fn power_up(&mut self, contents: PowerUp) {
        self.inputs.iter_mut().for_each(|input| *input = BigUint::default());
        self.engine.power_up(contents);
    }
    fn cycles(&self) -> u64 {
        self.engine.cycles()
    }
}
