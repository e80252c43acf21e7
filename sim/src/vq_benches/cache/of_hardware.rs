//! The bench of a cache that was built. The tests beside the hardware make their own, as they see another build of it.

use super::CacheBench;
use crate::bus::StreamPorts;
use hdl::Design;
use hw::vq::cache_types::CacheParams;
use hw::vq::codebook_cache::CodebookCachePorts;

impl CacheBench {
    /// The bench of a cache with these parameters and so many places for books.
    pub fn of(design: &Design<CodebookCachePorts>, p: CacheParams, places: usize) -> CacheBench {
        let CodebookCachePorts { load, words, loaded, s, m, fault, .. } = &design.ports;
        let sources = [StreamPorts::of(design, load), StreamPorts::of(design, words), StreamPorts::of(design, s)];
        let sinks = [StreamPorts::of(design, loaded), StreamPorts::of(design, m), StreamPorts::of(design, fault)];
        let [entries, lanes, vector] = [p.entries, p.lanes, p.vector].map(|n| n as usize);
        CacheBench { entries, lanes, vector, places, sources, sinks }
    }
}
