//! The workspace that a stream keeps.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use aclnn::{Error, Result, Stream, Tensor};
use common::{Gate, alone, stand_in, stream};
use host_cann::Counters;

const MIB: u64 = 1 << 20;

fn run(workspace: u64, stream: &Stream) -> Result<()> {
    let input = Tensor::<f32>::new([1.0, 2.0], stream)?;
    let mut out = Tensor::<f32>::zeros([2], stream)?;
    stand_in::prepare(&input, &mut out, workspace, stream)?.launch(stream)
}

#[test]
fn it_is_kept_grows_and_is_trimmed() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    assert_eq!(stream.workspace_bytes(), 0);
    run(8, &stream)?;
    assert_eq!(stream.workspace_bytes() as u64, MIB);
    stream.synchronize()?;
    let blocks = Counters::now().device_allocations;
    // A block that is large enough is used again; one that is too small is freed after the work
    // that uses it.
    run(MIB, &stream)?;
    assert_eq!(stream.workspace_bytes() as u64, MIB);
    let gate = Gate::new(&stream);
    run(MIB, &stream)?;
    run(3 * MIB + 1, &stream)?;
    assert_eq!(stream.workspace_bytes() as u64, 4 * MIB);
    assert!(Counters::now().device_bytes as u64 >= 5 * MIB, "the work in flight has lost its workspace");
    gate.open();
    stream.synchronize()?;
    assert_eq!(Counters::now().device_allocations, blocks);

    let gate = Gate::new(&stream);
    run(8, &stream)?;
    stream.trim_workspace();
    assert_eq!(stream.workspace_bytes(), 0);
    assert!(Counters::now().device_bytes as u64 >= 4 * MIB, "the work in flight has lost its workspace");
    gate.open();
    stream.synchronize()?;
    assert_eq!(Counters::now().device_allocations, 0);
    // If the stream has done its work, the block is freed at once.
    run(8, &stream)?;
    stream.synchronize()?;
    stream.trim_workspace();
    assert_eq!(Counters::now().device_allocations, 0);
    Ok(())
}

#[test]
fn it_is_bounded() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    run(4 * MIB, &stream)?;
    stream.set_workspace_limit(2 * MIB as usize);
    assert_eq!(stream.workspace_bytes(), 0);
    run(4 * MIB, &stream)?;
    assert_eq!(stream.workspace_bytes(), 0);
    stream.synchronize()?;
    assert_eq!(Counters::now().device_allocations, 0);
    run(2 * MIB, &stream)?;
    assert_eq!(stream.workspace_bytes() as u64, 2 * MIB);
    // A limit below the granularity of blocks.
    stream.set_workspace_limit(MIB as usize / 2);
    run(1000, &stream)?;
    assert_eq!(stream.workspace_bytes(), 1000);
    stream.close()?;
    assert_eq!(Counters::now(), Counters::default());
    Ok(())
}

#[test]
fn one_that_no_device_has_is_an_error() -> Result<()> {
    let _alone = alone();
    let stream = stream()?;
    for bytes in [1 << 50, u64::MAX] {
        let refused = run(bytes, &stream);
        assert!(matches!(refused, Err(Error::Acl { call: "aclrtMalloc", .. })), "{refused:?}");
    }
    assert_eq!(stream.workspace_bytes(), 0);
    run(8, &stream)?;
    stream.close()?;
    assert_eq!(Counters::now(), Counters::default());
    Ok(())
}
