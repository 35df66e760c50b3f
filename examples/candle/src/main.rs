//! Inference with candle, where aclnn computes the scatter_add: which of several sentences is most
//! similar to the first?
//!
//! A sentence is represented by the mean of its words' embeddings. Because sentences have different
//! lengths, all words are embedded together, and scatter_add adds each embedding to its sentence's
//! sum. The sums are compared with candle's own scatter_add.
//!
//! ```sh
//! cd examples/candle
//! cargo run               # on this machine's CPU
//! cargo run -- --load     # on an NPU, with the installed CANN
//! ```

mod scatter_add;
#[cfg(test)]
mod tests;

use aclnn::Runtime;
use candle_core::{D, DType, Device, Error, Result, Tensor};

use crate::scatter_add::ScatterAdd;

/// The first sentence is compared with the others.
const SENTENCES: [&str; 5] = [
    "a cat sleeps on the warm mat",
    "the stock market fell on monday",
    "on the mat the black cat sleeps all day",
    "a storm is coming from the north",
    "the market sells fresh fish on friday and on monday",
];
/// The number of rows of the table of embeddings.
const VOCABULARY: usize = 1 << 12;
/// The length of an embedding.
const WIDTH: usize = 64;

fn main() -> Result<()> {
    let runtime =
        if std::env::args().any(|word| word == "--load") { Runtime::load() } else { Runtime::host() };
    let stream = runtime.and_then(|runtime| runtime.device(0)?.stream()).map_err(Error::wrap)?;
    let scatter_add = ScatterAdd { dim: 0, stream };

    // The words of all sentences in one list, and for each word the number of its sentence.
    let words = SENTENCES
        .iter()
        .zip(0_i64..)
        .flat_map(|(sentence, i)| sentence.split(' ').map(move |word| (word, i)));
    let (tokens, sentences): (Vec<i64>, Vec<i64>) = words.map(|(word, i)| (token(word), i)).unzip();
    let [tokens, sentences] = [Tensor::new(tokens, &Device::Cpu)?, Tensor::new(sentences, &Device::Cpu)?];
    let embedded = embeddings()?.index_select(&tokens, 0)?;

    // All numbers of a word's embedding go to the same sentence, so the index is broadcast. aclnn
    // reads it without a copy.
    let index = sentences.unsqueeze(1)?.broadcast_as(embedded.dims())?;

    let zeros = Tensor::zeros((SENTENCES.len(), WIDTH), DType::F32, &Device::Cpu)?;
    let sums = zeros.apply_op3_no_bwd(&index, &embedded, &scatter_add)?;
    let lengths = Tensor::zeros(SENTENCES.len(), DType::F32, &Device::Cpu)?;
    lengths.inplace_op3(&sentences, &sentences.ones_like()?.to_dtype(DType::F32)?, &scatter_add)?;

    let candles_own = zeros.scatter_add(&index.contiguous()?, &embedded, 0)?;
    assert_eq!(sums.to_vec2::<f32>()?, candles_own.to_vec2::<f32>()?);

    let means = sums.broadcast_div(&lengths.unsqueeze(1)?)?;
    let directions = means.broadcast_div(&means.sqr()?.sum_keepdim(1)?.sqrt()?)?;
    let likeness = directions.matmul(&directions.t()?)?.get(0)?;

    println!("like \"{}\":", SENTENCES[0]);
    for (sentence, likeness) in SENTENCES.iter().zip(likeness.to_vec1::<f32>()?).skip(1) {
        println!("{likeness:5.2}  {sentence}");
    }
    let best = likeness.narrow(0, 1, SENTENCES.len() - 1)?.argmax(D::Minus1)?.to_scalar::<u32>()? + 1;
    assert_eq!(best, 2, "the other sentence about a cat");
    Ok(())
}

/// A word's row in the table: a hash, as in models without a list of words.
fn token(word: &str) -> i64 {
    let hash = word.bytes().fold(0_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    i64::from(hash) % VOCABULARY as i64
}

/// The table of embeddings, which a real model would load: pseudo-random numbers, the same in every
/// run.
fn embeddings() -> Result<Tensor> {
    let mut state = 1_u64;
    let noise = || {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let table: Vec<f32> = core::iter::repeat_with(noise).take(VOCABULARY * WIDTH).collect();
    Tensor::from_vec(table, (VOCABULARY, WIDTH), &Device::Cpu)
}
