"""The cases of index_copy, index_add and index_fill, whose index names slices of self."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import fills
import layouts
from case import Case
from dtypes import DTYPES, INDEX_DTYPES


@dataclass(frozen=True)
class Arrangement:
    """The shape of self, the axis dim, and the number of slices; None for a source and an index without axes."""

    name: str
    target: tuple
    dim: int
    count: int | None
    negative: bool = False
    target_layout: Callable = layouts.contiguous
    index_layout: Callable = layouts.contiguous
    src_layout: Callable = layouts.contiguous

    def case(self, op, dtype, index_dtype, mode="plain", alpha=None, value=None):
        """The case of an operator for PyTorch. A value stands for the source."""
        values = fills.fill(mode, dtype, self.target, fills.generator(self.name, dtype, mode, "self"))
        target = self.target_layout(values, fills.filler(dtype))
        shape = list(self.target)
        if self.count is None:
            shape = []
        elif shape:
            shape[self.dim] = self.count
        else:
            shape = [self.count]
        values = fills.fill(mode, dtype, tuple(shape), fills.generator(self.name, dtype, mode, "source"))
        source = self.src_layout(values, fills.filler(dtype)) if value is None else None
        index = self.index_layout(self._index().astype(DTYPES[index_dtype].numpy), fills.INDEX_FILLER)
        name = self.name + (f"-{mode}" if mode != "plain" else "") + (f"-alpha-{alpha}" if alpha else "")
        return Case(
            name="/".join(("torch", op, dtype, index_dtype, name)),
            op=op,
            dtype=dtype,
            index_dtype=index_dtype,
            target=target,
            index=index,
            src=source,
            dim=self.dim,
            alpha=alpha,
            value=value,
        )

    def _index(self):
        size = self.target[self.dim] if self.target else 1
        shape = () if self.count is None else (self.count,)
        return fills.generator(self.name, "index").integers(-size if self.negative else 0, size, shape)


DUPLICATES = Arrangement("rows", (4, 3), 0, 7, negative=True)
COLUMNS = Arrangement("columns", (3, 4), 1, 3)

_SHAPES = ((5,), (3, 4), (2, 3, 2), (2, 1, 3, 2), (2, 1, 2, 1, 3), (1, 2, 1, 2, 1, 3), (2, 1, 2, 1, 2, 1, 2))
_SHAPES += ((1, 2, 1, 2, 1, 2, 1, 2),)

# Every rank with every axis, half of them counted from the end.
RANKS = tuple(
    Arrangement(f"rank{len(shape)}-dim{dim}", shape, dim, 1 + (dim + len(shape)) % 4, negative=dim % 2 == 0)
    for shape in _SHAPES
    for axis in range(len(shape))
    for dim in ((axis,) if axis % 2 else (axis - len(shape),))
)

ODD = (
    Arrangement("rank0", (), 0, None),
    Arrangement("rank0-self-with-rank1", (), -1, 1),
    Arrangement("rank1-self-with-rank0", (1,), 0, None),
    Arrangement("no-slices", (3, 2), 0, 0),
    Arrangement("slices-without-elements", (3, 0), 0, 2),
    Arrangement("more-slices-than-targets", (2, 3), 0, 9),
)

VIEWS = tuple(
    Arrangement(
        f"{argument}-{layout.__name__.replace('_', '-')}",
        (3, 2, 4),
        dim,
        4,
        negative=True,
        **{f"{field}_layout": layout for field in fields},
    )
    for argument, fields in (
        ("self", ("target",)),
        ("index", ("index",)),
        ("source", ("src",)),
        ("all", ("target", "index", "src")),
    )
    for dim, layout in (
        (0, layouts.offset),
        (1, layouts.padded),
        (2, layouts.strided),
        (0, layouts.transposed),
        (1, layouts.flipped),
        (2, layouts.tangled),
        (0, layouts.first_axis_expanded),
    )
    if layout is not layouts.first_axis_expanded or argument in ("index", "source")
)

LONG = (Arrangement("long-line", (5,), 0, 1200), Arrangement("long-rows", (3, 5), 0, 240, negative=True))


# PyTorch rounds 16-bit floats at every addition; where no slice is named twice, an element has one.
ROUNDED = ("f16", "bf16")
UNIQUE = Arrangement("unique", (7, 3), 0, 1)
# Products by these are exact, so it doesn't matter whether PyTorch fuses them with the addition.
ALPHAS = (2, -4, 0.5)


def cases():
    """All cases, named for PyTorch."""
    for dtype, index_dtype, arrangement in itertools.product(DTYPES, INDEX_DTYPES, (DUPLICATES, COLUMNS)):
        yield arrangement.case("index_copy", dtype, index_dtype)
    for dtype, index_dtype in itertools.product(DTYPES, INDEX_DTYPES):
        arrangements = (UNIQUE,) if dtype in ROUNDED else (DUPLICATES, COLUMNS)
        for arrangement in arrangements:
            yield arrangement.case("index_add", dtype, index_dtype)
            for alpha in ALPHAS:
                is_whole = isinstance(alpha, int) and not (dtype == "u8" and alpha < 0)
                if DTYPES[dtype].kind in ("float", "complex") or DTYPES[dtype].kind == "int" and is_whole:
                    yield arrangement.case("index_add", dtype, index_dtype, alpha=alpha)
    exact = [dtype for dtype in DTYPES if dtype not in ROUNDED]
    for op, dtypes in (("index_copy", DTYPES), ("index_add", exact)):
        turns = itertools.cycle(dtypes)
        index_turns = itertools.cycle(("i64", "i32", "i32", "i64"))
        for arrangement in RANKS + ODD + VIEWS:
            if op == "index_add" and "-self-with-" in arrangement.name:
                continue  # PyTorch's index_add doesn't mix rank 0 and [1]
            for _ in range(2):
                yield arrangement.case(op, next(turns), next(index_turns))
            next(turns)
    yield from _fills()
    for arrangement, (op, dtypes) in itertools.product(
        LONG, (("index_copy", ("f32", "bf16", "i8")), ("index_add", ("f32", "f64", "i8")))
    ):
        for dtype in dtypes:
            yield arrangement.case(op, dtype, "i64" if arrangement is LONG[0] else "i32")
    for dtype in DTYPES:
        if DTYPES[dtype].kind in ("float", "complex"):
            yield DUPLICATES.case("index_copy", dtype, "i64", "special")
            if dtype not in ROUNDED:
                yield DUPLICATES.case("index_add", dtype, "i64", "special")


# Numbers that the dtypes of a kind must convert, and corner values; axis_cases has all conversions.
VALUES = {"float": (0.1, math.inf, -0.0, math.nan), "complex": (1.5 - 2.5j, 0.1), "int": (2.5, True), "bool": (2.5, 0)}


def _fills():
    """The cases of index_fill: every dtype, and every arrangement that lays out no source."""
    for dtype, index_dtype, arrangement in itertools.product(DTYPES, INDEX_DTYPES, (DUPLICATES, COLUMNS)):
        value = fills.number("plain", dtype, arrangement.name)
        yield arrangement.case("index_fill", dtype, index_dtype, value=value)
    turns, index_turns = itertools.cycle(DTYPES), itertools.cycle(("i64", "i32", "i32", "i64"))
    for arrangement in RANKS + ODD + VIEWS:
        if arrangement.src_layout is layouts.contiguous:
            for _ in range(2):
                dtype = next(turns)
                value = fills.number("plain", dtype, arrangement.name)
                yield arrangement.case("index_fill", dtype, next(index_turns), value=value)
            next(turns)
    for dtype in DTYPES:
        for number, value in enumerate(VALUES[DTYPES[dtype].kind]):
            name = f"{DUPLICATES.name}-value-{number}"
            yield replace(DUPLICATES, name=name).case("index_fill", dtype, "i64", value=value)
