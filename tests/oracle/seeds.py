"""The examples on the pages that define the operators, copied by hand: inputs and printed outputs.

The pages of `Tensor.scatter_` and the reStructuredText page of `Tensor.scatter_add` have no example. A printed decimal
stands for the nearest value of the dtype, as the pages' f32 sums do, bit for bit: 3.1 is (-0.1 + 1.0) + 2.2.

CANN's pages end with a program that calls the operator, and none prints its output. These examples are called "call",
and their results are worked out by hand from what the page says of the operator.
"""

import numpy as np

from case import Case, View
from dtypes import DTYPES

_COLUMNS = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]

_ONE_ROW = {
    "dim": 1,
    "self": [[1, 2, 3, 4, 5]],
    "index": [[2, 4]],
    "src": [[8, 8]],
    "printed": [[1, 2, 11, 4, 13]],
}
_DOWN_THE_ROWS = {
    "dim": 0,
    "self": np.zeros((5, 5)),
    "index": [[0, 0, 0], [2, 2, 2], [4, 4, 4]],
    "src": _COLUMNS,
    "printed": [[1, 2, 3, 0, 0], [0, 0, 0, 0, 0], [4, 5, 6, 0, 0], [0, 0, 0, 0, 0], [7, 8, 9, 0, 0]],
}
_ALONG_THE_COLUMNS = {
    "dim": 1,
    "self": np.zeros((5, 5)),
    "index": [[0, 2, 4], [0, 2, 4], [0, 2, 4]],
    "src": _COLUMNS,
    "printed": [[1, 0, 2, 0, 3], [4, 0, 5, 0, 6], [7, 0, 8, 0, 9], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]],
}
_ND = {
    "self": [[-0.1, 0.3, 3.6], [0.4, 0.5, -3.2]],
    "index": [[0, 0], [0, 0]],
    "src": [1.0, 2.2],
    "printed": [[3.1, 0.3, 3.6], [0.4, 0.5, -3.2]],
}
_CANN = {
    "dim": 1,
    "self": [[1, 2, 3], [4, 5, 6], [7, 8, 9]],
    "index": [[0, 2, 1], [0, 0, 1]],
    "src": [[10, 11, 12], [13, 14, 15]],
    "printed": [[11, 14, 14], [31, 20, 6], [7, 8, 9]],
}

_NUMBERS = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
_TWO_COLUMNS = [[0, 1], [2, 3], [4, 5], [6, 7]]
_ROWS = [
    [0.3816, 0.3939, 0.8474, 0.1652, 0.6049, 0.3315, 0.4954],
    [0.3284, 0.7060, 0.4359, 0.6514, 0.9476, 0.4708, 0.0656],
    [0.9652, 0.9512, 0.6452, 0.1981, 0.4159, 0.9575, 0.1516],
    [0.4987, 0.9107, 0.6635, 0.4119, 0.4845, 0.5558, 0.2749],
    [0.6230, 0.1180, 0.2400, 0.9971, 0.4093, 0.5561, 0.4023],
    [0.6612, 0.4109, 0.8470, 0.9733, 0.6947, 0.7980, 0.7957],
]
_NEW_ROWS = [
    [0.7804, 0.3411, 0.6674, 0.8468, 0.6679, 0.5549, 0.9893],
    [0.2086, 0.2473, 0.5110, 0.4549, 0.3113, 0.8490, 0.9217],
]

