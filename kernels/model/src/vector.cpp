// Issuing a vector instruction: its extent, its cost, its place in the queue.

#include "vector_issue.h"

namespace ascendc_model {

Extent Extent::lanes(uint64_t lanes, uint64_t repeat)
{
    Extent extent{Kind::Bits, repeat, static_cast<int64_t>(lanes), {UINT64_MAX, UINT64_MAX}};
    if (lanes < 128) {
        extent.mask[1] = lanes <= 64 ? 0 : (uint64_t{1} << (lanes - 64)) - 1;
    }
    if (lanes < 64) {
        extent.mask[0] = (uint64_t{1} << lanes) - 1;
    }
    return extent;
}

namespace {

constexpr const char* kNames[] = {"Add", "Sub", "Mul", "Div", "Max", "Min", "And", "Or", "Not", "Abs", "Adds", "Muls",
    "Maxs", "Mins", "ShiftLeft", "ShiftRight", "Duplicate", "Copy", "Cast", "Compare", "CompareScalar", "Select",
    "Select", "Gather", "CreateVecIndex", "ReduceSum", "ReduceMax", "ReduceMin", "Axpy", "MulAddDst", "Brcb", "Gatherb",
    "GatherMask", "Sort32", "MrgSort", "TransDataTo5HD"};

/// Whether the two sources of an instruction lie in the same groups of banks (see cost.h).
bool in_conflict(const VectorIssue& issue)
{
    const uint32_t blocks = (issue.operands[1].tensor.address - issue.operands[2].tensor.address) / kBlockBytes;
    return blocks % 16 != 8;
}

/// The cost of an instruction without its latency.
Cycles cost_of(const VectorIssue& issue)
{
    const Lanes& lanes = issue.instruction.lanes;
    const auto repeats = [&](uint64_t each) { return Cycles::same(lanes.repeats * each); };
    switch (issue.op) {
    case VectorOp::Cast:
    case VectorOp::Compare:
    case VectorOp::CompareScalar:
    case VectorOp::Select:
    case VectorOp::SelectScalar:
    case VectorOp::Gatherb: return repeats(costs.vector_repeat_slow);
    case VectorOp::Div: return repeats(cost::kVectorRepeatDiv);
    case VectorOp::ReduceSum:
    case VectorOp::ReduceMax:
    case VectorOp::ReduceMin: return repeats(cost::kVectorRepeatReduce);
    // The real function issues an instruction for each 256 bytes, each after a barrier.
    case VectorOp::VecIndex: return repeats(costs.vector_repeat + costs.vector_latency);
    case VectorOp::Gather: return Cycles::times(lanes.count, &cost::Setting::gather);
    default:
        return repeats(
            issue.operand_count >= 3 && in_conflict(issue) ? costs.vector_repeat_conflict : costs.vector_repeat);
    }
}

} // namespace

const char* name_of(VectorOp op)
{
    return kNames[static_cast<uint8_t>(op)];
}

Execute VectorIssue::find() const
{
    const Type type = operands[0].type;
    switch (op) {
    case VectorOp::Cast: return find_cast(type, operands[1].type, static_cast<AscendC::RoundMode>(variant));
    case VectorOp::Compare:
    case VectorOp::CompareScalar: return find_compare(op, operands[1].type, static_cast<AscendC::CMPMODE>(variant));
    case VectorOp::Select:
    case VectorOp::SelectScalar: return find_select(op, type);
    case VectorOp::Gather: return find_gather(type);
    case VectorOp::Gatherb: return execute_gather_blocks;
    case VectorOp::Brcb: return find_broadcast(type);
    case VectorOp::VecIndex: return find_vec_index(type);
    case VectorOp::ReduceSum:
    case VectorOp::ReduceMax:
    case VectorOp::ReduceMin: return find_reduce(op, type);
    case VectorOp::Axpy:
    case VectorOp::MulAddDst: return find_multiply_add(op, type, operands[1].type);
    default: return find_arithmetic(op, type);
    }
}

uint32_t VectorIssue::per_repeat() const
{
    uint32_t widest = 0;
    // A Gather's offsets and a comparison's bits have strides that don't depend on the type.
    const uint32_t typed = is_gather(op) ? 2 : operand_count;
    for (uint32_t i = 0; i < typed; i++) {
        widest = std::max(widest, size_of(operands[i].type));
    }
    return kRepeatBytes / widest;
}

bool VectorIssue::count_of(int64_t count)
{
    if (count < 0 || count > kUbBytes) {
        return refuse(Rule::Parameter, 0, "%s: a count of %lld elements", static_cast<long long>(count));
    }
    // On dav-2201 the real function gives the whole repeats to one instruction, whose repeatTime
    // has 8 bits.
    if (!at.fast && op == VectorOp::Gather && count / per_repeat() > kMostRepeats) {
        return refuse(Rule::Parameter, operands[0].tensor.address, "%s: %lld elements, at most %u repeats of %u",
            static_cast<long long>(count), kMostRepeats, per_repeat());
    }
    lanes().count = static_cast<uint32_t>(count);
    lanes().repeats = (lanes().count + lanes().per_repeat - 1) / lanes().per_repeat;
    lanes().mask[0] = lanes().mask[1] = UINT64_MAX;
    return count != 0;
}

bool VectorIssue::resolve(const Extent& extent)
{
    lanes().per_repeat = per_repeat();
    if (extent.kind == Extent::Kind::Count) {
        // The real function sets counter mode, and afterwards normal mode and a full mask.
        at.mask_mode = AscendC::MaskMode::NORMAL;
        at.set_mask(UINT64_MAX, UINT64_MAX, Core::MaskOwner::Instruction, site);
        return count_of(extent.count);
    }
    if (extent.kind == Extent::Kind::Bits) {
        if (at.mask_mode != AscendC::MaskMode::NORMAL) {
            return refuse(Rule::Mask, 0, "%s: a mask of lanes is given in counter mode");
        }
        if (extent.count > lanes().per_repeat) {
            return refuse(Rule::Mask, 0, "%s: %lld lanes, a repeat has %u", static_cast<long long>(extent.count),
                lanes().per_repeat);
        }
        at.set_mask(extent.mask[1], extent.mask[0], Core::MaskOwner::Instruction, site);
    } else {
        check_held_mask();
        if (at.mask_mode == AscendC::MaskMode::COUNTER) {
            return count_of(static_cast<int64_t>(std::min<uint64_t>(at.mask[0], UINT32_MAX)));
        }
    }
    if (at.mask[0] == 0 && (at.mask[1] == 0 || lanes().per_repeat <= 64)) {
        return refuse(Rule::Mask, 0, "%s: the mask enables no lane");
    }
    lanes().mask[0] = at.mask[0];
    lanes().mask[1] = at.mask[1];
    if (!check_repeat(extent.repeat)) {
        return false;
    }
    lanes().repeats = static_cast<uint8_t>(extent.repeat);
    lanes().count = lanes().repeats * lanes().per_repeat;
    return lanes().repeats != 0;
}

bool VectorIssue::is_contiguous() const
{
    const Lanes& all = instruction.lanes;
    const bool full = all.mask[0] == UINT64_MAX && (all.mask[1] == UINT64_MAX || all.per_repeat <= 64);
    bool in_a_row = full;
    for (uint32_t i = 0; i < operand_count && in_a_row; i++) {
        const uint32_t step = size_of(operands[i].type) * all.per_repeat / kBlockBytes;
        in_a_row = operands[i].block_stride == 1 && (operands[i].repeat_stride == step || all.repeats == 1);
    }
    // These have no strides of their own.
    return in_a_row || is_comparison(op) || is_selection(op) || is_reduction(op) || op == VectorOp::VecIndex;
}

void VectorIssue::send(const Cycles& cost, uint64_t repeats, uint64_t bytes)
{
    PipeCounters& counters = at.counters.pipe[index_of(Pipe::V)];
    counters.instructions++;
    counters.repeats += repeats;
    counters.bytes += bytes;
    at.time.issue(Pipe::V, cost, costs.vector_latency);
    at.issue(Pipe::V, instruction);
}

void vector(VectorOp op, const Operand* operands, uint32_t operand_count, const Extent& extent, uint8_t variant,
    uint64_t scalar, const Site& site)
{
    Core& at = core();
    if (at.dead) {
        return;
    }
    VectorIssue issue{at, op, operands, operand_count, variant, site, Instruction()};
    Instruction& instruction = issue.instruction;
    instruction.variant = variant;
    instruction.scalar = scalar;
    instruction.execute = issue.find();
    if (instruction.execute == nullptr) {
        issue.refuse(Rule::DataType, operands[0].tensor.address,
            "%s: dav-2201 has no such form for these data types (mode %u)", variant);
        return;
    }
    if (!issue.resolve(extent)) {
        return;
    }
    Lanes& lanes = instruction.lanes;
    for (uint32_t i = 0; i < operand_count; i++) {
        lanes.address[i] = operands[i].tensor.address;
        lanes.block_stride[i] = operands[i].block_stride;
        lanes.repeat_stride[i] = operands[i].repeat_stride;
    }
    lanes.contiguous = issue.is_contiguous();
    at.settle_scalar();
    if (!at.fast) {
        if (!issue.check()) {
            return;
        }
        const uint32_t number = at.clocks.issue(Pipe::V, site);
        for (uint32_t i = 0; i < operand_count; i++) {
            issue.for_each_range(i, [&](uint32_t begin, uint32_t end) {
                issue.record(i == 0 || (is_reduction(op) && i == 2), begin, end, number);
            });
        }
        if (op == VectorOp::VecIndex && lanes.count * size_of(operands[0].type) < kBlockBytes) {
            const uint32_t address = operands[0].tensor.address;
            issue.record(true, address, address + kBlockBytes, number);
        }
        if (is_gather(op)) {
            const Local& src = operands[1].tensor;
            issue.record(false, src.address, src.address + src.bytes, number);
        }
        instruction.whim = static_cast<uint32_t>(at.schedule.random().next());
    }
    issue.send(cost_of(issue), lanes.repeats, uint64_t{lanes.count} * size_of(operands[0].type));
}

} // namespace ascendc_model
