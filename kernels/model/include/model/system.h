// Which block this is.
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

} // namespace AscendC
