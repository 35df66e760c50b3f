// An index out of range: nothing is written, the stream reports an error, and
// aclnnScatterStreamStatus reports which index value it was.
#include <cstring>

#include "aclnnop/aclnn_scatter_add.h"
#include "aclnnop/aclnn_scatter_status.h"
#include "tensor.hpp"

int main()
{
    Session session;
    Tensor<float> self({2, 3}, {1, 2, 3, 4, 5, 6}), src({2, 3}, {1, 1, 1, 1, 1, 1});
    Tensor<int64_t> index({2, 3}, {0, 1, -2, 1, 0, 7});
    const auto add = [&] {
        uint64_t size = 0;
        aclOpExecutor* executor = nullptr;
        CALL(aclnnScatterAddGetWorkspaceSize(self.get(), 0, index.get(), src.get(), self.get(), &size, &executor));
        CALL(aclnnScatterAdd(nullptr, size, executor, session.stream()));
    };
    add();
    const aclError failure = aclrtSynchronizeStream(session.stream());
    const char* words = aclGetRecentErrMsg();
    HOLDS(failure != ACL_SUCCESS && words != nullptr);
    printf("%d: %s\n", failure, words);
    for (const char* word : {"aclnnScatterAdd", "7", "[1, 2]", "2"}) {
        if (std::strstr(words, word) == nullptr) {
            FAIL("the message does not say %s", word);
        }
    }
    aclnnScatterStatusInfo info;
    CALL(aclnnScatterStreamStatus(session.stream(), &info));
    HOLDS(info.code == 161002 && info.rank == 2 && info.position[0] == 1 && info.position[1] == 2);
    HOLDS(info.value == 7 && info.size == 2 && std::strcmp(info.opName, "aclnnScatterAdd") == 0);
    // Reading the status has cleared it.
    CALL(aclnnScatterStreamStatus(session.stream(), &info));
    HOLDS(info.code == 0 && info.rank == 0 && info.value == 0);
    expect("self", self.values(), {1, 2, 3, 4, 5, 6});

    // The stream still works.
    index.set({0, 1, -2, 1, 0, -1});
    add();
    CALL(aclrtSynchronizeStream(session.stream()));
    CALL(aclnnScatterStreamStatus(session.stream(), &info));
    HOLDS(info.code == 0);
    expect("self", self.values(), {2, 3, 4, 5, 6, 7});
    return 0;
}
