//! Address space and pages of the system.

use core::ffi::c_void;
use core::ptr;
#[cfg(target_os = "linux")]
use std::os::fd::FromRawFd as _;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::sync::OnceLock;

/// The bytes of a page, which depend on the machine.
pub(crate) fn page() -> usize {
    static PAGE: OnceLock<usize> = OnceLock::new();
    *PAGE.get_or_init(|| {
        // SAFETY: the function only returns a number.
        usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
    })
}

/// Addresses that this process reserves and never returns, so that nothing else is ever at them.
#[derive(Debug)]
pub(crate) struct Reservation {
    base: usize,
    len: usize,
    page: usize,
    /// The offset from an address to its memory.
    shift: usize,
}

impl Reservation {
    /// Reserves addresses without memory behind them: `len`, or less where the system refuses, but
    /// not less than `least`.
    ///
    /// With `apart` the memory lies at other addresses behind these, which [`memory`](Self::memory)
    /// returns: with only an address one can't access it.
    pub(crate) fn new(len: usize, least: usize, apart: bool) -> Option<Self> {
        Self::of_pages(page(), len, least, apart)
    }

    /// The same with pages of `page` bytes, which are as large as this machine's, or larger.
    pub(super) fn of_pages(page: usize, len: usize, least: usize, apart: bool) -> Option<Self> {
        // The system does not align to larger pages, so the first page may begin behind the start
        // of the range.
        let before = page - self::page();
        let mut len = len;
        loop {
            let shift = if apart { len } else { 0 };
            let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE;
            let all = before.checked_add(len).and_then(|sum| sum.checked_add(shift));
            let base = all.map_or(libc::MAP_FAILED, |all| {
                // SAFETY: the system chooses addresses that nothing else uses.
                unsafe { libc::mmap(ptr::null_mut(), all, libc::PROT_NONE, flags, -1, 0) }
            });
            if base != libc::MAP_FAILED {
                return Some(Self {
                    base: base.expose_provenance().next_multiple_of(page),
                    len,
                    page,
                    shift,
                });
            }
            len = (len / 2).next_multiple_of(page);
            if len < least {
                return None;
            }
        }
    }

    pub(crate) fn base(&self) -> usize {
        self.base
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Bytes of a page.
    pub(super) fn page(&self) -> usize {
        self.page
    }

    /// The offset from an address to its memory: 0 where it lies at the address.
    pub(super) fn shift(&self) -> usize {
        self.shift
    }

    /// Where the memory of an address of this reservation can be accessed.
    pub(super) fn memory(&self, start: usize) -> *mut c_void {
        address(start + self.shift)
    }

    pub(crate) fn contains(&self, address: usize) -> bool {
        address.wrapping_sub(self.base) < self.len
    }

    /// Lets whole pages be read and written, or neither; false if the system has no memory for it.
    pub(crate) fn allow(&self, start: usize, len: usize, allowed: bool) -> bool {
        let protection = if allowed { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_NONE };
        // SAFETY: the pages lie in this reservation, whose owner, the caller, decides on their
        // protection.
        self.holds(start, len) && unsafe { libc::mprotect(self.memory(start), len, protection) } == 0
    }

    /// Returns the memory of whole pages to the system; their content is lost.
    pub(crate) fn discard(&self, start: usize, len: usize) {
        if self.holds(start, len) {
            // SAFETY: the pages lie in this reservation, and nothing that is still needed lies in
            // them.
            unsafe { libc::madvise(self.memory(start), len, libc::MADV_DONTNEED) };
        }
    }

    /// Maps a part of a file at whole pages; false if the system refuses.
    pub(crate) fn occupy(&self, start: usize, len: usize, file: &File, offset: usize) -> bool {
        let Ok(offset) = libc::off_t::try_from(offset) else { return false };
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_FIXED;
        self.holds(start, len)
            // SAFETY: the pages lie in this reservation, and by the caller's bookkeeping nothing
            // else is mapped there.
            && unsafe { libc::mmap(self.memory(start), len, access, flags, file.0.as_raw_fd(), offset) }
                != libc::MAP_FAILED
    }

    /// Ends [`occupy`](Self::occupy): nothing is mapped at these pages then, and they stay
    /// reserved.
    pub(crate) fn vacate(&self, start: usize, len: usize) {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE | libc::MAP_FIXED;
        if self.holds(start, len) {
            // SAFETY: the pages lie in this reservation, and nothing that is still needed lies in
            // them.
            unsafe { libc::mmap(self.memory(start), len, libc::PROT_NONE, flags, -1, 0) };
        }
    }

    /// Whether addresses lie in this reservation and are those of whole pages.
    pub(crate) fn holds(&self, start: usize, len: usize) -> bool {
        start >= self.base
            && [start, len].iter().all(|number| number.is_multiple_of(self.page))
            && len <= self.len - (start - self.base).min(self.len)
    }
}

/// Memory without an address.
#[derive(Debug)]
pub(crate) struct File(OwnedFd);

impl File {
    /// `len` bytes, which are zero; `None` where the system has no such files.
    #[cfg(target_os = "linux")]
    pub(crate) fn new(len: usize) -> Option<Self> {
        // SAFETY: the name is a C string, and failure is returned.
        let file = unsafe { libc::memfd_create(c"host-cann".as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return None;
        }
        // SAFETY: the file is new, and nothing else owns its descriptor.
        let file = unsafe { OwnedFd::from_raw_fd(file) };
        let len = libc::off_t::try_from(len).ok()?;
        // SAFETY: the file is open.
        (unsafe { libc::ftruncate(file.as_raw_fd(), len) } == 0).then_some(Self(file))
    }

    /// `len` bytes, which are zero; `None` where the system has no such files.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn new(_len: usize) -> Option<Self> {
        None
    }
}

/// The pointer to an address of a reservation.
pub(crate) fn address(number: usize) -> *mut c_void {
    ptr::with_exposed_provenance_mut(number)
}
