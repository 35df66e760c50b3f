# Makes this folder the CANN of a shell. To be sourced from bash or zsh.
#
# It is not CANN but host-cann: everything runs on the CPU. Devices, their memory and more are set
# by HOST_CANN_DEVICES, HOST_CANN_MEMORY, HOST_CANN_SOC, HOST_CANN_DEBUG and HOST_CANN_QUIET.
_host_cann=$(cd -- "$(dirname -- "${BASH_SOURCE:-$0}")" >/dev/null 2>&1 && pwd -P)
if [ ! -e "$_host_cann/lib64/libhost_cann.so" ]; then
    echo "set_env.sh: source this file from bash or zsh; other shells do not say where it is" >&2
    unset _host_cann
    return 1
fi
export ASCEND_HOME_PATH="$_host_cann"
export ASCEND_TOOLKIT_HOME="$_host_cann"
# Where clients look for operator packages (vendors/config.ini).
export ASCEND_OPP_PATH="$_host_cann/opp"
# torch_npu works with the names of NPUs alone. It is the one whose operators the libraries follow.
export HOST_CANN_SOC="${HOST_CANN_SOC:-Ascend910B2}"
# With its queue, torch_npu goes on after an operator has failed or is missing, and what follows is
# wrong without an error (docs/clients.md). So this is set whatever it was.
export TASK_QUEUE_ENABLE=0
# MindSpore looks for `cann`, or 2.7 for `latest`, in the path from which the runtime was loaded.
export LD_LIBRARY_PATH="$_host_cann/latest/cann/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export CMAKE_PREFIX_PATH="$_host_cann${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}"
export PKG_CONFIG_PATH="$_host_cann/lib64/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
unset _host_cann
