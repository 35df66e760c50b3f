#include "core.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace ascendc_model {

__thread Core* current_core = nullptr;

namespace {

// A kernel that breaks this many rules is stopped; further reports would only repeat these.
constexpr uint64_t kMostReports = 1000;

uint8_t* new_ub()
{
    void* memory = nullptr;
    if (posix_memalign(&memory, 4096, kUbBytes) != 0) {
        throw std::bad_alloc();
    }
    std::memset(memory, 0, kUbBytes);
    return static_cast<uint8_t*>(memory);
}

} // namespace

Core::Core() : ub(new_ub()) { }

Core::~Core()
{
    std::free(ub);
}

void Core::begin(const LaunchState& launch_state, uint32_t index)
{
    const Options& options = launch_state.launch->options;
    state = &launch_state;
    block = index;
    fast = options.mode == Mode::Fast;
    scalar.begin();
    settled_ = Cycles();
    dead = closing = false;
    if (clocks.worn()) {
        clocks.reset();
        shadow.clear();
    }
    clocks.begin();
    Random random(options.seed);
    const uint64_t mixed = random.next() ^ (uint64_t{index} << 32 | index);
    schedule.begin(mixed);
    buffers.clear();
    buffers.pipe_open = false;
    buffers.pipe = nullptr;
    time.begin();
    counters = Counters();
    global.clear();
    recent_reads.clear();
    recent_writes.clear();
    pending.clear();
    for (auto& ids : flags) {
        for (Flag& flag : ids) {
            flag.set = false;
        }
    }
    std::memset(allocated_events, 0, sizeof allocated_events);
    mask_mode = AscendC::MaskMode::NORMAL;
    mask[0] = mask[1] = UINT64_MAX;
    mask_owner = MaskOwner::Kernel;
    merge_suspended = false;
    atomic = AtomicOp::None;
    reports.clear();
    total_reports = 0;
}

/// Checks for state that would affect the next kernel, and for buffers that are not freed.
void Core::check_left_behind()
{
    for (uint32_t event = 0; event < kEvents; event++) {
        for (uint32_t id = 0; id < kEventIds; id++) {
            if (flags[event][id].set) {
                report(Rule::FlagLeftSet, flags[event][id].site, {name_of(static_cast<Pipe>(event / kPipes)), "", 0},
                    "the flag from %s to %s with id %u is set and never waited for: it would meet the next kernel",
                    name_of(static_cast<Pipe>(event / kPipes)), name_of(static_cast<Pipe>(event % kPipes)), id);
            }
        }
    }
    for (uint32_t i = 0; i < buffers.count; i++) {
        const Buffer& buffer = buffers.all[i];
        if (buffer.state != Buffer::State::Free && buffer.state != Buffer::State::Always) {
            report(Rule::BufferLeak, buffer.site, {"", "UB", buffer.address},
                "a buffer of a %s queue is not freed at the end of the kernel", buffer.position);
        }
    }
    if (atomic != AtomicOp::None) {
        report(Rule::AtomicLeftOn, atomic_site, {"S", "", 0},
            "atomic accumulation is still on at the end of the kernel: it would meet the next one");
    }
    if (mask_mode != AscendC::MaskMode::NORMAL) {
        report(Rule::MaskLeftSet, mask_mode_site, {"S", "", 0},
            "counter mode is still set at the end of the kernel: it would meet the next one");
    } else if (mask_owner == MaskOwner::Kernel && (mask[0] != UINT64_MAX || mask[1] != UINT64_MAX)) {
        report(Rule::MaskLeftSet, mask_site, {"S", "", 0},
            "the mask is still set at the end of the kernel: it would meet the next one");
    }
}

void Core::end()
{
    if (!dead && !fast) {
        check_left_behind();
    }
    if (!dead) {
        schedule.drain_all(*this);
    }
    settle_scalar();
    counters.pipe[index_of(Pipe::S)].instructions = scalar.reads + scalar.writes + scalar.gm_reads;
    counters.ub_scalar_reads = scalar.reads;
    counters.ub_scalar_next_reads = scalar.next_reads;
    counters.ub_scalar_writes = scalar.writes;
    counters.gm_scalar_reads = scalar.gm_reads;
    counters.scalar_iterations = scalar.iterations;
    counters.scalar_blocks = scalar.blocks;
    for (Pipe pipe : {Pipe::S, Pipe::V, Pipe::MTE2, Pipe::MTE3}) {
        counters.pipe[index_of(pipe)].busy_millicycles = time.busy(pipe);
    }
    std::memcpy(counters.millicycles, time.end().of, sizeof counters.millicycles);
}

void Core::abandon(const char* what)
{
    if (!dead) {
        report(Rule::Fault, Site{}, {}, "the kernel left its block by an exception: %s", what);
    }
    dead = true;
}

void Core::note(Rule rule, const Site& site, const Place& place, const char* format, std::va_list arguments)
{
    total_reports++;
    if (reports.size() >= state->launch->options.max_reports) {
        return;
    }
    char detail[512];
    std::vsnprintf(detail, sizeof detail, format, arguments);
    Report one;
    one.rule = name_of(rule);
    one.detail = detail;
    one.file = site.file;
    one.line = site.line;
    one.block = block;
    one.pipe = place.pipe;
    one.tensor = place.tensor;
    one.offset = place.offset;
    reports.push_back(std::move(one));
}

