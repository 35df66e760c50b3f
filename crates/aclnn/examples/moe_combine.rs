//! The combine step of a mixture of experts: the experts' outputs for a token are weighted by its
//! gates, and added to the token.
//!
//! A router sends every token to its best few experts. The experts' outputs are grouped by expert,
//! and have to be added to the tokens that they belong to: a scatter_add of rows, several to each
//! token. It is done in f32 and in bf16, and compared with a plain loop, bit for bit.
//!
//! ```sh
//! cargo run -p aclnn --example moe_combine              # on this machine's CPU
//! cargo run -p aclnn --example moe_combine -- --load    # on an NPU, with the installed CANN
//! ```
#![allow(clippy::print_stdout)]

use aclnn::{Element, Reduce, Result, Runtime, Stream, Tensor, bf16};

const TOKENS: usize = 96;
const HIDDEN: usize = 256;
const EXPERTS: usize = 8;
/// The number of experts to which a token is sent.
const TOP_K: usize = 2;

fn main() -> Result<()> {
    let runtime =
        if std::env::args().any(|word| word == "--load") { Runtime::load() } else { Runtime::host() };
    let stream = runtime?.device(0)?.stream()?;
    let assignments = route();
    println!("{TOKENS} tokens of {HIDDEN}, each to {TOP_K} of {EXPERTS} experts: {} rows", assignments.len());
    check::<f32>(&assignments, |value| value, &stream)?;
    check::<bf16>(&assignments, bf16::from_f32, &stream)?;
    stream.close()
}

/// One token that is sent to one expert.
struct Assignment {
    expert: usize,
    token: usize,
    /// The weight of the expert's output; the gates of a token add up to 1.
    gate: f32,
}

/// Sends every token to its [`TOP_K`] best experts. The assignments are sorted by expert.
fn route() -> Vec<Assignment> {
    let mut assignments = Vec::new();
    for token in 0..TOKENS {
        let mut scores: Vec<(usize, f32)> =
            (0..EXPERTS).map(|expert| (expert, 4.0 * noise(token, expert))).collect();
        scores.sort_by(|a, b| b.1.total_cmp(&a.1));
        scores.truncate(TOP_K);
        let sum: f32 = scores.iter().map(|(_, score)| score.exp()).sum();
        let softmax = |(expert, score): (usize, f32)| Assignment { expert, token, gate: score.exp() / sum };
        assignments.extend(scores.into_iter().map(softmax));
    }
    assignments.sort_by_key(|assignment| assignment.expert);
    assignments
}

/// Combines on the device, and compares with a loop. `round` converts a number to an element.
fn check<T: Element>(assignments: &[Assignment], round: fn(f32) -> T, stream: &Stream) -> Result<()>
where
    f32: From<T>,
{
    // The outputs of earlier layers: the tokens, and an expert's row for each assignment.
    let tokens: Vec<T> = (0..TOKENS * HIDDEN).map(|i| round(noise(i, 17))).collect();
    let expert = |a: &Assignment, i: usize| {
        round((1.0 + a.expert as f32) * f32::from(tokens[a.token * HIDDEN + i]).max(0.0))
    };
    let rows: Vec<T> = assignments.iter().flat_map(|a| (0..HIDDEN).map(move |i| expert(a, i))).collect();
    let gates: Vec<T> = assignments.iter().map(|a| round(a.gate)).collect();
    let owners: Vec<i64> = assignments.iter().map(|a| a.token as i64).collect();

    let combined = combine(
        &Tensor::from_slice(&tokens, [TOKENS, HIDDEN], stream)?,
        Tensor::from_slice(&rows, [rows.len() / HIDDEN, HIDDEN], stream)?,
        &Tensor::from_slice(&gates, [gates.len(), 1], stream)?,
        &Tensor::from_slice(&owners, [owners.len(), 1], stream)?,
        stream,
    )?;

    // The same in a loop: products are rounded to T; sums are accumulated in f32 and rounded once.
    let mut expected: Vec<f32> = tokens.iter().map(|&value| value.into()).collect();
    for (row, (gate, a)) in rows.chunks(HIDDEN).zip(gates.iter().zip(assignments)) {
        for (sum, &value) in expected[a.token * HIDDEN..].iter_mut().zip(row) {
            *sum += f32::from(round(f32::from(value) * f32::from(*gate)));
        }
    }
    let expected: Vec<T> = expected.into_iter().map(round).collect();
    let combined = combined.to_vec(stream)?;
    assert_eq!(combined, expected);
    println!("{}: every bit as in the loop; token 0 is {:?} …", T::DTYPE, &combined[..4]);
    Ok(())
}

/// `tokens[owners[i]] + Σ gates[i] · rows[i]`, for tokens of shape `[TOKENS, HIDDEN]`, rows
/// `[n, HIDDEN]`, gates and owners `[n, 1]`.
fn combine<T: Element>(
    tokens: &Tensor<T>,
    mut rows: Tensor<T>,
    gates: &Tensor<T>,
    owners: &Tensor<i64>,
    stream: &Stream,
) -> Result<Tensor<T>> {
    let shape = [rows.shape()[0], HIDDEN];
    // rows[i][j] *= gates[i]. The gates and both indices are single columns, which are broadcast
    // without using memory.
    let own = Tensor::from_slice(&(0..shape[0] as i64).collect::<Vec<_>>(), [shape[0], 1], stream)?;
    let (own, gates) = (own.view().expand(shape)?, gates.view().expand(shape)?);
    rows.scatter_(0, &own, &gates, Reduce::Mul, stream)?;
    tokens.scatter_add(0, &owners.view().expand(shape)?, &rows, stream)
}

/// A pseudorandom number from -1 to 1, the same in every run.
fn noise(i: usize, j: usize) -> f32 {
    let mixed = (i as u32 ^ (j as u32).rotate_left(16)).wrapping_mul(0x9E37_79B1);
    let mixed = (mixed ^ mixed >> 15).wrapping_mul(0x85EB_CA77);
    (mixed >> 8) as f32 / (1 << 23) as f32 - 1.0
}
