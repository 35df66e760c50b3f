//! Tracing spans, with feature `tracing`.

/// A span of this name with these fields, which lasts as long as the guard that it returns.
#[cfg(feature = "tracing")]
macro_rules! span {
    ($name:literal $(, $field:ident = $value:expr)* $(,)?) => {
        ::tracing::debug_span!(target: "aclnn", $name $(, $field = ?$value)*).entered()
    };
}

/// Without the feature: nothing, and the fields are not computed.
#[cfg(not(feature = "tracing"))]
macro_rules! span {
    ($name:literal $(, $field:ident = $value:expr)* $(,)?) => {
        ()
    };
}

pub(crate) use span;
