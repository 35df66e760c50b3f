// Cast: every half, the ties, the limits, and each rounding.

#include "numerics.h"

#include <cmath>
#include <limits>

using namespace AscendC;

namespace numerics {

namespace {

template <typename To, typename From>
std::vector<To> cast(const std::vector<From>& source, RoundMode mode, const ascendc_model::Options& options)
{
    return apply<To, From>({source}, options,
        [mode](LocalTensor<To> d, const std::vector<LocalTensor<From>>& in, uint32_t n) { Cast(d, in[0], mode, n); });
}

/// The value of a half, from its definition.
double value_of_half(uint32_t bits)
{
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    const auto exponent = static_cast<int>(bits >> 10 & 31);
    const double fraction = bits & 0x3ff;
    if (exponent == 31) {
        return fraction != 0 ? std::nan("") : sign * INFINITY;
    }
    return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

void every_half(const ascendc_model::Options& options)
{
    constexpr uint32_t part = 8192;
    for (uint32_t start = 0; start < 65536; start += part) {
        std::vector<half> halves;
        for (uint32_t bits = start; bits < start + part; bits++) {
            halves.push_back(from_bits<half>(bits));
        }
        const auto floats = cast<float, half>(halves, RoundMode::CAST_NONE, options);
        const auto back = cast<half, float>(floats, RoundMode::CAST_RINT, options);
        for (uint32_t i = 0; i < part; i++) {
            const double expected = value_of_half(start + i);
            const bool nan = std::isnan(expected);
            expect(nan ? std::isnan(floats[i]) : to_bits(floats[i]) == to_bits(static_cast<float>(expected)),
                "half to float of bits " + std::to_string(start + i));
            expect(nan ? std::isnan(float(back[i])) : back[i].bits == start + i,
                "float to half and back of bits " + std::to_string(start + i));
        }
    }
}

/// Between two neighbours: below the middle, the middle, above it.
void ties_of_half(const ascendc_model::Options& options)
{
    std::vector<float> between;
    std::vector<uint32_t> nearest;
    for (uint32_t bits = 0; bits < 0x7bff; bits += 7) {
        const auto low = static_cast<float>(value_of_half(bits));
        const auto high = static_cast<float>(value_of_half(bits + 1));
        const float middle = (low + high) / 2;
        between.insert(between.end(), {std::nextafter(middle, 0.0f), middle, std::nextafter(middle, INFINITY)});
        nearest.insert(nearest.end(), {bits, bits + (bits & 1), bits + 1});
    }
    for (size_t i = 0; i < between.size(); i += 4096) {
        const std::vector<float> part(between.begin() + i, between.begin() + std::min(between.size(), i + 4096));
        const auto rounded = cast<half, float>(part, RoundMode::CAST_RINT, options);
        const auto down = cast<half, float>(part, RoundMode::CAST_FLOOR, options);
        const auto up = cast<half, float>(part, RoundMode::CAST_CEIL, options);
        const auto odd = cast<half, float>(part, RoundMode::CAST_ODD, options);
        for (size_t j = 0; j < part.size(); j++) {
            const uint32_t low = (i + j) / 3 * 7;
            const std::string where = " next to the half of bits " + std::to_string(low);
            expect_equal(rounded[j].bits, nearest[i + j], "CAST_RINT" + where);
            expect_equal(down[j].bits, low, "CAST_FLOOR" + where);
            expect_equal(up[j].bits, low + 1, "CAST_CEIL" + where);
            expect_equal(odd[j].bits, low | 1, "CAST_ODD" + where);
        }
    }
}

void bfloat16(const ascendc_model::Options& options)
{
    const std::vector<float> source = {1.0f, from_bits<float>(0x3f808000), from_bits<float>(0x3f818000),
        from_bits<float>(0x3f808001), from_bits<float>(0x3f807fff), 3.4e38f, INFINITY, -INFINITY, NAN,
        from_bits<float>(0x7f800001), from_bits<float>(0x00018000), -0.0f};
    const std::vector<uint32_t> nearest = {
        0x3f80, 0x3f80, 0x3f82, 0x3f81, 0x3f80, 0x7f80, 0x7f80, 0xff80, 0x7fc0, 0x7fc0, 2, 0x8000};
    const auto got = cast<bfloat16_t, float>(source, RoundMode::CAST_RINT, options);
    for (size_t i = 0; i < source.size(); i++) {
        const bool nan = std::isnan(source[i]);
        expect(nan ? std::isnan(ToFloat(got[i])) : got[i].bits == nearest[i],
            "float to bfloat16, CAST_RINT, case " + std::to_string(i) + ": " + std::to_string(got[i].bits));
        expect(
            to_bits(ToBfloat16(source[i])) == got[i].bits, "the scalar conversion agrees, case " + std::to_string(i));
    }
    const std::vector<float> pair = {from_bits<float>(0x3f808000), from_bits<float>(0xbf808000)};
    const auto bits = [&](RoundMode mode) {
        const auto values = cast<bfloat16_t, float>(pair, mode, options);
        return values[0].bits << 16 | values[1].bits;
    };
    expect_equal(bits(RoundMode::CAST_FLOOR), 0x3f80bf81, "float to bfloat16, CAST_FLOOR");
    expect_equal(bits(RoundMode::CAST_CEIL), 0x3f81bf80, "float to bfloat16, CAST_CEIL");
    expect_equal(bits(RoundMode::CAST_ROUND), 0x3f81bf81, "float to bfloat16, CAST_ROUND");
    expect_equal(bits(RoundMode::CAST_TRUNC), 0x3f80bf80, "float to bfloat16, CAST_TRUNC");
    const auto wide = cast<float, bfloat16_t>({bfloat16_t{0x3f80}, bfloat16_t{0xc000}}, RoundMode::CAST_NONE, options);
    expect(wide == std::vector<float>({1.0f, -2.0f}), "bfloat16 to float");
}

void floats_to_integers(const ascendc_model::Options& options)
{
    const std::vector<float> source = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.7f, 2.3f};
    const auto as = [&](RoundMode mode) { return cast<int32_t, float>(source, mode, options); };
    expect(as(RoundMode::CAST_RINT) == std::vector<int32_t>({0, 2, 2, 0, -2, -3, 2}), "float to int32, CAST_RINT");
    expect(as(RoundMode::CAST_FLOOR) == std::vector<int32_t>({0, 1, 2, -1, -2, -3, 2}), "float to int32, CAST_FLOOR");
    expect(as(RoundMode::CAST_CEIL) == std::vector<int32_t>({1, 2, 3, 0, -1, -2, 3}), "float to int32, CAST_CEIL");
    expect(as(RoundMode::CAST_ROUND) == std::vector<int32_t>({1, 2, 3, -1, -2, -3, 2}), "float to int32, CAST_ROUND");
    expect(as(RoundMode::CAST_TRUNC) == std::vector<int32_t>({0, 1, 2, 0, -1, -2, 2}), "float to int32, CAST_TRUNC");
    const std::vector<float> extreme = {3e9f, -3e9f, INFINITY, -INFINITY, NAN};
    constexpr int32_t high = std::numeric_limits<int32_t>::max();
    constexpr int32_t low = std::numeric_limits<int32_t>::min();
    expect(
        cast<int32_t, float>(extreme, RoundMode::CAST_RINT, options) == std::vector<int32_t>({high, low, high, low, 0}),
        "float to int32 saturates");
    expect_equal(cast<int64_t, float>({1e19f}, RoundMode::CAST_TRUNC, options)[0], std::numeric_limits<int64_t>::max(),
        "float to int64 saturates");
    expect_equal(
        cast<int16_t, half>({half(40000.0f)}, RoundMode::CAST_RINT, options)[0], 32767, "half to int16 saturates");
    expect_equal(cast<uint8_t, half>({half(-1.0f)}, RoundMode::CAST_RINT, options)[0], 0, "half to uint8 saturates");
    expect_equal(cast<int8_t, half>({half(127.5f)}, RoundMode::CAST_TRUNC, options)[0], 127, "half to int8");
    expect_equal(
        cast<int32_t, bfloat16_t>({bfloat16_t{0xc0b0}}, RoundMode::CAST_CEIL, options)[0], -5, "bfloat16 to int32");
}

void integers_to_floats(const ascendc_model::Options& options)
{
    const std::vector<int32_t> source = {16777217, -16777217, 16777219};
    const auto as = [&](RoundMode mode) { return cast<float, int32_t>(source, mode, options); };
    expect(
        as(RoundMode::CAST_RINT) == std::vector<float>({16777216, -16777216, 16777220}), "int32 to float, CAST_RINT");
    expect(
        as(RoundMode::CAST_FLOOR) == std::vector<float>({16777216, -16777218, 16777218}), "int32 to float, CAST_FLOOR");
    expect(
        as(RoundMode::CAST_CEIL) == std::vector<float>({16777218, -16777216, 16777220}), "int32 to float, CAST_CEIL");
    expect(
        as(RoundMode::CAST_ROUND) == std::vector<float>({16777218, -16777218, 16777220}), "int32 to float, CAST_ROUND");
    expect(
        as(RoundMode::CAST_TRUNC) == std::vector<float>({16777216, -16777216, 16777218}), "int32 to float, CAST_TRUNC");
    constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
    expect(cast<float, int64_t>({lowest, lowest + 1, 1}, RoundMode::CAST_CEIL, options) ==
            std::vector<float>({-9223372036854775808.0f, -9223371487098961920.0f, 1}),
        "int64 to float, CAST_CEIL");
    expect(cast<int64_t, int32_t>({-5, 7}, RoundMode::CAST_NONE, options) == std::vector<int64_t>({-5, 7}),
        "int32 to int64");
    expect(cast<int32_t, int64_t>({-5, 7}, RoundMode::CAST_NONE, options) == std::vector<int32_t>({-5, 7}),
        "int64 to int32");
    expect(
        cast<float, int16_t>({-5, 7}, RoundMode::CAST_NONE, options) == std::vector<float>({-5, 7}), "int16 to float");
    expect(float(cast<half, uint8_t>({255}, RoundMode::CAST_NONE, options)[0]) == 255, "uint8 to half");
    expect(float(cast<half, int16_t>({2049}, RoundMode::CAST_RINT, options)[0]) == 2048, "int16 to half");
    expect(cast<float, float>({2.5f, -2.5f}, RoundMode::CAST_RINT, options) == std::vector<float>({2, -2}),
        "float to whole float");
}

/// By mask: a repeat has as many elements as 256 bytes of the wider type.
void cast_by_mask(const ascendc_model::Options& options)
{
    std::vector<half> source(128, half(3.0f));
    const auto wide = apply<float, half>(
        {source}, options,
        [](LocalTensor<float> d, const std::vector<LocalTensor<half>>& in, uint32_t) {
            Duplicate(d, 0.0f, 128);
            PipeBarrier<PIPE_V>();
            Cast(d, in[0], RoundMode::CAST_NONE, uint64_t{5}, 2, UnaryRepeatParams(1, 1, 8, 4));
        },
        128);
    for (uint32_t i = 0; i < 128; i++) {
        expect(wide[i] == (i % 64 < 5 ? 3.0f : 0.0f), "Cast by mask, element " + std::to_string(i));
    }
}

} // namespace

void casts()
{
    for (const ascendc_model::Options& options : modes()) {
        every_half(options);
        ties_of_half(options);
        bfloat16(options);
        floats_to_integers(options);
        integers_to_floats(options);
        cast_by_mask(options);
    }
}

} // namespace numerics
