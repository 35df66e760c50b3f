// What an update does to its element. Mean is Add here, and divides at the end.
#pragma once

#include "dtype.h"

template <ScatterReduce reduce>
struct Reduction {
    /// Whether it may be a Mean.
    static constexpr bool kIsSum = reduce == ScatterReduce::Add;

    /// The value that an element starts from at its first update, where self is not included.
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
    static __aicore__ inline typename Element::Value Combine(
        typename Element::Value held, typename Element::Value incoming)
    {
        if constexpr (reduce == ScatterReduce::None) {
            return Element::Stored(incoming);
        } else if constexpr (reduce == ScatterReduce::Add) {
            return Element::Add(held, incoming);
        } else if constexpr (reduce == ScatterReduce::Mul) {
            return Element::Mul(held, incoming);
        } else if constexpr (reduce == ScatterReduce::Max) {
            return Element::Max(held, incoming);
        } else {
            static_assert(reduce == ScatterReduce::Min, "Mean is Add");
            return Element::Min(held, incoming);
        }
    }
};
