// The model's cost table: that of an Ascend 910B1, which has 48 vector cores at 1.85 GHz.
//
// Every constant has its source beside it, a public measurement on a device of this family or a
// document of CANN's, or a note that there is none (kScalarBlock, kIssue, sort32). Sources of
// several constants:
// - "asc-devkit": the samples of mirror-cann/asc-devkit, with their measured times;
// - "PTO": hicann/pto-isa, include/pto/costmodel/a2a3 (3186c381), whose constants are in part
//   marked as calibrated on a 910B3;
// - "hpc_vector_norm": docs/TARGET_MEASUREMENTS.md of 3099404236/hpc_vector_norm (32b759cb),
//   measured on a machine with 40 vector cores;
// - "vllm-ascend": pull request 13847 of vllm-project/vllm-ascend, times of ScatterElementsV2 on an
//   A3.
//
// `conformance cost --published` compares the table with published measurements of devices. The
// table is frozen: only new measurements change it, never the wish to make a kernel look better.
// Costs are in thousandths of a cycle where no other unit is named.
#pragma once

#include "ascendc_model.h"

#include <cstdint>

namespace ascendc_model::cost {

constexpr uint64_t kCycle = 1000;

/// 24 cube and 48 vector cores (platform_config/Ascend910B1.ini).
constexpr uint64_t kCores = 48;
/// Ascend910B1.ini.
constexpr uint64_t kMegahertz = 1850;

// Launches

/// From the start to the end of a launch that does nothing (hpc_vector_norm: 1.70 us, for any
/// number of cores).
constexpr uint64_t kLaunchNanoseconds = 1700;
/// The same for an operator of CANN: most of the smallest take 3 to 6 us (FlagGems, pull requests
/// 6014 and 6324), of which the lower bound is used.
constexpr uint64_t kCannLaunchNanoseconds = 3000;

// GM

/// Bytes per cycle between GM and one core: one core alone reads 43 GB/s in copies of 8 KB at 1.8
/// GHz (asc-devkit, memory_access/data_copy).
constexpr uint64_t kGmBytesPerCycle = 24;

/// What all cores together read and write in a nanosecond, by the bytes of GM that a launch works
/// on.
struct Bandwidth {
    /// The bytes up to which it holds.
    uint64_t working_set;
    uint64_t bytes_per_nanosecond;
};
/// hpc_vector_norm: 1945 to 2046 up to 80 MB; 1408 at 132 MB and 1252 at 368 MB; 981 at 2.5 GB and
/// 943 at 5.5 GB. The limits between the figures are chosen between the measured sizes.
constexpr Bandwidth kBandwidths[] = {{100'000'000, 2000}, {1'000'000'000, 1330}, {UINT64_MAX, 1000}};

/// Head of one copy instruction, queued behind others. 49152 copies of 128 bytes took a core 1.025
/// million cycles, 20.9 each; 128 bytes at 24 bytes per cycle are 5.3 of them (asc-devkit,
/// data_copy).
constexpr uint64_t kCopyHead = 15600;
/// Head of each further block of a copy. 64 blocks of 128 bytes per instruction: 302 MB in 221 us
/// on 48 cores, 8.1 cycles per block, of which 5.3 are its bytes (asc-devkit, data_copy).
constexpr uint64_t kCopyBlock = 2800;
/// The percentage for a block whose GM address is no multiple of 512 bytes: it takes 28% longer
/// (rows of 12287 elements: 259 us against 203; asc-devkit, data_copy).
constexpr uint64_t kUnalignedPercent = 128;
/// From the last byte that is read to the flag that signals it: about 250 cycles in addition to the
/// bytes (hpc_vector_norm: copies of 1 to 6 KB that are waited for); 241 in the simulator's
/// config.json.
constexpr uint64_t kReadLatency = 250 * kCycle;
/// The same for a write. A write of 4 bytes that is waited for takes about 360 cycles, including 4
/// accesses to UB, a head and two flags (vllm-ascend, issue 10821), so 250 to 300.
constexpr uint64_t kWriteLatency = 275 * kCycle;

// The vector unit

/// A repeat of 256 bytes: 1.15 to 1.18 cycles where operands lie in different banks (asc-devkit,
/// add_high_performance; PTO: 1.0 for instructions of one source).
constexpr uint64_t kVectorRepeat = 1170;
/// A repeat of an instruction of two sources that lie in the same banks (hpc_vector_norm: 2.1; PTO:
/// 2.0 to 2.1 where buffers are laid out without care). Successive 32 bytes of UB lie in 16 groups
/// of banks in turn, of which a repeat reads 8 for each source: the groups differ where the sources
/// are 256 bytes apart, modulo 512.
constexpr uint64_t kVectorRepeatConflict = 2100;
/// A repeat of a Cast, a Compare or a Select (PTO: 2), and, without a measurement, of Gatherb and
/// TransDataTo5HD.
constexpr uint64_t kVectorRepeatSlow = 2000;
/// A repeat of a Div (PTO: 4).
constexpr uint64_t kVectorRepeatDiv = 4000;
/// A repeat of a reduction (PTO: 7).
constexpr uint64_t kVectorRepeatReduce = 7000;
/// From an instruction's last repeat until what waits for it by a barrier or a flag can go on (PTO:
/// 22 to 32 in addition to the repeats; asc-devkit, bank_conflict_ub: 22).
constexpr uint64_t kVectorLatency = 24 * kCycle;
/// A record of 8 bytes in one pass of MrgSort over four lists: 78 cycles per repeat of 128 (PTO).
constexpr uint64_t kMergeRecord = 610;

// The scalar unit

/// An iteration of a loop, or a call, without its accesses and its basic blocks: a jump, and the
/// next address. With two or three blocks it is 16 to 18; vllm-ascend's times of ScatterElementsV2
/// imply 16 without the accesses.
constexpr uint64_t kScalarIteration = 12 * kCycle;
/// A basic block. No measurement of branches alone is known; this makes a long body, such as that
/// of a software addition of f64, cost more than a short one.
constexpr uint64_t kScalarBlock = 2 * kCycle;
/// A read of UB whose value the following code may need (vllm-ascend: 24 to 29 cycles for a loop
/// that reads an index, compares twice and branches).
constexpr uint64_t kScalarRead = 11 * kCycle;
/// A read from the same buffer as the read before, with nothing between them that could need the
/// value: such reads overlap (hpc_vector_norm: 16 more of them added 2.3 cycles each at most).
constexpr uint64_t kScalarNextRead = 2 * kCycle;
/// A write to UB. Two reads, an addition and a write took 33 cycles (asc-devkit,
/// add_high_performance): an iteration of one block, 14, and two reads that overlap, 13, leave 6.
constexpr uint64_t kScalarWrite = 6 * kCycle;
/// One scalar read of GM: 113 to 142 cycles in a serial loop that computes an address for each, 35
/// where they overlap and hit the cache (the comments of a TileLang operator library for a 910B1).
constexpr uint64_t kScalarGm = 142 * kCycle;
/// Issue of one instruction of another pipe by the scalar unit: uncalibrated.
constexpr uint64_t kIssue = 1 * kCycle;

// Costs without a published measurement, which have two values

/// Costs that are only known to lie between bounds. Every result is reported in all settings.
struct Setting {
    const char* name;
    /// The factor of the scalar unit's costs, in percent.
    uint64_t scalar_percent;
    /// A repeat of GatherMask: 14 by PTO, where a repeat may be a whole row of a counter-mode call.
    uint64_t gather_mask;
    /// A repeat of Sort32, 32 records: nothing is published.
    uint64_t sort32;
    /// An element of Gather: CANN's whole operator takes 3.1 to 4.1 cycles for each (FlagGems, pull
    /// request 1290); PTO has a slope below 1 that was never calibrated.
    uint64_t gather;
};

constexpr Setting kSetting[kSettings] = {
    {"cautious", 100, 14 * kCycle, 64 * kCycle, 3 * kCycle},
    {"hopeful", 100, 2 * kCycle, 32 * kCycle, 1 * kCycle},
    {"scalar halved", 50, 14 * kCycle, 64 * kCycle, 3 * kCycle},
    {"scalar doubled", 200, 14 * kCycle, 64 * kCycle, 3 * kCycle},
};

/// What all cores move in a nanosecond, by the bytes of GM that a launch works on.
constexpr uint64_t bytes_per_nanosecond(uint64_t working_set, const Bandwidth (&bandwidths)[3] = kBandwidths)
{
    for (const Bandwidth& bandwidth : bandwidths) {
        if (working_set <= bandwidth.working_set) {
            return bandwidth.bytes_per_nanosecond;
        }
    }
    return 1;
}

} // namespace ascendc_model::cost
