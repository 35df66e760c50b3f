//! Debug mode: exact bounds, poison, and reports of damage. In its own process, because the mode
//! applies to the whole process.

mod common;

use aclnn_sys::*;
use common::{Session, fails, malloc, malloc_host, ok};

fn session() -> Session {
    let session = Session::with(&[("HOST_CANN_DEBUG", "1")]);
    ok!(aclrtSetDevice(0));
    session
}

#[test]
fn bounds_are_exact_and_memory_is_full_of_poison() {
    let _session = session();
    for size in [1, 63, 64, 100, 4096, 5000, 1 << 20] {
        let memory = malloc(size);
        assert_eq!(memory.addr() % 64, 0, "{size}");
        let mut host = vec![0_u8; size];
        let pointer = host.as_mut_ptr().cast();
        ok!(aclrtMemcpy(pointer, size, memory, size, ACL_MEMCPY_DEVICE_TO_HOST));
        assert!(host.iter().all(|byte| *byte == 0xA5), "{size}");
        fails!(aclrtMemset(memory, size + 1, 0, size + 1), ACL_ERROR_RT_PARAM_INVALID, "beyond");
        ok!(aclrtMemset(memory, size, 0, size));
        ok!(aclrtFree(memory));
        fails!(aclrtFree(memory), ACL_ERROR_RT_PARAM_INVALID, "freed before");
    }
}

#[test]
fn a_write_outside_is_told_when_the_memory_is_freed() {
    let _session = session();
    for (offset, size) in [(100, 100), (127, 100), (-1, 100), (-64, 64)] {
        let memory = malloc_host(size);
        // SAFETY: the page around the allocation is the runtime's, and this is what debug mode
        // finds.
        unsafe { memory.cast::<u8>().offset(offset).write(0) };
        fails!(aclrtFreeHost(memory), ACL_ERROR_RT_MEMORY_FREE, "something has written");
        fails!(aclrtFreeHost(memory), ACL_ERROR_RT_PARAM_INVALID, "freed before");
    }
}

#[test]
fn freed_addresses_are_not_used_again_soon() {
    let _session = session();
    let first = malloc(64);
    ok!(aclrtFree(first));
    for _ in 0..100 {
        let next = malloc(64);
        assert_ne!(next, first);
        ok!(aclrtFree(next));
    }
}

/// The last byte can be accessed and the next can't: queried from the system, not tried.
#[test]
fn nothing_can_be_touched_behind_an_allocation_or_after_it_is_freed() {
    let _session = session();
    let memory = malloc(4096);
    let readable = |address: usize| {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        maps.lines().any(|line| {
            let (range, rest) = line.split_once(' ').unwrap();
            let (start, end) = range.split_once('-').unwrap();
            let number = |text| usize::from_str_radix(text, 16).unwrap();
            (number(start)..number(end)).contains(&address) && rest.starts_with("rw")
        })
    };
    let start = memory.addr();
    assert!(readable(start) && readable(start + 4095));
    assert!(!readable(start + 4096));
    ok!(aclrtFree(memory));
    assert!(!readable(start));
}

#[test]
fn an_operator_is_held_to_exact_bounds() {
    let _session = session();
    common::operator::an_allocation_has_an_end(malloc(100), 100);
    common::operator::freed_while_it_is_held(4096, |freed| {
        fails!(aclrtMemset(freed, 1, 0, 1), ACL_ERROR_RT_PARAM_INVALID, "no living allocation");
    });
}
