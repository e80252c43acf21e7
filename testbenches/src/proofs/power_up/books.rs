//! Codebooks and their indices, and the lists of LAD.

use super::super::Proof;
use super::super::codebooks::SMALL;
use super::super::copies::of;
use hdl::Errors;
use hw::lad::active_list::active_list;
use hw::lad::score_types::ScoresParams;
use hw::lad::scores::scores;
use hw::vq::banked_cache::banked_cache;
use hw::vq::banked_types::BankedParams;
use hw::vq::book_loader::book_loader;
use hw::vq::cache_types::CacheParams;
use hw::vq::codebook_cache::codebook_cache;
use hw::vq::index_unpacker::{UnpackerParams, index_unpacker};
use hw::vq::lane_window::lane_window;
use hw::vq::passing_books::{Around, passing_books};
use hw::vq::reorder_buffer::reorder_buffer;
use hw::vq::running_sums::{SumsParams, running_sums};
use hw::vq::table_types::TableParams;

pub(super) fn proofs() -> Result<Vec<Proof>, Errors> {
    let banked = BankedParams { cache: CacheParams { entries: 4, vector: 1, lanes: 2 }, banks: 2 };
    let table = TableParams { entries: 8, vector: 1, positions: 8, residuals: 1, queries: 1 };
    let around = Around { rows_follow: false, settle: 1 };
    Ok(vec![
        of("index_unpacker", index_unpacker(UnpackerParams { bus_bytes: 4, lanes: 1, index_bits: 8 }))
            .seldom("")
            .for_cycles(10)
            .proof()?,
        of("codebook_cache", codebook_cache(SMALL)).seldom("").for_cycles(11).proof()?,
        of("book_loader", book_loader(SMALL))
            .during("write_index", "write_enable")
            .during("write_entry", "write_enable")
            .during("last_index", "good")
            .seldom("")
            .for_cycles(10)
            .proof()?,
        of("banked_cache", banked_cache(banked)).without_its_own().seldom("").for_cycles(8).proof()?,
        of("lane_window", lane_window(banked)).proof()?,
        of("reorder_buffer", reorder_buffer(1)).leaving_out("oldest").proof()?,
        of("passing_books", passing_books(table, around))
            .during("passing", "passing_comes")
            .seldom("")
            .for_cycles(10)
            .proof()?,
        of("running_sums", running_sums(SumsParams { levels: 1, sums: 1 }))
            .without_its_own()
            .without_payloads()
            .during("y", "done")
            .proof()?,
        of("active_list", active_list(1, 2)).proof()?,
        of("lad_scores", scores(ScoresParams { head: 16, lanes: 4, queries: 2, exact: false }))
            .without_payloads()
            .shown_within(30)
            .proof()?,
    ])
}
