//! What a caller's stack must have room for: every loop runs in so much, in a thread of its own.

#![allow(clippy::unwrap_used)]

#[path = "../../../tests/processes/setting.rs"]
mod setting;

use scatter::cpu::internals::{Limits, Pattern};
use scatter::cpu::{self, AsTensor, AsTensorMut, Memory};
use scatter::{Element, Op, Problem, Reduce, View, ViewMut, bf16, f16};
use setting::setting;

/// KiB of stack, as `docs/start.md` says. To find out how few do:
/// `SCATTER_STACK_KIB=24 cargo test -p scatter --test small_stack`.
const KIB: u64 = 32;

fn on_small_stack(run: impl FnOnce() + Send + 'static) {
    let kib = setting("SCATTER_STACK_KIB", KIB) as usize;
    std::thread::Builder::new().stack_size(kib << 10).spawn(run).unwrap().join().unwrap();
}

/// Updates along each axis of a matrix, by each loop, in place and out of place.
fn run_all<T: Element>(zero: T, one: T) {
    for (dim, rows, width) in [(0_i64, 200_usize, 40_usize), (1, 2, 5000)] {
        let size = if dim == 0 { rows } else { width };
        let index: Vec<i64> = (0..rows * width).map(|at| (at * 7919 % size) as i64).collect();
        let row: Vec<i64> = (0..rows as i64).map(|at| at * 3 % rows as i64).collect();
        let src = vec![one; rows * width];
        let whole = View::new(&index, &[rows, width]).unwrap();
        let still = View::strided(&row, &[rows, width], &[1, 0], 0).unwrap();
        for index in [whole, still] {
            for reduce in [Reduce::None, Reduce::Add, Reduce::Mean] {
                for include_self in [true, false] {
                    for pattern in Pattern::ALL {
                        for tasks in [1, 3] {
                            let (mut data, other) = (vec![zero; rows * width], vec![zero; rows * width]);
                            let mut out = ViewMut::new(&mut data, &[rows, width]).unwrap();
                            let self_ = View::new(&other, &[rows, width]).unwrap();
                            let src = View::new(&src, &[rows, width]).unwrap();
                            let (out, src, index) = (out.as_tensor_mut(), src.as_tensor(), index.as_tensor());
                            let op = Op::ScatterReduce { dim, reduce, include_self };
                            let self_ = (tasks == 1).then(|| self_.as_tensor());
                            let operand = self_.as_ref().map_or(*out.operand(), |self_| *self_.operand());
                            let problem = Problem::new(
                                op,
                                &operand,
                                index.operand(),
                                Some(src.operand()),
                                out.operand(),
                            );
                            let mut memory = Memory { self_, index, src: Some(src), out };
                            let limits =
                                Limits { tasks: Some(tasks), pattern: Some(pattern), ..Limits::default() };
                            cpu::internals::run_with(&problem.unwrap(), &mut memory, &limits).unwrap();
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn every_loop_runs_in_a_small_stack() {
    on_small_stack(|| {
        run_all(0.0_f32, 1.0);
        run_all(0_i64, 1);
        run_all(0_u8, 1);
        run_all(f16::ZERO, f16::ONE);
        run_all(bf16::ZERO, bf16::ONE);
        run_all(scatter::Complex::new(0.0_f64, 0.0), scatter::Complex::new(1.0, 0.0));
    });
}
