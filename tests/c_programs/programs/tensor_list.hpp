// Lists of tensors, which own them.
#pragma once

#include "tensor.hpp"

// A tensor for a list.
inline aclTensor* tensor_of(const std::vector<int64_t>& shape, aclDataType dtype, void* address)
{
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t axis = shape.size(); axis-- > 1;) {
        strides[axis - 1] = strides[axis] * shape[axis];
    }
    aclTensor* made = aclCreateTensor(
        shape.data(), shape.size(), dtype, strides.data(), 0, ACL_FORMAT_ND, shape.data(), shape.size(), address);
    HOLDS(made != nullptr);
    return made;
}

inline aclTensorList* list_of(const std::vector<const aclTensor*>& tensors)
{
    aclTensorList* list = aclCreateTensorList(tensors.data(), tensors.size());
    HOLDS(list != nullptr);
    return list;
}
