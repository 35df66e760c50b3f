#!/usr/bin/env python3
"""Counts the cases of tests/vectors by source and by what they cover. README.md contains this output.

A case is classified by the shapes, layouts and numbers in the files, never by its name, so that a generator that stops
making what a name promises is detected. Elements outside a view, or that an empty index leaves unread, don't count.
"""

import itertools
import json
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import safetensors

import axis_cases
import contract
from case import Case, View
from dtypes import DTYPES, INDEX_DTYPES

FOLDER = Path(__file__).resolve().parent.parent / "vectors"
INTEGERS = [dtype.name for dtype in DTYPES.values() if dtype.kind == "int"]


def load(folder):
    """Every case of the manifest."""
    tensors = {path.name: dict(safetensors.deserialize(path.read_bytes())) for path in folder.glob("*.safetensors")}
    entries = json.loads((folder / "manifest.json").read_text())["cases"]
    return [_case(entry, tensors[entry["file"]]) for entry in entries]


def _case(entry, tensors):
    def flat(name, dtype):  # not safetensors.numpy, which returns complex numbers as pairs
        return np.frombuffer(tensors[entry[name]["tensor"]]["data"], dtype=DTYPES[dtype].numpy)

    def view(name, dtype):
        it = entry[name]
        return View(flat(name, dtype), tuple(it["shape"]), tuple(it["strides"]), it["offset"])

    dtype = entry["dtype"]
    return Case(
        **{name: entry.get(name) for name in ("name", "op", "dtype", "index_dtype", "dim", "reduce", "include_self")},
        **{name: entry.get(name) for name in ("axes", "accumulate", "padding", "scale")},
        target=view("self", dtype),
        index=view("index", entry["index_dtype"]),
        src=view("src", dtype) if "src" in entry else None,
        value=_value(**entry["value"]) if "value" in entry else None,
        expected=flat("expected", dtype),
    )


def _value(**tagged):
    ((kind, value),) = tagged.items()
    return complex(*map(float, value)) if kind == "complex" else float(value) if kind == "float" else value


class Facts:
    """A case, with its updates and the element of self that each goes to."""

    def __init__(self, case):
        self.case = case
        self.gathers = case.op == "gather"
        self.along_axis = case.dim is not None and not (case.names_slices or case.names_windows or self.gathers)
        # Empty in the contract's sense. Index vectors with k = 0 have no elements, but still name
        # all of self.
        self.empty = 0 in (case.index.shape[:-1] if case.is_nd or case.axes else case.index.shape)
        target = case.target.array()
        self.target = (np.zeros_like(target) if case.names_rows else target).reshape(-1)
        self.places, self.updates = np.empty(0, dtype=int), self.target[:0]
        if not self.empty and not self.gathers:
            self.places, self.updates = (it.reshape(-1) for it in self._pairs())

    def _pairs(self):
        if self.case.names_slices:
            return _slices(self.case)
        if self.case.names_windows:
            return _windows(self.case)
        if self.case.axes:
            return _points(self.case)
        return _axis(self.case) if self.along_axis else _nd(self.case)


def _axis(case):
    """(flat position in self, update) of each element of index. Rank 0 counts as [1]."""
    index = np.atleast_1d(case.index.array())
    coordinates = list(np.indices(index.shape))
    coordinates[case.dim] = index
    if case.src is None:
        updates = np.full(index.shape, contract.converted(case.value, DTYPES[case.dtype])())
    else:
        updates = np.atleast_1d(case.src.array())[tuple(map(slice, index.shape))]
    return _numbered(case.target.shape or (1,))[tuple(coordinates)], updates


def _nd(case):
    """(flat position in self, update) of each element of updates."""
    index = case.index.array()
    vectors = (index,) if case.names_rows else tuple(np.moveaxis(index, -1, 0))
    return np.broadcast_to(_numbered(case.target.shape)[vectors], case.src.shape), case.src.array()


def _slices(case):
    """(flat position in self, update) of each element of source, or of its shape where a scalar stands for it."""
    index, shape = np.atleast_1d(case.index.array()), list(case.target.shape or (1,))
    numbered = _numbered(shape)
    shape[case.dim] = len(index)
    coordinates = list(np.indices(shape))
    coordinates[case.dim] = index[coordinates[case.dim]]
    if case.src is None:
        source = np.full(shape, contract.converted(case.value, DTYPES[case.dtype])())
    else:
        source = np.atleast_1d(case.src.array())
    return numbered[tuple(coordinates)], source


def _windows(case):
    """(flat position in self, update) of each element of updates."""
    updates, index = case.src.array(), case.index.array()
    coordinates = list(np.indices(updates.shape))
    rows = index.reshape(len(index), -1)[coordinates[0]]
    places = case.target.shape[case.dim] - updates.shape[case.dim] + 1
    coordinates[case.dim] = rows[..., -1] % places + coordinates[case.dim]
    if rows.shape[-1] == 2:
        coordinates[0] = rows[..., 0]
    return _numbered(case.target.shape)[tuple(coordinates)], updates


def _points(case):
    """(flat position in self, update) of each element that index names."""
    places, updates = [], []
    for place, update in contract.point_pairs(case.target.shape, case.axes, case.index.array(), case.src.array()):
        places.append(np.ravel_multi_index(place, case.target.shape))
        updates.append(update)
    return np.array(places, dtype=int), np.array(updates, dtype=case.src.storage.dtype)


def _numbered(shape):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape)


def longer_than_self(facts):
    """Whether index is longer along dim than self. False for an empty index."""
    return any(index > size for axis, index, size in _sizes(facts, facts.case.target) if axis)


