// The number of the block, its workspace, and assertions.
#pragma once

#include "machine.h"

namespace AscendC {

__aicore__ inline int64_t GetBlockIdx()
{
    return ascendc_model::block_index();
}
__aicore__ inline int64_t GetBlockNum()
{
    return ascendc_model::block_count();
}

/// The kernel's own part of the workspace. A launch on the host has no other.
__aicore__ inline GM_ADDR GetUserWorkspace(GM_ADDR workspace)
{
    return workspace;
}

} // namespace AscendC

/// Reports a condition that doesn't hold. A device library is built without it.
#ifndef ASSERT
#define ASSERT(x) ((x) ? (void)0 : ascendc_model::assertion_failed(#x, ascendc_model::Site::here()))
#endif
