"""Runs in MindSpore's environment: reads calls.npz, writes results.npz. usage: mindspore_worker.py CALLS RESULTS"""

import json
import os
import sys

os.environ["GLOG_v"] = "3"  # errors only

import mindspore
import numpy as np
from mindspore import Tensor


def main(calls, results):
    """Tensor.scatter_add(indices, updates) of every call."""
    mindspore.set_context(device_target="CPU")
    outcome = {"versions": json.dumps({"mindspore": mindspore.__version__})}
    with np.load(calls) as arrays:
        for number in range(len(arrays.files) // 3):
            target, indices, updates = (Tensor(arrays[f"{number}.{part}"]) for part in ("self", "indices", "updates"))
            outcome[str(number)] = target.scatter_add(indices, updates).asnumpy()
    np.savez(results, **outcome)


if __name__ == "__main__":
    main(*sys.argv[1:])
