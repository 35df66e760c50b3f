// The arithmetic of rows in UB: a class for each kind, for each of which `scatter_rows` is
// instantiated.
//
// A group has rows of src, one behind the other, and rows of out, to each of which some of those
// are applied. Each of the classes has
//
//     kIsRounded   // a row that is written and read again has been rounded
//     kReadsOut    // the result depends on what out holds
//     void Init(pipe, tiling, step), Resize(shape)
//     void Take(rows, first, count)           // rows of out have arrived
//     void Start(rows, row)                   // sets a row and its padding to the identity
//     void Continue(rows, before, last)       // row 0 continues row `last` of the group before
//     void Prepare(src, count)                // rows of src have arrived
//     // Applies rows of src to a row, in their order; isSameRow: the same row `count` times.
//     void Apply(rows, row, src, first, count, isSameRow)
//     void Divide(rows, row, count)           // on the scalar unit
//     void Finish(rows, first, count)         // converts rows for writing them to out
//
// They use vector instructions; the caller puts barriers before and behind each call.
#pragma once

#include "booleans.h"
#include "dispatch.h"
#include "mean.h"
#include "row_copies.h"
#include "wide.h"

/// Adds `src` to `to`, or multiplies `to` by it.
template <bool isProduct, class T>
SCATTER_HOT void AddRow(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& src, uint32_t columns)
{
    if constexpr (isProduct) {
        AscendC::Mul(to, src, to, static_cast<int32_t>(columns));
    } else {
        AscendC::Add(to, src, to, static_cast<int32_t>(columns));
    }
}

/// Adds rows of `src` to at most 64 columns of `to`, in their order, by the repeats of one
/// instruction: the destination has stride 0, and src a stride of `blocks` blocks of 32 bytes.
/// There are 255 rows at the most, as in a group.
template <bool isProduct, class T>
__aicore__ inline void AddColumns(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& src,
    uint32_t columns, uint32_t blocks, uint32_t rows)
{
    const AscendC::BinaryRepeatParams still(1, 1, 1, 0, static_cast<uint8_t>(blocks), 0);
    if constexpr (isProduct) {
        AscendC::Mul(to, src, to, columns, static_cast<uint8_t>(rows), still);
    } else {
        AscendC::Add(to, src, to, columns, static_cast<uint8_t>(rows), still);
    }
}

/// Adds rows of each `src` to its `to`, or multiplies `to` by them, in their order. The stride of
/// the rows is `step` words; 0 means the same row each time.
template <bool isProduct, uint32_t kRows, class T>
SCATTER_HOT void AddRows(const AscendC::LocalTensor<T> (&to)[kRows], const AscendC::LocalTensor<T> (&src)[kRows],
    uint32_t columns, uint32_t step, uint32_t rows)
{
    constexpr uint32_t kRepeat = 64;
    // Row by row, the vector unit waits after each row; by columns, each 64 columns take an
    // instruction. A wait takes about as long as two instructions. The stride of repeats has 8
    // bits.
    const uint32_t blocks = step / (kBlockBytes / sizeof(T));
    if (2 * rows < columns / kRepeat || rows == 1 || blocks > 255) {
        for (uint32_t row = 0; row < rows; row++) {
            if (row != 0) {
                AscendC::PipeBarrier<PIPE_V>();
            }
            SCATTER_UNROLL
            for (uint32_t i = 0; i < kRows; i++) {
                AddRow<isProduct>(to[i], src[i][row * step], columns);
            }
        }
        return;
    }
    for (uint32_t column = 0; column < columns; column += kRepeat) {
        const uint32_t lanes = columns - column < kRepeat ? columns - column : kRepeat;
        SCATTER_UNROLL
        for (uint32_t i = 0; i < kRows; i++) {
            AddColumns<isProduct>(to[i][column], src[i][column], lanes, blocks, rows);
        }
    }
}

