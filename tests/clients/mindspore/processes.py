"""Forks, and what becomes of collectives."""

import os
import signal
import subprocess
import sys
import tempfile

from forks import in_a_fork

# Seconds after which a child counts as hanging: the one that works takes a tenth of it.
LIMIT = 60


def add():
    """A scatter that is right."""
    import mindspore as ms
    import numpy as np
    from client import bits, loop

    self, index = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([[0, 1, 1]])
    got = ms.Tensor(self).scatter_add(0, ms.Tensor(index, ms.int64), ms.Tensor(self))
    assert bits(got.asnumpy()) == bits(loop("float32", self, 0, index, self, "add"))


def forks():
    import mindspore  # noqa: F401

    assert in_a_fork(add, LIMIT) == 0
    print("a fork before the first use is a process like any other")
    add()
    ended = in_a_fork(add, LIMIT)
    assert ended in (1, -signal.SIGALRM), ended
    add()
    print(f"in a fork after the first use nothing is computed: {'an exception' if ended == 1 else 'MindSpore hangs'}")


RANKS = """{"version": "1.0", "server_count": "1", "status": "completed", "server_list": [
    {"server_id": "127.0.0.1", "device": [{"device_id": "0", "device_ip": "127.0.0.1", "rank_id": "0"}]}]}"""


def collectives():
    """In a process with a table of ranks, where MindSpore does nothing else, either."""
    import mindspore as ms
    from client import refused

    text = refused(ms.communication.init, "hccl")
    for _ in range(2):
        refused(add, "host-cann does not implement ge::GEInitialize")
    print(f"communication.init: {text.splitlines()[0]}", flush=True)
    os._exit(0)


if len(sys.argv) > 1:
    collectives()
else:
    forks()
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "ranks.json")
        with open(table, "w") as file:
            file.write(RANKS)
        environment = {**os.environ, "RANK_TABLE_FILE": table, "RANK_ID": "0", "RANK_SIZE": "1"}
        subprocess.run([sys.executable, __file__, "collectives"], check=True, env=environment, timeout=300)
