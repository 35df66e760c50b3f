"""Layouts of a tensor in its storage.

Each function takes the elements and a filler, and returns a view. The filler (NaN, or an index far out of range) is put
in all elements outside the view, so that an engine that reads them is detected.
"""

import numpy as np

from case import View


def contiguous(array, _):
    """Row-major from the start of the storage."""
    return View.of(array)


def offset(array, filler):
    """Row-major, with other elements before and after."""
    base = np.full(array.size + 5, filler, dtype=array.dtype)
    return _fill(base, base[3 : 3 + array.size].reshape(array.shape), array)


def padded(array, filler):
    """The leading block of a tensor that is longer along every axis."""
    base = _around(tuple(size + 1 for size in array.shape), array, filler)
    return _fill(base, base[tuple(slice(0, size) for size in array.shape)], array)


def strided(array, filler):
    """Every second element along every axis."""
    base = _around(tuple(2 * size + 1 for size in array.shape), array, filler)
    return _fill(base, base[tuple(slice(1, None, 2) for _ in array.shape)], array)


def transposed(array, filler):
    """Column-major."""
    base = _around(array.shape[::-1], array, filler)
    return _fill(base, base.T, array)


def flipped(array, filler):
    """Every axis backwards: negative strides."""
    base = _around(array.shape, array, filler)
    return _fill(base, np.flip(base), array)


def tangled(array, filler):
    """Column-major, backwards, and every second element."""
    base = _around(tuple(2 * size + 1 for size in array.shape[::-1]), array, filler)
    return _fill(base, base.T[tuple(slice(-2, None, -2) for _ in array.shape)], array)


def first_axis_expanded(array, filler):
    """Stride 0 along the first axis; the first slice of the elements is kept."""
    return _expanded(array, filler, 0)


def last_axis_expanded(array, filler):
    """Stride 0 along the last axis; the first slice of the elements is kept."""
    return _expanded(array, filler, array.ndim - 1)


def all_axes_expanded(array, _):
    """One element, expanded along every axis."""
    base = np.array(array.reshape(-1)[:1])
    return View.within(base, np.broadcast_to(base, array.shape))


def _expanded(array, filler, axis):
    kept = np.take(array, [0], axis=axis)
    base = _around(kept.shape, array, filler)
    base[...] = kept
    return View.within(base, np.broadcast_to(base, array.shape))


def _around(shape, array, filler):
    return np.full(shape, filler, dtype=array.dtype)


def _fill(base, view, array):
    view[...] = array
    return View.within(base, view)
