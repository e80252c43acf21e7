//! Decode steps of a small model: which bytes of virtual memory each kernel reads and writes, and what must be there.
//!
//! What a kernel computes is a checksum: of its weights, or of a head's whole history, mixed with what came from the sublayer before. So a
//! wrong byte anywhere, also one of an earlier step, makes all that follows wrong.

use super::cores::{Access, Kernel};
use driver::footprint::RequestId;
use driver::layout::{Kind, Layout};
use driver::manager::Manager;
use driver::shape::Sublayer;
use std::collections::BTreeMap;

/// The most bytes that are asked for at once.
const BURST: u64 = 1024;

/// Virtual memory as it must be.
#[derive(Clone, Debug, Default)]
pub struct Golden(BTreeMap<u64, Vec<u8>>);

impl Golden {
    /// The bytes of a page, which are made of its number before anything is written there.
    pub fn page(&self, page: u64, bytes: u64) -> Vec<u8> {
        self.0.get(&page).cloned().unwrap_or_else(|| fresh(page, bytes))
    }
    fn write(&mut self, address: u64, data: &[u8], page_bytes: u64) {
        let page = self.0.entry(address / page_bytes).or_insert_with(|| fresh(address / page_bytes, page_bytes));
        page[(address % page_bytes) as usize..][..data.len()].copy_from_slice(data);
    }
    /// A page is as it was before anything was written there.
    pub fn forget(&mut self, page: u64) {
        self.0.remove(&page);
    }
}

fn fresh(page: u64, bytes: u64) -> Vec<u8> {
    let mut rng = fastrand::Rng::with_seed(page);
    (0..bytes).map(|_| rng.u8(..)).collect()
}

fn mix(state: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(state, |x, byte| (x ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// The model, with what is between its kernels.
pub struct Decode {
    /// What must be in memory.
    pub golden: Golden,
    /// The vector between layers, as a checksum.
    hidden: u64,
    next_slot: usize,
}

impl Decode {
    /// Before the first step.
    pub fn new() -> Decode {
        Decode { golden: Golden::default(), hidden: 1, next_slot: 0 }
    }

    /// The kernels of a step, in an order in which each waits only for those before it. `new` gives for each request the tokens whose keys
    /// and values are written in this step: first, and how many there are behind it.
    pub fn step(&mut self, manager: &Manager, new: &BTreeMap<RequestId, std::ops::Range<u64>>) -> Vec<Kernel> {
        let mut kernels = vec![];
        let mut barrier = 0;
        for layer in 0..manager.layout().shape().layers {
            for sublayer in [Sublayer::QkvLinear, Sublayer::Attention, Sublayer::Fc] {
                let first = kernels.len();
                let before = self.hidden;
                for part in 0..manager.layout().shape().parts(sublayer) {
                    let (phases, sum) = match sublayer {
                        Sublayer::Attention => self.attention(manager, (layer, part, before), new),
                        _ => self.linear(manager.layout(), sublayer, (layer, part, before)),
                    };
                    self.hidden = mix(self.hidden, &sum.to_le_bytes());
                    let slot = self.next_slot;
                    self.next_slot = (slot + 1) % super::system::KERNELS as usize;
                    let side = usize::from(!manager.is_fast(sublayer, part));
                    kernels.push(Kernel { slot, side, after: barrier, phases });
                }
                barrier = kernels[first..].iter().fold(0, |mask, kernel| mask | 1 << kernel.slot);
            }
        }
        kernels
    }

    /// Weights are read.
    fn linear(
        &self,
        layout: &Layout,
        sublayer: Sublayer,
        (layer, part, state): (u64, u64, u64),
    ) -> (Vec<Vec<Access>>, u64) {
        let shape = layout.shape();
        let all = if sublayer == Sublayer::Fc { shape.fc_part_bytes() } else { shape.qkv_part_bytes() };
        let address = layout.weight_address(sublayer, part, layer);
        let reads = self.reads(address, all / shape.layers, layout.page().bytes());
        let sum = reads.iter().fold(state, |sum, access| mix(sum, &access.bytes));
        (vec![reads], sum)
    }

    /// Keys and values of new tokens are written, then the history of all requests is read.
    fn attention(
        &mut self,
        manager: &Manager,
        (layer, head, state): (u64, u64, u64),
        new: &BTreeMap<RequestId, std::ops::Range<u64>>,
    ) -> (Vec<Vec<Access>>, u64) {
        let (layout, page) = (manager.layout(), manager.layout().page().bytes());
        let (mut writes, mut reads, mut sum) = (vec![], vec![], state);
        for (id, tokens) in manager.tracker().requests() {
            let slot = manager.slot(id).expect("a request has a slot");
            for (token, kind) in new[&id].clone().flat_map(|token| [(token, Kind::Key), (token, Kind::Value)]) {
                let mut rng = fastrand::Rng::with_seed(mix(state, &[head as u8, token as u8, kind as u8, id as u8]));
                let bytes: Vec<u8> = (0..layout.shape().head).map(|_| rng.u8(..)).collect();
                let address = layout.kv_address(slot, head, token, layer, kind);
                self.golden.write(address, &bytes, page);
                writes.push(Access { address, bytes, write: true });
            }
            for kind in [Kind::Key, Kind::Value] {
                for first in (0..tokens).step_by(layout.page_tokens() as usize) {
                    let count = layout.page_tokens().min(tokens - first);
                    let address = layout.kv_address(slot, head, first, layer, kind);
                    reads.extend(self.reads(address, count * layout.shape().head, page));
                }
            }
        }
        sum = reads.iter().fold(sum, |sum, access| mix(sum, &access.bytes));
        let phases = [writes, reads].into_iter().filter(|phase| !phase.is_empty()).collect();
        (phases, sum)
    }

    /// Bursts that read some bytes; none crosses the end of a page.
    fn reads(&self, address: u64, bytes: u64, page: u64) -> Vec<Access> {
        let (mut at, mut list) = (address, vec![]);
        while at < address + bytes {
            let end = (address + bytes).min(at + BURST).min((at / page + 1) * page);
            let found = self.golden.page(at / page, page)[(at % page) as usize..][..(end - at) as usize].to_vec();
            list.push(Access { address: at, bytes: found, write: false });
            at = end;
        }
        list
    }
}
