//! What CANN's executor functions, such as `aclSetAclOpExecutorRepeatable`, do with executors of
//! this crate. host-cann's versions of them call the functions here for such an executor.

use core::ffi::c_void;

use aclnn_sys::{
    ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_INVALID, AclnnStatus, HOSTCANN_TENSOR_ANY,
    HOSTCANN_TENSOR_INPUT, HOSTCANN_TENSOR_LIST, HOSTCANN_TENSOR_OUTPUT, aclOpExecutor, aclTensor,
    hostcannExecutorCalls,
};

use scatter::Argument;

use crate::executor::registry::{self, Executor};
use crate::failure::{Failure, ensure, failure, present};
use crate::function::Function;
use crate::process::guard::guarded;

/// The functions that host-cann calls.
pub(super) static CALLS: hostcannExecutorCalls = hostcannExecutorCalls {
    setRepeatable: Some(set_repeatable),
    setAddress: Some(set_address),
    destroy: Some(destroy),
};

/// `aclSetAclOpExecutorRepeatable`.
unsafe extern "C" fn set_repeatable(handle: *mut aclOpExecutor) -> AclnnStatus {
    guarded("aclSetAclOpExecutorRepeatable", || {
        of_live(handle, |executor| {
            executor.is_repeatable = true;
            Ok(AclnnStatus::SUCCESS)
        })
    })
}

/// `aclSetInputTensorAddr` and its siblings.
unsafe extern "C" fn set_address(
    handle: *mut aclOpExecutor,
    kind: u32,
    index: usize,
    tensor: *mut aclTensor,
    addr: *mut c_void,
) -> AclnnStatus {
    guarded(operator_abi::address_setter(kind), || {
        present("tensor", tensor)?;
        of_live(handle, |executor| {
            let function = executor.call.function;
            // Phase two turns it back into a pointer.
            let address = addr.expose_provenance();
            if kind >= HOSTCANN_TENSOR_LIST {
                let input = kind - HOSTCANN_TENSOR_LIST;
                let name = function.name();
                let is_list = is_list(function, input);
                ensure!(is_list, ACLNN_ERR_PARAM_INVALID, "{name} has no list that is input {input}");
                executor.call.set_list_address(index, address)?;
            } else {
                let argument = tensors(function, kind).nth(index).ok_or_else(|| {
                    let (name, below) = (function.name(), tensors(function, kind).count());
                    let what = match kind {
                        HOSTCANN_TENSOR_INPUT => "an input",
                        HOSTCANN_TENSOR_OUTPUT => "an output",
                        _ => "a tensor",
                    };
                    failure!(
                        ACLNN_ERR_PARAM_INVALID,
                        "index: below {below} expected for {what} of {name}, got {index}"
                    )
                })?;
                executor.call.set_address(argument, tensor.addr(), address)?;
            }
            Ok(AclnnStatus::SUCCESS)
        })
    })
}

/// `aclDestroyAclOpExecutor`.
unsafe extern "C" fn destroy(handle: *mut aclOpExecutor) -> AclnnStatus {
    guarded("aclDestroyAclOpExecutor", || {
        ensure!(registry::discard(handle), ACLNN_ERR_INNER_NULLPTR, "the executor has run or was destroyed");
        Ok(AclnnStatus::SUCCESS)
    })
}

/// Changes a live executor; fails for any other handle.
fn of_live(
    handle: *mut aclOpExecutor,
    change: impl FnOnce(&mut Executor) -> Result<AclnnStatus, Failure>,
) -> Result<AclnnStatus, Failure> {
    registry::change(handle, change)
        .unwrap_or_else(|| Err(failure!(ACLNN_ERR_INNER_NULLPTR, "the executor has run or was destroyed")))
}

/// Whether the function's input with this number is a list of tensors.
fn is_list(function: Function, input: u32) -> bool {
    let inputs = || function.arguments().map(|(argument, _)| argument);
    let found = inputs().filter(|&argument| argument != Argument::Out).nth(input as usize);
    found == Some(Argument::Index) && function.takes_list()
}

/// The tensors of a kind, in the order of the prototype of phase one, by which they are counted.
fn tensors(function: Function, kind: u32) -> impl Iterator<Item = Argument> {
    let has_inputs = matches!(kind, HOSTCANN_TENSOR_INPUT | HOSTCANN_TENSOR_ANY);
    let has_output = matches!(kind, HOSTCANN_TENSOR_OUTPUT | HOSTCANN_TENSOR_ANY);
    let inputs = function.arguments().map(|(argument, _)| argument).filter(move |argument| match argument {
        Argument::SelfTensor | Argument::Src => has_inputs,
        Argument::Index => has_inputs && !function.takes_list(),
        _ => false,
    });
    // In place, the output is the first input.
    let output = if function.is_inplace() { Argument::SelfTensor } else { Argument::Out };
    inputs.chain(has_output.then_some(output))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_are_counted_as_the_prototype_lists_them() {
        let tensor = |function, kind, index| tensors(function, kind).nth(index);
        let any = |function, index| tensor(function, HOSTCANN_TENSOR_ANY, index);
        assert_eq!(any(Function::ScatterAdd, 2), Some(Argument::Src));
        assert_eq!(any(Function::ScatterAdd, 3), Some(Argument::Out));
        assert_eq!(any(Function::ScatterAdd, 4), None);
        assert_eq!(any(Function::ScatterValue, 2), Some(Argument::Out));
        assert_eq!(any(Function::ScatterNd, 3), Some(Argument::Out));
        assert_eq!(any(Function::Gather, 2), Some(Argument::Out));
        let embedding = Function::EmbeddingDenseBackward;
        let names = [Some(Argument::Src), Some(Argument::Index), Some(Argument::Out), None];
        assert_eq!([0, 1, 2, 3].map(|index| any(embedding, index)), names);
        assert_eq!(tensor(Function::Gather, HOSTCANN_TENSOR_INPUT, 2), None);
        assert_eq!(any(Function::InplaceIndexCopy, 3), Some(Argument::SelfTensor));
        assert_eq!(any(Function::InplaceScatter, 3), Some(Argument::SelfTensor));
        assert_eq!(tensor(Function::ScatterValue, HOSTCANN_TENSOR_INPUT, 2), None);
        assert_eq!(tensor(Function::TfScatterAdd, HOSTCANN_TENSOR_OUTPUT, 0), Some(Argument::SelfTensor));
        assert_eq!(tensor(Function::ScatterAdd, HOSTCANN_TENSOR_OUTPUT, 1), None);
        assert_eq!(tensor(Function::ScatterAdd, 7, 0), None);
    }
}
