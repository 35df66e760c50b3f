// What one copy can carry (the pages DataCopy and DataCopyPad of asc-devkit's documents).
#pragma once

#include <cstdint>

namespace ascendc_model {

constexpr uint32_t kMostBlocks = 4095;
/// In bytes.
constexpr uint32_t kLongestPadBlock = 2097151;

} // namespace ascendc_model
