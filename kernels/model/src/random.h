// The seeded generator behind every choice that the hardware leaves open.
#pragma once

#include <cstdint>

namespace ascendc_model {

/// splitmix64 (Steele, Lea, Flood 2014): any seed is a good seed.
class Random {
public:
    explicit Random(uint64_t seed = 0) : state_(seed) { }

    uint64_t next()
    {
        state_ += 0x9e3779b97f4a7c15ull;
        uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }

    /// Below `bound`, which is small: the bias does not matter here.
    uint32_t below(uint32_t bound) { return static_cast<uint32_t>((next() >> 32) * bound >> 32); }

    /// True in `chance` of 256 cases.
    bool once_in_256(uint32_t chance) { return (next() & 255) < chance; }

private:
    uint64_t state_;
};

} // namespace ascendc_model
