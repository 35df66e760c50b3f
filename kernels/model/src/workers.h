// The threads that run blocks: kept between launches, shared by all of them.
#pragma once

#include <cstdint>
#include <functional>

namespace ascendc_model {

struct Core;

/// Runs `work` on the calling thread and on up to `helpers` others at the same time; returns when all are done. `work`
/// takes what is left to do and returns when nothing is: helpers that come too late have nothing to do. Each call has
/// a core of its own. Where threads can't be made, fewer take part. Throws what `work` has thrown, when all have ended.
void run_on_workers(uint32_t helpers, const std::function<void(Core&)>& work);

} // namespace ascendc_model
