// ArithProgression with a wrong difference, count or order.

#include "planted.h"

using namespace AscendC;

namespace planted {

namespace {

struct Room {
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory;
    LocalTensor<float> to;

    Room()
    {
        pipe.InitBuffer(memory, 256 * sizeof(float));
        to = memory.Get<float>();
    }

    void send(const Call& call, uint32_t count)
    {
        sync<HardEvent::V_MTE3>(pipe);
        DataCopyPad(output(call), to, DataCopyExtParams(1, count * sizeof(float), 0, 0, 0));
    }
};

void falling_progression(const Call& call)
{
    Room use;
    ArithProgression(use.to, 0.0f, call.broken ? -1.0f : 1.0f, 256);
    if (!call.broken) {
        use.send(call, 256);
    }
}

void progression_beyond_the_buffer(const Call& call)
{
    Room use;
    ArithProgression(use.to, 0.0f, 1.0f, call.broken ? 257 : 256);
    use.send(call, 256);
}

/// Eight floats are made by the scalar unit alone, and no flag is part of that.
void short_progression(const Call& call)
{
    Room use;
    ArithProgression(use.to, 0.0f, 1.0f, 8);
    if (!call.broken) {
        sync<HardEvent::S_MTE3>(use.pipe);
    }
    DataCopyPad(output(call), use.to, DataCopyExtParams(1, 32, 0, 0, 0));
}

void progression_over_a_reader(const Call& call)
{
    Room use;
    Duplicate(use.to, 0.0f, 256);
    if (!call.broken) {
        sync<HardEvent::V_S>(use.pipe);
    }
    ArithProgression(use.to, 0.0f, 1.0f, 256);
    use.send(call, 256);
}

} // namespace

std::vector<Bug> progression_bugs()
{
    return {
        {"a progression that falls", "parameter", 1, falling_progression, is_input_plus<256, 0>},
        {"a progression beyond its buffer", "ub-bounds", 1, progression_beyond_the_buffer, is_input_plus<256, 0>},
        {"a progression by the scalar unit, without a flag", "missing-flag", 1, short_progression, is_input_plus<8, 0>},
        {"a progression over what V still works on", "missing-flag", 1, progression_over_a_reader,
            is_input_plus<256, 0>},
    };
}

} // namespace planted
