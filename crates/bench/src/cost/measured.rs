//! Counts the work of our kernels for a workload on the host model.

use bytemuck::{Pod, Zeroable, cast_slice, cast_slice_mut};
use engines::case::Case;
use engines::engine::{Storages, launch};
use engines::judge::Wanted;
use engines::refusal::Refusal;
use engines::storage::Storage;
use engines::tensor::Tensor;
use scatter::Problem;
use scatter_kernels::model::{self, Counters, Options};
use scatter_kernels::plan::{Step, plan_with};
use scatter_kernels::{Algorithm, Kernels, Soc, plan};

use super::limit::Limit;

/// The counts of an algorithm on the tensors of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Measured {
    pub(super) algorithm: Algorithm,
    /// Whether the plan chooses this algorithm.
    pub(super) is_chosen: bool,
    /// Launches of kernels.
    pub(super) launches: u32,
    /// Blocks of the launch that has the most.
    pub(super) blocks: u32,
    pub(super) counters: Counters,
    /// The limit of the longest launch.
    pub(super) limit: Limit,
}

/// Copies of a case's storages, each aligned to 512 bytes as on a device, because costs depend on
/// the alignment.
#[derive(Debug)]
pub(super) struct Images {
    /// self, where it is not out.
    self_: Option<Image>,
    index: Image,
    src: Option<Image>,
    out: Image,
}

impl Images {
    /// The copies for a case.
    pub(super) fn of(case: &Case) -> Self {
        let image = |tensor: &Tensor| Image::of(tensor.storage.bytes());
        Self {
            self_: case.out.is_some().then(|| image(&case.self_)),
            index: image(&case.index),
            src: case.src.as_ref().map(image),
            out: image(case.destination()),
        }
    }
}

/// Runs an algorithm on the model of a device. `None` where the plan doesn't offer it; an error
/// where its result is wrong.
pub(super) fn measure(
    problem: &Problem,
    case: &Case,
    images: &Images,
    wanted: &Wanted,
    algorithm: Algorithm,
    soc: &Soc,
    options: &Options,
) -> Result<Option<Measured>, Refusal> {
    let Ok(chosen) = plan_with(problem, soc, Some(algorithm)) else {
        return Ok(None);
    };
    let taken = plan(problem, soc).map_err(|unsupported| Refusal::Broken(unsupported.to_string()))?;
    let mut out = images.out.clone();
    let storages = Storages {
        self_: images.self_.as_ref().map_or(&[], Image::bytes),
        index: images.index.bytes(),
        src: images.src.as_ref().map_or(&[], Image::bytes),
        out: out.bytes_mut(),
    };
    model::configure(Some(options));
    let mut counters = Counters::default();
    let mut longest = (0, Limit::Gm);
    let count = |step: &Step| {
        let launched = model::counters();
        counters += launched;
        let [cautious, ..] = launched.nanoseconds;
        if cautious > longest.0 {
            longest = (cautious, Limit::of(&launched, step.blocks));
        }
    };
    // SAFETY: these are copies of the storages that the problem was made from, of the same sizes.
    unsafe { launch(&Kernels::host_model(), &chosen, storages, count) }?;
    let got = Storage::from_bytes(case.dtype(), out.bytes());
    if let Some(mismatch) = got.and_then(|got| wanted.difference(case, &got)) {
        return Err(Refusal::Broken(format!("{}: {mismatch}", algorithm.name())));
    }
    Ok(Some(Measured {
        algorithm,
        is_chosen: taken.algorithm == Some(algorithm),
        launches: chosen.steps.len() as u32,
        blocks: chosen.steps.iter().map(|step| step.blocks).max().unwrap_or(0),
        counters,
        limit: longest.1,
    }))
}

/// Bytes that are aligned to 512.
#[derive(Clone, Debug)]
struct Image {
    lines: Vec<Line>,
    bytes: usize,
}

#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(512))]
struct Line([u8; 512]);

impl Image {
    fn of(bytes: &[u8]) -> Self {
        let lines = vec![Line([0; 512]); bytes.len().div_ceil(size_of::<Line>())];
        let mut image = Self { lines, bytes: bytes.len() };
        image.bytes_mut().copy_from_slice(bytes);
        image
    }

    fn bytes(&self) -> &[u8] {
        &cast_slice(&self.lines)[..self.bytes]
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut cast_slice_mut(&mut self.lines)[..self.bytes]
    }
}
