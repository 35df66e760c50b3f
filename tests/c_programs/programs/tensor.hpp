// A device, memory and tensors as C++ objects.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "check.h"

template <typename T> struct DtypeOf;
template <> struct DtypeOf<float> {
    static constexpr aclDataType value = ACL_FLOAT;
};
template <> struct DtypeOf<double> {
    static constexpr aclDataType value = ACL_DOUBLE;
};
template <> struct DtypeOf<int8_t> {
    static constexpr aclDataType value = ACL_INT8;
};
template <> struct DtypeOf<uint8_t> {
    static constexpr aclDataType value = ACL_UINT8;
};
template <> struct DtypeOf<int16_t> {
    static constexpr aclDataType value = ACL_INT16;
};
template <> struct DtypeOf<int32_t> {
    static constexpr aclDataType value = ACL_INT32;
};
template <> struct DtypeOf<int64_t> {
    static constexpr aclDataType value = ACL_INT64;
};

using Shape = std::vector<int64_t>;

inline int64_t count(const Shape& shape)
{
    int64_t elements = 1;
    for (int64_t size : shape) {
        elements *= size;
    }
    return elements;
}

// Initialises the runtime, with a device and a stream, for the duration of a program.
class Session {
public:
    explicit Session(int32_t device = 0) : device_(device)
    {
        CALL(aclInit(nullptr));
        CALL(aclrtSetDevice(device_));
        CALL(aclrtCreateStream(&stream_));
    }
    ~Session()
    {
        CALL(aclrtDestroyStream(stream_));
        CALL(aclrtResetDevice(device_));
        CALL(aclFinalize());
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    aclrtStream stream() const { return stream_; }

private:
    int32_t device_;
    aclrtStream stream_ = nullptr;
};

// An allocation in device memory.
class Memory {
public:
    explicit Memory(size_t bytes) : bytes_(bytes)
    {
        if (bytes_ > 0) {
            CALL(aclrtMalloc(&address_, bytes_, ACL_MEM_MALLOC_HUGE_FIRST));
        }
    }
    ~Memory()
    {
        if (address_ != nullptr) {
            CALL(aclrtFree(address_));
        }
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    void* address() const { return address_; }
    size_t bytes() const { return bytes_; }

private:
    void* address_ = nullptr;
    size_t bytes_;
};

// A tensor with its memory. It may be a view of the storage: transposed, expanded, or a part.
template <typename T> class Tensor {
public:
    Tensor(const Shape& shape, const std::vector<T>& values) : Tensor(shape, {}, 0, shape, values) { }

    Tensor(const Shape& shape, const Shape& strides, int64_t offset, const Shape& storage, const std::vector<T>& values)
        : memory_(values.size() * sizeof(T)), elements_(values.size())
    {
        HOLDS(count(storage) == static_cast<int64_t>(values.size()));
        set(values);
        handle_ =
            aclCreateTensor(shape.data(), shape.size(), DtypeOf<T>::value, strides.empty() ? nullptr : strides.data(),
                offset, ACL_FORMAT_ND, storage.data(), storage.size(), memory_.address());
        HOLDS(handle_ != nullptr);
    }
    ~Tensor() { CALL(aclDestroyTensor(handle_)); }
    Tensor(const Tensor&) = delete;
    Tensor& operator=(const Tensor&) = delete;

    aclTensor* get() const { return handle_; }
    void* address() const { return memory_.address(); }

    void set(const std::vector<T>& values)
    {
        HOLDS(values.size() == elements_);
        if (elements_ > 0) {
            CALL(aclrtMemcpy(
                memory_.address(), memory_.bytes(), values.data(), memory_.bytes(), ACL_MEMCPY_HOST_TO_DEVICE));
        }
    }
    std::vector<T> values() const
    {
        std::vector<T> values(elements_);
        if (elements_ > 0) {
            CALL(aclrtMemcpy(
                values.data(), memory_.bytes(), memory_.address(), memory_.bytes(), ACL_MEMCPY_DEVICE_TO_HOST));
        }
        return values;
    }

private:
    Memory memory_;
    size_t elements_;
    aclTensor* handle_ = nullptr;
};

using PhaseTwo = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);

// Calls phase two with the workspace that phase one asked for, and waits for the stream.
inline void run(PhaseTwo phase_two, uint64_t workspace_size, aclOpExecutor* executor, aclrtStream stream)
{
    HOLDS(executor != nullptr);
    Memory workspace(workspace_size);
    CALL(phase_two(workspace.address(), workspace_size, executor, stream));
    CALL(aclrtSynchronizeStream(stream));
}

template <typename T> void print(const char* name, const std::vector<T>& values)
{
    std::cout << name << ":";
    for (T value : values) {
        std::cout << ' ' << +value;
    }
    std::cout << '\n';
}

// Prints the values, and ends the program if they aren't the expected ones.
template <typename T>
void expect(const char* name, const std::vector<T>& values, const std::vector<T>& expected)
{
    print(name, values);
    if (values != expected) {
        print("expected", expected);
        FAIL("%s is wrong", name);
    }
}
