//! Index values outside `[-n, n)`: the call is refused, and the error names the position of the
//! first one.

use engines::case::{Case, Expected};
use engines::tensor::Tensor;
use scatter::{Addressing, DType, Error, Operator, Shape};

use super::base::{DIM, LARGE, SMALL, Sizes, call, may_be, of_scalar_index};

/// The position of bad values in index.
#[derive(Clone, Copy, Debug)]
enum Place {
    First,
    Last,
    /// In the middle, and another one at the end, which the error must not name.
    MiddleAndLast,
}

/// Every case: operator × dtype × index dtype × value × place × in place or not, some large
/// ones, and some whose index has no axes.
pub(super) fn cases() -> impl Iterator<Item = Case> {
    let small = Operator::ALL.into_iter().flat_map(|operator| {
        DType::ALL.into_iter().flat_map(move |dtype| cases_of(operator, dtype, &SMALL, "small", true))
    });
    // Without the extremes of the index dtype: the large cases are for the division of index by
    // threads and cores, where any bad value does.
    let large =
        Operator::ALL.into_iter().flat_map(|operator| cases_of(operator, DType::F32, &LARGE, "large", false));
    small.chain(large).chain(scalars())
}

/// The position in an index without axes is `[]`.
fn scalars() -> impl Iterator<Item = Case> {
    Operator::ALL.into_iter().flat_map(|operator| {
        [DType::I32, DType::I64].into_iter().filter_map(move |index_dtype| {
            let mut case = of_scalar_index(operator, DType::F32, index_dtype);
            if may_be(true, operator) {
                case.out = None;
            }
            case.expected = Expected::Refusal(spoil(&mut case, Place::First, 5)?);
            case.name = format!("index-value/{operator}/f32/{index_dtype}/without-axes");
            Some(case)
        })
    })
}

fn cases_of(
    operator: Operator,
    dtype: DType,
    sizes: &'static Sizes,
    size: &'static str,
    with_extremes: bool,
) -> impl Iterator<Item = Case> {
    let places = [("first", Place::First), ("last", Place::Last), ("middle-and-last", Place::MiddleAndLast)];
    [DType::I32, DType::I64].into_iter().flat_map(move |index_dtype| {
        places.into_iter().flat_map(move |(place_name, place)| {
            bad_values(operator, index_dtype, sizes, with_extremes).into_iter().flat_map(
                move |(value_name, value)| {
                    [false, true].into_iter().filter_map(move |in_place| {
                    let mut case = call(operator, dtype, index_dtype, sizes);
                    if !may_be(in_place, operator) {
                        return None;
                    }
                    if in_place {
                        case.out = None;
                    }
                    let how = if in_place { "in-place" } else { "into" };
                    case.expected = Expected::Refusal(spoil(&mut case, place, value)?);
                    case.name = format!(
                        "index-value/{operator}/{dtype}/{index_dtype}/{size}/{value_name}-{place_name}/{how}"
                    );
                    Some(case)
                })
                },
            )
        })
    })
}

/// The values just outside the range, and the extremes of the index dtype if they are wanted.
fn bad_values(
    operator: Operator,
    index_dtype: DType,
    sizes: &Sizes,
    with_extremes: bool,
) -> Vec<(&'static str, i64)> {
    let size = sizes.self_[indexed_axis(operator)] as i64;
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

/// The axis that index points into.
const fn indexed_axis(operator: Operator) -> usize {
    match operator.signature().addressing {
        Addressing::Nd | Addressing::Rows => 0,
        _ => DIM,
    }
}

/// Writes bad values at `place`, and returns the error that names the first one.
fn spoil(case: &mut Case, place: Place, value: i64) -> Option<Error> {
    let count = case.index.elements();
    let (named, hidden) = match place {
        Place::First => (0, None),
        Place::Last => (count - 1, None),
        Place::MiddleAndLast => (count / 2, Some(count - 1)),
    };
    for position in [Some(named), hidden].into_iter().flatten() {
        write(&mut case.index, position, value);
    }
    let operator = case.op.operator();
    let axis = indexed_axis(operator).min(case.self_.shape.len() - 1);
    let mut position = case.index.coordinates_of(named)?;
    if operator.signature().addressing == Addressing::Axes {
        // In the tensor of its axis.
        position.pop();
    }
    let position = Shape::new(&position)?;
    Some(Error::IndexOutOfRange { operator, axis, position, value, size: case.self_.shape[axis] })
}

/// Writes a value at a position of a contiguous index.
fn write(index: &mut Tensor, position: usize, value: i64) {
    match index.storage.dtype() {
        DType::I32 => index.storage.elements_mut::<i32>()[position] = value as i32,
        _ => index.storage.elements_mut::<i64>()[position] = value,
    }
}
