"""What the tests of MindSpore share: the client, the counter of calls, and NumPy's loop."""

import mindspore as ms
import numpy as np
from counting import Calls as CallsOf
from counting import Counter, refused  # noqa: F401
from mindspore import Tensor

ms.set_device("Ascend")
ms.set_context(mode=ms.PYNATIVE_MODE)

TREE = Counter("lib64/libopapi.so", ms.runtime.synchronize)


def Calls(counter=TREE, **expected):
    return CallsOf(counter, **expected)


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
