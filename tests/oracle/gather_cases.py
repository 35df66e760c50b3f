"""The cases of gather: the scenarios of the operators with a dim, without their src."""

import itertools

import scenarios
from case import Case
from dtypes import DTYPES, INDEX_DTYPES


def cases():
    """All cases, named for PyTorch."""
    for dtype, index_dtype, scenario in itertools.product(DTYPES, INDEX_DTYPES, scenarios.DUPLICATES):
        yield _case(scenario, dtype, index_dtype)
    turns, index_turns = itertools.cycle(DTYPES), itertools.cycle(("i64", "i32", "i32", "i64"))
    for scenario in scenarios.RANKS + scenarios.SIZES + scenarios.EMPTY + scenarios.VIEWS:
        for _ in range(2):
            yield _case(scenario, next(turns), next(index_turns))
        next(turns)
    for dtype in DTYPES:
        if DTYPES[dtype].kind in ("float", "complex"):
            yield _case(scenarios.DUPLICATES[0], dtype, "i64", "special")


def _case(scenario, dtype, index_dtype, mode="plain"):
    target, index, _ = scenario.views(dtype, index_dtype, mode)
    name = scenario.name + (f"-{mode}" if mode != "plain" else "")
    return Case(
        name="/".join(("torch", "gather", dtype, index_dtype, name)),
        op="gather",
        dtype=dtype,
        index_dtype=index_dtype,
        target=target,
        index=index,
        dim=scenario.dim,
    )
