// The modelled time of a block in each setting of the costs: each pipe runs its instructions one
// after another, and flags, barriers and the scalar unit's issue delay them. Everything is an
// integer, so that figures are the same on every machine.
#pragma once

#include "costs.h"
#include "pipes.h"

#include <algorithm>

namespace ascendc_model {

/// Thousandths of a cycle, in each setting.
struct Cycles {
    uint64_t of[kSettings] = {};

    static Cycles same(uint64_t cycles)
    {
        Cycles all;
        std::fill_n(all.of, kSettings, cycles);
        return all;
    }

    /// `count` times a cost that depends on the setting.
    static Cycles times(uint64_t count, uint64_t cost::Setting::* each)
    {
        Cycles all;
        for (uint32_t i = 0; i < kSettings; i++) {
            all.of[i] = count * costs.setting[i].*each;
        }
        return all;
    }

    /// A cost of the scalar unit in each setting.
    static Cycles of_scalar_unit(uint64_t cycles)
    {
        Cycles all;
        for (uint32_t i = 0; i < kSettings; i++) {
            all.of[i] = cycles * costs.setting[i].scalar_percent / 100;
        }
        return all;
    }

    Cycles& operator+=(const Cycles& other)
    {
        for (uint32_t i = 0; i < kSettings; i++) {
            of[i] += other.of[i];
        }
        return *this;
    }

    void at_least(const Cycles& other)
    {
        for (uint32_t i = 0; i < kSettings; i++) {
            of[i] = std::max(of[i], other.of[i]);
        }
    }
};

inline Cycles operator+(Cycles a, const Cycles& b)
{
    return a += b;
}

class Timeline {
public:
    void begin() { *this = Timeline(); }

    /// The scalar unit is busy.
    void scalar(const Cycles& cost)
    {
        ready_[0] += cost;
        busy_[0] += cost;
    }

    /// Issues an instruction that keeps its pipe busy for `cost` and has its effect `latency`
    /// later.
    void issue(Pipe pipe, const Cycles& cost, uint64_t latency)
    {
        begin_issue();
        Cycles& ready = ready_[index_of(pipe)];
        ready.at_least(ready_[0]);
        ready += cost;
        busy_[index_of(pipe)] += cost;
        done_[index_of(pipe)].at_least(ready + Cycles::same(latency));
    }

    Cycles set(Pipe from)
    {
        begin_issue();
        Cycles when = ready_[index_of(from)];
        when.at_least(done_[index_of(from)]);
        when.at_least(ready_[0]);
        return when;
    }

    void wait(Pipe to, const Cycles& when)
    {
        begin_issue();
        ready_[index_of(to)].at_least(when);
    }

    void barrier(Pipe pipe)
    {
        begin_issue();
        ready_[index_of(pipe)].at_least(done_[index_of(pipe)]);
    }

    void barrier_all()
    {
        const Cycles all = end();
        std::fill_n(ready_, kPipes, all);
    }

    /// The scalar unit reads a register that a pipe writes when it is done.
    void read_register_of(Pipe pipe) { ready_[0].at_least(done_[index_of(pipe)]); }

    Cycles end() const
    {
        Cycles last;
        for (uint32_t i = 0; i < kPipes; i++) {
            last.at_least(ready_[i]);
            last.at_least(done_[i]);
        }
        return last;
    }

    /// How long a pipe was busy, in the first setting.
    uint64_t busy(Pipe pipe) const { return busy_[index_of(pipe)].of[0]; }

private:
    /// The scalar unit issues an instruction.
    void begin_issue() { ready_[0] += Cycles::of_scalar_unit(cost::kIssue); }

    /// When each pipe can take its next instruction.
    Cycles ready_[kPipes];
    /// When the instructions that each pipe has begun are done.
    Cycles done_[kPipes];
    Cycles busy_[kPipes];
};

} // namespace ascendc_model
