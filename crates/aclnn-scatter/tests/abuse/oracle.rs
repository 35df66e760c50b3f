//! Predicts what the work of a phase two does, from the tensors' contents when it runs.

use aclnn_scatter::sys::aclDataType;
use bytemuck::Pod;
use scatter::{
    Addressing, Bool, Complex, DType, Element, Error, Index, Layout, Op, Operand, Problem, UnsupportedDType,
    bf16, f16, reference,
};

use super::memory::{Memory, Place};
use crate::common::tensors::{Spec, code};
use crate::common::which::Which;

/// The tensors of a call; in place, out is self.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tensors {
    pub(crate) self_: Operand,
    pub(crate) index: Operand,
    pub(crate) src: Option<Operand>,
    pub(crate) out: Operand,
}

impl Tensors {
    pub(crate) fn problem(&self, op: Op) -> Result<Problem, Error> {
        // The C functions take coordinates of no axes for an empty index.
        let has_no_coordinates = op.operator().signature().addressing == Addressing::Nd
            && self.index.layout.is_ok_and(|layout| layout.shape().last() == Some(&0));
        let new = if has_no_coordinates { Problem::without_updates } else { Problem::new };
        new(op, &self.self_, &self.index, self.src.as_ref(), &self.out)
    }

    /// The tensors in the order of the prototype.
    fn all(&self) -> impl Iterator<Item = &Operand> {
        [Some(&self.self_), Some(&self.index), self.src.as_ref(), Some(&self.out)].into_iter().flatten()
    }

    fn layouts(&self) -> impl Iterator<Item = (Layout, &Operand)> {
        self.all().filter_map(|operand| Some((operand.layout.ok()?, operand)))
    }

    /// Whether a tensor has no elements.
    pub(crate) fn lack_elements(&self) -> bool {
        self.layouts().any(|(layout, _)| layout.is_empty())
    }

    /// Whether a tensor with elements that the work needs has a null address: a copy needs only
    /// self and out, and a call that does nothing needs none.
    pub(crate) fn lack_address(&self, is_copy: bool, is_nothing: bool) -> bool {
        let lacks =
            |operand: &Operand| operand.address == 0 && operand.layout.is_ok_and(|layout| !layout.is_empty());
        let others = !is_copy && (lacks(&self.index) || self.src.as_ref().is_some_and(lacks));
        !is_nothing && (others || lacks(&self.self_) || lacks(&self.out))
    }

    /// Whether every tensor with elements has an address at which its storage can lie.
    pub(crate) fn are_addressable(&self) -> bool {
        self.layouts().all(|(layout, operand)| {
            let size = operand.dtype.map_or(1, DType::size);
            let alignment = operand.dtype.map_or(1, |dtype| if dtype.is_complex() { size / 2 } else { size });
            layout.is_empty()
                || operand.address.is_multiple_of(alignment)
                    && operand.address.checked_add(layout.storage_len() * size).is_some()
        })
    }
}

/// A tensor as `scatter` describes it; `None` if no tensor can have its sizes, strides and offset.
pub(crate) fn operand(spec: &Spec) -> Option<Operand> {
    let sizes =
        |numbers: &[i64]| numbers.iter().map(|&n| usize::try_from(n).ok()).collect::<Option<Vec<_>>>();
    let (shape, strides, storage) = (sizes(&spec.shape)?, sizes(&spec.strides)?, sizes(&spec.storage)?);
    let strides: Vec<isize> = strides.into_iter().map(isize::try_from).collect::<Result<_, _>>().ok()?;
    let len =
        storage.iter().try_fold(1_usize, |len, &size| len.checked_mul(size)).filter(|&len| len < 1 << 40)?;
    Some(Operand {
        dtype: dtype(spec.dtype),
        layout: Layout::new(&shape, &strides, usize::try_from(spec.offset).ok()?, len),
        address: spec.address.addr(),
    })
}

fn dtype(number: aclDataType) -> Result<DType, UnsupportedDType> {
    let found = DType::ALL.into_iter().find(|&dtype| code(dtype) == number);
    found.ok_or(UnsupportedDType(number.0.into()))
}

/// A scatter that breaks no rule at the addresses with which it was launched.
#[derive(Clone, Debug)]
pub(crate) struct Scatter {
    op: Op,
    dtype: DType,
    /// The tensors that are read, each from its lowest element to its highest: not self in place
    /// or where there is none, nor index and src of a copy.
    self_: Option<Operand>,
    index: Option<Operand>,
    src: Option<Operand>,
    out: Operand,
    /// index and src as they were given; a copy does not read them.
    given_index: Operand,
    given_src: Option<Operand>,
    /// Whether `aclnnScatterStreamStatus` must report an index out of range.
    pub(crate) is_flagged: bool,
}

