// What an update does to the element that it meets: one policy for each reduction. Mean sums here and divides at the end.
// `Start` is what a touched element holds first where self is not included.
#pragma once

#include "dtype.h"

struct Replace {
    template <class Element>
    static __aicore__ inline typename Element::Value Start()
    {
        return typename Element::Value{}; // what is replaced doesn't matter
    }
    template <class Element>
    static __aicore__ inline typename Element::Value Combine(typename Element::Value, typename Element::Value comes)
    {
        return Element::Stored(comes);
    }
};

struct Sum {
    template <class Element>
    static __aicore__ inline typename Element::Value Start()
    {
        return Element::Identity(ScatterReduce::Add);
    }
    template <class Element>
    static __aicore__ inline typename Element::Value Combine(typename Element::Value held, typename Element::Value comes)
    {
        return Element::Add(held, comes);
    }
};

struct Product {
    template <class Element>
    static __aicore__ inline typename Element::Value Start()
    {
        return Element::Identity(ScatterReduce::Mul);
    }
    template <class Element>
    static __aicore__ inline typename Element::Value Combine(typename Element::Value held, typename Element::Value comes)
    {
        return Element::Mul(held, comes);
    }
};

struct Maximum {
    template <class Element>
    static __aicore__ inline typename Element::Value Start()
    {
        return Element::Identity(ScatterReduce::Max);
    }
    template <class Element>
    static __aicore__ inline typename Element::Value Combine(typename Element::Value held, typename Element::Value comes)
    {
        return Element::Max(held, comes);
    }
};

struct Minimum {
    template <class Element>
    static __aicore__ inline typename Element::Value Start()
    {
        return Element::Identity(ScatterReduce::Min);
    }
    template <class Element>
    static __aicore__ inline typename Element::Value Combine(typename Element::Value held, typename Element::Value comes)
    {
        return Element::Min(held, comes);
    }
};
