//! The inner loops of a scatter, compiled for each dtype and reduction, as functions on addresses.
//!
//! All that is around them (threads, lines, rows, partitions, the choice of a strategy) knows the
//! sizes of elements and slots only, and is compiled once. A loop makes a block of updates, so that
//! calling it by its address costs nothing.

use crate::cpu::index::partition::Group;
use crate::cpu::rows::task::{self, RowTask};
use crate::cpu::slot::block::{self, MeanRow, PairLoop, PlaceLoop, Slots, Source};
use crate::cpu::slot::rule::{self, AddScaled, Factor, Rule};
use crate::cpu::slot::{self, Accumulated, Counted, Plain, Slot};
use crate::simd::Simd;
use crate::{Bool, Complex, Element, Op, Reduce, bf16, f16};

/// Updates the slots of numbers of targets with successive elements. With `prefetches`, updates
/// prefetch what later ones read.
pub(in crate::cpu) type LineLoop<N> =
    unsafe fn(slots: Slots, src: Source, numbers: &[N], prefetches: bool, simd: Simd);

/// The loops of one dtype and one reduction. What each does is said by the function behind it, in
/// [`block`] or `rows`, with the same safety conditions. In addition, the addresses that a loop is
/// given are aligned, and are those of elements of this dtype and of slots of this reduction.
#[derive(Debug)]
pub struct Loops {
    pub(in crate::cpu) slot: slot::Kind,
    pub(in crate::cpu) identity: fn() -> u128,
    pub(in crate::cpu) load: PairLoop,
    pub(in crate::cpu) store: PairLoop,
    pub(in crate::cpu) run: PairLoop,
    pub(in crate::cpu) places: PlaceLoop,
    /// `run` and `places` for elements that each have a single update, which needs no slot.
    pub(in crate::cpu) once: (PairLoop, PlaceLoop),
    /// For numbers that were read, and for an index of i32 without negative values.
    pub(in crate::cpu) line: LineLoop<u32>,
    /// For an index of i64 without negative values.
    pub(in crate::cpu) line_i64: LineLoop<i64>,
    pub(in crate::cpu) long_line: unsafe fn(Slots, Source, &[u32], usize, Simd),
    pub(in crate::cpu) chosen: unsafe fn(Slots, Source, &[u32], &[u32]),
    pub(in crate::cpu) bucket: unsafe fn(Slots, Source, Group<'_>),
    /// For sums only; for those with a factor only if slots are not in place, where it takes half
    /// of the time. All others make their updates row by row, so that less is compiled.
    pub(in crate::cpu) by_target: Option<unsafe fn(&RowTask<'_>, *mut u8)>,
    /// A mean uses the sum's loop, with accumulators as slots.
    pub(in crate::cpu) in_task: unsafe fn(&RowTask<'_>, *mut u8, &mut [u32]),
    /// Only of a mean: writes the elements of a row, whose sums are its slots.
    pub(in crate::cpu) mean_row: Option<MeanRow>,
}

impl Loops {
    /// The loops of a dtype and a reduction.
    const fn new<T: Element, R: Rule>() -> Self {
        // Loops without a type, such as copies by size, know elements of these sizes only.
        const { assert!(matches!(size_of::<T>(), 1 | 2 | 4 | 8 | 16)) }
        const { assert!(align_of::<T>() <= align_of::<u128>()) }
        match R::REDUCE {
            Reduce::None => Self::by::<T, R, Plain<T>>(),
            Reduce::Mean => Self::by::<T, R, Counted<T::Acc>>(),
            _ if T::WIDE_ACC => Self::by::<T, R, Accumulated<T::Acc>>(),
            _ => Self::by::<T, R, Plain<T>>(),
        }
    }

    /// The loops of a dtype and a reduction by way of some kind of slots.
    const fn by<T: Element, R: Rule, L: Slot<T>>() -> Self {
        Self {
            slot: slot::Kind::of::<T, L>(R::REDUCE),
            identity: block::identity::<T, R>,
            load: block::load::<T, R, L>,
            store: block::store::<T, L>,
            run: block::update_run::<T, R, L>,
            places: block::update_places::<T, R, L>,
            once: match L::IN_PLACE {
                true => (block::update_run::<T, R, L>, block::update_places::<T, R, L>),
                false => (block::update_run_once::<T, R, L>, block::update_places_once::<T, R, L>),
            },
            line: block::update_line::<T, R, L, u32>,
            line_i64: block::update_line::<T, R, L, i64>,
            long_line: block::update_long_line::<T, R, L>,
            chosen: block::update_chosen::<T, R, L>,
            bucket: block::update_bucket::<T, R, L>,
            by_target: match R::REDUCE {
                Reduce::Add => Some(task::update_by_target::<T, R, L>),
                _ => None,
            },
            in_task: match (R::REDUCE, T::WIDE_ACC) {
                (Reduce::Mean, true) => task::update_in_task::<T, rule::Add, Accumulated<T::Acc>>,
                (Reduce::Mean, false) => task::update_in_task::<T, rule::Add, Plain<T>>,
                _ => task::update_in_task::<T, R, L>,
            },
            mean_row: match R::REDUCE {
                Reduce::Mean => Some(block::write_means::<T>),
                _ => None,
            },
        }
    }

    /// The loops of a sum, of which those for rows multiply updates by a factor.
    const fn add_scaled<T: Element>() -> Self {
        match T::WIDE_ACC {
            true => Self::add_scaled_by::<T, Accumulated<T::Acc>>(),
            false => Self::add_scaled_by::<T, Plain<T>>(),
        }
    }

    /// The loops of a sum with a factor by way of some kind of slots.
    const fn add_scaled_by<T: Element, L: Slot<T>>() -> Self {
        Self {
            by_target: if L::IN_PLACE { None } else { Some(task::update_by_target::<T, AddScaled, L>) },
            in_task: task::update_in_task::<T, AddScaled, L>,
            ..Self::by::<T, rule::Add, L>()
        }
    }
}

/// The loops that one scatter needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScatterLoops {
    pub(in crate::cpu) update: &'static Loops,
    /// What updates are multiplied by. With it, only the loops for rows may be used.
    pub(in crate::cpu) factor: Option<Factor>,
    /// The loops that first write the reduction's identity to every element that updates go to;
    /// `None` if self is included, or the reduction has no identity.
    pub(in crate::cpu) replace: Option<&'static Loops>,
}

impl ScatterLoops {
    /// The loops of an operator. A program that calls this is linked with those of all reductions
    /// of `T`.
    pub(crate) fn of<T: Element>(op: &Op) -> Self {
        let reduce = op.reduce();
        let writes_identity = !op.include_self() && !matches!(reduce, Reduce::None | Reduce::Mean);
        Self { update: T::loops(reduce), factor: None, replace: writes_identity.then(T::loops_of_replace) }
    }

    /// The loops of Replace, and no others.
    pub(crate) fn of_replace<T: Element>() -> Self {
        Self { update: T::loops_of_replace(), factor: None, replace: None }
    }

    /// The loops of a sum that includes self, and no others.
    pub(crate) fn of_add<T: Element>() -> Self {
        Self { update: T::loops_of_add(), factor: None, replace: None }
    }

    /// The loops of a sum of updates that are multiplied by a factor, and no others, for the dtypes
    /// that have them.
    pub(in crate::cpu) fn of_add_scaled<T: Element>(factor: T::Acc) -> Option<Self> {
        let update = T::loops_of_add_scaled()?;
        Some(Self { update, factor: Some(Factor::new::<T>(factor)), replace: None })
    }
}

/// A dtype that loops are compiled for. The functions are not generic and never inlined, so that
/// loops are compiled in this crate alone, and a program is linked with those that it asks for.
pub trait HasLoops {
    /// The loops of a reduction that the dtype has.
    fn loops(reduce: Reduce) -> &'static Loops;
    /// Those of [`Reduce::None`].
    fn loops_of_replace() -> &'static Loops;
    /// Those of [`Reduce::Add`].
    fn loops_of_add() -> &'static Loops;
    /// The loops of a sum, of which those for rows multiply updates by a factor. Only floats of at
    /// most 32 bits have them, so that less is compiled.
    fn loops_of_add_scaled() -> Option<&'static Loops>;
}

/// The rule and the type whose loops each dtype takes: for Replace, Add, Mul, Max, Min and Mean.
/// Dtypes share loops where these compute the same bits. What no problem asks for (the mean of
/// bools, the extrema of complex numbers) takes those of a sum.
macro_rules! has_loops {
    ($($t:ty: [$($none:tt)+] [$($add:tt)+] [$($mul:tt)+] [$($max:tt)+] [$($min:tt)+] [$($mean:tt)+];)+) => {$(
        impl HasLoops for $t {
            #[inline(never)]
            fn loops(reduce: Reduce) -> &'static Loops {
                match reduce {
                    Reduce::None => Self::loops_of_replace(),
                    Reduce::Add => Self::loops_of_add(),
                    Reduce::Mul => has_loops!(@new $($mul)+),
                    Reduce::Max => has_loops!(@new $($max)+),
                    Reduce::Min => has_loops!(@new $($min)+),
                    Reduce::Mean => has_loops!(@new $($mean)+),
                }
            }

            #[inline(never)]
            fn loops_of_replace() -> &'static Loops {
                has_loops!(@new $($none)+)
            }

            #[inline(never)]
            fn loops_of_add() -> &'static Loops {
                has_loops!(@new $($add)+)
            }

            #[inline(never)]
            fn loops_of_add_scaled() -> Option<&'static Loops> {
                has_loops!(@scaled $($add)+)
            }
        }
    )+};
    (@scaled Add bf16) => { Some(const { &Loops::add_scaled::<bf16>() }) };
    (@scaled Add f16) => { Some(const { &Loops::add_scaled::<f16>() }) };
    (@scaled Add f32) => { Some(const { &Loops::add_scaled::<f32>() }) };
    (@scaled $($other:tt)+) => { None };
    (@new $rule:ident $t:ty) => { const { &Loops::new::<$t, rule::$rule>() } };
}

