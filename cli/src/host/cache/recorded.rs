//! What of a recording a cache keeps: its tensors, and the settings that the board has for them.

use crate::args::CacheAppendOptions;
use crate::host::files::profile_of;
use crate::host::halves::Setting;
use crate::profile::problem;
use crate::report::{Failure, Problem};
use fpga::link::cache::{CacheInfo, Group};
use sim::data::{Kind, KvTensor, Recording};
use sim::golden::oaken::DenseBits;

/// A tensor of a recording, and how its vectors are quantized.
pub struct Part<'r> {
    pub tensor: &'r KvTensor,
    pub setting: Setting,
    /// Its setting's number on the board.
    pub number: u8,
    layer: u8,
}

impl Part<'_> {
    pub fn group(&self, request: u8) -> Group {
        Group { request, layer: self.layer, value: self.tensor.kind == Kind::Value }
    }
}

/// What goes to a board.
pub struct Recorded<'r> {
    pub parts: Vec<Part<'r>>,
    /// All settings of the profile that the board has room for: numbers, and bits of the thresholds.
    pub settings: Vec<(u8, [u16; 4])>,
    /// How many tokens.
    pub tokens: usize,
}

/// The tensors of a recording with their settings.
pub fn recorded<'r>(
    options: &CacheAppendOptions,
    recording: &'r Recording,
    info: CacheInfo,
) -> Result<Recorded<'r>, Failure> {
    let bits = DenseBits::new(info.dense_bits).map_err(|error| Failure::Internal(error.to_string()))?;
    let profile = profile_of(recording, options.thresholds.as_deref(), bits)?;
    let mut parts = vec![];
    for tensor in &recording.tensors {
        let (layer, number) = numbers(tensor, info).map_err(|why| {
            Problem::new(format!("{}: {why}", options.file.display())).help("`cache info` shows what the board has")
        })?;
        let thresholds = profile.layer(tensor.layer, tensor.kind).map_err(problem)?.thresholds;
        let setting = Setting { length: tensor.cols, bits, thresholds };
        parts.push(Part { tensor, layer, number, setting });
    }
    let of_board = profile.layers.iter().filter(|layer| setting_of(layer.layer, layer.kind) < info.settings);
    let settings = of_board.map(|layer| (setting_of(layer.layer, layer.kind) as u8, layer.thresholds.bits()));
    let settings = settings.collect();
    Ok(Recorded { parts, settings, tokens: tokens(options, recording, info)? })
}

/// How many tokens are appended: all of the recording, or as many as are asked for.
fn tokens(options: &CacheAppendOptions, recording: &Recording, info: CacheInfo) -> Result<usize, Problem> {
    let file = options.file.display();
    let of = |tensor: &KvTensor| format!("the {}s of layer {} have {} tokens", tensor.kind, tensor.layer, tensor.rows);
    let all = || recording.tensors.iter();
    let (Some(least), Some(most)) = (all().min_by_key(|t| t.rows), all().max_by_key(|t| t.rows)) else { return Ok(0) };
    let tokens = match options.tokens {
        Some(tokens) if tokens as usize > least.rows => {
            let problem = Problem::new(format!("--tokens {tokens}: {}", of(least)));
            return Err(problem.help(format!("legal: up to {}", least.rows)));
        }
        Some(tokens) => tokens as usize,
        None if least.rows < most.rows => {
            let problem = Problem::new(format!("{file}: {}, and {}", of(most), of(least)));
            return Err(problem.help(format!("`--tokens {}` takes those that all have", least.rows)));
        }
        None => least.rows,
    };
    if tokens > info.tokens as usize {
        let problem =
            Problem::new(format!("{file}: {tokens} tokens, and a request of the board has up to {}", info.tokens));
        return Err(problem.help(format!("`--tokens {}` takes the first ones", info.tokens)));
    }
    Ok(tokens)
}

/// Keys have the setting of twice their layer, values the one behind it.
pub fn setting_of(layer: u32, kind: Kind) -> u32 {
    2 * layer + u32::from(kind == Kind::Value)
}

/// The layer and the setting that a tensor has on the board.
fn numbers(tensor: &KvTensor, info: CacheInfo) -> Result<(u8, u8), String> {
    let (layer, kind) = (tensor.layer, tensor.kind);
    let elements = (info.heads * info.head_elements) as usize;
    if tensor.cols != elements {
        return Err(format!(
            "the {kind}s of layer {layer} have {} elements, and those of the board {elements}",
            tensor.cols
        ));
    }
    if layer >= info.layers {
        return Err(format!("layer {layer} is none of the board's: legal are 0 to {}", info.layers - 1));
    }
    let setting = setting_of(layer, kind);
    if setting >= info.settings {
        let layers = info.settings / 2;
        return Err(format!(
            "the board has {} settings, two for each of {layers} layers, and this is layer {layer}",
            info.settings
        ));
    }
    Ok((layer as u8, setting as u8))
}
