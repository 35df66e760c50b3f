"""The classes of cases where a peer rounds differently from the contract, and bounds on the difference.

The class depends on operator, dtype and reduction, never on a case's results. u is the unit roundoff, half a unit in
the last place relative to the number; gamma(n, u) = nu / (1 - nu) bounds n successive roundings (Higham, Accuracy and
Stability, lemma 3.1). Only plain IEEE arithmetic is used, so that the bytes are the same on every machine.
"""

import numpy as np

from case import Bound
from dtypes import DTYPES

ROUNDOFF = {"bf16": 2.0**-8, "f16": 2.0**-11, "f32": 2.0**-24, "f64": 2.0**-53, "complex64": 2.0**-24, "complex128": 2.0**-53}
# The smallest subnormal number: two roundings near zero move a number by at most this.
LEAST = {"bf16": 2.0**-133, "f16": 2.0**-24, "complex64": 2.0**-149, "complex128": 2.0**-1074}
# The largest n such that the dtype holds every integer up to n: PyTorch counts the updates of a
# mean in the tensor's dtype.
COUNTS = {"bf16": 1 << 8, "f16": 1 << 11, "i8": (1 << 7) - 1, "u8": (1 << 8) - 1, "i16": (1 << 15) - 1}
# A factor for bounds, which are sums of a few f64 and must not become too small by their roundings.
SLACK = 1 + 2.0**-40


def torch_computes(case, outcome):
    """False where PyTorch computes something else: its count of a mean wraps in small integers and is rounded in f16
    and bf16. (Decided by the largest count, not by the result.)"""
    most = outcome.count.max(initial=0)
    return case.reduce != "mean" or most <= COUNTS.get(case.dtype, most)


def torch_bound(case, outcome):
    """The bound of a case from PyTorch, or None where the results must be bit-equal."""
    if case.scale:
        return _of_scaled_rows(case.dtype, outcome)
    if case.reduce != "mean":
        return None
    if case.dtype in ("f16", "bf16"):
        return _of_half_mean(case.dtype, outcome)
    return _of_complex_mean(case.dtype, outcome) if DTYPES[case.dtype].kind == "complex" else None


def _of_half_mean(dtype, outcome):
    """PyTorch: r = fl(fl32(fl(total) / count)), three roundings, two of them to 16 bits; the sum itself is the same f32
    total on both sides. The contract: fl(total / count). Near zero fl(total) is exact, for every sum is a multiple of
    the smallest subnormal: there the last rounding of each side is left, half of it each."""
    u, u32 = ROUNDOFF[dtype], ROUNDOFF["f32"]
    relative = ((1 + u) * (1 + u) * (1 + u32) - 1) + u
    return _bound(
        outcome,
        relative * _mean(outcome) + LEAST[dtype],
        "torch rounds the sum of a 16-bit mean before it divides: "
        "((1+u)^2 (1+2^-24) - 1 + u) |sum|/count + the smallest subnormal",
    )


def _of_scaled_rows(dtype, outcome):
    """PyTorch: the sum of fl(update * fl(1 / count)), so two roundings of each and one of each addition. The contract:
    one of each addition, and one of the division."""
    u, n = ROUNDOFF[dtype], 2.0 * outcome.updates + 3
    return _bound(
        outcome,
        n * u / (1 - n * u) * _mean_of_magnitudes(outcome),
        "torch multiplies each row by 1/count: gamma(2 count + 3, u) (sum of |grad|)/count",
    )


def _mean_of_magnitudes(outcome):
    return outcome.magnitude / np.maximum(outcome.count, 1)


def _of_complex_mean(dtype, outcome):
    """PyTorch divides by a complex count: r = fl(part * fl(1 / count)), two roundings where the contract has one."""
    u = ROUNDOFF[dtype]
    relative = 3 * u + u * u  # (1 + u)^2 - 1 + u, in a form that f64 does not round to nothing
    return _bound(
        outcome,
        relative * _mean(outcome) + 2 * LEAST[dtype],
        "torch multiplies a complex sum by 1/count: (3u + u^2) (|re|+|im|)/count + two of the smallest subnormal",
    )


def mindspore_bound(case, outcome):
    """The bound of a case from MindSpore, or None where the results must be bit-equal."""
    if case.dtype != "f16":
        return None
    u, u32 = ROUNDOFF["f16"], ROUNDOFF["f32"]
    peer = _gamma(outcome.updates, u)
    contract = _gamma(outcome.updates, u32)
    return _bound(
        outcome,
        (peer + contract + u * (1 + contract)) * outcome.magnitude + LEAST["f16"] / 2,
        "mindspore rounds f16 at every one of the m adds: (gamma(m, 2^-11) + gamma(m, 2^-24)"
        " + 2^-11 (1 + gamma(m, 2^-24))) (|self|+sum|src|) + 2^-25, gamma(m, u) = mu/(1-mu)",
    )


def _gamma(steps, u):
    return steps * u / (1 - steps * u)


def _mean(outcome):
    total = outcome.total
    size = np.abs(total.real.astype(np.float64)) + np.abs(total.imag.astype(np.float64))
    return size / np.maximum(outcome.count, 1)


def _bound(outcome, bound, reason):
    """The bound, which is 0 for elements without updates."""
    return Bound(np.where(outcome.updates > 0, bound * SLACK, 0.0), reason)
