// Executes copies.

#include "execute.h"
#include "lanes.h"

#include <cstring>

namespace ascendc_model {

namespace {

/// Repeats an element of `size` bytes over a range.
void fill(uint8_t* to, uint32_t bytes, const uint8_t* element, uint32_t size)
{
    for (uint32_t i = 0; i < bytes; i++) {
        to[i] = element[i % size];
    }
}

} // namespace

void execute_copy_in(const Instruction& instruction, Core& core)
{
    const Copied& copied = instruction.copied;
    const uint32_t size = size_of(copied.type);
    const uint32_t padded = copied.left + copied.length + copied.right;
    const uint32_t block = (padded + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
    // Padding without a given value is random.
    const uint64_t random = uint64_t{instruction.whim} << 32 | instruction.whim;
    const uint64_t padding = copied.pad_given ? instruction.scalar : random;
    const auto* value = reinterpret_cast<const uint8_t*>(&padding);
    if (!core.pending.empty()) {
        core.pending.settle(
            copied.gm, copied.gm + (copied.count - 1) * copied.gm_step + copied.length, core.schedule.random());
    }
    for (uint32_t i = 0; i < copied.count; i++) {
        uint8_t* to = core.ub + copied.ub + uint64_t{i} * copied.ub_step;
        std::memcpy(to + copied.left, reinterpret_cast<const void*>(copied.gm + i * copied.gm_step), copied.length);
        if (block != copied.length) {
            fill(to, copied.left, value, size);
            fill(to + copied.left + copied.length, block - copied.left - copied.length, value, size);
        }
    }
}

void execute_copy_out(const Instruction& instruction, Core& core)
{
    const Copied& copied = instruction.copied;
    if (copied.atomic == AtomicOp::None && !core.pending.empty()) {
        core.pending.settle(
            copied.gm, copied.gm + (copied.count - 1) * copied.gm_step + copied.length, core.schedule.random());
    }
    for (uint32_t i = 0; i < copied.count; i++) {
        const uint8_t* from = core.ub + copied.ub + uint64_t{i} * copied.ub_step;
        const uint64_t to = copied.gm + i * copied.gm_step;
        if (copied.atomic == AtomicOp::None) {
            std::memcpy(reinterpret_cast<void*>(to), from, copied.length);
        } else if (core.fast) {
            apply_atomic(to, from, copied.length, copied.atomic, copied.type);
        } else {
            core.pending.add(to, from, copied.length, copied.atomic, copied.type);
        }
    }
}

void execute_copy_local(const Instruction& instruction, Core& core)
{
    const Copied& copied = instruction.copied;
    for (uint32_t i = 0; i < copied.count; i++) {
        std::memmove(core.ub + copied.ub + uint64_t{i} * copied.ub_step, core.ub + copied.gm + i * copied.gm_step,
            copied.length);
    }
}

} // namespace ascendc_model
