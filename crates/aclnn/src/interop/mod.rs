//! Conversions from and to tensors of other libraries.

#[cfg(feature = "dlpack")]
mod dlpack;
#[cfg(feature = "ndarray")]
mod ndarray;
