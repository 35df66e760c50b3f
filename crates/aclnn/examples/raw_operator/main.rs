//! How to call an operator of CANN's for which this crate has no method: aclnnAdd,
//! `out = self + alpha * other`, after a scatter_add on the same stream.
//!
//! Every aclnn operator has two C functions, which [`Runtime::function`] finds by name: one checks
//! the tensors and makes an executor, the other launches the executor on a stream. [`Executor`]
//! calls the two in order, provides the workspace, keeps the tensors' memory alive until the stream
//! has passed the work, and makes the work wait for other streams' use of the tensors. So a small
//! function with `unsafe` blocks makes a safe operator; this is the only example that needs
//! `unsafe`.
//!
//! ```sh
//! cargo run -p aclnn --example raw_operator              # on this machine's CPU, where add.rs stands in for aclnnAdd
//! cargo run -p aclnn --example raw_operator -- --load    # on an NPU, with the installed CANN
//! ```
#![allow(clippy::print_stdout)]

mod add;

use aclnn::sys::{AclnnStatus, Cann, aclOpExecutor, aclScalar, aclTensor};
use aclnn::{AclScalar, Executor, ExecutorOperand, PhaseTwo, Result, Runtime, Stream, Tensor};

/// `aclnnAddGetWorkspaceSize`, as CANN's `aclnnop/aclnn_add.h` declares it.
type AddGetWorkspaceSize = unsafe extern "C" fn(
    self_: *const aclTensor,
    other: *const aclTensor,
    alpha: *const aclScalar,
    out: *mut aclTensor,
    workspace_size: *mut u64,
    executor: *mut *mut aclOpExecutor,
) -> AclnnStatus;

fn main() -> Result<()> {
    let load = std::env::args().any(|word| word == "--load");
    let runtime = if load { Runtime::load() } else { host_with_add() }?;
    let stream = runtime.device(0)?.stream()?;

    let mut counts = Tensor::<f32>::zeros([2, 3], &stream)?;
    let index = Tensor::<i64>::new([[0, 2, 2], [1, 1, 1]], &stream)?;
    let ones = Tensor::<f32>::full([2, 3], 1.0, &stream)?;
    counts.scatter_add_(1, &index, &ones, &stream)?;
    let sum = add(&counts, &ones, 0.5, &stream)?; // runs after scatter_add on the stream; the host does not wait

    let sum = sum.to_vec(&stream)?;
    println!("counts + 0.5 * ones = {sum:?}");
    assert_eq!(sum, [1.5, 0.5, 2.5, 0.5, 3.5, 0.5]);
    stream.close()
}

/// `self_ + alpha * other`, for tensors of one shape.
fn add(self_: &Tensor<f32>, other: &Tensor<f32>, alpha: f32, stream: &Stream) -> Result<Tensor<f32>> {
    let runtime = stream.device().runtime();
    // SAFETY: these are the types with which CANN's header declares the two functions.
    let (phase_one, phase_two): (AddGetWorkspaceSize, PhaseTwo) =
        unsafe { (runtime.function(c"aclnnAddGetWorkspaceSize")?, runtime.function(c"aclnnAdd")?) };

    let mut out = Tensor::<f32>::empty(self_.shape(), stream)?;
    let alpha = AclScalar::new(alpha, stream)?;
    let operands =
        [ExecutorOperand::read(self_)?, ExecutorOperand::read(other)?, ExecutorOperand::write(&mut out)?];
    let [a, b, sum] = operands.each_ref().map(ExecutorOperand::as_raw);
    // SAFETY: phase one is called as CANN documents it, with the operands' tensors, and `phase_two`
    // belongs to it.
    let executor = unsafe {
        Executor::prepare("aclnnAdd", stream, operands, phase_two, |workspace_size, executor| {
            phase_one(a, b, alpha.as_raw(), sum, workspace_size, executor)
        })
    }?;
    executor.launch(stream)?;
    Ok(out)
}

/// host-cann, which has no operators of its own, with the one that this example needs.
fn host_with_add() -> Result<Runtime> {
    // SAFETY: the table has host-cann's functions, and two with the prototypes and behaviour of
    // aclnnAdd's.
    unsafe { Runtime::from_cann(Cann::from_table(host_cann::table().chain(add::table()))) }
}
