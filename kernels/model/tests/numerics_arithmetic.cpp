// Arithmetic: integers wrap, half is rounded once, and where results are not documented the seed
// decides.

#include "numerics.h"

#include <cmath>
#include <limits>

using namespace AscendC;

namespace numerics {

namespace {

template <typename T> using Sources = std::vector<LocalTensor<T>>;

/// One element of a binary instruction.
template <typename T, typename Instruction>
T one(T a, T b, const ascendc_model::Options& options, Instruction instruction)
{
    const auto results =
        apply<T, T>({{a}, {b}}, options, [&](LocalTensor<T> dst, const Sources<T>& in, uint32_t count) {
            instruction(dst, in[0], in[1], static_cast<int32_t>(count));
        });
    return results[0];
}

void integers_wrap(const ascendc_model::Options& options)
{
    constexpr int32_t big = std::numeric_limits<int32_t>::max();
    constexpr int16_t high = std::numeric_limits<int16_t>::max();
    const auto add = [](auto d, auto a, auto b, int32_t n) { Add(d, a, b, n); };
    const auto sub = [](auto d, auto a, auto b, int32_t n) { Sub(d, a, b, n); };
    const auto mul = [](auto d, auto a, auto b, int32_t n) { Mul(d, a, b, n); };
    expect_equal(one<int32_t>(big, 1, options, add), std::numeric_limits<int32_t>::min(), "Add of int32 wraps");
    expect_equal(one<int32_t>(-big, 3, options, sub), big - 1, "Sub of int32 wraps");
    expect_equal(one<int32_t>(65537, 65537, options, mul), 131073, "Mul of int32 wraps");
    expect_equal(one<int16_t>(high, 1, options, add), std::numeric_limits<int16_t>::min(), "Add of int16 wraps");
    expect_equal(one<int16_t>(-32768, -32768, options, mul), 0, "Mul of int16 wraps");
    expect_equal(
        one<int16_t>(-3, 2, options, [](auto d, auto a, auto b, int32_t n) { Max(d, a, b, n); }), 2, "Max of int16");
    expect_equal(
        one<int32_t>(-3, 2, options, [](auto d, auto a, auto b, int32_t n) { Min(d, a, b, n); }), -3, "Min of int32");
}

void half_rounds_once(const ascendc_model::Options& options)
{
    std::vector<half> a;
    std::vector<half> b;
    uint32_t state = 1;
    for (uint32_t i = 0; i < 4096; i++) {
        state = state * 1664525 + 1013904223;
        const auto x = static_cast<uint16_t>(state >> 16);
        state = state * 1664525 + 1013904223;
        const auto y = static_cast<uint16_t>(state >> 16);
        a.push_back(from_bits<half>(x));
        b.push_back(from_bits<half>(y));
    }
    const auto sums = apply<half, half>({a, b}, options, [](LocalTensor<half> d, const Sources<half>& in, uint32_t n) {
        Add(d, in[0], in[1], static_cast<int32_t>(n));
    });
    const auto products =
        apply<half, half>({a, b}, options, [](LocalTensor<half> d, const Sources<half>& in, uint32_t n) {
            Mul(d, in[0], in[1], static_cast<int32_t>(n));
        });
    for (size_t i = 0; i < a.size(); i++) {
        // Exact in double, then the nearest half: no other half is nearer, and a tie has an even
        // last bit.
        for (const auto& [exact, got] : {std::pair{double(float(a[i])) + float(b[i]), sums[i]},
                 std::pair{double(float(a[i])) * float(b[i]), products[i]}}) {
            if (std::isnan(exact)) {
                expect(std::isnan(float(got)), "NaN stays NaN in half");
            } else if (std::fabs(exact) >= 65520) {
                expect(std::isinf(float(got)), "half overflows to infinity");
            } else {
                const double below = float(from_bits<half>(got.bits - ((got.bits & 0x7fff) != 0 ? 1u : 0u)));
                const double above = float(from_bits<half>(got.bits + 1u));
                const double error = std::fabs(exact - float(got));
                const double rival = std::isinf(above)
                    ? 65536 - std::fabs(exact)
                    : std::min(std::fabs(exact - below) + (below == float(got) ? 1 : 0), std::fabs(exact - above));
                expect(
                    error < rival || (error == rival && (got.bits & 1) == 0), "half is rounded to nearest even, once");
            }
        }
    }
}

void shifts_and_bits(const ascendc_model::Options& options)
{
    const auto shifted = apply<int32_t, int32_t>(
        {{-8, 9, 1}}, options, [](LocalTensor<int32_t> d, const Sources<int32_t>& in, uint32_t n) {
            ShiftRight(d, in[0], 1, static_cast<int32_t>(n));
        });
    expect(shifted == std::vector<int32_t>({-4, 4, 0}), "ShiftRight of int32 keeps the sign");
    const auto logical = apply<uint32_t, uint32_t>(
        {{0x80000000u, 3u}}, options, [](LocalTensor<uint32_t> d, const Sources<uint32_t>& in, uint32_t n) {
            ShiftRight(d, in[0], 31u, static_cast<int32_t>(n));
        });
    expect(logical == std::vector<uint32_t>({1, 0}), "ShiftRight of uint32 brings in zeroes");
    const auto left = apply<uint16_t, uint16_t>(
        {{0xaaaa, 1}}, options, [](LocalTensor<uint16_t> d, const Sources<uint16_t>& in, uint32_t n) {
            ShiftLeft(d, in[0], uint16_t(1), static_cast<int32_t>(n));
        });
    expect(left == std::vector<uint16_t>({0x5554, 2}), "ShiftLeft of uint16");
    const auto signed_left = apply<int16_t, int16_t>(
        {{int16_t(0xaaaa), 0x4001}}, options, [](LocalTensor<int16_t> d, const Sources<int16_t>& in, uint32_t n) {
            ShiftLeft(d, in[0], int16_t(3), static_cast<int32_t>(n));
        });
    expect(signed_left == std::vector<int16_t>({int16_t(0xd550), 8}), "ShiftLeft of int16 keeps the sign");
    const auto all_bits =
        apply<int32_t, int32_t>({{-5, 7}}, options, [](LocalTensor<int32_t> d, const Sources<int32_t>& in, uint32_t n) {
            ShiftLeft(d, in[0], 32, static_cast<int32_t>(n));
        });
    expect(all_bits == std::vector<int32_t>({std::numeric_limits<int32_t>::min(), 0}), "ShiftLeft by 32 bits");
    const auto both = apply<uint16_t, uint16_t>({{0xff00, 0x0ff0}, {0x0f0f, 0x0f0f}}, options,
        [](LocalTensor<uint16_t> d, const Sources<uint16_t>& in, uint32_t n) {
            And(d, in[0], in[1], static_cast<int32_t>(n));
        });
    expect(both == std::vector<uint16_t>({0x0f00, 0x0f00}), "And of uint16");
    const auto inverted = apply<int16_t, int16_t>({{0, 5}}, options,
        [](LocalTensor<int16_t> d, const Sources<int16_t>& in, uint32_t n) { Not(d, in[0], static_cast<int32_t>(n)); });
    expect(inverted == std::vector<int16_t>({-1, -6}), "Not of int16");
    const auto absolute = apply<float, float>({{-0.0f, -2.5f}}, options,
        [](LocalTensor<float> d, const Sources<float>& in, uint32_t n) { Abs(d, in[0], static_cast<int32_t>(n)); });
    expect(to_bits(absolute[0]) == 0 && absolute[1] == 2.5f, "Abs of float");
}

void floats_keep_subnormals(const ascendc_model::Options& options)
{
    const float tiny = std::numeric_limits<float>::denorm_min();
    expect(one<float>(tiny, tiny, options, [](auto d, auto a, auto b, int32_t n) { Add(d, a, b, n); }) == 2 * tiny,
        "Add of float keeps subnormals");
    expect(one<float>(1.0f, 3.0f, options, [](auto d, auto a, auto b, int32_t n) { Div(d, a, b, n); }) == 1.0f / 3.0f,
        "Div of float is correctly rounded");
}

/// Where the hardware's result is not documented, two are possible: both must occur among the
/// seeds.
void undocumented_follows_the_seed()
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    bool nan_won = false;
    bool number_won = false;
    bool negative = false;
    bool positive = false;
    for (uint64_t seed = 0; seed < 32; seed++) {
        ascendc_model::Options options;
        options.seed = seed;
        const auto max = [](auto d, auto a, auto b, int32_t n) { Max(d, a, b, n); };
        (std::isnan(one<float>(nan, 1.0f, options, max)) ? nan_won : number_won) = true;
        (std::signbit(one<float>(0.0f, -0.0f, options, max)) ? negative : positive) = true;
    }
    expect(nan_won && number_won, "Max of a NaN follows the seed");
    expect(negative && positive, "Max of zeroes of both signs follows the seed");
}

/// Masks and strides: only the enabled lanes change, where the strides say.
void masks_and_strides(const ascendc_model::Options& options)
{
    std::vector<float> ones(256, 1.0f);
    const auto masked = apply<float, float>(
        {ones}, options,
        [](LocalTensor<float> d, const Sources<float>& in, uint32_t) {
            Duplicate(d, 0.0f, 256);
            PipeBarrier<PIPE_V>();
            uint64_t mask[2] = {0x5, 0};
            // Repeats of d are 16 blocks apart, its blocks 2; the source repeats its first 256
            // bytes.
            Adds(d, in[0], 1.0f, mask, 2, UnaryRepeatParams(2, 1, 16, 0));
        },
        256);
    for (uint32_t i = 0; i < 256; i++) {
        const bool enabled = i % 128 == 0 || i % 128 == 2;
        expect(masked[i] == (enabled ? 2.0f : 0.0f), "Adds by mask and strides, element " + std::to_string(i));
    }
    const auto lanes = apply<float, float>(
        {ones}, options,
        [](LocalTensor<float> d, const Sources<float>& in, uint32_t) {
            Duplicate(d, 0.0f, 256);
            PipeBarrier<PIPE_V>();
            uint64_t first = 10;
            Add(d, in[0], in[0], first, 2, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
        },
        256);
    for (uint32_t i = 0; i < 256; i++) {
        expect(lanes[i] == (i < 128 && i % 64 < 10 ? 2.0f : 0.0f), "Add by lanes, element " + std::to_string(i));
    }
    const auto counted = apply<float, float>(
        {ones}, options,
        [](LocalTensor<float> d, const Sources<float>& in, uint32_t) {
            Duplicate(d, 0.0f, 256);
            PipeBarrier<PIPE_V>();
            SetMaskCount();
            SetVectorMask<float, MaskMode::COUNTER>(100);
            Adds<float, false>(d, in[0], 1.0f, MASK_PLACEHOLDER, 1, UnaryRepeatParams(1, 1, 8, 8));
            SetMaskNorm();
            ResetMask();
        },
        256);
    for (uint32_t i = 0; i < 256; i++) {
        expect(counted[i] == (i < 100 ? 2.0f : 0.0f), "Adds in counter mode, element " + std::to_string(i));
    }
}

/// An instruction by count leaves a full mask behind, whatever the mask was.
void mask_after_a_count(const ascendc_model::Options& options)
{
    const auto results = apply<float, float>(
        {std::vector<float>(64, 1.0f)}, options, [](LocalTensor<float> d, const Sources<float>& in, uint32_t) {
            SetVectorMask<float>(3);
            Duplicate(d, 0.0f, 64);
            PipeBarrier<PIPE_V>();
            Adds<float, false>(d, in[0], 1.0f, MASK_PLACEHOLDER, 1, UnaryRepeatParams(1, 1, 8, 8));
        });
    expect(results == std::vector<float>(64, 2.0f), "the mask after an instruction by count");
}

} // namespace

void arithmetic()
{
    for (const ascendc_model::Options& options : modes()) {
        integers_wrap(options);
        half_rounds_once(options);
        shifts_and_bits(options);
        floats_keep_subnormals(options);
        masks_and_strides(options);
        mask_after_a_count(options);
    }
    undocumented_follows_the_seed();
}

} // namespace numerics
