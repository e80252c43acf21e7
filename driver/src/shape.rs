//! Decoders: their dimensions (section 2.1), and the parts that a mapping splits them into.

use thiserror::Error;

/// The sublayers of a decoder layer, in the order in which Algorithm 1 maps them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sublayer {
    /// Keys and values of the requests; grows with each token.
    Attention = 0,
    /// The weights of query, key and value.
    QkvLinear = 1,
    /// The weights of projection and feed-forward network.
    Fc = 2,
}

impl Sublayer {
    /// All of them, in the order of Algorithm 1.
    pub const ALL: [Sublayer; 3] = [Sublayer::Attention, Sublayer::QkvLinear, Sublayer::Fc];

    /// Its name in the paper.
    pub fn name(self) -> &'static str {
        ["attention", "qkv-linear", "fc"][self as usize]
    }
}

/// The dimensions of a decoder with elements of 1 byte (INT8, section 5.1).
///
/// It is mapped in *parts* that share no bytes. A part of attention or qkv-linear is a key-value head with the query heads that share it
/// (without grouped-query attention: a head). A part of fc is one of `heads` equal shares of the columns of its matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Decoder layers.
    pub layers: u64,
    /// D, elements of the vector between layers.
    pub hidden: u64,
    /// H, elements of a head.
    pub head: u64,
    /// N, query heads.
    pub heads: u64,
    /// Heads of keys and values: `heads`, or fewer with grouped-query attention.
    pub kv_heads: u64,
    /// O, elements between the matrices of the feed-forward network.
    pub feed_forward: u64,
    /// Matrices of the feed-forward network: 2, or 3 where a third one gates.
    pub feed_forward_matrices: u64,
}

/// Most bytes of all weights: physical addresses reach no further, and the driver's sums of 64 bits hold what follows from it.
pub const MAX_WEIGHT_BYTES: u64 = 1 << 48;

/// The dimensions do not go together.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ShapeError(String);

/// GPT3-175B.
pub const GPT3_175B: Shape = Shape {
    layers: 96,
    hidden: 12288,
    head: 128,
    heads: 96,
    kv_heads: 96,
    feed_forward: 49152,
    feed_forward_matrices: 2,
};

/// Chinchilla-70B.
pub const CHINCHILLA_70B: Shape = Shape {
    layers: 80,
    hidden: 8192,
    head: 128,
    heads: 64,
    kv_heads: 64,
    feed_forward: 32768,
    feed_forward_matrices: 2,
};

/// Llama2-70B: 8 query heads share keys and values, and the feed-forward network is gated.
pub const LLAMA2_70B: Shape = Shape {
    layers: 80,
    hidden: 8192,
    head: 128,
    heads: 64,
    kv_heads: 8,
    feed_forward: 28672,
    feed_forward_matrices: 3,
};