/// The outcome of a scatter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// A range does not lie in one allocation of the device: nothing is accessed, and the stream
    /// fails.
    Outside,
    /// An index is out of range: nothing is written, and the stream fails.
    BadIndex { value: i64, size: usize },
    /// The scatter is computed.
    Done,
    /// Unpredictable, because values of the index are unknown.
    Unknown,
}

impl Scatter {
    /// The work for tensors at these addresses; `None` if there is nothing to do.
    pub(crate) fn new(op: Op, tensors: &Tensors) -> Result<Option<Self>, Error> {
        let problem = tensors.problem(op)?;
        if !problem.has_work() {
            return Ok(None);
        }
        let dtype = problem.dtype();
        let part = |operand: &Operand, dtype: DType, layout: &Layout| {
            let address = operand.address.wrapping_add(layout.offset() * dtype.size());
            let enclosing = Layout::enclosing(layout.shape(), layout.strides());
            Operand { dtype: Ok(dtype), layout: enclosing, address }
        };
        let index_dtype = problem.index_dtype().unwrap_or(DType::I64);
        // A problem may have the axes in another order than the tensors.
        let given = |operand: &Operand, checked: &Layout| operand.layout.unwrap_or(*checked);
        let of_src = |src: &Operand, checked: &Layout| match op.operator().signature().addressing {
            Addressing::Windows => given(src, checked),
            _ => *checked,
        };
        Ok(Some(Self {
            op,
            dtype,
            self_: (!problem.in_place() && !problem.starts_from_zeros())
                .then(|| part(&tensors.self_, dtype, &given(&tensors.self_, problem.self_layout()))),
            index: (!problem.is_copy())
                .then(|| tensors.index.layout.ok().map(|layout| part(&tensors.index, index_dtype, &layout)))
                .flatten(),
            src: tensors
                .src
                .as_ref()
                .zip(problem.src_layout())
                .map(|(src, layout)| part(src, dtype, &of_src(src, layout))),
            out: part(&tensors.out, dtype, &given(&tensors.out, problem.out_layout())),
            given_index: tensors.index,
            given_src: tensors.src,
            is_flagged: true,
        }))
    }

    /// The bytes that are read, and those that are written, as starts and lengths.
    pub(crate) fn ranges(&self) -> (Vec<(usize, usize)>, (usize, usize)) {
        let read = [&self.self_, &self.index, &self.src].into_iter().flatten().map(range);
        (read.filter(|&(_, len)| len > 0).collect(), range(&self.out))
    }

    /// The outcome if the work runs now on this device, and the storage of out afterwards, if
    /// known.
    pub(crate) fn verdict(&self, memory: &Memory, device: i32) -> (Verdict, Option<Vec<u8>>) {
        let (read, written) = self.ranges();
        let is_inside = |(start, len): (usize, usize)| {
            len == 0 || memory.holding(start, len).is_some_and(|found| found.place == Place::Device(device))
        };
        if !read.into_iter().chain([written]).all(is_inside) {
            return (Verdict::Outside, None);
        }
        let index_dtype = self.index.and_then(|index| index.dtype.ok());
        typed(self.dtype, index_dtype, self, memory)
    }

    /// Notes that the elements of out are written, with `None` to unknown values.
    pub(crate) fn write_out(&self, memory: &mut Memory, storage: Option<&[u8]>) {
        let Ok(layout) = self.out.layout else { return };
        let size = self.dtype.size();
        for at in layout.shape().coordinates() {
            let at = layout.address(&at) * size;
            match storage {
                None => memory.forget(self.out.address + at, size),
                Some(storage) => {
                    let element = &storage[at..at + size];
                    let element =
                        is_number(self.dtype, element).then(|| element.iter().copied().map(Some).collect());
                    memory.write(self.out.address + at, &element.unwrap_or_else(|| vec![None; size]));
                }
            }
        }
    }
}

/// The address and size in bytes of a tensor's storage.
fn range(operand: &Operand) -> (usize, usize) {
    let size = operand.dtype.map_or(1, DType::size);
    (operand.address, operand.layout.map_or(0, |layout| layout.storage_len() * size))
}

/// Whether an element is not NaN: which of the possible NaNs is written is unspecified.
fn is_number(dtype: DType, element: &[u8]) -> bool {
    fn all<T: Pod + PartialOrd>(element: &[u8]) -> bool {
        bytemuck::pod_collect_to_vec::<u8, T>(element).iter().all(|value| value.partial_cmp(value).is_some())
    }
    match dtype {
        DType::Bf16 => all::<bf16>(element),
        DType::F16 => all::<f16>(element),
        DType::F32 | DType::Complex64 => all::<f32>(element),
        DType::F64 | DType::Complex128 => all::<f64>(element),
        _ => true,
    }
}

