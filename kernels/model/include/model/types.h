// Enumerations and parameter structs of Ascend C, with the values and defaults of the real headers.
#pragma once

#include "qualifiers.h"
#include "site.h"

#include <cstdint>

namespace AscendC {

using TEventID = int8_t;

enum class TPosition : uint8_t {
    GM,
    A1,
    A2,
    B1,
    B2,
    C1,
    C2,
    CO1,
    CO2,
    VECIN,
    VECOUT,
    VECCALC,
    LCM = VECCALC,
    SPM,
    SHM = SPM,
    TSCM,
    C2PIPE2GM,
    C2PIPE2LOCAL,
    MAX,
};
using QuePosition = TPosition;

/// The events of a vector core, with the numbers of the real enumeration, whose other members
/// belong to the cube core.
enum class HardEvent : uint8_t {
    MTE2_V = 4,
    V_MTE2 = 5,
    MTE3_V = 6,
    V_MTE3 = 7,
    MTE3_MTE2 = 19,
    MTE2_MTE3 = 20,
    S_V = 21,
    V_S = 22,
    S_MTE2 = 23,
    MTE2_S = 24,
    S_MTE3 = 25,
    MTE3_S = 26,
    MAX = 35,
};

enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };

enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };

enum class RoundMode : uint8_t {
    CAST_NONE = 0,
    CAST_RINT,
    CAST_FLOOR,
    CAST_CEIL,
    CAST_ROUND,
    CAST_TRUNC,
    CAST_ODD,
};

enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };

enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR = 0, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };

/// Has no effect yet, on any device.
enum class GatherMaskMode : uint8_t { VERSION_V1 = 0, VERSION_V2 = 1 };
constexpr GatherMaskMode defaultGatherMaskMode = GatherMaskMode::VERSION_V2;

/// Stands for the mask of an instruction that takes it from the mask register (`isSetMask` false).
constexpr uint64_t MASK_PLACEHOLDER = 0;

// Their constructors take the kernel's values and report those that the fields would truncate.

struct DataCopyParams {
    __aicore__ DataCopyParams() { }
    __aicore__ DataCopyParams(const ascendc_model::Given count, const ascendc_model::Given len,
        const ascendc_model::Given srcStrideIn, const ascendc_model::Given dstStrideIn,
        const ascendc_model::Site& site = ascendc_model::Site::here())
        : blockCount(count.as<uint16_t>("blockCount", site)),
          blockLen(len.as<uint16_t>("blockLen", site)),
          srcStride(srcStrideIn.as<uint16_t>("srcStride", site)),
          dstStride(dstStrideIn.as<uint16_t>("dstStride", site))
    {
    }

    uint16_t blockCount = 1;
    uint16_t blockLen = 0;
    uint16_t srcStride = 0;
    uint16_t dstStride = 0;
};

struct DataCopyPadParams {
    __aicore__ DataCopyPadParams() { }
    __aicore__ DataCopyPadParams(const bool isPadValue, const ascendc_model::Given leftPadValue,
        const ascendc_model::Given rightPadValue, const uint64_t padValue,
        const ascendc_model::Site& site = ascendc_model::Site::here())
        : isPad(isPadValue),
          leftPadding(leftPadValue.as<uint8_t>("leftPadding", site)),
          rightPadding(rightPadValue.as<uint8_t>("rightPadding", site)),
          paddingValue(padValue)
    {
    }

    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    uint64_t paddingValue = 0;
};

struct DataCopyExtParams {
    __aicore__ DataCopyExtParams() { }
    __aicore__ DataCopyExtParams(const ascendc_model::Given count, const ascendc_model::Given len,
        const ascendc_model::Given srcStrideIn, const ascendc_model::Given dstStrideIn,
        const ascendc_model::Given rsvIn, const ascendc_model::Site& site = ascendc_model::Site::here())
        : blockCount(count.as<uint16_t>("blockCount", site)),
          blockLen(len.as<uint32_t>("blockLen", site)),
          srcStride(srcStrideIn.as<uint32_t>("srcStride", site)),
          dstStride(dstStrideIn.as<uint32_t>("dstStride", site)),
          rsv(rsvIn.as<uint32_t>("rsv", site))
    {
    }

