// The costs that launches are modelled with: those of cost.h, unless `ascendc_model_calibrate` was
// called with others.
#pragma once

#include "model/cost.h"

namespace ascendc_model {

/// The constants of cost.h, and what depends on the setting.
struct Costs : ascendc_model_costs {
    cost::Bandwidth bandwidths[3];
    cost::Setting setting[kSettings];

    /// What all cores move in a nanosecond, by the bytes of GM that a launch works on.
    uint64_t bytes_per_nanosecond(uint64_t working_set) const
    {
        return cost::bytes_per_nanosecond(working_set, bandwidths);
    }
};

/// The costs of this process; only written while nothing is launched.
extern Costs costs;

} // namespace ascendc_model
