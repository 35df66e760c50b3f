//! The spans of feature `tracing`.

#![cfg(feature = "tracing")]
#![allow(clippy::unwrap_used)]

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use aclnn::{Error, Runtime, Tensor};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Records every span of the crate with its fields.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push_str(&format!(" {field}={value:?}"));
    }
}

impl Subscriber for Notes {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "aclnn"
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut note = span.metadata().name().to_owned();
        span.record(&mut Fields(&mut note));
        let mut notes = self.0.lock().unwrap();
        notes.push(note);
        Id::from_u64(notes.len() as u64)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn a_scatter_tells_its_steps_with_shapes_and_bytes() -> Result<(), Error> {
    let notes = Notes::default();
    tracing::subscriber::with_default(notes.clone(), || {
        let stream = Runtime::host()?.device(0)?.stream()?;
        let mut out = Tensor::<f32>::zeros([4, 3], &stream)?;
        let index = Tensor::<i64>::new([[0, 1]], &stream)?;
        out.scatter_add_(0, &index, &Tensor::new([[1.0, 2.0]], &stream)?, &stream)?;
        let rows = index.view().squeeze(0)?;
        out.index_put_(&[Some(&rows), None], &Tensor::new([1.0], &stream)?, true, &stream)?;
        out.to_vec(&stream).map(drop)
    })?;
    let notes = notes.0.lock().unwrap();
    let expected = [
        "copy to=\"device\" bytes=16",
        "copy to=\"device\" bytes=8",
        "scatter op=ScatterAdd { dim: 0 } dtype=F32 out=[4, 3] index=[1, 2] src=Some([1, 2])",
        "plan operator=\"aclnnScatterAdd\"",
        "launch operator=\"aclnnScatterAdd\" workspace=0",
        "copy to=\"device\" bytes=4",
        "scatter op=IndexPut { axes: Axes(1), accumulate: true } dtype=F32 out=[4, 3] index=[Some([2]), None] src=Some([1])",
        "plan operator=\"aclnnIndexPutImpl\"",
        "launch operator=\"aclnnIndexPutImpl\" workspace=0",
        "copy to=\"host\" bytes=48",
    ];
    assert_eq!(notes[..10], expected);
    Ok(())
}
