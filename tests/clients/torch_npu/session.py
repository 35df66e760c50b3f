"""What belongs to a session beside the scatters: making, copying and printing tensors, streams, devices."""

import io
import subprocess
import sys
import tempfile

import torch
from client import TREE, Calls, bits, refused
from torch_npu.npu.utils import get_cann_version
from torch_npu.utils import collect_env

import torch_npu


def what_it_is():
    """A person is told wherever one asks, but for names that torch_npu itself must know."""
    command = [sys.executable, "-c", "import torch, torch_npu; torch.zeros(1).npu()"]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stderr
    assert "CANN on the CPU, not an NPU" in told, told
    told = collect_env.get_cann_version()
    assert "host-cann" in told and "on the CPU" in told, told
    properties = torch.npu.get_device_properties(0)
    cores = (properties.cube_core_num, properties.vector_core_num, properties.L2_cache_size)
    assert cores == (0, 0, 0), properties
    assert get_cann_version() == "8.3.RC1" and torch.npu.get_device_name() == "Ascend910B2"
    print(f"{told}; {torch.npu.device_count()} devices without a core")


def makers(device):
    yield "zeros", torch.zeros(2, 3, device=device)
    yield "zero_", torch.tensor([1.0]).to(device).zero_()
    yield "ones", torch.ones(4, dtype=torch.int32, device=device)
    yield "arange", torch.arange(5, device=device)
    yield "arange of floats", torch.arange(1, 2, 0.25, device=device)
    yield "full", torch.full((2, 2), 7.5, device=device)
    yield "tensor", torch.tensor([[1, 2], [3, 4]], device=device)


def assigned(tensor):
    tensor[1:3, ::2] = 9
    tensor[0] = tensor[3]
    return tensor


WORKS = {
    "clone": lambda t: t.clone(),
    "contiguous": lambda t: t.t().contiguous(),
    "slices": lambda t: t[1:, ::2],
    "contiguous slices": lambda t: t[1:, 1::2].contiguous(),
    "slice assignment": lambda t: assigned(t.clone()),
    "expand": lambda t: t[:1].expand(3, 6).contiguous(),
    "cat": lambda t: torch.cat([t, t[:1], t[2:]], 0),
    "cat along 1": lambda t: torch.cat([t, t[:, :2]], 1),
    "to int32": lambda t: t.to(torch.int32),
    "half": lambda t: t.half(),
    "sum": lambda t: t.sum(),
    "sum along 1": lambda t: t.sum(1),
    "add": lambda t: t + t[0],
    "add of a number": lambda t: t + 2,
    "add_ with alpha": lambda t: t.clone().add_(t, alpha=-0.5),
    "sub": lambda t: t - 2 * t,
    "mul": lambda t: t * t[0],
    "div": lambda t: t / 4,
    "neg, abs": lambda t: (-t).abs(),
    "max": lambda t: t.max(),
    "min": lambda t: t.min(),
    "compare": lambda t: (t > 3) & (t <= 12),
    "eq": lambda t: t == 5,
    "masked_select": lambda t: t.masked_select(t > 5),
    "where": lambda t: torch.where(t[:, :1] > 6, t, -t[0]),
    "masked_fill": lambda t: t.masked_fill(t > 5, float("-inf")).masked_fill_(t[0] == 0, t[0, 1]),
    "repeat": lambda t: t.t().repeat(2, 1, 3),
    "matrix products": lambda t: t @ t.t(),
    "of a row and a column": lambda t: t[0] @ t.t() @ t[:, 0],
    "of stacks": lambda t: t.reshape(2, 2, 6) @ t.reshape(2, 6, 2),
    "linear": lambda t: torch.nn.functional.linear(t, t[:3], t[3, :3]),
}


