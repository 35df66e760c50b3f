// The buffers of UB that TPipe hands out.
#pragma once

#include "model/machine.h"

#include <vector>

namespace ascendc_model {

/// Bytes of a TBuf that the kernel named with a length, and the line where it did so last.
struct Part {
    uint32_t begin;
    uint32_t end;
    Site site;
};

struct Buffer {
    enum class State : uint8_t { Free, Occupied, Queued, Dequeued, Always };

    uint32_t address = 0;
    uint32_t bytes = 0;
    State state = State::Free;
    /// Grows when the buffer is freed.
    uint32_t generation = 0;
    const char* position = "";
    /// The flag that its queue set when it was filled, or freed; -1 for none.
    int32_t filled = -1;
    int32_t freed = -1;
    AscendC::HardEvent freed_event = AscendC::HardEvent::MAX;
    Site site;
    /// Sorted and disjoint.
    std::vector<Part> parts;
};

/// The largest number of buffers that a TPipe manages (QBUF_MAX_LEN of the real headers).
constexpr uint32_t kMostBuffers = 64;

struct Buffers {
    Buffer all[kMostBuffers];
    uint32_t count = 0;
    uint32_t used_bytes = 0;
    bool pipe_open = false;
    /// The kernel's TPipe object.
    void* pipe = nullptr;

    void clear()
    {
        count = 0;
        used_bytes = 0;
    }
};

} // namespace ascendc_model
