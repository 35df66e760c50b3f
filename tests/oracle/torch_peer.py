"""Computes a case by PyTorch on a CPU."""

import os
import warnings

# Selects torch's plain kernels; read when torch is loaded. The kernels for AVX2 and AVX-512 fuse
# the products and sums of a complex128 multiplication, and so give results that neither the
# contract nor other machines give.
os.environ["ATEN_CPU_CAPABILITY"] = "default"

import numpy as np
import torch

from dtypes import DTYPES

VERSION = torch.__version__.split("+")[0]

torch.set_num_threads(1)
warnings.filterwarnings("ignore", message="The reduce argument of torch.scatter")

REDUCES = {"add": "sum", "multiply": "prod", "max": "amax", "min": "amin", "mean": "mean"}


def run(case):
    """The result, as a contiguous numpy array of self's shape, or of index's for a gather."""
    target = tensor(case.target)
    if case.op in ("scatter_nd_add", "scatter_nd_update"):
        result = _nd(case, target)
    elif case.axes is not None:
        result = _put(case, target)
    elif case.names_windows:
        result = _windows(case, target)
    else:
        axis = 0 if case.names_rows else case.dim
        index = tensor(case.index, wrapped_to=case.target.shape[axis] if case.target.shape else 1)
        result = _axis(case, target, index)
    return array(result, case.dtype)


def tensor(view, wrapped_to=None):
    """The view over its own storage. PyTorch has no negative strides, and its scatter takes no negative index, so
    views with negative strides are copied, and negative index values are wrapped first."""
    storage, strides, offset = view.storage, view.strides, view.offset
    if wrapped_to is not None:
        storage = np.where(storage < 0, storage + storage.dtype.type(wrapped_to), storage)
    if any(stride < 0 for stride in strides):
        view = type(view)(storage, view.shape, strides, offset)
        return _flat(np.ascontiguousarray(view.array())).reshape(view.shape)
    return _flat(storage).as_strided(view.shape, strides, offset)


def _flat(array):
    array = array.reshape(-1)
    if array.dtype == DTYPES["bf16"].numpy:
        return torch.from_numpy(array.view(np.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(array.copy())


def array(result, dtype):
    """The elements of a tensor as a numpy array."""
    result = result.contiguous()
    if result.dtype == torch.bfloat16:
        return result.view(torch.int16).numpy().view(DTYPES[dtype].numpy)
    return result.numpy()


def _axis(case, target, index):
    src = None if case.src is None else tensor(case.src)
    if case.op == "embedding_backward":
        return _rows(case, target, src, index)
    if case.op == "gather":
        return torch.gather(target, case.dim, index.long())
    if case.op == "index_add":
        return torch.index_add(target, case.dim, index.long(), src, alpha=1 if case.alpha is None else case.alpha)
    if case.op == "index_copy":
        return torch.index_copy(target, case.dim, index.long(), src)
    if case.op == "index_fill":
        return torch.index_fill(target, case.dim, index.long(), case.value)
    if case.op == "scatter_add":
        return torch.scatter_add(target, case.dim, index, src)
    if case.reduce in (None, "none"):
        return torch.scatter(target, case.dim, index, case.value if src is None else src)
    if case.op != "scatter_reduce" and case.reduce in ("add", "multiply"):
        return torch.scatter(target, case.dim, index, case.value if src is None else src, reduce=case.reduce)
    if src is None:  # PyTorch's scatter of a value only replaces, adds and multiplies
        src = torch.full(index.shape, case.value, dtype=target.dtype)
    include_self = case.include_self is not False
    return torch.scatter_reduce(target, case.dim, index, src, REDUCES[case.reduce], include_self=include_self)


def _rows(case, target, grad, index):
    """embedding_dense_backward, where PyTorch has it and it is exact. Otherwise additions into zeros of all rows but the
    padding's: index_add, or for 16-bit floats, which that may round at every addition, scatter_add."""
    rounds = case.dtype in ("f16", "bf16") and index.unique().numel() < index.numel()
    if DTYPES[case.dtype].kind == "float" and not rounds:
        padding = -1 if case.padding is None else case.padding
        backward = torch.ops.aten.embedding_dense_backward
        return backward(grad, index, target.shape[0], padding, bool(case.scale))
    if case.scale:
        raise ValueError(f"{case.name}: additions don't scale")
    index, grad, zeros = index.reshape(-1).long(), grad.reshape(-1, target.shape[1]), torch.zeros_like(target)
    kept = index != (-1 if case.padding is None else case.padding)
    index, grad = index[kept], grad[kept]
    if not rounds:
        return torch.index_add(zeros, 0, index, grad)
    places = torch.arange(target.numel()).reshape(target.shape)[index]
    return torch.scatter_add(zeros.reshape(-1), 0, places.reshape(-1), grad.reshape(-1)).reshape(target.shape)


def _put(case, target):
    indices, out = [None] * target.dim(), target.clone(memory_format=torch.contiguous_format)
    for axis, column in zip(case.axes, tensor(case.index).long().unbind(-1)):
        indices[axis] = column
    # index_put_ itself takes no None.
    return torch.ops.aten.index_put(out, indices, tensor(case.src), case.accumulate)


def _windows(case, target):
    """Windows that are copied one after the other: PyTorch itself has no such operator."""
    out, updates = target.clone(memory_format=torch.contiguous_format), tensor(case.src)
    if updates.numel():
        extent = updates.shape[case.dim]
        places = target.shape[case.dim] - extent + 1
        index = tensor(case.index).tolist()
        for number, (row, block) in enumerate(zip(index, updates)):
            first, begin = row if isinstance(row, list) else (number, row)
            axis = case.dim % target.dim() - 1
            out[first].narrow(axis, begin % places, extent).copy_(block)
    return out


def _nd(case, target):
    """index_put_, where it is exact. It rounds 16-bit floats at every addition and needs an axis to index. So sums of
    these dtypes and k = 0 use a scatter of the flattened self, which makes the same updates in the same order."""
    is_sum = case.op == "scatter_nd_add"
    indices, updates = tensor(case.index).long(), tensor(case.src)
    depth = indices.shape[-1]
    indices = [torch.where(axis < 0, axis + size, axis) for axis, size in zip(indices.unbind(-1), target.shape)]
    if depth and not (is_sum and case.dtype in ("f16", "bf16")):
        out = target.clone(memory_format=torch.contiguous_format)
        return out.index_put_(tuple(indices), updates, accumulate=is_sum)
    places = torch.arange(target.numel()).reshape(target.shape)
    places = places[tuple(indices)] if depth else places.expand(updates.shape)
    scatter = torch.scatter_add if is_sum else torch.scatter
    flat = scatter(target.reshape(-1), 0, places.reshape(-1), updates.reshape(-1))
    return flat.reshape(target.shape)
