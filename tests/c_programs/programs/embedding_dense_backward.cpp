// aclnnEmbeddingDenseBackward: the gradient of a table of words, of which one is the padding.
#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "tensor.hpp"

int main()
{
    Session session;
    const std::vector<float> rows = {1, 2, 3, 4, 5, 6, 7, 8};
    Tensor<float> grad({2, 2, 2}, rows);
    Tensor<int64_t> words({2, 2}, {2, 0, 2, 1});
    // What is in out before has no meaning.
    Tensor<float> out({4, 2}, std::vector<float>(8, 9));
    const uint64_t none = static_cast<uint64_t>(-1);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CALL(aclnnEmbeddingDenseBackwardGetWorkspaceSize(
        grad.get(), words.get(), 4, none, false, out.get(), &size, &executor));
    run(aclnnEmbeddingDenseBackward, size, executor, session.stream());
    expect("out", out.values(), {3, 4, 7, 8, 6, 8, 0, 0});

    // Word 0 is the padding, and each row is divided by how often its word occurs.
    CALL(aclnnEmbeddingDenseBackwardGetWorkspaceSize(grad.get(), words.get(), 4, 0, true, out.get(), &size, &executor));
    run(aclnnEmbeddingDenseBackward, size, executor, session.stream());
    expect("out", out.values(), {0, 0, 7, 8, 3, 4, 0, 0});
    expect("grad", grad.values(), rows);

    // Without words, out becomes zero.
    Tensor<int32_t> nothing({0}, {});
    Tensor<float> empty({0, 2}, {});
    CALL(aclnnEmbeddingDenseBackwardGetWorkspaceSize(
        empty.get(), nothing.get(), 4, none, false, out.get(), &size, &executor));
    run(aclnnEmbeddingDenseBackward, size, executor, session.stream());
    expect("out", out.values(), std::vector<float>(8, 0));

    // out has another number of rows than the function is told.
    HOLDS(aclnnEmbeddingDenseBackwardGetWorkspaceSize(
              grad.get(), words.get(), 5, none, false, out.get(), &size, &executor) == 161002);
    return 0;
}
