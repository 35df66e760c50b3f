// Which accesses of the other pipes each pipe may rely on, decided in issue order.
//
// Every instruction of a pipe has a number. A flag passes what its setter knows to the pipe that
// waits for it, so that a pipe knows another's instructions up to a number: vector clocks of the
// happens-before order. Because the n-th wait for an event and id always takes the n-th set, this
// needs no schedule: a missing flag is found whatever order instructions ran in.
#pragma once

#include "model/machine.h"
#include "pipes.h"

#include <algorithm>
#include <array>
#include <memory>

namespace ascendc_model {

struct Clock {
    uint32_t seen[kPipes] = {0, 0, 0, 0};

    void merge(const Clock& other)
    {
        for (uint32_t i = 0; i < kPipes; i++) {
            seen[i] = std::max(seen[i], other.seen[i]);
        }
    }
};

class Clocks {
public:
    /// Starts a block: everything before it is known to all pipes. Numbers continue, so that
    /// shadows need no clearing.
    void begin()
    {
        for (Clock& clock : known_) {
            for (uint32_t i = 0; i < kPipes; i++) {
                clock.seen[i] = issued_[i];
            }
        }
        issued_[index_of(Pipe::S)]++;
    }

    /// True when the numbers are about to run out; then shadows and clocks are cleared together.
    bool worn() const { return *std::max_element(issued_, issued_ + kPipes) > UINT32_MAX / 4; }
    void reset() { *this = Clocks(); }

    /// The number of a new instruction of a queued pipe.
    uint32_t issue(Pipe pipe, const Site& site)
    {
        const uint32_t number = ++issued_[index_of(pipe)];
        (*sites_)[index_of(pipe)][number % kSites] = site;
        return number;
    }

    /// The number of the scalar unit's accesses now: it grows with each flag that it sets.
    uint32_t scalar_epoch() const { return issued_[index_of(Pipe::S)]; }

    /// The last instructions that a pipe may rely on.
    const Clock& known(Pipe by) const { return known_[index_of(by)]; }
    uint32_t known(Pipe by, Pipe of) const { return known(by).seen[index_of(of)]; }

    Clock set(Pipe from)
    {
        Clock token = known_[index_of(from)];
        token.seen[index_of(from)] = issued_[index_of(from)];
        next_epoch(from);
        return token;
    }

    void wait(Pipe to, const Clock& token) { known_[index_of(to)].merge(token); }

    void barrier(Pipe pipe) { known_[index_of(pipe)].seen[index_of(pipe)] = issued_[index_of(pipe)]; }

    void barrier_all()
    {
        for (Clock& clock : known_) {
            for (uint32_t i = 0; i < kPipes; i++) {
                clock.seen[i] = issued_[i];
            }
        }
        next_epoch(Pipe::S);
    }

    /// Where an instruction of a queued pipe was issued; line 0 when that is no longer kept.
    Site site(Pipe pipe, uint32_t number) const
    {
        const bool kept = pipe != Pipe::S && issued_[index_of(pipe)] - number < kSites;
        return kept ? (*sites_)[index_of(pipe)][number % kSites] : Site{};
    }

private:
    static constexpr uint32_t kSites = 1 << 14;
    using Sites = std::array<Site, kSites>;

    void next_epoch(Pipe pipe)
    {
        if (pipe == Pipe::S) {
            issued_[index_of(Pipe::S)]++;
        }
    }

    uint32_t issued_[kPipes] = {0, 0, 0, 0};
    Clock known_[kPipes];
    std::unique_ptr<std::array<Sites, kPipes>> sites_ = std::make_unique<std::array<Sites, kPipes>>();
};

} // namespace ascendc_model
