//! The gradient with respect to src: what is refused before launch. Crate `aclnn` tests what it
//! computes.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::ffi::CStr;
use std::ptr::null_mut;

use aclnn_scatter::sys::Cann;
use aclnn_scatter::{Engine, Scope, launch_src_grad, open, take_error_message};
use scatter::{DType, Layout, Operand, SrcGrad};

/// The code and the message of a launch with these addresses of grad, index and out, which must be
/// refused.
fn refusal(cann: Cann, addresses: [usize; 3]) -> (i32, String) {
    let dtypes = [DType::F32, DType::I64, DType::F32];
    let operand = |place: usize| Operand {
        dtype: Ok(dtypes[place]),
        layout: Layout::contiguous(&[4], 4),
        address: addresses[place],
    };
    let operands @ [grad, index, out] = [0, 1, 2].map(operand);
    let problem = SrcGrad::new(&grad, 0, &index, &out).unwrap();
    // SAFETY: the launch is refused, and accesses no memory.
    let status = unsafe { launch_src_grad(open(cann), Engine::Auto, &problem, &operands, null_mut(), 0) };
    (status.0, take_error_message().unwrap())
}

#[test]
fn an_address_that_can_t_be_is_told_with_its_tensor() {
    for (place, name) in ["grad", "index", "out"].into_iter().enumerate() {
        let good = [0x1000, 0x2000, 0x3000];
        let mut addresses = good;
        addresses[place] = 0;
        let (code, words) = refusal(Cann::from_table(host_cann::table()), addresses);
        assert_eq!(code, 161_001, "{words}");
        assert!(words.contains(&format!("{name}: an address expected, got null")), "{words}");
        addresses[place] = good[place] + 1;
        let (code, words) = refusal(Cann::from_table(host_cann::table()), addresses);
        assert_eq!(code, 561_103, "{words}");
        assert!(words.contains(&format!("{name}: an address that is a multiple of")), "{words}");
    }
}

/// The message goes to the session that was passed, not to that of the thread's scope or the
/// process.
#[test]
fn a_failure_has_its_words_in_the_cann_of_its_session() {
    let of_host = || refusal(Cann::from_table(host_cann::table()), [0, 0x2000, 0x3000]);
    Scope::new(open(Cann::from_table([]))).run(of_host);
    // SAFETY: the function takes no argument and has no precondition.
    let words = unsafe { host_cann::c::aclGetRecentErrMsg() };
    assert!(!words.is_null());
    // SAFETY: the text is a C string, which is valid until the thread's next call.
    let words = unsafe { CStr::from_ptr(words) }.to_str().unwrap();
    assert!(words.contains("grad: an address expected, got null"), "{words}");
}

#[test]
fn a_cann_that_is_not_host_cann_is_told() {
    let (code, words) = refusal(Cann::from_table([]), [0x1000, 0x2000, 0x3000]);
    assert_eq!(code, 561_003, "{words}");
    assert!(words.contains("scatter_src_grad") && words.contains("aclnnGather"), "{words}");
}
