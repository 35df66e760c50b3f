//! The functions as the linker finds them: here in this program.
#![cfg(feature = "linked")]

use aclnn_sys::{ACL_ERROR_API_NOT_SUPPORT, aclError};

// SAFETY: where a toolkit is linked too, the program's own definition counts, and nothing else here
// calls it.
#[unsafe(no_mangle)]
extern "C" fn aclrtGetDeviceCount(count: *mut u32) -> aclError {
    // SAFETY: the test passes the address of a number.
    unsafe { *count = 3 };
    ACL_ERROR_API_NOT_SUPPORT
}

#[test]
fn a_function_of_the_program_is_called() {
    let mut count = 0;
    // SAFETY: the function above writes the number.
    let code = unsafe { aclnn_sys::linked::aclrtGetDeviceCount(&mut count) };
    assert_eq!((code, count), (ACL_ERROR_API_NOT_SUPPORT, 3));
}
