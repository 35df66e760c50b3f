"""What belongs to a session beside the calls: devices, streams, layouts, and what is missing."""

import mindspore as ms
import numpy as np
from client import Calls, bits, loop, random, refused, tensor
from mindspore import Tensor, mint, ops

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

# What a session needs beside the scatters, by the operators of docs/host-ops.md.
ones = np.ones((4, 6), np.float32)
for work, expected, calls in [
    (lambda: same + same, ones + ones, {"aclnnAdd": 1}),
    (lambda: same * 2.5, ones * 2.5, {"aclnnMuls": 1}),
    (lambda: same.astype(ms.int32), ones.astype(np.int32), {"aclnnCast": 1}),
    (lambda: same.T.contiguous(), ones.T, {"aclnnInplaceCopy": 1}),
    (lambda: mint.zeros((2, 3)), np.zeros((2, 3), np.float32), {"aclnnInplaceZero": 1}),
    (lambda: same.sum(), ones.sum(), {"aclnnReduceSum": 1}),
    (lambda: mint.ones((2, 3)), np.ones((2, 3), np.float32), {"aclnnInplaceOne": 1}),
    (lambda: same.copy(), ones, {"aclnnDivs": 1}),
]:
    with Calls(**calls):
        got = work()
    assert bits(got.asnumpy()) == bits(expected), f"{calls}: {got}"
print("sums, products, casts, copies, zeros, ones")

# What training needs: the gradient of a sum repeats, and matrices are multiplied.
some = np.arange(24, dtype=np.float32).reshape(4, 6)
given = Tensor(some)
for work, expected, calls in [
    (lambda: ms.grad(lambda x: x.sum())(given), ones, {"aclnnReduceSum": 1}),
    (lambda: ops.matmul(given, given.T), some @ some.T, {"aclnnMatmul": 1}),
    (lambda: mint.where(given > 5, given, same), np.where(some > 5, some, ones), {"aclnnSWhere": 1}),
    (lambda: given.masked_fill(given > 5, 7.0), np.where(some > 5, np.float32(7), some), {}),
    (lambda: mint.tile(given, (2, 3)), np.tile(some, (2, 3)), {"aclnnRepeat": 1}),
]:
    with Calls(**calls):
        got = work()
    assert bits(got.asnumpy()) == bits(expected), f"{calls}: {got}"
with Calls(aclnnExp=1):
    got = same.exp()
assert np.allclose(got.asnumpy(), np.exp(ones), rtol=2**-22, atol=0)
print("the gradient of sum, matrix products, where, masked_fill, tile, exp")

# The profiler tells what the CPU does.
activities = [ms.profiler.ProfilerActivity.CPU, ms.profiler.ProfilerActivity.NPU]
with ms.profiler.profile(activities=activities), Calls(aclnnScatterAdd=1):
    add()
add()
print("the profiler")

# The gradient of scatter_add for src is a gather of what comes from behind.
values = generator.integers(0, 6, (4, 5))
weights = random(generator, "float32", (4, 6))


def weighted(src):
    return same.scatter_add(1, Tensor(values, ms.int64), src) * tensor("float32", weights)


with Calls(aclnnGather=1):
    gradient = ms.grad(weighted)(tensor("float32", random(generator, "float32", (4, 5))))
assert bits(gradient.asnumpy()) == bits(np.take_along_axis(weights, values, 1))
print("the gradient of scatter_add")

# What the tree does not have is named, and the session goes on.
absent = "not in"
graph = "host-cann does not implement"
for what, work, words in [
    ("scatter_nd", lambda: ops.scatter_nd(Tensor([[0]], ms.int32), Tensor([1.0]), (2,)), ["GEInitialize", graph]),
    (
        "tensor_scatter_elements",
        lambda: ops.tensor_scatter_elements(same, Tensor(np.zeros((4, 6)), ms.int64), same, 1),
        ["GEInitialize", graph],
    ),
    ("sin", lambda: same.sin(), ["aclnnSin", absent]),
]:
    refused(lambda: work().asnumpy(), *words)
    add()
    print(f"{what}: not here, said by name")
