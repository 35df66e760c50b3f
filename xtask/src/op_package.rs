//! `cargo xtask op-package`: the scatter operators as a vendor's operator package, which clients ask before CANN.

use std::path::Path;

use crate::folder::Folder;
use crate::libraries::{self, ACLNN_SCATTER, Profile};
use crate::{Error, root};

/// The list of what was written.
const LIST: &str = ".op-package";

/// Where torch_npu looks first, in the folder that `ASCEND_CUSTOM_OPP_PATH` names.
const LIBRARY: &str = "op_api/lib/libcust_opapi.so";

/// Lays out the folder, and tells how to use it.
///
/// # Errors
/// The folder is someone else's, or the library can't be built.
pub fn run(root_of_tree: &Path, profile: Profile) -> Result<String, Error> {
    Folder::check(root_of_tree, LIST)?;
    let [library] = libraries::build([ACLNN_SCATTER], profile)?;
    let mut folder = Folder::open(root_of_tree, LIST)?;
    folder.copy(&library, LIBRARY)?;
    folder.copy_all(&root().join("sys/include/aclnnop"), "op_api/include/aclnnop")?;
    folder.write("set_env.sh", include_str!("../templates/op_package/set_env.sh"))?;
    folder.close()?;
    let tree = root_of_tree.display();
    Ok(format!("{tree}: an operator package\n  source {tree}/set_env.sh\n"))
}
