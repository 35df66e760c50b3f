//! Every operator, called through the C functions, compared with the reference. `REFERENCE_ROUNDS`
//! sets how many calls of each kind and dtype there are.

// clippy.toml allows these in test functions, but not in helpers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::generate::check_each;
use common::{Random, Stream, setting};
use scatter::{Bool, Complex, Element, bf16, f16};

fn check<T: Element>() {
    let stream = Stream::new();
    let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ T::DTYPE as u64);
    for _ in 0..setting("REFERENCE_ROUNDS", 120) {
        check_each::<T, i32>(&mut random, stream.raw);
        check_each::<T, i64>(&mut random, stream.raw);
    }
}

macro_rules! dtypes {
    ($($name:ident: $element:ty;)*) => {$(
        #[test]
        fn $name() {
            check::<$element>();
        }
    )*};
}

dtypes! {
    bf16_equals_the_reference: bf16;
    f16_equals_the_reference: f16;
    f32_equals_the_reference: f32;
    f64_equals_the_reference: f64;
    i64_equals_the_reference: i64;
    i32_equals_the_reference: i32;
    i16_equals_the_reference: i16;
    i8_equals_the_reference: i8;
    u8_equals_the_reference: u8;
    bool_equals_the_reference: Bool;
    complex64_equals_the_reference: Complex<f32>;
    complex128_equals_the_reference: Complex<f64>;
}
