// alpha, by which src is multiplied before it is added.
#pragma once

#include "box.h"
#include "reduction.h"

/// Has the scalar unit put the alpha of a tiling into UB, from where it is read as an element.
template <class Tiling>
__aicore__ inline void StoreAlpha(
    AscendC::TPipe& pipe, AscendC::TBuf<AscendC::TPosition::VECCALC>& buffer, const Tiling& tiling)
{
    pipe.InitBuffer(buffer, kBlockBytes);
    const auto words = buffer.Get<uint64_t>();
    words.SetValue(0, tiling.value[0]);
    words.SetValue(1, tiling.value[1]);
}

/// Multiplies updates by alpha, in the type of the accumulator, where they are scaled: only sums
/// are.
template <class Element, class Reduction>
class AlphaOf {
public:
    /// `bytes`: what `StoreAlpha` has written.
    __aicore__ inline AlphaOf(bool isScaled, const Bytes& bytes) : isScaled_(isScaled)
    {
        if constexpr (Reduction::kIsSum) {
            if (isScaled) {
                value_ = Element::Load(bytes.ReinterpretCast<typename Element::Word>(), 0);
            }
        }
    }

    __aicore__ inline typename Element::Value Times(typename Element::Value incoming) const
    {
        if constexpr (Reduction::kIsSum) {
            return isScaled_ ? Element::Mul(value_, incoming) : incoming;
        } else {
            return incoming;
        }
    }

private:
    bool isScaled_;
    typename Element::Value value_{};
};
