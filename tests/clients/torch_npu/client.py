"""What the tests of torch_npu share: the client, the counter of calls, and what must raise."""

import torch
from counting import Calls as CallsOf
from counting import Counter, refused  # noqa: F401

import torch_npu  # noqa: F401

TREE = Counter("lib64/libopapi.so", torch.npu.synchronize)


def Calls(counter=TREE, **expected):
    return CallsOf(counter, **expected)


# Integers of few bits, so that sums in any order, and of any width, are the same.
DTYPES = [
    torch.float32,
    torch.float64,
    torch.float16,
    torch.bfloat16,
    torch.int64,
    torch.int32,
    torch.int16,
    torch.int8,
    torch.uint8,
    torch.bool,
    torch.complex64,
    torch.complex128,
]


def small(generator, dtype, shape):
    """Integers from -3 to 3, as far as the dtype has them: every order of sums gives the same."""
    if dtype == torch.bool:
        return torch.randint(0, 2, shape, generator=generator).to(dtype)
    low = 0 if dtype == torch.uint8 else -3
    values = torch.randint(low, 4, shape, generator=generator).to(dtype)
    if dtype.is_complex:
        values = values + 1j * torch.randint(-3, 4, shape, generator=generator).to(dtype)
    return values


def any_values(generator, dtype, shape):
    """Values of all bits, for what only moves them."""
    if dtype.is_complex:
        return torch.randn(shape, generator=generator, dtype=dtype)
    if dtype.is_floating_point:
        return torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)
    if dtype == torch.bool:
        return small(generator, dtype, shape)
    return torch.randint(-(2**63), 2**63 - 1, shape, generator=generator).to(dtype)


def bits(tensor):
    tensor = tensor.detach().cpu().contiguous()
    return tensor.dtype, tuple(tensor.shape), tensor.reshape(-1).view(torch.uint8).numpy().tobytes()