    uint16_t blockCount = 1;
    uint32_t blockLen = 0;
    uint32_t srcStride = 0;
    uint32_t dstStride = 0;
    uint32_t rsv = 0;
};

template <typename T> struct DataCopyPadExtParams {
    __aicore__ DataCopyPadExtParams() { }
    __aicore__ DataCopyPadExtParams(const bool isPadValue, const ascendc_model::Given leftPadValue,
        const ascendc_model::Given rightPadValue, const T padValue,
        const ascendc_model::Site& site = ascendc_model::Site::here())
        : isPad(isPadValue),
          leftPadding(leftPadValue.as<uint8_t>("leftPadding", site)),
          rightPadding(rightPadValue.as<uint8_t>("rightPadding", site)),
          paddingValue(padValue)
    {
    }

    bool isPad = false;
    uint8_t leftPadding = 0;
    uint8_t rightPadding = 0;
    T paddingValue = {};
};

struct CopyRepeatParams {
    __aicore__ CopyRepeatParams() { }
    __aicore__ CopyRepeatParams(const ascendc_model::Given dstStrideIn, const ascendc_model::Given srcStrideIn,
        const ascendc_model::Given dstRepeatSizeIn, const ascendc_model::Given srcRepeatSizeIn,
        const ascendc_model::Site& site = ascendc_model::Site::here())
        : dstStride(dstStrideIn.as<uint16_t>("dstStride", site)),
          srcStride(srcStrideIn.as<uint16_t>("srcStride", site)),
          dstRepeatSize(dstRepeatSizeIn.as<uint16_t>("dstRepeatSize", site)),
          srcRepeatSize(srcRepeatSizeIn.as<uint16_t>("srcRepeatSize", site))
    {
    }

    uint16_t dstStride = 0;
    uint16_t srcStride = 0;
    uint16_t dstRepeatSize = 8;
    uint16_t srcRepeatSize = 8;
};

struct UnaryRepeatParams {
    __aicore__ UnaryRepeatParams() { }
    __aicore__ UnaryRepeatParams(const ascendc_model::Given dstBlkStrideIn, const ascendc_model::Given srcBlkStrideIn,
        const ascendc_model::Given dstRepStrideIn, const ascendc_model::Given srcRepStrideIn,
        const ascendc_model::Site& site = ascendc_model::Site::here())
        : dstBlkStride(dstBlkStrideIn.as<uint16_t>("dstBlkStride", site)),
          srcBlkStride(srcBlkStrideIn.as<uint16_t>("srcBlkStride", site)),
          dstRepStride(dstRepStrideIn.as<uint8_t>("dstRepStride", site)),
          srcRepStride(srcRepStrideIn.as<uint8_t>("srcRepStride", site))
    {
    }

    uint16_t dstBlkStride = 1;
    uint16_t srcBlkStride = 1;
    uint8_t dstRepStride = 8;
    uint8_t srcRepStride = 8;
};

struct BinaryRepeatParams {
    __aicore__ BinaryRepeatParams() { }
    __aicore__ BinaryRepeatParams(const ascendc_model::Given dstBlkStrideIn, const ascendc_model::Given src0BlkStrideIn,
        const ascendc_model::Given src1BlkStrideIn, const ascendc_model::Given dstRepStrideIn,
        const ascendc_model::Given src0RepStrideIn, const ascendc_model::Given src1RepStrideIn,
        const ascendc_model::Site& site = ascendc_model::Site::here())
        : dstBlkStride(dstBlkStrideIn.as<uint8_t>("dstBlkStride", site)),
          src0BlkStride(src0BlkStrideIn.as<uint8_t>("src0BlkStride", site)),
          src1BlkStride(src1BlkStrideIn.as<uint8_t>("src1BlkStride", site)),
          dstRepStride(dstRepStrideIn.as<uint8_t>("dstRepStride", site)),
          src0RepStride(src0RepStrideIn.as<uint8_t>("src0RepStride", site)),
          src1RepStride(src1RepStrideIn.as<uint8_t>("src1RepStride", site))
    {
    }

