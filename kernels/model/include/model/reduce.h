// Reductions of a whole tensor to its first element.
#pragma once

#include "tensor.h"

namespace ascendc_model {

template <typename T>
void reduce(VectorOp op, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
    const AscendC::LocalTensor<T>& work, int32_t count, bool index, const Site& site)
{
    static_assert(one_of<T, half, float>, "reductions lack this data type on dav-2201");
    const Operand operands[] = {{dst.local(), type_of<T>}, {src.local(), type_of<T>}, {work.local(), type_of<T>}};
    vector(op, operands, 3, Extent::elements(count), index ? 1 : 0, 0, site);
}

} // namespace ascendc_model

namespace AscendC {

/// The order of the sum is not documented: the model's depends on the seed.
template <typename T>
__aicore__ inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
    const LocalTensor<T>& sharedTmpBuffer, const int32_t count, Site site = Site::here())
{
    ascendc_model::reduce(ascendc_model::VectorOp::ReduceSum, dst, src, sharedTmpBuffer, count, false, site);
}

/// With `calIndex`, `dst[1]` holds the position of the first maximum, as the bits of an integer as
/// wide as T.
template <typename T>
__aicore__ inline void ReduceMax(const LocalTensor<T>& dst, const LocalTensor<T>& src,
    const LocalTensor<T>& sharedTmpBuffer, const int32_t count, bool calIndex = 0, Site site = Site::here())
{
    ascendc_model::reduce(ascendc_model::VectorOp::ReduceMax, dst, src, sharedTmpBuffer, count, calIndex, site);
}

template <typename T>
__aicore__ inline void ReduceMin(const LocalTensor<T>& dst, const LocalTensor<T>& src,
    const LocalTensor<T>& sharedTmpBuffer, const int32_t count, bool calIndex = 0, Site site = Site::here())
{
    ascendc_model::reduce(ascendc_model::VectorOp::ReduceMin, dst, src, sharedTmpBuffer, count, calIndex, site);
}

} // namespace AscendC
