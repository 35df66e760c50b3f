//! A tensor's elements as text, in the form in which `ndarray` prints an array.

use core::fmt;

use scatter::{Bool, Complex, Element, MAX_RANK, bf16, f16, with_element};

use super::{Kind, TensorBase, TensorView};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::stream::Stream;

/// The elements, as `ndarray` prints them; of tensors with 500 elements and more the first and last
/// of each axis, unless `{:#}` asks for all. Width, precision and sign are those of each element:
/// `{:.2}`.
///
/// **It waits** until the elements are written, as [`to_vec`](TensorBase::to_vec) does, on a stream
/// of its own, and copies what it prints to the host. Where that fails the error is printed in the
/// place of the elements, and stays to be returned by whatever would have returned it.
///
/// ```
/// # fn main() -> aclnn::Result<()> {
/// # // SAFETY: nothing else runs that reads the environment.
/// # unsafe { std::env::set_var("HOST_CANN_QUIET", "1") };
/// # let stream = aclnn::Runtime::host()?.device(0)?.stream()?;
/// use aclnn::Tensor;
///
/// let tensor = Tensor::<f32>::new([[1.0, 2.5], [3.0, 4.0]], &stream)?;
/// assert_eq!(format!("{tensor:.1}"), "[[1.0, 2.5],\n [3.0, 4.0]]");
/// # Ok(())
/// # }
/// ```
impl<H, K: Kind> fmt::Display for TensorBase<H, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        with_element!(self.dtype(), T => print::<T>(self.reformed(), f, T::display))
    }
}

/// The elements, as [`Display`](fmt::Display) prints them and waiting as it does; then dtype,
/// shape, strides and device.
impl<H, K: Kind> fmt::Debug for TensorBase<H, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        with_element!(self.dtype(), T => print::<T>(self.reformed(), f, T::debug))?;
        let (dtype, shape, strides) = (self.dtype(), self.shape(), self.strides());
        write!(f, ", dtype={dtype}, shape={shape:?}, strides={strides:?}, device={}", self.device().id())
    }
}

