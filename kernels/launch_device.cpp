// The host part of the device library by ascendc_library (CANN 8.1 and later), which makes the headers of the launches.
#include "acl/acl.h"
#include "aclrtlaunch_scatter_copy.h"
#include "aclrtlaunch_scatter_general.h"
#include "aclrtlaunch_scatter_rows.h"

#define SCATTER_LAUNCH(kernel, what, ...) \
    static_cast<int32_t>(ACLRT_LAUNCH_KERNEL(kernel)((what)->blocks, (what)->stream, __VA_ARGS__))
#include "launch_device.h"
