//! Counts the work of our kernels for a workload on the host model.

use bytemuck::{Pod, Zeroable, cast_slice, cast_slice_mut};
use engines::case::Case;
use engines::engine::{Storages, launch};
use engines::judge::Wanted;
use engines::refusal::Refusal;
use engines::storage::Storage;
use engines::tensor::Tensor;
use scatter::{IndexList, Operand, Problem};
use scatter_kernels::model::{self, Counters, Options};
use scatter_kernels::plan::{Plan, Step, Unsupported, plan_list_with, plan_with};
use scatter_kernels::{Algorithm, Kernels, Soc};

use super::limit::Limit;
use crate::index_tensors::index_tensors;

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
    indices: Vec<Image>,
    /// The index tensors of `index_put`.
    list: Option<IndexList>,
    src: Option<Image>,
    out: Image,
}

impl Images {
    /// The copies for a case.
    ///
    /// # Errors
    /// Index tensors that can't be put.
    pub(super) fn of(case: &Case) -> Result<Self, scatter::Error> {
        let image = |tensor: &Tensor| Image::of(tensor.storage.bytes());
        let tensors = index_tensors(case);
        let operands: Vec<Option<Operand>> = tensors.iter().map(|tensor| Some(tensor.operand())).collect();
        let list = (!operands.is_empty()).then(|| IndexList::new(&operands)).transpose()?;
        let indices = if list.is_some() { &tensors } else { core::slice::from_ref(&case.index) };
        Ok(Self {
            self_: case.out.is_some().then(|| image(&case.self_)),
            indices: indices.iter().map(image).collect(),
            list,
            src: case.src.as_ref().map(image),
            out: image(case.destination()),
        })
    }

    /// The plan of the case's problem.
    pub(super) fn plan(
        &self,
        problem: &Problem,
        soc: &Soc,
        algorithm: Option<Algorithm>,
    ) -> Result<Plan, Unsupported> {
        match &self.list {
            Some(list) => plan_list_with(problem, list, soc, algorithm),
            None => plan_with(problem, soc, algorithm),
        }
    }
}

/// Runs an algorithm on the model of a device, by the plan that [`Images::plan`] makes for it of
/// the case's problem; an error where its result is wrong.
pub(super) fn measure(
    case: &Case,
    images: &Images,
    wanted: &Wanted,
    (algorithm, is_chosen): (Algorithm, bool),
    plan: &Plan,
    options: &Options,
) -> Result<Measured, Refusal> {
    let mut out = images.out.clone();
    let indices: Vec<&[u8]> = images.indices.iter().map(Image::bytes).collect();
    let storages = Storages {
        self_: images.self_.as_ref().map_or(&[], Image::bytes),
        indices: &indices,
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
    // SAFETY: these are copies of the storages of the case, of the same sizes, and the plan is of
    // the case's problem.
    unsafe { launch(&Kernels::host_model(), plan, storages, count) }?;
    let got = Storage::from_bytes(case.dtype(), out.bytes());
    if let Some(mismatch) = got.and_then(|got| wanted.difference(case, &got)) {
        return Err(Refusal::Broken(format!("{}: {mismatch}", algorithm.name())));
    }
    Ok(Measured {
        algorithm,
        is_chosen,
        launches: plan.steps.len() as u32,
        blocks: plan.steps.iter().map(|step| step.blocks).max().unwrap_or(0),
        counters,
        limit: longest.1,
    })
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
