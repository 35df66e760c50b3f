#!/usr/bin/env bash
# Makes a library that counts calls before it passes them to a library of operators:
# tests/clients/counting.sh LIBRARY FOLDER NAME... makes FOLDER/NAME, and further names as links.
set -euo pipefail
library=$(readlink -f "$1")
folder=$2
name=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
# Under a name of its own: the loader knows libraries by their names.
behind=counted_${name#lib}
ln -sf "$library" "$folder/lib$behind"
# Functions of phase two are those that have one of phase one.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
nm -D --defined-only --format=posix "$library" >"$scratch/symbols"
sed -n 's/^\(aclnn.*\)GetWorkspaceSize .*/OPERATOR(\1)/p' "$scratch/symbols" >"$scratch/operators.inc"
rm -f "$folder/$name"
"${CXX:-c++}" -std=c++17 -O1 -Wall -Wextra -Werror -fPIC -shared -I"$scratch" "$here/counting.cpp" \
    -Wl,--no-as-needed,--enable-new-dtags,-rpath,'$ORIGIN' -L"$folder" -l"${behind%.so}" -ldl -o "$folder/$name"
for other in "$@"; do
    ln -sf "$name" "$folder/$other"
done
