// Streams, events and host functions: their order, and the times between events.
#include <atomic>
#include <chrono>
#include <thread>

#include "tensor.hpp"

namespace {
std::atomic<bool> gate{false};
std::atomic<int> steps{0};

void wait_for_gate(void*)
{
    while (!gate.load()) {
        std::this_thread::yield();
    }
}

// A host function that expects to run as the step with its number.
void step(void* number)
{
    const int expected = static_cast<int>(reinterpret_cast<intptr_t>(number));
    if (steps.fetch_add(1) != expected) {
        FAIL("step %d came out of order", expected);
    }
}

void* number(int value)
{
    return reinterpret_cast<void*>(static_cast<intptr_t>(value));
}

// A stream runs its work in order, and a launch doesn't wait for it.
void order(aclrtStream stream)
{
    gate = false;
    steps = 0;
    CALL(aclrtLaunchHostFunc(stream, wait_for_gate, nullptr));
    for (int i = 0; i < 100; ++i) {
        CALL(aclrtLaunchHostFunc(stream, step, number(i)));
    }
    aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;
    CALL(aclrtStreamQuery(stream, &status));
    HOLDS(status == ACL_STREAM_STATUS_NOT_READY && steps == 0);
    REFUSED(aclrtSynchronizeStreamWithTimeout(stream, 10), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    gate = true;
    CALL(aclrtSynchronizeStream(stream));
    CALL(aclrtStreamQuery(stream, &status));
    HOLDS(status == ACL_STREAM_STATUS_COMPLETE && steps == 100);
}

// An event makes another stream wait until it is reached.
void events(aclrtStream first, aclrtStream second)
{
    aclrtEvent event = nullptr, start = nullptr, end = nullptr;
    CALL(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
    CALL(aclrtCreateEventWithFlag(&start, ACL_EVENT_TIME_LINE));
    CALL(aclrtCreateEventWithFlag(&end, ACL_EVENT_TIME_LINE));
    gate = false;
    steps = 0;
    CALL(aclrtRecordEvent(start, first));
    CALL(aclrtLaunchHostFunc(first, wait_for_gate, nullptr));
    CALL(aclrtLaunchHostFunc(first, step, number(0)));
    CALL(aclrtRecordEvent(event, first));
    CALL(aclrtStreamWaitEvent(second, event));
    CALL(aclrtLaunchHostFunc(second, step, number(1)));
    CALL(aclrtRecordEvent(end, second));
    aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_COMPLETE;
    CALL(aclrtQueryEventStatus(event, &recorded));
    HOLDS(recorded == ACL_EVENT_RECORDED_STATUS_NOT_READY && steps == 0);
    // Gives the events a measurable time between them.
    const auto held = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - held < std::chrono::milliseconds(20)) {
        std::this_thread::yield();
    }
    gate = true;
    CALL(aclrtSynchronizeEvent(end));
    HOLDS(steps == 2);
    CALL(aclrtQueryEventStatus(event, &recorded));
    HOLDS(recorded == ACL_EVENT_RECORDED_STATUS_COMPLETE);
    float milliseconds = 0;
    CALL(aclrtEventElapsedTime(&milliseconds, start, end));
    HOLDS(milliseconds >= 15 && milliseconds < 10000);
    for (aclrtEvent each : {event, start, end}) {
        CALL(aclrtDestroyEvent(each));
    }
}

// The null stream is the context's default stream.
void default_stream()
{
    steps = 0;
    CALL(aclrtLaunchHostFunc(nullptr, step, number(0)));
    CALL(aclrtSynchronizeStream(nullptr));
    HOLDS(steps == 1);
    CALL(aclrtLaunchHostFunc(nullptr, step, number(1)));
    CALL(aclrtSynchronizeDevice());
    HOLDS(steps == 2);
}

// Two contexts of two devices on one thread.
void contexts()
{
    aclrtContext first = nullptr, second = nullptr, current = nullptr;
    CALL(aclrtGetCurrentContext(&first));
    CALL(aclrtCreateContext(&second, 1));
    CALL(aclrtGetCurrentContext(&current));
    HOLDS(current == second);
    int32_t device = -1;
    CALL(aclrtGetDevice(&device));
    HOLDS(device == 1);
    aclrtStream stream = nullptr;
    CALL(aclrtCreateStream(&stream));
    CALL(aclrtSetCurrentContext(first));
    REFUSED(aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CALL(aclrtSetCurrentContext(second));
    CALL(aclrtSynchronizeStream(stream));
    CALL(aclrtDestroyStream(stream));
    CALL(aclrtSetCurrentContext(first));
    CALL(aclrtDestroyContext(second));
}
} // namespace

int main()
{
    Session session;
    aclrtStream second = nullptr;
    CALL(aclrtCreateStreamWithConfig(&second, 0, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC));
    order(session.stream());
    events(session.stream(), second);
    CALL(aclrtDestroyStream(second));
    default_stream();
    contexts();
    return 0;
}
