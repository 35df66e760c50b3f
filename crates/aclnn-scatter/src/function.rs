//! What the pairs of C functions take and compute, made of the table in [`pairs`](crate::pairs).

use core::ffi::CStr;

use scatter::{Argument, Op, Operator};

/// What a parameter of phase one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    SelfTensor,
    /// self by a pointer that isn't const, although the function doesn't write it.
    UnwrittenSelf,
    /// self, which the function writes.
    SelfRef,
    Index,
    Src,
    Value,
    Out,
    Dim,
    Reduce,
    IncludeSelf,
    /// A number that is not looked at.
    Mode,
    /// A list of index tensors.
    Indices,
    Accumulate,
    /// A flag that is not looked at.
    Unsafe,
    /// out, which starts as zeros, by a pointer that is const.
    ZeroedOut,
    /// The number of out's rows.
    Rows,
    /// The row of out that stays zero.
    Padding,
    Scale,
}

impl Kind {
    /// The argument of the operator; `None` for a parameter that is a number.
    const fn argument(self) -> Option<Argument> {
        Some(match self {
            Self::SelfTensor | Self::UnwrittenSelf | Self::SelfRef => Argument::SelfTensor,
            Self::Index | Self::Indices => Argument::Index,
            Self::Src => Argument::Src,
            Self::Value => Argument::Value,
            Self::Out | Self::ZeroedOut => Argument::Out,
            Self::Dim
            | Self::Reduce
            | Self::IncludeSelf
            | Self::Mode
            | Self::Accumulate
            | Self::Unsafe
            | Self::Rows
            | Self::Padding
            | Self::Scale => return None,
        })
    }
}

/// A parameter of phase one, with its name in the prototype.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameter {
    pub(crate) kind: Kind,
    pub(crate) name: &'static CStr,
}

/// A pair as [`pairs`](crate::pairs) lists it.
#[derive(Debug)]
pub(crate) struct Row {
    /// The name of phase two, which stands for the pair.
    pub(crate) name: &'static CStr,
    /// In the order of the prototype; size and executor, which every phase one has, come after
    /// them.
    pub(crate) parameters: &'static [Parameter],
    /// The operator that the functions compute.
    pub(crate) operator: Operator,
}

/// An identifier as a C string.
macro_rules! symbol {
    ($name:ident) => {
        const {
            match core::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => c"",
            }
        }
    };
}
pub(crate) use symbol;

/// The name of a parameter in the prototype; `self` is no name for a variable in Rust.
macro_rules! name {
    (self_) => {
        c"self"
    };
    (unsafe_) => {
        c"unsafe"
    };
    ($parameter:ident) => {
        $crate::function::symbol!($parameter)
    };
}

/// Declares the enum of all pairs, and what each takes and computes.
macro_rules! functions {
    ($(
        $(#[$doc:meta])*
        $function:ident: $first:ident, $second:ident
            ($($parameter:ident: $kind:ident),*) => $op:ident;
    )+) => {
        /// A pair of C functions: phase one, which ends in `GetWorkspaceSize`, and phase two.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Function {
            $($function),+
        }

        impl Function {
            /// Every pair.
            const ALL: &'static [Self] = &[$(Self::$function),+];

            /// What the pair takes and computes.
            fn row(self) -> &'static Row {
                match self {
                    $(Self::$function => {
                        static ROW: Row = Row {
                            name: symbol!($second),
                            parameters: &[
                                $(Parameter { kind: Kind::$kind, name: name!($parameter) }),*
                            ],
                            operator: Operator::$op,
                        };
                        &ROW
                    })+
                }
            }
        }
    };
}
crate::for_each_pair!([functions]);

