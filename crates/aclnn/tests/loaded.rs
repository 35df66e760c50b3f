//! A CANN that is loaded, in addition to the one that is linked in. The test is a program of its
//! own, because the library must not be built while another test looks for it.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;
#[path = "../../../tests/processes/libraries.rs"]
mod libraries;

use std::path::PathBuf;

use aclnn::{Device, Error, Event, ExecutorOperand, Result, Runtime, Stream, Tensor};
use common::stand_in;

/// The path of `libhost_cann.so`.
fn built() -> PathBuf {
    libraries::build(env!("CARGO"), env!("CARGO_TARGET_TMPDIR")).join("libhost_cann.so")
}

fn sums(stream: &Stream) -> Result<Tensor<f32>> {
    let mut sums = Tensor::<f32>::zeros([3], stream)?;
    let index = Tensor::<i64>::new([2, 0, 2], stream)?;
    sums.scatter_add_(0, &index, &Tensor::new([1.0, 2.0, 4.0], stream)?, stream)?;
    Ok(sums)
}

fn is_other<T>(call: &str, result: &Result<T>) {
    assert!(matches!(result, Err(Error::OtherCann { call: told }) if *told == call), "{call}");
}

#[test]
fn both_work_and_are_kept_apart() -> Result<()> {
    let library = built();
    // SAFETY: the library is host-cann.
    let loaded = unsafe { Runtime::load_from([&library]) }?;
    let linked = Runtime::host()?;
    assert!(loaded != linked && loaded.is_host());
    // The runtime names the library that it uses.
    let libraries: Vec<String> = loaded.cann().libraries().collect();
    assert_eq!(libraries, [library.to_str().unwrap()]);
    let (there, here) = (loaded.device(0)?.stream()?, linked.device(0)?.stream()?);
    let (mut theirs, mut ours) = (sums(&there)?, sums(&here)?);
    assert_eq!((theirs.to_vec(&there)?, ours.to_vec(&here)?), (vec![2.0, 0.0, 5.0], vec![2.0, 0.0, 5.0]));
    // An index out of range with one CANN is no error of the other.
    theirs.scatter_(0, &Tensor::<i64>::new([3], &there)?, 1.0, aclnn::Reduce::None, &there)?;
    here.synchronize()?;
    assert!(matches!(there.synchronize(), Err(Error::Scatter(_))));

    assert_ne!(there.device(), here.device());
    is_other("read", &theirs.to_vec(&here));
    let index = Tensor::<i64>::new([0], &here)?;
    let src = Tensor::<f32>::new([1.0], &here)?;
    is_other("scatter_add", &theirs.scatter_add_(0, &index, &src, &here).map(drop));
    is_other("scatter_add", &ours.scatter_add_(0, &index, &src, &there).map(drop));
    is_other("copy_from", &ours.copy_from(&theirs, &here));
    is_other("write", &theirs.copy_from_slice(&[0.0; 3], &here));
    let (mut event, mut other) = (Event::new(&here)?, Event::new(&there)?);
    here.record(&mut event)?;
    there.record(&mut other)?;
    is_other("record", &there.record(&mut event));
    is_other("wait", &there.wait(&event));
    is_other("elapsed_since", &event.elapsed_since(&other));
    let operand = ExecutorOperand::read(&theirs)?;
    // SAFETY: phase one is not called.
    let prepared = unsafe {
        aclnn::Executor::prepare("aclnnNothing", &here, [operand], stand_in::refuse, |_, _| {
            panic!("phase one was called")
        })
    };
    is_other("aclnnNothing", &prepared.map(drop));

    assert_eq!((theirs.to_vec(&there)?, ours.to_vec(&here)?), (vec![2.0, 0.0, 5.0], vec![2.0, 0.0, 5.0]));
    // After one CANN is finalised, the other still works.
    drop((theirs, other));
    there.close()?;
    loaded.close()?;
    assert_eq!(ours.to_vec(&here)?, [2.0, 0.0, 5.0]);
    let device: &Device = here.device();
    assert_eq!(device.id(), 0);
    Ok(())
}

#[test]
fn two_loads_are_one_cann() -> Result<()> {
    // Loads the library, so that `Runtime::load` finds it in the process.
    // SAFETY: the library is host-cann.
    let named = unsafe { Runtime::load_from([built()]) }?;
    let (first, second) = (Runtime::load()?, Runtime::load()?);
    let (here, there) = (first.device(0)?.stream()?, second.device(0)?.stream()?);
    let mut tensor = sums(&here)?;
    assert_eq!(here.device(), there.device());
    let index = Tensor::<i64>::new([1], &there)?;
    tensor.scatter_(0, &index, 7.0, aclnn::Reduce::None, &there)?;
    assert_eq!(tensor.to_vec(&here)?, [2.0, 7.0, 5.0]);
    // Tensors of different lists don't mix, but closing this runtime doesn't finalise the CANN of
    // the others.
    is_other("read", &tensor.to_vec(&named.device(0)?.stream()?));
    named.close()?;
    drop((index, here));
    first.clone().close().unwrap_err();
    drop(first);
    assert_eq!(tensor.to_vec(&there)?, [2.0, 7.0, 5.0]);
    Ok(())
}
