//! `cargo xtask device-kernels`: the kernels' library for a device, by CMake and a CANN toolkit,
//! beside the operator package.

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::folder::Folder;
use crate::{Error, op_package, root};

/// The lists of the folders that this command writes to: an operator package, or what it wrote
/// itself, for each architecture.
pub(crate) const LISTS: [&str; 3] =
    [op_package::LIST, ".device-kernels-dav-2201", ".device-kernels-dav-3510"];

/// Where the library goes: beside the package's own, where that looks for it.
const LIBRARIES: &str = "op_api/lib";

/// Where toolkits are installed, the newer folder first.
const INSTALLED: [&str; 2] = ["/usr/local/Ascend/cann", "/usr/local/Ascend/ascend-toolkit/latest"];

/// The architecture of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
#[non_exhaustive]
pub enum Arch {
    /// Atlas A2 and A3.
    #[default]
    #[value(name = "dav-2201")]
    Dav2201,
    /// Ascend 950.
    #[value(name = "dav-3510")]
    Dav3510,
}

impl Arch {
    const fn name(self) -> &'static str {
        match self {
            Self::Dav2201 => "dav-2201",
            Self::Dav3510 => "dav-3510",
        }
    }

    const fn list(self) -> &'static str {
        match self {
            Self::Dav2201 => LISTS[1],
            Self::Dav3510 => LISTS[2],
        }
    }
}

/// The way by which the toolkit compiles kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
#[non_exhaustive]
pub enum Route {
    /// `bisheng` where the toolkit has it, or else `ascendc_library`.
    #[default]
    #[value(name = "auto")]
    Auto,
    /// CANN 8.5 and later.
    #[value(name = "bisheng")]
    Bisheng,
    /// CANN 8.1 and later.
    #[value(name = "ascendc_library")]
    AscendcLibrary,
}

impl Route {
    const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Bisheng => "bisheng",
            Self::AscendcLibrary => "ascendc_library",
        }
    }
}

/// What is built, and by what.
#[derive(Clone, Debug, Default, clap::Args)]
#[non_exhaustive]
pub struct Options {
    /// The CANN toolkit [default: `ASCEND_HOME_PATH`, `ASCEND_TOOLKIT_HOME`, or what is installed
    /// in /usr/local/Ascend].
    #[arg(long, value_name = "DIR")]
    pub toolkit: Option<PathBuf>,
    /// The architecture.
    #[arg(long, value_enum, default_value_t)]
    pub arch: Arch,
    /// How the toolkit compiles the kernels.
    #[arg(long, value_enum, default_value_t)]
    pub route: Route,
    /// The processor that `ascendc_library` compiles for, such as Ascend910B2: that of the host.
    /// This route needs it; docs/device.md says where the name is found.
    #[arg(long, value_name = "NAME")]
    pub soc: Option<String>,
}

/// Builds the library into the folder, and returns how to use it.
///
/// # Errors
/// The folder was not made by this command, there is no toolkit or no CMake, or the library can't
/// be built.
pub fn run(root_of_tree: &Path, options: &Options) -> Result<String, Error> {
    let arch = options.arch;
    Folder::check_any(root_of_tree, &LISTS)?;
    let toolkit = toolkit(options.toolkit.as_deref(), |name| std::env::var_os(name), &INSTALLED)?;
    let library = build(&toolkit, options)?;
    let mut folder = Folder::open_any(root_of_tree, arch.list(), &LISTS)?;
    let name = format!("{LIBRARIES}/libscatter_kernels_{}.so", arch.name());
    folder.copy(&library, &name)?;
    folder.close()?;
    let whole = std::path::absolute(root_of_tree).unwrap_or_else(|_| root_of_tree.to_path_buf());
    let path = whole.join(&name);
    Ok(format!(
        "{}: the kernels for {}\n  export ACLNN_SCATTER_KERNELS={}\n  (an operator package in the same folder finds them \
         without the variable)\n",
        path.display(),
        arch.name(),
        path.display(),
    ))
}

