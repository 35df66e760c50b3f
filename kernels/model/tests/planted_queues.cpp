// Buffers and queues used in a wrong order.

#include "planted.h"

using namespace AscendC;

namespace planted {

namespace {

constexpr uint32_t kTile = 256;
constexpr uint32_t kBytes = kTile * sizeof(float);

struct Queues {
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;

    Queues()
    {
        pipe.InitBuffer(in, 2, kBytes);
        pipe.InitBuffer(out, 2, kBytes);
    }

    LocalTensor<float> loaded(const Call& call)
    {
        LocalTensor<float> tensor = in.AllocTensor<float>();
        DataCopy(tensor, input(call), kTile);
        in.EnQue(tensor);
        return in.DeQue<float>();
    }

    void send(const Call& call, LocalTensor<float> tensor)
    {
        out.EnQue(tensor);
        tensor = out.DeQue<float>();
        DataCopy(output(call), tensor, kTile);
        out.FreeTensor(tensor);
    }
};

/// A whole round of a queue, any part of which can be left out.
void round(const Call& call, bool enque_in, bool enque_out, bool free_in)
{
    Queues use;
    LocalTensor<float> a = use.in.AllocTensor<float>();
    DataCopy(a, input(call), kTile);
    if (enque_in) {
        use.in.EnQue(a);
        a = use.in.DeQue<float>();
    }
    LocalTensor<float> b = use.out.AllocTensor<float>();
    Adds(b, a, 1.0f, kTile);
    if (enque_out) {
        use.out.EnQue(b);
        b = use.out.DeQue<float>();
    }
    DataCopy(output(call), b, kTile);
    use.out.FreeTensor(b);
    if (free_in) {
        use.in.FreeTensor(a);
    }
}

void no_enque_in(const Call& call)
{
    round(call, !call.broken, true, true);
}
void no_enque_out(const Call& call)
{
    round(call, true, !call.broken, true);
}
void no_free(const Call& call)
{
    round(call, true, true, !call.broken);
}

void no_free_in_a_loop(const Call& call)
{
    Queues use;
    for (uint32_t i = 0; i < 3; i++) {
        LocalTensor<float> a = use.loaded(call);
        LocalTensor<float> b = use.out.AllocTensor<float>();
        Adds(b, a, 1.0f, kTile);
        if (!call.broken) {
            use.in.FreeTensor(a);
        }
        // Each round writes the same GM: one after the other.
        PipeBarrier<PIPE_MTE3>();
        use.send(call, b);
    }
}

void freed_twice(const Call& call)
{
    Queues use;
    LocalTensor<float> a = use.loaded(call);
    use.in.FreeTensor(a);
    if (call.broken) {
        use.in.FreeTensor(a);
    }
}

void used_after_free(const Call& call)
{
    Queues use;
    LocalTensor<float> a = use.loaded(call);
    LocalTensor<float> b = use.out.AllocTensor<float>();
    if (call.broken) {
        use.in.FreeTensor(a);
    }
    Adds(b, a, 1.0f, kTile);
    if (!call.broken) {
        use.in.FreeTensor(a);
    }
    use.send(call, b);
}

void used_in_the_queue(const Call& call)
{
    Queues use;
    LocalTensor<float> a = use.in.AllocTensor<float>();
    DataCopy(a, input(call), kTile / 2);
    if (!call.broken) {
        DataCopy(a[kTile / 2], input(call)[kTile / 2], kTile / 2);
    }
    use.in.EnQue(a);
    if (call.broken) {
        DataCopy(a[kTile / 2], input(call)[kTile / 2], kTile / 2);
    }
    a = use.in.DeQue<float>();
    use.in.FreeTensor(a);
}

void freed_in_the_queue(const Call& call)
{
    Queues use;
    LocalTensor<float> a = use.in.AllocTensor<float>();
    DataCopy(a, input(call), kTile);
    use.in.EnQue(a);
    if (!call.broken) {
        a = use.in.DeQue<float>();
    }
    use.in.FreeTensor(a);
}

void too_deep(const Call& call)
{
    Queues use;
    LocalTensor<float> a = use.in.AllocTensor<float>();
    LocalTensor<float> b = use.in.AllocTensor<float>();
    DataCopy(a, input(call), kTile);
    DataCopy(b, input(call), kTile);
    use.in.EnQue(a);
    if (!call.broken) {
        a = use.in.DeQue<float>();
    }
    use.in.EnQue(b);
    b = use.in.DeQue<float>();
    use.in.FreeTensor(a);
    use.in.FreeTensor(b);
}

void dequeued_empty(const Call& call)
{
    Queues use;
    LocalTensor<float> a = use.in.AllocTensor<float>();
    DataCopy(a, input(call), kTile);
    if (!call.broken) {
        use.in.EnQue(a);
    }
    a = use.in.DeQue<float>();
    use.in.FreeTensor(a);
}

void to_the_wrong_queue(const Call& call)
{
    Queues use;
    LocalTensor<float> a = use.loaded(call);
    if (call.broken) {
        use.out.FreeTensor(a);
    } else {
        use.in.FreeTensor(a);
    }
}

void never_initialised(const Call& call)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queue;
    if (!call.broken) {
        pipe.InitBuffer(queue, 1, kBytes);
    }
    LocalTensor<float> a = queue.AllocTensor<float>();
    queue.FreeTensor(a);
}

void no_memory(const Call& call)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queue;
    TBuf<TPosition::VECCALC> rest;
    pipe.InitBuffer(queue, 2, 90 * 1024);
    pipe.InitBuffer(rest, call.broken ? 4 * 1024 : 3 * 1024);
}

