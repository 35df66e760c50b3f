// Threads × streams × devices: every thread works on streams of its own on every device, and looks at every number.
#include <thread>

#include "aclnnop/aclnn_scatter_add.h"
#include "tensor.hpp"

namespace {
constexpr int kThreads = 8, kStreams = 3, kRounds = 20;
constexpr int64_t kRows = 16, kColumns = 9, kUpdates = 40;

struct Job {
    aclrtStream stream = nullptr;
    std::unique_ptr<Tensor<int32_t>> self, src;
    std::unique_ptr<Tensor<int64_t>> index;
    std::vector<int32_t> expected;
};

// Numbers that differ from job to job, and what comes out after all rounds.
Job make(uint32_t seed) {
    const auto next = [&seed] {
        seed = seed * 1664525U + 1013904223U;
        return static_cast<int32_t>(seed >> 16U);
    };
    std::vector<int32_t> self(kRows * kColumns), src(kUpdates * kColumns);
    std::vector<int64_t> index(src.size());
    for (int32_t &value : self) {
        value = next();
    }
    Job job;
    job.expected = self;
    for (size_t i = 0; i < src.size(); ++i) {
        src[i] = next();
        index[i] = next() % kRows;
        const size_t place = static_cast<size_t>(index[i] * kColumns) + i % kColumns;
        for (int round = 0; round < kRounds; ++round) {
            job.expected[place] = static_cast<int32_t>(static_cast<uint32_t>(job.expected[place]) +
                                                       static_cast<uint32_t>(src[i]));
        }
    }
    job.self = std::make_unique<Tensor<int32_t>>(Shape{kRows, kColumns}, self);
    job.src = std::make_unique<Tensor<int32_t>>(Shape{kUpdates, kColumns}, src);
    job.index = std::make_unique<Tensor<int64_t>>(Shape{kUpdates, kColumns}, index);
    CALL(aclrtCreateStream(&job.stream));
    return job;
}

void work(int thread, int32_t device) {
    CALL(aclrtSetDevice(device));
    {
        std::vector<Job> jobs;
        for (int stream = 0; stream < kStreams; ++stream) {
            jobs.push_back(make(static_cast<uint32_t>(thread * 100 + device * 10 + stream)));
        }
        for (int round = 0; round < kRounds; ++round) {
            for (Job &job : jobs) {
                uint64_t size = 0;
                aclOpExecutor *executor = nullptr;
                CALL(aclnnScatterAddGetWorkspaceSize(job.self->get(), 0, job.index->get(), job.src->get(),
                                                     job.self->get(), &size, &executor));
                HOLDS(size == 0);
                CALL(aclnnScatterAdd(nullptr, size, executor, job.stream));
            }
        }
        for (Job &job : jobs) {
            CALL(aclrtSynchronizeStream(job.stream));
            if (job.self->values() != job.expected) {
                FAIL("thread %d, device %d: wrong numbers", thread, device);
            }
            CALL(aclrtDestroyStream(job.stream));
        }
    }
    CALL(aclrtResetDevice(device));
}
} // namespace

int main() {
    CALL(aclInit(nullptr));
    uint32_t devices = 0;
    CALL(aclrtGetDeviceCount(&devices));
    HOLDS(devices >= 2);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([thread, devices] {
            for (uint32_t device = 0; device < devices; ++device) {
                work(thread, static_cast<int32_t>((device + static_cast<uint32_t>(thread)) % devices));
            }
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    CALL(aclFinalize());
    printf("%d threads, %d streams, %u devices, %d rounds\n", kThreads, kStreams, devices, kRounds);
    return 0;
}
