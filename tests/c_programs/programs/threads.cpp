// Threads × streams × devices: every thread makes every kind of call on its own streams on every
// device, and checks every result. The variable THREADS_ROUNDS is the number of rounds of each
// stream.
#include <algorithm>
#include <thread>

#include "aclnnop/aclnn_scatter.h"
#include "aclnnop/aclnn_scatter_add.h"
#include "aclnnop/aclnn_scatter_reduce.h"
#include "aclnnop/aclnn_tf_scatter_add.h"
#include "tensor.hpp"

namespace {
constexpr int kThreads = 16, kStreams = 4;
constexpr int64_t kRows = 6, kColumns = 5, kUpdates = 12;
constexpr int64_t kMax = 3;
constexpr int kCalls = 5;

// Pseudo-random numbers, with a seed for each job.
class Numbers {
public:
    explicit Numbers(uint32_t seed) : state_(seed) { }
    int32_t next()
    {
        state_ = state_ * 1664525U + 1013904223U;
        return static_cast<int32_t>(state_ >> 16U);
    }

private:
    uint32_t state_;
};

int32_t add(int32_t left, int32_t right)
{
    return static_cast<int32_t>(static_cast<uint32_t>(left) + static_cast<uint32_t>(right));
}

// A stream with tensors, and the values that they must have after the calls made so far.
class Job {
public:
    explicit Job(Numbers numbers)
        : expected_(fill(numbers, kRows * kColumns)),
          src_values_(fill(numbers, kUpdates * kColumns)),
          self_({kRows, kColumns}, expected_),
          src_({kUpdates, kColumns}, src_values_)
    {
        for (size_t i = 0; i < src_values_.size(); ++i) {
            index_values_.push_back(numbers.next() % kRows);
        }
        index_ = std::make_unique<Tensor<int64_t>>(Shape{kUpdates, kColumns}, index_values_);
        for (int64_t i = 0; i < kUpdates; ++i) {
            row_values_.push_back(numbers.next() % static_cast<int32_t>(kRows));
        }
        rows_ = std::make_unique<Tensor<int32_t>>(Shape{kUpdates, 1}, row_values_);
        CALL(aclrtCreateStream(&stream_));
    }
    ~Job() { CALL(aclrtDestroyStream(stream_)); }
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    // Makes the call with this number.
    void call(int number)
    {
        uint64_t size = 0;
        aclOpExecutor* executor = nullptr;
        int32_t marker = number;
        switch (number % kCalls) {
        case 0:
            CALL(aclnnScatterAddGetWorkspaceSize(
                self_.get(), 0, index_->get(), src_.get(), self_.get(), &size, &executor));
            CALL(aclnnScatterAdd(nullptr, size, executor, stream_));
            each([](int32_t old, int32_t update) { return add(old, update); });
            break;
        case 1:
            CALL(aclnnInplaceScatterGetWorkspaceSize(self_.get(), -2, index_->get(), src_.get(), 0, &size, &executor));
            CALL(aclnnInplaceScatter(nullptr, size, executor, stream_));
            each([](int32_t, int32_t update) { return update; });
            break;
        case 2:
            CALL(aclnnInplaceScatterReduceGetWorkspaceSize(
                self_.get(), 0, index_->get(), src_.get(), kMax, true, &size, &executor));
            CALL(aclnnInplaceScatterReduce(nullptr, size, executor, stream_));
            each([](int32_t old, int32_t update) { return std::max(old, update); });
            break;
        case 3: {
            aclScalar* value = aclCreateScalar(&marker, ACL_INT32);
            CALL(aclnnInplaceScatterValueGetWorkspaceSize(self_.get(), 0, index_->get(), value, 1, &size, &executor));
            CALL(aclnnInplaceScatterValue(nullptr, size, executor, stream_));
            CALL(aclDestroyScalar(value));
            each([marker](int32_t old, int32_t) { return add(old, marker); });
            break;
        }
        default:
            CALL(aclnnTfScatterAddGetWorkspaceSize(self_.get(), rows_->get(), src_.get(), &size, &executor));
            CALL(aclnnTfScatterAdd(nullptr, size, executor, stream_));
            for (size_t i = 0; i < src_values_.size(); ++i) {
                int32_t& place = at(row_values_[i / kColumns], i);
                place = add(place, src_values_[i]);
            }
        }
        HOLDS(size == 0);
    }

    void check()
    {
        CALL(aclrtSynchronizeStream(stream_));
        if (self_.values() != expected_) {
            FAIL("wrong numbers");
        }
    }

private:
    static std::vector<int32_t> fill(Numbers& numbers, int64_t count)
    {
        std::vector<int32_t> values(static_cast<size_t>(count));
        std::generate(values.begin(), values.end(), [&] { return numbers.next(); });
        return values;
    }
    int32_t& at(int64_t row, size_t update)
    {
        return expected_[static_cast<size_t>(row * kColumns) + update % kColumns];
    }
    template <typename F> void each(F update)
    {
        for (size_t i = 0; i < src_values_.size(); ++i) {
            int32_t& place = at(index_values_[i], i);
            place = update(place, src_values_[i]);
        }
    }

    aclrtStream stream_ = nullptr;
    std::vector<int32_t> expected_, src_values_, row_values_;
    std::vector<int64_t> index_values_;
    Tensor<int32_t> self_, src_;
    std::unique_ptr<Tensor<int64_t>> index_;
    std::unique_ptr<Tensor<int32_t>> rows_;
};

void work(int thread, int32_t device, int rounds)
{
    CALL(aclrtSetDevice(device));
    {
        std::vector<std::unique_ptr<Job>> jobs;
        for (int stream = 0; stream < kStreams; ++stream) {
            jobs.push_back(std::make_unique<Job>(Numbers(static_cast<uint32_t>(thread * 100 + device * 10 + stream))));
        }
        for (int round = 0; round < rounds; ++round) {
            for (auto& job : jobs) {
                job->call(round + thread);
            }
        }
        for (auto& job : jobs) {
            job->check();
        }
    }
    CALL(aclrtResetDevice(device));
}
} // namespace

int main()
{
    const char* told = std::getenv("THREADS_ROUNDS");
    const int rounds = told ? std::atoi(told) : 800;
    CALL(aclInit(nullptr));
    uint32_t devices = 0;
    CALL(aclrtGetDeviceCount(&devices));
    HOLDS(devices >= 2 && rounds > 0);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([thread, devices, rounds] {
            for (uint32_t device = 0; device < devices; ++device) {
                work(thread, static_cast<int32_t>((device + static_cast<uint32_t>(thread)) % devices), rounds);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CALL(aclFinalize());
    printf("%d threads, %d streams, %u devices: %d calls\n", kThreads, kStreams, devices,
        kThreads * kStreams * static_cast<int>(devices) * rounds);
    return 0;
}
