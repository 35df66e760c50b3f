// The parts of the modelled time, computed by hand. A change of cost.h shows here.

#include "numerics.h"

#include "model/cost.h"

using namespace AscendC;

extern "C" void __sanitizer_cov_trace_pc();

namespace numerics {

namespace {

using ascendc_model::Counters;
using ascendc_model::kSettings;

/// Only known at run time, so that loops are not unrolled.
volatile uint32_t four = 4;
volatile uint32_t ten = 10;

/// The counters of one block.
template <typename Body> Counters counters_of(const Body& body)
{
    ascendc_model::Launch launch;
    launch.options = ascendc_model::Options();
    const auto outcome = ascendc_model::launch(launch, body);
    expect(outcome.ok(), outcome.text());
    return outcome.total;
}

/// Buffers of 2 KB of zeros, `gap` bytes apart.
struct Buffers {
    explicit Buffers(uint32_t gap)
    {
        pipe.InitBuffer(a, kBytes);
        if (gap > 0) {
            pipe.InitBuffer(between, gap);
        }
        pipe.InitBuffer(b, kBytes);
        pipe.InitBuffer(c, kBytes);
        Duplicate(a.Get<float>(), 0.0f, kFloats);
        Duplicate(b.Get<float>(), 0.0f, kFloats);
        Duplicate(c.Get<float>(), 0.0f, kFloats);
        PipeBarrier<PIPE_ALL>();
    }

