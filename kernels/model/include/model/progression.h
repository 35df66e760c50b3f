// ArithProgression, which consists of other instructions, as it does on a device. The headers of
// 2026 only have it as Arange: it is here for other kernels than this project's.
#pragma once

#include "arithmetic.h"
#include "sync.h"

#include <algorithm>

namespace ascendc_model {

/// `first + count * difference`. Integers wrap around.
template <typename T> T progression_element(T first, T difference, int32_t count)
{
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(
            static_cast<uint32_t>(first) + static_cast<uint32_t>(difference) * static_cast<uint32_t>(count));
    } else {
        return static_cast<T>(static_cast<float>(first) + static_cast<float>(difference) * static_cast<float>(count));
    }
}

} // namespace ascendc_model

namespace AscendC {

/// `dst[i] = firstValue + i * diffValue`, except for rounding: the scalar unit writes the first 32
/// bytes, and each further element is the sum of an earlier one and a difference. Whole blocks of
/// 32 bytes are written if there are more than one.
template <typename T>
__aicore__ inline void ArithProgression(
    const LocalTensor<T>& dst, const T firstValue, const T diffValue, const int32_t count, Site site = Site::here())
{
    static_assert(
        ascendc_model::one_of<T, int16_t, int32_t, half, float>, "ArithProgression lacks this data type on dav-2201");
    constexpr auto block = static_cast<int32_t>(32 / sizeof(T));
    constexpr int32_t repeat = 8 * block;
    if (!(static_cast<float>(diffValue) > 0)) {
        ascendc_model::refuse_parameter("ArithProgression: the difference is not above 0", site);
        return;
    }
    for (int32_t i = 0; i < std::min(count, block); i++) {
        dst.SetValue(static_cast<uint32_t>(i), ascendc_model::progression_element(firstValue, diffValue, i), site);
    }
    if (count <= block) {
        return;
    }
    const int32_t id = ascendc_model::fetch_event(HardEvent::S_V, site);
    SetFlag<HardEvent::S_V>(id, site);
    WaitFlag<HardEvent::S_V>(id, site);
    // Block by block to a whole repeat, and repeat by repeat from there.
    int32_t step = block;
    for (int32_t filled = block; filled < count; filled += step) {
        step = filled < repeat ? block : repeat;
        const int32_t left = (count - filled + block - 1) / block * block;
        const uint64_t lanes = static_cast<uint64_t>(std::min(step, left));
        PipeBarrier<PIPE_V>(site);
        Adds(dst[static_cast<uint32_t>(filled)], dst[static_cast<uint32_t>(filled - step)],
            ascendc_model::progression_element(T(0), diffValue, step), lanes, 1, UnaryRepeatParams(1, 1, 8, 8), site);
    }
    PipeBarrier<PIPE_V>(site);
}

} // namespace AscendC
