//! The inner loops over elements: a block of updates, slot by slot, and the passage between slots
//! and elements. Each is compiled for every dtype and reduction (see
//! [`slot::loops`](crate::cpu::slot::loops)), so its arguments are addresses of bytes.

use core::slice;

use crate::cpu::aligned::Aligned;
use crate::cpu::index::numbers::Number;
use crate::cpu::index::partition::{Entry, Group};
use crate::cpu::index::targets::Places;
use crate::cpu::prefetch::{
    BUCKET_AHEAD, CACHE_LINE, SLOTS_AHEAD, STREAM_AHEAD, prefetch, prefetch_stream, updates_ahead,
};
use crate::cpu::slot::rule::{Rule, bits};
use crate::cpu::slot::{Slot, WIDENED};
use crate::simd::{Simd, read_four};
use crate::{DType, Element, Reduce};

/// Elements of src by their step.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Source<T = u8> {
    pub(in crate::cpu) start: *const T,
    /// From one update to the next, in elements.
    pub(in crate::cpu) step: isize,
}

/// Slots by their steps.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Slots<L = u8> {
    /// The slot of target 0.
    pub(in crate::cpu) start: *mut L,
    /// From one target to the next, in slots.
    pub(in crate::cpu) step: isize,
}

/// Arguments that are the same for every loop of a call.
#[derive(Clone, Copy, Debug)]
pub(in crate::cpu) struct Context {
    pub(in crate::cpu) include_self: bool,
    pub(in crate::cpu) simd: Simd,
}

impl Context {
    /// For loops that use none of them.
    pub(in crate::cpu) const NONE: Self = Self { include_self: true, simd: Simd::PORTABLE };
}

/// A loop over `len` pairs of a slot and an element.
pub(in crate::cpu) type PairLoop = unsafe fn(Slots, Source, usize, Context);

