"""The examples on the pages that define the operators, copied by hand: inputs and printed outputs.

The pages of `Tensor.scatter_` and the reStructuredText page of `Tensor.scatter_add` have no example. A printed decimal
stands for the nearest value of the dtype, as the pages' f32 sums do, bit for bit: 3.1 is (-0.1 + 1.0) + 2.2.
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
