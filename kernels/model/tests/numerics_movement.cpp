// Copies: blocks, gaps, padding, and atomics.

#include "numerics.h"

using namespace AscendC;
using ascendc_model::Access;

namespace numerics {

namespace {

/// Runs one block on tensors of bytes and expects no report.
void run(const ascendc_model::Options& options, std::vector<uint8_t>& in, std::vector<uint8_t>& out,
    const std::function<void(TPipe&, GlobalTensor<uint8_t>, GlobalTensor<uint8_t>)>& body, uint32_t blocks = 1)
{
    ascendc_model::Launch launch;
    launch.options = options;
    launch.blocks = blocks;
    launch.tensors = {{"in", in.data(), in.size(), Access::Read}, {"out", out.data(), out.size(), Access::ReadWrite}};
    const auto outcome = ascendc_model::launch(launch, [&] {
        TPipe pipe;
        GlobalTensor<uint8_t> from;
        GlobalTensor<uint8_t> to;
        from.SetGlobalBuffer(in.data());
        to.SetGlobalBuffer(out.data());
        body(pipe, from, to);
    });
    expect(outcome.ok(), "a copy under test was reported:\n" + outcome.text());
}

std::vector<uint8_t> counting(size_t size)
{
    std::vector<uint8_t> bytes(size);
    for (size_t i = 0; i < size; i++) {
        bytes[i] = static_cast<uint8_t>(i);
    }
    return bytes;
}

/// Three blocks of 5 bytes, 2 apart in GM, each with padding, out again with a gap of 3.
void padded_blocks(const ascendc_model::Options& options)
{
    std::vector<uint8_t> in = counting(64);
    std::vector<uint8_t> out(64, 0xee);
    run(options, in, out, [](TPipe& pipe, GlobalTensor<uint8_t> from, GlobalTensor<uint8_t> to) {
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 5 * 32);
        const LocalTensor<uint8_t> ub = buffer.Get<uint8_t>();
        // One block of UB is left free between the blocks.
        DataCopyPad(ub, from[1], DataCopyExtParams(3, 5, 2, 1, 0), DataCopyPadExtParams<uint8_t>(true, 4, 2, 0x77));
        SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        DataCopyPad(to, ub, DataCopyExtParams(3, 11, 1, 3, 0));
    });
    for (uint32_t block = 0; block < 3; block++) {
        for (uint32_t i = 0; i < 14; i++) {
            const uint32_t expected = i < 4 ? 0x77 : i < 9 ? 1 + block * 7 + (i - 4) : i < 11 ? 0x77 : 0xee;
            const uint32_t at = block * 14 + i;
            expect_equal(out[at], expected, "DataCopyPad of blocks, byte " + std::to_string(at));
        }
    }
    expect_equal(out[42], 0xee, "DataCopyPad writes nothing behind its last block");
}

/// DataCopyParams: lengths and gaps in units of 32 bytes.
void whole_blocks(const ascendc_model::Options& options)
{
    std::vector<uint8_t> in = counting(256);
    std::vector<uint8_t> out(256, 0xee);
    run(options, in, out, [](TPipe& pipe, GlobalTensor<uint8_t> from, GlobalTensor<uint8_t> to) {
        TBuf<TPosition::VECCALC> first;
        TBuf<TPosition::VECCALC> second;
        pipe.InitBuffer(first, 96);
        pipe.InitBuffer(second, 64);
        const LocalTensor<uint8_t> a = first.Get<uint8_t>();
        const LocalTensor<uint8_t> b = second.Get<uint8_t>();
        DataCopy(a, from[32], DataCopyParams(2, 1, 2, 1));
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        DataCopy(b, a, DataCopyParams(2, 1, 1, 0));
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(to, b, DataCopyParams(2, 1, 0, 3));
    });
    for (uint32_t i = 0; i < 256; i++) {
        const uint32_t expected = i < 32 ? 32 + i : i >= 128 && i < 160 ? 128 + (i - 128) : 0xee;
        expect_equal(out[i], expected, "DataCopy of blocks, byte " + std::to_string(i));
    }
}

template <typename T> std::vector<T> add_from_blocks(const ascendc_model::Options& options, uint32_t blocks)
{
    std::vector<uint8_t> none;
    std::vector<uint8_t> out(32, 0);
    run(
        options, none, out,
        [](TPipe& pipe, GlobalTensor<uint8_t>, GlobalTensor<uint8_t> to) {
            TBuf<TPosition::VECCALC> buffer;
            pipe.InitBuffer(buffer, 32);
            const LocalTensor<T> ub = buffer.Get<T>();
            Duplicate(ub, static_cast<T>(GetBlockIdx() + 1), 8);
            SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
            WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
            GlobalTensor<T> sums;
            sums.SetGlobalBuffer(reinterpret_cast<T*>(const_cast<uint8_t*>(to.GetPhyAddr())));
            SetAtomicAdd<T>();
            DataCopy(sums, ub, 8);
            SetAtomicNone();
        },
        blocks);
    std::vector<T> sums(8);
    std::memcpy(sums.data(), out.data(), out.size());
    return sums;
}

void atomics(const ascendc_model::Options& options)
{
    expect(add_from_blocks<int32_t>(options, 48) == std::vector<int32_t>(8, 48 * 49 / 2), "atomic sums of int32");
    expect(add_from_blocks<float>(options, 48) == std::vector<float>(8, 48 * 49 / 2), "atomic sums of float");
}

/// Sums of floats depend on the order of the blocks, which is undefined: it must depend on the
/// seed, and on nothing else.
void order_of_atomics()
{
    bool differs = false;
    uint64_t first = 0;
    for (uint64_t seed = 0; seed < 16; seed++) {
        uint64_t sums[2];
        for (uint32_t i = 0; i < 2; i++) {
            ascendc_model::Options options;
            options.seed = seed;
            options.threads = 1 + i;
            std::vector<uint8_t> none;
            std::vector<uint8_t> out(32, 0);
            run(
                options, none, out,
                [](TPipe& pipe, GlobalTensor<uint8_t>, GlobalTensor<uint8_t> to) {
                    TBuf<TPosition::VECCALC> buffer;
                    pipe.InitBuffer(buffer, 32);
                    const LocalTensor<float> ub = buffer.Get<float>();
                    Duplicate(ub, GetBlockIdx() % 3 == 0 ? 1e8f : GetBlockIdx() % 3 == 1 ? -1e8f : 1.25f, 8);
                    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
                    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
                    GlobalTensor<float> gm;
                    gm.SetGlobalBuffer(reinterpret_cast<float*>(const_cast<uint8_t*>(to.GetPhyAddr())));
                    SetAtomicAdd<float>();
                    DataCopy(gm, ub, 8);
                    SetAtomicNone();
                },
                9);
            std::memcpy(&sums[i], out.data(), sizeof sums[i]);
        }
        expect(sums[0] == sums[1], "the order of atomics does not depend on the threads");
        first = seed == 0 ? sums[0] : first;
        differs = differs || sums[0] != first;
    }
    expect(differs, "the order of atomics follows the seed");
}

/// A block that reads what it added itself sees it.
void atomic_and_read_back(const ascendc_model::Options& options)
{
    std::vector<uint8_t> none;
    std::vector<uint8_t> out(64, 0);
    run(options, none, out, [](TPipe& pipe, GlobalTensor<uint8_t>, GlobalTensor<uint8_t> to) {
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 32);
        const LocalTensor<int32_t> ub = buffer.Get<int32_t>();
        GlobalTensor<int32_t> gm;
        gm.SetGlobalBuffer(reinterpret_cast<int32_t*>(const_cast<uint8_t*>(to.GetPhyAddr())));
        Duplicate(ub, 5, 8);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        SetAtomicAdd<int32_t>();
        DataCopy(gm, ub, 8);
        DataCopy(gm, ub, 8);
        SetAtomicNone();
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        DataCopy(ub, gm, 8);
        SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        DataCopy(gm[8], ub, 8);
    });
    int32_t seen[16];
    std::memcpy(seen, out.data(), sizeof seen);
    expect(seen[0] == 10 && seen[15] == 10, "a block sees its own atomics");
}

} // namespace

void movement()
{
    for (const ascendc_model::Options& options : modes()) {
        padded_blocks(options);
        whole_blocks(options);
        atomics(options);
        atomic_and_read_back(options);
    }
    order_of_atomics();
}

} // namespace numerics
