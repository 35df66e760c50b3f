// Runs one instruction of Ascend C on given bytes and checks its result.
#pragma once

#include "ascendc_model.h"
#include "kernel_operator.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace numerics {

/// How many checks have failed so far.
inline uint32_t failures = 0;

inline void expect(bool holds, const std::string& what)
{
    if (!holds) {
        failures++;
        std::printf("FAILED: %s\n", what.c_str());
    }
}

inline void expect_equal(int64_t got, int64_t expected, const std::string& what)
{
    expect(got == expected, what + ": expected " + std::to_string(expected) + ", got " + std::to_string(got));
}

template <typename T> T from_bits(uint64_t bits)
{
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

template <typename T> uint64_t to_bits(T value)
{
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

/// 0, 1, 2, ...
template <typename T> std::vector<T> counting(uint32_t count)
{
    std::vector<T> values(count);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = static_cast<T>(i);
    }
    return values;
}

/// How every check runs: strict under a few seeds, and fast.
inline std::vector<ascendc_model::Options> modes()
{
    std::vector<ascendc_model::Options> all(4);
    for (uint64_t seed = 0; seed < 3; seed++) {
        all[seed].seed = seed;
    }
    all[3].mode = ascendc_model::Mode::Fast;
    return all;
}

/// The result of a vector instruction: of `apply(dst, sources, count)` on tensors that hold the
/// sources.
template <typename To, typename From>
std::vector<To> apply(const std::vector<std::vector<From>>& sources, const ascendc_model::Options& options,
    const std::function<void(AscendC::LocalTensor<To>, const std::vector<AscendC::LocalTensor<From>>&, uint32_t)>&
        instruction,
    size_t results = 0)
{
    using namespace AscendC;
    const auto count = static_cast<uint32_t>(sources[0].size());
    std::vector<To> out(results != 0 ? results : count);
    ascendc_model::Launch launch;
    launch.options = options;
    launch.tensors.push_back({"out", out.data(), out.size() * sizeof(To), ascendc_model::Access::Write});
    for (const auto& source : sources) {
        launch.tensors.push_back(
            {"in", const_cast<From*>(source.data()), source.size() * sizeof(From), ascendc_model::Access::Read});
    }
    const ascendc_model::Outcome outcome = ascendc_model::launch(launch, [&] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffers[4];
        std::vector<LocalTensor<From>> in;
        for (size_t i = 0; i < sources.size(); i++) {
            const uint32_t bytes = static_cast<uint32_t>(sources[i].size() * sizeof(From));
            pipe.InitBuffer(buffers[i], bytes);
            in.push_back(buffers[i].Get<From>());
            GlobalTensor<From> gm;
            gm.SetGlobalBuffer(const_cast<From*>(sources[i].data()));
            DataCopyPad(in.back(), gm, DataCopyExtParams(1, bytes, 0, 0, 0), DataCopyPadExtParams<From>());
        }
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        const uint32_t bytes = static_cast<uint32_t>(out.size() * sizeof(To));
        pipe.InitBuffer(buffers[3], bytes);
        instruction(buffers[3].Get<To>(), in, count);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        GlobalTensor<To> gm;
        gm.SetGlobalBuffer(out.data());
        DataCopyPad(gm, buffers[3].Get<To>(), DataCopyExtParams(1, bytes, 0, 0, 0));
    });
    expect(outcome.ok(), "an instruction under test was reported:\n" + outcome.text());
    return out;
}

void arithmetic();
void casts();
void selection();
void movement();
void launching();
void processes();
void order();
void costs();
void packing();
void sorting();
void accumulation();
void blocks();
void progressions();
void transposition();

} // namespace numerics
