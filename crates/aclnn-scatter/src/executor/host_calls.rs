//! What CANN's executor functions, such as `aclSetAclOpExecutorRepeatable`, do with executors of
//! this crate. host-cann's versions of them call the functions here for such an executor.

use core::ffi::c_void;

use aclnn_sys::{
    ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_INVALID, AclnnStatus, HOSTCANN_TENSOR_ANY,
    HOSTCANN_TENSOR_INPUT, HOSTCANN_TENSOR_LIST, HOSTCANN_TENSOR_OUTPUT, aclOpExecutor, aclTensor,
    hostcannExecutorCalls,
};

use scatter::Argument;

use crate::executor::call::TensorName;
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
                let name = tensor_name(function, kind, index).ok_or_else(|| {
                    failure!(ACLNN_ERR_PARAM_INVALID, "{} has no such tensor {index}", function.name())
                })?;
                executor.call.set_address(name, tensor.addr(), address)?;
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

/// The tensor with this number, which counts tensors in the order of the prototype of phase one.
fn tensor_name(function: Function, kind: u32, index: usize) -> Option<TensorName> {
    let inputs = || {
        function.arguments().filter_map(|(argument, _)| match argument {
            Argument::SelfTensor => Some(TensorName::SelfTensor),
            Argument::Index if !function.takes_list() => Some(TensorName::Index),
            Argument::Src => Some(TensorName::Src),
            _ => None,
        })
    };
    // In place, the output is the first input.
    let output = if function.is_inplace() { TensorName::SelfTensor } else { TensorName::Out };
    match kind {
        HOSTCANN_TENSOR_INPUT => inputs().nth(index),
        HOSTCANN_TENSOR_OUTPUT => (index == 0).then_some(output),
        HOSTCANN_TENSOR_ANY => inputs().chain([output]).nth(index),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tensors_are_counted_as_the_prototype_lists_them() {
        let any = |function, index| tensor_name(function, HOSTCANN_TENSOR_ANY, index);
        assert_eq!(any(Function::ScatterAdd, 2), Some(TensorName::Src));
        assert_eq!(any(Function::ScatterAdd, 3), Some(TensorName::Out));
        assert_eq!(any(Function::ScatterAdd, 4), None);
        assert_eq!(any(Function::ScatterValue, 2), Some(TensorName::Out));
        assert_eq!(any(Function::ScatterNd, 3), Some(TensorName::Out));
        assert_eq!(any(Function::Gather, 2), Some(TensorName::Out));
        let embedding = Function::EmbeddingDenseBackward;
        let names = [Some(TensorName::Src), Some(TensorName::Index), Some(TensorName::Out), None];
        assert_eq!([0, 1, 2, 3].map(|index| any(embedding, index)), names);
        assert_eq!(tensor_name(Function::Gather, HOSTCANN_TENSOR_INPUT, 2), None);
        assert_eq!(any(Function::InplaceIndexCopy, 3), Some(TensorName::SelfTensor));
        assert_eq!(any(Function::InplaceScatter, 3), Some(TensorName::SelfTensor));
        assert_eq!(tensor_name(Function::ScatterValue, HOSTCANN_TENSOR_INPUT, 2), None);
        assert_eq!(
            tensor_name(Function::TfScatterAdd, HOSTCANN_TENSOR_OUTPUT, 0),
            Some(TensorName::SelfTensor)
        );
        assert_eq!(tensor_name(Function::ScatterAdd, HOSTCANN_TENSOR_OUTPUT, 1), None);
        assert_eq!(tensor_name(Function::ScatterAdd, 7, 0), None);
    }
}
