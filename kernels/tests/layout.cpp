// The offsets of the tiling structs' fields in C++, for the test of their layout in Rust.
#include <stddef.h>

#include "../include/scatter_tiling.h"

namespace {

#define SIZE(type) sizeof(type), alignof(type)
#define FIELD(type, field) offsetof(type, field), sizeof(type::field)

const uint64_t kLayout[] = {
    SIZE(ScatterAxis),
    FIELD(ScatterAxis, size), FIELD(ScatterAxis, out), FIELD(ScatterAxis, index), FIELD(ScatterAxis, src),
    FIELD(ScatterAxis, position),
    SIZE(ScatterTarget),
    FIELD(ScatterTarget, size), FIELD(ScatterTarget, out),
    SIZE(ScatterBox),
    FIELD(ScatterBox, gm), FIELD(ScatterBox, ub), FIELD(ScatterBox, element), FIELD(ScatterBox, run),
    FIELD(ScatterBox, bytes), FIELD(ScatterBox, reserved),
    SIZE(ScatterTiling),
    FIELD(ScatterTiling, dtype), FIELD(ScatterTiling, reduce), FIELD(ScatterTiling, include_self),
    FIELD(ScatterTiling, index_bytes), FIELD(ScatterTiling, out_offset), FIELD(ScatterTiling, index_offset),
    FIELD(ScatterTiling, src_offset), FIELD(ScatterTiling, outer_axes), FIELD(ScatterTiling, update_axes),
    FIELD(ScatterTiling, components), FIELD(ScatterTiling, target_axes), FIELD(ScatterTiling, outer),
    FIELD(ScatterTiling, update), FIELD(ScatterTiling, lane), FIELD(ScatterTiling, component),
    FIELD(ScatterTiling, target), FIELD(ScatterTiling, outers), FIELD(ScatterTiling, targets),
    FIELD(ScatterTiling, lane_tile), FIELD(ScatterTiling, lane_tiles), FIELD(ScatterTiling, target_part),
    FIELD(ScatterTiling, target_parts), FIELD(ScatterTiling, tasks), FIELD(ScatterTiling, runs),
    FIELD(ScatterTiling, chunk), FIELD(ScatterTiling, index_box), FIELD(ScatterTiling, src_box),
    FIELD(ScatterTiling, out_box), FIELD(ScatterTiling, line_shift), FIELD(ScatterTiling, lines),
    FIELD(ScatterTiling, slot_mask), FIELD(ScatterTiling, group), FIELD(ScatterTiling, counted),
    FIELD(ScatterTiling, has_value), FIELD(ScatterTiling, value), FIELD(ScatterTiling, told),
    FIELD(ScatterTiling, scaled), FIELD(ScatterTiling, window),
    SIZE(ScatterIndexTiling),
    FIELD(ScatterIndexTiling, index_bytes), FIELD(ScatterIndexTiling, components),
    FIELD(ScatterIndexTiling, index_offset), FIELD(ScatterIndexTiling, component),
    FIELD(ScatterIndexTiling, outer_axes), FIELD(ScatterIndexTiling, columns), FIELD(ScatterIndexTiling, outer),
    FIELD(ScatterIndexTiling, update), FIELD(ScatterIndexTiling, outers), FIELD(ScatterIndexTiling, padded),
    FIELD(ScatterIndexTiling, chunks), FIELD(ScatterIndexTiling, chunk), FIELD(ScatterIndexTiling, values),
    FIELD(ScatterIndexTiling, picks), FIELD(ScatterIndexTiling, chunk_step), FIELD(ScatterIndexTiling, sample),
    FIELD(ScatterIndexTiling, block_step), FIELD(ScatterIndexTiling, window), FIELD(ScatterIndexTiling, component_step),
    FIELD(ScatterIndexTiling, integers),
    SIZE(ScatterRowsTiling),
    FIELD(ScatterRowsTiling, dtype), FIELD(ScatterRowsTiling, reduce), FIELD(ScatterRowsTiling, include_self),
    FIELD(ScatterRowsTiling, has_value), FIELD(ScatterRowsTiling, value), FIELD(ScatterRowsTiling, out_offset),
    FIELD(ScatterRowsTiling, src_offset), FIELD(ScatterRowsTiling, outer_axes), FIELD(ScatterRowsTiling, told),
    FIELD(ScatterRowsTiling, outer), FIELD(ScatterRowsTiling, outers), FIELD(ScatterRowsTiling, targets),
    FIELD(ScatterRowsTiling, out_step), FIELD(ScatterRowsTiling, updates), FIELD(ScatterRowsTiling, src_step),
    FIELD(ScatterRowsTiling, padded), FIELD(ScatterRowsTiling, sample_at),
    FIELD(ScatterRowsTiling, sample_step), FIELD(ScatterRowsTiling, shares), FIELD(ScatterRowsTiling, row),
    FIELD(ScatterRowsTiling, piece), FIELD(ScatterRowsTiling, group), FIELD(ScatterRowsTiling, bits),
    FIELD(ScatterRowsTiling, sample), FIELD(ScatterRowsTiling, sampled), FIELD(ScatterRowsTiling, scaled),
    SIZE(ScatterElementsTiling),
    FIELD(ScatterElementsTiling, dtype), FIELD(ScatterElementsTiling, reduce),
    FIELD(ScatterElementsTiling, include_self), FIELD(ScatterElementsTiling, index_bytes),
    FIELD(ScatterElementsTiling, out_offset), FIELD(ScatterElementsTiling, index_offset),
    FIELD(ScatterElementsTiling, src_offset), FIELD(ScatterElementsTiling, form),
    FIELD(ScatterElementsTiling, told), FIELD(ScatterElementsTiling, outer_axes),
    FIELD(ScatterElementsTiling, update_axes), FIELD(ScatterElementsTiling, outer),
    FIELD(ScatterElementsTiling, update), FIELD(ScatterElementsTiling, lane), FIELD(ScatterElementsTiling, outers),
    FIELD(ScatterElementsTiling, targets), FIELD(ScatterElementsTiling, lane_tile),
    FIELD(ScatterElementsTiling, lane_tiles), FIELD(ScatterElementsTiling, target_part),
    FIELD(ScatterElementsTiling, target_parts), FIELD(ScatterElementsTiling, tasks),
    FIELD(ScatterElementsTiling, runs), FIELD(ScatterElementsTiling, chunk),
    FIELD(ScatterElementsTiling, index_box), FIELD(ScatterElementsTiling, src_box),
    FIELD(ScatterElementsTiling, out_box), FIELD(ScatterElementsTiling, held),
    FIELD(ScatterElementsTiling, held_first), FIELD(ScatterElementsTiling, held_target),
    FIELD(ScatterElementsTiling, held_lane), FIELD(ScatterElementsTiling, places),
    FIELD(ScatterElementsTiling, place_update), FIELD(ScatterElementsTiling, place_lane),
    FIELD(ScatterElementsTiling, src_update), FIELD(ScatterElementsTiling, src_lane),
    FIELD(ScatterElementsTiling, piece), FIELD(ScatterElementsTiling, counted),
    FIELD(ScatterElementsTiling, has_value), FIELD(ScatterElementsTiling, value),
    SIZE(ScatterCopyTiling),
    FIELD(ScatterCopyTiling, out_offset), FIELD(ScatterCopyTiling, self_offset),
    FIELD(ScatterCopyTiling, outer_axes), FIELD(ScatterCopyTiling, in_order),
    FIELD(ScatterCopyTiling, zeros), FIELD(ScatterCopyTiling, widened),
    FIELD(ScatterCopyTiling, repeated), FIELD(ScatterCopyTiling, reserved), FIELD(ScatterCopyTiling, outer),
    FIELD(ScatterCopyTiling, step), FIELD(ScatterCopyTiling, tile), FIELD(ScatterCopyTiling, tiles),
    FIELD(ScatterCopyTiling, tasks), FIELD(ScatterCopyTiling, self_box), FIELD(ScatterCopyTiling, out_box),
    SIZE(ScatterGatherTiling),
    FIELD(ScatterGatherTiling, form), FIELD(ScatterGatherTiling, index_bytes), FIELD(ScatterGatherTiling, out_offset),
    FIELD(ScatterGatherTiling, index_offset), FIELD(ScatterGatherTiling, src_offset),
    FIELD(ScatterGatherTiling, outer_axes), FIELD(ScatterGatherTiling, update_axes),
    FIELD(ScatterGatherTiling, outer), FIELD(ScatterGatherTiling, update), FIELD(ScatterGatherTiling, lane),
    FIELD(ScatterGatherTiling, targets), FIELD(ScatterGatherTiling, target_step),
    FIELD(ScatterGatherTiling, lane_tile), FIELD(ScatterGatherTiling, lane_tiles), FIELD(ScatterGatherTiling, tasks),
    FIELD(ScatterGatherTiling, chunk), FIELD(ScatterGatherTiling, index_box), FIELD(ScatterGatherTiling, src_box),
    FIELD(ScatterGatherTiling, out_box), FIELD(ScatterGatherTiling, group), FIELD(ScatterGatherTiling, by_scalar),
    FIELD(ScatterGatherTiling, places), FIELD(ScatterGatherTiling, held), FIELD(ScatterGatherTiling, told),
    FIELD(ScatterGatherTiling, reserved),
};

} // namespace

extern "C" const uint64_t* scatter_test_layout(uint64_t* count)
{
    *count = sizeof(kLayout) / sizeof(kLayout[0]);
    return kLayout;
}
