"""PyTorch, in place."""

import numpy
import torch

from workload import NotApplicable


def tensor(array):
    """The same memory."""
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(numpy.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


class Torch:
    """`scatter_add_` and its siblings; for pairs, which torch has no call for, `index_add_` on a flat self."""

    call_name = ""

    def __init__(self, threads):
        self.threads = threads
        self.name = f"torch {torch.__version__.split('+')[0]}{self.call_name}"

    def enter(self):
        torch.set_num_threads(self.threads)

    def load(self, work):
        return self.call(work), tensor(work.self_.copy())

    def call(self, work):
        index = tensor(work.index)
        if work.is_pairs:
            src, (height, width) = tensor(work.src), work.self_.shape[1:]
            return lambda self_: self_.view(-1, width).index_add_(0, index[:, 0] * height + index[:, 1], src)
        dim = work.dim
        if work.value is not None:
            return lambda self_: self_.scatter_(dim, index, work.value)
        src = tensor(work.src)
        match work.reduce:
            case "none":
                return lambda self_: self_.scatter_(dim, index, src)
            case "add":
                return lambda self_: self_.scatter_add_(dim, index, src)
            case reduce:
                return lambda self_: self_.scatter_(dim, index, src, reduce=reduce)

    def reset(self, work, self_):
        return self_.view(work.self_.shape).copy_(tensor(work.self_))

    def result(self, self_):
        return (self_.view(torch.int16) if self_.dtype is torch.bfloat16 else self_).numpy()


class IndexAdd(Torch):
    """What a program that has one number per row may call instead."""

    call_name = " index_add"

    def call(self, work):
        if not work.is_expanded:
            raise NotApplicable("index is not one number per row")
        rows, src = tensor(work.rows.copy()), tensor(work.src)
        return lambda self_: self_.index_add_(0, rows, src)


def candidates(threads):
    return [make(count) for make in (Torch, IndexAdd) for count in sorted({1, threads})]
