//! The pairs of C functions.

use core::ffi::CStr;

use scatter::Argument;

/// A pair of C functions: phase one, which ends in `GetWorkspaceSize`, and phase two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    ScatterAdd,
    Scatter,
    InplaceScatter,
    ScatterValue,
    InplaceScatterValue,
    ScatterReduce,
    InplaceScatterReduce,
    TfScatterAdd,
}

impl Function {
    /// The name of phase two, which stands for the pair.
    pub(crate) const fn c_name(self) -> &'static CStr {
        match self {
            Self::ScatterAdd => c"aclnnScatterAdd",
            Self::Scatter => c"aclnnScatter",
            Self::InplaceScatter => c"aclnnInplaceScatter",
            Self::ScatterValue => c"aclnnScatterValue",
            Self::InplaceScatterValue => c"aclnnInplaceScatterValue",
            Self::ScatterReduce => c"aclnnScatterReduce",
            Self::InplaceScatterReduce => c"aclnnInplaceScatterReduce",
            Self::TfScatterAdd => c"aclnnTfScatterAdd",
        }
    }

    /// The same name as a Rust string.
    pub(crate) const fn name(self) -> &'static str {
        match self.c_name().to_str() {
            Ok(name) => name,
            Err(_) => "aclnnScatter",
        }
    }

    /// Whether out is self.
    pub(crate) const fn is_inplace(self) -> bool {
        matches!(
            self,
            Self::InplaceScatter
                | Self::InplaceScatterValue
                | Self::InplaceScatterReduce
                | Self::TfScatterAdd
        )
    }

    /// Whether the function takes a scalar in place of src.
    pub(crate) const fn takes_value(self) -> bool {
        matches!(self, Self::ScatterValue | Self::InplaceScatterValue)
    }

    /// The name of a parameter in the prototype.
    pub(crate) const fn c_parameter(self, argument: Argument) -> &'static CStr {
        match (argument, self) {
            (Argument::SelfTensor, Self::TfScatterAdd) => c"varRef",
            (Argument::Index, Self::TfScatterAdd) => c"indices",
            (Argument::Src, Self::TfScatterAdd) => c"updates",
            // The C function works in place, but a `PreparedScatter` may have a separate out.
            (Argument::Out, Self::TfScatterAdd) => c"out",
            (Argument::SelfTensor | Argument::Out, function) if function.is_inplace() => c"selfRef",
            (Argument::SelfTensor, _) => c"self",
            (Argument::Index, _) => c"index",
            (Argument::Value, _) => c"value",
            (Argument::Out, _) => c"out",
            _ => c"src",
        }
    }

    /// The same name as a Rust string.
    pub(crate) const fn parameter(self, argument: Argument) -> &'static str {
        match self.c_parameter(argument).to_str() {
            Ok(name) => name,
            Err(_) => "src",
        }
    }
}