impl Function {
    /// The name of phase two, which stands for the pair, as a C string.
    pub(crate) fn c_name(self) -> &'static CStr {
        self.row().name
    }

    /// The name of phase two ([`c_name`](Self::c_name)) as a Rust string.
    pub(crate) fn name(self) -> &'static str {
        self.c_name().to_str().unwrap_or("aclnnScatter")
    }

    /// Whether the function works in place: out is self.
    pub(crate) fn is_inplace(self) -> bool {
        self.takes(Kind::SelfRef)
    }

    /// Whether the function takes a list of index tensors.
    pub(crate) fn takes_list(self) -> bool {
        self.takes(Kind::Indices)
    }

    /// Whether the function takes a tensor src.
    pub(crate) fn takes_src(self) -> bool {
        self.takes(Kind::Src)
    }

    /// Whether a parameter of the function is of this kind.
    fn takes(self, kind: Kind) -> bool {
        self.row().parameters.iter().any(|parameter| parameter.kind == kind)
    }

    /// The arguments of the operator that the function takes, with the names of their parameters,
    /// in the order of the prototype.
    pub(crate) fn arguments(self) -> impl Iterator<Item = (Argument, &'static CStr)> {
        let parameters = self.row().parameters.iter();
        parameters.filter_map(|&Parameter { kind, name }| Some((kind.argument()?, name)))
    }

    /// The operator that the function computes.
    pub(crate) fn operator(self) -> Operator {
        self.row().operator
    }

    /// The pair that computes an operator, into a separate out where there is such a pair; `None`
    /// where there is none.
    pub(crate) fn computing(op: &Op) -> Option<Self> {
        let wanted = match op.operator() {
            // It differs from a gather only by the names of its arguments.
            Operator::ScatterSrcGrad => Operator::Gather,
            operator => operator,
        };
        let computes = |function: &&Self| function.operator() == wanted;
        let all = || Self::ALL.iter().filter(computes);
        all().find(|function| !function.is_inplace()).or_else(|| all().next()).copied()
    }

    /// The name of the parameter in the prototype that an argument is given by, as a C string.
    pub(crate) fn c_parameter(self, argument: Argument) -> &'static CStr {
        let named = |wanted| self.arguments().find(|&(of, _)| of == wanted).map(|(_, name)| name);
        match argument {
            // In place out is self. But the only pair of an operator also serves a
            // `PreparedScatter`, which may have a separate out.
            Argument::Out if self.is_inplace() && !self.is_only() => named(Argument::SelfTensor),
            argument => named(argument),
        }
        .unwrap_or(match argument {
            // A function without a self has out in its place.
            Argument::Out | Argument::SelfTensor => c"out",
            Argument::Value => c"value",
            _ => c"src",
        })
    }

    /// Whether the function's pair is the only one that computes its operator.
    fn is_only(self) -> bool {
        Self::ALL.iter().filter(|function| function.operator() == self.operator()).count() == 1
    }

    /// The name of an argument's parameter ([`c_parameter`](Self::c_parameter)) as a Rust string.
    pub(crate) fn parameter(self, argument: Argument) -> &'static str {
        self.c_parameter(argument).to_str().unwrap_or("src")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_with_out_is_preferred_and_parameters_have_the_names_of_the_prototype() {
        let names = [Argument::SelfTensor, Argument::Index, Argument::Src, Argument::Out];
        for (function, parameters) in [
            (Function::ScatterAdd, ["self", "index", "src", "out"]),
            (Function::InplaceScatter, ["selfRef", "index", "src", "selfRef"]),
            (Function::TfScatterAdd, ["varRef", "indices", "updates", "out"]),
            (Function::ScatterNd, ["data", "indices", "updates", "out"]),
            (Function::ScatterNdUpdate, ["varRef", "indices", "updates", "varRef"]),
            (Function::IndexCopy, ["selfRef", "index", "source", "outRef"]),
            (Function::Gather, ["self", "index", "src", "out"]),
            (Function::InplaceScatterUpdate, ["data", "indices", "updates", "out"]),
            (Function::IndexPutImpl, ["selfRef", "indices", "values", "out"]),
            (Function::IndexAddV2, ["self", "index", "source", "out"]),
            (Function::EmbeddingDenseBackward, ["out", "indices", "grad", "out"]),
        ] {
            assert_eq!(names.map(|name| function.parameter(name)), parameters, "{function:?}");
        }
        assert_eq!(Function::computing(&Op::ScatterNdAdd), Some(Function::TfScatterAdd));
        assert_eq!(Function::computing(&Op::ScatterNdUpdate), Some(Function::ScatterNd));
        assert_eq!(Function::computing(&Op::ScatterAdd { dim: 0 }), Some(Function::ScatterAdd));
        assert_eq!(Function::computing(&Op::ScatterSrcGrad { dim: 0 }), Some(Function::Gather));
        assert!(
            Operator::ALL
                .into_iter()
                .filter(|of| *of != Operator::ScatterSrcGrad)
                .all(|operator| { Function::ALL.iter().any(|function| function.operator() == operator) })
        );
    }
}
