// The modelled time of a block: each pipe runs its instructions one after another, and flags, barriers and the scalar
// unit's issue hold them back. Everything is an integer, so that figures are the same on every machine.
#pragma once

#include "model/cost.h"
#include "pipes.h"

#include <algorithm>

namespace ascendc_model {

class Timeline {
public:
    void begin() { *this = Timeline(); }

    /// The scalar unit is busy.
    void scalar(uint64_t cost) { ready_[0] += cost; }

    /// Issues an instruction that keeps its pipe busy for `cost` and has its effect `latency` later.
    void issue(Pipe pipe, uint64_t cost, uint64_t latency)
    {
        ready_[0] += cost::kIssue;
        uint64_t& ready = ready_[index_of(pipe)];
        ready = std::max(ready, ready_[0]) + cost;
        busy_[index_of(pipe)] += cost;
        done_[index_of(pipe)] = std::max(done_[index_of(pipe)], ready + latency);
    }

    uint64_t set(Pipe from)
    {
        ready_[0] += cost::kIssue;
        return std::max({ready_[index_of(from)], done_[index_of(from)], ready_[0]});
    }

    void wait(Pipe to, uint64_t when)
    {
        ready_[0] += cost::kIssue;
        ready_[index_of(to)] = std::max(ready_[index_of(to)], when);
    }

    void barrier(Pipe pipe)
    {
        ready_[0] += cost::kIssue;
        ready_[index_of(pipe)] = std::max(ready_[index_of(pipe)], done_[index_of(pipe)]);
    }

    void barrier_all()
    {
        const uint64_t all = end();
        for (uint64_t& ready : ready_) {
            ready = all;
        }
    }

    uint64_t end() const
    {
        return std::max(*std::max_element(ready_, ready_ + kPipes), *std::max_element(done_, done_ + kPipes));
    }
    uint64_t busy(Pipe pipe) const { return busy_[index_of(pipe)]; }

private:
    /// When each pipe can take its next instruction.
    uint64_t ready_[kPipes] = {0, 0, 0, 0};
    /// When what it has begun is done.
    uint64_t done_[kPipes] = {0, 0, 0, 0};
    uint64_t busy_[kPipes] = {0, 0, 0, 0};
};

} // namespace ascendc_model
