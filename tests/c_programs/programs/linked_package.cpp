// A program that names the operator package's library before CANN's has the operators of the
// package.
#include <dlfcn.h>

#include <string>

#include "aclnnop/aclnn_scatter_add.h"
#include "tensor.hpp"

int main()
{
    Dl_info found{};
    HOLDS(dladdr(dlsym(RTLD_DEFAULT, "aclnnScatterAdd"), &found) != 0);
    const std::string library = found.dli_fname;
    if (library.find("/op_api/lib/libcust_opapi.so") == std::string::npos) {
        FAIL("aclnnScatterAdd is from %s", library.c_str());
    }

    Session session;
    Tensor<float> self({3}, {1, 1, 1}), src({2}, {2, 3});
    Tensor<int64_t> index({2}, {2, 2});
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CALL(aclnnScatterAddGetWorkspaceSize(self.get(), 0, index.get(), src.get(), self.get(), &size, &executor));
    run(aclnnScatterAdd, size, executor, session.stream());
    expect("self", self.values(), {1, 1, 6});
    return 0;
}
