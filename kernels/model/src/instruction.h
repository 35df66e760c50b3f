// A deferred instruction: all that it needs of the block's state when it is issued, in one flat
// object.
#pragma once

#include "model/machine.h"

namespace ascendc_model {

struct Core;
struct Instruction;

/// Carries out an instruction that has passed its checks.
using Execute = void (*)(const Instruction& instruction, Core& core);

constexpr uint32_t kBlockBytes = 32;
constexpr uint32_t kRepeatBytes = 256;
/// The most repeats of one vector instruction (MAX_REPEAT_TIMES of the real headers).
constexpr uint32_t kMostRepeats = 255;

/// The elements of a vector instruction. Element `lane` of repeat `r` of operand k is at
/// `address[k] + 32 * (r * repeat_stride[k] + block * block_stride[k])` plus its place in that
/// block of 32 bytes.
struct Lanes {
    uint32_t address[4];
    uint16_t block_stride[4];
    uint16_t repeat_stride[4];
    /// Elements of one repeat: 256 bytes of the widest operand.
    uint32_t per_repeat;
    uint32_t repeats;
    /// Elements in all; the last repeat may be short.
    uint32_t count;
    /// Whether every operand's elements are contiguous and no lane is masked out.
    bool contiguous;
    uint64_t mask[2];

    bool enabled(uint32_t lane) const { return mask[lane / 64] >> (lane % 64) & 1; }
};

/// A copy between GM and UB, in bytes; or a copy within UB, where `gm` is the source's address in
/// UB.
struct Copied {
    uint64_t gm;
    uint64_t gm_step;
    uint32_t ub;
    uint32_t ub_step;
    uint32_t count;
    uint32_t length;
    /// Bytes of padding before and after, and up to the next multiple of 32.
    uint32_t left;
    uint32_t right;
    bool pad_given;
    AtomicOp atomic;
    Type type;
};

/// A GatherMask: `each` elements of `size` bytes in each repeat, of which element e is chosen by
/// bit e from `bits + 32 * r * bits_stride` on, or by its place where `pattern` is not 0.
struct Packed {
    uint32_t dst;
    uint32_t src;
    uint32_t bits;
    uint16_t repeats;
    uint16_t repeat_stride;
    uint8_t block_stride;
    uint8_t bits_stride;
    uint8_t pattern;
    uint8_t size;
    uint32_t each;
    /// How many elements were chosen when it was issued, and the end of the bytes after them that
    /// become undefined.
    uint32_t kept;
    uint32_t end;
};

/// A Sort32.
struct Sorted {
    uint32_t dst;
    uint32_t keys;
    uint32_t indices;
    uint32_t repeats;
    Type type;
};

/// A MrgSort; a list that takes no part has length 0.
struct Merged {
    uint32_t dst;
    uint32_t lists[4];
    uint16_t lengths[4];
    uint8_t list_count;
    uint8_t repeats;
    bool suspends;
    Type type;
};

/// A TransDataTo5HD: for each side the numbers of its blocks of 32 bytes in UB, and the stride of
/// its repeats in blocks.
struct Transposed {
    uint16_t dst[kTransposedBlocks];
    uint16_t src[kTransposedBlocks];
    uint16_t dst_stride;
    uint16_t src_stride;
    uint8_t repeats;
    uint8_t size;
    /// For types of 8 bits: where in a block the bytes begin.
    uint8_t dst_offset;
    uint8_t src_offset;
};

struct Instruction {
    enum class Kind : uint8_t { Execute, Set, Wait };

    Kind kind = Kind::Execute;
    /// For a Set or Wait: Direction::index, and the id.
    uint8_t event = 0;
    uint8_t id = 0;
    uint8_t variant = 0;
    /// Random bits for what the hardware does not define.
    uint32_t whim = 0;
    uint64_t scalar = 0;
    Execute execute = nullptr;
    union {
        Lanes lanes;
        Copied copied;
        Packed packed;
        Sorted sorted;
        Merged merged;
        Transposed transposed;
    };

    Instruction() : lanes() { }
};

} // namespace ascendc_model
