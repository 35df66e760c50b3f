#include "workers.h"

#include "core.h"

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

namespace ascendc_model {

namespace {

/// The cores, which are kept for the next launch because they are large.
class Cores {
public:
    std::unique_ptr<Core> take()
    {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (!idle_.empty()) {
                std::unique_ptr<Core> one = std::move(idle_.back());
                idle_.pop_back();
                return one;
            }
        }
        return std::make_unique<Core>();
    }

    void put_back(std::unique_ptr<Core> one)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        idle_.push_back(std::move(one));
    }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Core>> idle_;
};

/// A launch's request for helpers.
struct Request {
    const std::function<void(Core&)>* work;
    uint32_t wanted;
    uint32_t running = 0;
    /// Why a helper could not do its part.
    std::exception_ptr failure = nullptr;
};

class Workers {
public:
    void run(uint32_t helpers, const std::function<void(Core&)>& work)
    {
        Request request{&work, helpers};
        if (helpers > 0) {
            const std::lock_guard<std::mutex> lock(mutex_);
            requests_.push_back(&request);
            start(helpers);
            wake_.notify_all();
        }
        std::exception_ptr failure = nullptr;
        try {
            with_core(work);
        } catch (...) {
            failure = std::current_exception();
        }
        if (helpers > 0) {
            std::unique_lock<std::mutex> lock(mutex_);
            for (auto one = requests_.begin(); one != requests_.end(); ++one) {
                if (*one == &request) {
                    requests_.erase(one);
                    break;
                }
            }
            done_.wait(lock, [&] { return request.running == 0; });
        }
        failure = failure != nullptr ? failure : request.failure;
        if (failure != nullptr) {
            std::rethrow_exception(failure);
        }
    }

private:
    /// Starts threads until there are `helpers`; where the system allows no more, the existing
    /// ones, or the caller alone, do all the work.
    void start(uint32_t helpers)
    {
        try {
            for (; threads_ < helpers; threads_++) {
                std::thread([this] { serve(); }).detach();
            }
        } catch (const std::exception&) {
            // The next launch tries again.
        }
    }

    void with_core(const std::function<void(Core&)>& work)
    {
        std::unique_ptr<Core> one = cores_.take();
        // A kernel may launch another one on this thread: the outer block continues afterwards.
        struct Outer {
            Core* const kept = current_core;
            ~Outer() { current_core = kept; }
        } const outer;
        current_core = one.get();
        work(*one);
        // A core whose work failed is not used again.
        cores_.put_back(std::move(one));
    }

    void serve()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        while (true) {
            wake_.wait(lock, [&] { return !requests_.empty(); });
            Request* request = requests_.front();
            request->running++;
            if (--request->wanted == 0) {
                requests_.pop_front();
            }
            lock.unlock();
            std::exception_ptr failure = nullptr;
            try {
                with_core(*request->work);
            } catch (...) {
                failure = std::current_exception();
            }
            lock.lock();
            request->failure = failure != nullptr ? failure : request->failure;
            request->running--;
            done_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable done_;
    std::deque<Request*> requests_;
    uint32_t threads_ = 0;
    Cores cores_;
};

} // namespace

namespace {

/// Never destroyed: its threads wait in it until the process ends.
std::atomic<Workers*> current{nullptr};

Workers& workers()
{
    Workers* known = current.load();
    if (known != nullptr) {
        return *known;
    }
    // A fork has none of the threads, and one of them may have held the lock: it starts with new
    // workers.
    static const int watched = pthread_atfork(nullptr, nullptr, [] { current = nullptr; });
    static_cast<void>(watched);
    auto made = std::make_unique<Workers>();
    return current.compare_exchange_strong(known, made.get()) ? *made.release() : *known;
}

} // namespace

void run_on_workers(uint32_t helpers, const std::function<void(Core&)>& work)
{
    workers().run(helpers, work);
}

} // namespace ascendc_model
