// scatter_elements: updates element by element, where all elements that a task owns are in UB at
// once.
//
// The vector unit turns index values into places, and the scalar unit applies the updates in order,
// in batches, so that it seldom waits for a read. Where all targets of some lanes fit UB, a task
// owns those (lanes.h); else it owns a part of the targets, and picks the updates that go there
// (part.h).
#include "kernels.h"
#include "lanes.h"
#include "part.h"

/// The policy of the elements of an entry of `scatter_elements`.
template <ScatterReduce reduce, ScatterDType dtype>
struct ElementOf {
    using Element = typename AccumulatedOf<dtype>::Element;
};
template <>
struct ElementOf<ScatterReduce::None, ScatterDType::U8> {
    using Element = MovedOf<1>::Element;
};
template <>
struct ElementOf<ScatterReduce::None, ScatterDType::I16> {
    using Element = MovedOf<2>::Element;
};
template <>
struct ElementOf<ScatterReduce::None, ScatterDType::I32> {
    using Element = MovedOf<4>::Element;
};
template <>
struct ElementOf<ScatterReduce::None, ScatterDType::I64> {
    using Element = MovedOf<8>::Element;
};
template <>
struct ElementOf<ScatterReduce::None, ScatterDType::Complex128> {
    using Element = MovedOf<16>::Element;
};

template <ScatterReduce reduce, ScatterDType dtype>
__aicore__ inline void RunElements(
    GM_ADDR out, GM_ADDR index, GM_ADDR src, GM_ADDR status, GM_ADDR indexStatuses, const ScatterElementsTiling& tiling)
{
    using Element = typename ElementOf<reduce, dtype>::Element;
    // An addition of f64 by software is too long to be inlined for each update of a batch.
    constexpr bool kInBatches = sizeof(typename Element::Value) <= sizeof(uint64_t) && dtype != ScatterDType::F64;
    AscendC::TPipe pipe;
    if (DoneByRows(pipe, indexStatuses, tiling.told, status)) {
        return;
    }
    if (static_cast<ScatterForm>(tiling.form) == ScatterForm::Part) {
        ElementsByPart<Element, Reduction<reduce>, kInBatches> kernel(pipe, tiling);
        kernel.Init(out, index, src);
        kernel.Process(status);
    } else {
        ElementsByLanes<Element, Reduction<reduce>, kInBatches> kernel(pipe, tiling);
        kernel.Init(out, index, src);
        kernel.Process(status);
    }
}

#define SCATTER_ELEMENTS(name, reduce, dtype)                                                                         \
    extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_elements_##name(                                     \
        GM_ADDR out, GM_ADDR index, GM_ADDR src, GM_ADDR status, GM_ADDR indexStatuses, ScatterElementsTiling tiling) \
    {                                                                                                                 \
        SCATTER_TASK_TYPE;                                                                                            \
        RunElements<ScatterReduce::reduce, ScatterDType::dtype>(out, index, src, status, indexStatuses, tiling);      \
    }

SCATTER_ELEMENTS_ENTRIES(SCATTER_ELEMENTS)
