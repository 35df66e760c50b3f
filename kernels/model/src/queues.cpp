// TPipe's buffers and the queues that pass them from pipe to pipe.

#include "core.h"

#include <algorithm>
#include <cstring>

namespace ascendc_model {

namespace {

/// Takes a buffer from the rest of UB. NULL after a fault.
Buffer* take(Core& at, uint32_t bytes, const char* position, Buffer::State state, const Site& site)
{
    Buffers& buffers = at.buffers;
    if (buffers.count == kMostBuffers) {
        at.fault(
            Rule::BufferCount, site, {"", "UB", buffers.used_bytes}, "a TPipe has at most %u buffers", kMostBuffers);
        return nullptr;
    }
    Buffer& buffer = buffers.all[buffers.count++];
    buffer.address = buffers.used_bytes;
    buffer.bytes = bytes;
    buffer.state = state;
    buffer.generation++;
    buffer.position = position;
    buffer.filled = buffer.freed = -1;
    buffer.site = site;
    buffer.parts.clear();
    buffers.used_bytes += bytes;
    if (!at.fast) {
        // The content of a new buffer is random.
        std::memset(at.ub + buffer.address, static_cast<int>(0x80 | at.schedule.random().below(128)), bytes);
        at.shadow.mark_written(buffer.address, buffer.address + bytes, false);
    }
    return &buffer;
}

/// The length of a buffer in whole blocks; 0 after a fault.
uint32_t checked_length(Core& at, uint64_t buffers, uint32_t bytes, const Site& site)
{
    if (buffers == 0 || bytes == 0) {
        at.fault(Rule::Parameter, site, {"", "UB", 0}, "InitBuffer: %llu buffers of %u bytes",
            static_cast<unsigned long long>(buffers), bytes);
        return 0;
    }
    const uint64_t rounded = (uint64_t{bytes} + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
    const uint32_t asked = at.state->launch->options.ub;
    const uint32_t usable = asked != 0 ? std::min(asked, kUbBytes - kUbKept) : kUbUsable;
    if (at.buffers.used_bytes + buffers * rounded > usable) {
        at.fault(Rule::UbOverflow, site, {"", "UB", at.buffers.used_bytes},
            "InitBuffer: %llu buffers of %llu bytes after %u bytes; UB has %u for a kernel",
            static_cast<unsigned long long>(buffers), static_cast<unsigned long long>(rounded), at.buffers.used_bytes,
            usable);
        return 0;
    }
    return static_cast<uint32_t>(rounded);
}

Local view_of(Core& at, uint32_t index)
{
    const Buffer& buffer = at.buffers.all[index];
    return Local{buffer.address, buffer.bytes, index, buffer.generation};
}

bool ready(Core& at, const QueueState& queue, const char* what, const Site& site)
{
    if (queue.initialised) {
        return true;
    }
    at.fault(Rule::QueueUninitialised, site, {"", "UB", 0}, "%s on a %s queue that InitBuffer gave no buffers", what,
        queue.position);
    return false;
}

/// The queue's buffer that a tensor refers to; NULL when it refers to none.
Buffer* own_buffer(Core& at, const QueueState& queue, const Local& tensor, const char* what, const Site& site)
{
    const bool own = tensor.buffer >= queue.first_buffer && tensor.buffer < queue.first_buffer + queue.buffers;
    if (own) {
        return &at.buffers.all[tensor.buffer];
    }
    at.fault(Rule::QueueForeign, site, {"", "UB", tensor.address}, "%s: the tensor is not of this %s queue", what,
        queue.position);
    return nullptr;
}

} // namespace

void pipe_begin(void* pipe, const Site& site)
{
    Core& at = core();
    if (at.dead) {
        return;
    }
    if (at.buffers.pipe_open) {
        at.report(Rule::Pipe, site, {}, "a second TPipe is made while the first still has UB");
    }
    at.buffers.clear();
    at.buffers.pipe_open = true;
    at.buffers.pipe = pipe;
}

void* current_pipe(const Site& site)
{
    Core& at = core();
    if (at.buffers.pipe == nullptr) {
        at.fault(Rule::Pipe, site, {}, "GetTPipePtr before a TPipe was made");
    }
    return at.buffers.pipe;
}

void pipe_end()
{
    Core& at = core();
    if (at.dead) {
        return;
    }
    at.closing = true;
    for (uint32_t i = 0; i < at.buffers.count; i++) {
        Buffer& buffer = at.buffers.all[i];
        if (buffer.freed >= 0) {
            wait_flag(buffer.freed_event, buffer.freed, buffer.site);
            release_event(buffer.freed_event, buffer.freed, buffer.site);
            buffer.freed = -1;
        }
    }
    pipe_barrier(PIPE_ALL, Site{});
    at.counters.barriers--;
    at.buffers.pipe_open = false;
    at.closing = false;
}

void init_queue(QueueState& queue, uint32_t buffers, uint32_t bytes, const Site& site)
{
    Core& at = core();
    if (at.dead) {
        return;
    }
    const uint32_t rounded = checked_length(at, buffers, bytes, site);
    if (rounded == 0) {
        return;
    }
    queue.first_buffer = at.buffers.count;
    queue.buffers = 0;
    queue.next_buffer = queue.queued = queue.head = 0;
    for (uint32_t i = 0; i < buffers; i++) {
        Buffer* buffer = take(at, rounded, queue.position, Buffer::State::Free, site);
        if (buffer == nullptr) {
            return;
        }
        buffer->freed_event = queue.freed;
        queue.buffers++;
    }
    queue.initialised = true;
}

Local init_buffer(uint32_t bytes, const char* position, const Site& site)
{
    Core& at = core();
    if (at.dead) {
        return Local{};
    }
    const uint32_t rounded = checked_length(at, 1, bytes, site);
    if (rounded == 0 || take(at, rounded, position, Buffer::State::Always, site) == nullptr) {
        return Local{};
    }
    return view_of(at, at.buffers.count - 1);
}

Local alloc_tensor(QueueState& queue, const Site& site)
{
    Core& at = core();
    if (at.dead || !ready(at, queue, "AllocTensor", site)) {
        return Local{};
    }
    for (uint32_t tries = 0; tries < queue.buffers; tries++) {
        const uint32_t index = queue.first_buffer + queue.next_buffer;
        queue.next_buffer = static_cast<uint8_t>((queue.next_buffer + 1) % queue.buffers);
        Buffer& buffer = at.buffers.all[index];
        if (buffer.state != Buffer::State::Free) {
            continue;
        }
        buffer.state = Buffer::State::Occupied;
        buffer.site = site;
        if (buffer.freed >= 0) {
            wait_flag(queue.freed, buffer.freed, site);
            release_event(queue.freed, buffer.freed, site);
            buffer.freed = -1;
        }
        if (!at.fast) {
            at.shadow.mark_written(buffer.address, buffer.address + buffer.bytes, false);
        }
        return view_of(at, index);
    }
    at.fault(Rule::NoFreeBuffer, site, {"", "UB", 0},
        "AllocTensor: all %u buffers of the %s queue are in use; the core would search for ever", queue.buffers,
        queue.position);
    return Local{};
}

bool enque(QueueState& queue, const Local& tensor, const Site& site)
{
    Core& at = core();
    if (at.dead || !ready(at, queue, "EnQue", site)) {
        return false;
    }
    Buffer* buffer = own_buffer(at, queue, tensor, "EnQue", site);
    if (buffer == nullptr) {
        return false;
    }
    if (queue.queued >= queue.depth) {
        at.fault(Rule::QueueDepth, site, {"", "UB", tensor.address},
            "EnQue: the %s queue of depth %u already holds %u tensors", queue.position, queue.depth, queue.queued);
        return false;
    }
    if (buffer->state != Buffer::State::Occupied && buffer->state != Buffer::State::Dequeued) {
        at.fault(Rule::QueueState, site, {"", "UB", tensor.address}, "EnQue: the tensor is %s",
            buffer->state == Buffer::State::Queued ? "in the queue already" : "not allocated");
        return false;
    }
    buffer->state = Buffer::State::Queued;
    buffer->filled = alloc_event(queue.filled, site);
    set_flag(queue.filled, buffer->filled, site);
    queue.order[(queue.head + queue.queued) % kMostBuffers] = tensor.buffer;
    queue.queued++;
    return true;
}

Local deque(QueueState& queue, const Site& site)
{
    Core& at = core();
    if (at.dead || !ready(at, queue, "DeQue", site)) {
        return Local{};
    }
    if (queue.queued == 0) {
        at.fault(Rule::QueueEmpty, site, {"", "UB", 0}, "DeQue: the %s queue is empty", queue.position);
        return Local{};
    }
    const uint32_t index = queue.order[queue.head];
    queue.head = static_cast<uint8_t>((queue.head + 1) % kMostBuffers);
    queue.queued--;
    Buffer& buffer = at.buffers.all[index];
    buffer.state = Buffer::State::Dequeued;
    wait_flag(queue.filled, buffer.filled, site);
    release_event(queue.filled, buffer.filled, site);
    buffer.filled = -1;
    return view_of(at, index);
}

void free_tensor(QueueState& queue, const Local& tensor, const Site& site)
{
    Core& at = core();
    if (at.dead || !ready(at, queue, "FreeTensor", site)) {
        return;
    }
    Buffer* buffer = own_buffer(at, queue, tensor, "FreeTensor", site);
    if (buffer == nullptr) {
        return;
    }
    if (buffer->state == Buffer::State::Free || buffer->generation != tensor.generation) {
        at.report(Rule::DoubleFree, site, {"", "UB", tensor.address}, "FreeTensor: the buffer has been freed already");
        return;
    }
    if (buffer->state == Buffer::State::Queued) {
        at.fault(Rule::QueueState, site, {"", "UB", tensor.address}, "FreeTensor: the tensor is in the %s queue",
            queue.position);
        return;
    }
    buffer->freed = alloc_event(queue.freed, site);
    set_flag(queue.freed, buffer->freed, site);
    buffer->state = Buffer::State::Free;
    buffer->generation++;
}

} // namespace ascendc_model
