// TransDataTo5HD with wrong places, strides or order.

#include "planted.h"

using namespace AscendC;

namespace planted {

namespace {

constexpr uint32_t kBlocks = NCHW_CONV_ADDR_LIST_SIZE;
/// The columns of a block.
constexpr uint32_t kColumns = 8;
constexpr uint32_t kTile = kBlocks * kColumns;

/// 16 rows of 8 numbers, room for two transposed matrices, and where the blocks of each side are.
struct Matrix {
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory[2];
    LocalTensor<float> from;
    LocalTensor<float> to;
    uint64_t from_places[kBlocks];
    uint64_t to_places[kBlocks];

    explicit Matrix(const Call& call)
    {
        pipe.InitBuffer(memory[0], 2 * kTile * sizeof(float));
        pipe.InitBuffer(memory[1], 2 * kTile * sizeof(float));
        from = memory[0].Get<float>();
        to = memory[1].Get<float>();
        for (uint32_t i = 0; i < kBlocks; i++) {
            from_places[i] = from[i * kColumns].GetPhyAddr();
            to_places[i] = to[i * kColumns].GetPhyAddr();
        }
        DataCopy(from, input(call), kTile);
        sync<HardEvent::MTE2_V>(pipe);
    }

    void transpose(const TransDataTo5HDParams& params = TransDataTo5HDParams())
    {
        TransDataTo5HD<float>(to_places, from_places, params);
    }

    void send(const Call& call)
    {
        sync<HardEvent::V_MTE3>(pipe);
        DataCopy(output(call), to, kTile);
    }
};

bool is_transposed(const float* out)
{
    for (uint32_t i = 0; i < kTile; i++) {
        if (out[i] != static_cast<float>(i % kBlocks * kColumns + i / kBlocks)) {
            return false;
        }
    }
    return true;
}

void stride_of_one_repeat(const Call& call)
{
    Matrix use(call);
    use.transpose(TransDataTo5HDParams(false, false, 1, call.broken ? 16 : 0, 0));
    if (!call.broken) {
        use.send(call);
    }
}

void misaligned_block(const Call& call)
{
    Matrix use(call);
    use.from_places[3] += call.broken ? 16 : 0;
    use.transpose();
    if (!call.broken) {
        use.send(call);
    }
}

void place_of_no_buffer(const Call& call)
{
    Matrix use(call);
    use.to_places[15] = call.broken ? 1 << 20 : use.to_places[15];
    use.transpose();
    if (!call.broken) {
        use.send(call);
    }
}

void repeats_beyond_the_buffer(const Call& call)
{
    Matrix use(call);
    DataCopy(use.from[kTile], input(call), kTile);
    sync<HardEvent::MTE2_V>(use.pipe);
    use.transpose(TransDataTo5HDParams(false, false, 2, call.broken ? 17 : 16, 16));
    if (!call.broken) {
        use.send(call);
    }
}

void block_written_twice(const Call& call)
{
    Matrix use(call);
    use.to_places[1] = use.to_places[call.broken ? 0 : 1];
    use.transpose();
    if (!call.broken) {
        use.send(call);
    }
}

void in_place(const Call& call)
{
    Matrix use(call);
    TransDataTo5HD<float>(call.broken ? use.from_places : use.to_places, use.from_places, TransDataTo5HDParams());
    if (!call.broken) {
        use.send(call);
    }
}

void source_never_written(const Call& call)
{
    Matrix use(call);
    use.from_places[7] += call.broken ? kTile * sizeof(float) : 0;
    use.transpose();
    if (!call.broken) {
        use.send(call);
    }
}

void places_never_written(const Call& call)
{
    Matrix use(call);
    TBuf<TPosition::VECCALC> memory;
    use.pipe.InitBuffer(memory, 2 * kBlocks * sizeof(uint64_t));
    const LocalTensor<uint64_t> places = memory.Get<uint64_t>();
    for (uint32_t i = 0; i < kBlocks; i++) {
        if (!call.broken || i != 0) {
            places.SetValue(i, use.to_places[i]);
        }
        places.SetValue(kBlocks + i, use.from_places[i]);
    }
    TransDataTo5HD<float>(places, places[kBlocks], TransDataTo5HDParams());
    if (!call.broken) {
        use.send(call);
    }
}

void source_without_a_barrier(const Call& call)
{
    Matrix use(call);
    Adds(use.from, use.from, 0.0f, kTile);
    if (!call.broken) {
        PipeBarrier<PIPE_V>();
    }
    use.transpose();
    use.send(call);
}

void sending_without_a_flag(const Call& call)
{
    Matrix use(call);
    use.transpose();
    if (!call.broken) {
        sync<HardEvent::V_MTE3>(use.pipe);
    }
    DataCopy(output(call), use.to, kTile);
}

} // namespace

std::vector<Bug> transposition_bugs()
{
    return {
        {"a stride where TransDataTo5HD has one repeat", "parameter", 1, stride_of_one_repeat, is_transposed},
        {"a block of TransDataTo5HD that is not aligned", "alignment", 1, misaligned_block, is_transposed},
        {"a block of TransDataTo5HD in no buffer", "use-after-free", 1, place_of_no_buffer, is_transposed},
        {"repeats of TransDataTo5HD beyond the buffer", "ub-bounds", 1, repeats_beyond_the_buffer, is_transposed},
        {"a block that TransDataTo5HD writes twice", "overlap", 1, block_written_twice, is_transposed},
        {"a TransDataTo5HD in place", "overlap", 1, in_place, is_transposed},
        {"a TransDataTo5HD of what nothing wrote", "uninitialised-read", 1, source_never_written, is_transposed},
        {"places of TransDataTo5HD that nothing wrote", "uninitialised-read", 1, places_never_written, is_transposed},
        {"a TransDataTo5HD without a barrier", "missing-barrier", 1, source_without_a_barrier, is_transposed},
        {"no flag after a TransDataTo5HD", "missing-flag", 1, sending_without_a_flag, is_transposed},
    };
}

} // namespace planted
