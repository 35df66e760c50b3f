"""The cases of index_put, whose index has coordinates along chosen axes of self."""

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
    """The shape of self, the axes, the rows of index, and values' shape (None: that of what index names)."""

    name: str
    target: tuple
    axes: tuple
    rows: tuple
    values: tuple | None = None
    unique: bool = False
    negative: bool = False
    target_layout: Callable = layouts.contiguous
    index_layout: Callable = layouts.contiguous
    src_layout: Callable = layouts.contiguous

    def case(self, dtype, index_dtype, accumulate, mode="plain"):
        """The case for PyTorch."""
        values = fills.fill(mode, dtype, self.target, fills.generator(self.name, dtype, mode, "self"))
        target = self.target_layout(values, fills.filler(dtype))
        shape = self._named() if self.values is None else self.values
        values = fills.fill(mode, dtype, shape, fills.generator(self.name, dtype, mode, "values"))
        source = self.src_layout(values, fills.filler(dtype))
        index = self.index_layout(self._index().astype(DTYPES[index_dtype].numpy), fills.INDEX_FILLER)
        name = self.name + ("-accumulate" if accumulate else "") + (f"-{mode}" if mode != "plain" else "")
        return Case(
            name="/".join(("torch", "index_put", dtype, index_dtype, name)),
            op="index_put",
            dtype=dtype,
            index_dtype=index_dtype,
            target=target,
            index=index,
            src=source,
            axes=self.axes,
            accumulate=accumulate,
        )

    def _named(self):
        rest = [size for axis, size in enumerate(self.target) if axis not in self.axes]
        first = self.axes[0] if self.axes == tuple(range(self.axes[0], self.axes[0] + len(self.axes))) else 0
        return (*rest[:first], *self.rows, *rest[first:])

    def _index(self):
        generator, count = fills.generator(self.name, "index"), int(np.prod(self.rows))
        sizes = [self.target[axis] for axis in self.axes]
        if self.unique:
            places = generator.permutation(int(np.prod(sizes)))[:count]
            columns = np.unravel_index(places, sizes)
        else:
            columns = [generator.integers(-size if self.negative else 0, size, (count,)) for size in sizes]
        return np.stack(columns, axis=-1).reshape((*self.rows, len(sizes)))


ROWS = Arrangement("rows", (4, 3), (0,), (7,), negative=True)
POINTS = Arrangement("points", (3, 4), (0, 1), (2, 5))
APART = Arrangement("apart", (3, 2, 4), (0, 2), (6,), negative=True)
UNIQUE = Arrangement("unique", (3, 2, 4), (0, 2), (5,), unique=True)

RANKS = (
    Arrangement("rank1", (5,), (0,), (8,)),
    Arrangement("rank2-last", (3, 4), (1,), (2, 3)),
    Arrangement("rank3-middle", (2, 4, 3), (1,), (5,), negative=True),
    Arrangement("rank4-neighbours", (2, 3, 4, 2), (1, 2), (3,)),
    Arrangement("rank4-apart", (3, 2, 4, 2), (0, 2), (2, 2)),
    Arrangement("rank5-last-two", (1, 2, 2, 3, 2), (3, 4), (4,)),
    Arrangement("rank6-three", (2, 1, 3, 1, 2, 2), (0, 2, 5), (3,), negative=True),
    Arrangement("rank7-all", (2, 1, 2, 1, 2, 1, 2), (0, 1, 2, 3, 4, 5, 6), (6,)),
    Arrangement("rank8-first", (3, 1, 2, 1, 1, 2, 1, 2), (0,), (4,)),
    Arrangement("rank8-apart", (2, 1, 2, 1, 1, 2, 1, 2), (2, 5, 7), (2, 2)),
)

BROADCAST = (
    Arrangement("values-of-one", (3, 4), (0,), (5,), values=()),
    Arrangement("values-of-a-row", (3, 4), (0,), (5,), values=(4,)),
    Arrangement("values-of-a-column", (3, 4), (0,), (5,), values=(5, 1)),
    Arrangement("values-behind", (2, 4, 3), (1,), (5,), values=(5, 1)),
    Arrangement("values-apart", (3, 2, 4), (0, 2), (6,), values=(6, 1)),
    Arrangement("no-rows", (3, 2), (0,), (0,)),
    Arrangement("slices-without-elements", (3, 0), (0,), (4,)),
    Arrangement("long", (6, 2), (0,), (400,)),
    Arrangement("rows-of-a-single-one", (4, 3), (0,), (1, 1)),
)

VIEWS = tuple(
    Arrangement(
        f"{argument}-{layout.__name__.replace('_', '-')}",
        (3, 2, 4),
        axes,
        (2, 3),
        negative=True,
        **{f"{field}_layout": layout for field in fields},
    )
    for argument, fields in (("self", ("target",)), ("index", ("index",)), ("values", ("src",)))
    for axes, layout in (
        ((0, 2), layouts.offset),
        ((1, 2), layouts.padded),
        ((0,), layouts.strided),
        ((0, 1, 2), layouts.transposed),
        ((2,), layouts.flipped),
        ((0, 2), layouts.first_axis_expanded),
    )
    if layout is not layouts.first_axis_expanded or argument != "self"
)

# PyTorch rounds 16-bit floats at every addition; where no element is named twice, there is one.
ROUNDED = ("f16", "bf16")


def cases():
    """All cases, named for PyTorch."""
    for dtype, index_dtype in itertools.product(DTYPES, INDEX_DTYPES):
        for arrangement in (ROWS, POINTS, APART):
            yield arrangement.case(dtype, index_dtype, accumulate=False)
        for arrangement in (UNIQUE,) if dtype in ROUNDED else (ROWS, POINTS, APART):
            yield arrangement.case(dtype, index_dtype, accumulate=True)
    exact = [dtype for dtype in DTYPES if dtype not in ROUNDED]
    turns, exact_turns = itertools.cycle(DTYPES), itertools.cycle(exact)
    index_turns = itertools.cycle(("i64", "i32", "i32", "i64"))
    for arrangement in RANKS + BROADCAST + VIEWS:
        yield arrangement.case(next(turns), next(index_turns), accumulate=False)
        yield arrangement.case(next(exact_turns), next(index_turns), accumulate=True)
    for dtype in DTYPES:
        if DTYPES[dtype].kind in ("float", "complex"):
            yield APART.case(dtype, "i64", accumulate=False, mode="special")
            if dtype not in ROUNDED:
                yield APART.case(dtype, "i64", accumulate=True, mode="special")
