"""The cases of scatter_add, scatter, scatter_value and scatter_reduce: scenarios, crossed with operators and dtypes."""

import itertools
import math
from dataclasses import dataclass

import fills
import scenarios
from case import Case
from dtypes import DTYPES, INDEX_DTYPES, REDUCES, has_reduce


@dataclass(frozen=True)
class Operator:
    """One operator with one reduction."""

    op: str
    reduce: str | None = None
    include_self: bool | None = None

    @property
    def name(self):
        """The part of a case's name that is the operator."""
        parts = [self.op] + [self.reduce] * (self.reduce is not None)
        return "/".join(parts) + ("-without-self" if self.include_self is False else "")

    def takes(self, dtype):
        """Whether the dtype has the reduction."""
        return has_reduce(dtype, self.reduce or "add")


SCATTER_ADD = Operator("scatter_add")
OPERATORS = (
    SCATTER_ADD,
    *(Operator("scatter", reduce) for reduce in REDUCES),
    *(Operator("scatter_value", reduce) for reduce in REDUCES),
    *(Operator("scatter_reduce", *form) for form in itertools.product(REDUCES, (True, False))),
)

# The dtypes that have corner values, by kind.
FLOATS = ("bf16", "f16", "f32", "f64")
COMPLEX = ("complex64", "complex128")
INTEGERS = ("i64", "i32", "i16", "i8", "u8")


def cases():
    """All cases, named for PyTorch."""
    yield from _everything()
    yield from _scenarios()
    yield from _corner_values()
    yield from _accumulations()
    yield from _conversions()


def _everything():
    """Every combination of operator, reduction, dtype and index dtype."""
    for dtype, operator in itertools.product(DTYPES, OPERATORS):
        for index_dtype, scenario in zip(INDEX_DTYPES, scenarios.DUPLICATES):
            yield from _case(operator, dtype, index_dtype, scenario, "plain")


def _scenarios():
    """Every scenario with scatter_add and with the other operators, with the dtypes in rotation."""
    small = scenarios.RANKS + scenarios.SIZES + scenarios.EMPTY + scenarios.VIEWS
    turns = (SCATTER_ADD, SCATTER_ADD, *OPERATORS)
    names = tuple(DTYPES)
    for (row, scenario), (column, operator) in itertools.product(enumerate(small), enumerate(turns)):
        if operator is not SCATTER_ADD and (row + column) % 3 == 0:
            continue
        # 5 and 7 are coprime to 12, the number of dtypes, so that each scenario and each operator
        # gets all of them in turn.
        turn = 5 * row + 7 * column
        dtype = next(name for name in names[turn % 12 :] + names if operator.takes(name))
        yield from _case(operator, dtype, ("i64", "i32")[(row + column) % 2], scenario, "plain")


def _corner_values():
    """Cases with NaN, infinities, signed zeros, subnormals and overflow, and with the limits of the integers."""
    modes = dict.fromkeys(("some-special", "special", "huge", "subnormal"), FLOATS + COMPLEX)
    modes["special"] += INTEGERS
    for (row, mode), (column, operator) in itertools.product(enumerate(modes), enumerate(OPERATORS)):
        for turn, dtype in enumerate(modes[mode]):
            if mode != "special" and (row + column + turn) % 2:
                continue  # for the milder modes half of the operators are enough
            if operator.reduce == "mean" and dtype in ("bf16", "f16") + COMPLEX and mode != "subnormal":
                continue  # the bound with which these are compared is invalid for infinities
            yield from _case(operator, dtype, ("i64", "i32")[column % 2], scenarios.DUPLICATES[row % 2], mode)


def _accumulations():
    """Sums and products long enough to show the order of the operations and each rounding."""
    one_axis, two_axes, wide = scenarios.LARGE
    for scenario, index_dtype, ops, dtypes in (
        (one_axis, "i32", ("scatter_add", "scatter_reduce"), DTYPES),
        (two_axes, "i64", ("scatter", "scatter_value"), ("bf16", "f16", "f32", "i8")),
    ):
        for operator, dtype in itertools.product(OPERATORS, dtypes):
            if operator.op in ops and operator.reduce in (None, "add", "multiply", "mean"):
                mode = "near-one" if operator.reduce == "multiply" else "plain"
                yield from _case(operator, dtype, index_dtype, scenario, mode)
    for operator, dtype in zip(OPERATORS, itertools.cycle(("f16", "f32", "i32", "bf16", "u8", "f64"))):
        yield from _case(operator, dtype, "i64", wide, "plain")


INFINITE = (math.inf, -math.inf, math.nan)
VALUES = {
    "bf16": (True, 257, 1 + 2**-8 + 2**-40, 1 + 2**-8 + 2**-20, 3.3895313892515355e38, 1e-41, 0.1, *INFINITE),
    "f16": (True, 2049, 1 + 2**-11 + 2**-40, 1 + 2**-11 + 2**-20, 65504.0, -65504, 1e-8, 6e-8, 0.1, *INFINITE),
    "f32": (True, 16777217, 2**62 + 2**38, 2**62 + 2**38 + 1, 0.1, 3.4028234663852886e38, 1e-46, -0.0, *INFINITE),
    "f64": (False, 2**53 + 1, -(2**63), 0.1, 1.7976931348623157e308, 5e-324, -0.0, *INFINITE),
    "i64": (True, 2**63 - 1, -(2**63), -(2.0**63), 2.0**63 - 1024, 2.5, -2.5, -0.0, 2**53 + 1),
    "i32": (True, 2147483647.0, -2147483648.0, -(2**31), 2.999, -2.999, 1e-300),
    "i16": (False, 32767, -32768.0, 100.7, -100.7),
    "i8": (True, -128, 127.0, 0.5, -0.5, 99.9, -99.9),
    "u8": (True, -1, -128, -255, 255, 255.0, 2.9, 0.5, 0.0),
    "bool": (True, False, 2.5, 0.5, -1, 0, 2, 256, 0.0, -0.0, 1e-300),
    "complex64": (True, 3, 2.5, 0.1, 1.5 - 2.5j, complex("inf+0j"), complex("nan+1j"), complex(-0.0, 0.1), -math.inf),
    "complex128": (False, -3, 0.1, 1.5 - 2.5j, complex("1-infj"), complex(0.1, -0.0), math.nan),
}


def _conversions():
    """Scalars of other dtypes than self's, or at its limits: stored, and added, which also converts them."""
    scenario = scenarios.RANKS[4]
    for dtype, values in VALUES.items():
        for number, value in enumerate(values):
            for reduce in ("none", "add") if number % 3 == 0 else ("none",):
                operator = Operator("scatter_value", reduce)
                yield from _case(operator, dtype, "i64", scenario, "plain", value, f"value-{number}")


def _case(operator, dtype, index_dtype, scenario, mode, value=None, suffix=None):
    """The case, or nothing if the dtype doesn't have the reduction."""
    if not operator.takes(dtype):
        return
    target, index, src = scenario.views(dtype, index_dtype, mode)
    if operator.op == "scatter_value":
        src = None
        if value is None:
            value = fills.number(mode, dtype, scenario.name)
    parts = [scenario.name] + [mode] * (mode != "plain") + [suffix] * (suffix is not None)
    yield Case(
        name="/".join(("torch", operator.name, dtype, index_dtype, "-".join(parts))),
        op=operator.op,
        dtype=dtype,
        index_dtype=index_dtype,
        target=target,
        index=index,
        src=src,
        dim=scenario.dim,
        reduce=operator.reduce,
        include_self=operator.include_self,
        value=value,
    )
