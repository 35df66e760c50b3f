"""Cases as MindSpore computes them on a CPU, in an interpreter of its own: it needs another numpy."""

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

DTYPES = ("f16", "f32", "f64", "i64", "i32", "i16", "i8", "u8")


def takes(case):
    """Whether it runs there: not with a self without elements, nor with a lone index vector."""
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
    """The index vectors without negative values, which raise in MindSpore on a CPU."""
    indices = case.index.array()
    sizes = np.array(case.target.shape[: indices.shape[-1]], dtype=indices.dtype)
    return np.where(indices < 0, indices + sizes, indices).astype(indices.dtype)
