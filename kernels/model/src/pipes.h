// The pipes of a vector core and the events between them.
#pragma once

#include "ascendc_model.h"
#include "model/types.h"

namespace ascendc_model {

constexpr uint32_t index_of(Pipe pipe)
{
    return static_cast<uint32_t>(pipe);
}

constexpr const char* name_of(Pipe pipe)
{
    constexpr const char* names[] = {"S", "V", "MTE2", "MTE3"};
    return names[index_of(pipe)];
}

struct Direction {
    Pipe from = Pipe::S;
    Pipe to = Pipe::S;
    const char* name = "";

    /// Where this event stands among the events of all pairs of pipes.
    constexpr uint32_t index() const { return index_of(from) * kPipes + index_of(to); }
    /// False for an event that a vector core does not have.
    constexpr bool valid() const { return from != to; }
};

constexpr uint32_t kEvents = kPipes * kPipes;
constexpr uint32_t kEventIds = 8;

constexpr Direction direction_of(AscendC::HardEvent event)
{
    using AscendC::HardEvent;
    switch (event) {
    case HardEvent::MTE2_V: return {Pipe::MTE2, Pipe::V, "MTE2_V"};
    case HardEvent::V_MTE2: return {Pipe::V, Pipe::MTE2, "V_MTE2"};
    case HardEvent::MTE3_V: return {Pipe::MTE3, Pipe::V, "MTE3_V"};
    case HardEvent::V_MTE3: return {Pipe::V, Pipe::MTE3, "V_MTE3"};
    case HardEvent::MTE3_MTE2: return {Pipe::MTE3, Pipe::MTE2, "MTE3_MTE2"};
    case HardEvent::MTE2_MTE3: return {Pipe::MTE2, Pipe::MTE3, "MTE2_MTE3"};
    case HardEvent::S_V: return {Pipe::S, Pipe::V, "S_V"};
    case HardEvent::V_S: return {Pipe::V, Pipe::S, "V_S"};
    case HardEvent::S_MTE2: return {Pipe::S, Pipe::MTE2, "S_MTE2"};
    case HardEvent::MTE2_S: return {Pipe::MTE2, Pipe::S, "MTE2_S"};
    case HardEvent::S_MTE3: return {Pipe::S, Pipe::MTE3, "S_MTE3"};
    case HardEvent::MTE3_S: return {Pipe::MTE3, Pipe::S, "MTE3_S"};
    default: return {};
    }
}

} // namespace ascendc_model
