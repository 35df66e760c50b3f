"""The CPU engine beside PyTorch on many shapes: to find those that it is slow on.

usage: shapes.py PROGRAM [--threads N] [--only NAME]

PROGRAM is the example `shapes` of the crate `bench`, built by

    cargo build --release -p bench --example shapes

and the Python that runs this is one with torch, such as the one of setup.sh. Each shape is timed by
the program and then here, for six operations and six dtypes; what is printed is torch's time
divided by ours, the slowest first. Two programs one after the other have their memory elsewhere:
what is within a fifth of 1 is as fast.
"""

import argparse
import os
import subprocess
import time
from statistics import median

import torch

# The sizes of self and index, dim, and whether index is the same along the last axis.
SHAPES = {
    # Rows of three or sixteen numbers, as of points and of features.
    "points": ((100_000, 3), (1_000_000, 3), 0, "expanded"),
    "points-full": ((100_000, 3), (1_000_000, 3), 0, "full"),
    "features": ((100_000, 16), (500_000, 16), 0, "expanded"),
    "features-full": ((100_000, 16), (500_000, 16), 0, "full"),
    # Some graphs at a time.
    "batch": ((8, 10_000, 64), (8, 20_000, 64), 1, "expanded"),
    "batch-full": ((8, 10_000, 64), (8, 20_000, 64), 1, "full"),
    "batch-narrow": ((64, 1000, 8), (64, 4000, 8), 1, "full"),
    # Heads of attention.
    "heads-last": ((32, 12, 128, 128), (32, 12, 128, 128), 3, "full"),
    "heads": ((32, 12, 128, 128), (32, 12, 128, 128), 2, "full"),
    "heads-best": ((32, 12, 128, 1024), (32, 12, 128, 32), 3, "full"),
    # A class for each pixel, and a channel.
    "classes": ((16, 21, 224, 224), (16, 1, 224, 224), 1, "full"),
    "channels": ((16, 3, 224, 224), (16, 3, 224, 224), 1, "full"),
    "unpooling": ((64, 32, 12_544), (64, 32, 3136), 2, "full"),
    "line": ((1_000_000,), (1_000_000,), 0, "full"),
    "short-line": ((1000,), (100_000,), 0, "full"),
    "two-lines": ((2, 1_000_000), (2, 4_000_000), 1, "full"),
    "four-of-four": ((1_000_000, 4), (1_000_000, 4), 1, "full"),
    "one-of-two": ((1_000_000, 2), (1_000_000, 1), 1, "full"),
    "lines": ((20_000, 300), (20_000, 300), 1, "full"),
    "few-rows": ((4096, 4096), (128, 4096), 0, "full"),
    "rows": ((10_000, 1000), (2000, 1000), 0, "expanded"),
    "rows-full": ((10_000, 1000), (2000, 1000), 0, "full"),
    "cube": ((256, 256, 64), (256, 256, 64), 0, "full"),
    "tiny": ((4, 5), (4, 5), 1, "full"),
    "tiny-rows": ((100, 8), (50, 8), 0, "expanded"),
}

DTYPES = {
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "i64": torch.int64,
    "i32": torch.int32,
    "u8": torch.uint8,
}


def timed(call):
    """The median of a call in milliseconds, repeated as the program does."""
    call()
    times, begin = [], time.perf_counter()
    while len(times) < 5 or time.perf_counter() - begin < 0.15:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1e3 * median(times)


def by_torch(self_sizes, index_sizes, dim, kind):
    """The time of each operation and dtype."""
    torch.manual_seed(0)
    stored = (*index_sizes[:-1], 1) if kind == "expanded" else index_sizes
    index = torch.randint(self_sizes[dim], stored).expand(index_sizes)
    for name, dtype in DTYPES.items():

        def small(sizes):
            return (torch.arange(torch.Size(sizes).numel()) % 7).reshape(sizes).to(dtype)

        out, src, to = small(self_sizes), small(index_sizes), small(index_sizes)
        yield ("add", name), timed(lambda: out.scatter_add_(dim, index, src))
        yield ("amax", name), timed(lambda: out.scatter_reduce_(dim, index, src, "amax"))
        yield ("mean", name), timed(lambda: out.scatter_reduce_(dim, index, src, "mean"))
        yield ("set", name), timed(lambda: out.scatter_(dim, index, src))
        yield ("value", name), timed(lambda: out.scatter_(dim, index, 1))
        yield ("gather", name), timed(lambda: torch.gather(out, dim, index, out=to))


def main():
    parser = argparse.ArgumentParser(description="Times the CPU engine beside PyTorch on many shapes.")
    parser.add_argument("program")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", help="the name of a shape")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    environment = {**os.environ, "RAYON_NUM_THREADS": str(options.threads)}
    found = []
    for name, (self_sizes, index_sizes, dim, kind) in SHAPES.items():
        if options.only not in (None, name):
            continue
        sizes = [",".join(map(str, each)) for each in (self_sizes, index_sizes)]
        command = [options.program, *sizes, str(dim), kind]
        lines = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, text=True).stdout
        ours = {(words[0], words[1]): float(words[2]) for words in map(str.split, lines.splitlines())}
        for key, theirs in by_torch(self_sizes, index_sizes, dim, kind):
            found.append((theirs / ours[key], name, *key, ours[key], theirs))
    for ratio, name, operation, dtype, ours, theirs in sorted(found):
        print(f"{ratio:6.2f} {name:14} {operation:6} {dtype:4} ours {ours:9.4f} ms, torch {theirs:9.4f}")
    ratios = [each[0] for each in found]
    behind = sum(ratio < 1 for ratio in ratios)
    print(f"median {median(ratios):.2f}; behind torch on {behind} of {len(ratios)}")


if __name__ == "__main__":
    main()