    uint8_t dstBlkStride = 1;
    uint8_t src0BlkStride = 1;
    uint8_t src1BlkStride = 1;
    uint8_t dstRepStride = 8;
    uint8_t src0RepStride = 8;
    uint8_t src1RepStride = 8;
};

struct GatherMaskParams {
    __aicore__ GatherMaskParams() { }
    __aicore__ GatherMaskParams(const ascendc_model::Given src0BlockStrideIn, const ascendc_model::Given repeatTimesIn,
        const ascendc_model::Given src0RepeatStrideIn, const ascendc_model::Given src1RepeatStrideIn,
        const ascendc_model::Site& site = ascendc_model::Site::here())
        : src0BlockStride(src0BlockStrideIn.as<uint8_t>("src0BlockStride", site)),
          repeatTimes(repeatTimesIn.as<uint16_t>("repeatTimes", site)),
          src0RepeatStride(src0RepeatStrideIn.as<uint16_t>("src0RepeatStride", site)),
          src1RepeatStride(src1RepeatStrideIn.as<uint8_t>("src1RepeatStride", site))
    {
    }

    uint8_t src0BlockStride = 1;
    uint16_t repeatTimes = 0;
    uint16_t src0RepeatStride = 8;
    uint8_t src1RepeatStride = 8;
};

// The other fields of the structs of Brcb and Gatherb are for other devices.

struct BrcbRepeatParams {
    __aicore__ BrcbRepeatParams() { }
    __aicore__ BrcbRepeatParams(const ascendc_model::Given dstBlkStrideIn, const ascendc_model::Given dstRepStrideIn,
        const ascendc_model::Site& site = ascendc_model::Site::here())
        : dstRepStride(dstRepStrideIn.as<uint16_t>("dstRepStride", site)),
          dstBlkStride(dstBlkStrideIn.as<uint16_t>("dstBlkStride", site))
    {
    }

    uint16_t dstRepStride = 8;
    uint16_t dstBlkStride = 1;
};

struct GatherRepeatParams {
    __aicore__ GatherRepeatParams() { }
    __aicore__ GatherRepeatParams(const ascendc_model::Given dstBlkStrideIn, const ascendc_model::Given dstRepStrideIn,
        const ascendc_model::Site& site = ascendc_model::Site::here())
        : dstRepStride(dstRepStrideIn.as<uint8_t>("dstRepStride", site)),
          dstBlkStride(dstBlkStrideIn.as<uint8_t>("dstBlkStride", site))
    {
    }

    uint16_t dstRepStride = 8;
    uint8_t dstBlkStride = 1;
};

struct MrgSort4Info {
    __aicore__ MrgSort4Info() { }
    __aicore__ MrgSort4Info(const uint16_t elementLengthsIn[4], const bool ifExhaustedSuspensionIn,
        const uint16_t validBitIn, const ascendc_model::Given repeatTimesIn,
        const ascendc_model::Site& site = ascendc_model::Site::here())
        : ifExhaustedSuspension(ifExhaustedSuspensionIn),
          validBit(validBitIn),
          repeatTimes(repeatTimesIn.as<uint8_t>("repeatTimes", site))
    {
        for (uint32_t i = 0; i < 4; i++) {
            elementLengths[i] = elementLengthsIn[i];
        }
    }

    uint16_t elementLengths[4] = {0, 0, 0, 0};
    bool ifExhaustedSuspension = false;
    uint16_t validBit = 0;
    uint8_t repeatTimes = 1;
};

} // namespace AscendC
