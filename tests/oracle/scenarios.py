"""Shapes, axes and layouts for the operators with a dim; their values are in fills.py."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import fills
import layouts
from dtypes import DTYPES


@dataclass(frozen=True)
class Scenario:
    """One arrangement of self, index and src. If `src` is None, src has index's shape."""

    name: str
    target: tuple
    index: tuple
    dim: int
    src: tuple | None = None
    negative: bool = False
    target_layout: Callable = layouts.contiguous
    index_layout: Callable = layouts.contiguous
    src_layout: Callable = layouts.contiguous

    def views(self, dtype, index_dtype, mode):
        """self, index and src. Each depends on as few parameters as possible, so that cases share tensors in files."""
        # The index doesn't depend on the mode, so all modes of a scenario share it.
        values = fills.fill(mode, dtype, self.target, fills.generator(self.name, dtype, mode, "self"))
        target = self.target_layout(values, fills.filler(dtype))
        shape = self.index if self.src is None else self.src
        values = fills.fill(mode, dtype, shape, fills.generator(self.name, dtype, mode, "src"))
        src = self.src_layout(values, fills.filler(dtype))
        values = self._index().astype(DTYPES[index_dtype].numpy)
        return target, self.index_layout(values, fills.INDEX_FILLER), src

    def _index(self):
        size = self.target[self.dim] if self.target else 1
        if 0 in self.index:
            return np.empty(self.index, dtype=np.int64)
        low = -size if self.negative else 0
        return fills.generator(self.name, "index").integers(low, size, self.index)


DUPLICATES = (
    Scenario("rank2-duplicates-dim0", (4, 3), (7, 3), 0),
    Scenario("rank2-duplicates-dim1", (3, 4), (3, 6), 1),
)

RANKS = (
    Scenario("rank0", (), (), 0),
    Scenario("rank0-dim-1", (), (), -1),
    Scenario("rank0-self-with-rank1", (), (3,), 0),
    Scenario("rank1-self-with-rank0", (1,), (), 0, src=(1,)),
    Scenario("rank1", (6,), (6,), 0),
    Scenario("rank1-one-element", (1,), (5,), -1),
    Scenario("rank2-dim-1", (2, 5), (2, 5), -1),
    Scenario("rank2-dim-2", (5, 2), (4, 2), -2),
    Scenario("rank3-dim0", (3, 2, 3), (4, 2, 3), 0),
    Scenario("rank3-dim1", (2, 3, 3), (2, 4, 3), 1),
    Scenario("rank3-dim-1", (2, 2, 4), (2, 2, 5), -1),
    Scenario("rank4-dim2", (2, 1, 3, 2), (2, 1, 4, 2), 2),
    Scenario("rank4-dim-4", (3, 2, 1, 2), (3, 2, 1, 2), -4),
    Scenario("rank5-dim3", (2, 1, 2, 3, 1), (2, 1, 2, 3, 1), 3),
    Scenario("rank6-dim-2", (1, 2, 1, 2, 3, 1), (1, 2, 1, 2, 4, 1), -2),
    Scenario("rank7-dim0", (2, 1, 2, 1, 2, 1, 2), (3, 1, 2, 1, 2, 1, 2), 0),
    Scenario("rank8-dim7", (1, 2, 1, 2, 1, 2, 1, 3), (1, 2, 1, 2, 1, 2, 1, 3), 7),
    Scenario("rank8-dim-5", (2, 1, 2, 2, 1, 1, 2, 1), (2, 1, 2, 3, 1, 1, 2, 1), -5),
)

SIZES = (
    Scenario("index-smaller-than-src", (4, 5), (3, 4), 0, src=(5, 6)),
    Scenario("index-smaller-than-self", (5, 6), (3, 2), 1),
    Scenario("index-smaller-than-self-in-all-axes", (4, 3, 4), (2, 2, 2), 1),
    Scenario("index-smaller-than-both", (4, 3, 4), (3, 2, 2), -1, src=(4, 2, 5)),
    Scenario("index-longer-than-self-dim0", (2, 3), (9, 3), 0),
    Scenario("index-longer-than-self-dim1", (3, 2), (2, 9), -1, src=(3, 9)),
    Scenario("index-longer-than-self-middle", (2, 2, 3), (2, 6, 2), 1, src=(2, 7, 3)),
    Scenario("negative-index-rank1", (5,), (9,), 0, negative=True),
    Scenario("negative-index-rank2-dim0", (4, 3), (5, 3), 0, negative=True),
    Scenario("negative-index-rank3-dim-1", (2, 2, 5), (2, 2, 4), -1, negative=True),
)

EMPTY = (
    Scenario("empty-index-rank1", (4,), (0,), 0),
    Scenario("empty-index-along-dim", (2, 3), (0, 3), 0),
    Scenario("empty-index-across-dim", (2, 3), (0, 3), 1, src=(2, 3)),
    Scenario("empty-index-of-another-rank", (2, 2, 3), (0,), 1, src=(5,)),
    Scenario("empty-index-beside-a-small-src", (2, 3), (0, 9), 0, src=(1, 1)),
    Scenario("empty-self-along-dim", (2, 0, 3), (2, 0, 3), 1, src=(2, 4, 3)),
    Scenario("empty-self-across-dim", (0, 3), (0, 3), 1),
    Scenario("empty-everything", (0,), (0,), 0),
)

_ONE_AT_A_TIME = (
    layouts.offset,
    layouts.padded,
    layouts.strided,
    layouts.transposed,
    layouts.flipped,
    layouts.tangled,
    layouts.first_axis_expanded,
    layouts.last_axis_expanded,
)


def _layout_name(layout):
    return layout.__name__.replace("_", "-")


VIEWS = tuple(
    Scenario(f"{argument}-{_layout_name(layout)}", (3, 4), (4, 3), 0, **{f"{field}_layout": layout})
    for layout in _ONE_AT_A_TIME
    for argument, field in (("self", "target"), ("index", "index"), ("src", "src"))
) + tuple(
    Scenario(name, (2, 4, 3), (2, 5, 3), dim, negative=True, target_layout=target, index_layout=index, src_layout=src)
    for name, dim, target, index, src in (
        ("all-transposed", 1, layouts.transposed, layouts.transposed, layouts.transposed),
        ("all-flipped", -2, layouts.flipped, layouts.flipped, layouts.flipped),
        ("all-tangled", 1, layouts.tangled, layouts.tangled, layouts.tangled),
        ("all-padded", 1, layouts.padded, layouts.padded, layouts.padded),
        ("index-and-src-expanded", 1, layouts.offset, layouts.last_axis_expanded, layouts.first_axis_expanded),
        ("src-of-one-element", 1, layouts.strided, layouts.contiguous, layouts.all_axes_expanded),
        ("index-of-one-element", 1, layouts.contiguous, layouts.all_axes_expanded, layouts.flipped),
        ("rows", -2, layouts.contiguous, layouts.last_axis_expanded, layouts.contiguous),
    )
)

LARGE = (
    Scenario("long-rank1", (5,), (1200,), 0),
    Scenario("long-rank2-dim0", (3, 4), (300, 4), 0),
    Scenario("wide-rank2-dim1", (30, 40), (30, 40), 1, negative=True),
)
