"""The cases of scatter_update, whose index names where windows of self begin."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import fills
import layouts
from case import Case
from dtypes import DTYPES, INDEX_DTYPES


@dataclass(frozen=True)
class Arrangement:
    """The shape of self, the axis, the number of windows and their length, and the columns of index."""

    name: str
    target: tuple
    axis: int
    count: int
    extent: int
    columns: int = 1
    negative: bool = False
    target_layout: Callable = layouts.contiguous
    index_layout: Callable = layouts.contiguous
    src_layout: Callable = layouts.contiguous

    def case(self, dtype, index_dtype, mode="plain"):
        """The case for PyTorch."""
        values = fills.fill(mode, dtype, self.target, fills.generator(self.name, dtype, mode, "self"))
        target = self.target_layout(values, fills.filler(dtype))
        shape = list(self.target)
        shape[0], shape[self.axis] = self.count, self.extent
        values = fills.fill(mode, dtype, tuple(shape), fills.generator(self.name, dtype, mode, "updates"))
        updates = self.src_layout(values, fills.filler(dtype))
        index = self.index_layout(self._index().astype(DTYPES[index_dtype].numpy), fills.INDEX_FILLER)
        name = self.name + (f"-{mode}" if mode != "plain" else "")
        return Case(
            name="/".join(("torch", "scatter_update", dtype, index_dtype, name)),
            op="scatter_update",
            dtype=dtype,
            index_dtype=index_dtype,
            target=target,
            index=index,
            src=updates,
            dim=self.axis,
        )

    def _index(self):
        places = self.target[self.axis] - self.extent + 1
        generator = fills.generator(self.name, "index")

        def below(size):
            return generator.integers(-size if self.negative else 0, size, (self.count,))

        if self.columns == 1:
            return below(places)
        return np.stack((below(self.target[0]), below(places)), axis=1)


CACHE = Arrangement("one-element", (3, 5, 2), 1, 3, 1, negative=True)
PROMPT = Arrangement("windows", (3, 5, 2), 1, 2, 3)
PAIRS = Arrangement("windows-that-overlap", (2, 7, 2), 1, 6, 3, columns=2, negative=True)

_SHAPES = ((3, 4), (2, 3, 2), (2, 1, 3, 2), (2, 3, 2, 1, 3), (2, 2, 1, 2, 1, 3), (2, 1, 2, 1, 2, 1, 2))
_SHAPES += ((2, 2, 1, 2, 1, 2, 1, 2),)

# Every rank with every axis but the first, half of them counted from the end.
RANKS = tuple(
    Arrangement(
        f"rank{len(shape)}-axis{axis}-columns{columns}",
        shape,
        axis if axis % 2 else axis - len(shape),
        1 + axis % 2,
        1 + axis % shape[axis],
        columns,
        negative=axis % 2 == 0,
    )
    for shape in _SHAPES
    for axis in range(1, len(shape))
    for columns in ((1, 2) if len(shape) < 5 else (1 + axis % 2,))
)

ODD = (
    Arrangement("all-of-the-axis", (3, 4), 1, 3, 4),
    Arrangement("no-updates", (3, 4), 1, 0, 2),
    Arrangement("updates-without-elements", (3, 4), 1, 2, 0),
    Arrangement("more-windows-than-blocks", (2, 9), 1, 12, 1, columns=2),
)

VIEWS = tuple(
    Arrangement(
        f"{argument}-{layout.__name__.replace('_', '-')}-columns{columns}",
        (3, 4, 5),
        axis,
        3,
        2,
        columns,
        negative=True,
        **{f"{field}_layout": layout for field in fields},
    )
    for argument, fields in (("self", ("target",)), ("index", ("index",)), ("updates", ("src",)))
    for axis, layout, columns in (
        (1, layouts.offset, 1),
        (2, layouts.padded, 2),
        (2, layouts.strided, 1),
        (1, layouts.transposed, 2),
        (1, layouts.flipped, 1),
        (2, layouts.first_axis_expanded, 2),
    )
    if layout is not layouts.first_axis_expanded or argument != "self"
)

LONG = (Arrangement("long", (4, 300, 2), 1, 4, 200), Arrangement("long-pairs", (3, 90, 2), 1, 40, 30, columns=2))


def cases():
    """All cases, named for PyTorch."""
    for dtype, index_dtype, arrangement in itertools.product(DTYPES, INDEX_DTYPES, (CACHE, PROMPT, PAIRS)):
        yield arrangement.case(dtype, index_dtype)
    turns, index_turns = itertools.cycle(DTYPES), itertools.cycle(("i64", "i32", "i32", "i64"))
    for arrangement in RANKS + ODD + VIEWS + LONG:
        yield arrangement.case(next(turns), next(index_turns))
    for dtype in DTYPES:
        if DTYPES[dtype].kind in ("float", "complex"):
            yield PAIRS.case(dtype, "i64", "special")