def smaller_than_self(facts):
    """Whether index is shorter than self along another axis than dim."""
    return any(index < size for axis, index, size in _sizes(facts, facts.case.target) if not axis)


def smaller_than_src(facts):
    """Whether index is shorter than src along any axis, so that a part of src must not be read."""
    return any(index < size for _, index, size in _sizes(facts, facts.case.src))


def _sizes(facts, other):
    """(whether the axis is dim, index's size, the other tensor's size) for each axis."""
    if facts.empty or not facts.along_axis or other is None:
        return []
    index, other = facts.case.index.shape or (1,), other.shape or (1,)
    return zip((axis == facts.case.dim % len(index) for axis in range(len(index))), index, other)


def has(test, facts):
    """Whether self or an update that is read (or the scalar) has such a number, in either part if complex."""
    return test(facts.target).any() or test(facts.updates).any()


def overflows(facts):
    """Whether a result is infinite though self's element and all its updates are finite."""
    if facts.gathers:
        return False
    finite = np.isfinite(facts.target)
    finite[facts.places[~np.isfinite(facts.updates)]] = False
    return (np.isinf(facts.case.expected) & finite).any()


def wraps(dtype, facts):
    """Whether the exact value of a sum (also a mean's) or product is outside the integer's range."""
    case = facts.case
    reduce = case.reduction
    if case.dtype != dtype or reduce not in ("add", "mean", "multiply"):
        return False
    exact, combine = facts.target.astype(object), np.multiply if reduce == "multiply" else np.add
    if case.include_self is False:
        exact[facts.places] = combine.identity
    combine.at(exact, facts.places, facts.updates.astype(object))
    limits = np.iinfo(DTYPES[dtype].numpy)
    return ((exact < limits.min) | (exact > limits.max)).any()


def steps(argument, facts):
    """The strides of self, index or src that matter, which are those of axes longer than 1."""
    view = getattr(facts.case, argument)
    if view is None or 0 in view.shape:
        return []
    return [stride for size, stride in zip(view.shape, view.strides) if size > 1]


def apart(strides):
    """Whether no axis has neighbouring elements next to each other in memory. Expanded axes are ignored."""
    moving = [abs(stride) for stride in strides if stride]
    return bool(moving) and min(moving) > 1


def transposed(strides):
    """Whether some axis has a smaller stride than the next one."""
    moving = [abs(stride) for stride in strides if stride]
    return any(near < far for near, far in zip(moving, moving[1:]))


def _of_each(test):
    """The layout test for self, for index and for src."""
    return [lambda facts, it=it: test(steps(it, facts)) for it in ("target", "index", "src")]


# Label -> tests of a case; several where a line has several counts.
PROPERTIES = {
    "two updates for one element": [lambda it: len(np.unique(it.places)) < it.places.size],
    "negative indices": [lambda it: (it.case.index.array() < 0).any()],
    "negative dim": [lambda it: it.along_axis and it.case.dim < 0],
    "index longer than self along dim": [longer_than_self],
    "index smaller than self off dim": [smaller_than_self],
    "index smaller than src": [smaller_than_src],
    "empty index": [lambda it: it.empty],
    "indices without coordinates (k = 0)": [lambda it: it.case.is_nd and it.case.index.shape[-1] == 0],
    "self without elements": [lambda it: it.target.size == 0],
    "NaN in self, src or value": [partial(has, np.isnan)],
    "infinities in self, src or value": [partial(has, np.isinf)],
    "finite floats, complex too, that overflow to infinity": [overflows],
    f"integer sums and products that wrap: {', '.join(INTEGERS)}": [partial(wraps, dtype) for dtype in INTEGERS],
    "self, index, src with a step between elements": _of_each(apart),
    "self, index, src transposed": _of_each(transposed),
    "self, index, src with negative strides": _of_each(lambda strides: any(stride < 0 for stride in strides)),
    "self, index, src expanded (stride 0)": _of_each(lambda strides: 0 in strides),
}


def combinations():
    """Every (op, reduce, include_self, dtype, index dtype) in the contract."""
    others = ("scatter_nd_add", "scatter_nd_update", "index_copy", "index_add", "index_fill", "scatter_update")
    others += ("index_put", "gather", "embedding_backward")
    operators = (*axis_cases.OPERATORS, *map(axis_cases.Operator, others))
    return {
        (operator.op, operator.reduce, operator.include_self, dtype, index_dtype)
        for operator, dtype, index_dtype in itertools.product(operators, DTYPES, INDEX_DTYPES)
        if operator.takes(dtype)
    }


def lines(cases):
    """(label, text) of every line of the table."""
    yield "cases", f"{len(cases):,}"
    for source, count in Counter(case.source for case in cases).items():
        yield f"  of {source}", f"{count:,}"
    made = {(case.op, case.reduce, case.include_self, case.dtype, case.index_dtype) for case in cases}
    wanted = combinations()
    yield "operator, reduction, include_self, dtype, index dtype", f"{len(made & wanted)} of {len(wanted)}"
    for op in sorted({case.op for case in cases}):
        ranks = {len(case.target.shape) for case in cases if case.op == op}
        yield f"  ranks of self, {op}", " ".join(map(str, sorted(ranks)))
    facts = [Facts(case) for case in cases]
    for label, tests in PROPERTIES.items():
        yield label, ", ".join(f"{sum(bool(test(it)) for it in facts):,}" for test in tests)


def main():
    """Prints the table."""
    for label, text in lines(load(FOLDER)):
        print(f"{label:<62}{text}")


if __name__ == "__main__":
    main()