void Core::report(Rule rule, const Site& site, const Place& place, const char* format, ...)
{
    if (dead) {
        return;
    }
    std::va_list arguments;
    va_start(arguments, format);
    note(rule, site, place, format, arguments);
    va_end(arguments);
    if (total_reports == kMostReports && !closing) {
        fault(Rule::TooManyReports, site, place, "the block is ended after %llu reports",
            static_cast<unsigned long long>(kMostReports));
    }
}

void Core::fault(Rule rule, const Site& site, const Place& place, const char* format, ...)
{
    if (!dead) {
        std::va_list arguments;
        va_start(arguments, format);
        note(rule, site, place, format, arguments);
        va_end(arguments);
    }
    dead = true;
    if (!closing) {
        throw BlockEnded();
    }
}

void Core::report_hazard(Pipe pipe, bool write, const Hazard& hazard, const Site& site)
{
    const bool same = hazard.pipe == pipe;
    const std::string earlier = hazard.pipe == Pipe::S ? text_of(scalar_sites.last(hazard.offset, hazard.wrote))
                                                       : where(hazard.pipe, hazard.number);
    report(same ? Rule::MissingBarrier : Rule::MissingFlag, site, {name_of(pipe), "UB", hazard.offset},
        "%s %s what %s %s at %s, and no %s orders them", name_of(pipe), write ? "writes" : "reads",
        name_of(hazard.pipe), hazard.wrote ? "wrote" : "read", earlier.c_str(), same ? "PipeBarrier" : "flag");
}

std::string Core::where(Pipe pipe, uint32_t number) const
{
    return text_of(clocks.site(pipe, number));
}

bool Core::usable(const Local& tensor, const Site& site, const char* pipe)
{
    if (tensor.buffer >= buffers.count) {
        report(Rule::UseAfterFree, site, {pipe, "UB", tensor.address},
            "the tensor belongs to no buffer: it was never given one by a queue or TBuf");
        return false;
    }
    const Buffer& buffer = buffers.all[tensor.buffer];
    if (buffer.generation != tensor.generation || buffer.state == Buffer::State::Free) {
        report(Rule::UseAfterFree, site, {pipe, "UB", tensor.address},
            "the tensor's buffer in a %s queue has been freed", buffer.position);
        return false;
    }
    if (buffer.state == Buffer::State::Queued) {
        report(Rule::QueueState, site, {pipe, "UB", tensor.address},
            "the tensor is in a %s queue: between EnQue and DeQue nobody may use it", buffer.position);
    }
    return true;
}

bool Core::inside(const Local& tensor, uint64_t begin, uint64_t end, const Site& site, const char* pipe)
{
    const Buffer& buffer = buffers.all[tensor.buffer];
    const uint64_t tensor_end =
        std::min<uint64_t>(uint64_t{tensor.address} + tensor.bytes, buffer.address + buffer.bytes);
    if (begin >= buffer.address && begin >= tensor.address && end <= tensor_end) {
        return tensor.is_part || buffer.parts.empty() || within_parts(buffer, begin, end, site, pipe);
    }
    report(Rule::UbBounds, site, {pipe, "UB", begin},
        "bytes %llu to %llu are touched, the tensor has %llu to %llu in a buffer of %u to %u",
        static_cast<unsigned long long>(begin), static_cast<unsigned long long>(end),
        static_cast<unsigned long long>(tensor.address), static_cast<unsigned long long>(tensor_end), buffer.address,
        buffer.address + buffer.bytes);
    return false;
}

void Core::issue(Pipe pipe, const Instruction& instruction)
{
    if (fast) {
        instruction.execute(instruction, *this);
    } else {
        schedule.issue(pipe, instruction, *this);
    }
}

void Core::settle_scalar()
{
    const Cycles all = scalar.cost();
    Cycles since;
    for (uint32_t i = 0; i < kSettings; i++) {
        since.of[i] = all.of[i] - settled_.of[i];
    }
    time.scalar(since);
    settled_ = all;
}

int64_t block_index()
{
    return core().block;
}

int64_t block_count()
{
    return core().state->launch->blocks;
}

void report_narrowed(const char* parameter, uint64_t value, uint64_t most, const Site& site)
{
    // Where no block runs there is no instruction to attribute it to.
    if (current_core != nullptr && !current_core->fast) {
        core().report(Rule::Parameter, site, {}, "%s: %lld given, 0 to %llu can be held", parameter,
            static_cast<long long>(value), static_cast<unsigned long long>(most));
    }
}

void unsupported(const char* what, const Site& site)
{
    core().fault(Rule::Unsupported, site, {}, "%s is not run by the model", what);
}

void assertion_failed(const char* what, const Site& site)
{
    if (!core().fast) {
        core().fault(Rule::Fault, site, {}, "the assertion %s does not hold", what);
    }
}

void refuse_parameter(const char* what, const Site& site)
{
    if (!core().fast) {
        core().report(Rule::Parameter, site, {}, "%s", what);
    }
}

} // namespace ascendc_model
