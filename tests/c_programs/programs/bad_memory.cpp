// Tensors whose memory is not on the device: nothing is read or written, the stream reports what
// memory it is, and still works afterwards.
#include <cstring>

#include "aclnnop/aclnn_scatter_add.h"
#include "tensor.hpp"

constexpr int64_t kElements = 2048;

// A tensor of 2048 elements at a given address.
template <typename T> class At {
public:
    explicit At(void* address)
    {
        const int64_t shape[] = {kElements};
        handle_ = aclCreateTensor(shape, 1, DtypeOf<T>::value, nullptr, 0, ACL_FORMAT_ND, shape, 1, address);
        HOLDS(handle_ != nullptr);
    }
    ~At() { CALL(aclDestroyTensor(handle_)); }
    At(const At&) = delete;
    At& operator=(const At&) = delete;

    aclTensor* get() const { return handle_; }

private:
    aclTensor* handle_ = nullptr;
};

// Expects that the next synchronisation, and only that, fails with a message that contains these
// words.
static void expect_failure(aclrtStream stream, std::initializer_list<const char*> expected)
{
    const aclError failure = aclrtSynchronizeStream(stream);
    const char* words = aclGetRecentErrMsg();
    HOLDS(failure == ACL_ERROR_RT_VECTOR_CORE_EXCEPTION && words != nullptr);
    printf("%d: %s\n", failure, words);
    for (const char* word : expected) {
        if (std::strstr(words, word) == nullptr) {
            FAIL("the message does not say %s", word);
        }
    }
    CALL(aclrtSynchronizeStream(stream));
}

int main()
{
    Session session;
    const Shape shape = {kElements};
    Tensor<float> self(shape, std::vector<float>(kElements, 1)), src(shape, std::vector<float>(kElements, 2));
    Tensor<int64_t> index(shape, std::vector<int64_t>(kElements, 0));
    const auto phase_one = [&](aclTensor* out, aclTensor* updates) {
        uint64_t size = 0;
        aclOpExecutor* executor = nullptr;
        CALL(aclnnScatterAddGetWorkspaceSize(out, 0, index.get(), updates, out, &size, &executor));
        HOLDS(size == 0);
        return executor;
    };
    const auto phase_two = [&](aclOpExecutor* executor) {
        CALL(aclnnScatterAdd(nullptr, 0, executor, session.stream()));
    };

    // Host memory: the program forgot the copy to the device.
    std::vector<float> host(kElements, 3);
    At<float> forgotten(host.data());
    phase_two(phase_one(self.get(), forgotten.get()));
    expect_failure(session.stream(), {"aclnnScatterAdd", "src", "8192 bytes", "host memory"});

    // A tensor that is larger than its memory, with another allocation behind it.
    Tensor<float> small({16}, std::vector<float>(16, 4)), neighbour({1024}, std::vector<float>(1024, 5));
    At<float> large(small.address());
    phase_two(phase_one(large.get(), src.get()));
    expect_failure(session.stream(), {"self", "write 8192 bytes", "bytes are there"});

    // Memory that is freed between the phases, and an address that was never allocated.
    void* freed = nullptr;
    CALL(aclrtMalloc(&freed, kElements * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
    At<float> gone(freed), wild(reinterpret_cast<void*>(0x1000));
    aclOpExecutor* executor = phase_one(self.get(), gone.get());
    CALL(aclrtFree(freed));
    phase_two(executor);
    expect_failure(session.stream(), {"src", "it was freed"});
    phase_two(phase_one(wild.get(), src.get()));
    expect_failure(session.stream(), {"self", "0x1000"});

    // Nothing was written, and the stream still works.
    HOLDS(self.values() == std::vector<float>(kElements, 1));
    HOLDS(small.values() == std::vector<float>(16, 4));
    HOLDS(neighbour.values() == std::vector<float>(1024, 5));
    phase_two(phase_one(self.get(), src.get()));
    CALL(aclrtSynchronizeStream(session.stream()));
    std::vector<float> sum(kElements, 1);
    sum[0] += 2 * kElements;
    HOLDS(self.values() == sum);
    return 0;
}
