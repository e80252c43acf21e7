//! Recordings with queries, by layer and head.

use std::path::Path;

use super::error::LadError;
use crate::data::{Kind, QueryTensor, Recording, read_queries};

/// The queries, keys and values of one layer; a row is a token.
#[derive(Clone, Debug)]
pub struct LayerData {
    /// The layer, from 0.
    pub layer: u32,
    /// Key heads.
    pub key_heads: usize,
    /// Query heads of a key head.
    pub group: usize,
    head: usize,
    queries: Vec<u16>,
    keys: Vec<u16>,
    values: Vec<u16>,
}

impl LayerData {
    /// The query of a query head at a token.
    pub fn query(&self, token: usize, head: usize) -> &[u16] {
        &self.queries[(token * self.key_heads * self.group + head) * self.head..][..self.head]
    }

    /// The key of a key head at a token.
    pub fn key(&self, token: usize, head: usize) -> &[u16] {
        &self.keys[(token * self.key_heads + head) * self.head..][..self.head]
    }

    /// The value.
    pub fn value(&self, token: usize, head: usize) -> &[u16] {
        &self.values[(token * self.key_heads + head) * self.head..][..self.head]
    }
}

/// A recording with queries.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The file's or folder's name.
    pub name: String,
    /// The model, if the recording says so.
    pub model: Option<String>,
    /// Elements of a head.
    pub head: usize,
    /// Tokens that are taken.
    pub tokens: usize,
    /// In ascending order.
    pub layers: Vec<LayerData>,
}

impl Recorded {
    /// Reads a recording with heads of so many elements: of all layers that have queries if none is named, and of all tokens unless there
    /// is a limit.
    pub fn read(path: &Path, head: usize, layers: &[u32], tokens: Option<usize>) -> Result<Recorded, LadError> {
        if !(16..=128).contains(&head) {
            return Err(LadError::HeadSize(head));
        }
        let queries = read_queries(path)?;
        let recording = Recording::read(path)?;
        let present = || queries.iter().map(|q| q.layer.to_string()).collect::<Vec<_>>().join(", ");
        if let Some(&layer) = layers.iter().find(|layer| !queries.iter().any(|q| q.layer == **layer)) {
            return Err(LadError::NoLayer { layer, present: present() });
        }
        let wanted = queries.iter().filter(|q| layers.is_empty() || layers.contains(&q.layer));
        let data = wanted.map(|queries| layer(&recording, queries, head)).collect::<Result<Vec<_>, _>>()?;
        let rows = queries.iter().filter(|q| layers.is_empty() || layers.contains(&q.layer)).map(|q| q.rows);
        let rows = rows.min().unwrap_or(0);
        let tokens = tokens.map_or(rows, |tokens| tokens.min(rows));
        match tokens {
            ..32 => Err(LadError::Few(tokens)),
            65_536.. => Err(LadError::Many(tokens)),
            _ => Ok(Recorded { name: recording.name(), model: recording.model, head, tokens, layers: data }),
        }
    }

    /// The most query heads that a key head has.
    pub fn group(&self) -> usize {
        self.layers.iter().map(|layer| layer.group).max().unwrap_or(1)
    }
}

fn layer(recording: &Recording, queries: &QueryTensor, head: usize) -> Result<LayerData, LadError> {
    let layer = queries.layer;
    let tensor = |kind, missing| recording.tensor(layer, kind).ok_or(LadError::Missing { layer, missing });
    let (keys, values) = (tensor(Kind::Key, "key")?, tensor(Kind::Value, "value")?);
    if keys.rows != queries.rows || values.rows != queries.rows {
        let (queries, keys, values) = (queries.rows, keys.rows, values.rows);
        return Err(LadError::Tokens { layer, queries, keys, values });
    }
    let heads = |what, cols: usize| match cols.is_multiple_of(head) {
        true => Ok(cols / head),
        false => Err(LadError::Heads { layer, what, cols, head }),
    };
    let query_heads = heads("queries", queries.cols)?;
    let (key_heads, value_heads) = (heads("keys", keys.cols)?, heads("values", values.cols)?);
    if key_heads != value_heads {
        return Err(LadError::KeyValueHeads { layer, keys: key_heads, values: value_heads });
    }
    let group = query_heads / key_heads;
    if !query_heads.is_multiple_of(key_heads) || !(1..=8).contains(&group) {
        return Err(LadError::Group { layer, queries: query_heads, keys: key_heads });
    }
    let (queries, keys, values) = (queries.data.clone(), keys.data.clone(), values.data.clone());
    Ok(LayerData { layer, key_heads, group, head, queries, keys, values })
}
