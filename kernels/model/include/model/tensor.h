// LocalTensor and GlobalTensor.
#pragma once

#include "machine.h"

#include <algorithm>

// Always inlined, because on a device it is one instruction or none: a call would be charged to the
// kernel.
#define ASCENDC_MODEL_ACCESS __aicore__ inline __attribute__((always_inline))

namespace AscendC {

using ascendc_model::Site;

template <typename T> class LocalTensor {
public:
    using PrimType = T;

    __aicore__ inline LocalTensor() { }
    explicit LocalTensor(const ascendc_model::Local& local) : local_(local) { }

    ASCENDC_MODEL_ACCESS T GetValue(const uint32_t index, Site site = Site::here()) const
    {
        T value{};
        ascendc_model::scalar_read(local_, uint64_t(index) * sizeof(T), &value, sizeof(T), site);
        return value;
    }

    template <typename U>
    ASCENDC_MODEL_ACCESS void SetValue(const uint32_t index, const U value, Site site = Site::here()) const
    {
        const T converted = static_cast<T>(value);
        ascendc_model::scalar_write(local_, uint64_t(index) * sizeof(T), &converted, sizeof(T), site);
    }

    /// The tensor from element `offset` on.
    ASCENDC_MODEL_ACCESS LocalTensor operator[](const uint32_t offset) const
    {
        ascendc_model::Local local = local_;
        const uint32_t bytes = offset * uint32_t(sizeof(T));
        local.address += bytes;
        local.bytes -= std::min(bytes, local.bytes);
        return LocalTensor(local);
    }

    template <typename U> ASCENDC_MODEL_ACCESS LocalTensor<U> ReinterpretCast() const { return LocalTensor<U>(local_); }

    /// In elements.
    __aicore__ inline uint32_t GetSize() const { return local_.bytes / uint32_t(sizeof(T)); }
    __aicore__ inline void SetSize(const uint32_t size) { local_.bytes = size * uint32_t(sizeof(T)); }

    /// Its address in UB, a number: there is nothing at that address on the host.
    __aicore__ inline uint64_t GetPhyAddr() const { return local_.address; }
    __aicore__ inline uint64_t GetPhyAddr(const uint32_t offset) const
    {
        return local_.address + uint64_t(offset) * sizeof(T);
    }

    const ascendc_model::Local& local() const { return local_; }

private:
    ascendc_model::Local local_;
};

template <typename T> class GlobalTensor {
public:
    using PrimType = T;

    __aicore__ inline GlobalTensor() { }

    __aicore__ inline void SetGlobalBuffer(__gm__ T* buffer, uint64_t bufferSize)
    {
        global_ = ascendc_model::global_at(buffer);
        size_ = bufferSize;
    }
    __aicore__ inline void SetGlobalBuffer(__gm__ T* buffer) { SetGlobalBuffer(buffer, 0); }

    ASCENDC_MODEL_ACCESS T GetValue(const uint64_t offset, Site site = Site::here()) const
    {
        T value{};
        ascendc_model::read_global(global_, offset * sizeof(T), &value, sizeof(T), site);
        return value;
    }

    /// Refused: kernels write GM by DMA.
    __aicore__ inline void SetValue(const uint64_t offset, T value, Site site = Site::here())
    {
        (void)value;
        ascendc_model::write_global(global_, offset * sizeof(T), sizeof(T), site);
    }

    /// The tensor from element `offset` on.
    ASCENDC_MODEL_ACCESS GlobalTensor operator[](const uint64_t offset) const
    {
        GlobalTensor tensor = *this;
        tensor.global_.address += offset * sizeof(T);
        return tensor;
    }

    __aicore__ inline const __gm__ T* GetPhyAddr() const { return reinterpret_cast<const T*>(global_.address); }
    __aicore__ inline __gm__ T* GetPhyAddr(const uint64_t offset) const
    {
        return reinterpret_cast<T*>(global_.address + offset * sizeof(T));
    }

    /// In elements, as given to SetGlobalBuffer.
    __aicore__ inline uint64_t GetSize() const { return size_; }

    const ascendc_model::Global& global() const { return global_; }

private:
    ascendc_model::Global global_;
    uint64_t size_ = 0;
};

} // namespace AscendC
