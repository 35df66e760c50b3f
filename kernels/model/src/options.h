// The options of a thread, and the outcome of its last launch.
#pragma once

#include "ascendc_model.h"

namespace ascendc_model {

/// Keeps the outcome for the C functions, for this thread.
void remember(const Outcome& outcome);

} // namespace ascendc_model
