//! Compiles and runs a program.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::{machine, tree};

/// The libraries that programs for CANN are linked with.
pub(crate) const USUAL: [&str; 3] = ["-lascendcl", "-lnnopbase", "-lopapi"];

/// The time after which a program counts as hanging.
const PATIENCE: Duration = Duration::from_secs(300);

/// The folder of the programs.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs")
}

/// Removes the variables of CANN and of our libraries, which may be set in this process, from a
/// command's environment.
pub(crate) fn forget_cann(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if ["ASCEND_", "ACLNN_", "HOST_CANN_"].iter().any(|ours| text.starts_with(ours)) {
            command.env_remove(&name);
        }
    }
}

/// Runs the compiler of a file's language with the options of all programs and with these.
fn run_compiler<'a>(file: &Path, options: impl IntoIterator<Item = &'a str>) -> Result<(), String> {
    let (variable, standard) = match file.extension().and_then(|ending| ending.to_str()) {
        Some("c") => ("CC", "-std=c11"),
        _ => ("CXX", "-std=c++17"),
    };
    let output = machine::compile(variable)
        .args([standard, "-g", "-pthread", "-Wall", "-Wextra", "-Werror"])
        .arg(format!("-I{}", tree::path().join("include").display()))
        .args(options)
        .output()
        .expect("the tests need a C and a C++ compiler");
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// The object file of a file of the folder, which is compiled once for all tests that run here:
/// several link the same one.
fn object(file: &str) -> PathBuf {
    static OBJECTS: Mutex<BTreeMap<String, Arc<OnceLock<PathBuf>>>> = Mutex::new(BTreeMap::new());
    let object = Arc::clone(OBJECTS.lock().unwrap().entry(file.to_owned()).or_default());
    let compile = || {
        // With the options in its name: another process of these tests may have others.
        let name = format!("{file}{}.o", machine::options().replace([' ', '/'], ""));
        let (source, path) = (folder().join(file), tree::temporary().join(name));
        // Under another name until it is whole: such a process may be linking the one of before.
        let new = tempfile::tempdir_in(tree::temporary()).unwrap();
        let output = new.path().join("object");
        let options = ["-c", source.to_str().unwrap(), "-o", output.to_str().unwrap()];
        run_compiler(&source, options).unwrap_or_else(|words| panic!("{file} doesn't compile:\n{words}"));
        fs::rename(output, &path).unwrap();
        path
    };
    object.get_or_init(compile).clone()
}

/// A compiled program.
#[derive(Debug)]
pub(crate) struct Program {
    folder: TempDir,
}

/// The output of a program that succeeded.
#[derive(Debug)]
pub(crate) struct Run {
    /// The standard output.
    pub(crate) printed: String,
    /// The standard error.
    pub(crate) told: String,
}

impl Program {
    /// Compiles a file of the folder, with warnings as errors.
    pub(crate) fn compile(file: &str, libraries: &[&str]) -> Self {
        let linked = Self::build(Path::new(file), &object(file), libraries);
        linked.unwrap_or_else(|words| panic!("{file} doesn't link:\n{words}"))
    }

    /// Compiles a text as C++.
    pub(crate) fn compile_text(text: &str, libraries: &[&str]) -> Result<Self, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("text.cpp");
        fs::write(&file, text).unwrap();
        Self::build(&file, &file, libraries)
    }

    /// Compiles and links `input`: the source file itself, or its object file. `file` tells the
    /// language.
    fn build(file: &Path, input: &Path, libraries: &[&str]) -> Result<Self, String> {
        let folder = tempfile::tempdir_in(tree::temporary()).unwrap();
        let input = input.to_str().unwrap();
        let output = folder.path().join("program");
        let search = format!("-L{}", tree::path().join("lib64").display());
        let output = ["-o", output.to_str().unwrap()];
        run_compiler(file, [input, &search].into_iter().chain(libraries.iter().copied()).chain(output))?;
        Ok(Self { folder })
    }

    /// The path of the program.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("program")
    }

    /// Runs the program, which must succeed, with additional environment variables.
    pub(crate) fn run(&self, variables: &[(&str, &str)]) -> Run {
        self.run_with(|command| {
            command.envs(variables.iter().copied());
        })
    }

    /// Runs the program, which must succeed, after `change` has adapted its command.
    pub(crate) fn run_with(&self, change: impl FnOnce(&mut Command)) -> Run {
        self.try_run(change).unwrap_or_else(|words| panic!("{words}"))
    }

    /// Runs the program with all symbols bound at its start, and without CANN's variables of this
    /// process.
    pub(crate) fn try_run(&self, change: impl FnOnce(&mut Command)) -> Result<Run, String> {
        let mut command = machine::run(&self.path());
        forget_cann(&mut command);
        command.env("LD_BIND_NOW", "1").env("LD_LIBRARY_PATH", tree::path().join("lib64"));
        change(&mut command);
        // The output goes to files, so that a full pipe can never block the program.
        let out = tempfile::tempdir_in(self.folder.path()).unwrap();
        let (printed, told) = (out.path().join("printed"), out.path().join("told"));
        command.stdout(File::create(&printed).unwrap()).stderr(File::create(&told).unwrap());
        let mut child = command.spawn().unwrap();
        let end = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Ok(status);
            }
            if Instant::now() > end {
                child.kill().unwrap();
                child.wait().unwrap();
                break Err(format!("ended after {PATIENCE:?}"));
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let run =
            Run { printed: fs::read_to_string(printed).unwrap(), told: fs::read_to_string(told).unwrap() };
        match status {
            Ok(status) if status.success() => Ok(run),
            Ok(status) => Err(format!("{status}\n{}{}", run.printed, run.told)),
            Err(words) => Err(format!("{words}\n{}{}", run.printed, run.told)),
        }
    }
}
