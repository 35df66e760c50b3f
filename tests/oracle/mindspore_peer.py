"""Computes cases by MindSpore on a CPU, in a separate interpreter because it needs another version of numpy."""

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

DTYPES = ("f16", "f32", "f64", "i64", "i32", "i16", "i8", "u8")


def takes(case):
    """Whether MindSpore can run the case: self must have elements, and index more than one axis."""
    return 0 not in case.target.shape and len(case.index.shape) > 1


def run(python, cases):
    """(version, results in the order of the cases)."""
    arrays = {}
    for number, case in enumerate(cases):
        arrays[f"{number}.self"] = case.target.array()
        arrays[f"{number}.indices"] = _wrapped(case)
        arrays[f"{number}.updates"] = case.src.array()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        np.savez(folder / "calls.npz", **arrays)
        worker = Path(__file__).with_name("mindspore_worker.py")
        subprocess.run([python, worker, folder / "calls.npz", folder / "results.npz"], check=True)
        with np.load(folder / "results.npz") as results:
            version = json.loads(str(results["versions"]))["mindspore"]
            return version, [results[str(number)] for number in range(len(cases))]


def _wrapped(case):
    """The index vectors with negative values wrapped, because those raise an error in MindSpore on a CPU."""
    indices = case.index.array()
    sizes = np.array(case.target.shape[: indices.shape[-1]], dtype=indices.dtype)
    return np.where(indices < 0, indices + sizes, indices).astype(indices.dtype)