has_loops! {
    bf16: [Replace i16] [Add bf16] [Mul bf16] [Max bf16] [Min bf16] [Mean bf16];
    f16: [Replace i16] [Add f16] [Mul f16] [Max f16] [Min f16] [Mean f16];
    f32: [Replace i32] [Add f32] [Mul f32] [Max f32] [Min f32] [Mean f32];
    f64: [Replace i64] [Add f64] [Mul f64] [Max f64] [Min f64] [Mean f64];
    i64: [Replace i64] [Add i64] [Mul i64] [Max i64] [Min i64] [Mean i64];
    i32: [Replace i32] [Add i32] [Mul i32] [Max i32] [Min i32] [Mean i32];
    i16: [Replace i16] [Add i16] [Mul i16] [Max i16] [Min i16] [Mean i16];
    i8: [Replace i8] [Add i8] [Mul i8] [Max i8] [Min i8] [Mean i8];
    u8: [Replace i8] [Add i8] [Mul i8] [Max u8] [Min u8] [Mean u8];
    Bool: [Replace Bool] [Add Bool] [Mul Bool] [Add Bool] [Mul Bool] [Add Bool];
    // It is aligned to four bytes only, so that it can't be moved as i64.
    Complex<f32>: [Replace Complex<f32>] [Add Complex<f32>] [Mul Complex<f32>]
        [Add Complex<f32>] [Add Complex<f32>] [Mean Complex<f32>];
    Complex<f64>: [Replace Complex<f64>] [Add Complex<f64>] [Mul Complex<f64>]
        [Add Complex<f64>] [Add Complex<f64>] [Mean Complex<f64>];
}
