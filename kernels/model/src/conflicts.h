// Conflicts of blocks in GM, found when all have run, so that no schedule can hide them.
#pragma once

#include "global.h"

namespace ascendc_model {

/// Reports bytes that two blocks wrote, that one wrote and another added to, or that one read and
/// another wrote, and lines that two blocks each wrote a part of.
void find_conflicts(std::vector<GlobalLog>& blocks, const Regions& regions, uint32_t max_reports, Outcome& outcome);

} // namespace ascendc_model