/// Calls [`run`] with the types of two dtypes.
fn typed(dtype: DType, index: Option<DType>, call: &Scatter, memory: &Memory) -> (Verdict, Option<Vec<u8>>) {
    macro_rules! of {
        ($($name:ident => $element:ty,)*) => {
            match (dtype, index) {
                $(
                    (DType::$name, Some(DType::I32)) => run::<$element, i32>(call, memory),
                    (DType::$name, _) => run::<$element, i64>(call, memory),
                )*
            }
        };
    }
    of! {
        Bf16 => bf16, F16 => f16, F32 => f32, F64 => f64, I64 => i64, I32 => i32, I16 => i16, I8 => i8, U8 => u8,
        Bool => Bool, Complex64 => Complex<f32>, Complex128 => Complex<f64>,
    }
}

/// Runs the reference on copies of the tensors. Returns the outcome, and the storage of out if it
/// is known.
fn run<T: Element, I: Index>(call: &Scatter, memory: &Memory) -> (Verdict, Option<Vec<u8>>) {
    let bytes = |operand: &Operand| {
        let (start, len) = range(operand);
        if len == 0 { Some(Vec::new()) } else { memory.read(start, len) }
    };
    let index = match &call.index {
        None => Vec::new(),
        Some(index) => match bytes(index) {
            None => return (Verdict::Unknown, None),
            Some(bytes) => bytemuck::pod_collect_to_vec::<u8, I>(&bytes),
        },
    };
    // Unknown values don't affect which index values are out of range, so zeros take their place.
    let mut is_known = true;
    let mut values = |operand: &Operand| {
        let known = bytes(operand);
        is_known &= known.is_some();
        let zeros = || vec![0; range(operand).1];
        bytemuck::pod_collect_to_vec::<u8, T>(&known.unwrap_or_else(zeros))
    };
    let self_ = call.self_.as_ref().map(&mut values);
    let src = call.src.as_ref().map(&mut values);
    // In place, out holds self. Otherwise its elements are only written, and none are read.
    let has_self = call.op.operator().signature().has_self;
    let mut out = if self_.is_none() && has_self {
        values(&call.out)
    } else {
        vec![T::zeroed(); range(&call.out).1 / size_of::<T>()]
    };
    let tensors = Tensors {
        self_: call.self_.unwrap_or(call.out),
        index: call.index.unwrap_or(call.given_index),
        src: call.src.or(call.given_src),
        out: call.out,
    };
    let problem = tensors.problem(call.op).unwrap_or_else(|error| panic!("{error}: {call:?}"));
    match reference::run(&problem, self_.as_deref(), &index, src.as_deref(), &mut out) {
        Ok(()) => (Verdict::Done, is_known.then(|| bytemuck::cast_slice(&out).to_vec())),
        Err(Error::IndexOutOfRange { value, size, .. }) => (Verdict::BadIndex { value, size }, None),
        Err(error) => panic!("{error}: {call:?}"),
    }
}

/// The tensors of a function with coordinates along the last axis of index in the form that
/// [`scatter`] takes; `None` for forms that only the C function supports.
pub(crate) fn nd_form(which: Which, tensors: &Tensors) -> Option<Tensors> {
    let (var, indices) = (tensors.self_.layout.ok()?, tensors.index.layout.ok()?);
    let updates = tensors.src?.layout.ok()?;
    let (&depth, points) = indices.shape().split_last()?;
    let (_, slice) = var.shape().split_first()?;
    let is = |rows: &[usize], slice: &[usize]| updates.shape().iter().eq(rows.iter().chain(slice));
    if var.shape().get(depth..).is_some_and(|slice| is(points, slice)) {
        return Some(*tensors);
    }
    if which != Which::NdAdd || !is(indices.shape(), slice) {
        return None;
    }
    let one = |numbers: &[usize]| numbers.iter().copied().chain([1]).collect::<Vec<_>>();
    let strides: Vec<isize> = indices.strides().iter().copied().chain([1]).collect();
    let layout =
        Layout::new(&one(indices.shape()), &strides, indices.offset(), indices.storage_len()).ok()?;
    Some(Tensors { index: Operand { layout: Ok(layout), ..tensors.index }, ..*tensors })
}

/// Those of four tensors that a function takes.
pub(crate) fn taken(which: Which, [self_, index, src, out]: [Operand; 4]) -> Tensors {
    Tensors {
        self_,
        index,
        src: which.takes_src().then_some(src),
        out: if which.is_in_place() { self_ } else { out },
    }
}
