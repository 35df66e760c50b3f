#include "schedule.h"

#include "core.h"

namespace ascendc_model {

namespace {

// Limits the memory for a kernel that issues many instructions before it waits for any.
constexpr uint32_t kLongestQueue = 4096;
constexpr Pipe kQueued[] = {Pipe::V, Pipe::MTE2, Pipe::MTE3};

} // namespace

void Queue::push(const Instruction& instruction)
{
    if (size() == ring_.size()) {
        std::vector<Instruction> wider(ring_.size() * 2);
        const uint32_t held = size();
        for (uint32_t i = 0; i < held; i++) {
            wider[i] = ring_[(head_ + i) & mask()];
        }
        ring_ = std::move(wider);
        head_ = 0;
        tail_ = held;
    }
    ring_[tail_++ & mask()] = instruction;
}

void Schedule::begin(uint64_t seed)
{
    random_ = Random(seed);
    for (Queue& queue : queues_) {
        queue.clear();
    }
    for (auto& ids : flags_) {
        for (uint8_t& flag : ids) {
            flag = 0;
        }
    }
    constexpr uint32_t eagerness[] = {0, 16, 96, 192};
    eagerness_ = eagerness[random_.below(4)];
    for (Pipe pipe : kQueued) {
        preference_[index_of(pipe)] = 1u << (3 * random_.below(3));
    }
}

bool Schedule::step(Pipe pipe, Core& core)
{
    Queue& queue = queues_[index_of(pipe)];
    if (queue.empty()) {
        return false;
    }
    // After popping, the instruction is still in memory, because nothing is pushed while it runs.
    const Instruction& head = queue.front();
    switch (head.kind) {
    case Instruction::Kind::Execute: head.execute(head, core); break;
    case Instruction::Kind::Set: flags_[head.event][head.id]++; break;
    case Instruction::Kind::Wait:
        if (flags_[head.event][head.id] == 0) {
            return false;
        }
        flags_[head.event][head.id]--;
        break;
    }
    queue.pop();
    return true;
}

void Schedule::advance(Pipe pipe, Core& core)
{
    // Flags are waited for in the order in which they were set, so a head that waits has its set in
    // another queue.
    while (!step(pipe, core)) {
        pipe = static_cast<Pipe>(queues_[index_of(pipe)].front().event / kPipes);
    }
}

void Schedule::issue(Pipe pipe, const Instruction& instruction, Core& core)
{
    Queue& queue = queues_[index_of(pipe)];
    queue.push(instruction);
    while (queue.size() > kLongestQueue) {
        advance(pipe, core);
    }
    while (random_.once_in_256(eagerness_)) {
        const uint32_t total = preference_[1] + preference_[2] + preference_[3];
        uint32_t draw = random_.below(total);
        for (Pipe candidate : kQueued) {
            if (draw < preference_[index_of(candidate)]) {
                step(candidate, core);
                break;
            }
            draw -= preference_[index_of(candidate)];
        }
    }
}

void Schedule::wait_on_scalar(const Direction& direction, uint32_t id, Core& core)
{
    uint8_t& flag = flags_[direction.index()][id];
    while (flag == 0) {
        advance(direction.from, core);
    }
    flag--;
}

void Schedule::drain(Pipe pipe, Core& core)
{
    Queue& queue = queues_[index_of(pipe)];
    while (!queue.empty()) {
        advance(pipe, core);
    }
}

void Schedule::drain_all(Core& core)
{
    bool left = true;
    while (left) {
        left = false;
        const uint32_t first = random_.below(3);
        for (uint32_t i = 0; i < 3; i++) {
            const Pipe pipe = kQueued[(first + i) % 3];
            if (!queues_[index_of(pipe)].empty()) {
                left = true;
                step(pipe, core);
            }
        }
    }
}

} // namespace ascendc_model
