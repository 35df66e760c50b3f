//! The distributions of target rows.

use engines::random::Random;
use rand_distr::{Distribution, Zipf, ZipfError};

/// The exponent for natural language: the word of rank r is 1/r as frequent as the first (Zipf's
/// law).
const TOKENS: f64 = 1.0;

/// The exponent of a distribution in which the first of 3125 ranks has 39 % of the samples.
const STEEP: f64 = 1.5;

/// The exponent s for in-degrees of a scale-free graph: the number of nodes of degree k falls with
/// k^-(1 + 1/s), here k^-2.25; social and web graphs have exponents from 2 to 3.
const DEGREES: f64 = 0.8;

/// The experts of a layer, of which each token takes [`CHOSEN`].
const EXPERTS: usize = 8;
const CHOSEN: usize = 2;

/// A stream of `count` tokens from a vocabulary of `vocabulary`. Small numbers are frequent tokens,
/// as in a vocabulary made by merging the most frequent pairs first.
pub(super) fn tokens(random: &mut Random, vocabulary: usize, count: usize) -> Result<Vec<i64>, ZipfError> {
    ranks(random, vocabulary, TOKENS, count)
}

/// A stream of tokens that is dominated by a few.
pub(super) fn steep(random: &mut Random, vocabulary: usize, count: usize) -> Result<Vec<i64>, ZipfError> {
    ranks(random, vocabulary, STEEP, count)
}

/// The token of each row of the experts' outputs. The experts follow one another, each with its
/// tokens in order; every token occurs [`CHOSEN`] times.
pub(super) fn routed(random: &mut Random, tokens: usize) -> Vec<i64> {
    let mut queues = vec![Vec::new(); EXPERTS];
    for token in 0..tokens {
        let mut experts: [usize; EXPERTS] = core::array::from_fn(|expert| expert);
        random.shuffle(&mut experts);
        for expert in &experts[..CHOSEN] {
            queues[*expert].push(token as i64);
        }
    }
    queues.concat()
}

/// The targets of `count` edges among `nodes` nodes, in random order. A node's share falls with a
/// power of its rank; nodes are numbered independently of their ranks.
pub(super) fn edges(random: &mut Random, nodes: usize, count: usize) -> Result<Vec<i64>, ZipfError> {
    let mut numbers: Vec<i64> = (0..nodes as i64).collect();
    random.shuffle(&mut numbers);
    let mut targets = ranks(random, nodes, DEGREES, count)?;
    for target in &mut targets {
        *target = numbers[*target as usize];
    }
    Ok(targets)
}

/// `count` ranks below `end`, where rank r is (r + 1)^-`exponent` times as frequent as rank 0.
fn ranks(random: &mut Random, end: usize, exponent: f64, count: usize) -> Result<Vec<i64>, ZipfError> {
    let distribution = Zipf::new(end as f64, exponent)?;
    Ok((0..count).map(|_| distribution.sample(random.generator()) as i64 - 1).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of updates of each row.
    fn degrees(targets: &[i64], rows: usize) -> Vec<usize> {
        let mut degrees = vec![0; rows];
        for &target in targets {
            degrees[target as usize] += 1;
        }
        degrees
    }

    #[test]
    fn frequent_tokens_have_small_numbers() {
        let degrees = degrees(&tokens(&mut Random::of(1, ""), 1_000, 100_000).unwrap(), 1_000);
        // The first of a thousand ranks has 1 / 7.49 of the samples, the tenth a tenth of that.
        assert!((12_000..15_000).contains(&degrees[0]), "{}", degrees[0]);
        assert!((1_000..1_700).contains(&degrees[9]), "{}", degrees[9]);
    }

    #[test]
    fn every_token_is_combined_twice_expert_by_expert() {
        let targets = routed(&mut Random::of(1, ""), 1_000);
        assert!(degrees(&targets, 1_000).iter().all(|&degree| degree == CHOSEN));
        let starts = targets.windows(2).filter(|pair| pair[0] >= pair[1]).count();
        assert_eq!(starts, EXPERTS - 1);
    }

    #[test]
    fn a_few_nodes_have_most_edges_and_any_number() {
        let degrees = degrees(&edges(&mut Random::of(1, ""), 10_000, 100_000).unwrap(), 10_000);
        let busiest = (0..10_000).max_by_key(|&node| degrees[node]).unwrap();
        assert!(degrees[busiest] > 2_000, "{}", degrees[busiest]);
        assert_ne!(busiest, 0);
        let mut sorted = degrees;
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        assert!(sorted[..1_000].iter().sum::<usize>() > 50_000);
    }

    #[test]
    fn one_row_takes_everything() {
        let mut random = Random::of(1, "");
        assert_eq!(tokens(&mut random, 1, 5).unwrap(), [0; 5]);
        assert_eq!(edges(&mut random, 1, 5).unwrap(), [0; 5]);
        assert_eq!(routed(&mut random, 1), [0; CHOSEN]);
    }
}
