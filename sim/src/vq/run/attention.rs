//! What the units for keys and values are given: a head's parts, and queries.

use super::error::RunError;
use super::part::HeadPart;
use super::queries::{Queries, Recorded};
use super::request::{Count, Request, USUAL_TOKENS, in_range};
use super::results::{Hardware, Results, Row};
use super::unit::HeadsUnit;
use crate::binary16::from_f64;
use crate::golden::vq::{Books, Scales, Scheme, Tensor, TensorKind, VqFile};
use fastrand::Rng;
use hw::vq::table_types::{LANES, MAX_POSITIONS, MAX_TOKENS};

/// A head of a layer, and what is done with it.
#[derive(Debug)]
pub(super) struct HeadSetup {
    pub(super) unit: HeadsUnit,
    /// Keys, and values where the unit needs some.
    pub(super) parts: Vec<HeadPart>,
    /// Of an encoder there are none.
    pub(super) queries: Queries,
    /// Queries, or new tokens.
    pub(super) count: usize,
    /// New keys and values.
    pub(super) vectors: NewVectors,
    pub(super) layer: u32,
    head: usize,
}

impl HeadSetup {
    pub(super) fn new(
        file: &VqFile,
        unit: HeadsUnit,
        request: &Request,
        recorded: &Recorded,
    ) -> Result<HeadSetup, RunError> {
        let tensors = tensors(file, unit, request.layer)?;
        as_many_keys_as_values(unit, &file.scheme, &tensors)?;
        let (layer, size, rows) = (tensors[0].layer, tensors[0].tile_cols, tensors[0].rows);
        let heads = tensors.iter().map(|t| t.part_count()).min().unwrap_or(0);
        let head = request.head.unwrap_or(0);
        if head >= heads {
            let (legal, plural) = if heads == 1 { ("0".into(), "") } else { (format!("0 to {}", heads - 1), "s") };
            let why = format!("the layer has {heads} key-value head{plural} of {size}");
            return Err(RunError::Range { what: "head", found: head, legal, why });
        }
        tensors.iter().try_for_each(|tensor| suits(unit, &file.scheme, tensor.tile_cols))?;
        one_size(unit, &file.scheme, &tensors)?;
        let tokens = tokens(request, rows)?;
        let part = |tensor: &&Tensor| {
            let part = HeadPart::of(file, tensor, head, tokens);
            part.with_original(tensor, head, &recorded.original)
        };
        let parts = tensors.iter().map(part).collect::<Result<Vec<_>, _>>()?;
        let count = Count::of(request, words(unit, &parts))?;
        let (queries, vectors) = match (unit, &recorded.queries) {
            (HeadsUnit::Encoder, _) => new_tokens(request, count, &parts, tokens)?,
            (_, None) => (Queries::random(request, count, (size, 0.25)), vec![]),
            (_, Some(queries)) => (queries.of_head((layer, head), (size, heads, tokens), count)?, vec![]),
        };
        let count = vectors.first().map_or(queries.numbers.len(), Vec::len);
        Ok(HeadSetup { unit, parts, queries, count, vectors, layer, head })
    }

    /// How often [`HeadSetup::run`] tells that it goes on.
    pub(super) fn steps(&self) -> usize {
        match self.unit {
            HeadsUnit::Attention | HeadsUnit::Scores | HeadsUnit::Values => self.count,
            HeadsUnit::Encoder => self.parts.len() * self.count,
        }
    }

    /// Keys.
    pub(super) fn keys(&self) -> &HeadPart {
        &self.parts[0]
    }

    /// Values; only where the unit needs some.
    pub(super) fn values(&self) -> &HeadPart {
        &self.parts[1]
    }

    pub(super) fn tokens(&self) -> usize {
        self.parts[0].tensor.rows
    }

    pub(super) fn results(&self, hardware: Hardware, results: Vec<Row>) -> Results {
        let HeadSetup { unit, layer, head, count, .. } = self;
        Results {
            unit: (*unit).into(),
            hardware,
            scheme: self.keys().scheme.to_string(),
            subject: format!("layer {layer}, key-value head {head}"),
            rows: self.tokens(),
            count: *count,
            queries_from: self.queries.from.clone(),
            seed: self.queries.seed,
            results,
        }
    }
}

/// The keys of a layer, and the values where the unit needs some.
fn tensors(file: &VqFile, unit: HeadsUnit, layer: Option<u32>) -> Result<Vec<&Tensor>, RunError> {
    let kinds = [(TensorKind::Key, "keys"), (TensorKind::Value, "values")];
    let needed = if unit == HeadsUnit::Scores { &kinds[..1] } else { &kinds };
    let has = |layer: u32, kind| file.tensors.iter().any(|tensor| (tensor.layer, tensor.kind) == (layer, kind));
    let layers = || file.tensors.iter().map(|tensor| tensor.layer);
    let whole = || layers().filter(|layer| needed.iter().all(|(kind, _)| has(*layer, *kind))).min();
    let layer = layer.or_else(whole).or_else(|| layers().min()).unwrap_or(0);
    let find = |&(kind, missing): &(TensorKind, &'static str)| {
        let of_kind = || file.tensors.iter().filter(move |tensor| tensor.kind == kind);
        of_kind().find(|tensor| tensor.layer == layer).ok_or_else(|| {
            let present: Vec<String> = of_kind().map(|tensor| tensor.layer.to_string()).collect();
            let present = if present.is_empty() { "none".into() } else { present.join(", ") };
            RunError::Layer { layer, missing, present }
        })
    };
    needed.iter().map(find).collect()
}

