//! The texts of CANN's errors: each names the function and the code once, and has nothing of
//! another failure.

#![allow(clippy::unwrap_used)]

mod common;

use std::ptr::{null, null_mut};

use aclnn::sys::Cann;
use aclnn::{DeviceBuffer, Engine, Result, Runtime, Tensor};
use aclnn_scatter::{Scope, c};
use common::{stand_in, stream};

#[test]
fn a_function_and_its_code_are_said_once() -> Result<()> {
    let stream = stream()?;
    let no_device = || stream.device().runtime().device(99).unwrap_err().to_string();
    let wanted = "aclrtSetDevice returned ACL_ERROR_RT_INVALID_DEVICEID (107001): device 99 does not exist; there are ";
    assert!(no_device().starts_with(wanted), "{}", no_device());

    let error = DeviceBuffer::new(&stream, 1 << 50).unwrap_err().to_string();
    let wanted = "aclrtMalloc returned ACL_ERROR_RT_MEMORY_ALLOCATION (207001): 1125899906842624 bytes";
    assert!(error.starts_with(wanted), "{error}");

    let tensor = Tensor::<f32>::zeros([2], &stream)?;
    let index = Tensor::<i64>::zeros([1], &stream)?;
    let vendor = tensor.scatter_add(0, &index, &tensor, stream.on(Engine::Vendor)).unwrap_err();
    assert_eq!(
        vendor.to_string(),
        "aclnnScatterAdd returned ACLNN_ERR_INNER_FIND_KERNEL_ERROR (561003): engine vendor: host-cann is a CANN \
         without operators of its own"
    );
    Ok(())
}

#[test]
fn words_of_an_earlier_failure_are_not_told_again() -> Result<()> {
    let stream = stream()?;
    let no_device = || stream.device().runtime().device(99).unwrap_err().to_string();
    let first = no_device();
    assert!(!first.contains('\n'), "{first}");
    // On host-cann a failing operator leaves two messages: its own, and the runtime's. Only one may
    // appear.
    let tensor = Tensor::<f32>::zeros([2], &stream)?;
    let index = Tensor::<i64>::zeros([1], &stream)?;
    tensor.scatter_add(0, &index, &tensor, stream.on(Engine::Vendor)).unwrap_err();
    assert_eq!(no_device(), first);
    Ok(())
}

#[test]
fn words_about_one_operator_are_not_told_of_another() -> Result<()> {
    // The operators leave their words to host-cann's extension, too; another CANN does not have it.
    for has_extension in [true, false] {
        let table = || host_cann::table().filter(|(name, _)| has_extension || *name != c"hostcann_extension");
        // SAFETY: the table has only functions of host-cann.
        let stream = unsafe { Runtime::from_cann(Cann::from_table(table())) }?.device(0)?.stream()?;
        let input = Tensor::<f32>::new([1.0], &stream)?;
        // Two calls, past the safe API, whose words nobody takes.
        for dim in 0..2 {
            // SAFETY: null is refused.
            let direct = Scope::new(aclnn_scatter::open(Cann::from_table(table()))).run(|| unsafe {
                c::aclnnScatterAddGetWorkspaceSize(
                    null(),
                    dim,
                    null(),
                    null(),
                    null_mut(),
                    null_mut(),
                    null_mut(),
                )
            });
            assert!(!direct.is_success());
        }
        let error = stand_in::prepare_broken(&input, &stream)?.launch(&stream).unwrap_err();
        assert_eq!(error.to_string(), "aclnnBroken returned ACLNN_ERR_PARAM_INVALID (161002)");
    }
    Ok(())
}
