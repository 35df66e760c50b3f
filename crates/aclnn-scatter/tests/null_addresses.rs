//! Executors made from tensors without addresses, which are set later, as CANN's documentation
//! shows.

// clippy.toml allows these in test functions, but not in helpers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::ffi::c_void;
use std::ptr::null_mut;

use aclnn_scatter::sys::{AclnnStatus, aclOpExecutor};
use common::call::{Begun, Call, Pages, Which, assert_refused, index, out, reshape, self_, src};
use common::tensors::{Memory, Tensor};
use common::{Stream, cann, messages};

/// Memory for self, index, src and out, in which the elements have different values.
fn pages() -> Pages {
    let floats = |from: f32| -> Vec<f32> { (0..64_u8).map(|number| from + f32::from(number)).collect() };
    Pages([
        Memory::of(&floats(1.0)),
        Memory::of(&[1_i64, 2, 0, 1, 3, 1, -1, 2]),
        Memory::of(&floats(100.0)),
        Memory::of(&floats(-64.0)),
    ])
}

/// The same call with null addresses.
fn without_addresses(call: &Call) -> Call {
    let mut bare = call.clone();
    for spec in [&mut bare.self_, &mut bare.index, &mut bare.src, &mut bare.out].into_iter().flatten() {
        spec.address = null_mut();
    }
    bare
}

fn begin(call: &Call) -> Begun {
    let begun = call.begin();
    assert!(begun.status.is_success(), "{}\n{call:?}", messages());
    begun
}

fn repeatable(call: &Call) -> Begun {
    let begun = begin(call);
    // SAFETY: the executor has not run.
    assert!(unsafe { cann().aclSetAclOpExecutorRepeatable(begun.executor) }.unwrap().is_success());
    begun
}

fn destroy(executor: *mut aclOpExecutor) {
    // SAFETY: host-cann looks up handles.
    let destroyed = unsafe { cann().aclDestroyAclOpExecutor(executor) }.unwrap();
    assert!(destroyed.is_success(), "{}", messages());
}

fn set_input(begun: &Begun, place: usize, tensor: &Option<Tensor>, address: *mut c_void) -> AclnnStatus {
    // SAFETY: host-cann looks up handles.
    unsafe { cann().aclSetInputTensorAddr(begun.executor, place, tensor.as_ref().unwrap().0, address) }
        .unwrap()
}

fn set_output(begun: &Begun, tensor: &Option<Tensor>, address: *mut c_void) -> AclnnStatus {
    // SAFETY: host-cann looks up handles.
    unsafe { cann().aclSetOutputTensorAddr(begun.executor, 0, tensor.as_ref().unwrap().0, address) }.unwrap()
}

/// Asserts that phase two is refused because this argument has a null address.
fn assert_missing(which: Which, begun: &Begun, stream: &Stream, name: &str) {
    let _ = messages();
    let status = which.second(begun.executor, stream.raw);
    let message = messages();
    assert_eq!(status.0, 161_001, "{which:?}: {message}");
    let words = format!("{name}: an address expected, got null");
    assert!(message.contains(&words), "{which:?}: no {words:?} in {message:?}");
}

/// The contents of the pages of self and out.
fn held(pages: &Pages) -> [Vec<f32>; 2] {
    [pages.0[0].read(), pages.0[3].read()]
}

