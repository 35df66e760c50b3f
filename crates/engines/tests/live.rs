//! What `host::Live` tells of the objects that exist. A test program of its own, because the counts
//! are those of the process.

#![allow(clippy::unwrap_used)]

use aclnn::Tensor;
use engines::host::{self, Live};

#[test]
fn what_is_left_is_told() {
    let runtime = host::begin(1).unwrap();
    let device = runtime.device(0).unwrap();
    let stream = device.stream().unwrap();
    let before = Live::now();
    assert!(Live::now().is_only(&before, 0));

    let another = device.stream().unwrap();
    assert!(!Live::now().is_only(&before, 0), "{}", Live::now());
    drop(another);
    assert!(Live::now().is_only(&before, 0), "{}", Live::now());

    let empty = host::allocated(0).unwrap();
    let tensor = Tensor::<f32>::new([1.0, 2.0], &stream).unwrap();
    stream.synchronize().unwrap();
    let bytes = host::allocated(0).unwrap() - empty;
    assert!(bytes > 0);
    assert!(!Live::now().is_only(&before, 0), "{}", Live::now());
    assert!(Live::now().is_only(&before, bytes), "{}", Live::now());
    assert!(!Live::now().is_only(&before, bytes + 1), "{}", Live::now());
    drop(tensor);
    assert!(Live::now().is_only(&before, 0), "{}", Live::now());
}
