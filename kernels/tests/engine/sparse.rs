//! Offsets beyond 2^31 elements, on memory that is mapped but, for the most part, never touched.

use std::ptr;

use scatter::{DType, Layout, Op, Operand, Problem, reference};
use scatter_kernels::launch::LaunchMemory;
use scatter_kernels::model::{self, Options};
use scatter_kernels::plan::{Algorithm, plan_with};
use scatter_kernels::{Range, Soc, bad_index};

use crate::case::{kernels, workspace};

/// Zeroes that take memory only where they are written.
struct Sparse {
    address: *mut u8,
    bytes: usize,
}

impl Sparse {
    fn new(bytes: usize) -> Self {
        let (access, kind) = (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
        );
        // SAFETY: a new mapping, which nothing else uses.
        let address = unsafe { libc::mmap(ptr::null_mut(), bytes, access, kind, -1, 0) };
        assert_ne!(address, libc::MAP_FAILED);
        Self { address: address.cast(), bytes }
    }

    /// The whole mapping; zeroes are a valid value of `T`.
    fn all<T: bytemuck::Pod>(&mut self) -> &mut [T] {
        // SAFETY: the mapping is aligned to a page, reads as zeroes where nothing was written, and
        // is borrowed as `self` is.
        unsafe { core::slice::from_raw_parts_mut(self.address.cast(), self.bytes / size_of::<T>()) }
    }

    fn range(&self) -> Range {
        Range { address: self.address.cast(), bytes: self.bytes as u64 }
    }
}

impl Drop for Sparse {
    fn drop(&mut self) {
        // SAFETY: this is the mapping of `new`, which is no longer used.
        unsafe { libc::munmap(self.address.cast(), self.bytes) };
    }
}

/// `out[index[j]][..] += src[j][..]` on rows of 2^14 f32, of which there are 2^18: 2^32 elements.
fn rows_at_the_far_end(index_shape: &[usize], algorithm: Algorithm) {
    const ROWS: usize = 1 << 18;
    const COLUMNS: usize = 1 << 14;
    let out = Sparse::new(ROWS * COLUMNS * 4);
    let rows = [(ROWS - 1) as i64, 131_073, -(ROWS as i64), -1, 131_073];
    let columns = index_shape[1];
    // Every column of a row has the same index, expanded or written out.
    let is_expanded = algorithm == Algorithm::Rows;
    let index: Vec<i64> =
        if is_expanded { rows.to_vec() } else { rows.iter().flat_map(|&row| vec![row; columns]).collect() };
    let src: Vec<f32> = (0..rows.len() * columns).map(|at| at as f32 + 0.25).collect();

    let out_operand = Operand::new(
        DType::F32,
        Layout::contiguous(&[ROWS, COLUMNS], ROWS * COLUMNS).unwrap(),
        out.address.addr(),
    );
    let index_layout = if is_expanded {
        Layout::new(index_shape, &[1, 0], 0, index.len())
    } else {
        Layout::contiguous(index_shape, index.len())
    };
    let index_operand = Operand::new(DType::I64, index_layout.unwrap(), index.as_ptr().addr());
    let src_layout = Layout::contiguous(index_shape, src.len()).unwrap();
    let src_operand = Operand::new(DType::F32, src_layout, src.as_ptr().addr());
    let op = Op::ScatterAdd { dim: 0 };
    let problem = Problem::new(op, &out_operand, &index_operand, Some(&src_operand), &out_operand).unwrap();
    // On one core, whose adjacent rows are too far apart for one copy.
    let plan = plan_with(&problem, &Soc::default().with_cores(1), Some(algorithm)).unwrap();

    let mut workspace = workspace(&plan);
    let range =
        |address: *const u8, bytes: usize| Range { address: address.cast_mut().cast(), bytes: bytes as u64 };
    let memory = LaunchMemory {
        self_: Range::NONE,
        indices: LaunchMemory::one_index(range(index.as_ptr().cast(), size_of_val(&index[..]))),
        src: range(src.as_ptr().cast(), size_of_val(&src[..])),
        out: out.range(),
        workspace: Range {
            address: workspace.as_mut_ptr().cast(),
            bytes: size_of_val(&workspace[..]) as u64,
        },
    };
    model::configure(Some(&Options::strict(3)));
    // SAFETY: the memory that the problem was made for.
    let launched = unsafe { kernels().launch(&plan, &memory, ptr::null_mut()) };
    launched.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(bad_index(&problem, &workspace[..plan.statuses()]), None);

    let at = |row: usize, column: usize| {
        // SAFETY: the address is that of an element of out.
        unsafe { out.address.cast::<f32>().add(row * COLUMNS + column).read() }
    };
    for column in 0..columns {
        let of = |update: usize| src[update * columns + column];
        assert_eq!(at(ROWS - 1, column), of(0) + of(3));
        assert_eq!(at(131_073, column), of(1) + of(4));
        assert_eq!(at(0, column), of(2));
        assert_eq!(at(1, column), 0.0);
        // Where 32 bits of an offset in elements, or in bytes, would lead.
        assert_eq!((at(131_073 - (1 << 17), column), at(ROWS / 4 - 1, column)), (0.0, 0.0));
    }
}

