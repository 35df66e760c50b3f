#!/bin/sh
# The contest: our engine, the machine's limits, and every peer, by turns, on the same tensors.
# usage: run.sh VENV [--without-rust] [options of `conformance bench`], with VENV from setup.sh.
# --without-rust leaves out candle-core and burn-flex, which take long to build. Six gigabytes of
# memory; all workloads take half an hour.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
python=$(cd "$1" && pwd)/bin/python
shift
target=${CARGO_TARGET_DIR:-$root/target}
cargo build --quiet --release --manifest-path "$root/Cargo.toml" --package conformance
if [ "${1-}" = --without-rust ]; then
    shift
else
    CARGO_TARGET_DIR="$target/peers" cargo build --quiet --release --locked --manifest-path "$here/Cargo.toml"
    set -- --peer "$target/peers/release/peers" "$@"
fi
# No huge pages for numpy's arrays, because the other peers have none; and threads that wait for
# work without spinning.
export NUMPY_MADVISE_HUGEPAGE=0
worker="$python $here/python/worker.py"
exec "$target/release/conformance" bench \
    --peer "$worker torch onnxruntime numpy" \
    --peer "env NPROC=1 $worker jax" \
    --peer "$worker jax" \
    "$@"
