#!/usr/bin/env python3
"""Makes tests/vectors from PyTorch, MindSpore, ONNX and the examples of the operators' pages.

Run it with the Python of the torch environment that setup.sh makes; MindSpore's is expected beside it. README.md says
what is in the files, and where the peers and the contract differ.
"""

import argparse
import itertools
import sys
from pathlib import Path

import numpy as np
import onnx
import safetensors

import axis_cases
import bounds
import contract
import embedding_cases
import gather_cases
import mindspore_peer
import nd_cases
import onnx_nodes
import put_cases
import seeds
import slice_cases
import store
import torch_peer
import window_cases
from dtypes import DTYPES

FOLDER = Path(__file__).resolve().parent.parent / "vectors"


def from_torch():
    """The cases of PyTorch, with its results, and with a bound if the class of the case has one."""
    nd = [nd_cases.cases("torch", op, DTYPES, views=True) for op in ("scatter_nd_add", "scatter_nd_update")]
    others = (slice_cases.cases(), window_cases.cases(), put_cases.cases(), gather_cases.cases(), embedding_cases.cases())
    for case in itertools.chain(axis_cases.cases(), *nd, *others):
        outcome = contract.run(case)
        if bounds.torch_computes(case, outcome):
            case.expected = torch_peer.run(case)
            case.bound = bounds.torch_bound(case, outcome)
            yield case


def from_mindspore(python):
    """(version, cases of MindSpore, with results and bounds)."""
    cases = list(nd_cases.cases("mindspore", "scatter_nd_add", mindspore_peer.DTYPES, views=False))
    cases = [case for case in cases if mindspore_peer.takes(case)]
    version, results = mindspore_peer.run(python, cases)
    for case, result in zip(cases, results):
        case.expected = result
        case.bound = bounds.mindspore_bound(case, contract.run(case))
    return version, cases


def make(mindspore_python):
    """File name -> content. Every case is checked against the contract."""
    mindspore_version, cases = from_mindspore(mindspore_python)
    cases += [*from_torch(), *onnx_nodes.cases(), *seeds.cases()]
    wrong = [case.name for case in cases if not contract.check(case)]
    if wrong:
        sys.exit("not what the contract says (a peer has changed, or a class needs a rule):\n" + "\n".join(wrong))
    versions = {
        "torch": torch_peer.VERSION,
        "mindspore": mindspore_version,
        "onnx": onnx.__version__,
        "numpy": np.__version__,
    }
    made = store.files(cases, versions)
    for name, content in made.items():
        if name.endswith(".safetensors"):
            safetensors.deserialize(content)  # the format's own package must be able to read what we wrote
    return made


def drift(made, folder):
    """The names of the committed files that differ from those in `made`."""
    committed = {path.name: path.read_bytes() for path in folder.glob("*") if path.suffix in (".json", ".safetensors")}
    return sorted(name for name in made.keys() | committed.keys() if made.get(name) != committed.get(name))


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the committed files differ")
    parser.add_argument(
        "--mindspore-python",
        type=Path,
        default=Path(sys.prefix).parent / "mindspore" / "bin" / "python",
        help="the Python of MindSpore's environment (default: beside this one's)",
    )
    arguments = parser.parse_args()
    made = make(arguments.mindspore_python)
    if arguments.check:
        differing = drift(made, FOLDER)
        for name in differing:
            print(f"{name}: not what the generator makes", file=sys.stderr)
        sys.exit(bool(differing))
    FOLDER.mkdir(exist_ok=True)
    for name, content in made.items():
        (FOLDER / name).write_bytes(content)
        print(f"{name}: {len(content)} bytes")


if __name__ == "__main__":
    main()
