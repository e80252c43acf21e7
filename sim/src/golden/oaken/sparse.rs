//! The sparse part behind its header: where its chunks stand, and what their entries say (section 3).

use std::ops::Range;

use super::error::FormatError;
use super::number::Side;
use super::{CHUNK, Group, HEADER_BYTES};

/// What an entry byte says of its element.
#[derive(Clone, Copy)]
pub(super) struct Outlier {
    pub group: Group,
    pub side: Side,
}

/// Walks over the counts: for every chunk the place of its entries. The count byte stands before them.
pub(super) fn entry_places(sparse: &[u8], n: usize) -> Result<Vec<Range<usize>>, FormatError> {
    let chunks = n / CHUNK;
    let mut places = Vec::with_capacity(chunks);
    let mut offset = HEADER_BYTES;
    for chunk in 0..chunks {
        let Some(&count) = sparse.get(offset) else {
            return Err(FormatError::CountMissing { offset, chunk, chunks });
        };
        if usize::from(count) > CHUNK {
            return Err(FormatError::Count { offset, chunk, found: count });
        }
        let (first, count) = (offset + 1, usize::from(count));
        if sparse.len() < first + count {
            return Err(FormatError::EntriesCutShort { offset, chunk, count, found: sparse.len() - first });
        }
        places.push(first..first + count);
        offset = first + count;
    }
    match sparse.len() - offset {
        0 => Ok(places),
        extra => Err(FormatError::TrailingBytes { offset, extra }),
    }
}

/// Reads count and entry bytes: for every element its outlier, if it is one.
pub(super) fn read_entries(sparse: &[u8], n: usize) -> Result<Vec<Option<Outlier>>, FormatError> {
    let mut outliers = vec![None; n];
    for (chunk, place) in entry_places(sparse, n)?.into_iter().enumerate() {
        let mut previous = None;
        for offset in place {
            let entry = sparse[offset];
            let position = entry & 63;
            if let Some(previous) = previous.filter(|&previous| previous >= position) {
                return Err(FormatError::EntryOrder { offset, chunk, found: position, previous });
            }
            previous = Some(position);
            let group = if entry >> 6 & 1 == 1 { Group::Outer } else { Group::Inner };
            let side = if entry >> 7 == 1 { Side::Negative } else { Side::Positive };
            outliers[chunk * CHUNK + usize::from(position)] = Some(Outlier { group, side });
        }
    }
    Ok(outliers)
}
