// What an update does to the element that it meets. Mean is Add here, and divides at the end.
#pragma once

#include "dtype.h"

template <ScatterReduce reduce>
struct Reduction {
    /// Whether it may be a Mean.
    static constexpr bool kIsSum = reduce == ScatterReduce::Add;

    /// What a touched element holds first where self is not included.
    template <class Element>
    static __aicore__ inline typename Element::Value Start()
    {
        if constexpr (reduce == ScatterReduce::None) {
            return typename Element::Value{}; // what is replaced doesn't matter
        } else {
            return Element::Identity(reduce);
        }
    }

    /// What the element holds after the update.
    template <class Element>
    static __aicore__ inline typename Element::Value Combine(typename Element::Value held, typename Element::Value comes)
    {
        if constexpr (reduce == ScatterReduce::None) {
            return Element::Stored(comes);
        } else if constexpr (reduce == ScatterReduce::Add) {
            return Element::Add(held, comes);
        } else if constexpr (reduce == ScatterReduce::Mul) {
            return Element::Mul(held, comes);
        } else if constexpr (reduce == ScatterReduce::Max) {
            return Element::Max(held, comes);
        } else {
            static_assert(reduce == ScatterReduce::Min, "Mean is Add");
            return Element::Min(held, comes);
        }
    }
};
