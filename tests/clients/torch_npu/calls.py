"""Thousands of calls, each equal to torch's on the CPU bit for bit, and each by an operator of the tree.

Where an operator adds, values are small integers, so that sums in every order and of every width are
the same: torch on the CPU rounds f16 and bf16 at each addition, the operators of the tree once. What
only moves values has values of all bits.
"""

import collections

import torch
from client import DTYPES, Calls, any_values, bits, small
from torch.nn import functional

# Shapes of self, index and src, and dim.
SHAPES = [
    ((7,), (5,), (5,), 0),
    ((3,), (1,), (4,), -1),
    ((5, 5), (3, 3), (3, 3), 0),
    ((5, 4), (5, 4), (6, 5), -1),
    ((4, 3, 5), (2, 3, 5), (3, 3, 6), -3),
    ((4, 3, 5), (4, 2, 4), (4, 2, 4), 1),
    ((2, 1, 2, 1, 3, 2), (1, 1, 2, 1, 3, 1), (2, 1, 2, 1, 3, 2), 4),
    ((3, 150), (2, 120), (2, 130), 1),
]


# How a tensor lies in memory. Each is made of a contiguous tensor of the same elements in the same
# way on either device, so that nothing copies it on the way.
def contiguous(shape):
    return shape, lambda tensor: tensor


def transposed(shape):
    return shape[::-1], lambda tensor: tensor.permute(*range(tensor.dim())[::-1])


def sliced(shape):
    """Every second element of the last axis, from the second one on, with rows left over before."""
    return (shape[0] + 1, *shape[1:-1], 2 * shape[-1] + 1) if len(shape) > 1 else (2 * shape[0] + 1,), (
        lambda tensor: tensor[1:, ..., 1::2] if tensor.dim() > 1 else tensor[1::2]
    )


def expanded(shape):
    """One row for all."""
    return (1, *shape[1:]), lambda tensor: tensor.expand(shape)


LAYOUTS = {  # of self, index and src
    "contiguous": (contiguous, contiguous, contiguous),
    "transposed self": (transposed, contiguous, contiguous),
    "transposed index and src": (contiguous, transposed, transposed),
    "sliced": (sliced, sliced, sliced),
    "expanded index": (contiguous, expanded, contiguous),
    "expanded src": (contiguous, contiguous, expanded),
}


def pair(layout, shape, make):
    """A tensor on the CPU and the same on the device."""
    whole, view = layout(shape)
    tensor = make(whole)
    return view(tensor.clone()), view(tensor.npu())


# What a call is: how often it runs which operator, whether it adds, and the call itself.
ELEMENTS = {
    "scatter_add": ("aclnnScatterAdd", True, lambda x, d, i, s: x.scatter_add(d, i, s)),
    "scatter_add_": ("aclnnScatterAdd", True, lambda x, d, i, s: x.scatter_add_(d, i, s)),
    "scatter": ("aclnnScatter", False, lambda x, d, i, s: x.scatter(d, i, s)),
    "scatter_": ("aclnnInplaceScatter", False, lambda x, d, i, s: x.scatter_(d, i, s)),
    "scatter of a number": ("aclnnScatterValue", False, lambda x, d, i, s: x.scatter(d, i, 1)),
    "scatter_ of a number": ("aclnnInplaceScatterValue", False, lambda x, d, i, s: x.scatter_(d, i, 1)),
    "gather": ("aclnnGather", False, lambda x, d, i, s: x.gather(d, i)),
}
ROWS = {
    "index_add": ("aclnnIndexAdd", True, lambda x, d, i, s: x.index_add(d, i, s)),
    "index_add_": ("aclnnIndexAdd", True, lambda x, d, i, s: x.index_add_(d, i, s)),
    "index_copy": ("aclnnIndexCopy", False, lambda x, d, i, s: x.index_copy(d, i, s)),
    "index_copy_": ("aclnnInplaceIndexCopy", False, lambda x, d, i, s: x.index_copy_(d, i, s)),
    "index_fill": ("aclnnIndexFill", False, lambda x, d, i, s: x.index_fill(d, i, 1)),
    "index_fill_": ("aclnnInplaceIndexFill", False, lambda x, d, i, s: x.index_fill_(d, i, 1)),
}
OF_ROWS = [((7,), 5, 0), ((5, 4), 3, 0), ((5, 4), 6, -1), ((3, 4, 5), 7, 1), ((3, 70), 90, 1)]
PUTS = {
    "index_put": ("aclnnIndexPutImpl", False, lambda x, i, s: x.index_put(i, s)),
    "index_put_": ("aclnnIndexPutImpl", False, lambda x, i, s: x.index_put_(i, s)),
    "index_put accumulate": ("aclnnIndexPutImpl", True, lambda x, i, s: x.index_put(i, s, accumulate=True)),
    "index_put_ accumulate": ("aclnnIndexPutImpl", True, lambda x, i, s: x.index_put_(i, s, accumulate=True)),
}


