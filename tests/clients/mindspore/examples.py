"""The examples of MindSpore's pages, by their data, and what the pages print."""

import mindspore as ms
import numpy as np
from client import Calls, refused
from mindspore import Tensor


def ones_to_nine():
    return Tensor(np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]]), dtype=ms.float32)


def prints(tensor, expected):
    """Whether `print` shows these numbers; the pages space them in another way than NumPy does."""
    assert str(tensor).split() == expected.split() or "".join(str(tensor).split()) == "".join(
        expected.split()
    ), f"{tensor}\n{expected}"
    print(tensor)


BY_ROWS = "[[1. 2. 3. 0. 0.] [0. 0. 0. 0. 0.] [4. 5. 6. 0. 0.] [0. 0. 0. 0. 0.] [7. 8. 9. 0. 0.]]"
BY_COLUMNS = "[[1. 0. 2. 0. 3.] [4. 0. 5. 0. 6.] [7. 0. 8. 0. 9.] [0. 0. 0. 0. 0.] [0. 0. 0. 0. 0.]]"

# mindspore.Tensor.scatter_add and mindspore.Tensor.scatter_add_.
for name in ["scatter_add", "scatter_add_"]:
    with Calls(aclnnScatterAdd=3):
        few = Tensor(np.array([[1, 2, 3, 4, 5]]), dtype=ms.float32)
        src = Tensor(np.array([[8, 8]]), dtype=ms.float32)
        index = Tensor(np.array([[2, 4]]), dtype=ms.int64)
        prints(getattr(few, name)(dim=1, index=index, src=src), "[[1. 2. 11. 4. 13.]]")
        zeros = Tensor(np.zeros((5, 5)), dtype=ms.float32)
        index = Tensor(np.array([[0, 0, 0], [2, 2, 2], [4, 4, 4]]), dtype=ms.int64)
        prints(getattr(zeros, name)(dim=0, index=index, src=ones_to_nine()), BY_ROWS)
        zeros = Tensor(np.zeros((5, 5)), dtype=ms.float32)
        index = Tensor(np.array([[0, 2, 4], [0, 2, 4], [0, 2, 4]]), dtype=ms.int64)
        prints(getattr(zeros, name)(dim=1, index=index, src=ones_to_nine()), BY_COLUMNS)

# mindspore.Tensor.scatter_add(indices, updates), the overload that is scatter_nd_add. It copies
# self first, by an operator that is none of the scatters; 2.7 leaves it to CANN's graph engine.
few = Tensor(np.array([[-0.1, 0.3, 3.6], [0.4, 0.5, -3.2]]), ms.float32)
indices = Tensor(np.array([[0, 0], [0, 0]]), ms.int32)
updates = Tensor(np.array([1.0, 2.2]), ms.float32)
if ms.__version__.startswith("2.7."):
    refused(lambda: few.scatter_add(indices, updates).asnumpy(), "GEInitialize")
    print("scatter_add(indices, updates): not here, said by name")
else:
    with Calls(aclnnInplaceCopy=1):
        prints(few.scatter_add(indices, updates), "[[ 3.1 0.3 3.6] [ 0.4 0.5 -3.2]]")

# mindspore.Tensor.scatter_ has formulas instead of an example: each of its four overloads.
index = Tensor(np.array([[0, 1, 1]]), dtype=ms.int64)
src = Tensor(np.array([[2, 3, 5]]), dtype=ms.float32)
for arguments, expected in [
    ({"src": src}, "[[2. 5. 1.]]"),
    ({"src": src, "reduce": "add"}, "[[3. 9. 1.]]"),
    ({"src": src, "reduce": "multiply"}, "[[2. 15. 1.]]"),
    ({"value": 7}, "[[7. 7. 1.]]"),
    ({"value": 7, "reduce": "add"}, "[[8. 15. 1.]]"),
    ({"value": 7, "reduce": "multiply"}, "[[7. 49. 1.]]"),
]:
    operator = "aclnnInplaceScatter" if "src" in arguments else "aclnnInplaceScatterValue"
    with Calls(**{operator: 1}):
        target = Tensor(np.ones((1, 3)), dtype=ms.float32)
        prints(target.scatter_(dim=1, index=index, **arguments), expected)
        prints(target, expected)