/// An element as text.
trait Printed: Element {
    fn display(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

macro_rules! printed {
    ($($element:ty => $as:expr, $debug:ident);* $(;)?) => {$(
        impl Printed for $element {
            fn display(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let shown: fn(&Self) -> _ = $as;
                fmt::Display::fmt(&shown(self), f)
            }
            fn debug(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let shown: fn(&Self) -> _ = $as;
                fmt::$debug::fmt(&shown(self), f)
            }
        }
    )*};
}
printed! {
    bf16 => |number| *number, Debug;
    f16 => |number| *number, Debug;
    f32 => |number| *number, Debug;
    f64 => |number| *number, Debug;
    i64 => |number| *number, Debug;
    i32 => |number| *number, Debug;
    i16 => |number| *number, Debug;
    i8 => |number| *number, Debug;
    u8 => |number| *number, Debug;
    Bool => |byte| byte.get(), Debug;
    // `1+2i` in both: a structure of two fields is not what a matrix of them is read for.
    Complex<f32> => |number| *number, Display;
    Complex<f64> => |number| *number, Display;
}

/// How many elements of each end of an axis are shown; `None` for all.
type Edges = [Option<usize>; MAX_RANK];

/// A tensor of more elements is shown in part.
const MANY: usize = 500;

/// As many elements are copied to the host at once; of a larger tensor, the parts that are shown.
const AT_ONCE: usize = 1 << 16;

/// What is shown of a shape.
fn edges(shape: &[usize], elements: usize) -> Edges {
    let mut edges = [None; MAX_RANK];
    if elements >= MANY {
        for (behind, (edge, &size)) in edges.iter_mut().zip(shape).rev().enumerate() {
            let most = if behind < 2 { 11 } else { 6 };
            *edge = (size > most).then_some(most / 2);
        }
    }
    edges
}

fn print<T: Printed>(
    tensor: TensorView<'_, T>,
    f: &mut fmt::Formatter<'_>,
    one: fn(&T, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    let shape = *tensor.layout().shape();
    let edges = if f.alternate() { [None; MAX_RANK] } else { edges(&shape, tensor.elements()) };
    let device = tensor.device().clone();
    match read(tensor, edges, &device) {
        Err(error) => write!(f, "<no elements: {error}>"),
        Ok(elements) if elements.is_empty() => {
            (0..shape.len()).try_for_each(|_| f.write_str("["))?;
            (0..shape.len()).try_for_each(|_| f.write_str("]"))
        }
        Ok(elements) => write(f, &shape, &edges, 0, &mut elements.iter(), one),
    }
}

/// Writes the elements along an axis and those behind it; the iterator has what is shown of them.
fn write<T>(
    f: &mut fmt::Formatter<'_>,
    shape: &[usize],
    edges: &Edges,
    axis: usize,
    elements: &mut core::slice::Iter<'_, T>,
    one: fn(&T, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    let Some(&size) = shape.get(axis) else {
        return elements.next().map_or(Ok(()), |element| one(element, f));
    };
    let separate = |f: &mut fmt::Formatter<'_>| {
        let behind = shape.len() - axis - 1;
        if behind == 0 {
            return f.write_str(", ");
        }
        f.write_str(",")?;
        (0..behind).try_for_each(|_| f.write_str("\n"))?;
        (0..=axis).try_for_each(|_| f.write_str(" "))
    };
    let edge = edges[axis];
    f.write_str("[")?;
    for place in 0..edge.map_or(size, |edge| 2 * edge) {
        if place > 0 {
            separate(f)?;
        }
        if edge == Some(place) {
            f.write_str("...")?;
            separate(f)?;
        }
        write(f, shape, edges, axis + 1, elements, one)?;
    }
    f.write_str("]")
}

/// What is shown of a tensor, in row-major order, behind everything that writes it.
fn read<T: Element>(tensor: TensorView<'_, T>, edges: Edges, device: &Device) -> Result<Vec<T>> {
    // Nobody is told an error by a text: one that a drop left is put back for the next call.
    let earlier = device.runtime().check();
    let elements = device.stream().and_then(|stream| {
        let mut elements = Vec::new();
        let gathered = gather(tensor, edges, 0, &stream, &mut elements);
        let closed = stream.close();
        gathered.and(closed).map(|()| elements)
    });
    if let Err(Error::Dropped(error)) = earlier {
        device.runtime().keep(Err(*error));
    }
    elements
}

/// Appends what is shown; of the axes before `axis` that is all.
fn gather<T: Element>(
    tensor: TensorView<'_, T>,
    mut edges: Edges,
    axis: usize,
    stream: &Stream,
    elements: &mut Vec<T>,
) -> Result<()> {
    let span = tensor.layout().span().map_or(0, |span| span.end() - span.start() + 1);
    if span <= AT_ONCE && tensor.elements() <= AT_ONCE {
        let all = tensor.to_vec(stream)?;
        let shape = tensor.layout().shape();
        let is_shown = |(&place, (&size, edge)): (&usize, (&usize, &Option<usize>))| {
            edge.is_none_or(|edge| place < edge || place >= size - edge)
        };
        let shown = shape
            .coordinates()
            .zip(all)
            .filter(|(coordinates, _)| coordinates.iter().zip(shape.iter().zip(&edges)).all(is_shown));
        elements.extend(shown.map(|(_, element)| element));
        return Ok(());
    }
    let size = tensor.shape()[axis];
    let parts = match edges[axis].take() {
        Some(edge) => [0..edge, size - edge..size],
        None if size > 1 => [0..size / 2, size / 2..size],
        None => return gather(tensor, edges, axis + 1, stream, elements),
    };
    for part in parts {
        gather(tensor.clone().narrow(axis, part)?, edges, axis, stream, elements)?;
    }
    Ok(())
}