/// How many tokens are taken.
fn tokens(request: &Request, rows: usize) -> Result<usize, RunError> {
    let most = rows.min(MAX_TOKENS as usize);
    let tokens = request.tokens.unwrap_or(most.min(USUAL_TOKENS));
    let why = || match rows > MAX_TOKENS as usize {
        true => format!("the most tokens of the units; the file has {rows}"),
        false => "the tokens of the file".into(),
    };
    in_range("tokens", tokens, most, why)?;
    Ok(tokens)
}

/// Whether the unit does what the file has.
fn suits(unit: HeadsUnit, scheme: &Scheme, size: usize) -> Result<(), RunError> {
    let Scheme { vector, bits, residuals, books, scales, .. } = *scheme;
    let (vectors, all_residuals): (&[usize], &[usize]) = match unit {
        HeadsUnit::Attention => (&[2, 4], &[1]),
        HeadsUnit::Scores => (&[2, 4, 8, 16], &[1, 2, 4]),
        HeadsUnit::Values => (&[1, 2, 4], &[1]),
        HeadsUnit::Encoder => (&[1, 2, 4, 8, 16], &[1]),
    };
    let scaled = matches!(unit, HeadsUnit::Scores | HeadsUnit::Values);
    let (lanes, most) = (LANES as usize, MAX_POSITIONS as usize);
    let positions = size / vector * residuals;
    let list = |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let (what, legal) = match () {
        () if bits != 8 => (format!("indices of {bits} bits"), "8".to_string()),
        () if books != Books::Group => ("books for each tile".into(), "books for each group of columns".into()),
        () if !vectors.contains(&vector) => (format!("vectors of {vector} values"), list(vectors)),
        () if !all_residuals.contains(&residuals) => (format!("{residuals} residuals"), list(all_residuals)),
        () if scales != Scales::None && !scaled => ("scales".into(), "none".into()),
        () if !positions.is_multiple_of(lanes) || positions > most => {
            (format!("{positions} indices of a token"), format!("a multiple of {lanes} up to {most}"))
        }
        () if size < 8 => (format!("heads of {size}"), "8 numbers and more".into()),
        () => return Ok(()),
    };
    Err(RunError::Scheme { scheme: scheme.to_string(), what, unit: unit.into(), legal })
}

/// A token has a key and a value.
fn as_many_keys_as_values(unit: HeadsUnit, scheme: &Scheme, tensors: &[&Tensor]) -> Result<(), RunError> {
    match tensors {
        [keys, values] if keys.rows != values.rows => {
            let what = format!("{} keys and {} values", keys.rows, values.rows);
            let legal = "as many of the one as of the other".into();
            Err(RunError::Scheme { scheme: scheme.to_string(), what, unit: unit.into(), legal })
        }
        _ => Ok(()),
    }
}

/// Keys and values go through one unit: their heads have one size.
fn one_size(unit: HeadsUnit, scheme: &Scheme, tensors: &[&Tensor]) -> Result<(), RunError> {
    let one_design = matches!(unit, HeadsUnit::Attention | HeadsUnit::Encoder);
    match tensors {
        [keys, values] if one_design && keys.tile_cols != values.tile_cols => {
            let what = format!("keys in heads of {} and values in heads of {}", keys.tile_cols, values.tile_cols);
            Err(RunError::Scheme { scheme: scheme.to_string(), what, unit: unit.into(), legal: "one size".into() })
        }
        _ => Ok(()),
    }
}

/// Words that a command reads.
fn words(unit: HeadsUnit, parts: &[HeadPart]) -> usize {
    let all = |part: &HeadPart| part.books().len() + part.rows().len();
    match unit {
        HeadsUnit::Attention | HeadsUnit::Scores => parts.iter().map(all).sum(),
        HeadsUnit::Values => all(&parts[1]),
        HeadsUnit::Encoder => parts.iter().map(|part| part.books().len()).sum(),
    }
}

/// The vectors of new tokens, for each of keys and values.
type NewVectors = Vec<Vec<Vec<u16>>>;

/// The last tokens as new ones: what they were before they were packed, or, without that, what they decode to, moved a little.
fn new_tokens(
    request: &Request,
    count: Count,
    parts: &[HeadPart],
    tokens: usize,
) -> Result<(Queries, NewVectors), RunError> {
    let count = count.among(tokens);
    in_range("count", count, tokens, || format!("of {tokens} tokens the last ones are encoded"))?;
    let recorded = parts[0].original.is_some();
    let mut rng = Rng::with_seed(request.seed);
    let mut moved = |x: &f64| from_f64(x * (0.75 + 0.5 * rng.f64())).to_bits();
    let mut vectors = |part: &HeadPart| match &part.original {
        Some(rows) => rows[tokens - count..].to_vec(),
        None => part.decoded()[tokens - count..].iter().map(|row| row.iter().map(&mut moved).collect()).collect(),
    };
    let vectors = parts.iter().map(&mut vectors).collect();
    let (from, seed) = match recorded {
        true => (format!("the recording's last {count} of {tokens} tokens"), None),
        false => {
            let seed = request.seed;
            let from = format!("what the last {count} of {tokens} tokens decode to, times 0.75 to 1.25, seed {seed}");
            (from, Some(seed))
        }
    };
    Ok((Queries { numbers: vec![], from, seed }, vectors))
}
