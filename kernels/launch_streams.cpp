// The launch table of the host model for a runtime with streams: a launch is enqueued in its
// stream, as a device's launches are, and returns at once. It stands in for a device library where
// there is no device.
#include "launch_streams.h"

#include "ascendc_model.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "include/scatter_tiling.h"

namespace {

constexpr uint32_t kTilingBytes[SCATTER_KERNEL_COUNT] = SCATTER_TILING_BYTES;

constexpr uint32_t Largest()
{
    uint32_t largest = 0;
    for (uint32_t bytes : kTilingBytes) {
        largest = bytes > largest ? bytes : largest;
    }
    return largest;
}

/// A launch with a copy of its tiling, because the caller's need not outlive the call. A job that
/// its stream drops is never freed: the runtime reports it to nobody.
struct Job {
    ScatterLaunch launch;
    uint32_t kernel;
    alignas(64) uint8_t tiling[Largest()];
};

std::atomic<const ScatterRuntime*> runtime{nullptr};

/// The same of a probe.
struct ProbeJob {
    ScatterProbeLaunch launch;
    uint32_t probe;
};

/// A report of the model ends the process: behind a stream there is no caller to return it to, and
/// a wrong result must not pass for a right one.
void Expect(int32_t code)
{
    if (code == 0) {
        return;
    }
    char text[1 << 14] = "";
    ascendc_model_report_text(text, sizeof(text));
    std::fprintf(stderr, "\nthe host model of Ascend C reports:\n%s", text);
    std::abort();
}

void Run(void* argument)
{
    const std::unique_ptr<Job> job(static_cast<Job*>(argument));
    const ScatterUses uses = ScatterUsesOf(job->launch, job->kernel);
    if (runtime.load()->reach(uses.kernel, uses.all, uses.count) != 0) {
        return;
    }
    Expect(scatter_kernels_host_model()->launch(&job->launch, job->kernel, job->tiling));
}

void RunProbe(void* argument)
{
    const std::unique_ptr<ProbeJob> job(static_cast<ProbeJob*>(argument));
    const ScatterUse use = {"memory", &job->launch.memory, SCATTER_READS | SCATTER_WRITES};
    if (runtime.load()->reach("a probe", &use, 1) != 0) {
        return;
    }
    Expect(scatter_probes_host_model()->launch(&job->launch, job->probe));
}

int32_t LaunchProbe(const ScatterProbeLaunch* launch, uint32_t probe)
{
    const ScatterRuntime* const with = runtime;
    if (probe >= scatter_probes_host_model()->count || with == nullptr) {
        return SCATTER_LAUNCH_FAILED;
    }
    auto* const job = new (std::nothrow) ProbeJob{*launch, probe};
    if (job == nullptr) {
        return SCATTER_LAUNCH_FAILED;
    }
    const int32_t code = with->enqueue(launch->stream, RunProbe, job);
    if (code != 0) {
        delete job;
    }
    return code;
}

int32_t Launch(const ScatterLaunch* launch, uint32_t kernel, const void* tiling)
{
    const ScatterRuntime* const with = runtime;
    if (kernel >= SCATTER_KERNEL_COUNT || with == nullptr) {
        return SCATTER_LAUNCH_FAILED;
    }
    auto* const job = new (std::nothrow) Job{*launch, kernel, {}};
    if (job == nullptr) {
        return SCATTER_LAUNCH_FAILED;
    }
    std::memcpy(job->tiling, tiling, kTilingBytes[kernel]);
    const int32_t code = with->enqueue(launch->stream, Run, job);
    if (code != 0) {
        delete job;
    }
    return code;
}

} // namespace

extern "C" const ScatterKernels* scatter_kernels_on_streams(const ScatterRuntime* with)
{
    runtime = with;
    static const ScatterKernels kernels = {
        SCATTER_KERNELS_VERSION,
        0,
        SCATTER_TILING_BYTES,
        "the host model of Ascend C, on streams",
        Launch,
    };
    return &kernels;
}

extern "C" const ScatterProbes* scatter_probes_on_streams(const ScatterRuntime* with)
{
    runtime = with;
    const ScatterProbes* const model = scatter_probes_host_model();
    static const ScatterProbes probes = {model->version, model->count, model->names, LaunchProbe};
    return &probes;
}
