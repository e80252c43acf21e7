use super::*;
use crate::stream::testing::slices::Slice;

#[test]
fn keeps_its_contract() {
    Slice {
        build: register_slice_backward,
        after: register_slice_backward_after,
        latency: 0,
        held: 1,
        paths: &[("s_valid", "m_valid"), ("s_payload", "m_payload")],
    }
    .check();
}
