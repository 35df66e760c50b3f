"""The cases of scatter_nd_add and scatter_nd_update, for the peers that have them."""

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
    """The shapes of self and of the batch of index vectors, and the number of axes of self that a vector names."""

    name: str
    target: tuple
    batch: tuple
    depth: int
    negative: bool = False
    target_layout: Callable = layouts.contiguous
    index_layout: Callable = layouts.contiguous
    src_layout: Callable = layouts.contiguous

    def case(self, source, op, dtype, index_dtype, mode="plain"):
        """The case of an operator for the peer `source`."""
        values = fills.fill(mode, dtype, self.target, fills.generator(self.name, dtype, mode, "self"))
        target = self.target_layout(values, fills.filler(dtype))
        values = fills.fill(
            mode, dtype, self.batch + self.target[self.depth :], fills.generator(self.name, dtype, mode, "updates")
        )
        updates = self.src_layout(values, fills.filler(dtype))
        indices = self.index_layout(self._indices().astype(DTYPES[index_dtype].numpy), fills.INDEX_FILLER)
        name = self.name + (f"-{mode}" if mode != "plain" else "")
        return Case(
            name="/".join((source, op, dtype, index_dtype, name)),
            op=op,
            dtype=dtype,
            index_dtype=index_dtype,
            target=target,
            index=indices,
            src=updates,
        )

    def _indices(self):
        rng = fills.generator(self.name, "indices")
        indices = np.empty(self.batch + (self.depth,), dtype=np.int64)
        for axis, size in enumerate(self.target[: self.depth]):
            if indices.size:
                indices[..., axis] = rng.integers(-size if self.negative else 0, size, self.batch)
        return indices


_SHAPES = ((5,), (3, 4), (2, 3, 2), (2, 1, 3, 2), (2, 1, 2, 1, 3), (1, 2, 1, 2, 1, 3), (2, 1, 2, 1, 2, 1, 2))
_SHAPES += ((1, 2, 1, 2, 1, 2, 1, 2),)



def _batch(rank, depth):
    """A batch large enough for duplicates. With k = 0 every update is a whole self, and may have at most eight axes."""
    if depth:
        return (6,)
    return (2,) if rank < 8 else ()


# Every rank with every depth.
DEPTHS = tuple(
    Arrangement(f"rank{len(shape)}-k{depth}", shape, _batch(len(shape), depth), depth, negative=depth % 2 == 0)
    for shape in _SHAPES
    for depth in range(len(shape) + 1)
)

DUPLICATES = Arrangement("rows", (3, 4), (7,), 1)
POINTS = Arrangement("points", (3, 4), (3, 5), 2, negative=True)

ODD = (
    Arrangement("rank0-k0", (), (3,), 0),
    Arrangement("one-vector-without-batch", (3, 2), (), 1, negative=True),
    Arrangement("one-point-without-batch", (3, 2), (), 2),
    Arrangement("batch-of-rank3", (4, 2), (2, 1, 3), 1),
    Arrangement("no-vectors", (3, 2), (0,), 1),
    Arrangement("no-vectors-in-a-larger-batch", (3, 2), (2, 0), 2),
    Arrangement("slices-without-elements", (3, 0), (2,), 1),
)

VIEWS = tuple(
    Arrangement(
        f"{argument}-{layout.__name__.replace('_', '-')}",
        (3, 2, 4),
        (2, 4),
        depth,
        negative=True,
        **{f"{field}_layout": layout for field in fields},
    )
    for argument, fields in (
        ("self", ("target",)),
        ("index", ("index",)),
        ("src", ("src",)),
        ("all", ("target", "index", "src")),
    )
    for depth, layout in (
        (1, layouts.offset),
        (2, layouts.padded),
        (1, layouts.strided),
        (2, layouts.transposed),
        (1, layouts.flipped),
        (2, layouts.tangled),
        (1, layouts.first_axis_expanded),
    )
)

LONG = (Arrangement("long-points", (5,), (1200,), 1), Arrangement("long-rows", (3, 5), (240,), 1, negative=True))


def cases(source, op, dtypes, views):
    """The cases for the peer `source`, which has these dtypes; without views if it only takes contiguous tensors."""
    for dtype, index_dtype, arrangement in itertools.product(dtypes, INDEX_DTYPES, (DUPLICATES, POINTS)):
        yield arrangement.case(source, op, dtype, index_dtype)
    turns = itertools.cycle(dtypes)
    index_turns = itertools.cycle(("i64", "i32", "i32", "i64"))
    for arrangement in DEPTHS + ODD + (VIEWS if views else ()):
        for _ in range(2):
            yield arrangement.case(source, op, next(turns), next(index_turns))
        next(turns)
    for arrangement, dtype in itertools.product(LONG, dtypes):
        yield arrangement.case(source, op, dtype, "i64" if arrangement is LONG[0] else "i32")
    for mode, dtype in itertools.product(("special", "some-special", "subnormal"), dtypes):
        if source == "mindspore" and dtype == "f16" and mode != "subnormal":
            continue  # the bound with which these are compared is invalid for infinities
        if mode == "special" or DTYPES[dtype].kind in ("float", "complex"):
            yield DUPLICATES.case(source, op, dtype, "i64", mode)