#[test]
fn rows_beyond_2_to_the_31_elements() {
    rows_at_the_far_end(&[5, 512], Algorithm::Rows);
}

#[test]
fn elements_beyond_2_to_the_31_elements() {
    rows_at_the_far_end(&[5, 9], Algorithm::General);
}

/// A tensor whose rows have a stride beyond 31 bits, and the same with a small stride.
struct Far<T> {
    sparse: Sparse,
    layout: Layout,
    near: Vec<T>,
    near_layout: Layout,
}

impl<T: bytemuck::Pod> Far<T> {
    fn new(rows: usize, is_expanded: bool, element: impl Fn(usize, usize) -> T) -> Self {
        const APART: usize = (1 << 31) + 9;
        const COLUMNS: usize = 70;
        let columns = if is_expanded { 1 } else { COLUMNS };
        let layout = |apart: usize| {
            let strides = [apart as isize, isize::from(!is_expanded)];
            Layout::new(&[rows, COLUMNS], &strides, 3, 3 + (rows - 1) * apart + columns).unwrap()
        };
        let (layout, near_layout) = (layout(APART), layout(COLUMNS));
        let mut sparse = Sparse::new(layout.storage_len() * size_of::<T>());
        let mut near = vec![T::zeroed(); near_layout.storage_len()];
        for row in 0..rows {
            for column in 0..columns {
                let at = [row, column];
                sparse.all()[layout.address(&at)] = element(row, column);
                near[near_layout.address(&at)] = element(row, column);
            }
        }
        Self { sparse, layout, near, near_layout }
    }

    fn far(&self, dtype: DType) -> Operand {
        Operand::new(dtype, self.layout, self.sparse.address.addr())
    }

    fn near(&self, dtype: DType) -> Operand {
        Operand::new(dtype, self.near_layout, self.near.as_ptr().addr())
    }
}

fn rows_far_apart(algorithm: Algorithm) {
    // More than a chunk of `scatter_elements` with this little UB.
    const UPDATES: usize = 5;
    let soc = Soc { ub: 7 * 1024, ..Soc::default() };
    let is_expanded = algorithm == Algorithm::Rows;
    let self_ = Far::new(3, false, |row, column| (row * 100 + column) as u8);
    let index = Far::new(UPDATES, is_expanded, |row, column| ((row + column * 2) % 3) as i32);
    let src = Far::new(UPDATES, false, |row, column| (row * 7 + column * 3) as u8);
    let mut out = Far::new(3, false, |_, _| 0_u8);
    let op = Op::ScatterAdd { dim: 0 };
    let u8s = |far: fn(&Far<u8>, DType) -> Operand| [&self_, &src, &out].map(|of| far(of, DType::U8));
    let problem =
        |[self_, src, out]: [Operand; 3], index| Problem::new(op, &self_, &index, Some(&src), &out).unwrap();
    let near = problem(u8s(Far::near), index.near(DType::I32));
    let problem = problem(u8s(Far::far), index.far(DType::I32));
    reference::run(&near, Some(&self_.near), &index.near, Some(&src.near), &mut out.near).unwrap();

    let plan = plan_with(&problem, &soc, Some(algorithm)).unwrap();
    let mut workspace = workspace(&plan);
    let memory = LaunchMemory {
        self_: self_.sparse.range(),
        indices: LaunchMemory::one_index(index.sparse.range()),
        src: src.sparse.range(),
        out: out.sparse.range(),
        workspace: Range {
            address: workspace.as_mut_ptr().cast(),
            bytes: size_of_val(&workspace[..]) as u64,
        },
    };
    model::configure(Some(&Options::strict(5)));
    // SAFETY: the memory that the problem was made for.
    let launched = unsafe { kernels().launch(&plan, &memory, ptr::null_mut()) };
    launched.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(bad_index(&problem, &workspace[..plan.statuses()]), None);
    for at in out.layout.shape().coordinates() {
        let expected = out.near[out.near_layout.address(&at)];
        assert_eq!(out.sparse.all::<u8>()[out.layout.address(&at)], expected, "{at:?}");
    }
}

#[test]
fn rows_of_every_tensor_far_apart_by_elements() {
    rows_far_apart(Algorithm::General);
}

#[test]
fn rows_of_every_tensor_far_apart_by_rows() {
    rows_far_apart(Algorithm::Rows);
}
