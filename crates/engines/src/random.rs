//! Random data that is the same on every machine and in every version. The generator is ChaCha8,
//! keyed by the seed and a name, such as that of a case, so that one case can be replayed without
//! the others. The distributions are written here, because those of other crates may change.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// FNV-1a, 64 bits.
pub fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// The stream of a name under a seed. It depends on nothing else.
    pub fn of(seed: u64, name: &str) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&fnv1a(name).to_le_bytes());
        Self(ChaCha8Rng::from_seed(key))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// 64 random bits for several choices.
    pub fn draw(&mut self) -> Draw {
        Draw(self.bits())
    }

    /// Fills memory with random bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }

    /// A number below `end`, which must not be 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.draw().below(end)
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below((high - low + 1) as u64) as usize
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of `choices`, which must not be empty.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// A number in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        self.draw().unit()
    }

    /// Puts `items` in a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.between(0, last));
        }
    }

    /// The generator itself, for distributions of other crates. Only for benchmarks: such values
    /// may change between versions.
    pub fn generator(&mut self) -> &mut ChaCha8Rng {
        &mut self.0
    }
}

/// 64 random bits, which several choices share: one below `end` uses up log2(`end`) of them. While
/// the product of all `end`s is far below 2^64, the choices are as good as independent, and take
/// less time than draws of their own.
#[derive(Debug)]
pub struct Draw(u64);

impl Draw {
    /// A number below `end`, which must not be 0.
    pub fn below(&mut self, end: u64) -> u64 {
        let product = u128::from(self.0) * u128::from(end);
        self.0 = product as u64;
        (product >> 64) as u64
    }

    /// A number in `[0, 1)`, of the bits that are left.
    pub fn unit(self) -> f64 {
        (self.0 >> 11) as f64 * const { 1.0 / (1_u64 << 53) as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_of_a_name_never_changes() {
        assert_eq!(fnv1a(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a("foobar"), 0x8594_4171_f739_67e8);
        let mut random = Random::of(42, "matrix/scatter_add");
        // An independent ChaCha8 in Python gives the same numbers.
        assert_eq!([random.bits(), random.bits()], [6_015_602_230_715_135_098, 12_089_762_363_865_632_609]);
    }

    #[test]
    fn choices_that_share_a_draw_are_independent() {
        let mut random = Random::of(1, "choices");
        let mut counts = [[0; 5]; 3];
        let mut units = [0.0; 3];
        for _ in 0..15_000 {
            let mut draw = random.draw();
            let (row, column) = (draw.below(3) as usize, draw.below(5) as usize);
            counts[row][column] += 1;
            units[row] += draw.unit() / 5000.0;
        }
        // Of each pair 1000 are expected, with a standard deviation of 31, and means of 0.5, with
        // one of 0.004.
        assert!(counts.as_flattened().iter().all(|count| (850..1150).contains(count)), "{counts:?}");
        assert!(units.iter().all(|unit| (0.45..0.55).contains(unit)), "{units:?}");
    }

    #[test]
    fn a_shuffle_keeps_every_item() {
        let mut items: Vec<_> = (0..100).collect();
        Random::of(1, "").shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