# The pages of CANN's operators in ops-nn, of 2026-08-22, and the examples of each. Where a page
# names no dtype, it is f32, with an index of i64.
_CANN_PAGES = {
    "scatter_add/docs/aclnnScatterAdd": {
        "call": {
            "op": "scatter_add",
            "dim": 0,
            "self": np.zeros((4, 4)),
            "index": [[0, 1, 2, 1], [0, 1, 2, 0], [2, 2, 1, 0]],
            "src": [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]],
            "expected": [[4, 0, 0, 18], [0, 6, 10, 3], [8, 9, 8, 0], [0, 0, 0, 0]],
        },
    },
    "scatter_elements_v2/docs/aclnnScatter&aclnnInplaceScatter": {
        "call": {
            "op": "scatter",
            "reduce": "add",
            "dim": 1,
            "self": _NUMBERS,
            "index": [[0, 0, 2], [1, 0, 2]],
            "src": [[-1, -2, -3], [-4, -5, -6]],
            "expected": [[-3, 1, -1, 3], [-1, 1, 0, 7], [8, 9, 10, 11]],
        },
    },
    "scatter_elements_v2/docs/aclnnScatterValue&aclnnInplaceScatterValue": {
        "call": {
            "op": "scatter_value",
            "reduce": "add",
            "dim": 1,
            "self": _NUMBERS,
            "index": [[0, 0, 2], [1, 0, 2]],
            "value": 1.2,
            "expected": [[2.4, 1, 3.2, 3], [5.2, 6.2, 7.2, 7], [8, 9, 10, 11]],
        },
    },
    "scatter_elements_v2/docs/aclnnScatterReduce&aclnnInplaceScatterReduce": {
        "call": {
            "op": "scatter_reduce",
            "reduce": "add",
            "include_self": True,
            "dim": 1,
            "self": [[1, 2, 3], [4, 5, 6]],
            "index": [[0, 2, 1], [1, 0, 2]],
            "src": [[10, 20, 30], [40, 50, 60]],
            "expected": [[11, 32, 23], [54, 45, 66]],
        },
    },
    "scatter_nd/docs/aclnnScatterNd": {
        "call": {
            "op": "scatter_nd_update",
            "self": [1, 2, 3, 4, 5, 6, 7, 8],
            "index_dtype": "i32",
            "index": [[4], [3], [1], [7]],
            "src": [9, 10, 11, 12],
            "expected": [1, 11, 3, 10, 9, 6, 7, 12],
        },
    },
    # Not the page's program, whose index names rows (5, 0) and (1, 5) of 2 by 3.
    "scatter_nd_update/examples/test_aclnn_scatter_nd_update": {
        "call": {
            "op": "scatter_nd_update",
            "self": [_ROWS[:3], _ROWS[3:]],
            "index": [[1, 0], [0, 2]],
            "src": _NEW_ROWS,
            "expected": [[*_ROWS[:2], _NEW_ROWS[1]], [_NEW_ROWS[0], *_ROWS[4:]]],
        },
    },
    # The program's tensors are i32 whose bits are these floats; they are copied all the same.
    "scatter_update/docs/aclnnIndexCopy&aclnnInplaceIndexCopy": {
        "call": {
            "op": "index_copy",
            "dim": 0,
            "self": np.zeros((4, 2)),
            "index": [3, 2, 1, 0],
            "src": [[1, 2], [3, 4], [5, 6], [7, 8]],
            "expected": [[7, 8], [5, 6], [3, 4], [1, 2]],
        },
    },
    # aclnnIndexAddV2's program has the same numbers.
    "inplace_scatter_add/docs/aclnnIndexAdd": {
        "call": {
            "op": "index_add",
            "alpha": 1.0,
            "dim": 0,
            "self": _TWO_COLUMNS,
            "index_dtype": "i32",
            "index": [0, 1, 2, 3],
            "src": [[1, 1], [1, 2], [2, 2], [3, 3]],
            "expected": [[1, 2], [3, 5], [6, 7], [9, 10]],
        },
    },
    # aclnnIndexFillTensor's page has the same numbers.
    "index_fill_d/docs/aclnnIndexFill&aclnnInplaceIndexFill": {
        "1": {
            "op": "index_fill",
            "dim": 0,
            "self": _COLUMNS,
            "index": [0, 2],
            "value": 0,
            "expected": [[0, 0, 0], [4, 5, 6], [0, 0, 0]],
        },
        "2": {
            "op": "index_fill",
            "dim": 1,
            "self": _COLUMNS,
            "index": [0, 2],
            "value": 0,
            "expected": [[0, 2, 0], [0, 5, 0], [0, 8, 0]],
        },
        "call": {
            "op": "index_fill",
            "dim": 1,
            "self": [[0, 1, 2], [3, 4, 5], [6, 7, 8]],
            "index": [0],
            "value": 10.0,
            "expected": [[10, 1, 2], [10, 4, 5], [10, 7, 8]],
        },
    },
    "scatter/docs/aclnnInplaceScatterUpdate": {
        "call": {
            "op": "scatter_update",
            "dim": -2,
            "self": [[[[1] * 8, [2] * 8]]],
            "index": [1],
            "src": [[[[3] * 8]]],
            "expected": [[[[1] * 8, [3] * 8]]],
        },
    },
    "index_put_v2/docs/aclnnIndexPutImpl": {
        "call": {
            "op": "index_put",
            "axes": (0, 1),
            "accumulate": True,
            "self": [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]],
            "index": [[0, 2]],
            "src": [1],
            "expected": [[1, 2, 4, 4], [5, 6, 7, 8], [9, 10, 11, 12]],
        },
    },
    "gather_elements_v2/docs/aclnnGather": {
        "1": {"op": "gather", "dim": 0, "self": _COLUMNS, "index": [[0, 2], [1, 0]], "expected": [[1, 8], [4, 2]]},
        "2": {"op": "gather", "dim": 1, "self": _COLUMNS, "index": [[0, 2], [1, 0]], "expected": [[1, 3], [5, 4]]},
        "call": {
            "op": "gather",
            "dim": 0,
            "self": _TWO_COLUMNS,
            "index": [[0, 1], [2, 3], [3, 2], [1, 0]],
            "expected": [[0, 3], [4, 7], [6, 5], [2, 1]],
        },
    },
    "embedding_dense_grad_v2/docs/aclnnEmbeddingDenseBackward": {
        "call": {
            "op": "embedding_backward",
            "padding": 0,
            "self": np.zeros((4, 3)),
            "index": [1, 2],
            "src": [[1, 2, 3], [4, 5, 6]],
            "expected": [[0, 0, 0], [1, 2, 3], [4, 5, 6], [0, 0, 0]],
        },
    },
}


