// aclnnInplaceScatter into a transposed view, from an expanded src, where index is a part of a
// larger tensor.
#include "aclnnop/aclnn_scatter.h"
#include "tensor.hpp"

int main()
{
    Session session;
    // The storage is [4, 3] and the view its transpose [3, 4]: element (i, j) is at (j, i) of the
    // storage.
    Tensor<int64_t> self({3, 4}, {1, 3}, 0, {4, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    // One row of src for all rows: a stride of 0.
    Tensor<int64_t> src({3, 2}, {0, 1}, 0, {2}, {-7, -8});
    // The two middle columns of a [3, 4] storage.
    Tensor<int32_t> index({3, 2}, {4, 1}, 1, {3, 4}, {99, 0, 3, 99, 99, 1, 1, 99, 99, 2, 0, 99});

    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CALL(aclnnInplaceScatterGetWorkspaceSize(self.get(), 1, index.get(), src.get(), 0, &size, &executor));
    run(aclnnInplaceScatter, size, executor, session.stream());
    // Row 0: columns 0 and 3; row 1: column 1 twice; row 2: columns 2 and 0.
    expect("storage", self.values(), {-7, 1, -8, 3, -8, 5, 6, 7, -7, -8, 10, 11});
    return 0;
}
