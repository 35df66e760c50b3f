// Repeats over one destination where they are not allowed, shifts by too much, products of bytes
// that were never written.

#include "planted.h"

using namespace AscendC;

namespace planted {

namespace {

/// 4 rows of ones, and a row that accumulates them.
struct Rows {
    TPipe pipe;
    TBuf<TPosition::VECCALC> memory[2];
    LocalTensor<float> rows;
    LocalTensor<float> sum;
    uint64_t lanes = 64;

    Rows()
    {
        pipe.InitBuffer(memory[0], 1024);
        pipe.InitBuffer(memory[1], 1024);
        rows = memory[0].Get<float>();
        sum = memory[1].Get<float>();
        Duplicate(rows, 1.0f, 256);
        Duplicate(sum, 0.0f, 64);
        PipeBarrier<PIPE_V>();
    }

    void send(const Call& call)
    {
        sync<HardEvent::V_MTE3>(pipe);
        DataCopyPad(output(call), sum, DataCopyExtParams(1, 64 * sizeof(float), 0, 0, 0));
    }
};

const BinaryRepeatParams& over_one_row()
{
    static const BinaryRepeatParams strides(1, 1, 1, 0, 8, 0);
    return strides;
}

void first_source_taken_up(const Call& call)
{
    Rows use;
    if (call.broken) {
        Add(use.sum, use.sum, use.rows, use.lanes, 4, BinaryRepeatParams(1, 1, 1, 0, 0, 8));
    } else {
        Add(use.sum, use.rows, use.sum, use.lanes, 4, over_one_row());
    }
    use.send(call);
}

void wrong_instruction(const Call& call)
{
    Rows use;
    if (call.broken) {
        Div(use.sum, use.rows, use.sum, use.lanes, 4, over_one_row());
    } else {
        Max(use.sum, use.rows, use.sum, use.lanes, 4, over_one_row());
        use.send(call);
    }
}

void wrong_type(const Call& call)
{
    Rows use;
    if (call.broken) {
        const auto sum = use.sum.ReinterpretCast<int16_t>();
        Add(sum, use.rows.ReinterpretCast<int16_t>(), sum, use.lanes, 4, over_one_row());
    } else {
        const auto sum = use.sum.ReinterpretCast<int32_t>();
        Add(sum, use.rows.ReinterpretCast<int32_t>(), sum, use.lanes, 1, over_one_row());
        use.send(call);
    }
}

/// Both have a stride, so that a repeat reads what the one before wrote.
void running_sum(const Call& call)
{
    Rows use;
    Add(use.rows[64], use.rows[64], use.rows, use.lanes, call.broken ? 2 : 1, BinaryRepeatParams());
}

void rows_that_are_written(const Call& call)
{
    Rows use;
    Add(call.broken ? use.rows[128] : use.sum, use.rows, call.broken ? use.rows[128] : use.sum, use.lanes, 4,
        over_one_row());
    use.send(call);
}

void shift_by_too_much(const Call& call)
{
    Rows use;
    ShiftRight(use.rows.ReinterpretCast<uint32_t>(), use.rows.ReinterpretCast<uint32_t>(), call.broken ? 33u : 32u, 64);
    PipeBarrier<PIPE_V>();
    Adds(use.sum, use.rows, 4.0f, 64);
    use.send(call);
}

void shift_by_a_negative(const Call& call)
{
    Rows use;
    const auto rows = use.rows.ReinterpretCast<int16_t>();
    ShiftLeft(rows, rows, int16_t(call.broken ? -1 : 0), 64);
}

void product_onto_nothing(const Call& call)
{
    Rows use;
    Axpy(use.sum[call.broken ? 64 : 0], use.rows, 4.0f, 64);
    use.send(call);
}

void product_in_place_of_another_width(const Call& call)
{
    Rows use;
    const LocalTensor<half> halves = call.broken ? use.sum.ReinterpretCast<half>() : use.rows.ReinterpretCast<half>();
    Axpy(use.sum, halves, half(1.0f), 64);
}

} // namespace

std::vector<Bug> accumulation_bugs()
{
    return {
        {"repeats that take up their first source", "overlap", 1, first_source_taken_up, is_all<64, 4>},
        {"a Div over one row", "overlap", 1, wrong_instruction, is_all<64, 1>},
        {"an Add of int16 over one row", "overlap", 1, wrong_type, is_all<64, 1>},
        {"a running sum in one instruction", "overlap", 1, running_sum, nullptr},
        {"rows that are added to one of themselves", "overlap", 1, rows_that_are_written, is_all<64, 4>},
        {"a shift by more bits than there are", "parameter", 1, shift_by_too_much, is_all<64, 4>},
        {"a shift by a negative number", "parameter", 1, shift_by_a_negative, nullptr},
        {"an Axpy onto what nothing wrote", "uninitialised-read", 1, product_onto_nothing, is_all<64, 4>},
        {"an Axpy of half in place", "overlap", 1, product_in_place_of_another_width, nullptr},
    };
}

} // namespace planted