    static constexpr uint32_t kBytes = 2048;
    static constexpr uint32_t kFloats = kBytes / sizeof(float);
    TPipe pipe;
    TBuf<TPosition::VECCALC> a;
    TBuf<TPosition::VECCALC> between;
    TBuf<TPosition::VECCALC> b;
    TBuf<TPosition::VECCALC> c;
};

/// Checks the thousandths of a cycle that `body` adds to a block with buffers, in each setting.
template <typename Body> void expect_cost(const std::string& what, uint32_t gap, const uint64_t (&cost)[4], Body body)
{
    const Counters without = counters_of([&] { const Buffers buffers(gap); });
    const Counters with = counters_of([&] {
        Buffers buffers(gap);
        body(buffers);
        PipeBarrier<PIPE_ALL>();
    });
    for (uint32_t i = 0; i < kSettings; i++) {
        expect_equal(with.millicycles[i] - without.millicycles[i], static_cast<int64_t>(cost[i]),
            what + ", setting " + std::to_string(i));
    }
}

void accesses_of_the_scalar_unit()
{
    expect_cost("a read", 0, {11000, 11000, 5500, 22000}, [](Buffers& at) { at.a.Get<float>().GetValue(0); });
    expect_cost("a write", 0, {6000, 6000, 3000, 12000}, [](Buffers& at) { at.a.Get<float>().SetValue(0, 1.0f); });
    expect_cost("eight reads of one buffer overlap", 0, {25000, 25000, 12500, 50000}, [](Buffers& at) {
        const auto a = at.a.Get<float>();
        a.GetValue(0), a.GetValue(7), a.GetValue(1), a.GetValue(3), a.GetValue(9), a.GetValue(0), a.GetValue(5),
            a.GetValue(2);
    });
    expect_cost("reads of two buffers in turn don't", 0, {44000, 44000, 22000, 88000}, [](Buffers& at) {
        const auto a = at.a.Get<float>();
        const auto b = at.b.Get<float>();
        a.GetValue(0), b.GetValue(0), a.GetValue(1), b.GetValue(1);
    });
    expect_cost("nor do reads around a write", 0, {28000, 28000, 14000, 56000}, [](Buffers& at) {
        const auto a = at.a.Get<float>();
        a.GetValue(0), a.SetValue(1, 2.0f), a.GetValue(1);
    });
}

/// A loop enters the same basic block in each iteration, which ends a sequence of overlapping
/// reads.
void the_way_of_the_scalar_unit()
{
    constexpr uint64_t each = 2000 + 11000;
    expect_cost("ten iterations", 0,
        {10 * each + 9 * 12000, 10 * each + 9 * 12000, (10 * each + 9 * 12000) / 2, 2 * (10 * each + 9 * 12000)},
        [](Buffers& at) {
            for (uint32_t i = 0; i < ten; i++) {
                __sanitizer_cov_trace_pc();
                at.a.Get<float>().GetValue(i);
            }
        });
    const Counters counters = counters_of([] {
        for (uint32_t i = 0; i < ten; i++) {
            __sanitizer_cov_trace_pc();
        }
    });
    expect_equal(counters.scalar_blocks, 10, "basic blocks");
    expect_equal(counters.scalar_iterations, 9, "iterations");
    // Three iterations of a loop around one of four: 3 jumps back in each, and 2 of the outer one.
    const Counters nested = counters_of([] {
        for (uint32_t i = 0; i < 3; i++) {
            __sanitizer_cov_trace_pc();
            for (uint32_t j = 0; j < four; j++) {
                __sanitizer_cov_trace_pc();
            }
            __sanitizer_cov_trace_pc();
        }
    });
    expect_equal(nested.scalar_blocks, 3 * 6, "basic blocks of nested loops");
    expect_equal(nested.scalar_iterations, 3 * 3 + 2, "iterations of nested loops");
}

/// 8 repeats and the latency; the scalar unit waits, so that its issue counts as well.
void instructions_of_the_vector_unit()
{
    const auto all = [](uint64_t cycles) { return cycles + 24000; };
    const auto expect_vector = [&](const std::string& what, uint32_t gap, uint64_t cycles, auto body) {
        expect_cost(what, gap, {all(cycles) + 1000, all(cycles) + 1000, all(cycles) + 500, all(cycles) + 2000}, body);
    };
    expect_vector("an instruction of one source", 0, 8 * 1170,
        [](Buffers& at) { Adds(at.c.Get<float>(), at.a.Get<float>(), 1.0f, Buffers::kFloats); });
    expect_vector("sources in the same banks", 0, 8 * 2100,
        [](Buffers& at) { Add(at.c.Get<float>(), at.a.Get<float>(), at.b.Get<float>(), Buffers::kFloats); });
    expect_vector("sources in other banks", 256, 8 * 1170,
        [](Buffers& at) { Add(at.c.Get<float>(), at.a.Get<float>(), at.b.Get<float>(), Buffers::kFloats); });
    expect_vector("a Cast", 0, 8 * 2000,
        [](Buffers& at) { Cast(at.c.Get<int32_t>(), at.a.Get<float>(), RoundMode::CAST_RINT, Buffers::kFloats); });
    expect_vector("a Div", 0, 8 * 4000,
        [](Buffers& at) { Div(at.c.Get<float>(), at.a.Get<float>(), at.b.Get<float>(), Buffers::kFloats); });
    constexpr uint64_t count = Buffers::kFloats;
    expect_cost("a Gather", 0, {count * 3000 + 25000, count * 1000 + 25000, count * 3000 + 24500, count * 3000 + 26000},
        [](Buffers& at) { Gather(at.c.Get<float>(), at.a.Get<float>(), at.b.Get<uint32_t>(), 0, Buffers::kFloats); });
    expect_cost("a Sort32 of 2 repeats", 0,
        {2 * 64000 + 25000, 2 * 32000 + 25000, 2 * 64000 + 24500, 2 * 64000 + 26000},
        [](Buffers& at) { Sort32(at.c.Get<float>(), at.a.Get<float>(), at.b.Get<uint32_t>(), 2); });
    expect_vector("a MrgSort of 128 records", 0, 128 * 610, [](Buffers& at) {
        const auto a = at.a.Get<float>();
        const uint16_t lengths[] = {32, 32, 64, 0};
        MrgSort(at.c.Get<float>(), MrgSortSrcList<float>(a, a[64], a[128], a), MrgSort4Info(lengths, false, 7, 1));
    });
    const auto packed = [](Buffers& at) {
        uint64_t count;
        GatherMask(at.c.Get<float>(), at.a.Get<float>(), uint8_t(1), true, 100, {1, 3, 16, 0}, count);
        at.b.Get<float>().SetValue(0, 1.0f);
    };
    expect_cost("a GatherMask of 3 x 2 repeats, and a write that waits for the count", 0,
        {6 * 14000 + 31000, 6 * 2000 + 31000, 6 * 14000 + 27500, 6 * 14000 + 38000}, packed);
}

/// A launch takes as long as memory does where that is longer, by the bytes that it works on.
void memory()
{
    const uint64_t sizes[] = {1, 100'000'000, 100'000'001, 1'000'000'000, 1'000'000'001, uint64_t{1} << 40};
    const uint64_t speeds[] = {2000, 2000, 1330, 1330, 1000, 1000};
    for (uint32_t i = 0; i < 6; i++) {
        expect_equal(ascendc_model::cost::bytes_per_nanosecond(sizes[i]), static_cast<int64_t>(speeds[i]), "bandwidth");
    }
}

} // namespace

void costs()
{
    accesses_of_the_scalar_unit();
    the_way_of_the_scalar_unit();
    instructions_of_the_vector_unit();
    memory();
}

} // namespace numerics