def tensors():
    for (name, one), (_, other) in zip(makers("cpu"), makers("npu"), strict=True):
        assert bits(one) == bits(other), f"{name}\n{one}\n{other}"
    print("zeros, ones, arange, full, tensor")
    x = torch.arange(24.0).reshape(4, 6)
    y = x.npu()
    assert y[2, 3].item() == 15.0 and y.tolist() == x.tolist() and float(y[0, 1]) == 1.0
    print("item, tolist, float")
    for name, work in WORKS.items():
        one, other = work(x), work(y)
        assert other.device.type == "npu", name
        assert bits(one) == bits(other), f"{name}\n{one}\n{other}"
    print(", ".join(WORKS))
    assert torch.equal(y, x.npu()) and not torch.equal(y, y + 1)
    assert y.isclose(y + 1e-7)[1:].tolist() == [[True] * 6] * 3 and not y.isclose(y + 1)[0, 0]
    print("equal, isclose")
    # The CPU's exponentials are not always the nearest numbers.
    torch.testing.assert_close(y.exp().cpu(), x.exp(), rtol=2**-22, atol=0)
    print("exp")
    assert torch.allclose(y, y + 1e-9) and not torch.allclose(y, y + 1)
    print("allclose")
    with Calls(aclnnInplaceCopy=1):
        y.t().contiguous()


def prints():
    """As the CPU prints it, with the device."""
    floats = [torch.tensor([[1.5, -2.0], [1e-9, 3e6]]), torch.tensor([0.0, float("nan"), float("inf")])]
    for dtype in [torch.float32, torch.float16, torch.bfloat16]:
        for values in floats:
            printed(values.to(dtype))
    for dtype in [torch.int64, torch.int32, torch.uint8, torch.bool]:
        printed(torch.arange(3).to(dtype))
    print(floats[0].npu())


def printed(tensor):
    told = str(tensor.npu()).replace(" device='npu:0',", "").replace(", device='npu:0'", "")
    assert "".join(told.split()) == "".join(str(tensor).split()), f"{told}\n{tensor}"


def adds(device="npu"):
    """A scatter that is right."""
    x, i, s = torch.ones(3, 4), torch.tensor([[0, 1, 2, 2], [2, 2, 1, 0]]), torch.arange(8.0).reshape(2, 4)
    got = x.to(device).scatter_add_(0, i.to(device), s.to(device))
    assert bits(got) == bits(x.scatter_add_(0, i, s))
    return got


def streams_and_devices():
    stream, event, end = torch.npu.Stream(), torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)
    with Calls(aclnnScatterAdd=2):
        with torch.npu.stream(stream):
            event.record()
            adds()
            end.record()
        torch.npu.current_stream().wait_stream(stream)
        end.synchronize()
        assert end.query() and event.elapsed_time(end) >= 0
        adds()
    print("streams, events")
    with Calls(aclnnScatterAdd=2):
        kept = adds("npu:1")
        assert kept.device.index == 1 and bits(kept.to("npu:0")) == bits(kept)
        with torch.npu.device(1):
            assert adds().device.index == 1
    print("two devices, copies from one to the other")
    pinned = torch.arange(6.0).pin_memory()
    assert bits(pinned.to("npu", non_blocking=True)) == bits(torch.arange(6.0))
    print("pinned copies")
    before = torch.npu.memory_allocated()
    kept = torch.zeros(1 << 20, device="npu")
    assert torch.npu.memory_allocated() - before >= 4 << 20
    del kept
    torch.npu.empty_cache()
    print("memory_allocated, empty_cache")


def saves():
    x = adds()
    kept = io.BytesIO()
    torch.save({"x": x}, kept)
    # torch_npu loads tensors of devices to the current one, whatever map_location says but "cpu".
    for where in [None, "cpu"]:
        kept.seek(0)
        got = torch.load(kept, map_location=where)["x"]
        assert bits(got) == bits(x) and str(got.device) == (where or "npu:0")
    kept.seek(0)
    assert torch.load(kept, map_location="npu:1")["x"].device.index == 0
    with tempfile.NamedTemporaryFile() as file:
        torch.save(x, file.name)
        assert bits(torch.load(file.name)) == bits(x)
    print("save and load")


def deterministic():
    torch.use_deterministic_algorithms(True)
    with Calls(aclnnScatterAdd=1):
        adds()
    torch.use_deterministic_algorithms(False)
    print("deterministic mode")


