"""The numbers in the tensors: made of integers and powers of two, so that they are the same on every machine."""

import zlib

import ml_dtypes
import numpy as np

from dtypes import DTYPES


def generator(*names):
    """A random generator that depends only on these names."""
    return np.random.default_rng(zlib.crc32("/".join(names).encode()))


def fill(mode, dtype, shape, rng):
    """Elements of `dtype` in one of the modes below. A mode that doesn't exist for the kind of dtype means `plain`."""
    dtype = DTYPES[dtype]
    if dtype.kind == "bool":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if dtype.kind == "int":
        return _INTEGERS.get(mode, _any_integer)(dtype.numpy, shape, rng)
    draw = _FLOATS.get(mode, _plain)
    if dtype.kind == "float":
        return draw(dtype.numpy, shape, rng)
    elements = np.empty(shape, dtype=dtype.numpy)
    elements.real = draw(dtype.component, shape, rng)
    elements.imag = draw(dtype.component, shape, rng)
    return elements


def number(mode, dtype, name):
    """A scalar of the dtype as a Python number, drawn for the name."""
    element = fill(mode, dtype, (), generator(name, dtype, mode, "value"))[()]
    return float(element) if DTYPES[dtype].kind == "float" else element.item()


def filler(dtype):
    """The value for elements that must not be read."""
    dtype = DTYPES[dtype]
    if dtype.kind == "int":
        return np.iinfo(dtype.numpy).max
    return True if dtype.kind == "bool" else np.nan


INDEX_FILLER = 1 << 30


def _scaled(dtype, shape, rng, low, high):
    """Random mantissas of full precision and either sign, with exponents in [low, high)."""
    digits = ml_dtypes.finfo(dtype).nmant + 1
    mantissas = rng.integers(-(1 << digits) + 1, 1 << digits, shape)
    return np.ldexp(mantissas.astype(np.float64), rng.integers(low, high, shape) - digits).astype(dtype)


def _plain(dtype, shape, rng):
    """Random mantissas over a few octaves, which show every rounding and every order of additions."""
    return _scaled(dtype, shape, rng, -2, 4)


def _near_one(dtype, shape, rng):
    """From 0.5 to 2, for products of many factors."""
    digits = ml_dtypes.finfo(dtype).nmant + 1
    mantissas = rng.integers(1 << (digits - 1), 1 << digits, shape).astype(np.float64)
    return np.ldexp(mantissas, rng.integers(0, 2, shape) - digits).astype(dtype)


def _subnormal(dtype, shape, rng):
    """Around the smallest normal number, mostly below it."""
    low = ml_dtypes.finfo(dtype).minexp
    return _scaled(dtype, shape, rng, low - 3, low + 3)


def _huge(dtype, shape, rng):
    """The largest two octaves: sums of a few numbers overflow, sums of two may not."""
    high = ml_dtypes.finfo(dtype).maxexp
    return _scaled(dtype, shape, rng, high - 2, high)


def _special(dtype, shape, rng):
    """Only corner values."""
    info = ml_dtypes.finfo(dtype)
    least, normal, most = (float(it) for it in (info.smallest_subnormal, info.smallest_normal, info.max))
    corners = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, most, -most, normal, normal - least, least, -least]
    return rng.choice(np.array(corners), shape).astype(dtype)


def _some_special(dtype, shape, rng):
    """About one corner value in six."""
    special, plain = _special(dtype, shape, rng), _plain(dtype, shape, rng)
    return np.where(rng.integers(0, 6, shape) == 0, special, plain)


def _any_integer(dtype, shape, rng):
    """The whole range, so that most sums and products wrap."""
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)


def _small_integer(dtype, shape, rng):
    """-9 to 9 (0 to 9 if unsigned): nothing wraps."""
    return rng.integers(-9 if np.iinfo(dtype).min else 0, 10, shape).astype(dtype)


def _corner_integer(dtype, shape, rng):
    """The limits, zero and their neighbours."""
    limits = np.iinfo(dtype)
    corners = [limits.min, limits.min + 1, limits.max, limits.max - 1, 0, 1, 2]
    return rng.choice(np.array(corners, dtype=dtype), shape)


_FLOATS = {
    "near-one": _near_one,
    "subnormal": _subnormal,
    "huge": _huge,
    "special": _special,
    "some-special": _some_special,
}
_INTEGERS = {"small": _small_integer, "near-one": _small_integer, "special": _corner_integer}
