"""A workload as the bench describes it, with its tensors as numpy arrays."""

import ml_dtypes
import numpy

DTYPES = {
    "bf16": ml_dtypes.bfloat16,
    "f16": numpy.float16,
    "f32": numpy.float32,
    "i64": numpy.int64,
    "i32": numpy.int32,
    "i8": numpy.int8,
    "bool": numpy.bool_,
    "complex64": numpy.complex64,
}


class NotApplicable(Exception):
    """Why a candidate doesn't run a workload."""


class Workload:
    """
    `op` along `dim` by `reduce`, on `self_`, `index` and `src` (None where `value` stands for it, and for a gather),
    which is multiplied by `alpha`.
    """

    def __init__(self, description):
        self.op, self.dim = description["op"], description.get("dim")
        self.reduce, self.value = description["reduce"], description.get("value")
        self.alpha = description.get("alpha", 1)
        self.dtype = description["self"]["dtype"]
        self.self_ = array(description["self"])
        self.index = array(description["index"])
        self.src = array(description["src"]) if "src" in description else None
        self.is_index_add, self.gathers = self.op == "index_add", self.op == "gather"
        self.from_zeros = self.op == "embedding_backward"
        # One number per row, where index is expanded along the row, or has a single axis for rows.
        self.is_expanded = description["index"]["strides"][-1] == 0 or self.is_index_add or self.from_zeros
        self.is_pairs = self.op in ("scatter_nd_add", "index_put")
        # What is written, as it is before a call.
        self.start = numpy.zeros(self.index.shape, self.self_.dtype) if self.gathers else self.self_
        # Whether it is one number per row, stored at each element of the row.
        some = self.index[:64]
        is_rows = some.ndim == 2 and self.dim == 0 and not self.is_expanded
        self.is_full_rows = bool(is_rows and (some == some[:, :1]).all())

    @property
    def rows(self):
        """The row of each update, where index is expanded."""
        return self.index if self.index.ndim == 1 else self.index[:, 0]


def array(tensor):
    """A tensor of the bench, in memory of its own."""
    stored = numpy.fromfile(tensor["file"], DTYPES[tensor["dtype"]])
    if 0 not in tensor["strides"]:
        return stored.reshape(tensor["shape"])
    strides = [stride * stored.itemsize for stride in tensor["strides"]]
    return numpy.lib.stride_tricks.as_strided(stored, tensor["shape"], strides)
