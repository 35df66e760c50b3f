//! Offsets beyond 2^31 elements, on memory that is mapped but, for the most part, never touched.

use std::ptr;

use scatter::{DType, Layout, Op, Operand, Problem};
use scatter_kernels::launch::{Kernels, Memory};
use scatter_kernels::model::{self, Options};
use scatter_kernels::plan::{Algorithm, plan_with};
use scatter_kernels::tiling::Status;
use scatter_kernels::{Range, Soc, bad_index};

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
        // SAFETY: a new mapping, which nobody else has.
        let address = unsafe { libc::mmap(ptr::null_mut(), bytes, access, kind, -1, 0) };
        assert_ne!(address, libc::MAP_FAILED);
        Self { address: address.cast(), bytes }
    }

    fn range(&self) -> Range {
        Range { address: self.address.cast(), bytes: self.bytes as u64 }
    }
}

impl Drop for Sparse {
    fn drop(&mut self) {
        // SAFETY: the mapping that was made, and is used no more.
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
    let plan = plan_with(&problem, &Soc::default(), Some(algorithm)).unwrap();

    let mut status = vec![Status::GOOD; plan.workspace_bytes() / size_of::<Status>()];
    let range =
        |address: *const u8, bytes: usize| Range { address: address.cast_mut().cast(), bytes: bytes as u64 };
    let memory = Memory {
        self_: Range::NONE,
        index: range(index.as_ptr().cast(), size_of_val(&index[..])),
        src: range(src.as_ptr().cast(), size_of_val(&src[..])),
        out: out.range(),
        status: Range { address: status.as_mut_ptr().cast(), bytes: size_of_val(&status[..]) as u64 },
    };
    model::configure(Some(&Options::strict(3)));
    // SAFETY: the memory that the problem was made for.
    let launched = unsafe { Kernels::host_model().launch(&plan, &memory, ptr::null_mut()) };
    launched.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(bad_index(&problem, &status), None);

    let at = |row: usize, column: usize| {
        // SAFETY: an element of out.
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
    rows_at_the_far_end(&[5, 9], Algorithm::Elements);
}
