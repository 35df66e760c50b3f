"""ms.jit, and GRAPH_MODE: executors are built before there is memory, and run at new addresses."""

import mindspore as ms
import numpy as np
from client import Calls, bits, loop, random, tensor
from mindspore import Tensor


# MindSpore reads the source of each, which must be a def.
def scatter_add(x, i, s):
    return x.scatter_add(1, i, s)


def scatter_add_(x, i, s):
    return x.scatter_add_(1, i, s)


def scatter_(x, i, s):
    return x.scatter_(1, i, s)


def scatter_of_a_number(x, i, s):
    return x.scatter_(1, i, 2.5)


def scatter(x, i, s):
    return x.scatter(1, i, s)


FUNCTIONS = {
    scatter_add: ("aclnnScatterAdd", "add"),
    scatter_add_: ("aclnnScatterAdd", "add"),
    scatter_: ("aclnnInplaceScatter", None),
    scatter_of_a_number: ("aclnnInplaceScatterValue", None),
    scatter: ("aclnnScatter", None),
}
SHAPES = [((4, 6), (4, 5)), ((2, 30), (1, 17))]
RUNS = 8


def check(plain, function, generator):
    operator, reduction = FUNCTIONS[plain]
    for of_self, of_index in SHAPES:
        with Calls(**{operator: RUNS}):
            # Living tensors, so that no run has the addresses of another.
            kept = []
            for _ in range(RUNS):
                self, src = random(generator, "float32", of_self), random(generator, "float32", of_index)
                index = generator.integers(-of_self[1], of_self[1], of_index)
                of_loop = np.full(of_index, 2.5, np.float32) if plain is scatter_of_a_number else src
                wanted = loop("float32", self, 1, index, of_loop, reduction)
                given = [tensor("float32", self), Tensor(index, ms.int64), tensor("float32", src)]
                got = function(*given)
                kept.append((given, got))
                assert bits(got.asnumpy()) == bits(wanted), f"{plain.__name__} {of_self}\n{got}\n{wanted}"


def main():
    generator = np.random.default_rng(7)
    for function in FUNCTIONS:
        for capture_mode in ["ast", "bytecode"]:
            check(function, ms.jit(function, capture_mode=capture_mode), generator)
            print(f"ms.jit {capture_mode}: {function.__name__}")

    class Net(ms.nn.Cell):
        def construct(self, x, i, s):
            return x.scatter_add(1, i, s)

    ms.set_context(mode=ms.GRAPH_MODE)
    check(scatter_add, Net(), generator)
    print("GRAPH_MODE: scatter_add in a Cell")


main()
