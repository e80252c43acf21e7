//! What is asked past the ends of a layout is refused: it would be the address of something else.

use super::*;

/// 3 layers, 2 heads of keys and values and 4 query heads; 2 slots of 170 tokens; 18 pages.
fn layout() -> Layout {
    let shape =
        Shape { layers: 3, hidden: 32, head: 8, heads: 4, kv_heads: 2, feed_forward: 64, feed_forward_matrices: 3 };
    let layout = Layout::new(shape, PageSize::new(4096).unwrap(), 3, 2, 100).unwrap();
    assert_eq!((layout.pages(), layout.max_tokens(), layout.slots()), (18, 170, 2));
    layout
}

/// What it panics with.
fn message<T>(ask: impl Fn(&Layout) -> T) -> String {
    let asked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| ask(&layout())));
    *asked.err().expect("it should panic").downcast::<String>().expect("a message")
}

#[test]
fn keys_and_values_past_an_end_are_refused() {
    let kv = |slot, head, token, layer| message(move |l| l.kv_address(slot, head, token, layer, Kind::Key));
    assert_eq!(kv(0, 0, 170, 0), "token = 170 is out of range; legal is 0 to 169");
    assert_eq!(kv(0, 2, 0, 0), "head = 2 is out of range; legal is 0 to 1");
    assert_eq!(kv(2, 0, 0, 0), "slot = 2 is out of range; legal is 0 to 1");
    assert_eq!(kv(0, 0, 0, 3), "layer = 3 is out of range; legal is 0 to 2");
    assert_eq!(kv(u64::MAX, 0, 0, 0), "slot = 18446744073709551615 is out of range; legal is 0 to 1");
    let pages = |slot, head, tokens| message(move |l| l.kv_pages(slot, head, tokens).count());
    assert_eq!(pages(0, 0, 1000), "tokens = 1000 is out of range; legal is 0 to 170");
    assert_eq!(pages(2, 0, 1), "slot = 2 is out of range; legal is 0 to 1");
    assert_eq!(pages(0, 2, 1), "head = 2 is out of range; legal is 0 to 1");
}

#[test]
fn weights_past_an_end_are_refused() {
    let pages = |sublayer, part| message(move |l| l.weight_pages(sublayer, part));
    assert_eq!(pages(Sublayer::QkvLinear, 2), "part = 2 is out of range; legal is 0 to 1");
    assert_eq!(pages(Sublayer::Fc, 4), "part = 4 is out of range; legal is 0 to 3");
    let address = |sublayer, part, layer| message(move |l| l.weight_address(sublayer, part, layer));
    assert_eq!(address(Sublayer::Fc, 4, 0), "part = 4 is out of range; legal is 0 to 3");
    assert_eq!(address(Sublayer::QkvLinear, 0, 3), "layer = 3 is out of range; legal is 0 to 2");
}

#[test]
#[should_panic(expected = "attention has no weights; legal are qkv-linear and fc")]
fn attention_has_no_weights() {
    layout().weight_address(Sublayer::Attention, 1, 1);
}

#[test]
fn the_last_of_everything_is_there() {
    let layout = layout();
    assert_eq!(layout.kv_pages(1, 1, 170).last(), Some(17));
    assert_eq!(layout.kv_address(1, 1, 169, 2, Kind::Value) / 4096, 17);
    assert_eq!(layout.weight_pages(Sublayer::Fc, 3), 8..10);
    assert_eq!(layout.weight_pages(Sublayer::Attention, 1), 0..0);
    assert_eq!(layout.weight_address(Sublayer::QkvLinear, 1, 2), 4096 + 2 * 1024);
}

#[test]
fn pages_are_shared_by_one_layer_up_to_all() {
    let shape = *layout().shape();
    for (layers, found) in [(0, 0), (4, 4)] {
        assert_eq!(
            message(move |l| page_tokens(&shape, l.page(), layers)),
            format!("page_layers = {found} is out of range; legal is 1 to the 3 layers of the decoder")
        );
    }
}