class Compared:
    """Compares calls, and counts them by what they are and by operator."""

    def __init__(self):
        self.made, self.by_operator = collections.Counter(), collections.Counter()

    def __call__(self, name, operator, where, cpu, npu):
        """`cpu` and `npu` run the call on either, and return what is compared."""
        wanted, got = cpu(), npu()
        for one, other in zip(wanted, got, strict=True):
            assert bits(one) == bits(other), f"{name} {where}\n{one}\n{other}"
        self.made[name] += 1
        self.by_operator[operator] += 1


def elements(compared, generator):
    for name, (operator, adds, call) in ELEMENTS.items():
        for dtype in DTYPES:
            if adds and dtype.is_complex:
                continue  # torch on the CPU has none
            for of_self, of_index, of_src, dim in SHAPES:
                for layout, (self_in, index_in, src_in) in LAYOUTS.items():
                    values = small if adds else any_values
                    size = of_self[dim]
                    x, on_x = pair(self_in, of_self, lambda shape: values(generator, dtype, shape))
                    i, on_i = pair(index_in, of_index, lambda shape: torch.randint(0, size, shape, generator=generator))
                    s, on_s = pair(src_in, of_src, lambda shape: values(generator, dtype, shape))
                    where = f"{dtype} {of_self} {of_index} {dim} {layout}"
                    compared(
                        name, operator, where,
                        lambda: (call(x, dim, i, s), x), lambda: (call(on_x, dim, on_i, on_s), on_x),
                    )  # fmt: skip


def aliases(compared, generator):
    """Tensors that are the same, or views of it that lie elsewhere."""
    for dtype in DTYPES:
        for name in ["scatter_add_", "scatter_"]:
            operator, adds, call = ELEMENTS[name]
            if adds and dtype.is_complex:
                continue
            for _ in range(4):
                x, on_x = pair(contiguous, (6, 4), lambda shape: small(generator, dtype, shape))
                i, on_i = pair(contiguous, (3, 4), lambda shape: torch.randint(0, 3, shape, generator=generator))
                compared(
                    name, operator, f"{dtype} halves of one tensor",
                    lambda: (call(x[:3], 0, i, x[3:]), x), lambda: (call(on_x[:3], 0, on_i, on_x[3:]), on_x),
                )  # fmt: skip


