// Where the scalar unit accessed UB last, for reports: its accesses are too many to number each.
#pragma once

#include "model/site.h"
#include "shadow.h"

#include <cstdlib>
#include <memory>
#include <new>

namespace ascendc_model {

/// The line of the last scalar read and of the last write, kept per word of 8 bytes: the widest
/// scalar.
class ScalarSites {
public:
    void note(uint32_t address, bool write, const Site& site) { sites_[place_of(address, write)] = site; }
    Site last(uint32_t address, bool write) const { return sites_[place_of(address, write)]; }

private:
    static constexpr uint32_t kWord = 8;
    static constexpr uint32_t place_of(uint32_t address, bool write) { return 2 * (address / kWord) + (write ? 1 : 0); }

    static Site* zeroes()
    {
        void* memory = std::calloc(2 * kUbBytes / kWord, sizeof(Site));
        if (memory == nullptr) {
            throw std::bad_alloc();
        }
        return static_cast<Site*>(memory);
    }

    /// Pages that are never used cost nothing.
    std::unique_ptr<Site[], void (*)(void*)> sites_{zeroes(), std::free};
};

} // namespace ascendc_model
