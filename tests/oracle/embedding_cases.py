"""The cases of embedding_backward, whose index names rows, from zeros."""

import itertools

import fills
import layouts
from case import Case
from dtypes import DTYPES, INDEX_DTYPES

# What PyTorch's operator computes. It rounds 16-bit floats at every addition, so it is asked for
# these where each row is named once at most.
EXACT = ("f32", "f64")
ROUNDED = ("f16", "bf16")
# What torch_peer asks of PyTorch's index_add and scatter_add instead: 16-bit floats, and the dtypes
# that the operator lacks. These know no scale.
BY_ADDITIONS = tuple(dtype for dtype in DTYPES if dtype not in EXACT)
# The shapes of out and of indices.
SHAPES = {
    "rank1": ((4, 3), (9,)),
    "rank2": ((5, 2), (3, 4)),
    "rank4": ((3, 4), (2, 1, 3, 2)),
    "rank7": ((2, 2), (2, 1, 2, 1, 1, 2, 1)),
    "no-rows": ((3, 2), (0,)),
    "long": ((7, 5), (300,)),
}


def cases():
    """All cases, named for PyTorch."""
    for dtype, index_dtype, name in itertools.product(EXACT, INDEX_DTYPES, SHAPES):
        for padding, scale in itertools.product((None, 1), (None, True)):
            yield _case(name, *SHAPES[name], dtype, index_dtype, padding, scale)
    for dtype, index_dtype, padding in itertools.product(ROUNDED, INDEX_DTYPES, (None, 2)):
        yield _case("unique", (6, 3), (6,), dtype, index_dtype, padding, None)
    for dtype, (name, layout) in itertools.product(
        EXACT, (("strided", layouts.strided), ("transposed", layouts.transposed), ("flipped", layouts.flipped))
    ):
        yield _case(f"grad-{name}", (4, 3), (2, 5), dtype, "i64", 1, None, grad_layout=layout)
        yield _case(f"indices-{name}", (4, 3), (2, 5), dtype, "i32", None, None, index_layout=layout)
    for dtype in EXACT:
        yield _case("rank1", *SHAPES["rank1"], dtype, "i64", 1, None, mode="special")
    for dtype, index_dtype, name, padding in itertools.product(BY_ADDITIONS, INDEX_DTYPES, SHAPES, (None, 1)):
        yield _case(name, *SHAPES[name], dtype, index_dtype, padding, None, addition=1)
    for dtype in BY_ADDITIONS:
        if DTYPES[dtype].kind != "bool":
            yield _case("rank1", *SHAPES["rank1"], dtype, "i64", 1, None, mode="special", addition=1)
    for dtype in ROUNDED:
        yield _case("rank1", *SHAPES["rank1"], dtype, "i32", None, None, mode="huge", addition=1)


def _case(name, out, shape, dtype, index_dtype, padding, scale, mode="plain", **of):
    # What is in out before has no meaning.
    target = fills.fill("plain", dtype, out, fills.generator(name, dtype, "out"))
    grad = fills.fill(mode, dtype, (*shape, out[1]), fills.generator(name, dtype, mode, "grad"))
    rng = fills.generator(name, "index")
    index = rng.permutation(out[0]) if name == "unique" else rng.integers(0, out[0], shape)
    parts = (name, mode if mode != "plain" else None, f"padding-{padding}" if padding else None, "scaled" if scale else None)
    return Case(
        name="/".join(("torch", "embedding_backward", dtype, index_dtype, "-".join(filter(None, parts)))),
        op="embedding_backward",
        dtype=dtype,
        index_dtype=index_dtype,
        target=layouts.contiguous(target, None),
        index=of.get("index_layout", layouts.contiguous)(index.astype(DTYPES[index_dtype].numpy), fills.INDEX_FILLER),
        src=of.get("grad_layout", layouts.contiguous)(grad, fills.filler(dtype)),
        padding=padding,
        scale=scale,
        addition=of.get("addition", 0),
    )
