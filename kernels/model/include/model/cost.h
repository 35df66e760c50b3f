// What the model says that things cost: an Ascend 910B1, whose vector cores are 48 at 1.85 GHz.
//
// Every constant comes from a public measurement or document of CANN, named beside it, and was frozen before a kernel
// was measured with it. "uncalibrated" marks a split or a value that no public source gives. Costs are in thousandths
// of a cycle.
#pragma once

#include <cstdint>

namespace ascendc_model::cost {

constexpr uint64_t kCycle = 1000;

/// 24 cube and 48 vector cores (platform_config/Ascend910B1.ini).
constexpr uint64_t kCores = 48;
/// Ascend910B1.ini.
constexpr uint64_t kMegahertz = 1850;

/// Bytes per cycle between GM and one core: one core alone reads 43 GB/s in copies of 8 KB at 1.8 GHz (asc-devkit,
/// memory_access/data_copy).
constexpr uint64_t kGmBytesPerCycle = 24;
/// Bandwidth of GM for all cores: about 1.8 TB/s (same sample).
constexpr uint64_t kGmBytesPerNanosecond = 1800;
/// Head of one copy instruction. 49152 copies of 128 bytes took a core 1.025 million cycles, 20.9 each (same sample);
/// 128 bytes at 24 bytes per cycle are 5.3 of them.
constexpr uint64_t kCopyHead = 15600;
/// Head of each further block of a copy. 64 blocks of 128 bytes per instruction: 302 MB in 221 us on 48 cores, 8.1
/// cycles per block, of which 5.3 are its bytes (same sample).
constexpr uint64_t kCopyBlock = 2800;
/// A block whose GM address is no multiple of 512 bytes takes 28% longer (rows of 12287 elements: 259 us against 203;
/// same sample).
constexpr uint64_t kUnalignedPercent = 128;
/// From the last byte sent to the flag that says so (simulator/Ascend910B1/lib/config.json: L2 read and write latency).
constexpr uint64_t kReadLatency = 241 * kCycle;
constexpr uint64_t kWriteLatency = 96 * kCycle;

/// A repeat of 256 bytes on the vector pipe: 1.15 to 1.18 cycles (asc-devkit, add_high_performance).
constexpr uint64_t kVectorRepeat = 1170;
/// Head of a vector instruction: uncalibrated, and left out.
constexpr uint64_t kVectorHead = 0;

/// One scalar access to UB: two reads, an addition and a write took 18.4 ns, 33 cycles (same); the split into three
/// equal accesses is uncalibrated.
constexpr uint64_t kScalarUb = 11 * kCycle;
/// One scalar read of GM: the L2 read latency; hits of the data cache are left out, so this is an upper bound.
constexpr uint64_t kScalarGm = kReadLatency;
/// Issue of one instruction by the scalar unit: uncalibrated.
constexpr uint64_t kIssue = 1 * kCycle;

/// Start of a launch: grows with the cores by an unknown amount; uncalibrated, and left out.
constexpr uint64_t kLaunchNanoseconds = 0;

} // namespace ascendc_model::cost
