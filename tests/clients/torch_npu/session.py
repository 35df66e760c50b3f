"""What belongs to a session beside the scatters: making, copying and printing tensors, streams, devices."""

import io
import os
import subprocess
import sys
import tempfile

import torch
from client import TREE, Calls, bits, refused

import torch_npu

npu = "npu"

# What it is, wherever a person asks.
report = subprocess.run(
    [sys.executable, "-c", "import torch, torch_npu; torch.zeros(1).npu()"], capture_output=True, text=True, check=True
)
assert "CANN on the CPU, not an NPU" in report.stderr, report
from torch_npu.utils.collect_env import get_cann_version  # noqa: E402

assert "host-cann" in get_cann_version() and "on the CPU" in get_cann_version(), get_cann_version()
properties = torch.npu.get_device_properties(0)
assert (properties.cube_core_num, properties.vector_core_num, properties.L2_cache_size) == (0, 0, 0), properties
print("says what it is")

# Making tensors.
with Calls(aclnnInplaceZero=2, aclnnInplaceOne=1, aclnnArange=2, aclnnInplaceFillScalar=1):
    made = {
        "zeros": lambda device: torch.zeros(2, 3, device=device),
        "zero_": lambda device: torch.tensor([1.0]).to(device).zero_(),
        "ones": lambda device: torch.ones(4, dtype=torch.int32, device=device),
        "arange": lambda device: torch.arange(5, device=device),
        "arange of floats": lambda device: torch.arange(1, 2, 0.25, device=device),
        "full": lambda device: torch.full((2, 2), 7.5, device=device),
        "tensor": lambda device: torch.tensor([[1, 2], [3, 4]], device=device),
    }
    for name, make in made.items():
        assert bits(make(npu)) == bits(make("cpu")), name
print("zeros, ones, arange, full, tensor")

# Printing: every dtype, as the CPU prints it.
for dtype in [torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.uint8, torch.bool]:
    for values in [torch.tensor([[1.5, -2.0], [1e-9, 3e6]]), torch.tensor([0.0, float("nan"), float("inf")]), torch.arange(3)]:
        if not dtype.is_floating_point and values.is_floating_point():
            continue
        tensor = values.to(dtype)
        told = str(tensor.npu()).replace(", device='npu:0'", "")
        assert "".join(told.split()) == "".join(str(tensor).split()), f"{told}\n{tensor}"
print(torch.tensor([[1.5, -2.0], [1e-9, 3e6]]).npu())

# Reading, copying, layouts, slices.
x = torch.arange(24.0).reshape(4, 6)
y = x.npu()
assert y[2, 3].item() == 15.0 and y.tolist() == x.tolist() and float(y[0, 1]) == 1.0
for name, work in {
    "clone": lambda t: t.clone(),
    "contiguous": lambda t: t.t().contiguous(),
    "slices": lambda t: t[1:, ::2],
    "contiguous slices": lambda t: t[1:, 1::2].contiguous(),
    "cat": lambda t: torch.cat([t, t[:1], t[2:]], 0),
    "cat along 1": lambda t: torch.cat([t, t[:, :2]], 1),
    "stack": lambda t: torch.stack([t, t]),
    "expand": lambda t: t[:1].expand(3, 6).contiguous(),
    "to": lambda t: t.to(torch.int32),
    "half": lambda t: t.half(),
    "sum": lambda t: t.sum(),
    "sum along 1": lambda t: t.sum(1),
    "add": lambda t: t + t,
    "add of a number": lambda t: t + 2,
    "sub": lambda t: t - 2 * t,
    "mul": lambda t: t * t[0],
    "div": lambda t: t / 4,
    "neg, abs": lambda t: (-t).abs(),
    "max, min": lambda t: torch.stack([t.max(), t.min()]),
    "compare": lambda t: (t > 3) & (t <= 12),
    "eq": lambda t: t == t.t().reshape(4, 6),
    "masked select": lambda t: t[t > 5],
    "slice assignment": lambda t: t.clone().index_fill_(0, torch.tensor([0], device=t.device), 1.0)
    if t.device.type == "none" else _assigned(t.clone()),
}.items():
    pass


def _assigned(t):
    t[1:3, ::2] = 9
    t[0] = t[3]
    return t
