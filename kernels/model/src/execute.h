// The arithmetic of the vector instructions: one function per instruction and data type, found in a
// table.
#pragma once

#include "instruction.h"

namespace ascendc_model {

// Each returns NULL for a form that dav-2201 does not have.

Execute find_arithmetic(VectorOp op, Type type);
Execute find_multiply_add(VectorOp op, Type to, Type from);
Execute find_cast(Type to, Type from, AscendC::RoundMode mode);
Execute find_compare(VectorOp op, Type type, AscendC::CMPMODE mode);
Execute find_select(VectorOp op, Type type);
Execute find_gather(Type type);
Execute find_vec_index(Type type);
Execute find_reduce(VectorOp op, Type type);

Execute find_broadcast(Type type);
void execute_gather_blocks(const Instruction& instruction, Core& core);
void execute_sort32(const Instruction& instruction, Core& core);
void execute_merge(const Instruction& instruction, Core& core);
void execute_gather_mask(const Instruction& instruction, Core& core);
void execute_transpose(const Instruction& instruction, Core& core);

void execute_copy_in(const Instruction& instruction, Core& core);
void execute_copy_out(const Instruction& instruction, Core& core);
void execute_copy_local(const Instruction& instruction, Core& core);

} // namespace ascendc_model
