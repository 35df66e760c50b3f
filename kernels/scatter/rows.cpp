// scatter_rows: updates that share their index along a contiguous axis of out and src, row by row.
//
// `scatter_index` has written the target of each update. A block takes the updates of its share,
// sorted by target: so the updates of a row of out are adjacent, and a row is read once, has its
// updates added in the order of index, and is written once. Rows of src and of out are processed in
// groups, two of which are in UB: DMA copies one in while the other is added.
#include "kernels.h"
#include "row_groups.h"
#include "row_integers.h"
#include "row_scalar.h"
#include "share.h"

template <class Arithmetic>
class ScatterRows {
public:
    __aicore__ inline ScatterRows(AscendC::TPipe& pipe, const ScatterRowsTiling& tiling)
        : pipe_(pipe), tiling_(tiling), groups_(tiling)
    {
    }

    __aicore__ inline void Process(GM_ADDR out, GM_ADDR src, GM_ADDR list, GM_ADDR indexStatuses)
    {
        sorter_.Init(pipe_, 1u << tiling_.bits);
        if (LeavesRows(pipe_, indexStatuses, tiling_.told)) {
            return;
        }
        list_.SetGlobalBuffer(list);
        updates_.Init(pipe_, sorter_, tiling_.bits);
        groups_.Init(pipe_, out, src);
        const TaskRange mine = MyTasks(tiling_.outers * tiling_.shares);
        for (uint64_t number = mine.first; number < mine.last; number++) {
            Run(number / tiling_.shares, static_cast<uint32_t>(number % tiling_.shares));
        }
        groups_.Drain();
    }

private:
    __aicore__ inline void Run(uint64_t outer, uint32_t number)
    {
        groups_.At(outer);
        updates_.Open(list_, outer * tiling_.padded * sizeof(float), tiling_.padded);
        const Share share = ShareOf(sorter_, list_, tiling_, outer, number);
        const uint64_t most = Updates::MostTargets(tiling_.bits);
        for (uint64_t first = share.first; first < share.last;) {
            const uint64_t left = share.last - first;
            uint64_t count = left < most ? left : most;
            while (!Range(first, first + count)) {
                count /= 2;
            }
            first += count;
        }
        if (share.members != 0) {
            Hot(share);
        }
        updates_.End();
    }

    /// Makes the updates of the targets [first, last). Returns false, and does nothing, where they
    /// are more than can be sorted at once, and rows may not be written and read again.
    __aicore__ inline bool Range(uint64_t first, uint64_t last)
    {
        if (last - first == 1) {
            Target(first, 0, tiling_.row);
            return true;
        }
        updates_.Begin(first, last);
        bool isAll = updates_.Collect();
        if (!isAll && groups_.IsWrittenOnce()) {
            updates_.End();
            return false;
        }
        for (;;) {
            if (updates_.Count() != 0) {
                Apply(first);
            }
            if (isAll) {
                break;
            }
            updates_.Clear();
            isAll = updates_.Collect();
            // A row that was written may be read again.
            Order<AscendC::HardEvent::MTE3_MTE2>();
        }
        updates_.End();
        return true;
    }

    /// Applies the collected updates, whose targets are counted from `first`.
    __aicore__ inline void Apply(uint64_t first)
    {
        const auto records = updates_.Sorted();
        for (uint32_t from = 0; from < tiling_.row; from += tiling_.piece) {
            const uint32_t left = tiling_.row - from;
            groups_.Begin(from, left < tiling_.piece ? left : tiling_.piece, false);
            groups_.Apply(updates_, records, updates_.Count(), first);
            groups_.Close();
        }
    }

    /// Makes the updates of one target, for the bytes [from, to) of its row.
    __aicore__ inline void Target(uint64_t target, uint32_t from, uint32_t to)
    {
        for (; from < to; from += tiling_.piece) {
            groups_.Begin(from, to - from < tiling_.piece ? to - from : tiling_.piece, true);
            updates_.Begin(target, target + 1);
            bool isAll = false;
            while (!isAll) {
                isAll = updates_.Collect();
                if (updates_.Count() != 0) {
                    groups_.Apply(updates_, updates_.Sorted(), updates_.Count(), target);
                }
                if (!isAll) {
                    updates_.Clear();
                }
            }
            groups_.Close();
            updates_.End();
        }
    }

