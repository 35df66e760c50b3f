// Brcb and Gatherb, which write blocks of 32 bytes.

#include "execute.h"
#include "lanes.h"

namespace ascendc_model {

namespace {

constexpr uint32_t kBlocks = 8;

uint32_t block_address(const Lanes& lanes, uint32_t repeat, uint32_t block)
{
    return lanes.address[0] + kBlockBytes * (repeat * lanes.repeat_stride[0] + block * lanes.block_stride[0]);
}

template <typename Word> void run_broadcast(const Instruction& instruction, Core& core)
{
    const Lanes& lanes = instruction.lanes;
    for (uint32_t i = 0; i < kBlocks * lanes.repeats; i++) {
        const Word value = load<Word>(core.ub + lanes.address[1] + i * sizeof(Word));
        uint8_t* to = core.ub + block_address(lanes, i / kBlocks, i % kBlocks);
        for (uint32_t byte = 0; byte < kBlockBytes; byte += sizeof(Word)) {
            store<Word>(to + byte, value);
        }
    }
}

} // namespace

Execute find_broadcast(Type type)
{
    return size_of(type) == 2 ? run_broadcast<uint16_t> : run_broadcast<uint32_t>;
}

/// Offsets were checked when the instruction was issued.
void execute_gather_blocks(const Instruction& instruction, Core& core)
{
    const Lanes& lanes = instruction.lanes;
    for (uint32_t i = 0; i < kBlocks * lanes.repeats; i++) {
        const auto offset = load<uint32_t>(core.ub + lanes.address[2] + i * sizeof(uint32_t));
        std::memcpy(
            core.ub + block_address(lanes, i / kBlocks, i % kBlocks), core.ub + lanes.address[1] + offset, kBlockBytes);
    }
}

} // namespace ascendc_model
