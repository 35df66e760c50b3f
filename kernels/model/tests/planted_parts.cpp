// Parts of one buffer of UB that run into each other.

#include "planted_ones.h"

using namespace AscendC;

namespace planted {

namespace {

/// The buffer whole, and the part that begins in its middle.
struct Parts : Ones {
    LocalTensor<float> second;

    Parts() : second(memory.GetWithOffset<float>(kTile, kTile * sizeof(float))) { }

    void send(const Call& call)
    {
        ready();
        DataCopy(output(call), second, kTile);
    }
};

void count_into_the_next_part(const Call& call)
{
    Parts use;
    Duplicate(use.a, 5.0f, call.broken ? kTile + 8 : kTile);
    PipeBarrier<PIPE_V>();
    use.send(call);
}

void copy_into_the_next_part(const Call& call)
{
    Parts use;
    sync<HardEvent::V_MTE2>(use.pipe);
    DataCopy(use.a[8], input(call), call.broken ? kTile : kTile - 8);
    sync<HardEvent::MTE2_MTE3>(use.pipe);
    use.send(call);
}

void copy_out_of_two_parts(const Call& call)
{
    Parts use;
    use.ready();
    DataCopyPad(output(call), use.a[kTile - 8], DataCopyExtParams(1, call.broken ? 36 : 32, 0, 0, 0));
}

/// Only the last part that was named counts, and an access to the whole buffer is no overrun.
void part_that_was_replaced(const Call& call)
{
    Parts use;
    if (!call.broken) {
        (void)use.memory.GetWithOffset<float>(kTile / 2, (kTile + kTile / 2) * sizeof(float));
        Duplicate(use.a, 2.0f, 2 * kTile);
        PipeBarrier<PIPE_V>();
    }
    Duplicate(use.a, 1.0f, kTile + kTile / 2);
    PipeBarrier<PIPE_V>();
    use.ready();
    DataCopy(output(call), use.a, kTile);
}

} // namespace

std::vector<Bug> part_bugs()
{
    return {
        {"a count that runs into the next part", "ub-bounds", 1, count_into_the_next_part, is_all<kTile, 1>},
        {"a copy that runs into the next part", "ub-bounds", 1, copy_into_the_next_part, is_all<kTile, 1>},
        {"a copy out of two parts", "ub-bounds", 1, copy_out_of_two_parts, is_all<8, 1>},
        {"a part that was replaced", "ub-bounds", 1, part_that_was_replaced, is_all<kTile, 1>},
    };
}

} // namespace planted
