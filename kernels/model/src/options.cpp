#include "options.h"

#include <cstdlib>
#include <cstring>

namespace ascendc_model {

namespace {

uint64_t number_in(const char* variable, uint64_t otherwise)
{
    const char* text = std::getenv(variable);
    if (text == nullptr || *text == '\0') {
        return otherwise;
    }
    char* end = nullptr;
    const uint64_t value = std::strtoull(text, &end, 0);
    return *end == '\0' ? value : otherwise;
}

Options from_environment()
{
    Options options;
    const char* mode = std::getenv("SCATTER_MODEL");
    if (mode != nullptr && std::strcmp(mode, "fast") == 0) {
        options.mode = Mode::Fast;
    }
    options.seed = number_in("SCATTER_MODEL_SEED", options.seed);
    options.threads = static_cast<uint32_t>(number_in("SCATTER_MODEL_THREADS", options.threads));
    return options;
}

/// The state that the C functions keep per thread.
struct PerThread {
    bool configured = false;
    Options options;
    uint64_t report_count = 0;
    std::string report_text;
    ascendc_model_counters counters = {};
};

PerThread& per_thread()
{
    static thread_local PerThread state;
    return state;
}

} // namespace

Options Options::current()
{
    static const Options environment = from_environment();
    const PerThread& state = per_thread();
    return state.configured ? state.options : environment;
}

void remember(const Outcome& outcome)
{
    PerThread& state = per_thread();
    state.report_count = outcome.total_reports;
    state.report_text = outcome.text();
    ascendc_model_counters& counters = state.counters;
    counters = {};
    for (uint32_t i = 0; i < kPipes; i++) {
        counters.instructions[i] = outcome.total.pipe[i].instructions;
        counters.bytes[i] = outcome.total.pipe[i].bytes;
        counters.repeats[i] = outcome.total.pipe[i].repeats;
        counters.busy_millicycles[i] = outcome.total.pipe[i].busy_millicycles;
    }
    counters.ub_scalar_reads = outcome.total.ub_scalar_reads;
    counters.ub_scalar_next_reads = outcome.total.ub_scalar_next_reads;
    counters.ub_scalar_writes = outcome.total.ub_scalar_writes;
    counters.gm_scalar_reads = outcome.total.gm_scalar_reads;
    counters.scalar_iterations = outcome.total.scalar_iterations;
    counters.scalar_blocks = outcome.total.scalar_blocks;
    counters.gm_read_bytes = outcome.total.gm_read_bytes;
    counters.gm_written_bytes = outcome.total.gm_written_bytes;
    counters.flags = outcome.total.flags;
    counters.barriers = outcome.total.barriers;
    std::memcpy(counters.millicycles, outcome.total.millicycles, sizeof counters.millicycles);
    std::memcpy(counters.nanoseconds, outcome.nanoseconds, sizeof counters.nanoseconds);
}

} // namespace ascendc_model

using ascendc_model::Mode;
using ascendc_model::Options;

extern "C" {

void ascendc_model_configure(const ascendc_model_options* options)
{
    ascendc_model::PerThread& state = ascendc_model::per_thread();
    state.configured = options != nullptr;
    if (options != nullptr) {
        state.options.mode = options->mode == 1 ? Mode::Fast : Mode::Strict;
        state.options.threads = options->threads;
        state.options.seed = options->seed;
        state.options.max_reports = options->max_reports;
        state.options.cores = options->cores;
        state.options.ub = options->ub;
    }
}

void ascendc_model_current(ascendc_model_options* options)
{
    const Options current = Options::current();
    *options = ascendc_model_options{static_cast<uint32_t>(current.mode), current.threads, current.seed,
        current.max_reports, current.cores, current.ub, 0};
}

uint64_t ascendc_model_report_count(void)
{
    return ascendc_model::per_thread().report_count;
}

size_t ascendc_model_report_text(char* text, size_t capacity)
{
    const std::string& whole = ascendc_model::per_thread().report_text;
    if (capacity > 0) {
        const size_t length = whole.size() < capacity ? whole.size() : capacity - 1;
        std::memcpy(text, whole.data(), length);
        text[length] = '\0';
    }
    return whole.size();
}

void ascendc_model_last_counters(ascendc_model_counters* counters)
{
    *counters = ascendc_model::per_thread().counters;
}
}
