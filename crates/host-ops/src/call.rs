//! A call: the arguments of phase one as the operators see them, and the work that they make of it.

use core::fmt;
use std::sync::Arc;

use aclnn_sys::{ACLNN_ERR_PARAM_INVALID, aclDataType, aclIntArray, aclScalar, aclTensor, aclTensorList};

use crate::dtype::DType;
use crate::failure::{Failure, bug, ensure, failure, present};
use crate::held::Held;
use crate::host::Host;
use crate::tensor::Tensor;
use crate::values::Scalar;

/// An argument of phase one, by its kind.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Argument {
    /// A tensor that is read.
    In(*const aclTensor),
    /// A tensor that is written in place.
    InOut(*mut aclTensor),
    /// A tensor that is written.
    Out(*mut aclTensor),
    /// Tensors that are read.
    List(*const aclTensorList),
    Scalar(*const aclScalar),
    Dims(*const aclIntArray),
    Int(i64),
    Double(f64),
    Flag(bool),
    Type(aclDataType),
    /// How precise a device's matrix unit may be. The CPU has one way.
    #[expect(dead_code, reason = "any value computes the same")]
    Mode(i8),
}

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Call {
    /// Each tensor once, those of a list one by one, in the order of the prototype.
    pub(crate) operands: Vec<Tensor>,
    /// For each tensor argument that is read, or changed in place, its operand; `None` for a list.
    pub(crate) inputs: Vec<Option<usize>>,
    /// The operand that is written.
    pub(crate) output: Option<usize>,
    scalars: Vec<(&'static str, Scalar)>,
    dims: (&'static str, Vec<i64>),
    integers: Vec<i64>,
    doubles: Vec<f64>,
    flags: Vec<bool>,
    types: Vec<aclDataType>,
}

impl Call {
    /// Reads the arguments, which have these names.
    ///
    /// # Safety
    /// Handles were made by host-cann, or are any values that are not valid addresses.
    pub(crate) unsafe fn read(host: Host, arguments: &[(&'static str, Argument)]) -> Result<Self, Failure> {
        for (name, argument) in arguments {
            // A Rust parameter can't have the name `self`.
            let name = name.trim_end_matches('_');
            match *argument {
                Argument::In(handle) => present(name, handle)?,
                Argument::InOut(handle) | Argument::Out(handle) => present(name, handle)?,
                Argument::List(handle) => present(name, handle)?,
                Argument::Scalar(handle) => present(name, handle)?,
                Argument::Dims(handle) => present(name, handle)?,
                Argument::Int(_)
                | Argument::Double(_)
                | Argument::Flag(_)
                | Argument::Type(_)
                | Argument::Mode(_) => {}
            }
        }
        let mut call = Self::default();
        for &(name, argument) in arguments {
            // SAFETY: the caller guarantees that handles are host-cann's or no valid addresses.
            unsafe { call.add(host, name.trim_end_matches('_'), argument) }?;
        }
        Ok(call)
    }

    /// Reads one argument.
    ///
    /// # Safety
    /// As [`read`](Self::read).
    unsafe fn add(&mut self, host: Host, name: &'static str, argument: Argument) -> Result<(), Failure> {
        let place = self.operands.len();
        // SAFETY: the handle is one of the arguments, which are host-cann's or no valid addresses,
        // or one of a list of host-cann's.
        let mut tensor = |name: &str, handle: *const aclTensor| unsafe {
            self.operands.push(Tensor::read(host, name, handle)?);
            Ok::<(), Failure>(())
        };
        match argument {
            Argument::In(handle) => {
                tensor(name, handle)?;
                self.inputs.push(Some(place));
            }
            Argument::InOut(handle) => {
                tensor(name, handle)?;
                self.inputs.push(Some(place));
                self.output = Some(place);
            }
            Argument::Out(handle) => {
                tensor(name, handle)?;
                self.output = Some(place);
            }
            Argument::List(handle) => {
                // SAFETY: the caller guarantees a list of host-cann's, or no valid address.
                let handles = unsafe { host.read_list(handle) }?;
                for (index, handle) in handles.into_iter().enumerate() {
                    tensor(&format!("{name}[{index}]"), handle)?;
                }
                self.inputs.push(None);
            }
            Argument::Scalar(handle) => {
                // SAFETY: the caller guarantees a scalar of host-cann's, or no valid address.
                let (code, bytes) = unsafe { host.read_scalar(handle) }?;
                let dtype = DType::of(code).ok_or_else(|| {
                    failure!(ACLNN_ERR_PARAM_INVALID, "{name}: a dtype of numbers expected, got {code}")
                })?;
                self.scalars.push((name, Scalar::new(dtype, bytes)));
            }
            // SAFETY: the caller guarantees an array of host-cann's, or no valid address.
            Argument::Dims(handle) => self.dims = (name, unsafe { host.read_integers(handle) }?),
            Argument::Int(value) => self.integers.push(value),
            Argument::Double(value) => self.doubles.push(value),
            Argument::Flag(value) => self.flags.push(value),
            Argument::Type(value) => self.types.push(value),
            Argument::Mode(_) => {}
        }
        Ok(())
    }

    /// The positions of the operands in the order in which an operator counts them: the inputs, and
    /// behind them the one that is written. In place that is an input, too, so it is there twice.
    pub(crate) fn order(&self) -> Vec<usize> {
        let inputs = (0..self.operands.len())
            .filter(|place| Some(*place) != self.output || self.inputs.contains(&Some(*place)));
        inputs.chain(self.output).collect()
    }

    /// The tensors, in this order.
    pub(crate) fn all_tensors(&self) -> Vec<&Tensor> {
        self.order().into_iter().filter_map(|place| self.operands.get(place)).collect()
    }

    /// The tensors, in this order, of a call with `N` of them.
    pub(crate) fn tensors<const N: usize>(&self) -> Result<[&Tensor; N], Failure> {
        self.all_tensors().try_into().map_err(|_| bug("another number of tensors"))
    }

    /// The scalars with their names.
    pub(crate) fn scalars(&self) -> &[(&'static str, Scalar)] {
        &self.scalars
    }

    /// The name and the numbers of the array.
    pub(crate) fn dims(&self) -> (&'static str, &[i64]) {
        (self.dims.0, &self.dims.1)
    }

    pub(crate) fn integer(&self) -> Result<i64, Failure> {
        self.integers.first().copied().ok_or_else(|| bug("a number that isn't there"))
    }

    pub(crate) fn doubles(&self) -> &[f64] {
        &self.doubles
    }

    pub(crate) fn flag(&self) -> Result<bool, Failure> {
        self.flags.first().copied().ok_or_else(|| bug("a truth value that isn't there"))
    }

    /// The dtype that was given, which must be out's.
    pub(crate) fn dtype_of(&self, out: &Tensor) -> Result<DType, Failure> {
        let code = self.types.first().copied().ok_or_else(|| bug("a dtype that isn't there"))?;
        ensure!(
            code == out.dtype.code(),
            ACLNN_ERR_PARAM_INVALID,
            "dtype: that of {}, {}, expected, got {code}",
            out.name,
            out.dtype.code()
        );
        Ok(out.dtype)
    }
}

type Compute = dyn Fn(&Held<'_>) -> Result<(), Failure> + Send + Sync;

/// The work of a checked call: what it does with its tensors.
#[derive(Clone)]
pub(crate) struct Work {
    compute: Arc<Compute>,
    /// Whether out's size is known only when the work is done, and phase two waits for it.
    pub(crate) sizes_out: bool,
}

impl Work {
    /// Work that computes this. It reads its tensors before it writes the last one, so that they
    /// may overlap.
    pub(crate) fn new(compute: impl Fn(&Held<'_>) -> Result<(), Failure> + Send + Sync + 'static) -> Self {
        Self { compute: Arc::new(compute), sizes_out: false }
    }

    /// The same work, which [selects](Held::select) the elements that out has.
    pub(crate) fn that_sizes_out(self) -> Self {
        Self { sizes_out: true, ..self }
    }

    pub(crate) fn compute(&self, held: &Held<'_>) -> Result<(), Failure> {
        (self.compute)(held)
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work").field("sizes_out", &self.sizes_out).finish_non_exhaustive()
    }
}
