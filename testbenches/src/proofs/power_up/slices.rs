//! What cuts records into slices and makes records of slices.

use super::super::Proof;
use super::super::copies::of;
use super::super::slices::params;
use hdl::Errors;
use hw::oaken::chunk_pieces::{Headers, WalkParams, chunk_pieces};
use hw::oaken::slice_cutter::slice_cutter;
use hw::oaken::{slice_framer, slice_splitter};

pub(super) fn proofs() -> Result<Vec<Proof>, Errors> {
    let walk = |headers| WalkParams { word: 8, chunks: 1, headers, empty_header: 0, count_bits: 2 };
    Ok(vec![
        of("slice_cutter", slice_cutter(1, 2, 2)).proof()?,
        of("chunk_pieces_once", chunk_pieces(walk(Headers::Once))).seldom("").for_cycles(11).proof()?,
        of("chunk_pieces_each", chunk_pieces(walk(Headers::Each))).seldom("").for_cycles(11).proof()?,
        of("slice_splitter", slice_splitter("splitter", 1, params()))
            .without_its_own()
            .seldom("")
            .for_cycles(8)
            .proof()?,
        of("slice_framer", slice_framer("framer", params())).without_its_own().seldom("").for_cycles(8).proof()?,
    ])
}