/// The same for one `to`.
template <bool isProduct, class T>
SCATTER_HOT void AddRows(const AscendC::LocalTensor<T>& to, const AscendC::LocalTensor<T>& src, uint32_t columns,
    uint32_t step, uint32_t rows)
{
    const AscendC::LocalTensor<T> tos[] = {to};
    const AscendC::LocalTensor<T> srcs[] = {src};
    AddRows<isProduct>(tos, srcs, columns, step, rows);
}

/// Rows that are updated in the buffer into which they were copied.
class RowsInPlace {
public:
    static constexpr bool kIsRounded = false;
    static constexpr bool kReadsOut = true;

    __aicore__ inline void Init(AscendC::TPipe&, const ScatterRowsTiling& tiling, uint32_t) { tiling_ = &tiling; }
    __aicore__ inline void Resize(const RowShape& shape) { shape_ = shape; }
    __aicore__ inline void Take(const Bytes&, uint32_t, uint32_t) { }
    __aicore__ inline void Continue(const Bytes& rows, const Bytes& before, uint32_t last)
    {
        AscendC::DataCopy(Row<int32_t>(rows, 0), Row<int32_t>(before, last), shape_.step / sizeof(int32_t));
    }
    __aicore__ inline void Prepare(const Bytes&, uint32_t) { }
    /// A plain scatter has no mean.
    __aicore__ inline void Divide(const Bytes&, uint32_t, uint32_t) { }
    __aicore__ inline void Finish(const Bytes&, uint32_t, uint32_t) { }

protected:
    template <class T>
    SCATTER_HOT AscendC::LocalTensor<T> Row(const Bytes& rows, uint32_t row) const
    {
        return rows[row * shape_.step].template ReinterpretCast<T>();
    }

    const ScatterRowsTiling* tiling_ = nullptr;
    RowShape shape_{0, 0};
};

/// The alpha of a tiling where it is f32.
__aicore__ inline float FloatAlpha(const ScatterRowsTiling& tiling)
{
    return FloatOf(static_cast<uint32_t>(tiling.value[0]));
}

/// f32, and the sums of complex64, whose real and imaginary parts are summed separately.
template <bool isProduct>
class FloatRows : public RowsInPlace {
public:
    __aicore__ inline void Prepare(const Bytes& src, uint32_t count)
    {
        if (tiling_->scaled != 0) {
            const auto rows = src.ReinterpretCast<float>();
            AscendC::Muls(rows, rows, FloatAlpha(*tiling_), static_cast<int32_t>(count * shape_.step / sizeof(float)));
        }
    }
    __aicore__ inline void Start(const Bytes& rows, uint32_t row)
    {
        AscendC::Duplicate(
            Row<float>(rows, row), isProduct ? 1.0f : 0.0f, static_cast<int32_t>(shape_.step / sizeof(float)));
    }
    SCATTER_HOT void Apply(
        const Bytes& rows, uint32_t row, const Bytes& src, uint32_t first, uint32_t count, bool isSameRow)
    {
        AddRows<isProduct>(Row<float>(rows, row), Row<float>(src, isSameRow ? 0 : first), Columns(),
            isSameRow ? 0 : shape_.step / sizeof(float), count);
    }
    __aicore__ inline void Divide(const Bytes& rows, uint32_t row, uint32_t count)
    {
        DivideWork{rows, row * shape_.step / static_cast<uint32_t>(sizeof(float)), Columns(), count}
            .template Run<Single<soft::Binary32>>();
    }

private:
    __aicore__ inline uint32_t Columns() const { return shape_.bytes / sizeof(float); }
};

/// A plain scatter: the last row of src stays. `isBool`: its elements become 0 or 1.
template <bool isBool>
class MovedRows : public RowsInPlace {
public:
    static constexpr bool kReadsOut = false;

