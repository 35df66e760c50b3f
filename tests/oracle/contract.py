"""The contract, as one loop in numpy, written from its text alone.

It checks the peers and shares no code with them: a peer's results are compared bit for bit only in classes of cases
that agree with this file. `check` below tells the generator which cases don't agree.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dtypes import DTYPES, same


@dataclass
class Outcome:
    """The result, and the data for error bounds: one value for each element of self, in its shape."""

    result: np.ndarray
    total: np.ndarray  # the accumulator before the mean's division
    magnitude: np.ndarray  # |self| (if included) + sum of |src|, in f64; of a complex number |re| + |im|
    updates: np.ndarray  # the number of updates
    count: np.ndarray  # the divisor of a mean


def run(case):
    """The outcome of `case` by the contract."""
    dtype = DTYPES[case.dtype]
    target, index = case.target.array(), case.index.array()
    if case.op == "gather":
        return _gathered(target, case.dim, index)
    src = converted(case.value, dtype) if case.src is None else case.src.array()
    with np.errstate(all="ignore"):
        if case.names_rows:
            target = np.zeros_like(target)
            outcome = _reduce(dtype, target, _nd_pairs(target.shape, index[..., None], src), case.reduction, False)
            if case.padding is not None:
                for array in (outcome.result, outcome.updates):
                    array[case.padding] = 0
            return outcome
        if case.axes is not None:
            pairs = point_pairs(target.shape, case.axes, index, src)
        elif case.is_nd:
            pairs = _nd_pairs(target.shape, index, src)
        elif case.names_windows:
            pairs = _window_pairs(target.shape, case.dim, index, src)
        elif case.names_slices:
            pairs = _slice_pairs(target.shape, case.dim, index, src)
        else:
            pairs = _axis_pairs(target.shape, case.dim, index, src)
        return _reduce(dtype, target, pairs, case.reduction, case.include_self is not False, case.alpha)


def _gathered(target, dim, index):
    """The elements of self that index names. Rank 0 counts as [1]."""
    shape, source = index.shape, np.atleast_1d(target)
    result = np.empty(np.atleast_1d(index).shape, dtype=target.dtype)
    for position in np.ndindex(result.shape):
        place = list(position)
        place[dim] = _wrapped(int(np.atleast_1d(index)[position]), source.shape[dim])
        result[position] = source[tuple(place)]
    nothing = np.zeros(shape)
    return Outcome(result.reshape(shape), nothing, nothing, nothing.astype(np.int64), nothing.astype(np.int64))


def _axis_pairs(shape, dim, index, src):
    """(place in self, update) in row-major order of index. Rank 0 counts as [1]; an empty index does nothing."""
    if index.size == 0:
        return
    shape = shape or (1,)
    index, src = np.atleast_1d(index), src if callable(src) else np.atleast_1d(src)
    for position in np.ndindex(index.shape):
        place = list(position)
        place[dim] = _wrapped(int(index[position]), shape[dim])
        yield tuple(place), src() if callable(src) else src[position]


def _nd_pairs(shape, indices, updates):
    """(place in self, update): each index vector names a slice of self, which its slice of updates goes to."""
    depth = indices.shape[-1]
    for position in np.ndindex(indices.shape[:-1]):
        head = tuple(_wrapped(int(value), size) for value, size in zip(indices[position], shape[:depth]))
        for tail in np.ndindex(shape[depth:]):
            yield head + tail, updates[position + tail]


def point_pairs(shape, axes, index, values):
    """(place in self, update) in row-major order of index: a row has the coordinates along the axes. values are
    broadcast to the rest of self with the rows in the place of the axes, if they are neighbours, or else in front."""
    rows, rest = index.shape[:-1], [axis for axis in range(len(shape)) if axis not in axes]
    first = axes[0] if list(axes) == list(range(axes[0], axes[0] + len(axes))) else 0
    named = [shape[axis] for axis in rest[:first]] + list(rows) + [shape[axis] for axis in rest[first:]]
    values = np.broadcast_to(values, named)
    for row in np.ndindex(rows):
        for slice_ in np.ndindex(*(shape[axis] for axis in rest)):
            place = dict(zip(rest, slice_))
            place |= {axis: _wrapped(int(value), shape[axis]) for axis, value in zip(axes, index[row])}
            yield tuple(place[axis] for axis in range(len(shape))), values[slice_[:first] + row + slice_[first:]]


def _window_pairs(shape, axis, index, updates):
    """(place in self, update) in row-major order of updates. A negative value counts from behind the last place where
    a window fits."""
    extent = updates.shape[axis]
    for position in np.ndindex(updates.shape):
        place, row = list(position), np.atleast_1d(index[position[0]])
        place[axis] += _wrapped(int(row[-1]), shape[axis] - extent + 1)
        if len(row) == 2:
            place[0] = _wrapped(int(row[0]), shape[0])
        yield tuple(place), updates[position]


def _slice_pairs(shape, dim, index, source):
    """(place in self, update) in row-major order of source, or of its shape where a scalar stands for it. Rank 0 counts
    as [1]."""
    shape, index, updates = shape or (1,), np.atleast_1d(index), list(shape or (1,))
    updates[dim] = len(index)
    for position in np.ndindex(*updates):
        place = list(position)
        place[dim] = _wrapped(int(index[position[dim]]), shape[dim])
        yield tuple(place), source() if callable(source) else np.atleast_1d(source)[position]


def _wrapped(value, size):
    assert -size <= value < size, f"index {value} is outside of an axis of {size}"
    return value + size if value < 0 else value


def _reduce(dtype, target, pairs, reduce, include_self, alpha=None):
    shape = target.shape
    target = np.atleast_1d(target)
    result = target.copy()
    total = target.astype(dtype.accumulator)
    magnitude = _magnitude(target)
    updates = np.zeros(target.shape, dtype=np.int64)
    for place, update in pairs:
        if reduce == "none":
            result[place] = update  # src's bits, which never pass through the accumulator
            continue
        update = dtype.accumulator.type(update)
        if alpha is not None:
            update = _multiply(dtype, dtype.accumulator.type(alpha), update)
        if updates[place] == 0 and not include_self:
            total[place], magnitude[place] = _identity(dtype, reduce), 0.0
        total[place] = _COMBINE[reduce](dtype, total[place], update)
        magnitude[place] += _magnitude(update)
        updates[place] += 1
    count = updates + int(include_self)
    for place in zip(*np.nonzero(updates)):
        value = total[place]
        result[place] = _mean(dtype, value, int(count[place])) if reduce == "mean" else rounded(value, dtype)
    arrays = (result, total, magnitude, updates, count)
    return Outcome(*(array.reshape(shape) for array in arrays))


def _magnitude(values):
    wide = _wide(np.asarray(values))
    return np.abs(wide.real) + np.abs(wide.imag)


def _identity(dtype, reduce):
    if reduce not in ("add", "mean", "multiply", "max", "min"):
        raise ValueError(f"{reduce} has no identity")
    if reduce in ("add", "mean", "multiply"):
        return dtype.accumulator.type(reduce == "multiply")
    if dtype.kind == "bool":
        return np.bool_(reduce == "min")
    if dtype.kind == "int":
        limits = np.iinfo(dtype.numpy)
        return limits.min if reduce == "max" else limits.max
    return dtype.accumulator.type(-np.inf if reduce == "max" else np.inf)


def _add(dtype, have, update):
    return have | update if dtype.kind == "bool" else have + update


def _multiply(dtype, have, update):
    if dtype.kind == "bool":
        return have & update
    if dtype.kind == "complex":
        a, b, c, d = have.real, have.imag, update.real, update.imag
        return _complex(dtype, a * c - b * d, a * d + b * c)
    return have * update


def _complex(dtype, real, imaginary):
    """The complex number with these parts; real + 1j * imaginary would turn an infinite part into a NaN."""
    return np.array([real, imaginary], dtype=dtype.component).view(dtype.numpy)[0]


def _max(_, have, update):
    """The maximum. NaN wins; a tie keeps `have`, and so the sign of its zero."""
    return update if have == have and (update != update or update > have) else have


def _min(_, have, update):
    return update if have == have and (update != update or update < have) else have


_COMBINE = {"add": _add, "mean": _add, "multiply": _multiply, "max": _max, "min": _min}


def _mean(dtype, total, count):
    """The mean: the accumulator divided by the exact count, rounded once, or down for integers."""
    if dtype.kind == "int":
        return int(total) // count
    if dtype.kind == "complex":
        divisor = dtype.component.type(count)
        return _complex(dtype, total.real / divisor, total.imag / divisor)
    if not np.isfinite(total) or total == 0:
        return dtype.numpy.type(total)
    if dtype.numpy == dtype.accumulator:
        return total / dtype.numpy.type(count)
    return rounded(Fraction(float(total)) / count, dtype)


def rounded(value, dtype):
    """`value` (a number of any kind, or a Fraction) in `dtype`, rounded once to nearest even."""
    if not isinstance(value, Fraction):
        return dtype.numpy.type(value)
    # Rounding to f64 and then to f16 or bf16 can be off by at most one step, so the nearest value
    # is this one or a neighbour.
    near = dtype.numpy.type(float(value))
    if not np.isfinite(near):
        return near
    candidates = [near, np.nextafter(near, dtype.numpy.type(np.inf)), np.nextafter(near, dtype.numpy.type(-np.inf))]
    bits = np.dtype(f"u{dtype.numpy.itemsize}")
    finite = [candidate for candidate in candidates if np.isfinite(candidate)]
    return min(finite, key=lambda it: (abs(Fraction(float(it)) - value), int(np.asarray(it).view(bits)) & 1))


def converted(value, dtype):
    """A function that returns the scalar converted to self's dtype; as a function it differs from a tensor."""
    if dtype.kind == "int":
        element = np.array(int(value) % (1 << 64), dtype=np.uint64).astype(dtype.numpy)[()]
    elif dtype.kind == "bool":
        element = np.bool_(value != 0)
    elif isinstance(value, int) and dtype.kind == "float":
        element = rounded(rounded(Fraction(value), DTYPES["f64" if dtype.name == "f64" else "f32"]), dtype)
    else:
        # numpy rounds an f64 to f32 or f64 once. For f16 and bf16 the value is rounded to f32
        # first, as in PyTorch.
        element = dtype.numpy.type(dtype.accumulator.type(value))
    return lambda: element


def check(case):
    """Whether the case's expected result agrees with the contract, exactly or within the case's bound."""
    result = run(case).result
    if case.bound is None:
        return same(result, case.expected)
    if not (np.all(np.isfinite(result)) and np.all(np.isfinite(case.expected))):
        return False  # a bound doesn't apply to an infinity or a NaN
    difference = np.abs(_wide(result) - _wide(case.expected))
    return bool(np.all(difference <= case.bound.bound))


def _wide(array):
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
