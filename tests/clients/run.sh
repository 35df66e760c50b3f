# What the `run` of each client does alike. To be sourced, with `root` (this repository), `here`
# (the folder of the client's tests), `dir` (where everything is made), `python` and `tests` set.

# Makes the tree, by the name that host-toolkit has for the client, and a package; and both once
# more, each with a counter of calls before its operators, in $dir/counting.
lay_out() {
    local counting=$dir/counting
    cd "$root"
    cargo xtask host-toolkit "$1" "$dir/tree"
    cargo xtask op-package "$dir/package"
    rm -rf "$counting"
    mkdir -p "$counting/lib64" "$counting/latest/cann"
    ln -s ../lib64 "$counting/latest/lib64"
    ln -s ../../lib64 "$counting/latest/cann/lib64"
    ln -s "$dir"/tree/lib64/*.so "$counting/lib64/"
    tests/clients/counting.sh "$dir/tree/lib64/libopapi.so" "$counting/lib64" \
        libopapi.so libopapi_nn.so libopapi_math.so
    tests/clients/counting.sh "$dir/package/op_api/lib/libcust_opapi.so" "$counting/package/op_api/lib" \
        libcust_opapi.so
}

# Runs the example of a section of docs/clients.md as a user does, and then the tests with the
# counters.
run_tests() {
    local name failed=()
    # What users may have set would change what is tested.
    for name in $(compgen -e | grep -E '^((ASCEND|ACLNN|HOST_CANN|TORCH|NPU|MS)_|TASK_QUEUE_ENABLE$|ACL_OP_INIT_MODE$)' || true); do
        unset "$name"
    done
    . "$dir/tree/set_env.sh"
    # Clients leave files where they run.
    mkdir -p "$dir/scratch"
    cd "$dir/scratch"
    printf '== docs/clients.md, %s\n' "$1"
    "$python" "$root/tests/clients/example.py" "$root/docs/clients.md" "$1" 2>"$dir/told" ||
        { cat "$dir/told"; failed+=("docs/clients.md"); }
    export LD_LIBRARY_PATH=$dir/counting/latest/cann/lib64 COUNTING=$dir/counting
    export PYTHONPATH=$here:$root/tests/clients PYTHONDONTWRITEBYTECODE=1
    for name in "${tests[@]}"; do
        printf '== %s\n' "$name"
        "$python" "$here/$name.py" 2>"$dir/told" || { cat "$dir/told"; failed+=("$name"); }
    done
    ((${#failed[@]} == 0)) || { printf 'failed: %s\n' "${failed[*]}" >&2; return 1; }
}
