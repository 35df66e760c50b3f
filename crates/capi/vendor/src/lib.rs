//! A stand-in for CANN's own operator libraries: the scatter operators and
//! `aclnnInplaceFillScalar`, for tests of the way that `libaclnn_scatter.so` takes on a CANN that
//! isn't host-cann.
//!
//! It goes before host-cann's library in `ACLNN_LIBRARY_PATH`, instead of `HOST_CANN_EXTENSION=0`:
//! its `hostcann_extension` returns no extension, so that the process has a CANN without one. It
//! uses the real one itself, as CANN's operators use CANN's internals, and computes with its own
//! copy of the crate `aclnn-scatter`.
//!
//! Every call of a function that it exports is counted ([`calls`]).
//!
//! It differs from the contract as CANN's C functions do: strides below 0, tensors of rank 0 and
//! indices without coordinates are refused or do nothing. With `VENDOR_OPERATORS_ORDER=reversed` a
//! call's updates are also made from the last to the first, but for those of a scalar, of
//! `index_put`, of `embedding_backward`, and of `scatter_update` with one column ([`reversed`]).

mod calls;
mod fill;
mod inside;
mod reversed;

use reversed::{Argument as _, Reversed};

/// Makes, for each function of the headers that `aclnn_sys::for_each_function!` lists, a macro of
/// its name. The macro exports a function that counts the call and computes it.
macro_rules! counted {
    ($(fn $name:ident($($argument:ident: $kind:ty),*) $(-> $answer:ty)?;)*) => {$(
        #[allow(unused_macros)]
        macro_rules! $name {
            () => {
                #[doc = concat!("CANN's own `", stringify!($name), "`.")]
                ///
                /// # Safety
                /// As there.
                #[unsafe(no_mangle)]
                #[allow(non_snake_case)]
                pub unsafe extern "C" fn $name($($argument: $kind),*) $(-> $answer)? {
                    calls::count(stringify!($name));
                    inside::begin();
                    // SAFETY: handles that a caller passes to CANN's function are null, which is no
                    // tensor here, or alive.
                    let reversed = unsafe { Reversed::of(&[$((stringify!($argument), $argument.value())),*]) };
                    match &reversed {
                        // SAFETY: handles and results are the caller's, as below; index and src are
                        // replaced by tensors on their memory, which live as long as `reversed`.
                        Some(reversed) => inside::scope().run(|| unsafe {
                            let instead = |name| reversed.instead_of(name);
                            aclnn_scatter::c::$name($($argument.or(instead(stringify!($argument)))),*)
                        }),
                        // SAFETY: the caller passes handles that are null or alive, and pointers
                        // for results that are null or can be written to, as CANN's function asks.
                        None => unsafe { aclnn_scatter::c::$name($($argument),*) },
                    }
                }
            };
        }
    )*};
}

/// Exports the operators of a list; CANN has all of them but one.
macro_rules! export {
    () => {};
    (aclnnScatterStreamStatus $($others:ident)*) => { export! { $($others)* } };
    ($name:ident $($others:ident)*) => {
        $name!();
        export! { $($others)* }
    };
}

aclnn_sys::for_each_function!(counted);
aclnn_scatter::for_each_name!(export);
