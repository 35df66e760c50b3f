//! The list of functions, and that each method is the one of its name.
#![cfg(feature = "loader")]

use std::ffi::{CStr, c_void};

use aclnn_sys::{Cann, FUNCTIONS};

#[test]
fn the_list_of_functions_is_sorted_and_names_each_once() {
    let mut sorted = FUNCTIONS.to_vec();
    sorted.sort();
    sorted.dedup();
    assert_eq!(sorted, FUNCTIONS);
}

/// The list of functions as a macro: a stub for each, whose type the compiler compares with the
/// prototype, and a call of each method.
#[allow(non_snake_case, clippy::let_unit_value, clippy::too_many_arguments, clippy::too_many_lines)]
mod every {
    use super::*;
    use std::cell::Cell;

    thread_local! {
        /// The stub that was called last.
        pub(super) static CALLED: Cell<&'static str> = const { Cell::new("") };
    }

    macro_rules! every {
        ($(fn $name:ident($($argument:ident: $kind:ty),*) $(-> $output:ty)?;)*) => {
            $(
                extern "C" fn $name($(_: $kind),*) $(-> $output)? {
                    CALLED.set(stringify!($name));
                    // SAFETY: zero is a value of every result: a code, a number, a null pointer.
                    unsafe { std::mem::zeroed() }
                }
            )*

            pub(super) fn table() -> Vec<(&'static CStr, *const c_void)> {
                let addresses = [$($name as aclnn_sys::prototypes::$name as *const c_void),*];
                FUNCTIONS.into_iter().zip(addresses).collect()
            }

            /// Calls every method with zeros, and after each says its name.
            pub(super) fn call(cann: &Cann, mut after: impl FnMut(&str)) {
                $(
                    // SAFETY: zero is a value of every argument, and the stubs look at none.
                    unsafe {
                        $(let $argument: $kind = std::mem::zeroed();)*
                        let _ = cann.$name($($argument),*).unwrap();
                    }
                    after(stringify!($name));
                )*
            }
        };
    }
    aclnn_sys::for_each_function!(every);
}

#[test]
fn every_method_calls_the_function_of_its_name() {
    let cann = Cann::from_table(every::table());
    for _ in 0..2 {
        let mut called = Vec::new();
        every::call(&cann, |name| {
            assert_eq!(every::CALLED.get(), name);
            called.push(name.to_owned());
        });
        assert!(called.iter().map(String::as_bytes).eq(FUNCTIONS.iter().map(|name| name.to_bytes())));
    }
}
