#include "pending.h"

#include "model/scalar.h"

#include <pthread.h>

#include <cstring>
#include <mutex>
#include <new>

namespace ascendc_model {

namespace {

std::mutex& atomics()
{
    static std::mutex mutex;
    // It may be held by a thread that doesn't exist in a fork.
    static const int watched = pthread_atfork(nullptr, nullptr, [] { new (&mutex) std::mutex(); });
    static_cast<void>(watched);
    return mutex;
}

/// The result of an atomic operation of one data type in GM.
template <typename T> T combine(AtomicOp op, T a, T b)
{
    switch (op) {
    case AtomicOp::Max: return a < b ? b : a;
    case AtomicOp::Min: return b < a ? b : a;
    default: break;
    }
    if constexpr (std::is_integral_v<T>) {
        using Unsigned = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<Unsigned>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)));
    } else {
        return a + b;
    }
}

template <> bfloat16_t combine(AtomicOp op, bfloat16_t a, bfloat16_t b)
{
    return bfloat16_t{float_to_bfloat16(combine(op, bfloat16_to_float(a.bits), bfloat16_to_float(b.bits)))};
}

template <typename T> void accumulate(uint64_t gm, const uint8_t* data, uint32_t bytes, AtomicOp op)
{
    auto* to = reinterpret_cast<uint8_t*>(gm);
    for (uint32_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
        T a;
        T b;
        std::memcpy(&a, to + i, sizeof a);
        std::memcpy(&b, data + i, sizeof b);
        a = combine(op, a, b);
        std::memcpy(to + i, &a, sizeof a);
    }
}

} // namespace

void apply_atomic(uint64_t gm, const uint8_t* data, uint32_t bytes, AtomicOp op, Type type)
{
    const std::lock_guard<std::mutex> lock(atomics());
    switch (type) {
    case Type::S8: return accumulate<int8_t>(gm, data, bytes, op);
    case Type::S16: return accumulate<int16_t>(gm, data, bytes, op);
    case Type::S32: return accumulate<int32_t>(gm, data, bytes, op);
    case Type::F16: return accumulate<half>(gm, data, bytes, op);
    case Type::BF16: return accumulate<bfloat16_t>(gm, data, bytes, op);
    case Type::F32: return accumulate<float>(gm, data, bytes, op);
    default: return;
    }
}

void PendingAtomics::clear()
{
    copies_.clear();
    data_.clear();
}

void PendingAtomics::add(uint64_t gm, const uint8_t* data, uint32_t bytes, AtomicOp op, Type type)
{
    copies_.push_back(Copy{gm, data_.size(), bytes, op, type});
    data_.insert(data_.end(), data, data + bytes);
}

void PendingAtomics::apply(std::vector<Copy>& copies, Random& random)
{
    for (size_t left = copies.size(); left > 0; left--) {
        const size_t pick = random.next() % left;
        const Copy copy = copies[pick];
        copies[pick] = copies[left - 1];
        apply_atomic(copy.gm, data_.data() + copy.data, copy.bytes, copy.op, copy.type);
    }
}

void PendingAtomics::settle(uint64_t begin, uint64_t end, Random& random)
{
    std::vector<Copy> due;
    size_t kept = 0;
    for (const Copy& copy : copies_) {
        if (copy.gm < end && begin < copy.gm + copy.bytes) {
            due.push_back(copy);
        } else {
            copies_[kept++] = copy;
        }
    }
    copies_.resize(kept);
    apply(due, random);
}

void PendingAtomics::take(PendingAtomics& other)
{
    const size_t shift = data_.size();
    data_.insert(data_.end(), other.data_.begin(), other.data_.end());
    for (Copy copy : other.copies_) {
        copy.data += shift;
        copies_.push_back(copy);
    }
    other.clear();
}

void PendingAtomics::apply_all(Random& random)
{
    apply(copies_, random);
    clear();
}

} // namespace ascendc_model