impl Shape {
    /// Checks that the decoder splits into its parts, that no dimension is above 2^20, and that the weights have [`MAX_WEIGHT_BYTES`] at
    /// most. The other functions are for decoders of which this holds.
    pub fn check(&self) -> Result<(), ShapeError> {
        let fields = [
            ("layers", self.layers),
            ("hidden", self.hidden),
            ("head", self.head),
            ("heads", self.heads),
            ("kv_heads", self.kv_heads),
            ("feed_forward", self.feed_forward),
        ];
        if let Some((name, value)) = fields.iter().find(|(_, value)| !(1..=1 << 20).contains(value)) {
            return Err(ShapeError(format!("{name} = {value} is out of range; legal is 1 to 1048576")));
        }
        if ![2, 3].contains(&self.feed_forward_matrices) {
            let found = self.feed_forward_matrices;
            return Err(ShapeError(format!("feed_forward_matrices = {found} is out of range; legal is 2 or 3")));
        }
        let divides = |name: &str, value: u64, by: &str, divisor: u64| match value % divisor {
            0 => Ok(()),
            _ => Err(ShapeError(format!("{name} = {value} is not a multiple of {by} = {divisor}"))),
        };
        divides("heads", self.heads, "kv_heads", self.kv_heads)?;
        divides("hidden", self.hidden, "heads", self.heads)?;
        divides("feed_forward", self.feed_forward, "heads", self.heads)?;
        // weight_bytes(), in which nothing overflows then
        let columns = 2 * (self.heads + self.kv_heads) * self.head + self.feed_forward_matrices * self.feed_forward;
        let weights = u128::from(self.layers * self.hidden) * u128::from(columns);
        if weights > MAX_WEIGHT_BYTES.into() {
            let most = "legal are at most 281474976710656 (2^48), as far as physical addresses reach";
            return Err(ShapeError(format!("the weights take {weights} bytes; {most}")));
        }
        Ok(())
    }
    /// Query heads that share a head of keys and values.
    pub fn group(&self) -> u64 {
        self.heads / self.kv_heads
    }
    /// Parts that a sublayer is mapped in.
    pub fn parts(&self, sublayer: Sublayer) -> u64 {
        if sublayer == Sublayer::Fc { self.heads } else { self.kv_heads }
    }
    /// Bytes that a token's key and value of a head take in all layers.
    pub fn token_bytes(&self) -> u64 {
        2 * self.head * self.layers
    }
    /// Bytes of the weights of one part of qkv-linear in all layers.
    pub fn qkv_part_bytes(&self) -> u64 {
        (self.group() + 2) * self.head * self.hidden * self.layers
    }
    /// Bytes of the weights of one part of fc in all layers.
    pub fn fc_part_bytes(&self) -> u64 {
        let projection = self.heads * self.head * (self.hidden / self.heads);
        let feed_forward = self.feed_forward_matrices * self.hidden * (self.feed_forward / self.heads);
        (projection + feed_forward) * self.layers
    }
    /// Bytes of all weights.
    pub fn weight_bytes(&self) -> u64 {
        self.qkv_part_bytes() * self.kv_heads + self.fc_part_bytes() * self.heads
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_models_have_the_weights_that_their_names_say() {
        // without embeddings, which are no decoder layers
        assert_eq!(GPT3_175B.weight_bytes(), 12 * 12288 * 12288 * 96);
        assert_eq!(CHINCHILLA_70B.weight_bytes(), 12 * 8192 * 8192 * 80);
        let llama = 80 * (8192 * (8192 + 2 * 1024) + 8192 * 8192 + 3 * 8192 * 28672);
        assert_eq!(LLAMA2_70B.weight_bytes(), llama);
        for shape in [GPT3_175B, CHINCHILLA_70B, LLAMA2_70B] {
            assert_eq!(shape.check(), Ok(()));
        }
        assert_eq!(
            (LLAMA2_70B.group(), LLAMA2_70B.parts(Sublayer::Attention), LLAMA2_70B.parts(Sublayer::Fc)),
            (8, 8, 64)
        );
    }

    #[test]
    fn what_does_not_split_is_told() {
        let message = |shape: Shape| shape.check().unwrap_err().to_string();
        let shape = GPT3_175B;
        assert_eq!(message(Shape { layers: 0, ..shape }), "layers = 0 is out of range; legal is 1 to 1048576");
        assert_eq!(message(Shape { kv_heads: 36, ..shape }), "heads = 96 is not a multiple of kv_heads = 36");
        assert_eq!(message(Shape { hidden: 12289, ..shape }), "hidden = 12289 is not a multiple of heads = 96");
        assert_eq!(message(Shape { feed_forward: 100, ..shape }), "feed_forward = 100 is not a multiple of heads = 96");
        let matrices = "feed_forward_matrices = 4 is out of range; legal is 2 or 3";
        assert_eq!(message(Shape { feed_forward_matrices: 4, ..shape }), matrices);
    }

    #[test]
    fn weights_beyond_all_addresses_are_told() {
        let most = 1 << 20;
        let huge = Shape {
            layers: most,
            hidden: most,
            head: most,
            heads: most,
            kv_heads: 1,
            feed_forward: most,
            feed_forward_matrices: 3,
        };
        let weights = (1_u128 << 40) * (2 * ((1 << 20) + 1) * (1 << 20) + 3 * (1 << 20));
        let message = format!(
            "the weights take {weights} bytes; legal are at most 281474976710656 (2^48), as far as physical addresses reach"
        );
        assert_eq!(huge.check().unwrap_err().to_string(), message);
        // 2^20 rows of 8 * 2^18 + 2 * 2^20 columns: 2^42 bytes a layer
        let full = Shape { layers: 64, head: 1 << 18, heads: 2, kv_heads: 2, feed_forward_matrices: 2, ..huge };
        assert_eq!((full.check(), full.weight_bytes()), (Ok(()), MAX_WEIGHT_BYTES));
        assert!(Shape { layers: 65, ..full }.check().is_err());
    }
}
