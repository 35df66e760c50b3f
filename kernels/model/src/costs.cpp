#include "costs.h"

#include <cstring>

namespace ascendc_model {

namespace {

Costs frozen()
{
    Costs all{};
    all.cores = cost::kCores;
    all.megahertz = cost::kMegahertz;
    all.launch_nanoseconds = cost::kLaunchNanoseconds;
    all.cann_launch_nanoseconds = cost::kCannLaunchNanoseconds;
    all.gm_bytes_per_cycle = cost::kGmBytesPerCycle;
    for (uint32_t i = 0; i < 3; i++) {
        all.bandwidths[i] = cost::kBandwidths[i];
        all.gm_working_set[i] = cost::kBandwidths[i].working_set;
        all.gm_bytes_per_nanosecond[i] = cost::kBandwidths[i].bytes_per_nanosecond;
    }
    all.copy_head = cost::kCopyHead;
    all.copy_block = cost::kCopyBlock;
    all.unaligned_percent = cost::kUnalignedPercent;
    all.read_latency = cost::kReadLatency;
    all.write_latency = cost::kWriteLatency;
    all.vector_repeat = cost::kVectorRepeat;
    all.vector_repeat_conflict = cost::kVectorRepeatConflict;
    all.vector_repeat_slow = cost::kVectorRepeatSlow;
    all.vector_latency = cost::kVectorLatency;
    all.merge_record = cost::kMergeRecord;
    all.scalar_iteration = cost::kScalarIteration;
    all.scalar_block = cost::kScalarBlock;
    all.scalar_read = cost::kScalarRead;
    all.scalar_next_read = cost::kScalarNextRead;
    all.scalar_write = cost::kScalarWrite;
    all.scalar_gm = cost::kScalarGm;
    for (uint32_t i = 0; i < kSettings; i++) {
        all.setting[i] = cost::kSetting[i];
    }
    return all;
}

} // namespace

Costs costs = frozen();

} // namespace ascendc_model

extern "C" {

void ascendc_model_cost_table(uint32_t setting, ascendc_model_costs* table)
{
    using namespace ascendc_model;
    const cost::Setting& of = costs.setting[setting < kSettings ? setting : kSettings - 1];
    *table = costs;
    std::strncpy(table->name, of.name, sizeof table->name - 1);
    for (uint64_t* scalar : {&table->scalar_iteration, &table->scalar_block, &table->scalar_read,
             &table->scalar_next_read, &table->scalar_write, &table->scalar_gm}) {
        *scalar = *scalar * of.scalar_percent / 100;
    }
    table->gather_mask = of.gather_mask;
    table->sort32 = of.sort32;
    table->gather = of.gather;
}

void ascendc_model_calibrate(const ascendc_model_costs table[])
{
    using namespace ascendc_model;
    static_cast<ascendc_model_costs&>(costs) = table[0];
    for (uint32_t i = 0; i < 3; i++) {
        costs.bandwidths[i] = {table[0].gm_working_set[i], table[0].gm_bytes_per_nanosecond[i]};
    }
    for (uint32_t i = 0; i < kSettings; i++) {
        costs.setting[i].gather_mask = table[i].gather_mask;
        costs.setting[i].sort32 = table[i].sort32;
        costs.setting[i].gather = table[i].gather;
    }
}
}
