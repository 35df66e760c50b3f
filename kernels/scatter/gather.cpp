// scatter_gather: out gets the elements of self that index names.
//
// Where index is the same along rows, these are copied (gather_rows.h). Else, where UB holds what
// an index value chooses from, the vector unit picks elements there (gather_elements.h). All that
// is left comes element by element (gather_general.h). Where only the values of index tell whether
// it is the same along rows, there is a launch for either case behind that of `scatter_index`. A
// bad index value is reported, and stands for the nearest good one.
#include "gather_elements.h"
#include "gather_general.h"
#include "gather_rows.h"
#include "kernels.h"

template <class Form>
__aicore__ inline void RunGather(
    GM_ADDR self, GM_ADDR index, GM_ADDR out, GM_ADDR status, GM_ADDR indexStatuses, const ScatterGatherTiling& tiling)
{
    AscendC::TPipe pipe;
    const bool isListed = static_cast<ScatterGatherForm>(tiling.form) == ScatterGatherForm::ListedRows;
    if (isListed ? LeavesRows(pipe, indexStatuses, tiling.told)
                 : DoneByRows(pipe, indexStatuses, tiling.told, status)) {
        return;
    }
    Form form(pipe, tiling);
    form.Init(self, index, out);
    form.Process(status);
}

extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_gather(
    GM_ADDR self, GM_ADDR index, GM_ADDR out, GM_ADDR status, GM_ADDR indexStatuses, ScatterGatherTiling tiling)
{
    SCATTER_TASK_TYPE;
    switch (static_cast<ScatterGatherForm>(tiling.form)) {
    case ScatterGatherForm::Rows:
    case ScatterGatherForm::ListedRows: return RunGather<GatherRows>(self, index, out, status, indexStatuses, tiling);
    case ScatterGatherForm::Elements: return RunGather<GatherElements>(self, index, out, status, indexStatuses, tiling);
    case ScatterGatherForm::General: return RunGather<GatherGeneral>(self, index, out, status, indexStatuses, tiling);
    }
}