def rows(compared, generator):
    for name, (operator, adds, call) in ROWS.items():
        for dtype in DTYPES:
            if adds and dtype.is_complex:
                continue  # CANN's operator has none
            for of_self, count, dim in OF_ROWS:
                for layout in [contiguous, transposed, sliced]:
                    values = small if adds else any_values
                    of_src = list(of_self)
                    of_src[dim] = count
                    size = of_self[dim]
                    if not adds:
                        of_src[dim] = count = min(count, size)
                    x, on_x = pair(layout, of_self, lambda shape: values(generator, dtype, shape))
                    # Copies to one row twice have no order.
                    make = torch.randint(0, size, (count,), generator=generator)
                    make = make if adds else torch.randperm(size, generator=generator)[:count]
                    s, on_s = pair(layout, tuple(of_src), lambda shape: values(generator, dtype, shape))
                    on_i = make.npu()
                    compared(
                        name, operator, f"{dtype} {of_self} {count} {dim} {layout.__name__}",
                        lambda: (call(x, dim, make, s), x), lambda: (call(on_x, dim, on_i, on_s), on_x),
                    )  # fmt: skip


def puts(compared, generator):
    for name, (operator, adds, call) in PUTS.items():
        for dtype in DTYPES:
            for of_self, count in [((7,), 5), ((5, 4), 9), ((3, 4, 5), 6)]:
                for axes in range(1, len(of_self) + 1):
                    for layout in [contiguous, transposed, sliced]:
                        values = small if adds else any_values
                        x, on_x = pair(layout, of_self, lambda shape: values(generator, dtype, shape))
                        cells = 1
                        for size in of_self[:axes]:
                            cells *= size
                        number = count if adds else min(count, cells)
                        # Without accumulate two values for one place have no order.
                        cell = torch.randint(0, cells, (number,), generator=generator)
                        cell = cell if adds else torch.randperm(cells, generator=generator)[:number]
                        index = torch.unravel_index(cell, of_self[:axes])
                        s = values(generator, dtype, (number, *of_self[axes:]))
                        on_index, on_s = tuple(part.npu() for part in index), s.npu()
                        compared(
                            name, operator, f"{dtype} {of_self} {axes} {layout.__name__}",
                            lambda: (call(x, index, s), x), lambda: (call(on_x, on_index, on_s), on_x),
                        )  # fmt: skip


def embeddings(compared, generator):
    def both(weight, index, grad, **options):
        weight = weight.requires_grad_()
        out = functional.embedding(index, weight, **options)
        out.backward(grad)
        return out, weight.grad

    for dtype in [torch.float32, torch.float16, torch.bfloat16]:
        for rows_of_weight, columns, of_index in [(5, 3, (7,)), (9, 8, (2, 6)), (40, 33, (3, 4, 5))]:
            for of_index_dtype in [torch.int64, torch.int32]:
                for options in [{}, {"padding_idx": 2}, {"scale_grad_by_freq": True}]:
                    weight = small(generator, dtype, (rows_of_weight, columns))
                    index = torch.randint(0, rows_of_weight, of_index, generator=generator).to(of_index_dtype)
                    if options.get("scale_grad_by_freq"):
                        # Each row once or twice, because quotients must be exact, too.
                        half = torch.randperm(rows_of_weight, generator=generator)[: (index.numel() + 1) // 2]
                        index = half.repeat(2)[: index.numel()].to(of_index_dtype).reshape(of_index)
                    grad = small(generator, dtype, (*of_index, columns))
                    compared(
                        "embedding backward", "aclnnEmbeddingDenseBackward", f"{dtype} {of_index} {options}",
                        lambda: both(weight.clone(), index, grad, **options),
                        lambda: both(weight.npu(), index.npu(), grad.npu(), **options),
                    )  # fmt: skip


def main():
    generator = torch.Generator().manual_seed(21)
    total = 0
    for part in [elements, aliases, rows, puts, embeddings]:
        compared = Compared()
        names = {operator for operator, *_ in [*ELEMENTS.values(), *ROWS.values(), *PUTS.values()]}
        calls = Calls(**dict.fromkeys([*names, "aclnnEmbeddingDenseBackward"], 0))
        with calls:
            part(compared, generator)
            calls.expected |= compared.by_operator
        for name, count in compared.made.items():
            print(f"{count:6} {name}")
        total += sum(compared.made.values())
    print(f"{total:6} calls, all equal to torch's on the CPU, and the tree's operators ran as often")


main()
