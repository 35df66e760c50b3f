// Loads the operators as torch_npu does: by their names, from the operator package in
// ASCEND_CUSTOM_OPP_PATH.
#include <dlfcn.h>

#include <string>

#include "aclnnop/aclnn_scatter_add.h"
#include "tensor.hpp"

int main()
{
    const char* package = std::getenv("ASCEND_CUSTOM_OPP_PATH");
    HOLDS(package != nullptr);
    const std::string first = std::string(package).substr(0, std::string(package).find(':'));
    void* library = dlopen((first + "/op_api/lib/libcust_opapi.so").c_str(), RTLD_LAZY);
    if (library == nullptr) {
        FAIL("%s", dlerror());
    }
    const auto phase_one =
        reinterpret_cast<decltype(&aclnnScatterAddGetWorkspaceSize)>(dlsym(library, "aclnnScatterAddGetWorkspaceSize"));
    const auto phase_two = reinterpret_cast<decltype(&aclnnScatterAdd)>(dlsym(library, "aclnnScatterAdd"));
    HOLDS(phase_one != nullptr && phase_two != nullptr);

    Session session;
    Tensor<float> self({3}, {1, 1, 1}), src({2}, {2, 3});
    Tensor<int64_t> index({2}, {2, 2});
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    CALL(phase_one(self.get(), 0, index.get(), src.get(), self.get(), &size, &executor));
    run(phase_two, size, executor, session.stream());
    expect("self", self.values(), {1, 1, 6});
    dlclose(library);
    return 0;
}
