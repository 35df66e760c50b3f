"""The operators of a package in ASCEND_CUSTOM_OPP_PATH go before the tree's, and all calls to them."""

import os

os.environ["ASCEND_CUSTOM_OPP_PATH"] = os.path.join(os.environ["COUNTING"], "package")

import mindspore as ms  # noqa: E402
import numpy as np  # noqa: E402
from client import TREE, Calls, Counter, bits, loop, random, tensor  # noqa: E402
from mindspore import Tensor  # noqa: E402

PACKAGE = Counter("package/op_api/lib/libcust_opapi.so", ms.runtime.synchronize)
RUNS = 50

generator = np.random.default_rng(3)
with Calls(aclnnScatterAdd=0, aclnnInplaceScatter=0):
    with Calls(PACKAGE, aclnnScatterAdd=RUNS, aclnnInplaceScatter=RUNS):
        for _ in range(RUNS):
            self, src = random(generator, "float32", (4, 6)), random(generator, "float32", (4, 5))
            values = generator.integers(-6, 6, (4, 5))
            index = Tensor(values, ms.int64)
            added = tensor("float32", self).scatter_add(1, index, tensor("float32", src))
            assert bits(added.asnumpy()) == bits(loop("float32", self, 1, values, src, "add"))
            put = tensor("float32", self).scatter_(1, index, tensor("float32", src))
            assert bits(put.asnumpy()) == bits(loop("float32", self, 1, values, src, None))
assert TREE("aclnnScatterAdd") == 0
print(f"{2 * RUNS} calls of the package's operators, none of the tree's")
