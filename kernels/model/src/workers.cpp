#include "workers.h"

#include "core.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

namespace ascendc_model {

namespace {

/// Cores are large; they are kept for the next launch.
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

/// One launch's wish for helpers.
struct Request {
    const std::function<void(Core&)>* work;
    uint32_t wanted;
    uint32_t running = 0;
};

class Workers {
public:
    void run(uint32_t helpers, const std::function<void(Core&)>& work)
    {
        Request request{&work, helpers};
        if (helpers > 0) {
            const std::lock_guard<std::mutex> lock(mutex_);
            requests_.push_back(&request);
            while (threads_ < helpers) {
                threads_++;
                std::thread([this] { serve(); }).detach();
            }
            wake_.notify_all();
        }
        with_core(work);
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
    }

private:
    void with_core(const std::function<void(Core&)>& work)
    {
        std::unique_ptr<Core> one = cores_.take();
        // A kernel may launch another one on this thread's behalf: the outer block comes back afterwards.
        Face* outer = face;
        face = one.get();
        work(*one);
        face = outer;
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
            with_core(*request->work);
            lock.lock();
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

void run_on_workers(uint32_t helpers, const std::function<void(Core&)>& work)
{
    // Never destroyed: its threads wait in it until the process ends.
    static Workers* const workers = new Workers();
    workers->run(helpers, work);
}

} // namespace ascendc_model
