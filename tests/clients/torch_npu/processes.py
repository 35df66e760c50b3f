"""Forks, processes of their own, and two ranks that share the gradient of an embedding."""

import os
import sys
import tempfile
import time

import torch
import torch.distributed
import torch.multiprocessing
from client import bits, refused
from forks import in_a_fork
from torch.nn import functional

# Seconds after which a process counts as hanging.
LIMIT = 300


def adds():
    x, i, s = torch.zeros(3, 4), torch.tensor([[0, 1, 2, 2]]), torch.ones(1, 4)
    assert bits(x.npu().scatter_add_(0, i.npu(), s.npu())) == bits(x.scatter_add_(0, i, s))


def all_is_refused(kept):
    """Nothing is read in a fork of a process that has used the device, right or wrong."""
    for work in [adds, kept.cpu, kept[1].item, lambda: str(kept), torch.npu.synchronize, lambda: kept + 1]:
        for _ in range(2):
            refused(work, "107002")


def forks():
    assert in_a_fork(adds, LIMIT) == 0
    print("a fork before the first use is a process like any other")
    adds()
    kept = torch.arange(4.0).npu()
    assert in_a_fork(lambda: all_is_refused(kept), LIMIT) == 0
    adds()
    print("in a fork after the first use every call raises")


ROWS, COLUMNS, COUNT, RANKS = 10, 4, 24, 2


def parts():
    """Index and gradient of a batch. Small integers, so that every order of sums gives the same."""
    generator = torch.Generator().manual_seed(9)
    index = torch.randint(0, ROWS, (COUNT,), generator=generator)
    return index, torch.randint(-3, 4, (COUNT, COLUMNS), generator=generator).float()


def gradient(index, upstream, rows, device):
    weight = torch.zeros(rows, COLUMNS, device=device, requires_grad=True)
    functional.embedding(index.to(device), weight).backward(upstream.to(device))
    return weight.grad.cpu()


def rank(number, file):
    """Each rank has half of the batch and half of the rows; what is sent goes over gloo, on the CPU."""
    torch.distributed.init_process_group("gloo", f"file://{file}", rank=number, world_size=RANKS)
    torch.npu.set_device(number)
    index, upstream = (part.chunk(RANKS)[number] for part in parts())
    owner = index // (ROWS // RANKS)
    received = []
    for to in range(RANKS):
        # As many from each, because gloo gathers tensors of one size: row -1 is none.
        mine = owner == to
        padded = torch.where(mine, index % (ROWS // RANKS), -1)
        all_index = [torch.empty_like(padded) for _ in range(RANKS)]
        all_upstream = [torch.empty_like(upstream) for _ in range(RANKS)]
        torch.distributed.all_gather(all_index, padded)
        torch.distributed.all_gather(all_upstream, upstream)
        if to == number:
            index_here, upstream_here = torch.cat(all_index), torch.cat(all_upstream)
            received = index_here[index_here >= 0], upstream_here[index_here >= 0]
    got = gradient(*received, ROWS // RANKS, f"npu:{number}")
    wanted = gradient(*parts(), ROWS, "cpu").chunk(RANKS)[number]
    assert bits(got) == bits(wanted), f"{got}\n{wanted}"
    torch.distributed.destroy_process_group()


def ranks():
    with tempfile.TemporaryDirectory() as folder:
        ranks = torch.multiprocessing.spawn(rank, (os.path.join(folder, "meet"),), RANKS, join=False)
        end = time.monotonic() + LIMIT
        try:
            while not ranks.join(timeout=max(0, end - time.monotonic())):
                assert time.monotonic() < end, f"the ranks didn't end in {LIMIT} s"
        finally:
            for process in ranks.processes:
                process.kill()
    print(f"{RANKS} processes, each with a part of the rows: the gradients of one process")


if __name__ == "__main__":
    forks()
    ranks()