#[test]
fn every_function_runs_once_all_addresses_are_set() {
    let stream = Stream::new();
    for which in Which::ALL {
        let (wanted, pages) = (pages(), pages());
        let begun = begin(&Call::new(which, &wanted));
        assert!(which.second(begun.executor, stream.raw).is_success(), "{which:?}: {}", messages());
        assert!(stream.synchronize().is_success());

        let untouched = held(&pages);
        let begun = repeatable(&without_addresses(&Call::new(which, &pages)));
        let [self_, index, src, out] = pages.0.each_ref().map(|page| page.address);
        let names = which.names();
        // The addresses are set one by one; each time phase two reports the next one that is
        // missing.
        let all = [(&begun.self_, self_), (&begun.index, index), (&begun.src, src)];
        for (place, &input) in which.inputs().iter().enumerate() {
            let (tensor, address) = all[input];
            assert_missing(which, &begun, &stream, names[input]);
            assert!(set_input(&begun, place, tensor, address).is_success(), "{}", messages());
        }
        if which.has_output() {
            let (tensor, address) = if which.is_in_place() { all[0] } else { (&begun.out, out) };
            assert_missing(which, &begun, &stream, names[3]);
            assert!(set_output(&begun, tensor, address).is_success());
        }
        assert!(stream.synchronize().is_success());
        assert_eq!(held(&pages), untouched, "{which:?}: a refused phase two has written");
        assert!(which.second(begun.executor, stream.raw).is_success(), "{which:?}: {}", messages());
        assert!(stream.synchronize().is_success());
        assert_eq!(held(&pages), held(&wanted), "{which:?}");
        assert_ne!(held(&pages), untouched, "{which:?}: nothing was computed");
        destroy(begun.executor);
    }
}

#[test]
fn an_executor_that_runs_once_has_ended_with_the_refusal() {
    let (stream, pages) = (Stream::new(), pages());
    let mut call = Call::new(Which::Add, &pages);
    src(&mut call).address = null_mut();
    let begun = begin(&call);
    assert_missing(Which::Add, &begun, &stream, "src");
    assert_eq!(Which::Add.second(begun.executor, stream.raw).0, 161_002);
    assert!(messages().contains("it has run and is not repeatable, or it was destroyed"));
    // SAFETY: host-cann looks up handles.
    assert!(!unsafe { cann().aclDestroyAclOpExecutor(begun.executor) }.unwrap().is_success());
}

#[test]
fn an_address_can_be_taken_away_again() {
    let (stream, pages) = (Stream::new(), pages());
    let begun = repeatable(&Call::new(Which::Add, &pages));
    let run = || Which::Add.second(begun.executor, stream.raw);
    assert!(run().is_success());
    assert!(stream.synchronize().is_success());
    let before = held(&pages);
    assert!(set_output(&begun, &begun.out, null_mut()).is_success(), "{}", messages());
    for _ in 0..2 {
        assert_missing(Which::Add, &begun, &stream, "out");
    }
    assert!(set_output(&begun, &begun.out, pages.0[3].address).is_success());
    assert!(set_input(&begun, 1, &begun.index, null_mut()).is_success());
    assert_missing(Which::Add, &begun, &stream, "index");
    assert!(set_input(&begun, 1, &begun.index, pages.0[1].address).is_success());
    assert!(run().is_success());
    assert!(stream.synchronize().is_success());
    assert_eq!(held(&pages), before);
    destroy(begun.executor);
}

#[test]
fn what_the_work_does_not_touch_needs_no_address() {
    let (stream, pages) = (Stream::new(), pages());
    let run = |which: Which, call: &Call| {
        let begun = begin(call);
        let status = which.second(begun.executor, stream.raw);
        assert!(stream.synchronize().is_success());
        (status.0, messages())
    };
    let bare = |which| without_addresses(&Call::new(which, &pages));
    // index is empty: self is copied to out.
    let mut copy = bare(Which::Reduce);
    reshape(index(&mut copy), &[0, 3]);
    assert_eq!(run(Which::Reduce, &copy).0, 161_001);
    self_(&mut copy).address = pages.0[0].address;
    assert_eq!(run(Which::Reduce, &copy).0, 161_001);
    out(&mut copy).address = pages.0[3].address;
    assert_eq!(run(Which::Reduce, &copy), (0, String::new()));
    assert_eq!(held(&pages)[0][..20], held(&pages)[1][..20]);
    // In place there is nothing to do.
    let mut nothing = bare(Which::InplaceReduce);
    reshape(index(&mut nothing), &[0, 3]);
    assert_eq!(run(Which::InplaceReduce, &nothing), (0, String::new()));
    let mut nothing = bare(Which::NdAdd);
    reshape(index(&mut nothing), &[3, 0]);
    reshape(src(&mut nothing), &[3, 4, 5]);
    assert_eq!(run(Which::NdAdd, &nothing), (0, String::new()));
    // Two tensors without elements are copied without an address.
    let mut empty = bare(Which::Add);
    reshape(self_(&mut empty), &[0, 5]);
    reshape(out(&mut empty), &[0, 5]);
    reshape(index(&mut empty), &[0, 3]);
    assert_eq!(run(Which::Add, &empty), (0, String::new()));
}

