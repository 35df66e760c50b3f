#!/usr/bin/env python3
"""Makes PyPI's wheel of torch, which is one for CUDA, importable without CUDA's libraries.

    cuda_stand_ins.py VENV

PyPI has torch for x86-64 with CUDA only, whose libraries take 3 GB, and torch_npu never calls one.
Each that torch needs gets an empty library of its name in torch's folder, with the symbols that torch
links as functions that return 0. The runtime library alone is real, of nvidia-cuda-runtime-cu12: torch
registers its kernels with it while it is loaded. No file of torch is changed. Needs binutils and a C
compiler.
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

# How the functions of libraries begin that have no symbol versions.
PREFIXES = {
    "libcuda": "cu", "libcublas": "cublas", "libcublasLt": "cublasLt", "libcudnn": "cudnn", "libcufft": "cufft",
    "libcufile": "cuFile", "libcupti": "cupti", "libcusolver": "cusolver", "libcusparse": "cusparse",
    "libcusparseLt": "cusparseLt", "libnccl": "nccl", "libnvrtc": "nvrtc", "libnvshmem_host": "nvshmem",
}  # fmt: skip
OF_CUDA = re.compile(r"lib(cu|nv|nccl)")


def lines(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def stem(name):
    return name.split(".so")[0]


def wanted(folder):
    """The libraries that torch's need, and the symbols they link: by version, without one, defined."""
    needed, versioned, plain, defined = set(), collections.defaultdict(set), set(), set()
    for library in folder.glob("*.so*"):
        if library.is_symlink() or OF_CUDA.match(library.name):
            continue
        for line in lines("readelf", "-dW", library):
            needed.update(re.findall(r"\(NEEDED\).*\[(.*)\]", line))
        for line in lines("readelf", "--dyn-syms", "-W", library):
            fields = line.split()
            if len(fields) < 8 or fields[4] == "WEAK":
                continue
            name, _, version = fields[7].partition("@")
            if fields[6] != "UND":
                defined.add(name)
            elif version:
                versioned[version.strip("@")].add(name)
            else:
                plain.add(name)
    return {name for name in needed if OF_CUDA.match(name)}, versioned, plain - defined


def compile(path, versions, plain):
    names = sorted(plain.union(*versions.values()))
    with tempfile.TemporaryDirectory() as scratch:
        source, script = pathlib.Path(scratch, "empty.c"), pathlib.Path(scratch, "versions")
        source.write_text("".join(f"long {name}(void) {{ return 0; }}\n" for name in names))
        script.write_text("".join(f"{v} {{ global: {'; '.join(sorted(names))}; }};\n" for v, names in versions.items()))
        command = ["cc", "-shared", "-fPIC", "-w", "-fno-builtin", source, f"-Wl,-soname,{path.name}", "-o", path]
        subprocess.run(command + ([f"-Wl,--version-script={script}"] if versions else []), check=True)


def main():
    (packages,) = pathlib.Path(sys.argv[1]).glob("lib/python3*/site-packages")
    folder = packages / "torch/lib"
    # The names of those that this has put there before.
    listed = folder / "cuda_stand_ins.txt"
    own = set(listed.read_text().split()) if listed.exists() else set()
    needed, versioned, plain = wanted(folder)
    for name in sorted(needed):
        if (folder / name).exists() and name not in own:
            sys.exit(f"{folder / name} is a library of its own, which this doesn't replace")
    listed.write_text("".join(f"{name}\n" for name in sorted(needed)))
    for name in sorted(needed):
        path = folder / name
        path.unlink(missing_ok=True)
        real = next(iter(packages.glob(f"nvidia/**/{name}")), None)
        if real:
            path.symlink_to(real)
            continue
        # Versions are named after libraries, but for one.
        names = {stem(name), "NVSHMEM"} if stem(name) == "libnvshmem_host" else {stem(name)}
        versions = {version: symbols for version, symbols in versioned.items() if stem(version) in names}
        prefix = PREFIXES.get(stem(name))
        unversioned = {symbol for symbol in plain if prefix and symbol.startswith(prefix)}
        compile(path, versions, set() if versions else unversioned)


main()
