// A sample of the list that `scatter_index` writes, from which `scatter_rows` estimates how many
// updates go to which targets. The targets of a chunk of the list, or of evenly spaced blocks of
// it, are sorted, and every n-th is taken. So each range of targets has its share of the sample,
// whatever the order in which index names them. What is taken of a chunk stays sorted, so that
// `scatter_rows` has only to merge the chunks.
#pragma once

#include "sort.h"
#include "sync.h"

class Sample {
public:
    __aicore__ inline explicit Sample(const ScatterIndexTiling& tiling) : tiling_(tiling) { }

    /// To be called before anything else takes UB: the sorter's buffers must be the first there.
    __aicore__ inline void Init(AscendC::TPipe& pipe)
    {
        if (tiling_.picks == 0) {
            return;
        }
        const uint32_t capacity = tiling_.block_step > 1 ? Sorted(tiling_.chunk) : Room(tiling_.chunk);
        sorter_.Init(pipe, capacity);
        const uint32_t bytes = tiling_.sample_list * sizeof(uint64_t);
        pipe.InitBuffer(picks_, bytes);
        AscendC::Duplicate(picks_.Get<float>(), kLowest, static_cast<int32_t>(bytes / sizeof(float)));
        AscendC::Duplicate(sorter_.Words(), 0u, static_cast<int32_t>(capacity));
    }

    /// Whether this chunk, counted within its coordinate of `outer`, is sampled.
    __aicore__ inline bool Has(uint64_t chunk) const { return tiling_.picks != 0 && chunk % tiling_.chunk_step == 0; }

    /// Takes the sample of a chunk of `entries` targets, which the vector unit has been given to
    /// write just before.
    __aicore__ inline void Take(const AscendC::LocalTensor<float>& targets, uint32_t entries, uint64_t chunk)
    {
        const auto keys = sorter_.Keys();
        uint32_t count = Sorted(entries);
        if (tiling_.block_step > 1 && count != 0) {
            // Each chunk gives other blocks than the one before, because an index may be periodic.
            const uint32_t first = static_cast<uint32_t>(chunk / tiling_.chunk_step % tiling_.block_step) * kBlocks;
            const uint8_t repeats = static_cast<uint8_t>(count / kRepeat);
            const uint8_t apart = static_cast<uint8_t>(tiling_.block_step);
            AscendC::Adds(keys, targets[first], 0.0f, kRepeat, repeats,
                {1, apart, kBlocks, static_cast<uint8_t>(kBlocks * apart)});
        } else {
            // A chunk that is too short for this gives its first targets.
            const uint32_t most = tiling_.block_step > 1 ? kRepeat : entries;
            count = entries < most ? entries : most;
            AscendC::Duplicate(keys, kLowest, static_cast<int32_t>(Room(count)));
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Adds(keys, targets, 0.0f, static_cast<int32_t>(count));
        }
        AscendC::PipeBarrier<PIPE_V>();
        const auto records = sorter_.Sort(count);
        Order<AscendC::HardEvent::V_S>();
        // The vector unit waits for the scalar unit in each chunk, before it writes here again.
        Pick(records, count, chunk);
    }

    /// Writes the sample of a chunk of coordinate `outer` behind the list.
    __aicore__ inline void Store(const GmBytes& list, uint64_t outer, uint64_t chunk)
    {
        const uint64_t first = tiling_.outers * tiling_.padded * sizeof(float);
        const uint64_t at = outer * tiling_.sample + chunk / tiling_.chunk_step * tiling_.sample_list;
        Order<AscendC::HardEvent::S_MTE3>();
        Move(list[first + at * sizeof(uint64_t)], picks_.Get<uint8_t>(),
            Burst{1, tiling_.sample_list * static_cast<uint32_t>(sizeof(uint64_t)), 0, 0});
    }

private:
    static constexpr uint32_t kSorted = 32;
    static constexpr uint32_t kRepeat = 64;
    /// Blocks of UB in a repeat.
    static constexpr uint8_t kBlocks = 8;
    /// Below every target, and below every bad value: that can be -2^63.
    static constexpr float kLowest = -3.0e38f;
    /// Records that are read together.
    static constexpr uint32_t kTogether = 8;
    /// Distances in the sorted order are in 1 / 2^16 of a record.
    static constexpr uint32_t kFraction = 16;

    /// How many of `entries` are sorted, where not all of them are: whole repeats.
    __aicore__ inline uint32_t Sorted(uint32_t entries) const
    {
        return entries / (kRepeat * tiling_.block_step) * kRepeat;
    }
    /// The records that the sorter needs room for.
    static __aicore__ inline uint32_t Room(uint32_t entries) { return (entries + kSorted - 1) / kSorted * kSorted; }

    /// Picks one target of each of `picks` equal parts of the sorted order, at the same position in
    /// each part. That position moves by the golden ratio from chunk to chunk, so that the
    /// positions of all chunks are spread evenly.
    __aicore__ inline void Pick(const Sorter::Records& records, uint32_t entries, uint64_t chunk)
    {
        const auto picks = picks_.Get<uint64_t>();
        const uint32_t step = (entries << kFraction) / tiling_.picks;
        const uint32_t phase = static_cast<uint32_t>(chunk / tiling_.chunk_step) * 158u % 256u;
        uint32_t at = (step >> 8) * phase;
        uint32_t pick = 0;
        for (; pick + kTogether <= tiling_.picks; pick += kTogether) {
            uint64_t read[kTogether];
            SCATTER_UNROLL
            for (uint32_t i = 0; i < kTogether; i++) {
                read[i] = records.GetValue((at + i * step) >> kFraction);
            }
            SCATTER_UNROLL
            for (uint32_t i = 0; i < kTogether; i++) {
                picks.SetValue(pick + i, read[i]);
            }
            at += kTogether * step;
        }
        for (; pick < tiling_.picks; pick++) {
            picks.SetValue(pick, records.GetValue(at >> kFraction));
            at += step;
        }
    }

    const ScatterIndexTiling& tiling_;
    Sorter sorter_;
    AscendC::TBuf<AscendC::TPosition::VECOUT> picks_;
};
