"""The parts of a test vector: views of flat storages, and cases made of views."""

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class View:
    """A tensor as the Rust side builds it: a flat storage, and shape, strides and offset in elements."""

    storage: np.ndarray
    shape: tuple
    strides: tuple
    offset: int

    @classmethod
    def of(cls, array):
        """A contiguous view of a copy of `array`."""
        array = np.array(array, order="C")
        return cls(array.reshape(-1), array.shape, contiguous_strides(array.shape), 0)

    @classmethod
    def within(cls, base, view):
        """`view`, a numpy view into the contiguous array `base`, as storage and layout."""
        if view.size == 0:  # numpy gives such views arbitrary strides
            return cls(base.reshape(-1), view.shape, contiguous_strides(view.shape), 0)
        offset = (view.__array_interface__["data"][0] - base.__array_interface__["data"][0]) // base.itemsize
        strides = tuple(stride // base.itemsize for stride in view.strides)
        return cls(base.reshape(-1), view.shape, strides, offset)

    def array(self):
        """The elements, as a contiguous copy."""
        strides = tuple(stride * self.storage.itemsize for stride in self.strides)
        start = self.storage[self.offset :]
        return np.array(np.lib.stride_tricks.as_strided(start, self.shape, strides), order="C")


def contiguous_strides(shape):
    """Row-major strides in elements."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


@dataclass
class Bound:
    """An absolute bound for each element, and the reason why results are not compared bit for bit."""

    bound: np.ndarray
    reason: str


# The reduction of the operators that have no parameter for it. A gather updates nothing.
REDUCTIONS = {
    "scatter_add": "add",
    "scatter_nd_add": "add",
    "index_add": "add",
    "embedding_backward": "add",
    "scatter_nd_update": "none",
    "index_copy": "none",
    "index_fill": "none",
    "scatter_update": "none",
    "gather": None,
}


@dataclass
class Case:
    """A call of an operator, with the result from a peer or a documentation page. `target` is the call's self."""

    name: str
    op: str
    dtype: str
    index_dtype: str
    target: View
    index: View
    src: View | None = None
    dim: int | None = None
    reduce: str | None = None
    include_self: bool | None = None
    value: Any = None
    alpha: Any = None
    axes: tuple | None = None
    accumulate: bool | None = None
    padding: int | None = None
    scale: bool | None = None
    expected: np.ndarray | None = None
    bound: Bound | None = None  # None: compared bit for bit
    page: str | None = None
    # Cases of a later addition have their tensors behind those of earlier ones, whose lines in the
    # manifest stay as they are.
    addition: int = 0

    @property
    def is_nd(self):
        """Whether the last axis of index has coordinates."""
        return self.op in ("scatter_nd_add", "scatter_nd_update")

    @property
    def names_slices(self):
        """Whether an element of index names a slice of self."""
        return self.op in ("index_copy", "index_add", "index_fill")

    @property
    def names_windows(self):
        """Whether an element of index names where a window of self begins."""
        return self.op == "scatter_update"

    @property
    def names_rows(self):
        """Whether an element of index names a row of out, which starts as zeros."""
        return self.op == "embedding_backward"

    @property
    def reduction(self):
        """How an update meets its element of self."""
        if self.accumulate is not None:
            return "add" if self.accumulate else "none"
        if self.scale:
            return "mean"
        if self.reduce is not None:
            return self.reduce
        if self.op not in REDUCTIONS:
            raise ValueError(f"{self.name}: no reduction is known of operator {self.op}")
        return REDUCTIONS[self.op]

    @property
    def source(self):
        """The source of the result, which is the first part of the name."""
        return self.name.split("/", 1)[0]
