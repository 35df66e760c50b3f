//! Conversions from and to tensors of other libraries.

#[cfg(feature = "dlpark-0_10")]
mod dlpack;
#[cfg(feature = "ndarray-0_17")]
mod ndarray;
