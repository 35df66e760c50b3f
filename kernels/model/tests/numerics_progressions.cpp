// ArithProgression, and what a kernel can query of its tensors and its launch.

#include "numerics.h"

using namespace AscendC;

namespace numerics {

namespace {

template <typename T> using Sources = std::vector<LocalTensor<T>>;

template <typename T>
void expect_progression(int32_t count, T first, T difference, const ascendc_model::Options& options)
{
    const auto steps = apply<T, T>(
        {{first}}, options,
        [&](LocalTensor<T> d, const Sources<T>&, uint32_t) {
            ArithProgression(d, first, difference, count);
            // A short one is made by the scalar unit alone.
            SetFlag<HardEvent::S_V>(EVENT_ID0);
            WaitFlag<HardEvent::S_V>(EVENT_ID0);
        },
        static_cast<size_t>(count));
    for (int32_t i = 0; i < count; i++) {
        const float expected = static_cast<float>(first) + static_cast<float>(difference) * static_cast<float>(i);
        expect(static_cast<float>(steps[static_cast<size_t>(i)]) == expected,
            "ArithProgression of " + std::to_string(count) + ", element " + std::to_string(i));
    }
}

void places_in_ub(const ascendc_model::Options& options)
{
    const std::vector<float> source(8, 1.0f);
    apply<float, float>({source}, options, [](LocalTensor<float> d, const Sources<float>& in, uint32_t) {
        expect_equal(static_cast<int64_t>(in[0].GetPhyAddr()), 0, "the first buffer's place in UB");
        expect_equal(static_cast<int64_t>(d.GetPhyAddr()), 32, "the second buffer's");
        expect_equal(static_cast<int64_t>(d[3].GetPhyAddr(2)), 52, "an element's");
        Adds(d, in[0], 1.0f, 8);
    });
}

void assertions()
{
    ascendc_model::Launch launch;
    launch.options = ascendc_model::Options();
    int64_t reached = 0;
    const auto kernel = [&] {
        ASSERT(GetBlockNum() == 1);
        reached++;
        ASSERT(GetBlockNum() == 2);
        reached++;
    };
    const auto strict = ascendc_model::launch(launch, kernel);
    expect(!strict.ok() && strict.reports[0].rule == "fault" && reached == 1, "an ASSERT that doesn't hold");
    launch.options.mode = ascendc_model::Mode::Fast;
    expect(ascendc_model::launch(launch, kernel).ok() && reached == 3, "an ASSERT in fast mode");
    uint8_t workspace = 0;
    expect(GetUserWorkspace(&workspace) == &workspace, "the kernel's workspace");
}

} // namespace

void progressions()
{
    for (const ascendc_model::Options& options : modes()) {
        for (int32_t count : {1, 8, 9, 16, 63, 64, 65, 128, 129, 300, 512}) {
            expect_progression<int32_t>(count, -7, 3, options);
            expect_progression<int16_t>(count, 5, 2, options);
            expect_progression<float>(count, 0.5f, 0.25f, options);
            expect_progression<half>(count, half(1.0f), half(1.0f), options);
        }
        places_in_ub(options);
    }
    assertions();
}

} // namespace numerics
