// Atomic accumulation on the way to GM.
#pragma once

#include "machine.h"

namespace AscendC {

using ascendc_model::Site;

/// Every copy from UB to GM after this adds to the values in GM, until SetAtomicNone. Data types
/// that dav-2201 does not support (unsigned, 64-bit, double) compile, as they do there, and are
/// reported.
template <typename T> __aicore__ inline void SetAtomicAdd(Site site = Site::here())
{
    ascendc_model::set_atomic(ascendc_model::AtomicOp::Add, ascendc_model::type_of<T>, site);
}

template <typename T> __aicore__ inline void SetAtomicMax(Site site = Site::here())
{
    ascendc_model::set_atomic(ascendc_model::AtomicOp::Max, ascendc_model::type_of<T>, site);
}

template <typename T> __aicore__ inline void SetAtomicMin(Site site = Site::here())
{
    ascendc_model::set_atomic(ascendc_model::AtomicOp::Min, ascendc_model::type_of<T>, site);
}

__aicore__ inline void SetAtomicNone(Site site = Site::here())
{
    ascendc_model::set_atomic(ascendc_model::AtomicOp::None, ascendc_model::Type::Count, site);
}

} // namespace AscendC
