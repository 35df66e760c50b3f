// Brcb and Gatherb: whole blocks of 32 bytes.

#include "numerics.h"

using namespace AscendC;

namespace numerics {

namespace {

template <typename T> using Sources = std::vector<LocalTensor<T>>;

void broadcasts(const ascendc_model::Options& options)
{
    std::vector<float> source(16);
    for (uint32_t i = 0; i < 16; i++) {
        source[i] = static_cast<float>(i);
    }
    const auto close = apply<float, float>(
        {source}, options, [](LocalTensor<float> d, const Sources<float>& in, uint32_t) { Brcb(d, in[0], 2, {1, 8}); },
        128);
    for (uint32_t i = 0; i < 128; i++) {
        expect(close[i] == static_cast<float>(i / 8), "Brcb of float, element " + std::to_string(i));
    }
    const auto apart = apply<int16_t, int16_t>(
        {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}}, options,
        [](LocalTensor<int16_t> d, const Sources<int16_t>& in, uint32_t) {
            Duplicate(d, int16_t(-1), 512);
            PipeBarrier<PIPE_V>();
            // The two repeats write alternate blocks.
            Brcb(d, in[0], 2, {2, 1});
        },
        512);
    for (uint32_t i = 0; i < 512; i++) {
        const uint32_t block = i / 16;
        const int64_t expected = block < 16 ? int64_t{block} / 2 + 8 * (block % 2) : -1;
        expect_equal(apart[i], expected, "Brcb with strides, element " + std::to_string(i));
    }
}

void gathered_blocks(const ascendc_model::Options& options)
{
    std::vector<uint32_t> source(128);
    std::vector<uint32_t> offsets(16);
    for (uint32_t i = 0; i < 128; i++) {
        source[i] = i;
    }
    for (uint32_t i = 0; i < 16; i++) {
        offsets[i] = 32 * (i * 5 % 16);
    }
    const auto blocks = apply<uint32_t, uint32_t>(
        {source, offsets}, options, [](LocalTensor<uint32_t> d, const Sources<uint32_t>& in, uint32_t) {
            // A stride of 0 between blocks is 1; the second repeat comes first.
            Gatherb(d[64], in[0], in[1], 1, {0, 8});
            Gatherb(d, in[0], in[1][8], 1, {1, 8});
        });
    for (uint32_t i = 0; i < 128; i++) {
        const uint32_t block = (i / 8 + 8) % 16;
        expect_equal(blocks[i], offsets[block] / 4 + i % 8, "Gatherb, element " + std::to_string(i));
    }
    std::vector<uint16_t> halves(256);
    std::vector<uint16_t> places(32);
    for (uint32_t i = 0; i < 256; i++) {
        halves[i] = static_cast<uint16_t>(i);
    }
    for (uint32_t i = 0; i < 16; i++) {
        places[2 * i] = static_cast<uint16_t>(32 * (15 - i));
    }
    const auto narrow = apply<uint16_t, uint16_t>(
        {halves, places}, options, [](LocalTensor<uint16_t> d, const Sources<uint16_t>& in, uint32_t) {
            Gatherb(d, in[0], in[1].ReinterpretCast<uint32_t>(), 2, GatherRepeatParams());
        });
    for (uint32_t i = 0; i < 256; i++) {
        expect_equal(narrow[i], 16 * (15 - i / 16) + i % 16, "Gatherb of 16 bits, element " + std::to_string(i));
    }
}

} // namespace

void blocks()
{
    for (const ascendc_model::Options& options : modes()) {
        broadcasts(options);
        gathered_blocks(options);
    }
}

} // namespace numerics
