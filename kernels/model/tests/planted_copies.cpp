// Copies with a wrong size, address or parameter.

#include "planted.h"

using namespace AscendC;

namespace planted {

namespace {

constexpr uint32_t kTile = 256;

struct Buffer {
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory;
    LocalTensor<float> a;

    Buffer()
    {
        pipe.InitBuffer(memory, 2 * kTile * sizeof(float));
        a = memory.Get<float>();
    }

    /// Copies elements of the buffer to the output.
    void send(const Call& call, uint32_t count, uint32_t from = 0)
    {
        sync<HardEvent::MTE2_MTE3>(pipe);
        DataCopyPad(output(call), a[from], DataCopyExtParams(1, count * sizeof(float), 0, 0, 0));
    }
};

void misaligned_ub(const Call& call)
{
    Buffer use;
    const uint32_t from = call.broken ? 4 : 8;
    DataCopy(use.a[from], input(call), kTile);
    if (!call.broken) {
        use.send(call, kTile, from);
    }
}

void misaligned_ub_out(const Call& call)
{
    Buffer use;
    DataCopy(use.a, input(call), kTile);
    use.send(call, 8, call.broken ? 1 : 0);
}

void misaligned_gm(const Call& call)
{
    Buffer use;
    GlobalTensor<float> source;
    source.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(call.in + (call.broken ? 2 : 0)));
    DataCopy(use.a, source, kTile);
    use.send(call, kTile);
}

void rounded_down(const Call& call)
{
    Buffer use;
    DataCopy(use.a, input(call), call.broken ? 13 : 16);
    use.send(call, 8);
}

void part_of_an_element(const Call& call)
{
    Buffer use;
    DataCopyPad(
        use.a, input(call), DataCopyExtParams(1, call.broken ? 34 : 32, 0, 0, 0), DataCopyPadExtParams<float>());
    use.send(call, 8);
}

void too_many_blocks(const Call& call)
{
    Buffer use;
    // Every block is the same 4 bytes of GM and would take 32 of UB, so the right kernel copies
    // few.
    const uint16_t blocks = call.broken ? 4096 : 16;
    DataCopyPad(use.a, input(call), DataCopyExtParams(blocks, 4, 0, 0, 0), DataCopyPadExtParams<float>());
    use.send(call, 1);
}

void too_much_padding(const Call& call)
{
    Buffer use;
    const uint8_t right = call.broken ? 9 : 7;
    DataCopyPad(
        use.a, input(call), DataCopyExtParams(1, 4, 0, 0, 0), DataCopyPadExtParams<float>(true, 0, right, 0.0f));
    use.send(call, 8);
}

bool zeros(const float* out)
{
    return is_all<8, 0>(out) && out[8] == -1;
}

void padding_of_int64(const Call& call)
{
    Buffer use;
    GlobalTensor<int64_t> source;
    source.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(call.in));
    const int64_t value = call.broken ? 1 : 0;
    DataCopyPad(use.a.ReinterpretCast<int64_t>(), source, DataCopyExtParams(1, 8, 0, 0, 0),
        DataCopyPadExtParams<int64_t>(true, 0, 3, value));
    use.send(call, 2);
}

/// Only the bytes of a block are defined afterwards; its padding to 32 is random.
void tail_of_a_block(const Call& call)
{
    Buffer use;
    DataCopyPad(use.a, input(call), DataCopyExtParams(1, 5 * sizeof(float), 0, 0, 0), DataCopyPadExtParams<float>());
    use.send(call, call.broken ? 6 : 5);
}

void beyond_the_tensor(const Call& call)
{
    Buffer use;
    const LocalTensor<float> half_of_it = use.memory.Get<float>(kTile);
    DataCopy(half_of_it, input(call), call.broken ? kTile + 8 : kTile);
    use.send(call, kTile);
}

void beyond_the_buffer(const Call& call)
{
    Buffer use;
    DataCopy(use.a[kTile], input(call), call.broken ? kTile + 8 : kTile);
    use.send(call, kTile, kTile);
}

void before_the_tensor(const Call& call)
{
    Buffer use;
    DataCopy(use.a[8][call.broken ? UINT32_MAX - 15 : 0], input(call), kTile);
    if (!call.broken) {
        use.send(call, kTile, 8);
    }
}

void scalar_beyond_the_tensor(const Call& call)
{
    Buffer use;
    DataCopy(use.a, input(call), 2 * kTile);
    sync<HardEvent::MTE2_S>(use.pipe);
    (void)use.a.GetValue(call.broken ? 2 * kTile : 2 * kTile - 1);
}

void strided_beyond_the_buffer(const Call& call)
{
    Buffer use;
    const uint16_t blocks = call.broken ? 33 : 32;
    DataCopy(use.a, input(call), DataCopyParams(blocks, 1, 1, 1));
    use.send(call, 8);
}

} // namespace

std::vector<Bug> copy_bugs()
{
    return {
        {"a copy to UB that is not aligned", "alignment", 1, misaligned_ub, is_input_plus<kTile, 0>},
        {"a copy from UB that is not aligned", "alignment", 1, misaligned_ub_out, is_input_plus<8, 0>},
        {"a copy from GM off the element", "alignment", 1, misaligned_gm, is_input_plus<kTile, 0>},
        {"a copy that is rounded down", "copy-size", 1, rounded_down, is_input_plus<8, 0>},
        {"a block that ends within an element", "copy-size", 1, part_of_an_element, is_input_plus<8, 0>},
        {"more blocks than a copy has", "parameter", 1, too_many_blocks, is_input_plus<1, 0>},
        {"more than 32 bytes of padding", "parameter", 1, too_much_padding, zeros},
        {"padding of a 64-bit type that is not 0", "parameter", 1, padding_of_int64, is_input_plus<2, 0>},
        {"the filling of a block copied out", "uninitialised-read", 1, tail_of_a_block, is_input_plus<5, 0>},
        {"a copy beyond the tensor", "ub-bounds", 1, beyond_the_tensor, is_input_plus<kTile, 0>},
        {"a copy beyond the buffer", "ub-bounds", 1, beyond_the_buffer, is_input_plus<kTile, 0>},
        {"a copy before the tensor", "ub-bounds", 1, before_the_tensor, is_input_plus<kTile, 0>},
        {"a scalar read beyond the tensor", "ub-bounds", 1, scalar_beyond_the_tensor, nullptr},
        {"a copy of blocks beyond the buffer", "ub-bounds", 1, strided_beyond_the_buffer, is_input_plus<8, 0>},
    };
}

} // namespace planted
