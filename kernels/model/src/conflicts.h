// What blocks did to each other's GM, found when all have run: no schedule can hide it.
#pragma once

#include "global.h"

namespace ascendc_model {

/// Reports bytes that two blocks wrote, that one wrote and another added to, that one read and another wrote, and lines
/// that two blocks wrote in part.
void find_conflicts(std::vector<GlobalLog>& blocks, const Regions& regions, uint32_t max_reports, Outcome& outcome);

} // namespace ascendc_model
