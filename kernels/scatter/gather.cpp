// scatter_gather: out gets the elements of self that index names.
//
// Where index is the same along rows, these are copied (gather_rows.h). Else, where UB holds what
// an index value chooses from, the vector unit picks elements there (gather_elements.h). All that
// is left comes element by element (gather_general.h). A bad index value is reported, and stands
// for the nearest good one.
#include "gather_elements.h"
#include "gather_general.h"
#include "gather_rows.h"
#include "kernels.h"

template <class Form>
__aicore__ inline void RunGather(GM_ADDR self, GM_ADDR index, GM_ADDR out, GM_ADDR status,
                                 const ScatterGatherTiling& tiling)
{
    AscendC::TPipe pipe;
    Form form(pipe, tiling);
    form.Init(self, index, out);
    form.Process(status);
}

extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_gather(GM_ADDR self, GM_ADDR index, GM_ADDR out,
                                                                    GM_ADDR status, ScatterGatherTiling tiling)
{
    SCATTER_TASK_TYPE;
    switch (static_cast<ScatterGatherForm>(tiling.form)) {
        case ScatterGatherForm::Rows:
            return RunGather<GatherRows>(self, index, out, status, tiling);
        case ScatterGatherForm::Elements:
            return RunGather<GatherElements>(self, index, out, status, tiling);
        case ScatterGatherForm::General:
            return RunGather<GatherGeneral>(self, index, out, status, tiling);
    }
}
