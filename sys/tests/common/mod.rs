//! What the tests with a C compiler share.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The headers' folder.
pub(crate) fn include() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("include")
}

/// All headers as includes name them.
pub(crate) fn headers() -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![include()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(include()).unwrap().display().to_string());
            }
        }
    }
    found.sort();
    found
}

/// A language and how its compiler is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    C11,
    Cpp17,
}

impl Language {
    /// The compiler: `CC` or `CXX`, else the system's.
    pub(crate) fn command(self) -> Command {
        let (variable, usual, arguments) = match self {
            Self::C11 => ("CC", "cc", ["-std=c11", "-xc"]),
            Self::Cpp17 => ("CXX", "c++", ["-std=c++17", "-xc++"]),
        };
        let named = std::env::var(variable).unwrap_or_else(|_| usual.to_owned());
        let mut words = named.split_whitespace();
        let mut command = Command::new(words.next().unwrap_or(usual));
        command.args(words).args(arguments);
        command
    }
}

/// Runs a compiler on a source and returns what it printed; its messages are the error.
pub(crate) fn compile(language: Language, source: &str, arguments: &[&str]) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("source.txt");
    fs::write(&file, source).unwrap();
    let output = language
        .command()
        .args(arguments)
        .arg(&file)
        .output()
        .expect("the tests need a C and a C++ compiler");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() { Ok(text) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// Only checks, with every warning an error.
pub(crate) fn check(language: Language, source: &str) -> Result<String, String> {
    let include = format!("-I{}", include().display());
    compile(language, source, &["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", &include])
}

/// A library of a C source, in a folder.
pub(crate) fn library(folder: &Path, name: &str, source: &str) -> PathBuf {
    let path = folder.join(name);
    let include = format!("-I{}", include().display());
    let out = path.display().to_string();
    compile(Language::C11, source, &["-shared", "-fPIC", &include, "-o", &out]).unwrap();
    path
}

/// Every integer constant of the bindings, by name, as committed.
pub(crate) fn constants() -> BTreeMap<String, i128> {
    let mut found = BTreeMap::new();
    for line in include_str!("../../src/generated/bindings.rs").lines() {
        let Some(rest) = line.strip_prefix("pub const ") else { continue };
        let (name, rest) = rest.split_once(": ").unwrap();
        let (_, value) = rest.split_once(" = ").unwrap();
        let value = value.trim_end_matches(';').trim_end_matches(')').rsplit('(').next().unwrap();
        found.insert(name.to_owned(), value.parse().unwrap_or_else(|_| panic!("{line}")));
    }
    assert!(found.len() > 400, "{} constants", found.len());
    found
}

/// A struct or union: size, alignment, and the offset of each field.
pub(crate) struct Layout {
    pub(crate) name: &'static str,
    pub(crate) size: usize,
    pub(crate) align: usize,
    pub(crate) fields: Vec<(&'static str, usize)>,
}

/// The layout of every struct of the bindings.
pub(crate) fn layouts() -> Vec<Layout> {
    macro_rules! layouts {
        ($($name:ident { $($field:ident),* })*) => {
            vec![$(Layout {
                name: stringify!($name),
                size: size_of::<aclnn_sys::$name>(),
                align: align_of::<aclnn_sys::$name>(),
                fields: vec![$((stringify!($field), std::mem::offset_of!(aclnn_sys::$name, $field))),*],
            }),*]
        };
    }
    layouts! {
        aclrtMallocAttrValue { moduleId, deviceId, vaFlag, rsv }
        aclrtMallocAttribute { attr, value }
        aclrtMallocConfig { attrs, numAttrs }
        aclrtStreamAttrValue { failureMode, overflowSwitch, userCustomTag, cacheOpInfoSwitch, streamPriority, reserve }
        aclrtUtilizationInfo { cubeUtilization, vectorUtilization, aicpuUtilization, memoryUtilization, utilizationExtend }
        aclrtMemUsageInfo { name, curMemSize, memPeakSize, reserved }
        aclrtMemLocation { id, type_ }
        aclrtPtrAttributes { location, pageSize, rsv }
        aclrtPhysicalMemProp { handleType, allocationType, memAttr, location, reserve }
        aclrtIpcEventHandle { reserved }
        aclrtMemUceInfo { addr, len, reserved }
        aclrtMemUceInfoArray { arraySize, memUceInfoArray }
        aclrtErrorInfoDetail { uceInfo, aicoreErrType }
        aclrtErrorInfo { tryRepair, hasDetail, reserved, errorType, detail }
        aclCANNPackageVersion { version, majorVersion, minorVersion, releaseVersion, patchVersion, reserved }
        aclmdlIODims { name, dimCount, dims }
        aclmdlBatch { batchCount, batch }
        aclmdlHW { hwCount, hw }
        aclnnScatterStatusInfo { code, rank, position, value, size, opName }
        hostcannRange { argument, address, bytes, isWritten, memory }
        hostcannExecutorCalls { setRepeatable, setAddress, destroy }
        hostcannExtension { version, size, registerExecutor, unregisterExecutor, failStream, readScalar, noteError, launchHostFunc, holdMemory, readTensorList, readIntArray, injectFault }
    }
}

/// `static_assert`s that sizes and offsets in C++ are those of Rust, for the names that pass.
pub(crate) fn layout_asserts(known: impl Fn(&str) -> bool) -> String {
    let mut source = String::from("#include <cstddef>\n");
    for layout in layouts().iter().filter(|layout| known(layout.name)) {
        let Layout { name, size, align, fields } = layout;
        source +=
            &format!("static_assert(sizeof({name}) == {size} && alignof({name}) == {align}, \"{name}\");\n");
        for (field, offset) in fields {
            let field = field.trim_end_matches('_');
            if known(field) {
                source +=
                    &format!("static_assert(offsetof({name}, {field}) == {offset}, \"{name}.{field}\");\n");
            }
        }
    }
    source
}

/// Every prototype of the headers, by name, as a C++ `typedef` of the function's type called
/// `type_<name>`.
pub(crate) fn prototypes() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for header in headers() {
        let text = code(&fs::read_to_string(include().join(header)).unwrap());
        for part in text.split(';') {
            let mark =
                ["ACL_FUNC_VISIBILITY ", "ACLNN_API "].into_iter().find_map(|mark| part.split_once(mark));
            let Some((_, declaration)) = mark else { continue };
            let declaration = declaration.split_whitespace().collect::<Vec<_>>().join(" ");
            let (head, parameters) = declaration.split_once('(').unwrap();
            let name = head.rsplit([' ', '*']).next().unwrap();
            let result = &head[..head.len() - name.len()];
            found.insert(name.to_owned(), format!("typedef {result}type_{name}({parameters};"));
        }
    }
    found
}

/// A header without its comments and directives.
fn code(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((code, comment)) = rest.split_once("/*") {
        out.push_str(code);
        rest = comment.split_once("*/").unwrap().1;
    }
    out.push_str(rest);
    out.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect()
}
