// The threads that run blocks: kept between launches, shared by all of them.
#pragma once

#include <cstdint>
#include <functional>

namespace ascendc_model {

struct Core;

/// Runs `work` on the calling thread and on up to `helpers` others at the same time; returns when
/// all are done. `work` takes blocks from those that are left and returns when there are none:
/// helpers that start too late have nothing to do. Each call has its own core. Where threads can't
/// be created, fewer take part. When all have ended, throws what `work` has thrown.
void run_on_workers(uint32_t helpers, const std::function<void(Core&)>& work);

} // namespace ascendc_model
