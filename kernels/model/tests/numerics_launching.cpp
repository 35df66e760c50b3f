// The launch itself: seeds, threads, large tensors, counters, the modelled time, and the C
// interface.

#include "numerics.h"

#include <sys/mman.h>

#include <thread>

using namespace AscendC;
using ascendc_model::Access;

namespace numerics {

namespace {

constexpr uint32_t kTile = 512;

/// Adds one to `tiles` tiles, dealt to the blocks in turn.
void add_one(float* in, float* out, uint32_t tiles, bool broken = false)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> source;
    TQue<TPosition::VECOUT, 1> target;
    pipe.InitBuffer(source, 2, kTile * sizeof(float));
    pipe.InitBuffer(target, 2, kTile * sizeof(float));
    GlobalTensor<float> from;
    GlobalTensor<float> to;
    from.SetGlobalBuffer(in);
    to.SetGlobalBuffer(out);
    for (uint64_t tile = static_cast<uint64_t>(GetBlockIdx()); tile < tiles;
        tile += static_cast<uint64_t>(GetBlockNum())) {
        LocalTensor<float> a = source.AllocTensor<float>();
        DataCopy(a, from[tile * kTile], kTile);
        if (!broken) {
            source.EnQue(a);
            a = source.DeQue<float>();
        }
        LocalTensor<float> b = target.AllocTensor<float>();
        Adds(b, a, 1.0f, kTile);
        source.FreeTensor(a);
        target.EnQue(b);
        b = target.DeQue<float>();
        DataCopy(to[tile * kTile], b, kTile);
        target.FreeTensor(b);
    }
}

ascendc_model::Launch launch_of(std::vector<float>& in, std::vector<float>& out, uint32_t blocks)
{
    ascendc_model::Launch launch;
    launch.options = ascendc_model::Options();
    launch.blocks = blocks;
    launch.tensors = {{"in", in.data(), in.size() * sizeof(float), Access::Read},
        {"out", out.data(), out.size() * sizeof(float), Access::Write}};
    return launch;
}

/// The same seed gives the same bytes and the same reports for any number of threads, also for a
/// broken kernel.
void threads_do_not_matter()
{
    std::string text;
    std::vector<float> first;
    for (uint32_t threads : {1u, 2u, 5u}) {
        std::vector<float> in(40 * kTile, 2.0f);
        std::vector<float> out(40 * kTile, 0.0f);
        ascendc_model::Launch launch = launch_of(in, out, 7);
        launch.options.seed = 11;
        launch.options.threads = threads;
        const auto outcome = ascendc_model::launch(launch, [&] { add_one(in.data(), out.data(), 40, true); });
        expect(outcome.total_reports > outcome.reports.size(), "reports beyond the bound are counted");
        expect_equal(static_cast<int64_t>(outcome.reports.size()), launch.options.max_reports, "reports kept");
        if (threads == 1) {
            text = outcome.text();
            first = out;
        }
        expect(outcome.text() == text, "the same reports for any number of threads");
        expect(std::memcmp(out.data(), first.data(), out.size() * sizeof(float)) == 0,
            "the same bytes for any number of threads");
    }
}

void many_launches_at_once()
{
    std::vector<std::thread> threads;
    std::vector<int> fine(4, 0);
    for (size_t i = 0; i < fine.size(); i++) {
        threads.emplace_back([&fine, i] {
            for (uint32_t round = 0; round < 8; round++) {
                std::vector<float> in(20 * kTile, static_cast<float>(i));
                std::vector<float> out(20 * kTile, 0.0f);
                ascendc_model::Launch launch = launch_of(in, out, 5);
                launch.options.threads = 3;
                const auto outcome = ascendc_model::launch(launch, [&] { add_one(in.data(), out.data(), 20); });
                fine[i] += outcome.ok() && out == std::vector<float>(20 * kTile, static_cast<float>(i) + 1.0f);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    expect(fine == std::vector<int>(4, 8), "launches from several threads at once");
}

/// Accesses beyond 2^32 bytes, in a mapping that takes no memory until it is written.
void large_tensors()
{
    constexpr uint64_t bytes = uint64_t{40} << 30;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        std::printf("skipped: no address space for a sparse mapping of 40 GiB\n");
        return;
    }
    auto* floats = static_cast<float*>(memory);
    constexpr uint64_t far = (uint64_t{1} << 33) + 1024;
    floats[far] = 41.0f;
    ascendc_model::Launch launch;
    launch.options = ascendc_model::Options();
    launch.tensors = {{"large", memory, bytes, Access::ReadWrite}};
    const auto outcome = ascendc_model::launch(launch, [&] {
        add_one(floats + far, floats + far + kTile, 1);
        GlobalTensor<float> whole;
        whole.SetGlobalBuffer(floats);
        expect(whole.GetValue(far) == 41.0f, "a scalar read beyond 2^33 elements");
    });
    expect(outcome.ok() && floats[far + kTile] == 42.0f, "copies beyond 2^33 elements:\n" + outcome.text());
    munmap(memory, bytes);
}

/// The counters and the modelled time, to the last digit. A change of cost.h shows here.
void counters_and_time()
{
    for (ascendc_model::Mode mode : {ascendc_model::Mode::Strict, ascendc_model::Mode::Fast}) {
        std::vector<float> in(4 * kTile, 2.0f);
        std::vector<float> out(4 * kTile, 0.0f);
        ascendc_model::Launch launch = launch_of(in, out, 2);
        launch.options.mode = mode;
        // On a boundary of 512 bytes, where copies cost least.
        alignas(512) static float source[4 * kTile];
        alignas(512) static float target[4 * kTile];
        launch.tensors = {{"in", source, sizeof source, Access::Read}, {"out", target, sizeof target, Access::Write}};
        const auto outcome = ascendc_model::launch(launch, [&] { add_one(source, target, 4); });
        const ascendc_model::Counters& total = outcome.total;
        expect_equal(total.gm_read_bytes, 4 * kTile * 4, "bytes read");
        expect_equal(total.gm_written_bytes, 4 * kTile * 4, "bytes written");
        expect_equal(total.pipe[1].instructions, 4, "vector instructions");
        expect_equal(total.pipe[1].repeats, 4 * 8, "vector repeats");
        expect_equal(total.pipe[2].instructions, 4, "copies in");
        // Per tile: 15.6 cycles of head and 2048 bytes at 24 per cycle.
        expect_equal(total.pipe[2].busy_millicycles, 4 * (15600 + 2048 * 1000 / 24), "MTE2's busy time");
        expect_equal(total.pipe[1].busy_millicycles, 4 * 8 * 1170, "V's busy time");
        // By hand: the second tile's copy begins when the first's has been sent, at 1 + 100.933,
        // takes as long, and arrives 250 later, at 452.866; its sum is done 9.36 and 24 later, the
        // way out takes 100.933 and then 275. Of the scalar unit there is the first issue only,
        // which has half and twice its cost in two settings.
        const uint64_t cycles[] = {862159, 862159, 861659, 863159};
        for (uint32_t i = 0; i < ascendc_model::kSettings; i++) {
            expect_equal(outcome.blocks[0].millicycles[i], outcome.blocks[1].millicycles[i], "the time of both blocks");
            expect_equal(total.millicycles[i], cycles[i], "the modelled time");
            // 1700 for the launch.
            expect_equal(outcome.nanoseconds[i], 1700 + cycles[i] / 1850, "the modelled nanoseconds");
        }
    }
}

/// A block that breaks a rule too often is ended, but the other blocks are not. All its reports
/// count, however few are kept.
void too_many_reports(uint32_t kept)
{
    std::vector<float> in(kTile, 2.0f);
    std::vector<float> out(kTile, 0.0f);
    ascendc_model::Launch launch = launch_of(in, out, 2);
    launch.options.max_reports = kept;
    launch.options.threads = 1;
    uint32_t finished = 0;
    const auto outcome = ascendc_model::launch(launch, [&] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 256);
        for (uint32_t i = 0; i < 5000; i++) {
            Duplicate(buffer.Get<float>(), 1.0f, 64);
            if (GetBlockIdx() == 1) {
                PipeBarrier<PIPE_V>();
            }
        }
        finished++;
    });
    expect_equal(outcome.total_reports, 1001, "the reports of a block that is ended");
    expect_equal(static_cast<int64_t>(outcome.reports.size()), std::min(kept, 1001u), "the reports kept of it");
    expect(kept < 1001 || outcome.reports.back().rule == "too-many-reports", "the last of them says so");
    expect_equal(finished, 1, "the other block goes on");
}

void refused_launches()
{
    ascendc_model::Launch launch;
    launch.options = ascendc_model::Options();
    launch.blocks = 0;
    bool ran = false;
    auto outcome = ascendc_model::launch(launch, [&] { ran = true; });
    expect(!ran && outcome.total_reports == 1 && outcome.reports[0].rule == "launch", "a launch of no blocks");
    launch.blocks = 1;
    launch.tensors = {{"wrapped", reinterpret_cast<void*>(UINTPTR_MAX - 8), 64, Access::Read}};
    outcome = ascendc_model::launch(launch, [&] { ran = true; });
    expect(!ran && outcome.reports[0].rule == "launch", "a tensor that wraps around");
}

/// Tensors that overlap are one range with both permissions, whichever comes first.
void overlapping_tensors()
{
    for (bool out_first : {false, true}) {
        std::vector<float> both(2 * kTile, 2.0f);
        ascendc_model::Launch launch;
        launch.options = ascendc_model::Options();
        launch.tensors = {{"self", both.data(), 2 * kTile * sizeof(float), Access::Read},
            {"out", both.data(), 2 * kTile * sizeof(float), Access::Write}};
        if (out_first) {
            std::swap(launch.tensors[0], launch.tensors[1]);
        }
        const auto outcome = ascendc_model::launch(launch, [&] { add_one(both.data(), both.data(), 2); });
        expect(outcome.ok() && both == std::vector<float>(2 * kTile, 3.0f), "in place:\n" + outcome.text());
    }
}

/// Blocks beyond the device's cores wait for those before them, and UB is the device's.
void another_device()
{
    const auto on = [](uint32_t cores, uint32_t ub, uint32_t bytes) {
        std::vector<float> in(64 * kTile, 1.0f);
        std::vector<float> out(64 * kTile, 0.0f);
        ascendc_model::Launch launch = launch_of(in, out, 64);
        launch.options.cores = cores;
        launch.options.ub = ub;
        return ascendc_model::launch(launch, [&] {
            add_one(in.data(), out.data(), 64);
            if (bytes > 0) {
                TPipe pipe;
                TBuf<TPosition::VECCALC> buffer;
                pipe.InitBuffer(buffer, bytes);
            }
        });
    };
    const uint64_t one = on(64, 0, 0).total.millicycles[0];
    const uint64_t two = on(32, 0, 0).total.millicycles[0];
    expect(on(0, 0, 0).total.millicycles[0] == two, "64 blocks on 48 cores: two on some core");
    expect(one < two && two <= 2 * one, "64 blocks on 64 cores, and on 32");
    constexpr uint32_t kKibi = 1024;
    expect(on(0, 0, 184 * kKibi - 256).ok() && !on(0, 0, 184 * kKibi).ok(), "UB of A2");
    expect(on(64, 248 * kKibi - 256, 248 * kKibi - 256).ok(), "UB of 950");
    expect(!on(64, 248 * kKibi - 256, 248 * kKibi).ok() && !on(64, UINT32_MAX, 256 * kKibi).ok(), "no more of it");
}

/// 950's Gather keeps 16 bits of the number of an element of two bytes.
void offsets_of_another_device()
{
    const auto gather = [](uint32_t ub, uint32_t offset) {
        ascendc_model::Launch launch;
        launch.options = ascendc_model::Options();
        launch.options.ub = ub;
        return ascendc_model::launch(launch, [&] {
            TPipe pipe;
            TBuf<TPosition::VECCALC> buffers[3];
            constexpr uint32_t kMost = 1 << 16;
            pipe.InitBuffer(buffers[0], (kMost + 16) * sizeof(uint16_t));
            pipe.InitBuffer(buffers[1], 16 * sizeof(uint16_t));
            pipe.InitBuffer(buffers[2], 16 * sizeof(uint32_t));
            const auto from = buffers[0].Get<uint16_t>();
            const auto offsets = buffers[2].Get<uint32_t>();
            Duplicate(from, static_cast<uint16_t>(3), kMost + 16);
            Duplicate(offsets, offset, 16);
            PipeBarrier<PIPE_V>();
            Gather(buffers[1].Get<uint16_t>(), from, offsets, 0, 16u);
        });
    };
    constexpr uint32_t kUb950 = 248 * 1024 - 256;
    expect(gather(0, 1 << 17).ok() && gather(kUb950, (1 << 17) - 2).ok(), "offsets that Gather takes");
    const auto outcome = gather(kUb950, 1 << 17);
    expect(!outcome.ok() && outcome.reports[0].rule == "gather-offset", "an offset that 950's Gather cuts off");
}

void face_in_c()
{
    ascendc_model_options options = {0, 1, 5, 2, 64, 8192, 0};
    ascendc_model_configure(&options);
    ascendc_model_options seen = {};
    ascendc_model_current(&seen);
    expect(seen.seed == 5 && seen.max_reports == 2 && seen.threads == 1, "the options of this thread");
    expect(seen.cores == 64 && seen.ub == 8192, "the device of this thread");
    std::vector<float> in(4 * kTile, 2.0f);
    std::vector<float> out(4 * kTile, 0.0f);
    ascendc_model::Launch launch = launch_of(in, out, 2);
    launch.options = ascendc_model::Options::current();
    const auto outcome = ascendc_model::launch(launch, [&] { add_one(in.data(), out.data(), 4, true); });
    expect(ascendc_model_report_count() == outcome.total_reports && outcome.reports.size() == 2, "the count in C");
    std::string text(ascendc_model_report_text(nullptr, 0) + 1, 'x');
    ascendc_model_report_text(text.data(), text.size());
    expect(text.c_str() == outcome.text(), "the text in C");
    char small[8];
    expect(
        ascendc_model_report_text(small, sizeof small) + 1 == text.size() && std::strlen(small) == 7, "a small buffer");
    ascendc_model_counters counters;
    ascendc_model_last_counters(&counters);
    expect(counters.gm_read_bytes == outcome.total.gm_read_bytes &&
            counters.millicycles[3] == outcome.total.millicycles[3],
        "the counters in C");
    ascendc_model_configure(nullptr);
    ascendc_model_current(&seen);
    expect(seen.max_reports == ascendc_model::Options().max_reports, "back to the environment's options");
}

} // namespace

void launching()
{
    threads_do_not_matter();
    many_launches_at_once();
    large_tensors();
    counters_and_time();
    too_many_reports(2000);
    too_many_reports(5);
    refused_launches();
    overlapping_tensors();
    another_device();
    offsets_of_another_device();
    face_in_c();
}

} // namespace numerics
