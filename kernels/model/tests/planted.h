// Kernels with one planted bug each, and the same kernel without it.
#pragma once

#include "ascendc_model.h"
#include "kernel_operator.h"

#include <cstdint>
#include <vector>

namespace planted {

/// Elements of each of the two tensors that every kernel gets: `in` holds 0, 1, 2, ... and `out`
/// -1.
constexpr uint32_t kElements = 4096;

/// A kernel's arguments, and whether it runs with its bug.
struct Call {
    bool broken;
    GM_ADDR in;
    GM_ADDR out;
    /// An address in no tensor of the launch.
    GM_ADDR elsewhere;
};

struct Bug {
    /// The bug, in words.
    const char* name;
    /// The rule that the first report must name.
    const char* rule;
    uint32_t blocks;
    void (*kernel)(const Call& call);
    /// Whether the kernel without the bug did its work; NULL where it writes nothing.
    bool (*right)(const float* out);
};

std::vector<Bug> flag_bugs();
std::vector<Bug> queue_bugs();
std::vector<Bug> copy_bugs();
std::vector<Bug> vector_bugs();
std::vector<Bug> extent_bugs();
std::vector<Bug> global_bugs();
std::vector<Bug> line_bugs();
std::vector<Bug> part_bugs();
std::vector<Bug> packing_bugs();
std::vector<Bug> sorting_bugs();
std::vector<Bug> accumulation_bugs();
std::vector<Bug> block_bugs();
std::vector<Bug> progression_bugs();
std::vector<Bug> transposition_bugs();

// The tensors of a call.

inline AscendC::GlobalTensor<float> input(const Call& call)
{
    AscendC::GlobalTensor<float> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(call.in), kElements);
    return tensor;
}

inline AscendC::GlobalTensor<float> output(const Call& call)
{
    AscendC::GlobalTensor<float> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(call.out), kElements);
    return tensor;
}

/// A flag from one pipe to another, waited for at once.
template <AscendC::HardEvent event> void sync(AscendC::TPipe& pipe)
{
    const int32_t id = static_cast<int32_t>(pipe.FetchEventID(event));
    AscendC::SetFlag<event>(id);
    AscendC::WaitFlag<event>(id);
}

// What `right` may be: the first `Count` elements.

template <uint32_t Count, int32_t Add> bool is_input_plus(const float* out)
{
    for (uint32_t i = 0; i < Count; i++) {
        if (out[i] != static_cast<float>(i) + Add) {
            return false;
        }
    }
    return true;
}

template <uint32_t Count, int32_t Value> bool is_all(const float* out)
{
    for (uint32_t i = 0; i < Count; i++) {
        if (out[i] != static_cast<float>(Value)) {
            return false;
        }
    }
    return true;
}

} // namespace planted
