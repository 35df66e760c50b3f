// What the system may refuse or take away: threads, memory, and in a fork the existing threads.

#include "numerics.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

using namespace AscendC;
using ascendc_model::Access;

namespace numerics {

namespace {

constexpr uint32_t kTile = 512;
constexpr uint32_t kBlocks = 60;

/// Each block doubles one tile.
ascendc_model::Outcome double_tiles(const std::vector<float>& in, std::vector<float>& out)
{
    ascendc_model::Launch launch;
    launch.options = ascendc_model::Options();
    launch.options.threads = 4;
    launch.blocks = kBlocks;
    launch.tensors = {{"in", const_cast<float*>(in.data()), in.size() * sizeof(float), Access::Read},
        {"out", out.data(), out.size() * sizeof(float), Access::Write}};
    return ascendc_model::launch(launch, [&] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, kTile * sizeof(float));
        GlobalTensor<float> from;
        GlobalTensor<float> to;
        from.SetGlobalBuffer(const_cast<float*>(in.data()));
        to.SetGlobalBuffer(out.data());
        const uint64_t first = static_cast<uint64_t>(GetBlockIdx()) * kTile;
        LocalTensor<float> tile = buffer.Get<float>();
        DataCopy(tile, from[first], kTile);
        SetFlag<HardEvent::MTE2_V>(0);
        WaitFlag<HardEvent::MTE2_V>(0);
        Muls(tile, tile, 2.0f, kTile);
        SetFlag<HardEvent::V_MTE3>(0);
        WaitFlag<HardEvent::V_MTE3>(0);
        DataCopy(to[first], tile, kTile);
    });
}

uint64_t address_space()
{
    unsigned long pages = 0;
    if (FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%lu", &pages) != 1) {
            pages = 0;
        }
        std::fclose(file);
    }
    return static_cast<uint64_t>(pages) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Whether a launch has done all its work, or, with `room`, reports that it could not. `room`
/// limits the process to this many more bytes of memory.
bool done(uint64_t room = 0)
{
    const std::vector<float> in(kBlocks * kTile, 1.5f);
    const std::vector<float> expected(kBlocks * kTile, 3.0f);
    std::vector<float> out(kBlocks * kTile, 0.0f);
    const rlimit limit = {address_space() + room, RLIM_INFINITY};
    if (room != 0 && setrlimit(RLIMIT_AS, &limit) != 0) {
        return false;
    }
    const auto outcome = double_tiles(in, out);
    return outcome.ok() ? out == expected : room != 0 && outcome.total_reports > 0;
}

/// Runs something in a fork, which must return true; an alarm ends a wait that would never end.
void in_a_fork(const std::function<bool()>& run, const std::string& what)
{
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(120);
        std::_Exit(run() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    expect_equal(status, 0, what);
}

/// The limit does not apply to root, so the process gives up that user.
void forbid_threads()
{
    const rlimit none = {0, 0};
    const bool forbidden = setrlimit(RLIMIT_NPROC, &none) == 0 && (geteuid() != 0 || setuid(65534) == 0);
    if (!forbidden) {
        std::_Exit(2);
    }
}

} // namespace

void processes()
{
    // This is first, before there are cores and threads that could be reused.
    for (uint64_t room = 1 << 14; room <= 1 << 26; room *= 2) {
        in_a_fork([&] { return done(room); }, "with " + std::to_string(room) + " bytes more a launch is done or fails");
    }
    in_a_fork(
        [] {
            forbid_threads();
            return done() && done();
        },
        "without threads the caller's runs all blocks");
    expect(done(), "a launch on four threads");
    in_a_fork([] { return done() && done(); }, "a fork has threads of its own");
    expect(done(), "and the parent goes on");
}

} // namespace numerics