/// A loop over the elements, or slots, of some places.
pub(in crate::cpu) type PlaceLoop = unsafe fn(Slots, Source, Places<'_>, Context);

/// Writes a number of elements as the means of some values each, whose sums are accumulators.
pub(in crate::cpu) type MeanRow = unsafe fn(*mut u8, *const u8, usize, u64, Simd);

/// The [`bits`] of the identity of a reduction.
pub(in crate::cpu) fn identity<T: Element, R: Rule>() -> u128 {
    bits(T::narrow(T::identity(R::REDUCE)))
}

/// Fills `len` slots from as many elements.
///
/// # Safety
/// `slots` has `len` slots, which only the caller accesses; `row` has as many elements, which
/// nobody writes.
pub(in crate::cpu) unsafe fn load<T: Element, R: Rule, L: Slot<T>>(
    slots: Slots,
    row: Source,
    len: usize,
    context: Context,
) {
    let (slots, row) = (slots.of::<L>(), row.of::<T>());
    let Context { include_self, simd } = context;
    if !L::IN_PLACE && (slots.step, row.step) == (1, 1) {
        // SAFETY: the caller promises `len` elements, which nobody writes, and as many slots, which
        // only it accesses. The memory of slots that are not in place was zeroed when it was
        // allocated, so that it holds numbers.
        let (row, slots) = unsafe { (slice::from_raw_parts(row.start, len), slots.row(len)) };
        return L::load_row(row, slots, R::REDUCE, include_self, simd);
    }
    // SAFETY: the caller promises `len` elements, which nobody writes, and as many slots, which
    // only it accesses.
    each_step(slots.step, row.step, len, |to, from| unsafe {
        let element = row.start.offset(from).read();
        slots.start.offset(to).write(L::load(element, R::REDUCE, include_self));
    });
}

/// Writes `len` slots back to as many elements.
///
/// # Safety
/// `slots` has `len` slots, which are filled, and `row` as many elements; only the caller accesses
/// both.
pub(in crate::cpu) unsafe fn store<T: Element, L: Slot<T>>(
    slots: Slots,
    row: Source,
    len: usize,
    context: Context,
) {
    let (slots, row) = (slots.of::<L>(), row.of::<T>());
    let Context { include_self, simd } = context;
    if !L::IN_PLACE && (slots.step, row.step) == (1, 1) {
        // SAFETY: the caller promises `len` filled slots and as many elements, both of which only
        // it accesses.
        let (row, slots) = unsafe { (slice::from_raw_parts_mut(row.start.cast_mut(), len), slots.row(len)) };
        return L::store_row(slots, row, include_self, simd);
    }
    // SAFETY: the caller promises `len` filled slots and as many elements, both of which only it
    // accesses.
    each_step(slots.step, row.step, len, |from, to| unsafe {
        if let Some(value) = slots.start.offset(from).read().store(include_self) {
            row.start.cast_mut().offset(to).write(value);
        }
    });
}

/// Writes `len` elements as the means of `values` each, whose sums are accumulators.
///
/// # Safety
/// `row` has `len` elements, which only the caller accesses; `sums` has as many accumulators, which
/// nobody writes.
pub(in crate::cpu) unsafe fn write_means<T: Element>(
    row: *mut u8,
    sums: *const u8,
    len: usize,
    values: u64,
    simd: Simd,
) {
    // SAFETY: the caller promises `len` elements, which only it accesses, and as many accumulators,
    // which nobody writes.
    let (row, sums) = unsafe {
        (slice::from_raw_parts_mut(row.cast::<T>(), len), slice::from_raw_parts(sums.cast::<T::Acc>(), len))
    };
    simd.run((means, (row, sums, values)));

    #[inline(always)]
    fn means<T: Element>((row, sums, values): (&mut [T], &[T::Acc], u64)) {
        row.iter_mut().zip(sums).for_each(|(element, &sum)| *element = T::mean(sum, values));
    }
}

/// Updates `len` slots with as many elements.
///
/// # Safety
/// `slots` has `len` slots, which only the caller accesses; `src` has as many elements, which
/// nobody writes.
pub(in crate::cpu) unsafe fn update_run<T: Element, R: Rule, L: Slot<T>>(
    slots: Slots,
    src: Source,
    len: usize,
    _context: Context,
) {
    let (slots, src) = (slots.of::<L>(), src.of::<T>());
    // SAFETY: the caller promises `len` slots, which only it accesses, and as many elements, which
    // nobody writes.
    each_step(slots.step, src.step, len, |to, from| unsafe {
        (*slots.start.offset(to)).update(R::REDUCE, src.start.offset(from).read());
    });
}

/// Updates the slot at each place plus `n · step` with element `n`, for the numbers `n` of the
/// places.
///
/// # Safety
/// Only the caller accesses the slots of these places; src has these elements, which nobody writes.
pub(in crate::cpu) unsafe fn update_places<T: Element, R: Rule, L: Slot<T>>(
    slots: Slots,
    src: Source,
    places: Places<'_>,
    _context: Context,
) {
    let (slots, src) = (slots.of::<L>(), src.of::<T>());
    places.each(|at, place| {
        // A task's slots may begin after the slot of target 0, from which places are counted.
        let slot = slots.start.wrapping_offset(place + at * slots.step);
        // SAFETY: only the caller accesses the slot of this place, and src has an element for it,
        // which nobody writes.
        unsafe { (*slot).update(R::REDUCE, src.at(at, src.step)) }
    });
}

/// [`update_run`] directly on elements, each of which gets one update only, and so needs no slot.
///
/// # Safety
/// There are `len` elements that only the caller accesses, and as many of src, which nobody writes.
pub(in crate::cpu) unsafe fn update_run_once<T: Element, R: Rule, L: Slot<T>>(
    elements: Slots,
    src: Source,
    len: usize,
    context: Context,
) {
    let (elements, src) = (elements.of::<T>(), src.of::<T>());
    for at in 0..len as isize {
        // SAFETY: only the caller accesses the element; src has one for it, which nobody writes.
        unsafe {
            let element = &mut *elements.start.offset(at * elements.step);
            update_once::<T, R, L>(element, src.at(at, src.step), context.include_self);
        }
    }
}

/// [`update_places`] directly on elements, each of which gets one update only, and so needs no
/// slot.
///
/// # Safety
/// As [`update_places`], for elements of the destination.
pub(in crate::cpu) unsafe fn update_places_once<T: Element, R: Rule, L: Slot<T>>(
    elements: Slots,
    src: Source,
    places: Places<'_>,
    context: Context,
) {
    let (elements, src) = (elements.of::<T>(), src.of::<T>());
    places.each(|at, place| {
        let element = elements.start.wrapping_offset(place + at * elements.step);
        // SAFETY: only the caller accesses the element of this place, and src has one for it, which
        // nobody writes.
        unsafe { update_once::<T, R, L>(&mut *element, src.at(at, src.step), context.include_self) }
    });
}

/// Updates an element for the only time.
#[inline(always)]
fn update_once<T: Element, R: Rule, L: Slot<T>>(element: &mut T, src: T, include_self: bool) {
    let mut slot = L::load(*element, R::REDUCE, include_self);
    slot.update(R::REDUCE, src);
    if let Some(value) = slot.store(include_self) {
        *element = value;
    }
}

/// Updates slot `number` with element `n`, for the `n`th of `numbers`, in order. With `prefetches`,
/// updates prefetch what later ones read.
///
/// # Safety
/// There is at least one number. Each has a slot that only the caller accesses, and an element of
/// src, which nobody writes.
pub(in crate::cpu) unsafe fn update_line<T: Element, R: Rule, L: Slot<T>, N: Number>(
    slots: Slots,
    src: Source,
    numbers: &[N],
    prefetches: bool,
    simd: Simd,
) {
    let src = src.of::<T>();
    // Each turn of the unrolled loop prefetches a few cache lines: a processor waits if many are
    // requested at once.
    let prefetch_later = |at: usize| {
        if prefetches && at.is_multiple_of(UNROLLED) {
            let ahead = updates_ahead::<T>();
            prefetch_stream(numbers.as_ptr().wrapping_add(at + ahead), UNROLLED);
            src.prefetch_later(at, ahead);
        }
    };
    // SAFETY: the caller owns the slot of each number, and src has an element for it, which nobody
    // writes.
    unsafe { update_each::<T, R, L, N>(slots.of(), src, numbers, simd, prefetch_later) }
}

/// [`update_line`] of the first `len` of `numbers`, for a line that a near cache doesn't hold:
/// slots are prefetched.
///
/// # Safety
/// As [`update_line`], but that `len` may be 0.
pub(in crate::cpu) unsafe fn update_long_line<T: Element, R: Rule, L: Slot<T>>(
    slots: Slots,
    src: Source,
    numbers: &[u32],
    len: usize,
    simd: Simd,
) {
    if len == 0 {
        return;
    }
    let (slots, src) = (slots.of::<L>(), src.of::<T>());
    let prefetch_next = |at: usize| {
        if let Some(&next) = numbers.get(at + SLOTS_AHEAD) {
            slots.prefetch(next);
        }
        if at.is_multiple_of(UNROLLED) {
            src.prefetch_later(at, STREAM_AHEAD);
        }
    };
    // SAFETY: the caller owns the slot of each number, and src has an element for it, which nobody
    // writes.
    unsafe { update_each::<T, R, L, u32>(slots, src, &numbers[..len], simd, prefetch_next) };
}

/// The updates of [`update_line`]. `before` is called before each.
///
/// # Safety
/// As [`update_line`].
#[inline(always)]
unsafe fn update_each<T: Element, R: Rule, L: Slot<T>, N: Number>(
    slots: Slots<L>,
    src: Source<T>,
    numbers: &[N],
    simd: Simd,
    before: impl Fn(usize),
) {
    // SAFETY: the caller owns the slot of each number.
    let update = |number: N, step: isize, value: T| unsafe {
        (*slots.slot(number, step)).update(R::REDUCE, value);
    };
    // Written apart so that the compiler knows the steps.
    // SAFETY: src has an element for each number, which nobody writes; the caller owns the slot of
    // each number.
    unsafe {
        match (slots.step, src.step) {
            (1, 1) if are_widened::<T, L>(numbers.len()) => {
                each_widened::<T, N>(numbers, src.start, simd, |at, number, value| {
                    before(at);
                    (*slots.slot(number, 1)).update_wide(R::REDUCE, value);
                });
            }
            (1, 1) => each_from(numbers, src.start, |at, number, value| {
                before(at);
                update(number, 1, value);
            }),
            (1, 0) => {
                let value = src.start.read();
                each(numbers, |at, number| {
                    before(at);
                    update(number, 1, value);
                });
            }
            (step, from) => each(numbers, |at, number| {
                before(at);
                update(number, step, src.at(at as isize, from));
            }),
        }
    }
}

/// Updates slot `number` with element `position`, for each of `numbers` and its position in src, in
/// order; slots are prefetched.
///
/// # Safety
/// As [`update_line`].
pub(in crate::cpu) unsafe fn update_chosen<T: Element, R: Rule, L: Slot<T>>(
    slots: Slots,
    src: Source,
    numbers: &[u32],
    positions: &[u32],
) {
    let (slots, src) = (slots.of::<L>(), src.of::<T>());
    let pairs = numbers.iter().zip(positions).enumerate();
    for (at, (&number, &position)) in pairs {
        if let Some(&next) = numbers.get(at + SLOTS_AHEAD) {
            slots.prefetch(next);
        }
        // SAFETY: the caller owns the slot of each number, and src has an element at each position,
        // which nobody writes.
        unsafe { (*slots.slot(number, slots.step)).update(R::REDUCE, src.at(position as isize, src.step)) }
    }
}

/// Updates the slots of the entries of a bucket, each with the element of its number; slots and
/// elements are prefetched.
///
/// # Safety
/// As [`update_line`].
pub(in crate::cpu) unsafe fn update_bucket<T: Element, R: Rule, L: Slot<T>>(
    slots: Slots,
    src: Source,
    bucket: Group<'_>,
) {
    let (slots, src) = (slots.of::<L>(), src.of::<T>());
    let from = |number: u32| src.start.wrapping_offset(number as isize * src.step);
    for (at, Entry { target, number }) in bucket.iter().enumerate() {
        if let Some(Entry { target, number }) = bucket.ahead(at + BUCKET_AHEAD) {
            slots.prefetch(target);
            prefetch(from(number));
        }
        // SAFETY: the caller owns the slot of each entry, and src has an element for it, which
        // nobody writes.
        unsafe { (*slots.slot(target, slots.step)).update(R::REDUCE, from(number).read()) }
    }
}

/// How many updates a turn of an unrolled loop makes: the loop's own instructions take as long as
/// an update.
const UNROLLED: usize = 8;

/// Calls `visit` with both positions of each of `len` pairs.
#[inline(always)]
fn each_step(first: isize, second: isize, len: usize, visit: impl Fn(isize, isize)) {
    // Written apart so that the compiler sees unit strides and vectorises.
    if first == 1 && second == 1 {
        (0..len as isize).for_each(|at| visit(at, at));
    } else {
        (0..len as isize).for_each(|at| visit(at * first, at * second));
    }
}

/// Calls `visit` with the position of each number and the number, in order.
#[inline(always)]
fn each<N: Number>(numbers: &[N], mut visit: impl FnMut(usize, N)) {
    let (blocks, rest) = numbers.as_chunks::<UNROLLED>();
    for (number, block) in blocks.iter().enumerate() {
        for (at, &target) in block.iter().enumerate() {
            visit(number * UNROLLED + at, target);
        }
    }
    (blocks.len() * UNROLLED..).zip(rest).for_each(|(at, &target)| visit(at, target));
}

/// Calls `visit` with the position of each number, the number, and the element of src at it,
/// elements lying one after the other.
///
/// # Safety
/// There is an element for each number, which nobody writes.
#[inline(always)]
unsafe fn each_from<T: Element, N: Number>(numbers: &[N], src: *const T, mut visit: impl FnMut(usize, N, T)) {
    let (blocks, rest) = numbers.as_chunks::<UNROLLED>();
    for (number, block) in blocks.iter().enumerate() {
        let first = number * UNROLLED;
        // SAFETY: src has an element for each number, so `UNROLLED` of them from `first` on.
        let by_four = || unsafe { [read_four(src.add(first)), read_four(src.add(first + 4))] };
        // A processor makes few floating-point loads in a cycle, so one brings four; and registers
        // have room for eight single bytes. Values of other dtypes are loaded one by one anyway;
        // loaded as late as here, histograms of i32 took 0.9 of the time.
        let has_one_load = matches!(T::DTYPE, DType::F32) || size_of::<T>() == 1;
        let values = has_one_load.then(by_four);
        for (in_block, &target) in block.iter().enumerate() {
            let at = first + in_block;
            let value = match &values {
                Some(values) => values.as_flattened()[in_block],
                // SAFETY: src has an element for each number.
                None => unsafe { src.add(at).read() },
            };
            visit(at, target, value);
        }
    }
    for (at, &target) in (blocks.len() * UNROLLED..).zip(rest) {
        // SAFETY: src has an element for each number.
        visit(at, target, unsafe { src.add(at).read() });
    }
}

/// Fewer updates are not worth a call that widens their elements together.
const WORTH_WIDENING: usize = 16;

/// Whether `len` adjacent elements are widened together before their updates: only those of f16,
/// each of which takes a dozen instructions to widen by itself (one of bf16 takes a shift), and
/// only if there are enough.
#[inline(always)]
const fn are_widened<T: Element, L: Slot<T>>(len: usize) -> bool {
    matches!(T::DTYPE, DType::F16) && !L::IN_PLACE && len >= WORTH_WIDENING
}

/// [`each_from`] with elements that vector instructions have widened, some at a time.
///
/// # Safety
/// As [`each_from`].
#[inline(always)]
unsafe fn each_widened<T: Element, N: Number>(
    numbers: &[N],
    src: *const T,
    simd: Simd,
    mut visit: impl FnMut(usize, N, T::Acc),
) {
    let mut wide = Aligned([T::identity(Reduce::Add); WIDENED]);
    for (first, numbers) in (0..).step_by(WIDENED).zip(numbers.chunks(WIDENED)) {
        let wide = &mut wide.0[..numbers.len()];
        // SAFETY: src has an element for each number, which nobody writes; there are as many wide
        // ones.
        unsafe {
            T::widen_row(simd, slice::from_raw_parts(src.add(first), numbers.len()), wide);
            each_from(numbers, wide.as_ptr(), |at, number, value| visit(first + at, number, value));
        }
    }
}

impl Source {
    /// The same elements, as values of type `T`.
    #[inline(always)]
    const fn of<T>(self) -> Source<T> {
        Source { start: self.start.cast(), step: self.step }
    }
}

impl Slots {
    /// The same slots, as values of type `L`.
    #[inline(always)]
    const fn of<L>(self) -> Slots<L> {
        Slots { start: self.start.cast(), step: self.step }
    }

    /// Prefetches the slot of a target, slots being of some `bytes`.
    #[inline(always)]
    pub(in crate::cpu) fn prefetch_bytes(&self, number: u32, bytes: usize) {
        prefetch(self.start.wrapping_offset(number as isize * self.step * bytes as isize));
    }
}

impl<T: Element> Source<T> {
    /// Prefetches what `UNROLLED` updates from `at + ahead` on read, if elements lie one after the
    /// other. (If not, a cache line more does no harm, and a branch would double the loop.)
    #[inline(always)]
    fn prefetch_later(&self, at: usize, ahead: usize) {
        // Once for each cache line.
        if (at * size_of::<T>()).is_multiple_of(CACHE_LINE) {
            let later = ((at + ahead) as isize).wrapping_mul(self.step);
            prefetch_stream(self.start.wrapping_offset(later), UNROLLED);
        }
    }

    /// # Safety
    /// src has an element at `at`, elements being `step` apart, which nobody writes.
    #[inline(always)]
    unsafe fn at(&self, at: isize, step: isize) -> T {
        // SAFETY: the caller promises this element of src, which nobody writes.
        unsafe { self.start.offset(at * step).read() }
    }
}

impl<L> Slots<L> {
    /// The first `len` slots, which lie one after the other.
    ///
    /// # Safety
    /// There are `len` slots, which hold numbers, and which only the caller accesses while the
    /// result lives.
    #[inline(always)]
    unsafe fn row<'a>(self, len: usize) -> &'a mut [L] {
        // SAFETY: the caller promises `len` slots that hold numbers, which nobody else accesses
        // while the result lives.
        unsafe { slice::from_raw_parts_mut(self.start, len) }
    }

    /// Prefetches the slot of a target.
    #[inline(always)]
    fn prefetch(&self, number: u32) {
        prefetch(self.start.wrapping_offset(number as isize * self.step));
    }

    /// The slot of a number, slots being `step` apart.
    #[inline(always)]
    fn slot(&self, number: impl Number, step: isize) -> *mut L {
        self.start.wrapping_offset(number.get() * step)
    }
}