    /// Makes this block's part of the columns of a target that several blocks share.
    __aicore__ inline void Hot(const Share& share)
    {
        const uint32_t blocks = (tiling_.row + kBlockBytes - 1) / kBlockBytes;
        const uint32_t each = (blocks + share.members - 1) / share.members * kBlockBytes;
        const uint32_t from = share.member * each;
        if (from < tiling_.row) {
            Target(share.hot, from, tiling_.row - from < each ? tiling_.row : from + each);
        }
    }

    AscendC::TPipe& pipe_;
    const ScatterRowsTiling& tiling_;
    GmBytes list_;
    Sorter sorter_;
    Updates updates_;
    RowGroups<Arithmetic> groups_;
};

// An entry point for each kind of arithmetic, to keep the machine code of each small: its size on a
// device is not measured yet.

#define SCATTER_ROWS(name, ...)                                                                     \
    extern "C" __global__ SCATTER_VECTOR __aicore__ void scatter_rows_##name(                       \
        GM_ADDR out, GM_ADDR src, GM_ADDR targets, GM_ADDR indexStatuses, ScatterRowsTiling tiling) \
    {                                                                                               \
        SCATTER_TASK_TYPE;                                                                          \
        AscendC::TPipe pipe;                                                                        \
        ScatterRows<__VA_ARGS__> kernel(pipe, tiling);                                              \
        kernel.Process(out, src, targets, indexStatuses);                                           \
    }

using OfHalf = Single<soft::Binary16>;
using OfBFloat = Single<soft::BFloat16>;
using OfFloat = Single<soft::Binary32>;

SCATTER_ROWS(moved, MovedRows<false>)
SCATTER_ROWS(moved_bool, MovedRows<true>)
SCATTER_ROWS(f32_sum, FloatRows<false>)
SCATTER_ROWS(f32_product, FloatRows<true>)
SCATTER_ROWS(f16_sum, HalfRows<half, OfHalf, false>)
SCATTER_ROWS(f16_product, HalfRows<half, OfHalf, true>)
SCATTER_ROWS(f16_extreme, ScalarHalfRows<half, OfHalf>)
SCATTER_ROWS(bf16_sum, HalfRows<bfloat16_t, OfBFloat, false>)
SCATTER_ROWS(bf16_product, HalfRows<bfloat16_t, OfBFloat, true>)
SCATTER_ROWS(bf16_extreme, ScalarHalfRows<bfloat16_t, OfBFloat>)
SCATTER_ROWS(i64_sum, DigitRows<true>)
SCATTER_ROWS(i32_sum, DigitRows<false>)
SCATTER_ROWS(i16_sum, ShortRows)
SCATTER_ROWS(i8_sum, ByteRows<int8_t, false>)
SCATTER_ROWS(u8_sum, ByteRows<uint8_t, false>)
SCATTER_ROWS(bool_sum, ByteRows<uint8_t, true>)
SCATTER_ROWS(f32, ScalarRows<OfFloat, 4>)
SCATTER_ROWS(f64, ScalarRows<Double, 8>)
SCATTER_ROWS(i64, ScalarRows<Integer<int64_t, uint64_t>, 8>)
SCATTER_ROWS(i32, ScalarRows<Integer<int32_t, uint32_t>, 4>)
SCATTER_ROWS(i16, ScalarRows<Integer<int16_t, uint32_t>, 2>)
SCATTER_ROWS(i8, ScalarRows<Integer<int8_t, uint32_t>, 1>)
SCATTER_ROWS(u8, ScalarRows<Integer<uint8_t, uint32_t>, 1>)
SCATTER_ROWS(bool, ScalarRows<Boolean, 1>)
SCATTER_ROWS(complex64, ScalarRows<Complex<OfFloat>, 8>)
SCATTER_ROWS(complex128, ScalarRows<Complex<Double>, 16>)
