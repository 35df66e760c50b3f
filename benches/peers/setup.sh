#!/bin/sh
# Creates the Python environment of the peers in DIRECTORY (1.3 GB), which must be outside the
# repository.
# usage: setup.sh DIRECTORY. Needs python3 with venv, gcc and readelf.
set -eu

if [ $# -ne 1 ]; then
    echo "usage: $0 DIRECTORY" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
oracle="$here/../../tests/oracle"
python3 -m venv "$1"
# Every version is pinned, so that nothing is left to resolve: --no-deps.
"$1/bin/pip" install --no-deps -r "$oracle/requirements-torch.txt" -r "$oracle/requirements-onnx.txt" -r "$here/requirements.txt"
"$1/bin/python" "$oracle/torch_cpu_stubs.py" "$1"
"$1/bin/python" -c "import jax, onnxruntime, torch"
