//! Copies whose out overlaps self or itself, which is allowed where index is empty.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use scatter::{DType, Element, Layout, Op, Operand, Problem, reference, with_element};
use scatter_kernels::launch::LaunchMemory;
use scatter_kernels::model::{self, Options};
use scatter_kernels::plan::{Kernel, plan};
use scatter_kernels::{Range, Soc};

use crate::case::{kernels, workspace};
use crate::tensor::{below, element};

/// self and out in one storage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Views {
    pub(crate) self_: Layout,
    pub(crate) out: Layout,
}

impl Views {
    /// Views of a shape, with strides and the positions of their lowest elements.
    pub(crate) fn new(shape: &[usize], self_: (&[isize], usize), out: (&[isize], usize)) -> Self {
        let [(self_, self_at), (out, out_at)] =
            [self_, out].map(|(strides, at)| (Layout::enclosing(shape, strides).unwrap(), at));
        let storage = (self_at + self_.storage_len()).max(out_at + out.storage_len());
        let of = |layout: &Layout, at| {
            Layout::new(shape, layout.strides(), at + layout.offset(), storage).unwrap()
        };
        Self { self_: of(&self_, self_at), out: of(&out, out_at) }
    }
}

/// Copies by the kernels and by the reference, and returns whether the copy has to go in order.
/// `None` where nothing overlaps.
pub(crate) fn check<T: Element>(views: &Views, soc: &Soc, seed: u64) -> Option<bool> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let Views { self_, out } = *views;
    let storage: Vec<T> = (0..out.storage_len()).map(|_| element(&mut rng)).collect();
    let mut got = storage.clone();
    let operand = |layout| Operand::new(T::DTYPE, layout, got.as_ptr().addr());
    let index = Operand::new(DType::I64, Layout::contiguous(&[0], 0).unwrap(), 0);
    let (self_operand, out_operand) = (operand(self_), operand(out));
    let op = Op::ScatterAdd { dim: 0 };
    let problem = Problem::new(op, &self_operand, &index, Some(&self_operand), &out_operand).unwrap();
    if !problem.is_entangled() {
        return None;
    }
    let mut expected = storage.clone();
    reference::run::<T, i64>(&problem, Some(&storage), &[], None, &mut expected).unwrap();

    let plan = plan(&problem, soc).unwrap();
    let mut workspace = workspace(&plan);
    let range = |address: *mut T, elements: usize| Range {
        address: address.cast(),
        bytes: (elements * size_of::<T>()) as u64,
    };
    let both = range(got.as_mut_ptr(), got.len());
    let memory = LaunchMemory {
        self_: both,
        indices: LaunchMemory::one_index(Range::NONE),
        src: Range::NONE,
        out: both,
        workspace: Range { address: workspace.as_mut_ptr().cast(), bytes: plan.workspace_bytes() as u64 },
    };
    model::configure(Some(&Options::strict(seed)));
    // SAFETY: the problem's tensors, and workspace for it.
    let launched = unsafe { kernels().launch(&plan, &memory, core::ptr::null_mut()) };
    if let Err(error) = launched {
        panic!("{error}\n{plan:#?}");
    }
    for (at, (got, expected)) in got.iter().zip(&expected).enumerate() {
        assert!(got.same(*expected), "element {at}: {got:?}, expected {expected:?}\n{views:?}\n{plan:#?}");
    }
    let [.., into_out] = &plan.steps[..] else { unreachable!() };
    let Kernel::CopyIntoOut(tiling) = into_out.kernel else { unreachable!("{plan:?}") };
    Some(tiling.in_order != 0)
}

#[test]
fn self_is_read_whole_and_the_last_writer_stays() {
    let soc = Soc { ub: 5 * 1024, ..Soc::default().with_cores(7) };
    let of = |views| check::<f32>(&views, &soc, 3);
    // Each element is copied to the next one's position: forwards, and backwards.
    let line: &[isize] = &[1];
    assert_eq!(of(Views::new(&[5000], (line, 0), (line, 1))), Some(false));
    assert_eq!(of(Views::new(&[5000], (line, 1), (line, 0))), Some(false));
    // A matrix is transposed in place.
    assert_eq!(of(Views::new(&[70, 70], (&[70, 1], 0), (&[1, 70], 0))), Some(false));
    // Of an expanded out the last row stays; and so with a self all of whose rows are the same.
    assert_eq!(of(Views::new(&[9, 70], (&[70, 1], 0), (&[0, 1], 700))), Some(false));
    assert_eq!(of(Views::new(&[9, 70], (&[0, 1], 0), (&[0, 1], 100))), Some(false));
    // Windows of three.
    assert_eq!(of(Views::new(&[90, 3], (&[3, 1], 0), (&[1, 1], 0))), Some(true));
    assert_eq!(of(Views::new(&[3, 1500], (&[0, 1], 0), (&[7, 1], 2000))), Some(true));
}

#[test]
fn copies_at_random() {
    let mut kinds = [0; 2];
    for seed in 0..600 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let rank = 1 + below(&mut rng, 3);
        let shape: Vec<usize> = (0..rank).map(|_| [1, 2, 3, 5, 17][below(&mut rng, 5)]).collect();
        let mut strides = || -> Vec<isize> {
            (0..rank).map(|_| [0, 1, 1, 2, 3, 5, 17, -1, -3][below(&mut rng, 9)]).collect()
        };
        let (self_, out) = (strides(), strides());
        let [self_at, out_at] = [(); 2].map(|()| below(&mut rng, 30));
        let views = Views::new(&shape, (&self_, self_at), (&out, out_at));
        let dtype = DType::ALL[below(&mut rng, DType::ALL.len())];
        let ub = [Soc::default().ub, 5 * 1024][below(&mut rng, 2)];
        let soc = Soc { ub, ..Soc::default().with_cores([1, 2, 7, 48][below(&mut rng, 4)]) };
        if let Some(in_order) = with_element!(dtype, T => check::<T>(&views, &soc, seed)) {
            kinds[usize::from(in_order)] += 1;
        }
    }
    assert!(kinds.iter().all(|&kind| kind > 100), "{kinds:?}");
}