#[test]
fn tensors_without_addresses_do_not_overlap_but_in_themselves() {
    let (_stream, pages) = (Stream::new(), pages());
    let bare = without_addresses(&Call::new(Which::Add, &pages));
    assert_eq!(bare.run().0.0, 0);
    // Null addresses don't count as equal: at the same address, out would overlap self partly.
    let mut part = bare.clone();
    out(&mut part).storage = vec![64];
    out(&mut part).offset = 1;
    assert_eq!(part.run().0.0, 0, "{}", part.run().1);
    let mut turned = bare.clone();
    out(&mut turned).strides = vec![1, 4];
    assert_eq!(turned.run().0.0, 0, "{}", turned.run().1);
    // Whether out overlaps itself does not depend on where it lies.
    let mut itself = bare.clone();
    out(&mut itself).strides = vec![0, 1];
    assert_refused(&itself, 161_002, "out: elements that don't overlap expected");
    // Tensors with addresses must not overlap.
    let mut half = Call::new(Which::Add, &pages);
    self_(&mut half).address = null_mut();
    src(&mut half).address = pages.0[3].address;
    assert_refused(&half, 161_002, "out: memory apart from src expected");
    src(&mut half).address = pages.0[2].address.wrapping_byte_add(2);
    assert_refused(&half, 561_103, "src: an address that is a multiple of 4 expected");
    let mut vast = bare;
    src(&mut vast).storage = vec![i64::MAX, 2];
    assert_refused(&vast, 561_103, "src: a storage that can be addressed expected");
}

#[test]
fn overlaps_are_told_by_phase_two_once_addresses_are_there() {
    let (stream, pages) = (Stream::new(), pages());
    let begun = repeatable(&without_addresses(&Call::new(Which::Add, &pages)));
    let [self_, index, src, out] = pages.0.each_ref().map(|page| page.address);
    for (place, (tensor, address)) in
        [(&begun.self_, self_), (&begun.index, index), (&begun.src, out)].into_iter().enumerate()
    {
        assert!(set_input(&begun, place, tensor, address).is_success());
    }
    // A missing address is reported before an overlap.
    assert_missing(Which::Add, &begun, &stream, "out");
    assert!(set_output(&begun, &begun.out, out).is_success());
    let before = held(&pages);
    assert_eq!(Which::Add.second(begun.executor, stream.raw).0, 161_002);
    assert!(messages().contains("out: memory apart from src expected, got an overlap"));
    assert!(set_input(&begun, 2, &begun.src, src).is_success());
    assert_eq!(held(&pages), before);
    assert!(Which::Add.second(begun.executor, stream.raw).is_success(), "{}", messages());
    assert!(stream.synchronize().is_success());
    destroy(begun.executor);
}

/// CANN's function changes the address of the tensor, so a tensor that was given both as self and
/// as out has one address.
#[test]
fn one_tensor_as_self_and_out_has_one_address() {
    let stream = Stream::new();
    for set_as_output in [false, true] {
        let (wanted, pages) = (pages(), pages());
        let mut call = Call::new(Which::Add, &wanted);
        call.out_is_self = true;
        let begun = begin(&call);
        assert!(Which::Add.second(begun.executor, stream.raw).is_success());
        let mut call = Call { out_is_self: true, ..Call::new(Which::Add, &pages) };
        self_(&mut call).address = null_mut();
        let begun = repeatable(&call);
        assert_missing(Which::Add, &begun, &stream, "self");
        let address = pages.0[0].address;
        let set = match set_as_output {
            true => set_output(&begun, &begun.self_, address),
            false => set_input(&begun, 0, &begun.self_, address),
        };
        assert!(set.is_success(), "{}", messages());
        assert!(Which::Add.second(begun.executor, stream.raw).is_success(), "{}", messages());
        assert!(stream.synchronize().is_success());
        assert_eq!(held(&pages), held(&wanted));
        destroy(begun.executor);
    }
}
