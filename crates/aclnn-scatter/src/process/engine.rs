//! The choice of the engine for a call.

use aclnn_sys::ACLNN_ERR_INNER_FIND_KERNEL_ERROR;
use scatter::Operator;

use crate::failure::{Failure, failure};
use crate::process::kernels::{self, Launcher};
use crate::process::session::Session;
use crate::process::settings::Engine;

/// The engine that computes a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Chosen {
    Cpu,
    Vendor,
    Kernel(&'static Launcher),
}

/// The engine that a setting selects with this session's CANN for an operator; `has_kernel` says
/// whether there is a kernel for the call.
pub(crate) fn choose(
    session: &'static Session,
    engine: Engine,
    operator: Operator,
    has_kernel: bool,
) -> Result<Chosen, Failure> {
    let refused = |words: &str| Err(failure!(ACLNN_ERR_INNER_FIND_KERNEL_ERROR, "engine {words}"));
    match (engine, session.host().is_some()) {
        (Engine::Auto | Engine::Cpu, true) => Ok(Chosen::Cpu),
        (Engine::Vendor, false) => Ok(Chosen::Vendor),
        (Engine::Auto, false) if !has_kernel => Ok(Chosen::Vendor),
        (Engine::Auto, false) => match session.launcher() {
            Ok(launcher) => Ok(Chosen::Kernel(launcher)),
            // If the user names kernels, CANN's own operators must not silently replace them.
            Err(why) if kernels::named().is_some() => Err(kernels::missing(&why)),
            Err(_) => Ok(Chosen::Vendor),
        },
        (Engine::Vendor, true) => refused("vendor: host-cann is a CANN without operators of its own"),
        (Engine::Cpu, false) => refused("cpu: it needs host-cann, and this CANN is not that"),
        (Engine::Kernel, _) if !has_kernel => {
            refused(&format!("kernel: there is no kernel for this {operator}"))
        }
        (Engine::Kernel, _) => session.launcher().map(Chosen::Kernel).map_err(|why| kernels::missing(&why)),
    }
}
