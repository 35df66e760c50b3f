// Flags and barriers between the pipes of a core, and the vector mask.
#pragma once

#include "tensor.h"

namespace AscendC {

template <HardEvent event> __aicore__ inline void SetFlag(int32_t eventID, Site site = Site::here())
{
    ascendc_model::set_flag(event, eventID, site);
}

template <HardEvent event> __aicore__ inline void WaitFlag(int32_t eventID, Site site = Site::here())
{
    ascendc_model::wait_flag(event, eventID, site);
}

/// PIPE_V, PIPE_MTE2, PIPE_MTE3 or PIPE_ALL; the scalar pipe needs none.
template <pipe_t pipe> __aicore__ inline void PipeBarrier(Site site = Site::here())
{
    static_assert(pipe == PIPE_V || pipe == PIPE_MTE2 || pipe == PIPE_MTE3 || pipe == PIPE_ALL,
        "a vector core has the barriers PIPE_V, PIPE_MTE2, PIPE_MTE3 and PIPE_ALL");
    ascendc_model::pipe_barrier(pipe, site);
}

__aicore__ inline void SetMaskCount(Site site = Site::here())
{
    ascendc_model::set_mask_mode(MaskMode::COUNTER, site);
}
__aicore__ inline void SetMaskNorm(Site site = Site::here())
{
    ascendc_model::set_mask_mode(MaskMode::NORMAL, site);
}
__aicore__ inline void ResetMask(Site site = Site::here())
{
    ascendc_model::set_vector_mask(UINT64_MAX, UINT64_MAX, site);
}

template <typename T, MaskMode mode = MaskMode::NORMAL>
__aicore__ static inline void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow, Site site = Site::here())
{
    ascendc_model::set_vector_mask(maskHigh, maskLow, site);
}

/// In counter mode `len` elements in all, in normal mode the first `len` of each repeat.
template <typename T, MaskMode mode = MaskMode::NORMAL>
__aicore__ static inline void SetVectorMask(int32_t len, Site site = Site::here())
{
    if (mode == MaskMode::COUNTER) {
        ascendc_model::set_vector_mask(0, static_cast<uint32_t>(len), site);
    } else {
        const ascendc_model::Extent extent = ascendc_model::Extent::lanes(static_cast<uint64_t>(len), 1);
        ascendc_model::set_vector_mask(extent.mask[1], extent.mask[0], site);
    }
}

/// Does nothing: the scalar unit of a kernel neither writes GM nor reads what the launch writes, so
/// no cache line can be stale.
template <typename T, CacheLine entireType, DcciDst dcciDst>
__aicore__ inline void DataCacheCleanAndInvalid(const GlobalTensor<T>& dst)
{
    (void)dst;
}

/// Refused: it needs a MIX launch, and the model runs blocks one after another.
template <bool isAIVOnly = true> __aicore__ inline void SyncAll(Site site = Site::here())
{
    ascendc_model::unsupported("SyncAll", site);
}

template <bool isAIVOnly = true>
__aicore__ inline void SyncAll(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace,
    const int32_t usedCores = 0, Site site = Site::here())
{
    (void)gmWorkspace;
    (void)ubWorkspace;
    (void)usedCores;
    ascendc_model::unsupported("SyncAll", site);
}

} // namespace AscendC