    __aicore__ inline void Init(AscendC::TPipe& pipe, const ScatterRowsTiling& tiling, uint32_t step)
    {
        RowsInPlace::Init(pipe, tiling, step);
        if constexpr (isBool) {
            pipe.InitBuffer(halves_, tiling.group * step * sizeof(half));
        }
    }
    __aicore__ inline void Start(const Bytes&, uint32_t) { }
    __aicore__ inline void Prepare(const Bytes& src, uint32_t count)
    {
        if constexpr (isBool) {
            MakeBooleans(src, halves_.Get<half>(), count * shape_.step);
        }
    }
    SCATTER_HOT void Apply(
        const Bytes& rows, uint32_t row, const Bytes& src, uint32_t first, uint32_t count, bool isSameRow)
    {
        AscendC::DataCopy(Row<int32_t>(rows, row), Row<int32_t>(src, isSameRow ? 0 : first + count - 1),
            shape_.step / sizeof(int32_t));
    }

private:
    AscendC::TBuf<AscendC::TPosition::VECCALC> halves_;
};

/// f16 and bf16, held as f32; `Element` is the policy of the accumulator.
template <class Half, class Element>
class WideRows {
public:
    static constexpr bool kIsRounded = true;
    static constexpr bool kReadsOut = true;

    __aicore__ inline void Init(AscendC::TPipe& pipe, const ScatterRowsTiling& tiling, uint32_t step)
    {
        tiling_ = &tiling;
        pipe.InitBuffer(sums_, tiling.group * step / sizeof(Half) * sizeof(float));
        pipe.InitBuffer(wide_, (tiling.has_value != 0 ? 1 : tiling.group) * step / sizeof(Half) * sizeof(float));
    }
    __aicore__ inline void Resize(const RowShape& shape)
    {
        columns_ = shape.bytes / sizeof(Half);
        step_ = shape.step / sizeof(Half);
    }
    __aicore__ inline void Take(const Bytes& rows, uint32_t first, uint32_t count)
    {
        Widen(sums_.Get<float>(), rows, first, count);
    }
    __aicore__ inline void Continue(const Bytes&, const Bytes&, uint32_t last)
    {
        if (last != 0) {
            AscendC::DataCopy(Sums(0), Sums(last), step_);
        }
    }
    __aicore__ inline void Prepare(const Bytes& src, uint32_t count)
    {
        const auto wide = wide_.Get<float>();
        Widen(wide, src, 0, count);
        if (tiling_->scaled != 0) {
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Muls(wide, wide, FloatAlpha(*tiling_), static_cast<int32_t>(count * step_));
        }
    }
    __aicore__ inline void Divide(const Bytes&, uint32_t row, uint32_t count)
    {
        const Bytes sums = sums_.Get<uint8_t>();
        DivideWork{sums, row * step_, columns_, count}.template Run<Element>();
    }
    __aicore__ inline void Finish(const Bytes& rows, uint32_t first, uint32_t count)
    {
        AscendC::Cast(
            rows.ReinterpretCast<Half>()[first * step_], Sums(first), AscendC::RoundMode::CAST_RINT, count * step_);
    }

protected:
    SCATTER_HOT AscendC::LocalTensor<float> Sums(uint32_t row) { return sums_.Get<float>()[row * step_]; }

    const ScatterRowsTiling* tiling_ = nullptr;
    uint32_t columns_ = 0;
    uint32_t step_ = 0;
    AscendC::TBuf<AscendC::TPosition::VECCALC> sums_;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide_;

private:
    __aicore__ inline void Widen(
        const AscendC::LocalTensor<float>& to, const Bytes& rows, uint32_t first, uint32_t count)
    {
        const auto from = rows.ReinterpretCast<Half>();
        AscendC::Cast(to[first * step_], from[first * step_], AscendC::RoundMode::CAST_NONE, count * step_);
    }
};

/// Sums and products of f16 and bf16.
template <class Half, class Element, bool isProduct>
class HalfRows : public WideRows<Half, Element> {
public:
    __aicore__ inline void Start(const Bytes&, uint32_t row)
    {
        AscendC::Duplicate(this->Sums(row), isProduct ? 1.0f : 0.0f, static_cast<int32_t>(this->step_));
    }
    SCATTER_HOT void Apply(const Bytes&, uint32_t row, const Bytes&, uint32_t first, uint32_t count, bool isSameRow)
    {
        AddRows<isProduct>(this->Sums(row), this->wide_.template Get<float>()[isSameRow ? 0 : first * this->step_],
            this->columns_, isSameRow ? 0 : this->step_, count);
    }
};