def cases():
    """Every example as a case, numbered as on its page."""
    page = "mindspore-Tensor.scatter_add-examples.txt"
    for number, example in enumerate((_ONE_ROW, _DOWN_THE_ROWS, _ALONG_THE_COLUMNS), 1):
        yield _case(f"seed/Tensor.scatter_add/{number}", page, example, "f32", "i64")
    yield _case("seed/Tensor.scatter_add/4", page, _ND, "f32", "i32")
    page = "mindspore-Tensor.scatter_add_.txt"
    for number, example in enumerate((_ONE_ROW, _DOWN_THE_ROWS, _ALONG_THE_COLUMNS), 1):
        yield _case(f"seed/Tensor.scatter_add_/{number}", page, example, "f32", "i64")
    # The example on CANN's page names no dtype, so it is used for all dtypes that hold these
    # numbers, with both index dtypes.
    for dtype in DTYPES.values():
        for index_dtype in ("i64", "i32") if dtype.kind != "bool" else ():
            name = f"seed/ScatterAdd/1/{dtype.name}/{index_dtype}"
            yield _case(name, "cann-ScatterAdd.md", _CANN, dtype.name, index_dtype)
    for page, examples in _CANN_PAGES.items():
        for name, example in examples.items():
            yield _of_cann(page, name, example)


def _of_cann(page, name, example):
    example = {"index_dtype": "i64", **example}
    src = View.of(_tensor(example.pop("src"), "f32")) if "src" in example else None
    return Case(
        name=f"seed/{page.split('/')[-1].split('&')[0].removeprefix('test_')}/{name}",
        dtype="f32",
        target=View.of(_tensor(example.pop("self"), "f32")),
        index=View.of(_tensor(example.pop("index"), example["index_dtype"])),
        src=src,
        expected=_tensor(example.pop("expected"), "f32"),
        page=f"ops-nn/index/{page}.{'cpp' if '/examples/' in page else 'md'}",
        addition=1,
        **example,
    )


def _case(name, page, example, dtype, index_dtype):
    return Case(
        name=name,
        op="scatter_add" if "dim" in example else "scatter_nd_add",
        dtype=dtype,
        index_dtype=index_dtype,
        target=View.of(_tensor(example["self"], dtype)),
        index=View.of(_tensor(example["index"], index_dtype)),
        src=View.of(_tensor(example["src"], dtype)),
        dim=example.get("dim"),
        expected=_tensor(example["printed"], dtype),
        page=page,
    )


def _tensor(values, dtype):
    return np.array(values, dtype=DTYPES[dtype].numpy)
