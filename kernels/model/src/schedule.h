// The queues of deferred instructions and the order in which they run.
//
// V, MTE2 and MTE3 each run their instructions in order; between pipes there is no order except by
// flags. Instructions run as late as possible, or earlier when the random generator says so: a
// kernel that relies on more than its flags then reads stale bytes.
#pragma once

#include "instruction.h"
#include "pipes.h"
#include "random.h"

#include <vector>

namespace ascendc_model {

/// A queue of instructions in a ring that grows.
class Queue {
public:
    bool empty() const { return head_ == tail_; }
    uint32_t size() const { return tail_ - head_; }
    Instruction& front() { return ring_[head_ & mask()]; }
    void pop() { head_++; }
    void push(const Instruction& instruction);
    void clear() { head_ = tail_ = 0; }

private:
    uint32_t mask() const { return static_cast<uint32_t>(ring_.size()) - 1; }
    std::vector<Instruction> ring_ = std::vector<Instruction>(64);
    uint32_t head_ = 0;
    uint32_t tail_ = 0;
};

class Schedule {
public:
    void begin(uint64_t seed);
    /// Queues an instruction of V, MTE2 or MTE3, and perhaps runs some.
    void issue(Pipe pipe, const Instruction& instruction, Core& core);
    /// The scalar unit sets a flag: it does so at once.
    void set_from_scalar(const Direction& direction, uint32_t id) { flags_[direction.index()][id]++; }
    /// The scalar unit waits for a flag: runs the instructions that must come before. The flag has
    /// been set in issue order.
    void wait_on_scalar(const Direction& direction, uint32_t id, Core& core);
    /// Runs a pipe, and what it waits for, to the end of its queue.
    void drain(Pipe pipe, Core& core);
    void drain_all(Core& core);
    Random& random() { return random_; }

private:
    /// Runs the head of a queue; false when the queue is empty or its head waits for a flag.
    bool step(Pipe pipe, Core& core);
    /// Runs the head of a queue, or what its head waits for.
    void advance(Pipe pipe, Core& core);

    Queue queues_[kPipes];
    /// Flags set and not yet waited for by the instructions that have run.
    uint8_t flags_[kEvents][kEventIds] = {};
    /// In 256: how often an issue lets some instruction run.
    uint32_t eagerness_ = 0;
    /// How often each pipe is chosen, relative to the others.
    uint32_t preference_[kPipes] = {};
    Random random_;
};

} // namespace ascendc_model
