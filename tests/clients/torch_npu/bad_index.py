"""An index out of range raises an exception that says which, and nothing is garbage afterwards.

Each way in a process of its own, for a device that has failed stays so for the rest of one.
"""

import os
import subprocess
import sys

WORDS = ["scatter_add: index: value at [1, 1] expected in -2 to below 2 (axis 0 of self), got 7"]
GOOD, BAD = [[0, 1, 0], [1, 0, 1]], [[0, 1, 0], [1, 7, 1]]


def scatter(rows, in_place, device="npu"):
    import torch

    self, src = torch.ones(2, 3).to(device), torch.full((2, 3), 5.0).to(device)
    index = torch.tensor(rows).to(device)
    return (self.scatter_add_ if in_place else self.scatter_add)(0, index, src)


def check_good(in_place, device="npu"):
    assert (scatter(GOOD, in_place, device).cpu() == scatter(GOOD, in_place, "cpu")).all()


def of_the_stream(in_place):
    """As it is: the error is that of the stream, and ends the device. Whatever follows there raises."""
    import torch
    from client import refused

    check_good(in_place)
    kept = scatter(GOOD, in_place)
    bad = scatter(BAD, in_place)
    refused(torch.npu.synchronize, "507018", *WORDS)
    for _ in range(3):
        refused(lambda: scatter(GOOD, in_place).cpu(), "507018")
        refused(kept.cpu, "507018")
        refused(bad.cpu, "507018")
    check_good(in_place, "npu:1")


def blocking(in_place):
    """ASCEND_LAUNCH_BLOCKING=1: the call itself raises, and ends the device."""
    from client import refused

    check_good(in_place)
    refused(lambda: scatter(BAD, in_place), "507018", *WORDS)
    for _ in range(3):
        refused(lambda: scatter(GOOD, in_place).cpu(), "507018")
    check_good(in_place, "npu:1")


def of_the_call(in_place):
    """ACLNN_SCATTER_CHECK=sync: the error is that of the call alone."""
    from client import refused

    for _ in range(3):
        check_good(in_place)
        refused(lambda: scatter(BAD, in_place), "161002", *WORDS)
    check_good(in_place)


WAYS = {
    "of_the_stream": (of_the_stream, {}),
    "blocking": (blocking, {"ASCEND_LAUNCH_BLOCKING": "1"}),
    "of_the_call": (of_the_call, {"ACLNN_SCATTER_CHECK": "sync"}),
}


def main():
    if len(sys.argv) > 1:
        WAYS[sys.argv[1]][0](sys.argv[2] == "True")
        return
    for name, (_, environment) in WAYS.items():
        for in_place in [False, True]:
            command = [sys.executable, __file__, name, str(in_place)]
            subprocess.run(command, check=True, env={**os.environ, **environment}, timeout=300)
            print(f"{name}{', in place' if in_place else ''}")


main()
