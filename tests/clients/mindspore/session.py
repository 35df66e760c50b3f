"""What belongs to a session beside the calls: devices, streams, layouts, and what is missing."""

import mindspore as ms
import numpy as np
from client import TREE, Calls, bits, loop, random, refused, tensor
from mindspore import Tensor, ops

generator = np.random.default_rng(11)


def add():
    self, src = random(generator, "float32", (4, 6)), random(generator, "float32", (4, 5))
    values = generator.integers(-6, 6, (4, 5))
    got = tensor("float32", self).scatter_add(1, Tensor(values, ms.int64), tensor("float32", src))
    assert bits(got.asnumpy()) == bits(loop("float32", self, 1, values, src, "add"))
    return got


with Calls(aclnnScatterAdd=1):
    add()
print("device 0")

stream = ms.runtime.Stream()
with Calls(aclnnScatterAdd=1), ms.runtime.StreamCtx(stream):
    add()
stream.synchronize()
event = ms.runtime.Event()
event.record(stream)
event.synchronize()
print("another stream, and an event")

ms.set_deterministic(True)
with Calls(aclnnScatterAdd=1):
    kept = add()
assert ms.runtime.memory_allocated() >= kept.nbytes
print("set_deterministic, memory_allocated")

# An index of no elements changes nothing.
empty = Tensor(np.zeros((0, 5)), ms.int64)
same = tensor("float32", np.ones((4, 6), np.float32))
assert (same.scatter_add(0, empty, tensor("float32", np.ones((0, 5), np.float32))).asnumpy() == 1).all()
print("an empty index")

# Shapes and dtypes are MindSpore's own checks; the next call is right.
wrong = Tensor(np.zeros((4, 5)), ms.float32)
refused(lambda: (same.scatter_add(1, wrong, same), ms.runtime.synchronize()), "index")
ms.runtime.synchronize()
add()
print("a refused dtype")

# What the tree does not have is named, and the session goes on.
for what, work, words in [
    ("scatter_nd", lambda: ops.scatter_nd(Tensor([[0]], ms.int32), Tensor([1.0]), (2,)), "GEInitialize"),
    (
        "tensor_scatter_elements",
        lambda: ops.tensor_scatter_elements(same, Tensor(np.zeros((4, 6)), ms.int64), same, 1),
        "GEInitialize",
    ),
    ("Add", lambda: same + same, "aclnnAdd"),
]:
    if what == "Add" and TREE("aclnnAdd") != -1:
        continue
    refused(lambda: work().asnumpy(), words, "not in" if what == "Add" else "host-cann does not implement")
    add()
    print(f"{what}: not here, said by name")
