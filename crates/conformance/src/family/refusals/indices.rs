//! Index values outside `[-n, n)`: the call is refused, and the error names the position of the
//! first one.

use engines::case::{Case, Expected};
use engines::tensor::Tensor;
use scatter::{Addressing, DType, Error, Operator, Shape};

use super::base::{DIM, LARGE, SMALL, call, of_columns, of_scalar_index};
use crate::family::may_be;

/// The position of bad values in a column of index.
#[derive(Clone, Copy, Debug)]
enum Place {
    First,
    Last,
    /// In the middle, and another one at the end, in the first column, which the error must not
    /// name.
    MiddleAndLast,
}

/// Valid calls whose index gets bad values.
#[derive(Clone, Copy, Debug)]
struct Calls {
    name: &'static str,
    /// The valid call of an operator, a dtype and an index dtype; `None` where there is none.
    valid: fn(Operator, DType, DType) -> Option<Case>,
    /// The column of index that gets bad values.
    column: usize,
    /// Whether the extremes of the index dtype are among them.
    with_extremes: bool,
}

const SMALL_CALLS: Calls = Calls {
    name: "small",
    valid: |operator, dtype, index_dtype| Some(call(operator, dtype, index_dtype, &SMALL)),
    column: 0,
    with_extremes: true,
};

/// Without the extremes of the index dtype: the large cases are for the division of index by
/// threads and cores, where any bad value does.
const LARGE_CALLS: Calls = Calls {
    name: "large",
    valid: |operator, dtype, index_dtype| Some(call(operator, dtype, index_dtype, &LARGE)),
    column: 0,
    with_extremes: false,
};

const FIRST_COLUMN: Calls = Calls { name: "first-column", valid: of_columns, column: 0, with_extremes: true };
const SECOND_COLUMN: Calls = Calls { name: "second-column", column: 1, ..FIRST_COLUMN };

/// Every case: operator × dtype × index dtype × value × place × in place or not; some large ones,
/// some whose index has two columns, and some whose index has no axes.
pub(super) fn cases() -> impl Iterator<Item = Case> {
    Operator::ALL
        .into_iter()
        .flat_map(|operator| {
            let small = DType::ALL.into_iter().flat_map(move |dtype| cases_of(operator, dtype, SMALL_CALLS));
            let others = [LARGE_CALLS, FIRST_COLUMN, SECOND_COLUMN].into_iter();
            small.chain(others.flat_map(move |calls| cases_of(operator, DType::F32, calls)))
        })
        .chain(scalars())
}

/// The position in an index without axes is `[]`.
fn scalars() -> impl Iterator<Item = Case> {
    Operator::ALL.into_iter().flat_map(|operator| {
        [DType::I32, DType::I64].into_iter().filter_map(move |index_dtype| {
            let mut case = of_scalar_index(operator, DType::F32, index_dtype);
            if may_be(operator, true) {
                case.out = None;
            }
            case.expected = Expected::Refusal(spoil(&mut case, 0, Place::First, 5)?);
            case.name = format!("index-value/{operator}/f32/{index_dtype}/without-axes");
            Some(case)
        })
    })
}

fn cases_of(operator: Operator, dtype: DType, calls: Calls) -> impl Iterator<Item = Case> {
    let Calls { name, valid, column, with_extremes } = calls;
    let places = [("first", Place::First), ("last", Place::Last), ("middle-and-last", Place::MiddleAndLast)];
    let valid = move |index_dtype| valid(operator, dtype, index_dtype);
    [DType::I32, DType::I64].into_iter().filter_map(valid).flat_map(move |valid| {
        let index_dtype = valid.index.storage.dtype();
        let values = bad_values(index_dtype, named(&valid, column).1, with_extremes);
        places.into_iter().flat_map(move |(place_name, place)| {
            let valid = valid.clone();
            values.clone().into_iter().flat_map(move |(value_name, value)| {
                let valid = valid.clone();
                [false, true].into_iter().filter_map(move |in_place| {
                    if !may_be(operator, in_place) {
                        return None;
                    }
                    let mut case = valid.clone();
                    if in_place {
                        case.out = None;
                    }
                    let how = if in_place { "in-place" } else { "into" };
                    case.expected = Expected::Refusal(spoil(&mut case, column, place, value)?);
                    case.name = format!(
                        "index-value/{operator}/{dtype}/{index_dtype}/{name}/{value_name}-{place_name}/{how}"
                    );
                    Some(case)
                })
            })
        })
    })
}

/// The values just outside the range of an axis with `places`, and the extremes of the index dtype
/// if they are wanted.
fn bad_values(index_dtype: DType, places: usize, with_extremes: bool) -> Vec<(&'static str, i64)> {
    let size = places as i64;
    let mut values = vec![("size", size), ("below-minus-size", -size - 1)];
    if with_extremes {
        let (least, most) = match index_dtype {
            DType::I32 => (i32::MIN.into(), i32::MAX.into()),
            _ => (i64::MIN, i64::MAX),
        };
        values.extend([("least", least), ("most", most)]);
    }
    values
}

/// The axis of self that a column of index points into, and its places: its size, or how many times
/// a window fits there.
fn named(case: &Case, column: usize) -> (usize, usize) {
    let addressing = case.op.operator().signature().addressing;
    let axis = match (addressing, case.op.axes()) {
        (_, Some(axes)) => axes.iter().nth(column).unwrap_or(DIM),
        (Addressing::Nd | Addressing::Rows, _) => column,
        (Addressing::Windows, _) if columns(case) > 1 => column,
        _ => DIM.min(case.self_.shape.len() - 1),
    };
    let window = case.src.as_ref().filter(|_| addressing == Addressing::Windows && axis == DIM);
    let extent = window.map_or(1, |src| src.shape[axis]);
    (axis, case.self_.shape[axis] + 1 - extent)
}

/// The number of columns of index: of the values along its last axis that name a target together.
fn columns(case: &Case) -> usize {
    match (case.op.operator().signature().addressing, &*case.index.shape) {
        (Addressing::Nd | Addressing::Axes, [.., columns]) => *columns,
        (Addressing::Windows, [_, columns]) => *columns,
        _ => 1,
    }
}

/// Writes bad values at `place`, and returns the error that names the first one.
fn spoil(case: &mut Case, column: usize, place: Place, value: i64) -> Option<Error> {
    let (columns, count) = (columns(case), case.index.elements());
    let rows = count / columns;
    let (named_row, hidden_row) = match place {
        Place::First => (0, None),
        Place::Last => (rows - 1, None),
        Place::MiddleAndLast => (rows / 2, Some(rows - 1)),
    };
    let named_at = named_row * columns + column;
    for position in [Some(named_at), hidden_row.map(|row| row * columns)].into_iter().flatten() {
        write(&mut case.index, position, value);
    }
    let operator = case.op.operator();
    let (axis, size) = named(case, column);
    let mut position = case.index.coordinates_of(named_at)?;
    if operator.signature().addressing == Addressing::Axes {
        // In the tensor of its axis.
        position.pop();
    }
    let position = Shape::new(&position)?;
    Some(Error::IndexOutOfRange { operator, axis, position, value, size })
}

/// Writes a value at a position of a contiguous index.
fn write(index: &mut Tensor, position: usize, value: i64) {
    match index.storage.dtype() {
        DType::I32 => index.storage.elements_mut::<i32>()[position] = value as i32,
        _ => index.storage.elements_mut::<i64>()[position] = value,
    }
}
