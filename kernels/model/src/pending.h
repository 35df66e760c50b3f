// Atomic copies to GM that were executed but not yet applied to GM: their order is undefined, so it
// is random.
#pragma once

#include "instruction.h"
#include "random.h"

#include <vector>

namespace ascendc_model {

class PendingAtomics {
public:
    void clear();
    bool empty() const { return copies_.empty(); }
    /// Keeps `bytes` from UB until they are applied.
    void add(uint64_t gm, const uint8_t* data, uint32_t bytes, AtomicOp op, Type type);
    /// Applies, in random order, the copies that overlap a range which the block itself is about to
    /// access.
    void settle(uint64_t begin, uint64_t end, Random& random);
    /// Takes over the copies of another block.
    void take(PendingAtomics& other);
    void apply_all(Random& random);

private:
    struct Copy {
        uint64_t gm;
        size_t data;
        uint32_t bytes;
        AtomicOp op;
        Type type;
    };
    void apply(std::vector<Copy>& copies, Random& random);

    std::vector<Copy> copies_;
    std::vector<uint8_t> data_;
};

/// Adds `bytes` bytes at `data` to the values at `gm`; may be called from several threads at once.
void apply_atomic(uint64_t gm, const uint8_t* data, uint32_t bytes, AtomicOp op, Type type);

} // namespace ascendc_model
