"""An index out of range raises an exception that says which, and nothing is garbage afterwards.

Each way in a process of its own, for a device that has failed stays so for the rest of one.
"""

import os
import subprocess
import sys

WORDS = ["scatter_add: index: value at [1, 1] expected in -2 to below 2 (axis 0 of self), got 7"]


def scatter(ms, rows, in_place=False):
    import numpy as np

    self = ms.Tensor(np.ones((2, 3)), ms.float32)
    index = ms.Tensor(np.array(rows), ms.int64)
    src = ms.Tensor(np.full((2, 3), 5), ms.float32)
    return (self.scatter_add_ if in_place else self.scatter_add)(0, index, src)


GOOD, BAD = [[0, 1, 0], [1, 0, 1]], [[0, 1, 0], [1, 7, 1]]


def of_the_stream(in_place):
    """As it is: the error is that of the stream, and stops it. Whatever follows raises."""
    import mindspore as ms
    from client import refused

    assert (scatter(ms, GOOD).asnumpy() == 6).all()
    kept = scatter(ms, GOOD)
    bad = scatter(ms, BAD, in_place)
    refused(bad.asnumpy, "507018", *WORDS)
    for _ in range(3):
        refused(lambda: scatter(ms, GOOD, in_place).asnumpy(), "507018", *WORDS)
    refused(kept.asnumpy, "507018", *WORDS)
    refused(bad.asnumpy, "507018", *WORDS)


def of_the_call(in_place):
    """launch_blocking(), and ACLNN_SCATTER_CHECK=sync: the error is that of the call alone."""
    import mindspore as ms
    from client import refused

    ms.runtime.launch_blocking()
    for _ in range(3):
        assert (scatter(ms, GOOD, in_place).asnumpy() == 6).all()
        refused(lambda: scatter(ms, BAD, in_place), "161002", *WORDS)


def launch_blocking(in_place):
    """launch_blocking() alone: the error is that of the call, and stops the stream."""
    import mindspore as ms
    from client import refused

    ms.runtime.launch_blocking()
    assert (scatter(ms, GOOD).asnumpy() == 6).all()
    refused(lambda: scatter(ms, BAD, in_place), "507018", *WORDS)
    for _ in range(3):
        refused(lambda: scatter(ms, GOOD, in_place).asnumpy(), "507018", *WORDS)


WAYS = {
    "of_the_stream": (of_the_stream, {}),
    "launch_blocking": (launch_blocking, {}),
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
