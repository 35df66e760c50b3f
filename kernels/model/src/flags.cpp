// Flags, barriers and event ids, checked in the order in which the kernel issues them.

#include "core.h"

namespace ascendc_model {

namespace {

bool valid_id(Core& at, const Direction& direction, int32_t id, const Site& site)
{
    if (id >= 0 && id < static_cast<int32_t>(kEventIds)) {
        return true;
    }
    at.fault(
        Rule::EventId, site, {name_of(direction.from), "", 0}, "%s: the id is %d, ids are 0 to 7", direction.name, id);
    return false;
}

Instruction flag_instruction(Instruction::Kind kind, const Direction& direction, int32_t id)
{
    Instruction instruction;
    instruction.kind = kind;
    instruction.event = static_cast<uint8_t>(direction.index());
    instruction.id = static_cast<uint8_t>(id);
    return instruction;
}

/// Drops the copies of both pipes that the other one already knows.
void forget_copies(Core& at)
{
    at.recent_writes.forget(std::min(at.clocks.known(Pipe::MTE2, Pipe::MTE3), at.clocks.known(Pipe::MTE3, Pipe::MTE3)));
    at.recent_reads.forget(at.clocks.known(Pipe::MTE3, Pipe::MTE2));
}

/// Has the scalar unit wait: the instructions that it waits for have run when this returns.
void wait_for(Core& at, const Direction& direction, int32_t id)
{
    if (at.fast) {
        return;
    }
    if (direction.to == Pipe::S) {
        at.schedule.wait_on_scalar(direction, static_cast<uint32_t>(id), at);
    } else {
        at.schedule.issue(direction.to, flag_instruction(Instruction::Kind::Wait, direction, id), at);
    }
}

} // namespace

void set_flag(AscendC::HardEvent event, int32_t id, const Site& site)
{
    Core& at = core();
    const Direction direction = direction_of(event);
    if (at.dead || !valid_id(at, direction, id, site)) {
        return;
    }
    at.counters.flags++;
    at.settle_scalar();
    Core::Flag& flag = at.flags[direction.index()][id];
    if (flag.set) {
        at.report(Rule::FlagSetTwice, site, {name_of(direction.from), "", 0},
            "%s %d is set again before its wait was issued; it was set at %s:%u", direction.name, id, flag.site.file,
            flag.site.line);
        return;
    }
    flag.set = true;
    flag.site = site;
    flag.when = at.time.set(direction.from);
    flag.token = at.clocks.set(direction.from);
    if (at.fast) {
        return;
    }
    if (direction.from == Pipe::S) {
        at.schedule.set_from_scalar(direction, static_cast<uint32_t>(id));
    } else {
        at.schedule.issue(direction.from, flag_instruction(Instruction::Kind::Set, direction, id), at);
    }
}

void wait_flag(AscendC::HardEvent event, int32_t id, const Site& site)
{
    Core& at = core();
    const Direction direction = direction_of(event);
    if (at.dead || !valid_id(at, direction, id, site)) {
        return;
    }
    at.settle_scalar();
    Core::Flag& flag = at.flags[direction.index()][id];
    if (!flag.set) {
        at.fault(Rule::WaitWithoutSet, site, {name_of(direction.to), "", 0},
            "%s %d is waited for and was not set before: the pipe would stop for ever", direction.name, id);
        return;
    }
    flag.set = false;
    at.time.wait(direction.to, flag.when);
    at.clocks.wait(direction.to, flag.token);
    forget_copies(at);
    wait_for(at, direction, id);
}

void pipe_barrier(pipe_t pipe, const Site&)
{
    Core& at = core();
    if (at.dead) {
        return;
    }
    at.counters.barriers++;
    at.settle_scalar();
    if (pipe == PIPE_ALL) {
        at.clocks.barrier_all();
        at.time.barrier_all();
        at.schedule.drain_all(at);
    } else {
        const Pipe one = pipe == PIPE_V ? Pipe::V : pipe == PIPE_MTE2 ? Pipe::MTE2 : Pipe::MTE3;
        at.clocks.barrier(one);
        at.time.barrier(one);
    }
    forget_copies(at);
}

int32_t fetch_event(AscendC::HardEvent event, const Site& site)
{
    Core& at = core();
    const Direction direction = direction_of(event);
    if (!direction.valid()) {
        at.fault(Rule::EventId, site, {}, "a vector core has no such event");
        return 0;
    }
    const uint8_t taken = at.allocated_events[direction.index()];
    for (uint32_t id = 0; id < kEventIds; id++) {
        if ((taken >> id & 1) == 0) {
            return static_cast<int32_t>(id);
        }
    }
    at.fault(
        Rule::EventIdsExhausted, site, {name_of(direction.from), "", 0}, "all 8 ids of %s are taken", direction.name);
    return 0;
}

int32_t alloc_event(AscendC::HardEvent event, const Site& site)
{
    Core& at = core();
    const int32_t id = fetch_event(event, site);
    if (!at.dead) {
        at.allocated_events[direction_of(event).index()] |= static_cast<uint8_t>(1u << id);
    }
    return id;
}

void release_event(AscendC::HardEvent event, int32_t id, const Site& site)
{
    Core& at = core();
    const Direction direction = direction_of(event);
    if (at.dead || !valid_id(at, direction, id, site)) {
        return;
    }
    uint8_t& taken = at.allocated_events[direction.index()];
    if ((taken >> id & 1) == 0) {
        at.report(Rule::EventId, site, {name_of(direction.from), "", 0}, "%s %d is released and was not allocated",
            direction.name, id);
    }
    taken &= static_cast<uint8_t>(~(1u << id));
}

} // namespace ascendc_model