void no_length(const Call& call)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, call.broken ? 0 : 32);
}

void too_many_buffers(const Call& call)
{
    TPipe pipe;
    TQue<TPosition::VECIN, 1> queue;
    TBuf<TPosition::VECCALC> last;
    pipe.InitBuffer(queue, call.broken ? 64 : 63, 32);
    pipe.InitBuffer(last, 32);
}

void second_pipe(const Call& call)
{
    TPipe first;
    if (!call.broken) {
        first.Destroy();
    }
    TPipe second;
}

void no_pipe(const Call& call)
{
    if (call.broken) {
        GetTPipePtr()->Destroy();
    }
    TPipe pipe;
    GetTPipePtr()->Destroy();
}

void fresh_buffer(const Call& call)
{
    Queues use;
    LocalTensor<float> b = use.out.AllocTensor<float>();
    Duplicate(b, 1.0f, static_cast<int32_t>(call.broken ? kTile - 1 : kTile));
    use.send(call, b);
}

/// The content of a buffer that is allocated again from its queue is undefined.
void stale_buffer(const Call& call)
{
    TPipe pipe;
    TQue<TPosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, kBytes);
    for (uint32_t i = 0; i < 2; i++) {
        LocalTensor<float> b = queue.AllocTensor<float>();
        if (i == 0 || !call.broken) {
            Duplicate(b, 1.0f, kTile);
        }
        queue.EnQue(b);
        b = queue.DeQue<float>();
        DataCopy(output(call)[i * kTile], b, kTile);
        queue.FreeTensor(b);
    }
}

void never_made(const Call& call)
{
    Queues use;
    LocalTensor<float> b;
    if (!call.broken) {
        b = use.out.AllocTensor<float>();
    }
    Duplicate(b, 1.0f, kTile);
    if (!call.broken) {
        use.send(call, b);
    }
}

} // namespace

std::vector<Bug> queue_bugs()
{
    return {
        {"no EnQue and DeQue on the way in", "missing-flag", 1, no_enque_in, is_input_plus<kTile, 1>},
        {"no EnQue and DeQue on the way out", "missing-flag", 1, no_enque_out, is_input_plus<kTile, 1>},
        {"a tensor never freed", "buffer-leak", 1, no_free, is_input_plus<kTile, 1>},
        {"a tensor never freed in a loop", "no-free-buffer", 1, no_free_in_a_loop, is_input_plus<kTile, 1>},
        {"a tensor freed twice", "double-free", 1, freed_twice, nullptr},
        {"a tensor used after it was freed", "use-after-free", 1, used_after_free, is_input_plus<kTile, 1>},
        {"a tensor that no queue gave", "use-after-free", 1, never_made, is_all<kTile, 1>},
        {"a tensor used while it is in the queue", "queue-state", 1, used_in_the_queue, nullptr},
        {"a tensor freed while it is in the queue", "queue-state", 1, freed_in_the_queue, nullptr},
        {"more in a queue than its depth", "queue-depth", 1, too_deep, nullptr},
        {"DeQue from an empty queue", "queue-empty", 1, dequeued_empty, nullptr},
        {"a tensor freed to another queue", "queue-foreign", 1, to_the_wrong_queue, nullptr},
        {"a queue without InitBuffer", "queue-uninitialised", 1, never_initialised, nullptr},
        {"more UB than there is", "ub-overflow", 1, no_memory, nullptr},
        {"a buffer of no length", "parameter", 1, no_length, nullptr},
        {"more buffers than a TPipe has", "buffer-count", 1, too_many_buffers, nullptr},
        {"a second TPipe", "pipe", 1, second_pipe, nullptr},
        {"GetTPipePtr without a TPipe", "pipe", 1, no_pipe, nullptr},
        {"a fresh buffer read", "uninitialised-read", 1, fresh_buffer, is_all<kTile, 1>},
        {"the old content of a buffer read", "uninitialised-read", 1, stale_buffer, is_all<2 * kTile, 1>},
    };
}

} // namespace planted
