"""What the tests of MindSpore share: the client, the counter of calls, and NumPy's loop."""

import ctypes
import os

import mindspore as ms
import numpy as np
from mindspore import Tensor

ms.set_device("Ascend")
ms.set_context(mode=ms.PYNATIVE_MODE)

class Counter:
    """How often a library has run each of its operators, by the counter in its place."""

    def __init__(self, path):
        self.library = ctypes.CDLL(os.path.join(os.environ["COUNTING"], path))
        self.library.counted_calls.restype = ctypes.c_int64

    def __call__(self, operator):
        """Since the process began, after all work is done; -1 for what the library doesn't have."""
        ms.runtime.synchronize()
        return self.library.counted_calls(operator.encode())

    def total(self, operators):
        return sum(self(name) for name in operators)


TREE = Counter("lib64/libopapi.so")


class Calls:
    """Asserts that a block runs these operators so often, each by its name."""

    def __init__(self, counter=TREE, **expected):
        self.counter, self.expected = counter, expected

    def __enter__(self):
        self.before = {name: self.counter(name) for name in self.expected}
        assert -1 not in self.before.values(), f"{self.before}: not all are there"

    def __exit__(self, kind, *_):
        if kind is None:
            run = {name: self.counter(name) - before for name, before in self.before.items()}
            assert run == self.expected, f"calls: {run}, expected {self.expected}"


# A dtype of MindSpore, the one of NumPy in which values are given, and the one of accumulators:
# f16 and bf16 are summed in f32 and rounded once (docs/semantics.md).
DTYPES = {
    "float32": (ms.float32, np.float32, np.float32),
    "float64": (ms.float64, np.float64, np.float64),
    "float16": (ms.float16, np.float16, np.float32),
    "bfloat16": (ms.bfloat16, np.float32, np.float32),
    "int64": (ms.int64, np.int64, np.int64),
    "int32": (ms.int32, np.int32, np.int32),
    "int16": (ms.int16, np.int16, np.int16),
    "int8": (ms.int8, np.int8, np.int8),
    "uint8": (ms.uint8, np.uint8, np.uint8),
    "bool": (ms.bool_, np.bool_, np.bool_),
    "complex64": (ms.complex64, np.complex64, np.complex64),
    "complex128": (ms.complex128, np.complex128, np.complex128),
}


def to_bfloat16(values):
    """The values that bf16 has for those of f32: rounded to nearest, ties to even."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16
    return rounded.astype(np.uint32).view(np.float32).reshape(np.shape(values))


def bits(array):
    """An array of NumPy's, or of MindSpore's bfloat16, as bytes."""
    array = np.ascontiguousarray(array)
    if array.dtype.name == "bfloat16":
        array = (array.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return array.dtype, array.shape, array.tobytes()


def random(generator, dtype, shape):
    """Values of a dtype such that sums of floats round, and integers wrap."""
    _, given, _ = DTYPES[dtype]
    if dtype == "bool":
        return generator.integers(0, 2, shape).astype(given)
    if np.issubdtype(given, np.integer):
        return generator.integers(-100, 100, shape).astype(given)
    values = generator.standard_normal(shape)
    if np.issubdtype(given, np.complexfloating):
        values = values + 1j * generator.standard_normal(shape)
    values = values.astype(given)
    return to_bfloat16(values) if dtype == "bfloat16" else values


def loop(dtype, self, dim, index, src, reduction):
    """The result by a loop over index; reduction is None, "add" or "multiply"."""
    _, given, accumulated = DTYPES[dtype]
    out = self.astype(accumulated)
    src = src.astype(accumulated)
    with np.errstate(all="ignore"):
        for position in np.ndindex(*index.shape):
            target = list(position)
            target[dim] = index[position]
            target = tuple(target)
            if reduction is None:
                out[target] = src[position]
            elif reduction == "add":
                out[target] = out[target] + src[position]
            else:
                out[target] = out[target] * src[position]
        out = out.astype(given)
    return to_bfloat16(out) if dtype == "bfloat16" else out


def tensor(dtype, values):
    return Tensor(values, DTYPES[dtype][0])


def refused(work, *words):
    """Runs what must raise an exception with these words in it, and returns its text."""
    try:
        got = work()
    except Exception as error:  # whichever MindSpore makes of it
        text = str(error)
        missing = [word for word in words if word not in text]
        assert not missing, f"no {missing} in {type(error).__name__}: {text}"
        return text
    raise AssertionError(f"an exception expected with {words}, got {got}")
