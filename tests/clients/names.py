#!/usr/bin/env python3
"""Lists what a client's libraries want of CANN's, as text for xtask/names/.

    tests/clients/names.py LIBRARY... --folder FOLDER... > xtask/names/CLIENT-VERSION.txt

reads the dynamic symbols of the libraries, and of what they need in turn as far as it is in the
folders or on this machine. The list has each library that is in neither (`library NAME`) and each
name that none of those found defines (`name SYMBOL`), but the functions that sys/include declares:
those are host-cann's. Needs binutils. Names are facts; nothing else of a client is read.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def lines(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def needed(library):
    found = (re.search(r"\(NEEDED\).*\[(.*)\]", line) for line in lines("readelf", "-dW", library))
    return [match[1] for match in found if match]


def symbols(library, *kind):
    """The dynamic symbols of a kind, without their versions, with their types."""
    for line in lines("nm", "-D", "--format=posix", *kind, library):
        name, sort = line.split()[:2]
        yield name.split("@")[0], sort


def on_this_machine():
    """The paths of the system's libraries by their names."""
    return {line.split()[0]: line.split("=>")[1].strip() for line in lines("ldconfig", "-p") if "=>" in line}


def declared():
    text = (ROOT / "sys/src/generated/functions.rs").read_text()
    return set(re.findall(r"\b(?:acl|Acl)\w+", text))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", nargs="+", type=pathlib.Path)
    parser.add_argument("--folder", nargs="+", type=pathlib.Path, default=[])
    options = parser.parse_args()

    system = on_this_machine()
    wanted, defined, seen, missing = set(), set(), set(), set()
    todo = [path.resolve() for path in options.library]
    while todo:
        library = todo.pop()
        if library in seen:
            continue
        seen.add(library)
        defined.update(name for name, _ in symbols(library, "--defined-only"))
        if str(library) not in system.values():
            wanted.update(name for name, sort in symbols(library, "--undefined-only") if sort == "U")
        for name in needed(library):
            places = [folder / name for folder in options.folder if (folder / name).exists()]
            if places:
                todo.append(places[0].resolve())
            elif name in system:
                todo.append(pathlib.Path(system[name]))
            else:
                missing.add(name)
    names = wanted - defined - declared()
    names = sorted(name for name in names if not name.startswith(("Py", "_Py")))
    own = {f"lib{name}.so" for name in ["ascendcl", "acl_rt", "nnopbase", "opapi", "opapi_nn", "opapi_math"]}
    for library in sorted(missing - own):
        print("library", library)
    for name in names:
        print("name", name)


if __name__ == "__main__":
    sys.exit(main())
