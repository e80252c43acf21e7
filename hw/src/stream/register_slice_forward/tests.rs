use super::*;
use crate::stream::testing::slices::Slice;

#[test]
fn keeps_its_contract() {
    Slice {
        build: register_slice_forward,
        after: register_slice_forward_after,
        latency: 1,
        held: 1,
        paths: &[("m_ready", "s_ready")],
    }
    .check();
}
