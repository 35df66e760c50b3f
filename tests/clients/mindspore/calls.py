"""Thousands of calls, each equal to NumPy's loop bit for bit, and each by an operator of the tree."""

import collections

import mindspore as ms
import numpy as np
from client import DTYPES, Calls, bits, loop, random, tensor
from mindspore import Tensor, mint, ops

# What a call is: its operator, its reduction, whether src is one number, and the call itself. Those
# in place are given a tensor of their own.
METHODS = {
    "Tensor.scatter_add": ("aclnnScatterAdd", "add", False, lambda x, d, i, s: x.scatter_add(d, i, s)),
    "Tensor.scatter_add_": ("aclnnScatterAdd", "add", False, lambda x, d, i, s: x.scatter_add_(d, i, s)),
    "mint.scatter_add": ("aclnnScatterAdd", "add", False, mint.scatter_add),
    "Tensor.scatter_": ("aclnnInplaceScatter", None, False, lambda x, d, i, s: x.scatter_(d, i, s)),
    "Tensor.scatter_ add": (
        "aclnnInplaceScatter", "add", False, lambda x, d, i, s: x.scatter_(d, i, s, reduce="add"),
    ),
    "Tensor.scatter_ multiply": (
        "aclnnInplaceScatter", "multiply", False, lambda x, d, i, s: x.scatter_(d, i, s, reduce="multiply"),
    ),
    "Tensor.scatter_ of a number": (
        "aclnnInplaceScatterValue", None, True, lambda x, d, i, s: x.scatter_(d, i, s),
    ),
    "Tensor.scatter_ of a number, add": (
        "aclnnInplaceScatterValue", "add", True, lambda x, d, i, s: x.scatter_(d, i, s, reduce="add"),
    ),
    "Tensor.scatter_ of a number, multiply": (
        "aclnnInplaceScatterValue", "multiply", True, lambda x, d, i, s: x.scatter_(d, i, s, reduce="multiply"),
    ),
    "Tensor.scatter": ("aclnnScatter", None, False, lambda x, d, i, s: x.scatter(d, i, s)),
    "Tensor.scatter of a number": ("aclnnScatterValue", None, True, lambda x, d, i, s: x.scatter(d, i, s)),
    "mint.scatter": ("aclnnScatter", None, False, mint.scatter),
    "ops.scatter": ("aclnnScatter", None, False, ops.scatter),
}

# Shapes of self, index and src, and dim.
SHAPES = [
    ((7,), (5,), (5,), 0),
    ((3,), (1,), (4,), -1),
    ((1, 5), (1, 2), (1, 2), 1),
    ((5, 5), (3, 3), (3, 3), 0),
    ((5, 4), (5, 4), (6, 5), -1),
    ((4, 3, 5), (2, 3, 5), (3, 3, 6), -3),
    ((4, 3, 5), (4, 2, 4), (4, 2, 4), 1),
    ((2, 3, 2, 5), (2, 2, 2, 3), (2, 3, 2, 3), 2),
    ((2, 1, 2, 1, 2, 1, 3, 2), (1, 1, 2, 1, 2, 1, 3, 1), (2, 1, 2, 1, 2, 1, 3, 2), 6),
    ((3, 150), (2, 120), (2, 130), 1),
]
INDICES = [(ms.int64, np.int64), (ms.int32, np.int32)]
ADDS_NO_COMPLEX = "aclnnScatterAdd"  # MindSpore refuses them in Python


def number(generator, dtype):
    """A number of Python's that every tensor of the dtype can hold."""
    if dtype == "bool":
        return bool(generator.integers(0, 2))
    if "int" in dtype:
        return int(generator.integers(0, 100))
    return float(generator.integers(-64, 64)) / 8


def main():
    generator = np.random.default_rng(21)
    made = collections.Counter()
    plan = [
        (method, dtype, shape, index)
        for method in METHODS
        for dtype in DTYPES
        if not (dtype.startswith("complex") and METHODS[method][0] == ADDS_NO_COMPLEX)
        for shape in SHAPES
        for index in INDICES
        for _ in range(2)
    ]
    expected = collections.Counter(METHODS[method][0] for method, *_ in plan)
    with Calls(**expected):
        for method, dtype, (of_self, of_index, of_src, dim), (index_type, index_dtype) in plan:
            _, reduction, is_number, call = METHODS[method]
            self = random(generator, dtype, of_self)
            size = of_self[dim]
            index = generator.integers(-size, size, of_index).astype(index_dtype)
            if is_number:
                given = number(generator, dtype)
                src = np.broadcast_to(np.asarray(given, DTYPES[dtype][1]), of_index)
            else:
                src = random(generator, dtype, of_src)
                given = tensor(dtype, src)
            wanted = loop(dtype, self, dim, index, src, reduction)
            target = tensor(dtype, self)
            got = call(target, dim, Tensor(index, index_type), given)
            made[method] += 1
            where = f"{method} {dtype} {of_self} {of_index} {dim} {index_type}"
            assert bits(got.asnumpy()) == bits(wanted), f"{where}\n{got}\n{wanted}"
            in_place = method.split()[0].endswith("_")
            kept = wanted if in_place else self
            assert bits(target.asnumpy()) == bits(kept), f"{where}: self"
    for method, count in made.items():
        print(f"{count:6} {method}")
    print(f"{sum(made.values()):6} calls, all equal to NumPy's loop; by operator {dict(expected)}")


main()
