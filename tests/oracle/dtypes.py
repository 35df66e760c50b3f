"""The twelve element types and the two index types: their numpy types and their names in safetensors."""

from dataclasses import dataclass

import ml_dtypes
import numpy as np


@dataclass(frozen=True)
class DType:
    """An element type. `accumulator` is the type in which a scatter adds: f32 for the two 16-bit floats."""

    name: str
    numpy: np.dtype
    accumulator: np.dtype
    safetensors: str
    kind: str  # "float", "int", "bool" or "complex"

    @property
    def component(self):
        """The type of the parts of a complex type; for other types the type itself."""
        return {"complex64": np.dtype("f4"), "complex128": np.dtype("f8")}.get(self.name, self.numpy)


def _dtype(name, numpy, safetensors, kind, accumulator=None):
    numpy = np.dtype(numpy)
    return DType(name, numpy, np.dtype(accumulator) if accumulator else numpy, safetensors, kind)


DTYPES = {
    dtype.name: dtype
    for dtype in (
        _dtype("bf16", ml_dtypes.bfloat16, "BF16", "float", accumulator="f4"),
        _dtype("f16", "f2", "F16", "float", accumulator="f4"),
        _dtype("f32", "f4", "F32", "float"),
        _dtype("f64", "f8", "F64", "float"),
        _dtype("i64", "i8", "I64", "int"),
        _dtype("i32", "i4", "I32", "int"),
        _dtype("i16", "i2", "I16", "int"),
        _dtype("i8", "i1", "I8", "int"),
        _dtype("u8", "u1", "U8", "int"),
        _dtype("bool", "?", "BOOL", "bool"),
        _dtype("complex64", "c8", "F32", "complex"),
        _dtype("complex128", "c16", "F64", "complex"),
    )
}
INDEX_DTYPES = {name: DTYPES[name] for name in ("i32", "i64")}

REDUCES = ("none", "add", "multiply", "max", "min", "mean")


def has_reduce(dtype, reduce):
    """Whether the contract has this reduction: complex numbers have no order, and bools no mean."""
    kind = DTYPES[dtype].kind
    return not (kind == "complex" and reduce in ("max", "min")) and not (kind == "bool" and reduce == "mean")


def same(left, right):
    """Bit equality of two arrays of one dtype and shape, component by component, where all NaNs are equal."""
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    if left.dtype.kind == "c":
        return same(_components(left), _components(right))
    bits = np.dtype(f"u{left.dtype.itemsize}")
    left, right = np.ascontiguousarray(left), np.ascontiguousarray(right)
    return bool(np.all((left.view(bits) == right.view(bits)) | ((left != left) & (right != right))))


def _components(array):
    return np.ascontiguousarray(array).reshape(-1).view(np.dtype(f"f{array.dtype.itemsize // 2}"))
