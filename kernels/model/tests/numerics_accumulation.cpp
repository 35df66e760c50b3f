// Instructions that add to their destination: repeats over one destination, Axpy and MulAddDst.

#include "numerics.h"

#include <algorithm>
#include <cmath>

using namespace AscendC;

namespace numerics {

namespace {

template <typename T> using Sources = std::vector<LocalTensor<T>>;

constexpr uint32_t kRows = 9;
/// The stride of rows in elements: 10 blocks, of which 8 are used.
constexpr uint32_t kStep = 80;

/// One instruction that accumulates rows into 64 elements, in order, compared with the same by
/// hand.
template <typename T, typename Instruction, typename Function>
void expect_rows(
    const std::string& what, const ascendc_model::Options& options, Instruction instruction, Function function)
{
    std::vector<T> rows(kRows * kStep);
    std::vector<T> expected(64);
    for (uint32_t i = 0; i < rows.size(); i++) {
        // Floats of very different sizes: their sum depends on the order.
        rows[i] = static_cast<T>(std::ldexp(static_cast<float>(i % 37) - 17.5f, static_cast<int>(i * 7 % 23)));
    }
    for (uint32_t i = 0; i < 64; i++) {
        expected[i] = static_cast<T>(i);
        for (uint32_t row = 0; row < kRows; row++) {
            expected[i] = function(rows[row * kStep + i], expected[i]);
        }
    }
    std::vector<T> start(64);
    for (uint32_t i = 0; i < 64; i++) {
        start[i] = static_cast<T>(i);
    }
    const auto results = apply<T, T>(
        {rows, start}, options,
        [&](LocalTensor<T> d, const Sources<T>& in, uint32_t) {
            Adds(d, in[1], T(0), 64);
            PipeBarrier<PIPE_V>();
            uint64_t lanes = 64;
            instruction(d, in[0], d, lanes, kRows, BinaryRepeatParams(1, 1, 1, 0, kStep * sizeof(T) / 32, 0));
        },
        64);
    expect(results == expected, what + " of rows, in order");
}

void rows(const ascendc_model::Options& options)
{
    expect_rows<float>(
        "Add", options, [](auto d, auto a, auto b, auto... rest) { Add(d, a, b, rest...); },
        [](float row, float all) { return row + all; });
    expect_rows<float>(
        "Sub", options, [](auto d, auto a, auto b, auto... rest) { Sub(d, a, b, rest...); },
        [](float row, float all) { return row - all; });
    expect_rows<float>(
        "Max", options, [](auto d, auto a, auto b, auto... rest) { Max(d, a, b, rest...); },
        [](float row, float all) { return std::max(row, all); });
    expect_rows<int32_t>(
        "Mul", options, [](auto d, auto a, auto b, auto... rest) { Mul(d, a, b, rest...); },
        [](int32_t row, int32_t all) { return static_cast<int32_t>(uint32_t(row) * uint32_t(all)); });
    expect_rows<int32_t>(
        "Min", options, [](auto d, auto a, auto b, auto... rest) { Min(d, a, b, rest...); },
        [](int32_t row, int32_t all) { return std::min(row, all); });
}

/// The second source has repeat stride 0, and the first repeat writes it: the others read what that
/// wrote.
void second_source_that_stands_still(const ascendc_model::Options& options)
{
    const auto results = apply<float, float>(
        {std::vector<float>(192, 1.0f)}, options,
        [](LocalTensor<float> d, const Sources<float>& in, uint32_t) {
            Duplicate(d, 10.0f, 192);
            PipeBarrier<PIPE_V>();
            uint64_t lanes = 64;
            Add(d, in[0], d, lanes, 3, BinaryRepeatParams(1, 1, 1, 8, 8, 0));
        },
        192);
    expect(results[0] == 11 && results[64] == 12 && results[191] == 12, "an Add whose second source stands still");
}

void products(const ascendc_model::Options& options)
{
    const std::vector<float> a = {1, 2, 3, -4, 0.5f};
    const std::vector<float> b = {7, 6, 5, 4, 3};
    const auto added =
        apply<float, float>({a, b}, options, [](LocalTensor<float> d, const Sources<float>& in, uint32_t n) {
            Adds(d, in[1], 0.0f, static_cast<int32_t>(n));
            PipeBarrier<PIPE_V>();
            Axpy(d, in[0], 2.0f, static_cast<int32_t>(n));
        });
    expect(added == std::vector<float>({9, 10, 11, -4, 4}), "Axpy of float");
    const auto multiplied =
        apply<float, float>({a, b, b}, options, [](LocalTensor<float> d, const Sources<float>& in, uint32_t n) {
            Adds(d, in[2], 0.0f, static_cast<int32_t>(n));
            PipeBarrier<PIPE_V>();
            MulAddDst(d, in[0], in[1], static_cast<int32_t>(n));
        });
    expect(multiplied == std::vector<float>({14, 18, 20, -12, 4.5f}), "MulAddDst of float");
    std::vector<half> halves;
    for (uint32_t i = 0; i < 100; i++) {
        halves.push_back(half(static_cast<float>(i)));
    }
    const auto widened =
        apply<float, half>({halves}, options, [](LocalTensor<float> d, const Sources<half>& in, uint32_t n) {
            Duplicate(d, 1.0f, 100);
            PipeBarrier<PIPE_V>();
            Axpy(d, in[0], half(100.0f), static_cast<int32_t>(n));
        });
    for (uint32_t i = 0; i < 100; i++) {
        expect(widened[i] == 1 + 100.0f * static_cast<float>(i), "Axpy of half to float, element " + std::to_string(i));
    }
}

/// Rounded once or twice.
void rounding_follows_the_seed()
{
    bool once = false;
    bool twice = false;
    const float a = 1.0f + std::ldexp(1.0f, -12);
    for (uint64_t seed = 0; seed < 32; seed++) {
        ascendc_model::Options options;
        options.seed = seed;
        const auto result = apply<float, float>(
            {{a}, {-a * a}}, options, [&](LocalTensor<float> d, const Sources<float>& in, uint32_t) {
                Adds(d, in[1], 0.0f, 1);
                PipeBarrier<PIPE_V>();
                Axpy(d, in[0], a, 1);
            });
        (result[0] == 0 ? twice : once) = true;
    }
    expect(once && twice, "Axpy rounds its product or not, by the seed");
}

} // namespace

void accumulation()
{
    for (const ascendc_model::Options& options : modes()) {
        rows(options);
        second_source_that_stands_still(options);
        products(options);
    }
    rounding_follows_the_seed();
}

} // namespace numerics
