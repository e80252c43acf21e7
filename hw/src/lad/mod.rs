//! LAD attention: decoding that reads only the keys and values whose score left its usual interval (lad.txt, sections III and IV; docs/lad.md).

pub mod active_list;
pub mod aligned_product;
pub mod apid;
pub mod apid_types;
pub mod centre_types;
pub mod centres;
pub mod estimate;
pub mod interval_search;
pub mod md;
pub mod md_types;
pub mod row_count;
pub mod score_types;
pub mod scores;
pub mod sum_types;
pub mod sums;
