// Comparisons, Select, Gather, CreateVecIndex and reductions.

#include "numerics.h"

#include <cmath>

using namespace AscendC;

namespace numerics {

namespace {

template <typename T> using Sources = std::vector<LocalTensor<T>>;

void comparisons(const ascendc_model::Options& options)
{
    std::vector<float> a(64);
    std::vector<float> b(64, 3.0f);
    for (uint32_t i = 0; i < 64; i++) {
        a[i] = static_cast<float>(i % 8);
    }
    a[63] = NAN;
    const auto bits = [&](CMPMODE mode) {
        return apply<uint8_t, float>(
            {a, b}, options,
            [mode](LocalTensor<uint8_t> d, const Sources<float>& in, uint32_t n) { Compare(d, in[0], in[1], mode, n); },
            8);
    };
    const auto same = [&](CMPMODE mode, uint8_t each, uint8_t last) {
        std::vector<uint8_t> expected(8, each);
        expected[7] = last;
        return bits(mode) == expected;
    };
    // The lowest bit is the first element.
    expect(same(CMPMODE::LT, 0x07, 0x07), "Compare LT");
    expect(same(CMPMODE::GT, 0xf0, 0x70), "Compare GT");
    expect(same(CMPMODE::EQ, 0x08, 0x08), "Compare EQ");
    expect(same(CMPMODE::LE, 0x0f, 0x0f), "Compare LE");
    expect(same(CMPMODE::GE, 0xf8, 0x78), "Compare GE");
    expect(same(CMPMODE::NE, 0xf7, 0xf7), "Compare NE, where NaN differs");
    std::vector<int32_t> c(64, 5);
    c[1] = 6;
    const auto integers = apply<uint8_t, int32_t>(
        {c}, options,
        [](LocalTensor<uint8_t> d, const Sources<int32_t>& in, uint32_t n) {
            CompareScalar(d, in[0], 5, CMPMODE::EQ, n);
        },
        8);
    expect_equal(integers[0], 0xfd, "CompareScalar of int32");
}

void selections(const ascendc_model::Options& options)
{
    std::vector<float> a(64, 1.0f);
    std::vector<float> b(64, 2.0f);
    a[5] = 7.0f;
    const auto chosen =
        apply<float, float>({a, b, a}, options, [](LocalTensor<float> d, const Sources<float>& in, uint32_t n) {
            const LocalTensor<uint8_t> mask = in[2].ReinterpretCast<uint8_t>();
            CompareScalar(mask, in[0], 7.0f, CMPMODE::EQ, n);
            PipeBarrier<PIPE_V>();
            Select(d, mask, in[0], in[1], SELMODE::VSEL_TENSOR_TENSOR_MODE, n);
        });
    const auto scalar =
        apply<float, float>({a, b, a}, options, [](LocalTensor<float> d, const Sources<float>& in, uint32_t n) {
            const LocalTensor<uint8_t> mask = in[2].ReinterpretCast<uint8_t>();
            CompareScalar(mask, in[0], 7.0f, CMPMODE::EQ, n);
            PipeBarrier<PIPE_V>();
            Select(d, mask, in[1], -1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, n);
        });
    for (uint32_t i = 0; i < 64; i++) {
        expect(chosen[i] == (i == 5 ? 7.0f : 2.0f), "Select of tensors, element " + std::to_string(i));
        expect(scalar[i] == (i == 5 ? 2.0f : -1.0f), "Select of a scalar, element " + std::to_string(i));
    }
}

void gathers(const ascendc_model::Options& options)
{
    std::vector<int16_t> source(200);
    std::vector<int16_t> offsets(2 * 200);
    for (uint32_t i = 0; i < 200; i++) {
        source[i] = static_cast<int16_t>(i);
        const uint32_t offset = 2 * (199 - i) - 2 * (i < 199 ? 1 : 0);
        std::memcpy(&offsets[2 * i], &offset, sizeof offset);
    }
    // Backwards, from the second element on: the base is 2 bytes.
    offsets[398] = offsets[399] = 0;
    const auto backwards = apply<int16_t, int16_t>(
        {source, offsets}, options, [](LocalTensor<int16_t> d, const Sources<int16_t>& in, uint32_t n) {
            Gather(d, in[0], in[1].ReinterpretCast<uint32_t>(), 2, n);
        });
    for (uint32_t i = 0; i < 199; i++) {
        expect_equal(backwards[i], 199 - i, "Gather, element " + std::to_string(i));
    }
    expect_equal(backwards[199], 1, "Gather, the last element");
}

void indices(const ascendc_model::Options& options)
{
    const auto up = apply<int32_t, int32_t>(
        {{0}}, options, [](LocalTensor<int32_t> d, const Sources<int32_t>&, uint32_t) { CreateVecIndex(d, -3, 100u); },
        100);
    for (int32_t i = 0; i < 100; i++) {
        expect_equal(up[static_cast<size_t>(i)], i - 3, "CreateVecIndex");
    }
}

void reductions(const ascendc_model::Options& options)
{
    std::vector<float> a(200);
    for (uint32_t i = 0; i < 200; i++) {
        a[i] = static_cast<float>(i * 37 % 199);
    }
    const auto sum = apply<float, float>(
        {a, a}, options,
        [](LocalTensor<float> d, const Sources<float>& in, uint32_t n) {
            ReduceSum(d, in[0], in[1], static_cast<int32_t>(n));
        },
        1);
    expect(sum[0] == 198 * 199 / 2, "ReduceSum of whole numbers");
    const auto max = apply<float, float>(
        {a, a}, options,
        [](LocalTensor<float> d, const Sources<float>& in, uint32_t n) {
            ReduceMax(d, in[0], in[1], static_cast<int32_t>(n), true);
        },
        2);
    expect(max[0] == 198 && to_bits(max[1]) == 43, "ReduceMax and its index: " + std::to_string(to_bits(max[1])));
    const auto min = apply<float, float>(
        {a, a}, options,
        [](LocalTensor<float> d, const Sources<float>& in, uint32_t n) {
            ReduceMin(d, in[0], in[1], static_cast<int32_t>(n));
        },
        1);
    expect(min[0] == 0, "ReduceMin");
}

} // namespace

void selection()
{
    for (const ascendc_model::Options& options : modes()) {
        comparisons(options);
        selections(options);
        gathers(options);
        indices(options);
        reductions(options);
    }
}

} // namespace numerics
