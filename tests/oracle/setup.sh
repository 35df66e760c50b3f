#!/bin/sh
# Makes the two Python environments of the generator: DIRECTORY/torch (541 MB) and
# DIRECTORY/mindspore (804 MB). usage: setup.sh DIRECTORY, which must be outside the repository.
# Needs python3 with venv, gcc and readelf.
set -eu

if [ $# -ne 1 ]; then
    echo "usage: $0 DIRECTORY" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "$1"
venvs=$(cd "$1" && pwd)
case "$venvs/" in
    "$root"/*) echo "$0: $venvs is inside of the repository" >&2; exit 2 ;;
esac

# Every version is pinned, so pip needs no resolution (--no-deps), and every run makes the same
# environment.
python3 -m venv "$venvs/torch"
"$venvs/torch/bin/pip" install --no-deps -r "$here/requirements-torch.txt" -r "$here/requirements-onnx.txt"
"$venvs/torch/bin/python" "$here/torch_cpu_stubs.py" "$venvs/torch"
"$venvs/torch/bin/python" -c "import torch, onnx, ml_dtypes, safetensors"

python3 -m venv "$venvs/mindspore"
"$venvs/mindspore/bin/pip" install --no-deps -r "$here/requirements-mindspore.txt"
"$venvs/mindspore/bin/python" -c "import mindspore"

echo "now: $venvs/torch/bin/python $here/make_vectors.py --check"