/// The toolkit that was named, or the first that is found.
fn toolkit(
    named: Option<&Path>,
    variable: impl Fn(&str) -> Option<OsString>,
    installed: &[&str],
) -> Result<PathBuf, Error> {
    if let Some(named) = named {
        let whole = named.canonicalize().ok().filter(|path| path.is_dir());
        return whole.ok_or_else(|| Error::Usage(format!("--toolkit: no folder {}", named.display())));
    }
    let mut looked = Vec::new();
    for name in ["ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"] {
        match variable(name).filter(|value| !value.is_empty()) {
            Some(value) if Path::new(&value).is_dir() => return Ok(value.into()),
            Some(value) => looked.push(format!("{name} ({}, no folder)", Path::new(&value).display())),
            None => looked.push(format!("{name} (not set)")),
        }
    }
    for folder in installed {
        if Path::new(folder).is_dir() {
            return Ok(folder.into());
        }
        looked.push(format!("{folder} (no folder)"));
    }
    Err(Error::Failed(format!("no CANN toolkit: looked in {}; --toolkit DIR names one", looked.join(", "))))
}

/// Has CMake build the library, and returns where it is.
fn build(toolkit: &Path, options: &Options) -> Result<PathBuf, Error> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let build = target.join("device-kernels").join(options.arch.name());
    // CMake keeps the compiler and the toolkit of an earlier run, which may have been others.
    match std::fs::remove_dir_all(&build) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(Error::Failed(format!("{}: {error}", build.display())));
        }
        _ => {}
    }
    let mut defined = vec![
        ("SCATTER_ARCH", OsStr::new(options.arch.name())),
        ("SCATTER_ROUTE", OsStr::new(options.route.name())),
        ("SCATTER_NEED_DEVICE", OsStr::new("ON")),
        ("ASCEND_CANN_PACKAGE_PATH", toolkit.as_os_str()),
    ];
    if let Some(soc) = &options.soc {
        defined.push(("SCATTER_SOC", OsStr::new(soc)));
    }
    let mut configure = cmake(toolkit);
    configure.arg("-S").arg(root()).arg("-B").arg(&build);
    for (name, value) in defined {
        let mut definition = OsString::from(format!("-D{name}="));
        definition.push(value);
        configure.arg(definition);
    }
    succeed(&mut configure, "cmake")?;
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    succeed(
        cmake(toolkit).arg("--build").arg(&build).args(["--parallel", &jobs.to_string()]),
        "cmake --build",
    )?;
    let library = build.join(format!("libscatter_kernels_{}.so", options.arch.name()));
    if library.is_file() {
        Ok(library)
    } else {
        Err(Error::Failed(format!("cmake --build made no {}", library.display())))
    }
}

/// CMake, for a toolkit whose own files and compiler take it from the environment.
fn cmake(toolkit: &Path) -> Command {
    let mut command = Command::new("cmake");
    command.env("ASCEND_HOME_PATH", toolkit).stdin(Stdio::null());
    command
}

fn succeed(command: &mut Command, name: &str) -> Result<(), Error> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Error::Failed(format!("{name}: {status}; what it says is above"))),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(Error::Failed("no cmake on the PATH: CMake 3.16 or later is needed".to_owned()))
        }
        Err(error) => Err(Error::Failed(format!("{name}: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_toolkit_that_exists_is_taken() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        for name in ["named", "home", "installed"] {
            std::fs::create_dir(path(name)).unwrap();
        }
        let installed = path("installed").display().to_string();
        let home = |name: &str| (name == "ASCEND_TOOLKIT_HOME").then(|| path("home").into_os_string());
        assert_eq!(toolkit(None, home, &[&installed]), Ok(path("home")));
        assert_eq!(
            toolkit(None, |_| Some("/nowhere".into()), &["/nowhere", &installed]),
            Ok(path("installed"))
        );
        let named = toolkit(Some(&path("named")), home, &[]);
        assert_eq!(named, Ok(path("named").canonicalize().unwrap()));
        assert!(matches!(toolkit(Some(&path("none")), home, &[&installed]), Err(Error::Usage(_))));
    }

    #[test]
    fn where_a_toolkit_was_looked_for_is_told() {
        let home = |name: &str| (name == "ASCEND_HOME_PATH").then(|| "/nowhere".into());
        let Err(Error::Failed(message)) = toolkit(None, home, &["/nothing"]) else {
            panic!("no toolkit is there")
        };
        for words in [
            "ASCEND_HOME_PATH (/nowhere, no folder)",
            "ASCEND_TOOLKIT_HOME (not set)",
            "/nothing (no folder)",
            "--toolkit",
        ] {
            assert!(message.contains(words), "{message}");
        }
    }
}
