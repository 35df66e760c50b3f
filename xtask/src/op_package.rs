//! `cargo xtask op-package`: the scatter operators as a vendor's operator package, which clients
//! ask before CANN.

use std::path::Path;

use crate::folder::Folder;
use crate::libraries::{self, ACLNN_SCATTER, Build};
use crate::{Error, device_kernels, root};

/// The list of what was written.
pub(crate) const LIST: &str = ".op-package";

/// Where torch_npu looks first, in the folder that `ASCEND_CUSTOM_OPP_PATH` names.
const LIBRARY: &str = "op_api/lib/libcust_opapi.so";

/// Lays out the folder, and returns how to use it.
///
/// # Errors
/// The folder was not made by this command, or the library can't be built.
pub fn run(root_of_tree: &Path, build: &Build) -> Result<String, Error> {
    let lists = device_kernels::LISTS;
    Folder::check_any(root_of_tree, &lists)?;
    let [library] = libraries::build([ACLNN_SCATTER], build)?;
    let mut folder = Folder::open_any(root_of_tree, LIST, &lists)?;
    folder.copy(&library, LIBRARY)?;
    folder.copy_all(&root().join("sys/include/aclnnop"), "op_api/include/aclnnop")?;
    folder.write("set_env.sh", include_str!("../templates/op_package/set_env.sh"))?;
    folder.close()?;
    let tree = root_of_tree.display();
    Ok(format!("{tree}: an operator package\n  source {tree}/set_env.sh\n"))
}
