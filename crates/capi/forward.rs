// How a library exports functions under their C names; each of these libraries includes this
// file as a module.

/// Makes, for each function of the headers that `aclnn_sys::for_each_function!` lists, a macro of
/// its name. The macro exports a C function that calls the one of that name in `functions`.
///
/// A library applies the macros of its own list, so that a name without a prototype or an
/// implementation does not compile.
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
                    // SAFETY: this is the function of `functions` under another name: handles and
                    // pointers go to it as the caller gave them.
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
