//! Several runtimes of one CANN, and a CANN that does not count its initialisations.

mod common;

use core::ptr;

use aclnn::sys::Cann;
use aclnn::{Result, Runtime, Tensor};
use common::alone;
use host_cann::Counters;

/// host-cann without `aclFinalizeReference`, like an older CANN.
fn older() -> Result<Runtime> {
    let functions = host_cann::table().filter(|(name, _)| *name != c"aclFinalizeReference");
    // SAFETY: the table has only functions of host-cann.
    unsafe { Runtime::from_cann(Cann::from_table(functions)) }
}

/// Whether host-cann runs. Asked by a function that doesn't start it, as `aclrtSetDevice` would.
fn is_running() -> bool {
    let mut active = 0;
    // SAFETY: any device number may be given, and the state has room.
    unsafe { host_cann::c::aclrtGetPrimaryCtxState(0, ptr::null_mut(), &mut active).is_success() }
}

#[test]
fn the_first_that_ends_does_not_end_the_other() -> Result<()> {
    let _alone = alone();
    for counts in [false, true] {
        let begin = || if counts { Runtime::host() } else { older() };
        let (first, second) = (begin()?, begin()?);
        let stream = second.device(0)?.stream()?;
        let tensor = Tensor::<f32>::new([1.0, 2.0], &stream)?;
        first.close()?;
        assert_eq!(tensor.to_vec(&stream)?, [1.0, 2.0]);
        let third = begin()?;
        drop(third);
        assert_eq!(tensor.to_vec(&stream)?, [1.0, 2.0]);
        drop((tensor, stream));
        assert!(is_running());
        second.close()?;
        assert!(!is_running());
        assert_eq!(Counters::leftovers(), Some(Counters::default()));
    }
    // Two tables with the same functions.
    let (older, newer) = (older()?, Runtime::host()?);
    drop(older);
    assert!(is_running());
    newer.close()?;
    assert!(!is_running());
    Ok(())
}

#[test]
fn one_that_somebody_else_began_goes_on() -> Result<()> {
    let _alone = alone();
    // SAFETY: null stands for no configuration.
    assert!(unsafe { host_cann::c::aclInit(ptr::null()) }.is_success());
    older()?.close()?;
    assert!(is_running());
    Runtime::host()?.close()?;
    assert!(is_running());
    // SAFETY: no handle of this CANN is in use.
    assert!(unsafe { host_cann::c::aclFinalize() }.is_success());
    assert!(!is_running());
    Ok(())
}
