"""A small model trained on the device, each step equal to the CPU's bit for bit.

The model is an embedding and a loss of its elements, trained by SGD that is written with `add_`. All
numbers are multiples of a power of two that are small enough for sums to be exact in every order.
A graph layer that sums what its edges bring goes forward and backward likewise.
"""

import torch
from client import Calls, bits
from torch.nn import functional

STEPS = 50
ROWS, COLUMNS, BATCH = 16, 8, 12


def trained(device, generator):
    weight = (torch.randint(-8, 9, (ROWS, COLUMNS), generator=generator) / 8).to(device).requires_grad_()
    table = torch.randint(-8, 9, (ROWS, COLUMNS), generator=generator) / 8
    for _ in range(STEPS):
        index = torch.randint(0, ROWS, (BATCH,), generator=generator)
        wanted, index = table[index].to(device), index.to(device)
        difference = functional.embedding(index, weight) - wanted
        loss = (difference * difference).sum()
        loss.backward()
        with torch.no_grad():
            weight.add_(weight.grad, alpha=-0.125)
            # Weights are kept to multiples of 2^-6, so that all squares and sums are exact.
            weight.copy_((weight * 64).to(torch.int32).to(torch.float32) / 64)
        yield bits(loss), bits(weight), bits(weight.grad), loss.item()
        weight.grad = None


def layer(device, generator):
    """Nodes become the sums of what edges bring from their neighbours."""
    nodes = torch.randint(-3, 4, (20, 6), generator=generator).float().to(device).requires_grad_()
    source, target = (torch.randint(0, 20, (70,), generator=generator).to(device) for _ in range(2))
    upstream = torch.randint(-3, 4, (20, 6), generator=generator).float().to(device)
    messages = nodes.gather(0, source.unsqueeze(-1).expand(-1, 6))
    out = torch.zeros(20, 6, device=device).scatter_add(0, target.unsqueeze(-1).expand(-1, 6), messages)
    out.backward(upstream)
    return bits(out), bits(nodes.grad)


def main():
    seed = 50
    wanted = list(trained("cpu", torch.Generator().manual_seed(seed)))
    with Calls(aclnnEmbedding=STEPS, aclnnEmbeddingDenseBackward=STEPS):
        got = list(trained("npu", torch.Generator().manual_seed(seed)))
    for step, (one, other) in enumerate(zip(wanted, got, strict=True)):
        assert one == other, f"step {step}"
    assert got[-1][-1] < got[0][-1] / 16, "it does not learn"
    print(f"{STEPS} steps of an embedding: losses, gradients and weights equal the CPU's")
    # The gradient of gather is a scatter_add, and that of scatter_add a gather.
    with Calls(aclnnGather=2, aclnnScatterAdd=2):
        got = layer("npu", torch.Generator().manual_seed(seed))
    assert got == layer("cpu", torch.Generator().manual_seed(seed))
    print("a graph layer forward and backward")


main()
