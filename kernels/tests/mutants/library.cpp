// The kernels on the host model as a library that is loaded as a device library is.
#include "../../launch.h"

extern "C" const ScatterKernels* scatter_kernels(void)
{
    return scatter_kernels_host_model();
}
