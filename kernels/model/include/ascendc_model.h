// Launching a kernel on the host model of Ascend C.
//
// A kernel is an ordinary C++ function that was compiled with this model's `kernel_operator.h`.
// To launch it, name the GM tensors that it may access and pass a callable that calls it:
//
//     ascendc_model::Launch launch;
//     launch.name = "scatter_rows";
//     launch.blocks = 48;
//     launch.tensors = {
//         {"src", src, src_bytes, ascendc_model::Access::Read},
//         {"out", out, out_bytes, ascendc_model::Access::ReadWrite},
//     };
//     const auto run = [&] { scatter_rows(src, out, tiling); };
//     const ascendc_model::Outcome outcome = ascendc_model::launch(launch, run);
//     if (!outcome.ok()) { puts(outcome.text().c_str()); }
//
// The callable runs once per block, on the calling thread and on helper threads at the same time;
// inside it AscendC::GetBlockIdx() is the number of the block. No mistake of the kernel becomes an
// exception or a crash as long as it accesses memory through the tensors of `kernel_operator.h`;
// accesses through a raw pointer into GM are not seen.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <string>
#include <type_traits>
#include <vector>

namespace ascendc_model {

/// What a launch may do with a GM tensor.
enum class Access : uint32_t { Read = 1, Write = 2, ReadWrite = 3 };

/// A range of GM that the kernel may access. The model itself does not access the memory, and keeps
/// no shadow of its size, so it may be a sparse mapping of any length. Ranges may overlap (a call
/// in place names self and out): they are then one range with both names and both permissions.
struct Tensor {
    const char* name = "";
    void* address = nullptr;
    uint64_t bytes = 0;
    Access access = Access::ReadWrite;
};

enum class Mode : uint32_t {
    /// Every rule is checked and instructions execute as late as is allowed, in an order that a
    /// seed decides.
    Strict = 0,
    /// No rule is checked and every instruction executes at once.
    Fast = 1,
};

/// How a launch runs. `Options::current()` is what `ascendc_model_configure` set on this thread,
/// else the environment as the first launch of the process found it: SCATTER_MODEL = strict | fast,
/// SCATTER_MODEL_SEED, SCATTER_MODEL_THREADS.
struct Options {
    Mode mode = Mode::Strict;
    /// Decides the order of blocks, the schedule of the pipes, the poison, and the order of
    /// atomics. The same seed gives the same result and the same reports for any number of threads.
    uint64_t seed = 0;
    /// Threads that run blocks, the calling thread included; 0 is one per processor.
    uint32_t threads = 0;
    /// The most reports that are kept of a launch; further ones are only counted.
    uint32_t max_reports = 32;
    /// Vector cores of the device whose time is modelled; 0 is as many as the cost table says.
    uint32_t cores = 0;
    /// The bytes of UB that a kernel may have, 248 KiB at most; 0 is what A2 and A3 have.
    uint32_t ub = 0;

    static Options current();
};

struct Launch {
    /// Appears in reports.
    const char* name = "kernel";
    /// How many blocks run, 1 to 65535. It has nothing to do with the number of threads.
    uint32_t blocks = 1;
    std::vector<Tensor> tensors;
    Options options = Options::current();
};

/// The pipes of a vector core that the model has, and the indices into `Counters::pipe`.
enum class Pipe : uint32_t { S = 0, V = 1, MTE2 = 2, MTE3 = 3 };
constexpr uint32_t kPipes = 4;
/// Settings of the costs that are only known to lie between bounds (model/cost.h).
constexpr uint32_t kSettings = 4;

/// What one pipe did. On S, `instructions` are the scalar reads and writes of UB and GM through
/// tensors.
struct PipeCounters {
    uint64_t instructions = 0;
    /// MTE2 and MTE3: bytes of GM moved. V: bytes of UB written. S: not counted.
    uint64_t bytes = 0;
    /// Repeats of 256 bytes on V; blocks (bursts) on MTE2 and MTE3.
    uint64_t repeats = 0;
    /// Cycles during which the pipe was busy, by the cautious setting of the cost table, in
    /// thousandths.
    uint64_t busy_millicycles = 0;
};

struct Counters {
    PipeCounters pipe[kPipes];
    uint64_t ub_scalar_reads = 0;
    /// Of the reads, those from the same buffer as the read before.
    uint64_t ub_scalar_next_reads = 0;
    uint64_t ub_scalar_writes = 0;
    uint64_t gm_scalar_reads = 0;
    /// Iterations of the kernel's loops, and its basic blocks, where it was compiled with
    /// -fsanitize-coverage=trace-pc.
    uint64_t scalar_iterations = 0;
    uint64_t scalar_blocks = 0;
    /// Bytes of GM read and written, by DMA.
    uint64_t gm_read_bytes = 0;
    uint64_t gm_written_bytes = 0;
    uint64_t flags = 0;
    uint64_t barriers = 0;
    /// The modelled time of the block (or, in a sum over blocks, of the longest core) in each
    /// setting of the costs, in thousandths of a cycle: pipes overlap as far as flags, barriers and
    /// issue order let them.
    uint64_t millicycles[kSettings] = {};
};

/// One broken rule.
struct Report {
    /// The name of the rule, as in the table of kernels/model/README.md, e.g. "missing-flag".
    std::string rule;
    /// What was expected and what was found.
    std::string detail;
    /// The line of kernel source that issued the instruction; "" and 0 where no line is the cause.
    std::string file;
    uint32_t line = 0;
    uint32_t block = 0;
    /// "S", "V", "MTE2", "MTE3", or "" for rules that concern no pipe.
    std::string pipe;
    /// The GM tensor's name, or "UB"; "" where none is concerned.
    std::string tensor;
    /// Byte offset into that tensor, or into UB.
    uint64_t offset = 0;

