//! How a function is given its index.

use operator_abi::Extension;

use crate::function::Function;
use crate::process::session::Session;

/// How a function is given its index.
#[derive(Clone, Copy)]
pub(super) enum GivenIndex {
    Tensor,
    /// A list of tensors, which this host-cann reads.
    List(&'static Extension),
    /// A list, which can't be read without host-cann.
    Unreadable,
}

impl GivenIndex {
    pub(super) fn of(function: Function, session: &'static Session) -> Self {
        match session.host() {
            _ if !function.takes_list() => Self::Tensor,
            Some(host) => Self::List(host),
            None => Self::Unreadable,
        }
    }
}
