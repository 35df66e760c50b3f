# Puts this operator package before the others. To be sourced from bash or zsh, after the set_env.sh
# of CANN.
_op_package=$(cd -- "$(dirname -- "${BASH_SOURCE:-$0}")" >/dev/null 2>&1 && pwd -P)
if [ ! -e "$_op_package/op_api/lib/libcust_opapi.so" ]; then
    echo "set_env.sh: source this file from bash or zsh; other shells do not say where it is" >&2
    unset _op_package
    return 1
fi
export ASCEND_CUSTOM_OPP_PATH="$_op_package${ASCEND_CUSTOM_OPP_PATH:+:$ASCEND_CUSTOM_OPP_PATH}"
export LD_LIBRARY_PATH="$_op_package/op_api/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
unset _op_package
