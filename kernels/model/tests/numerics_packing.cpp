// GatherMask: which elements are chosen, and that they are adjacent across all repeats.

#include "numerics.h"

using namespace AscendC;

namespace numerics {

namespace {

template <typename T> using Sources = std::vector<LocalTensor<T>>;

void patterns(const ascendc_model::Options& options)
{
    const std::vector<float> source = counting<float>(128);
    const uint32_t first[] = {0, 0, 1, 0, 1, 2, 3, 0};
    const uint32_t step[] = {0, 2, 2, 4, 4, 4, 4, 1};
    for (uint8_t pattern = 1; pattern <= 7; pattern++) {
        const std::string what = "GatherMask by pattern " + std::to_string(pattern);
        const uint32_t count = 128 / step[pattern];
        const auto packed = apply<float, float>(
            {source}, options,
            [&](LocalTensor<float> d, const Sources<float>& in, uint32_t) {
                uint64_t kept = 0;
                GatherMask(d, in[0], pattern, false, 0, {1, 2, 8, 0}, kept);
                expect_equal(static_cast<int64_t>(kept), count, what + ", count");
            },
            count);
        for (uint32_t i = 0; i < count; i++) {
            expect_equal(static_cast<int64_t>(packed[i]), first[pattern] + i * step[pattern], what);
        }
    }
}

/// In counter mode a repeat may be longer or shorter than 256 bytes, and the pattern restarts in
/// each.
void patterns_in_counter_mode(const ascendc_model::Options& options)
{
    const auto packed = apply<int16_t, int16_t>(
        {counting<int16_t>(512)}, options,
        [](LocalTensor<int16_t> d, const Sources<int16_t>& in, uint32_t) {
            uint64_t kept = 0;
            // Elements 0 to 148 and 256 to 404: 75 even places in each.
            GatherMask(d, in[0], uint8_t(1), true, 149, {1, 2, 16, 0}, kept);
            expect_equal(static_cast<int64_t>(kept), 150, "GatherMask of 149 elements twice, count");
        },
        150);
    for (uint32_t i = 0; i < 150; i++) {
        expect_equal(packed[i], i < 75 ? 2 * i : 256 + 2 * (i - 75), "GatherMask of 149 elements twice");
    }
}

/// The bits of a comparison, which follow each other without gaps, in one repeat of counter mode.
void bits_of_a_comparison(const ascendc_model::Options& options)
{
    std::vector<float> source(192);
    for (uint32_t i = 0; i < 192; i++) {
        source[i] = static_cast<float>(i * 37 % 101);
    }
    std::vector<float> expected;
    for (uint32_t i = 0; i < 150; i++) {
        if (source[i] < 50.0f) {
            expected.push_back(source[i]);
        }
    }
    const auto packed = apply<float, float>(
        {source, source}, options,
        [&](LocalTensor<float> d, const Sources<float>& in, uint32_t n) {
            const LocalTensor<uint8_t> bits = in[1].ReinterpretCast<uint8_t>();
            CompareScalar(bits, in[0], 50.0f, CMPMODE::LT, n);
            PipeBarrier<PIPE_V>();
            uint64_t kept = 0;
            GatherMask(d, in[0], bits.ReinterpretCast<uint32_t>(), true, 150, {1, 1, 8, 0}, kept);
            expect_equal(static_cast<int64_t>(kept), static_cast<int64_t>(expected.size()), "kept by comparison");
        },
        expected.size());
    expect(packed == expected, "GatherMask by the bits of a comparison");
}

/// Blocks and repeats of the source with gaps, repeats of the bits 32 bytes apart, elements of 2
/// bytes.
void strides(const ascendc_model::Options& options)
{
    std::vector<uint16_t> bits(48);
    for (uint32_t i = 0; i < 8; i++) {
        bits[i] = 0x8001;
        bits[16 + i] = 0x0010;
    }
    const auto packed = apply<uint16_t, uint16_t>(
        {counting<uint16_t>(1024), bits}, options,
        [](LocalTensor<uint16_t> d, const Sources<uint16_t>& in, uint32_t) {
            uint64_t kept = 0;
            GatherMask(d, in[0], in[1], false, 0, {2, 2, 20, 1}, kept);
            expect_equal(static_cast<int64_t>(kept), 24, "GatherMask with strides, count");
        },
        24);
    for (uint32_t block = 0; block < 8; block++) {
        // Every other block of 16 elements; the second repeat begins 20 blocks after the first.
        expect_equal(packed[2 * block], 32 * block, "GatherMask with strides, bit 0");
        expect_equal(packed[2 * block + 1], 32 * block + 15, "GatherMask with strides, bit 15");
        expect_equal(packed[16 + block], 20 * 16 + 32 * block + 4, "GatherMask with strides, the second repeat");
    }
}

void in_place(const ascendc_model::Options& options)
{
    const auto packed = apply<int32_t, int32_t>(
        {counting<int32_t>(256)}, options,
        [](LocalTensor<int32_t> d, const Sources<int32_t>& in, uint32_t) {
            uint64_t kept = 0;
            GatherMask(in[0], in[0], uint8_t(2), false, 0, {1, 4, 8, 0}, kept);
            PipeBarrier<PIPE_V>();
            Adds(d, in[0], 0, static_cast<int32_t>(kept));
        },
        128);
    for (int32_t i = 0; i < 128; i++) {
        expect_equal(packed[static_cast<size_t>(i)], 2 * i + 1, "GatherMask in place");
    }
}

/// After a GatherMask the mask is in normal mode, whatever it was in before, so that masks of lanes
/// may be set.
void mode_after_packing(const ascendc_model::Options& options)
{
    const auto packed = apply<float, float>(
        {counting<float>(64)}, options, [](LocalTensor<float> d, const Sources<float>& in, uint32_t) {
            SetMaskCount();
            uint64_t kept = 0;
            GatherMask(d, in[0], uint8_t(7), true, 64, {1, 1, 8, 0}, kept);
            PipeBarrier<PIPE_V>();
            uint64_t lanes = 64;
            Adds(d, d, 1.0f, lanes, 1, UnaryRepeatParams());
        });
    expect(packed[63] == 64.0f, "a mask of lanes after a GatherMask");
}

/// Elements that are not chosen need not have been written.
void only_what_is_chosen_is_read(const ascendc_model::Options& options)
{
    const auto packed = apply<float, float>(
        {counting<float>(64), counting<float>(64)}, options,
        [](LocalTensor<float> d, const Sources<float>& in, uint32_t) {
            TBuf<TPosition::VECCALC> memory;
            GetTPipePtr()->InitBuffer(memory, 256);
            const LocalTensor<float> fresh = memory.Get<float>();
            uint64_t lanes[2] = {0x5555555555555555, 0};
            Adds(fresh, in[0], 0.0f, lanes, 1, UnaryRepeatParams());
            PipeBarrier<PIPE_V>();
            uint64_t kept = 0;
            GatherMask(d, fresh, uint8_t(1), false, 0, {1, 1, 8, 0}, kept);
        },
        32);
    for (uint32_t i = 0; i < 32; i++) {
        expect_equal(static_cast<int64_t>(packed[i]), 2 * i, "GatherMask of what is written in part");
    }
}

} // namespace

void packing()
{
    for (const ascendc_model::Options& options : modes()) {
        patterns(options);
        patterns_in_counter_mode(options);
        bits_of_a_comparison(options);
        strides(options);
        in_place(options);
        mode_after_packing(options);
        only_what_is_chosen_is_read(options);
    }
}

} // namespace numerics
