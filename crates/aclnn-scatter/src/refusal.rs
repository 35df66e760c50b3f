//! Layouts and addresses that the C ABI does not allow.

use core::fmt;

use aclnn_sys::{ACLNN_ERR_INNER_NULLPTR, ACLNN_ERR_PARAM_NULLPTR};
use scatter::{DType, IndexList, Layout, LayoutError, Operand};

use crate::dtype::alignment;
use crate::failure::{Failure, ensure, failure};

/// Why the C ABI does not allow a tensor, beyond what [`Layout`] itself refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Size { axis: usize, got: i64 },
    Stride { axis: usize, got: i64 },
    Offset(i64),
    StorageSize { axis: usize, got: i64 },
    StorageOverflow,
    Alignment { expected: usize, address: usize },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size { axis, got } => write!(f, "size 0 or more expected on axis {axis}, got {got}"),
            Self::Stride { axis, got } => write!(f, "stride 0 or more expected on axis {axis}, got {got}"),
            Self::Offset(got) => write!(f, "offset 0 or more expected, got {got}"),
            Self::StorageSize { axis, got } => {
                write!(f, "size 0 or more expected on axis {axis} of the storage, got {got}")
            }
            Self::StorageOverflow => {
                f.write_str("a storage that can be addressed expected, got one that overflows")
            }
            Self::Alignment { expected, address } => {
                write!(f, "an address that is a multiple of {expected} expected, got {address:#x}")
            }
        }
    }
}

/// Refuses an address at which a storage can't lie. A tensor without elements may have any address,
/// and null stands for an address that is set later.
pub(crate) fn address_of(
    layout: Result<Layout, LayoutError>,
    dtype: Option<DType>,
    address: usize,
) -> Result<(), Refusal> {
    let Some(layout) = layout.ok().filter(|layout| !layout.is_empty()) else { return Ok(()) };
    let bytes = layout.storage_len().saturating_mul(dtype.map_or(1, DType::size));
    let expected = dtype.map_or(1, alignment);
    if !address.is_multiple_of(expected) {
        Err(Refusal::Alignment { expected, address })
    } else if isize::try_from(bytes).is_err() || address.checked_add(bytes).is_none() {
        Err(Refusal::StorageOverflow)
    } else {
        Ok(())
    }
}

/// Refuses an operand whose storage can't lie at its address.
pub(crate) fn can_lie(name: impl fmt::Display, operand: &Operand) -> Result<(), Failure> {
    address_of(operand.layout, operand.dtype.ok(), operand.address)
        .map_err(|refusal| failure!(ACLNN_ERR_INNER_NULLPTR, "{name}: {refusal}"))
}

/// Calls `check` with each tensor of a list, and its name: the list's, and its position there.
pub(crate) fn each_of_list(
    name: &str,
    list: &IndexList,
    check: impl Fn(fmt::Arguments<'_>, &Operand) -> Result<(), Failure>,
) -> Result<(), Failure> {
    (0..list.entries()).try_for_each(|place| match list.tensor(place) {
        Some(&(dtype, layout, address)) => {
            check(format_args!("{name}[{place}]"), &Operand::new(dtype, layout, address))
        }
        None => Ok(()),
    })
}

/// Refuses a tensor that has elements and a null address; `name` gives its name for the message.
pub(crate) fn has_address<N: fmt::Display>(
    name: impl FnOnce() -> N,
    operand: &Operand,
) -> Result<(), Failure> {
    let is_empty = operand.layout.is_ok_and(|layout| layout.is_empty());
    ensure!(
        operand.address != 0 || is_empty,
        ACLNN_ERR_PARAM_NULLPTR,
        "{}: an address expected, got null",
        name()
    );
    Ok(())
}
