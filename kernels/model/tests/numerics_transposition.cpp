// TransDataTo5HD: of every width, in its three forms, and by repeats.

#include "numerics.h"

using namespace AscendC;

namespace numerics {

namespace {

constexpr uint32_t kBlocks = NCHW_CONV_ADDR_LIST_SIZE;

template <typename T> using Sources = std::vector<LocalTensor<T>>;

/// How a kernel names the blocks of a TransDataTo5HD.
enum class Form { Tensors, Places, PlacesInUb };

/// 16 blocks on each side, `dst_step` and `src_step` elements apart.
template <typename T>
void transpose(Form form, const LocalTensor<T>& dst, uint32_t dst_step, const LocalTensor<T>& src, uint32_t src_step,
    const TransDataTo5HDParams& params)
{
    LocalTensor<T> to[kBlocks];
    LocalTensor<T> from[kBlocks];
    uint64_t to_places[kBlocks];
    uint64_t from_places[kBlocks];
    for (uint32_t i = 0; i < kBlocks; i++) {
        to[i] = dst[i * dst_step];
        from[i] = src[i * src_step];
        to_places[i] = to[i].GetPhyAddr();
        from_places[i] = from[i].GetPhyAddr();
    }
    if (form == Form::Tensors) {
        TransDataTo5HD<T>(to, from, params);
    } else if (form == Form::Places) {
        TransDataTo5HD<T>(to_places, from_places, params);
    } else {
        TBuf<TPosition::VECCALC> memory;
        GetTPipePtr()->InitBuffer(memory, 2 * kBlocks * sizeof(uint64_t));
        const LocalTensor<uint64_t> places = memory.Get<uint64_t>();
        for (uint32_t i = 0; i < kBlocks; i++) {
            places.SetValue(i, to_places[i]);
            places.SetValue(kBlocks + i, from_places[i]);
        }
        TransDataTo5HD<T>(places, places[kBlocks], params);
    }
}

/// The columns of 16 rows of 32 bytes, as rows.
template <typename T> void matrices(Form form, const ascendc_model::Options& options)
{
    constexpr uint32_t columns = 32 / sizeof(T);
    const std::vector<T> source = counting<T>(kBlocks * columns);
    const auto got = apply<T, T>({source}, options, [&](LocalTensor<T> d, const Sources<T>& in, uint32_t) {
        transpose<T>(form, d, columns, in[0], columns, TransDataTo5HDParams());
    });
    for (uint32_t column = 0; column < columns; column++) {
        for (uint32_t row = 0; row < kBlocks; row++) {
            expect(got[column * kBlocks + row] == source[row * columns + column], "TransDataTo5HD of 16 rows");
        }
    }
}

/// Of 8 bits only half of each block is taken, and half of each is written.
void halves(bool dst_high, bool src_high, const ascendc_model::Options& options)
{
    const std::vector<uint8_t> source = counting<uint8_t>(512);
    const auto got =
        apply<uint8_t, uint8_t>({source}, options, [&](LocalTensor<uint8_t> d, const Sources<uint8_t>& in, uint32_t) {
            Duplicate(d.ReinterpretCast<int16_t>(), int16_t{0x5555}, 256);
            PipeBarrier<PIPE_V>();
            transpose<uint8_t>(Form::Places, d, 32, in[0], 32, TransDataTo5HDParams(dst_high, src_high, 1, 0, 0));
        });
    for (uint32_t column = 0; column < kBlocks; column++) {
        for (uint32_t row = 0; row < kBlocks; row++) {
            const uint32_t place = column * 32 + row;
            expect_equal(got[place + (dst_high ? 16 : 0)], source[row * 32 + column + (src_high ? 16 : 0)],
                "a half block of TransDataTo5HD");
            expect_equal(got[place + (dst_high ? 0 : 16)], 0x55, "the other half block of TransDataTo5HD");
        }
    }
}

/// Planes of channels to pixels of 16 channels, NCHW to NC1HWC0, of every other 16 pixels.
void channels(const ascendc_model::Options& options)
{
    constexpr uint32_t plane = 96;
    constexpr uint32_t pixels = plane / 2;
    const std::vector<int16_t> source = counting<int16_t>(kBlocks * plane);
    const auto got = apply<int16_t, int16_t>(
        {source}, options,
        [&](LocalTensor<int16_t> d, const Sources<int16_t>& in, uint32_t) {
            transpose<int16_t>(Form::Places, d, 16, in[0], plane, TransDataTo5HDParams(false, false, 3, 16, 2));
        },
        kBlocks * pixels);
    for (uint32_t pixel = 0; pixel < pixels; pixel++) {
        for (uint32_t channel = 0; channel < kBlocks; channel++) {
            const uint32_t from = channel * plane + pixel / 16 * 32 + pixel % 16;
            expect_equal(got[pixel * kBlocks + channel], source[from], "NCHW to NC1HWC0");
        }
    }
}

void no_repeat(const ascendc_model::Options& options)
{
    const auto got = apply<int32_t, int32_t>(
        {counting<int32_t>(128)}, options, [](LocalTensor<int32_t> d, const Sources<int32_t>& in, uint32_t) {
            Duplicate(d, -1, 128);
            PipeBarrier<PIPE_V>();
            transpose<int32_t>(Form::Tensors, d, 8, in[0], 8, TransDataTo5HDParams(false, false, 0, 0, 0));
        });
    expect(got == std::vector<int32_t>(128, -1), "a TransDataTo5HD of no repeat does nothing");
}

} // namespace

void transposition()
{
    for (const ascendc_model::Options& options : modes()) {
        for (Form form : {Form::Tensors, Form::Places, Form::PlacesInUb}) {
            matrices<half>(form, options);
            matrices<int16_t>(form, options);
            matrices<uint16_t>(form, options);
            matrices<float>(form, options);
            matrices<int32_t>(form, options);
            matrices<uint32_t>(form, options);
        }
        for (uint32_t which = 0; which < 4; which++) {
            halves((which & 1) != 0, (which & 2) != 0, options);
        }
        channels(options);
        no_repeat(options);
    }
}

} // namespace numerics
