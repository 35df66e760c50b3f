//! Spans for whoever watches, with feature `tracing`.

/// A span of this name and these fields, which lasts as long as what it returns.
#[cfg(feature = "tracing")]
macro_rules! span {
    ($name:literal $(, $field:ident = $value:expr)* $(,)?) => {
        ::tracing::debug_span!(target: "aclnn", $name $(, $field = ?$value)*).entered()
    };
}

/// Nothing; the fields are not computed.
#[cfg(not(feature = "tracing"))]
macro_rules! span {
    ($name:literal $(, $field:ident = $value:expr)* $(,)?) => {
        ()
    };
}

pub(crate) use span;
