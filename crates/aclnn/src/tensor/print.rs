//! Prints a tensor's elements in the format of `ndarray`.

use core::fmt;

use scatter::{Bool, Complex, Element, MAX_RANK, bf16, f16, with_element};

use super::{Kind, TensorBase, TensorView};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::stream::Stream;

/// Prints the elements in the format of `ndarray`. Of tensors with 500 or more elements it shows
/// only the first and last ones of each long axis, unless `{:#}` asks for all. Width, precision and
/// sign, as in `{:.2}`, apply to each element.
///
/// **Printing waits** until the elements are written, as [`to_vec`](TensorBase::to_vec) does, on a
/// stream of its own, and copies what it prints to the host. If that fails, the error is printed in
/// place of the elements; printing does not take it from the call that would otherwise return it.
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

/// Prints the elements as [`Display`](fmt::Display) does, waiting in the same way, and then dtype,
/// shape, strides and device.
impl<H, K: Kind> fmt::Debug for TensorBase<H, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        with_element!(self.dtype(), T => print::<T>(self.reformed(), f, T::debug))?;
        let (dtype, shape, strides) = (self.dtype(), self.shape(), self.strides());
        write!(f, ", dtype={dtype}, shape={shape:?}, strides={strides:?}, device={}", self.device().id())
    }
}

/// Formats an element.
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
    // `{:?}` prints `1+2i`, too: a matrix of structs with two fields would be hard to read.
    Complex<f32> => |number| *number, Display;
    Complex<f64> => |number| *number, Display;
}

/// For each axis, how many elements are shown at either end; `None` if all are shown.
type Edges = [Option<usize>; MAX_RANK];

/// A tensor with this many elements or more is shown in part.
const MANY: usize = 500;

/// The most elements that are copied to the host at once. Of a larger tensor only the parts that
/// are shown are copied.
const AT_ONCE: usize = 1 << 16;

/// What is shown of a tensor of this shape.
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

/// Prints the elements along `axis` and the axes after it. `elements` yields only those that are
/// shown.
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

/// The elements that are shown, in row-major order, after all work that writes the tensor.
fn read<T: Element>(tensor: TensorView<'_, T>, edges: Edges, device: &Device) -> Result<Vec<T>> {
    // Printing an error does not return it, so the pending error of an earlier drop is put back for
    // the next call.
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

/// Appends the elements that are shown. Of the axes before `axis` all elements of `tensor` are
/// shown.
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
