// Disjoint bytes of two blocks in one line of 32 bytes of GM.

#include "planted_ones.h"

using namespace AscendC;

namespace planted {

namespace {

uint32_t block()
{
    return static_cast<uint32_t>(GetBlockIdx());
}

/// Whole blocks of 32 bytes, which begin in the middle of a line.
void copies_within_lines(const Call& call)
{
    Ones use;
    use.ready();
    DataCopy(output(call)[block() * kTile + (call.broken ? 4 : 0)], use.a, kTile);
}

bool three_tiles(const float* out)
{
    return is_all<3 * kTile, 1>(out) && out[3 * kTile] == -1;
}

/// A copy of whole blocks, and one of a few bytes by another block of the kernel.
void copy_beside_a_padded_one(const Call& call)
{
    Ones use;
    use.ready();
    if (block() == 0) {
        DataCopy(output(call)[call.broken ? 4 : 8], use.a, 8);
    } else {
        DataCopyPad(output(call), use.a, DataCopyExtParams(1, sizeof(float), 0, 0, 0));
    }
}

bool one_apart(const float* out)
{
    return out[0] == 1 && out[1] == -1 && out[7] == -1 && is_all<8, 1>(out + 8);
}

void atomic_beside_a_plain_one(const Call& call)
{
    Ones use;
    use.ready();
    const uint32_t at = call.broken ? 1 : 8;
    if (block() == 0) {
        SetAtomicAdd<float>();
    }
    DataCopyPad(output(call)[block() * at], use.a, DataCopyExtParams(1, sizeof(float), 0, 0, 0));
    SetAtomicNone();
}

bool sum_and_one(const float* out)
{
    return out[0] == 0 && out[1] == -1 && out[8] == 1;
}

} // namespace

std::vector<Bug> line_bugs()
{
    return {
        {"copies of two blocks that meet within a line", "gm-shared-line", 3, copies_within_lines, three_tiles},
        {"a copy beside another block's bytes", "gm-shared-line", 2, copy_beside_a_padded_one, one_apart},
        {"an atomic beside another block's bytes", "gm-shared-line", 2, atomic_beside_a_plain_one, sum_and_one},
    };
}

} // namespace planted
