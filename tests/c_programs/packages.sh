# shellcheck shell=bash
# For scripts that run the tests of the C programs in a way of their own, which source this in the
# folder of the repository.

# The packages of the libraries that the programs are linked with or load: those of the host
# toolkit, and those that stand in for a device's.
# shellcheck disable=SC2034 # It is for those that source this.
c_libraries="-p host-cann-capi -p aclnn-scatter-capi -p opapi-capi -p scatter-kernels-capi -p vendor-operators-capi"

# Prints the path of the executable of the tests, as `cargo test --workspace` has built it.
c_programs_tests() {
    cargo test --workspace --test programs --no-run --message-format=json |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p'
}
