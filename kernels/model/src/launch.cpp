// A launch: runs its blocks, in an order that the seed decides, and finds their conflicts.

#include "conflicts.h"
#include "core.h"
#include "options.h"
#include "workers.h"

#include <atomic>
#include <numeric>
#include <thread>

namespace ascendc_model {

namespace {

constexpr uint32_t kMostLaunched = 65535;

struct BlockResult {
    std::vector<Report> reports;
    uint64_t total_reports = 0;
    Counters counters;
    GlobalLog global;
    PendingAtomics pending;
};

std::vector<uint32_t> shuffled(uint32_t count, Random& random)
{
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    for (uint32_t left = count; left > 1; left--) {
        std::swap(order[left - 1], order[random.next() % left]);
    }
    return order;
}

Outcome refused(const std::string& why)
{
    Outcome outcome;
    Report report;
    report.rule = name_of(Rule::Launch);
    report.detail = why;
    outcome.reports.push_back(report);
    outcome.total_reports = 1;
    return outcome;
}

void run_block(Core& core, const LaunchState& state, uint32_t block, void (*body)(void*), void* context)
{
    core.begin(state, block);
    try {
        body(context);
    } catch (const BlockEnded&) {
        // It was reported where it happened.
    } catch (const std::exception& error) {
        core.abandon(error.what());
    } catch (...) {
        core.abandon("of an unknown type");
    }
    try {
        core.end();
    } catch (const BlockEnded&) {
        // There were too many reports in all.
    }
}

void add(Counters& total, const Counters& one)
{
    for (uint32_t i = 0; i < kPipes; i++) {
        total.pipe[i].instructions += one.pipe[i].instructions;
        total.pipe[i].bytes += one.pipe[i].bytes;
        total.pipe[i].repeats += one.pipe[i].repeats;
        total.pipe[i].busy_millicycles += one.pipe[i].busy_millicycles;
    }
    total.ub_scalar_reads += one.ub_scalar_reads;
    total.ub_scalar_next_reads += one.ub_scalar_next_reads;
    total.ub_scalar_writes += one.ub_scalar_writes;
    total.gm_scalar_reads += one.gm_scalar_reads;
    total.scalar_iterations += one.scalar_iterations;
    total.scalar_blocks += one.scalar_blocks;
    total.gm_read_bytes += one.gm_read_bytes;
    total.gm_written_bytes += one.gm_written_bytes;
    total.flags += one.flags;
    total.barriers += one.barriers;
}

/// The longest core, when block i runs on core i modulo the number of cores.
uint64_t longest_core(const std::vector<Counters>& blocks, uint32_t number_of_cores, uint32_t setting)
{
    std::vector<uint64_t> cores(number_of_cores != 0 ? number_of_cores : costs.cores);
    for (size_t i = 0; i < blocks.size(); i++) {
        cores[i % cores.size()] += blocks[i].millicycles[setting];
    }
    return *std::max_element(cores.begin(), cores.end());
}

/// `gm` are the bytes of the tensors that the launch names, of which it may move only a part.
uint64_t modelled_nanoseconds(const Counters& total, uint64_t gm, uint32_t setting)
{
    const uint64_t moved = total.gm_read_bytes + total.gm_written_bytes;
    const uint64_t memory = moved / costs.bytes_per_nanosecond(std::min(gm, moved));
    return costs.launch_nanoseconds + std::max(total.millicycles[setting] / costs.megahertz, memory);
}

Outcome run(const Launch& what, void (*body)(void* context), void* context)
{
    LaunchState state;
    state.launch = &what;
    std::string why = state.regions.build(what.tensors);
    if (what.blocks == 0 || what.blocks > kMostLaunched) {
        why = std::to_string(what.blocks) + " blocks; a launch has 1 to " + std::to_string(kMostLaunched);
    }
    if (!why.empty()) {
        return refused(std::string(what.name) + ": " + why);
    }
    const bool strict = what.options.mode == Mode::Strict;
    Random random(what.options.seed ^ 0x6c61756e6368ull);
    std::vector<uint32_t> order = shuffled(what.blocks, random);
    std::vector<BlockResult> results(what.blocks);
    std::atomic<uint32_t> next{0};
    const uint32_t threads =
        what.options.threads != 0 ? what.options.threads : std::max(1u, std::thread::hardware_concurrency());
    run_on_workers(std::min(threads, what.blocks) - 1, [&](Core& core) {
        for (uint32_t i = next++; i < what.blocks; i = next++) {
            run_block(core, state, order[i], body, context);
            BlockResult& result = results[order[i]];
            result.reports.swap(core.reports);
            result.total_reports = core.total_reports;
            result.counters = core.counters;
            std::swap(result.global, core.global);
            std::swap(result.pending, core.pending);
        }
    });

    Outcome outcome;
    PendingAtomics pending;
    std::vector<GlobalLog> logs(strict ? what.blocks : 0);
    for (uint32_t block = 0; block < what.blocks; block++) {
        BlockResult& result = results[block];
        outcome.total_reports += result.total_reports;
        for (Report& report : result.reports) {
            if (outcome.reports.size() < what.options.max_reports) {
                outcome.reports.push_back(std::move(report));
            }
        }
        outcome.blocks.push_back(result.counters);
        add(outcome.total, result.counters);
        if (strict) {
            pending.take(result.pending);
            logs[block] = std::move(result.global);
        }
    }
    pending.apply_all(random);
    if (strict) {
        find_conflicts(logs, state.regions, what.options.max_reports, outcome);
    }
    for (uint32_t setting = 0; setting < kSettings; setting++) {
        outcome.total.millicycles[setting] = longest_core(outcome.blocks, what.options.cores, setting);
        outcome.nanoseconds[setting] = modelled_nanoseconds(outcome.total, state.regions.bytes(), setting);
    }
    return outcome;
}

} // namespace

Outcome launch(const Launch& what, void (*body)(void* context), void* context)
{
    Outcome outcome;
    try {
        outcome = run(what, body, context);
    } catch (const std::exception& error) {
        // For example, the system is out of memory; what the launch had allocated is freed by now.
        outcome = refused(std::string(what.name) + ": the host model stopped: " + error.what());
    }
    remember(outcome);
    return outcome;
}

} // namespace ascendc_model
