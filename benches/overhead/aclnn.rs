//! What a call costs beside the bare C functions: `scatter_add_` of f32 `[64, 64]` on host-cann,
//! both phases, with tensors that were made before.
//!
//! `cargo bench -p overhead --bench aclnn` prints the medians. The clock stops before the stream is
//! synchronised.

#![allow(clippy::unwrap_used)]

use std::hint::black_box;
use std::ptr::null_mut;
use std::time::{Duration, Instant};

use aclnn::sys::{aclTensor, aclrtStream};
use aclnn::{Result, Runtime, Stream, Tensor};
use aclnn_scatter::c;
use criterion::{Criterion, SamplingMode};

/// What the C functions are given.
#[derive(Clone, Copy)]
struct Raw {
    self_: *mut aclTensor,
    index: *mut aclTensor,
    src: *mut aclTensor,
    stream: aclrtStream,
}

/// The tensors of a call, and its stream.
struct Call {
    raw: Raw,
    self_: Tensor<f32>,
    index: Tensor<i64>,
    src: Tensor<f32>,
    stream: Stream,
}

impl Call {
    fn new() -> Result<Self> {
        let stream = Runtime::host()?.device(0)?.stream()?;
        let index: Vec<i64> = (0..64 * 64).map(|number| number * 7 % 64).collect();
        let self_ = Tensor::<f32>::zeros([64, 64], &stream)?;
        let index = Tensor::from_slice(&index, [64, 64], &stream)?;
        let src = Tensor::full([64, 64], 1.0, &stream)?;
        let raw = Raw {
            self_: self_.as_raw()?,
            index: index.as_raw()?,
            src: src.as_raw()?,
            stream: stream.as_raw()?,
        };
        Ok(Self { raw, self_, index, src, stream })
    }

    fn safe(&mut self) {
        self.self_.scatter_add_(black_box(1), &self.index, &self.src, &self.stream).unwrap();
    }

    fn bare(&mut self) {
        let Raw { self_, index, src, stream } = self.raw;
        let (mut size, mut executor) = (0, null_mut());
        // SAFETY: the tensors are alive, and stay until the stream is synchronised.
        unsafe {
            let first = c::aclnnScatterAddGetWorkspaceSize(
                self_,
                black_box(1),
                index,
                src,
                self_,
                &mut size,
                &mut executor,
            );
            assert!(first.is_success());
            assert!(c::aclnnScatterAdd(null_mut(), size, executor, stream).is_success());
        }
    }
}

fn main() {
    // The C functions by themselves take the CANN that the process has.
    aclnn_scatter::install(aclnn::sys::Cann::from_table(host_cann::table())).unwrap();
    let mut call = Call::new().unwrap();
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("scatter_add_ f32 [64, 64]");
    group.sampling_mode(SamplingMode::Flat);
    for (name, way) in [("bare C ABI", Call::bare as fn(&mut Call)), ("aclnn", Call::safe)] {
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|calls| {
                let mut total = Duration::ZERO;
                for _ in 0..calls {
                    // In turn, so that a busy machine is busy for both.
                    for turn in [Call::bare as fn(&mut Call), Call::safe] {
                        let start = Instant::now();
                        turn(&mut call);
                        if core::ptr::fn_addr_eq(turn, way) {
                            total += start.elapsed();
                        }
                        call.stream.synchronize().unwrap();
                    }
                }
                total
            });
        });
    }
    group.finish();
    criterion.final_summary();
}
