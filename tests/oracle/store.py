"""Writes the vectors: safetensors files and the manifest, with the same bytes in every run."""

import json
import math

import numpy as np

from dtypes import DTYPES

FORMAT = 1


class Tensors:
    """The tensors of one safetensors file; equal ones are stored once.

    The format is simple and written here, so that the order, the alignment and thus the bytes are determined.
    """

    def __init__(self):
        self._keys = {}  # (dtype, shape, bytes) -> key

    def add(self, array, dtype):
        """Adds a flat tensor and returns its key. A complex one gets a trailing axis of size 2."""
        kind = DTYPES[dtype]
        shape = (array.size, 2) if kind.kind == "complex" else (array.size,)
        content = (kind.safetensors, shape, np.ascontiguousarray(array).tobytes())
        return self._keys.setdefault(content, f"t{len(self._keys)}")

    def bytes(self):
        """The content of the file. Tensors with larger elements come first, so that every tensor is aligned."""
        header, data = {}, bytearray()
        for (dtype, shape, content), key in sorted(self._keys.items(), key=lambda item: -_SIZES[item[0][0]]):
            span = [len(data), len(data) + len(content)]
            header[key] = {"dtype": dtype, "shape": list(shape), "data_offsets": span}
            data += content
        text = _compact(header).encode()
        text += b" " * (-len(text) % 8)
        return len(text).to_bytes(8, "little") + text + bytes(data)


_SIZES = {dtype.safetensors: dtype.component.itemsize for dtype in DTYPES.values()}


def files(cases, generator):
    """File name -> content of everything in the folder of the vectors. Cases are sorted by name."""
    cases = sorted(cases, key=lambda case: case.name)
    names = [case.name for case in cases]
    assert len(set(names)) == len(names), "two cases have one name"
    tensors, lines = {}, {}
    for case in sorted(cases, key=lambda case: (case.addition, case.name)):
        lines[case.name] = _compact(_entry(case, tensors.setdefault(case.source, Tensors())))
    head = f'{{\n"format": {FORMAT},\n"generator": {_compact(generator)},\n"cases": [\n'
    manifest = head + ",\n".join(lines[name] for name in names) + "\n]\n}\n"
    content = {_file(source): tensors[source].bytes() for source in sorted(tensors)}
    return {**content, "manifest.json": manifest.encode()}


def _file(source):
    return {"seed": "seeds"}.get(source, source) + ".safetensors"


def _entry(case, tensors):
    """A case's line in the manifest."""
    expected = {"tensor": tensors.add(case.expected, case.dtype), "shape": list(case.expected.shape)}
    entry = {
        "name": case.name,
        "source": case.source,
        "file": _file(case.source),
        "op": case.op,
        "dtype": case.dtype,
        "index_dtype": case.index_dtype,
        "dim": case.dim,
        "reduce": case.reduce,
        "include_self": case.include_self,
        "value": None if case.value is None else _value(case.value),
        "axes": None if case.axes is None else list(case.axes),
        "accumulate": case.accumulate,
        "alpha": None if case.alpha is None else _value(case.alpha),
        "padding": case.padding,
        "scale": case.scale,
        "self": _view(case.target, case.dtype, tensors),
        "index": _view(case.index, case.index_dtype, tensors),
        "src": None if case.src is None else _view(case.src, case.dtype, tensors),
        "expected": expected,
        "compare": _compare(case.bound, tensors),
        "page": case.page,
    }
    return {key: value for key, value in entry.items() if value is not None}


def _view(view, dtype, tensors):
    return {
        "tensor": tensors.add(view.storage, dtype),
        "shape": list(view.shape),
        "strides": list(view.strides),
        "offset": view.offset,
    }


def _compare(bound, tensors):
    if bound is None:
        return {"kind": "bits"}
    return {"kind": "bound", "tensor": tensors.add(bound.bound, "f64"), "reason": bound.reason}


def _value(value):
    if isinstance(value, bool):
        return {"bool": value}
    if isinstance(value, int):
        return {"int": value}
    if isinstance(value, complex):
        return {"complex": [_float(value.real), _float(value.imag)]}
    return {"float": _float(value)}


def _float(value):
    """A number for JSON, which has no infinities and no NaN, so these become strings."""
    if math.isnan(value):
        return "nan"
    return value if math.isfinite(value) else ("inf" if value > 0 else "-inf")


def _compact(value):
    return json.dumps(value, separators=(",", ":"), allow_nan=False)
