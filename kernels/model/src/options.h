// What a thread has configured and what its last launch gave.
#pragma once

#include "ascendc_model.h"

namespace ascendc_model {

/// Keeps the outcome for the C functions, for this thread.
void remember(const Outcome& outcome);

} // namespace ascendc_model
