// TransDataTo5HD.

#include "execute.h"
#include "core.h"

namespace ascendc_model {

void execute_transpose(const Instruction& instruction, Core& core)
{
    const Transposed& all = instruction.transposed;
    const uint32_t size = all.size;
    // The elements of each block of src; for types of 8 bits, half a block is used.
    const uint32_t elements = std::min(kTransposedBlocks, kBlockBytes / size);
    for (uint32_t repeat = 0; repeat < all.repeats; repeat++) {
        uint8_t from[kTransposedBlocks][kBlockBytes];
        for (uint32_t i = 0; i < kTransposedBlocks; i++) {
            std::memcpy(from[i], core.ub + (all.src[i] + repeat * all.src_stride) * kBlockBytes, kBlockBytes);
        }
        for (uint32_t element = 0; element < elements; element++) {
            for (uint32_t block = 0; block < kTransposedBlocks; block++) {
                const uint32_t place = element * kTransposedBlocks + block;
                const uint32_t to = (all.dst[place / elements] + repeat * all.dst_stride) * kBlockBytes +
                    all.dst_offset + place % elements * size;
                std::memcpy(core.ub + to, from[block] + all.src_offset + element * size, size);
            }
        }
    }
}

} // namespace ascendc_model
