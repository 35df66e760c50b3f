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
    """
    `scatter_add_` and its siblings, `gather` into an out; for `scatter_nd_add`, which torch has no call for,
    `index_add_` on a flat self.
    """

    call_name = ""

    def __init__(self, threads):
        self.threads = threads
        self.name = f"torch {torch.__version__.split('+')[0]}{self.call_name}"

    def enter(self):
        torch.set_num_threads(self.threads)

    def load(self, work):
        return self.call(work), tensor(work.start.copy())

    def call(self, work):
        index, dim = tensor(work.index), work.dim
        if work.gathers:
            self_ = tensor(work.self_)
            return lambda out: torch.gather(self_, dim, index, out=out)
        if work.op == "index_put":
            src, places = tensor(work.src), tuple(index[:, axis].clone() for axis in range(index.shape[1]))
            return lambda self_: self_.index_put_(places, src, accumulate=True)
        if work.from_zeros:
            src, rows = tensor(work.src), work.self_.shape[0]
            return lambda out: torch.ops.aten.embedding_dense_backward(src, index, rows, -1, False)
        if work.is_index_add:
            src = tensor(work.src)
            return lambda self_: self_.index_add_(dim, index, src, alpha=work.alpha)
        if work.is_pairs:
            src, (height, width) = tensor(work.src), work.self_.shape[1:]
            return lambda self_: self_.view(-1, width).index_add_(0, index[:, 0] * height + index[:, 1], src)
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
        return self_.view(work.start.shape).copy_(tensor(work.start))

    def result(self, self_):
        return (self_.view(torch.int16) if self_.dtype is torch.bfloat16 else self_).numpy()


class IndexAdd(Torch):
    """What a program that has one number per row may call instead of `scatter_add_`."""

    call_name = " index_add"

    def call(self, work):
        if not work.is_expanded or work.gathers:
            raise NotApplicable("index is not one number per row of a sum")
        if work.is_index_add or work.from_zeros:
            raise NotApplicable("the other candidate calls the operator itself")
        rows, src = tensor(work.rows.copy()), tensor(work.src)
        return lambda self_: self_.index_add_(0, rows, src)


class IndexSelect(Torch):
    """What it may call instead of `gather`."""

    call_name = " index_select"

    def call(self, work):
        if not (work.is_expanded and work.gathers):
            raise NotApplicable("index is not one number per row of a gather")
        rows, self_ = tensor(work.rows.copy()), tensor(work.self_)
        return lambda out: torch.index_select(self_, 0, rows, out=out)


def candidates(threads):
    return [make(count) for make in (Torch, IndexAdd, IndexSelect) for count in sorted({1, threads})]
