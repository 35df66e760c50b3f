// GatherMask: packs the chosen elements of a tensor.

#include "execute.h"
#include "packed.h"
#include "random.h"

namespace ascendc_model {

/// In order, so that a tensor may be packed in place: no element moves to a higher address.
void execute_gather_mask(const Instruction& instruction, Core& core)
{
    const Packed& packed = instruction.packed;
    uint32_t to = packed.dst;
    uint32_t left = packed.kept;
    for_each_chosen(packed, core.ub, [&](uint32_t from) {
        if (left > 0) {
            std::memmove(core.ub + to, core.ub + from, packed.size);
            to += packed.size;
            left--;
        }
    });
    if ((instruction.whim & 1) != 0) {
        Random garbage(instruction.whim);
        for (; to < packed.end; to++) {
            core.ub[to] = static_cast<uint8_t>(garbage.next());
        }
    }
}

} // namespace ascendc_model
