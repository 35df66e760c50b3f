#!/usr/bin/env python3
"""Makes PyPI's torch, which is built for CUDA, importable without CUDA and without 2.5 GB of CUDA packages.

usage: torch_cpu_stubs.py VENV

Only libcudart must be real (package nvidia-cuda-runtime, 2 MB): torch registers its device code with it while it is
loaded. Of every other library a stub is compiled, with the names and symbol versions that torch links against; empty
libraries are not enough. A stub's functions return 0 and are never called on a CPU.
"""

import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

CUDA_LIBRARIES = ("libcu", "libnv", "libnccl")
# Libraries whose symbols have no versions; they are recognised by these prefixes.
PREFIXES = {
    "libcuda": "cu",
    "libcudnn": "cudnn",
    "libcufile": "cuFile",
    "libcusparseLt": "cusparseLt",
    "libnccl": "nccl",
}
# A library whose symbol version isn't named after the library.
VERSIONS = {"libnvshmem_host": "NVSHMEM"}


class Symbols:
    """The libraries that torch's own libraries need, and the symbols that they define and leave undefined."""

    def __init__(self, folder):
        self.needed, self.defined, self.plain = set(), set(), set()
        self.versioned = defaultdict(set)  # version -> names
        for library in sorted(folder.glob("*.so*")):
            if not library.is_symlink() and not _is_stub(library):
                self._read(library)

    def _read(self, library):
        self.needed |= set(re.findall(r"NEEDED.*\[(.*?)\]", _output("readelf", "-d", library)))
        for line in _output("readelf", "--dyn-syms", "-W", library).splitlines():
            fields = line.split()
            if len(fields) < 8:
                continue
            binding, section, name = fields[4], fields[6], fields[7]
            if section != "UND":
                self.defined.add(name.split("@")[0])
            elif binding != "WEAK":
                name, _, version = name.partition("@")
                (self.versioned[version.strip("@")] if version else self.plain).add(name)

    def of(self, library):
        """({version: names}, names without one) that a stub of `library` must have."""
        stem = library.split(".so")[0]
        wanted = VERSIONS.get(stem)
        versions = {
            version: names
            for version, names in self.versioned.items()
            if (version == wanted if wanted else version.split(".so")[0] == stem)
        }
        prefix = PREFIXES.get(stem)
        if versions or prefix is None:
            return versions, set()
        return {}, {name for name in self.plain - self.defined if name.startswith(prefix)}


def _is_stub(library):
    """Whether it is a stub of an earlier run: torch's own libraries with such names are larger."""
    return library.name.startswith(CUDA_LIBRARIES) and library.stat().st_size < 20_000


def _output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def compile_stub(library, versions, plain):
    """Compiles a shared library with these symbols to this path."""
    names = sorted(set(plain).union(*versions.values()))
    source = "".join(f"long {name}(void) {{ return 0; }}\n" for name in names if re.fullmatch(r"[A-Za-z_]\w*", name))
    script = "".join(f"{version} {{ global: {'; '.join(sorted(names))}; }};\n" for version, names in versions.items())
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "stub.c").write_text(source or "\n")
        (folder / "versions.map").write_text(script)
        command = ["gcc", "-shared", "-fPIC", "-w", "-fno-builtin", folder / "stub.c", "-o", library]
        command += [f"-Wl,-soname,{library.name}"]
        command += [f"-Wl,--version-script,{folder / 'versions.map'}"] if versions else []
        subprocess.run(command, check=True)


def main(venv):
    """Puts every missing CUDA library beside torch's own."""
    (packages,) = Path(venv).resolve().glob("lib/python3*/site-packages")
    libraries = packages / "torch" / "lib"
    symbols = Symbols(libraries)
    for name in sorted(name for name in symbols.needed if name.startswith(CUDA_LIBRARIES)):
        library = libraries / name
        library.unlink(missing_ok=True)
        real = next(iter(sorted((packages / "nvidia").rglob(name))), None)
        if real:
            library.symlink_to(real)
        else:
            compile_stub(library, *symbols.of(name))


if __name__ == "__main__":
    main(*sys.argv[1:])
