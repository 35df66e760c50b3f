//! The `Debug` output of handles.

#![allow(clippy::unwrap_used)]

mod common;

use aclnn::{AclScalar, DeviceBuffer, Engine, Event, ExecutorOperand, PinnedBuffer, Result, Tensor};
use common::{stand_in, stream};

#[test]
fn handles_show_what_a_user_knows_of_them() -> Result<()> {
    let stream = stream()?;
    let mut event = Event::new(&stream)?;
    stream.record(&mut event)?;
    stream.synchronize()?;
    let buffer = DeviceBuffer::new(&stream, 8)?;
    let memory = format!("DeviceBuffer {{ device: 0, address: {:?}, bytes: 8 }}", buffer.as_raw());
    let input = Tensor::<f32>::from_buffer(buffer.clone(), [2], [1], 0)?;
    let mut out = Tensor::<f32>::zeros([2], &stream)?;
    let executor = stand_in::prepare(&input, &mut out, 64, &stream)?;
    let operands = [(false, input.buffer()), (true, out.buffer())].map(|(is_written, buffer)| {
        format!("ExecutorOperand {{ is_written: {is_written}, buffer: {buffer:?}, .. }}")
    });
    let executor_text = format!(
        "Executor {{ operator: \"aclnnDouble\", device: 0, workspace_bytes: 64, operands: [{}], .. }}",
        operands.join(", ")
    );
    assert_eq!(format!("{event:?}"), "Event { device: 0, is_complete: true, .. }");
    assert_eq!(format!("{buffer:?}"), memory);
    assert_eq!(format!("{executor:?}"), executor_text);
    assert_eq!(format!("{:?}", executor.repeatable()?), format!("Repeatable{executor_text}"));
    assert_eq!(format!("{:?}", ExecutorOperand::read(&input)?), operands[0]);
    assert_eq!(
        format!("{:?}", AclScalar::new(1.5, &stream)?),
        "AclScalar { value: Float(1.5), device: 0, .. }"
    );
    assert_eq!(format!("{stream:?}"), "Stream { device: 0, .. }");
    assert_eq!(
        format!("{:?}", stream.on(Engine::Cpu)),
        "On { stream: Stream { device: 0, .. }, engine: Some(Cpu) }"
    );
    assert_eq!(format!("{:?}", stream.device()), "Device { id: 0, .. }");
    let runtime = format!("{:?}", stream.device().runtime());
    assert!(runtime.starts_with("Runtime { cann: Cann { libraries: ["), "{runtime}");
    assert!(runtime.ends_with(", engine: Auto, .. }"), "{runtime}");
    let pinned = PinnedBuffer::<f32>::new(&stream, 2)?;
    assert_eq!(format!("{pinned:?}"), "[0.0, 0.0]");
    let sent = out.copy_to_pinned(pinned, &stream)?;
    stream.synchronize()?;
    assert_eq!(format!("{sent:?}"), "Transfer { is_done: true, .. }");
    Ok(())
}
