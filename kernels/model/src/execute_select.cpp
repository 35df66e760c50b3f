// Comparisons to bits and Select by bits: bit i of byte i / 8, the lowest first.

#include "execute.h"
#include "lanes.h"

namespace ascendc_model {

namespace {

using AscendC::CMPMODE;

template <CMPMODE Mode, typename T> bool holds(T a, T b)
{
    switch (Mode) {
    case CMPMODE::LT: return a < b;
    case CMPMODE::GT: return a > b;
    case CMPMODE::EQ: return a == b;
    case CMPMODE::LE: return a <= b;
    case CMPMODE::GE: return a >= b;
    default: return a != b;
    }
}

/// Collects one bit per element; always whole bytes, because comparisons work on whole repeats.
template <typename Function> void write_bits(uint8_t* to, uint32_t count, Function bit)
{
    for (uint32_t i = 0; i < count; i += 8) {
        uint32_t byte = 0;
        for (uint32_t j = 0; j < 8; j++) {
            byte |= static_cast<uint32_t>(bit(i + j)) << j;
        }
        to[i / 8] = static_cast<uint8_t>(byte);
    }
}

template <typename T, CMPMODE Mode> void run_compare(const Instruction& instruction, Core& core)
{
    const Lanes& lanes = instruction.lanes;
    const auto* a = reinterpret_cast<const T*>(core.ub + lanes.address[1]);
    const auto* b = reinterpret_cast<const T*>(core.ub + lanes.address[2]);
    write_bits(core.ub + lanes.address[0], lanes.count, [&](uint32_t i) { return holds<Mode, T>(a[i], b[i]); });
}

template <typename T, CMPMODE Mode> void run_compare_scalar(const Instruction& instruction, Core& core)
{
    const Lanes& lanes = instruction.lanes;
    const auto* a = reinterpret_cast<const T*>(core.ub + lanes.address[1]);
    const T b = scalar_of<T>(instruction);
    write_bits(core.ub + lanes.address[0], lanes.count, [&](uint32_t i) { return holds<Mode, T>(a[i], b); });
}

template <typename T, CMPMODE Mode> Execute compare(VectorOp op)
{
    return op == VectorOp::Compare ? run_compare<T, Mode> : run_compare_scalar<T, Mode>;
}

template <typename T> Execute compare_by(VectorOp op, CMPMODE mode)
{
    switch (mode) {
    case CMPMODE::LT: return compare<T, CMPMODE::LT>(op);
    case CMPMODE::GT: return compare<T, CMPMODE::GT>(op);
    case CMPMODE::EQ: return compare<T, CMPMODE::EQ>(op);
    case CMPMODE::LE: return compare<T, CMPMODE::LE>(op);
    case CMPMODE::GE: return compare<T, CMPMODE::GE>(op);
    case CMPMODE::NE: return compare<T, CMPMODE::NE>(op);
    }
    return nullptr;
}

/// Copies bits without interpreting them: Word is an integer as wide as the data type.
template <typename Word, bool Scalar> void run_select(const Instruction& instruction, Core& core)
{
    const Lanes& lanes = instruction.lanes;
    auto* to = reinterpret_cast<Word*>(core.ub + lanes.address[0]);
    const uint8_t* chosen = core.ub + lanes.address[1];
    const auto* a = reinterpret_cast<const Word*>(core.ub + lanes.address[2]);
    const auto* b = reinterpret_cast<const Word*>(core.ub + lanes.address[Scalar ? 2 : 3]);
    const Word scalar = scalar_of<Word>(instruction);
    for (uint32_t i = 0; i < lanes.count; i++) {
        const bool first = (chosen[i / 8] >> (i % 8) & 1) != 0;
        to[i] = first ? a[i] : Scalar ? scalar : b[i];
    }
}

} // namespace

Execute find_compare(VectorOp op, Type type, CMPMODE mode)
{
    switch (type) {
    case Type::F16: return compare_by<half>(op, mode);
    case Type::F32: return compare_by<float>(op, mode);
    case Type::S32: return mode == CMPMODE::EQ ? compare_by<int32_t>(op, mode) : nullptr;
    default: return nullptr;
    }
}

Execute find_select(VectorOp op, Type type)
{
    const bool scalar = op == VectorOp::SelectScalar;
    switch (size_of(type)) {
    case 2: return scalar ? run_select<uint16_t, true> : run_select<uint16_t, false>;
    case 4: return scalar ? run_select<uint32_t, true> : run_select<uint32_t, false>;
    default: return nullptr;
    }
}

} // namespace ascendc_model
