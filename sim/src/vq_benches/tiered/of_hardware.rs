//! The bench of a cache that was built. The tests beside the hardware make their own, as they see another build of it.

use super::TieredBench;
use crate::bus::StreamPorts;
use crate::vq_benches::cache::CacheBench;
use hdl::Design;
use hw::vq::tiered_cache::{TieredCachePorts, TieredParams};

impl TieredBench {
    /// The bench of a cache with these parameters.
    pub fn of(design: &Design<TieredCachePorts>, p: TieredParams) -> TieredBench {
        let TieredCachePorts { load, words, loaded, s, m, fault, .. } = &design.ports;
        let sources = [StreamPorts::of(design, load), StreamPorts::of(design, words), StreamPorts::of(design, s)];
        let sinks = [StreamPorts::of(design, loaded), StreamPorts::of(design, m), StreamPorts::of(design, fault)];
        let [entries, lanes, vector] = [p.cache.entries, p.cache.lanes, p.cache.vector].map(|n| n as usize);
        let cache = CacheBench { entries, lanes, vector, places: 2, sources, sinks };
        TieredBench { cache, shared: p.shared as usize, address_bits: p.address_bits }
    }
}