def profiled():
    """The profilers tell what the CPU does. That there is no device to ask is in the log alone."""
    with torch.profiler.profile() as told, Calls(aclnnScatterAdd=1):
        adds()
    assert "aten::scatter_add_" in {event.key for event in told.key_averages()}
    activities = [torch_npu.profiler.ProfilerActivity.CPU, torch_npu.profiler.ProfilerActivity.NPU]
    with torch_npu.profiler.profile(activities=activities), Calls(aclnnScatterAdd=1):
        adds()
    adds()
    print("profilers")


def double():
    """torch_npu's own rule for this processor: f64 is cast to on the host alone."""
    y = torch.arange(3.0).npu()
    assert y.double().dtype == y.to(torch.float64).dtype == torch.float32
    kept = torch.arange(3.0, dtype=torch.float64).npu()
    assert kept.dtype == torch.float64 and bits(kept) == bits(torch.arange(3.0, dtype=torch.float64))
    print("f64")


def captured():
    with torch.npu.graph(torch.npu.NPUGraph()):
        adds()


# What needs parts that a CPU doesn't have.
ABSENT = {
    "aclrtGetDeviceUtilizationRate": torch.npu.utilization,
    "aclrtSetDeviceResLimit": lambda: torch.npu.set_device_limit(0, 2, 2),
    "aclmdlRICaptureBegin": captured,
}
# What leaves torch_npu in another state, in a process of its own.
ABSENT_TO_THE_END = """
import os, sys, torch, torch_npu
torch.npu.set_device(0)
tensor = torch.ones(2).npu()
for work in [
    lambda: torch.distributed.init_process_group("hccl", f"file://{sys.argv[1]}", rank=0, world_size=1),
    lambda: torch.distributed.all_reduce(tensor),
    lambda: torch.npu.set_stream_limit(torch.npu.Stream(), 2, 2),
    lambda: tensor + 1,
]:
    try:
        work()
    except RuntimeError as error:
        print(error, flush=True)
os._exit(0)
"""


def refusals():
    for name, work in ABSENT.items():
        refused(work, "200001", f"host-cann does not implement {name}")
        adds()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", ABSENT_TO_THE_END, f"{folder}/meet"]
        told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout
    for name in ["HcclGetRootInfo", "aclrtSetStreamResLimit", "aclrtUseStreamResInCurrentThread"]:
        assert f"host-cann does not implement {name}" in told, told
    print("utilisation, limits of cores, graphs, collectives: not here, said by name")


def on_the_cpu():
    """What torch_npu itself computes on the CPU: none of the tree's operators runs."""
    x, i, s = torch.ones(3, 4), torch.tensor([[0, 1, 2, 2]]), torch.arange(4.0).reshape(1, 4)
    names = ["Scatter", "ScatterValue", "ScatterReduce"]
    operators = [f"aclnn{place}{name}" for place in ["", "Inplace"] for name in names]
    with Calls(**dict.fromkeys(operators, 0)):
        for reduce in ["prod", "amax", "amin", "mean"]:
            got = x.npu().scatter_reduce(0, i.npu(), s.npu(), reduce)
            assert bits(got) == bits(x.scatter_reduce(0, i, s, reduce)), reduce
            assert got.device.type == "npu"
        for reduce in ["add", "multiply"]:
            for one, other in [(s, s.npu()), (2.0, 2.0)]:
                got = x.npu().scatter(0, i.npu(), other, reduce=reduce)
                assert bits(got) == bits(x.scatter(0, i, one, reduce=reduce)), reduce
        row = torch.tensor([2, 0, 2])
        got = x.npu().index_reduce(0, row.npu(), x.npu() * 2, "prod")
        assert bits(got) == bits(x.index_reduce(0, row, x * 2, "prod"))
    print("scatter_reduce, scatter with reduce, index_reduce, on the CPU inside torch_npu")
    # Sums of f32 are an operator of the tree from torch_npu 2.9 on.
    is_of_the_tree = not torch.__version__.startswith(("2.7", "2.8"))
    with Calls(aclnnScatterReduce=int(is_of_the_tree)):
        got = x.npu().scatter_reduce(0, i.npu(), s.npu(), "sum")
    assert bits(got) == bits(x.scatter_reduce(0, i, s, "sum"))


PARTS = [what_it_is, tensors, prints, streams_and_devices, saves, deterministic, profiled, double, refusals, on_the_cpu]
for part in PARTS:
    part()
