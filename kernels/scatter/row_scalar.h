// Rows on the scalar unit, where the vector unit's arithmetic isn't known to give the results that
// docs/semantics.md asks for.
#pragma once

#include "alpha.h"
#include "row_arithmetic.h"

/// Applies `rows` rows of `src` to one row of `to`; sets it to the identity where `rows` is 0.
struct ScalarWork {
    const Bytes& to;
    const Bytes& src;
    /// Where the row of `to` begins, in elements.
    uint32_t at;
    /// Where the first row of `src` begins, in elements.
    uint32_t from;
    /// The stride of the rows of `src`, in elements.
    uint32_t step;
    uint32_t columns;
    uint32_t rows;
    /// Whether src is multiplied by alpha.
    bool isScaled;
    /// alpha, used only if `isScaled`.
    const Bytes& alpha;

    template <class Element, class Reduction>
    __aicore__ inline void Run() const
    {
        const AlphaOf<Element, Reduction> factor(isScaled, alpha);
        const auto words = to.ReinterpretCast<typename Element::Word>();
        const auto incoming = src.ReinterpretCast<typename Element::Word>();
        for (uint32_t column = 0; column < columns; column++) {
            auto held = rows == 0 ? Reduction::template Start<Element>() : Element::Load(words, at + column);
            for (uint32_t row = 0; row < rows; row++) {
                const auto update = factor.Times(Element::Load(incoming, from + row * step + column));
                held = Reduction::template Combine<Element>(held, update);
            }
            Element::Store(words, at + column, held);
        }
    }
};

/// Runs the work of a reduction on elements of a policy.
template <class Element>
__aicore__ inline void RunScalar(ScatterReduce reduce, const ScalarWork& work)
{
    Order<AscendC::HardEvent::V_S>();
    switch (reduce) {
    case ScatterReduce::Mul: work.template Run<Element, Reduction<ScatterReduce::Mul>>(); break;
    case ScatterReduce::Max: work.template Run<Element, Reduction<ScatterReduce::Max>>(); break;
    case ScatterReduce::Min: work.template Run<Element, Reduction<ScatterReduce::Min>>(); break;
    case ScatterReduce::Add:
    case ScatterReduce::Mean:
    case ScatterReduce::None: work.template Run<Element, Reduction<ScatterReduce::Add>>(); break;
    }
    Order<AscendC::HardEvent::S_V>();
}

/// Any dtype except f16 and bf16, by the policy of its elements.
template <class Element, uint32_t elementBytes>
class ScalarRows : public RowsInPlace {
public:
    __aicore__ inline void Init(AscendC::TPipe& pipe, const ScatterRowsTiling& tiling, uint32_t step)
    {
        RowsInPlace::Init(pipe, tiling, step);
        StoreAlpha(pipe, alpha_, tiling);
    }
    __aicore__ inline void Start(const Bytes& rows, uint32_t row)
    {
        AscendC::Duplicate(Row<int32_t>(rows, row), 0, static_cast<int32_t>(shape_.step / sizeof(int32_t)));
        Run(rows, row, rows, 0, 0, 0);
    }
    __aicore__ inline void Apply(
        const Bytes& rows, uint32_t row, const Bytes& src, uint32_t first, uint32_t count, bool isSameRow)
    {
        Run(rows, row, src, isSameRow ? 0 : first, count, isSameRow ? 0 : shape_.step / elementBytes);
    }
    __aicore__ inline void Divide(const Bytes& rows, uint32_t row, uint32_t count)
    {
        DivideWork{rows, row * (shape_.step / elementBytes), shape_.bytes / elementBytes, count}
            .template Run<Element>();
    }

private:
    __aicore__ inline void Run(
        const Bytes& rows, uint32_t row, const Bytes& src, uint32_t first, uint32_t count, uint32_t step)
    {
        const uint32_t each = shape_.step / elementBytes;
        const Bytes alpha = alpha_.Get<uint8_t>();
        RunScalar<Element>(ReduceOf(*tiling_),
            ScalarWork{rows, src, row * each, first * each, step, shape_.bytes / elementBytes, count,
                tiling_->scaled != 0, alpha});
    }

    AscendC::TBuf<AscendC::TPosition::VECCALC> alpha_;
};

/// Max and Min of f16 and bf16.
template <class Half, class Element>
class ScalarHalfRows : public WideRows<Half, Element> {
public:
    __aicore__ inline void Start(const Bytes&, uint32_t row)
    {
        AscendC::Duplicate(this->Sums(row), 0.0f, static_cast<int32_t>(this->step_));
        Run(row, 0, 0, 0);
    }
    __aicore__ inline void Apply(
        const Bytes&, uint32_t row, const Bytes&, uint32_t first, uint32_t count, bool isSameRow)
    {
        Run(row, isSameRow ? 0 : first * this->step_, count, isSameRow ? 0 : this->step_);
    }

private:
    __aicore__ inline void Run(uint32_t row, uint32_t from, uint32_t count, uint32_t step)
    {
        const Bytes sums = this->sums_.template Get<uint8_t>();
        const Bytes wide = this->wide_.template Get<uint8_t>();
        RunScalar<Element>(ReduceOf(*this->tiling_),
            ScalarWork{sums, wide, row * this->step_, from, step, this->columns_, count, false, wide});
    }
};