    /// `rule: kernel.cpp:12: block 3, pipe MTE2, out+4096: detail`.
    std::string text() const;
};

struct Outcome {
    /// By block, in the order in which each block issued; at most `Options::max_reports`.
    std::vector<Report> reports;
    /// How many there were in all.
    uint64_t total_reports = 0;
    /// One per block; `Counters::millicycles` of `total` is the modelled time of the launch.
    std::vector<Counters> blocks;
    Counters total;
    /// Modelled time of the launch in nanoseconds on an Ascend 910B1, in each setting (see
    /// model/cost.h): its start, then the longest block when each has a core of its own (blocks
    /// beyond the cores follow in waves), or the time that GM's bandwidth needs for all bytes,
    /// whichever is longer.
    uint64_t nanoseconds[kSettings] = {};

    bool ok() const { return total_reports == 0; }
    /// One line per report, then how many were left off; empty when there were none.
    std::string text() const;
};

/// Runs `body(context)` once per block. A `blocks` out of range or a range of GM that wraps around
/// is a report of the rule "launch", and nothing runs. Any number of threads may launch at the same
/// time.
Outcome launch(const Launch& launch, void (*body)(void* context), void* context);

template <class Body> Outcome launch(const Launch& what, Body&& body)
{
    using Callable = std::remove_reference_t<Body>;
    return launch(
        what, [](void* context) { (*static_cast<Callable*>(context))(); },
        const_cast<void*>(static_cast<const void*>(&body)));
}

} // namespace ascendc_model

extern "C" {
#endif

/// The options in C; `mode` 0 is strict, 1 is fast.
typedef struct ascendc_model_options {
    uint32_t mode;
    uint32_t threads;
    uint64_t seed;
    uint32_t max_reports;
    uint32_t cores;
    uint32_t ub;
    uint32_t reserved;
} ascendc_model_options;

/// Sums over the blocks of one launch.
typedef struct ascendc_model_counters {
    /// S, V, MTE2, MTE3.
    uint64_t instructions[4];
    uint64_t bytes[4];
    uint64_t repeats[4];
    uint64_t busy_millicycles[4];
    uint64_t ub_scalar_reads;
    uint64_t ub_scalar_next_reads;
    uint64_t ub_scalar_writes;
    uint64_t gm_scalar_reads;
    uint64_t scalar_iterations;
    uint64_t scalar_blocks;
    uint64_t gm_read_bytes;
    uint64_t gm_written_bytes;
    uint64_t flags;
    uint64_t barriers;
    /// Cycles of the longest core, in thousandths, in each setting of the costs.
    uint64_t millicycles[4];
    /// Modelled time of the launch, in each setting.
    uint64_t nanoseconds[4];
} ascendc_model_counters;

/// The model's costs in one setting: the constants of model/cost.h, where each has its source. In
/// thousandths of a cycle where a name has no other unit.
typedef struct ascendc_model_costs {
    /// The setting's name, with a zero behind it.
    char name[24];
    uint64_t cores;
    uint64_t megahertz;
    uint64_t launch_nanoseconds;
    uint64_t cann_launch_nanoseconds;
    uint64_t gm_bytes_per_cycle;
    /// Up to how many bytes of GM each of the bandwidths that follow holds.
    uint64_t gm_working_set[3];
    uint64_t gm_bytes_per_nanosecond[3];
    uint64_t copy_head;
    uint64_t copy_block;
    uint64_t unaligned_percent;
    uint64_t read_latency;
    uint64_t write_latency;
    uint64_t vector_repeat;
    uint64_t vector_repeat_conflict;
    uint64_t vector_repeat_slow;
    uint64_t vector_latency;
    uint64_t merge_record;
    uint64_t scalar_iteration;
    uint64_t scalar_block;
    uint64_t scalar_read;
    uint64_t scalar_next_read;
    uint64_t scalar_write;
    uint64_t scalar_gm;
    uint64_t gather_mask;
    uint64_t sort32;
    uint64_t gather;
} ascendc_model_costs;

/// Sets the options of the launches that this thread makes from now on; NULL restores those of the
/// environment.
void ascendc_model_configure(const ascendc_model_options* options);

/// The options that a launch from this thread would use now.
void ascendc_model_current(ascendc_model_options* options);

/// How many reports the last launch made on this thread had.
uint64_t ascendc_model_report_count(void);

/// Copies the reports of the last launch made on this thread, as `Outcome::text()`, into `text`: at
/// most `capacity` bytes including the terminating zero. Returns the length that the whole text
/// has, without the zero.
size_t ascendc_model_report_text(char* text, size_t capacity);

/// The counters of the last launch made on this thread; zeroes before the first.
void ascendc_model_last_counters(ascendc_model_counters* counters);

/// The cost table in a setting, 0 to 3; other numbers are the last one. It is that of model/cost.h,
/// unless `ascendc_model_calibrate` was called.
void ascendc_model_cost_table(uint32_t setting, ascendc_model_costs* costs);

/// Has this process model its launches with another table from now on: `costs` are kSettings of
/// them. The scalar unit's costs are taken from the first, and the settings multiply them as
/// before. Not to be called while anything is launched.
void ascendc_model_calibrate(const ascendc_model_costs* costs);

#ifdef __cplusplus
}
#endif
