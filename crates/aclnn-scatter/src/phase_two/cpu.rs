//! The CPU engine on addresses.

use core::ptr::with_exposed_provenance as at;
use core::ptr::with_exposed_provenance_mut as at_mut;

use scatter::cpu::{Memory, TensorMut, TensorRef};
use scatter::{
    Bool, Complex, DType, Element, Error, Index, LayoutError, Operand, Problem, SrcGrad, bf16, f16,
};

use crate::executor::call::Operands;
use crate::phase_two::ranges::Ranges;

/// Calls a function of an element type and an index type with those of a dtype and of an index's.
macro_rules! typed {
    ($dtype:expr, $index:expr, $function:ident($($argument:expr),*)) => {
        typed! { @match $dtype, $index != Some(DType::I32), $function, ($($argument),*);
            Bf16 => bf16, F16 => f16, F32 => f32, F64 => f64, I64 => i64, I32 => i32, I16 => i16, I8 => i8, U8 => u8,
            Bool => Bool, Complex64 => Complex<f32>, Complex128 => Complex<f64>,
        }
    };
    (@match $dtype:expr, $wide:expr, $function:ident, $arguments:tt; $($name:ident => $element:ty,)*) => {
        match ($dtype, $wide) {
            $(
                (DType::$name, true) => typed!(@call $function, $element, i64, $arguments),
                (DType::$name, false) => typed!(@call $function, $element, i32, $arguments),
            )*
        }
    };
    (@call $function:ident, $element:ty, $index:ty, ($($argument:expr),*)) => {
        $function::<$element, $index>($($argument),*)
    };
}

/// Runs a problem that is bound to the addresses of `operands`, where `places` say that these lie.
///
/// # Safety
/// There lie storages that are as large as the problem's layouts say, aligned, and other than by this call neither written nor,
/// where out is, read until it returns.
pub(crate) unsafe fn run(problem: &Problem, operands: &Operands, places: &Ranges) -> Result<(), Error> {
    let (mut problem, mut operands) = (*problem, *operands);
    if places.are_elsewhere() {
        let Operands { self_, index, src, out } = &mut operands;
        for operand in [Some(self_), Some(index), src.as_mut(), Some(out)].into_iter().flatten() {
            operand.address = places.place(operand.address);
        }
        problem = problem.rebind(operands.addresses())?;
    }
    // SAFETY: the caller's word; the types are those of the dtypes.
    unsafe { typed!(problem.dtype(), problem.index_dtype(), scatter(&problem, &operands)) }
}

/// Runs a gradient that is bound to the addresses of `operands`, where `places` say that these lie: grad, index and out.
///
/// # Safety
/// As [`run`].
pub(crate) unsafe fn run_src_grad(
    problem: &SrcGrad,
    operands: &[Operand; 3],
    places: &Ranges,
) -> Result<(), Error> {
    let (mut problem, mut operands) = (*problem, *operands);
    if places.are_elsewhere() {
        operands.iter_mut().for_each(|operand| operand.address = places.place(operand.address));
        let [grad, index, out] = operands.map(|operand| operand.address);
        problem = problem.rebind(grad, index, out)?;
    }
    // SAFETY: the caller's word; the types are those of the dtypes.
    unsafe { typed!(problem.dtype(), problem.index_dtype(), gather(&problem, &operands)) }
}

/// [`run`] for the types of the problem.
///
/// # Safety
/// As [`run`]; the types are those of the problem's dtypes.
unsafe fn scatter<T: Element, I: Index>(problem: &Problem, operands: &Operands) -> Result<(), Error> {
    let Operands { self_, index, src, out } = operands;
    // The index of a copy is not read, and may have any dtype.
    let nothing = Err(LayoutError::Strides { expected: 0, got: 0 });
    let index_layout = if problem.is_copy() { nothing } else { index.layout };
    // SAFETY: by the caller's word these addresses are good for what the layouts say. Phase one took them from tensors, whose
    // memory was made by C, so that its provenance is exposed.
    let mut memory = unsafe {
        Memory {
            self_: (!problem.in_place()).then(|| TensorRef::<T>::from_raw(at(self_.address), self_.layout)),
            index: TensorRef::<I>::from_raw(at(index.address), index_layout),
            src: src.as_ref().map(|src| TensorRef::<T>::from_raw(at(src.address), src.layout)),
            out: TensorMut::<T>::from_raw(at_mut(out.address), out.layout),
        }
    };
    ::scatter::cpu::run(problem, &mut memory)
}

/// [`run_src_grad`] for the types of the problem.
///
/// # Safety
/// As [`run`]; the types are those of the problem's dtypes.
unsafe fn gather<T: Element, I: Index>(problem: &SrcGrad, operands: &[Operand; 3]) -> Result<(), Error> {
    let [grad, index, out] = operands;
    // SAFETY: by the caller's word these addresses are good for what the layouts say. They were made by C, so that their
    // provenance is exposed.
    let (grad, index, mut out) = unsafe {
        (
            TensorRef::<T>::from_raw(at(grad.address), grad.layout),
            TensorRef::<I>::from_raw(at(index.address), index.layout),
            TensorMut::<T>::from_raw(at_mut(out.address), out.layout),
        )
    };
    ::scatter::cpu::run_src_grad(problem, &grad, &index, &mut out)
}
