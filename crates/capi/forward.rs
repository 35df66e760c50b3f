// How a library gives functions their C names; included by both libraries as a module of theirs.

/// For `aclnn_sys::for_each_function!`: per function of the headers a macro of its name, which defines it as one that calls
/// the function of that name in `functions` and is exported as C knows it.
///
/// A library applies the names of its own list, so that one without a prototype or an implementation does not compile.
macro_rules! forwarders {
    ($(fn $name:ident($($argument:ident: $kind:ty),*) $(-> $answer:ty)?;)*) => {$(
        #[allow(unused_macros)]
        macro_rules! $name {
            () => {
                #[doc = concat!("[`", stringify!($name), "`](functions::", stringify!($name), ") under its C name.")]
                ///
                /// # Safety
                /// As there.
                #[unsafe(no_mangle)]
                #[allow(non_snake_case)]
                pub unsafe extern "C" fn $name($($argument: $kind),*) $(-> $answer)? {
                    // SAFETY: the contract of the function is the caller's.
                    unsafe { functions::$name($($argument),*) }
                }
            };
        }
    )*};
}

/// For a crate's `for_each_name!`: exports every function of the list.
macro_rules! export {
    ($($name:ident)*) => { $($name!();)* };
}
