//! Commands of the pages exist: packages, targets, features, examples and scripts. Options of
//! `cargo run --release --` and of `cargo xtask` are held to their parsers by unit tests of
//! `conformance` (`cli.rs`) and of `xtask` (`main.rs`).

#![allow(clippy::unwrap_used, clippy::panic)]

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process;

use book::Command;
use serde_json::Value;

/// Programs that are not of this repository.
const OTHERS: &[&str] = &[
    ".", "apt-get", "c++", "cmake", "curl", "dnf", "echo", "export", "g++", "git", "mdbook", "mkdir",
    "npu-smi", "rustup", "sed", "source", "sudo", "sh", "unset",
];

/// The workspace as cargo tells it.
fn metadata() -> Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let output = process::Command::new(cargo).args(arguments).current_dir(book::root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn array<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().unwrap()
}

/// The values of an option, which may be given several times, in both of its spellings.
fn values<'a>(words: &'a [String], names: &[&str]) -> Vec<&'a str> {
    let mut values = Vec::new();
    for (place, word) in words.iter().enumerate() {
        for name in names {
            if word == name {
                values.extend(words.get(place + 1).map(String::as_str));
            } else if let Some(value) = word.strip_prefix(&format!("{name}=")) {
                values.push(value);
            }
        }
    }
    values
}

/// What a command of cargo's names that doesn't exist.
fn absent(words: &[String], metadata: &Value) -> Option<String> {
    let words = &words[..words.iter().position(|word| word == "--").unwrap_or(words.len())];
    let subcommand = words.get(1)?.as_str();
    let known = ["bench", "build", "clippy", "doc", "fmt", "run", "test", "xtask"];
    // Of a registry, or a tool of its own: their arguments name nothing of this repository.
    let elsewhere = ["add", "deny", "fuzz", "install", "publish", "yank"];
    if !known.contains(&subcommand) && !elsewhere.contains(&subcommand) {
        return Some(format!("cargo {subcommand}"));
    }
    if subcommand == "xtask" || elsewhere.contains(&subcommand) {
        return None;
    }
    let packages = array(metadata, "packages");
    let named = values(words, &["-p", "--package"]);
    for name in &named {
        if !packages.iter().any(|package| package["name"] == *name) {
            return Some(format!("package {name}"));
        }
    }
    let chosen: Vec<&Value> = packages
        .iter()
        .filter(|package| named.is_empty() || named.iter().any(|name| package["name"] == *name))
        .collect();
    for (option, kind) in
        [("--test", "test"), ("--bench", "bench"), ("--example", "example"), ("--bin", "bin")]
    {
        for name in values(words, &[option]) {
            let is_there = |package: &&Value| {
                array(package, "targets")
                    .iter()
                    .any(|target| target["name"] == name && target["kind"][0] == kind)
            };
            if !chosen.iter().any(is_there) {
                return Some(format!("{kind} {name}"));
            }
        }
    }
    for name in values(words, &["--features", "-F"]).iter().flat_map(|list| list.split(',')) {
        let (package, feature) =
            name.split_once('/').map_or((None, name), |(package, feature)| (Some(package), feature));
        let is_there = |of: &&&Value| {
            package.is_none_or(|package| of["name"] == package) && of["features"].get(feature).is_some()
        };
        let among: Vec<&Value> = packages.iter().collect();
        if !(if package.is_some() { &among } else { &chosen }).iter().any(|of| is_there(&of)) {
            return Some(format!("feature {name}"));
        }
    }
    None
}

/// What is wrong with a command, if something is.
fn wrong(command: &Command, metadata: &Value) -> Option<String> {
    let words: Vec<String> = match command.words.first()?.as_str() {
        // `if`, `then` and `do` begin commands, which begin with the next word.
        "do" | "then" | "else" => command.words[1..].to_vec(),
        _ => command.words.clone(),
    };
    let program = words.first()?.as_str();
    let script = |path: &str, runs: bool| {
        let file = book::root().join(path);
        match file.metadata() {
            Err(_) => Some(format!("no file {path}")),
            Ok(of) if runs && of.permissions().mode() & 0o111 == 0 => {
                Some(format!("{path} is not executable"))
            }
            Ok(_) => None,
        }
    };
    match program {
        "cargo" => absent(&words, metadata),
        // Loops, of which the words after `do` are a command.
        "for" | "done" => None,
        _ if program.starts_with("python3") => words
            .get(1)
            .filter(|word| Path::new(word).extension().is_some())
            .and_then(|word| script(word, false)),
        // What the reader has just built, or a Python in a folder that the reader has named.
        _ if ["./", "/tmp/", "$", "target/", "DIRECTORY/"].iter().any(|start| program.starts_with(start)) => {
            let path = words.get(1).filter(|word| word.starts_with("tests/"));
            path.and_then(|path| script(path, false))
        }
        _ if OTHERS.contains(&program) => None,
        _ if program.contains('/') => script(program, true),
        _ => Some(format!("{program} is no program that the pages know")),
    }
}

#[test]
fn commands_exist() {
    let metadata = metadata();
    let commands = book::commands().unwrap();
    // Three longer scripts of the pages, which bash reads (`blocks.rs`): functions, loops, and
    // variables beside the commands.
    let scripts = ["docs/kernels/ascend-host.md"];
    let found: Vec<String> = commands
        .iter()
        .filter(|command| {
            command.words[0] == "cargo" || !scripts.iter().any(|page| command.place.starts_with(page))
        })
        .filter_map(|command| {
            Some(format!("{}: {}: {}", command.place, command.words.join(" "), wrong(command, &metadata)?))
        })
        .collect();
    assert!(found.is_empty(), "commands that don't exist:\n{}", found.join("\n"));
    assert!(commands.len() > 100, "only {} commands were found", commands.len());
}

#[test]
fn commands_that_do_not_exist_are_found() {
    let metadata = metadata();
    let text = "```sh\ncargo test -p scatter --test calls\ncargo test -p scatter --test none\ncargo tset\n\
        cargo run -p nobody\ncargo build -p aclnn --features host\ncargo build -p aclnn --features guest\n\
        tests/book/run\ntests/book/none\npython3 benches/none.py\ncargo test --features aclnn-scatter/none\n\
        frobnicate x\n```";
    let page = book::Page::of(Path::new("x.md"), text);
    let wrongs: Vec<String> =
        book::commands_of(&page).iter().filter_map(|command| wrong(command, &metadata)).collect();
    let expected = [
        "test none",
        "cargo tset",
        "package nobody",
        "feature guest",
        "no file tests/book/none",
        "no file benches/none.py",
        "feature aclnn-scatter/none",
        "frobnicate is no program that the pages know",
    ];
    assert_eq!(wrongs, expected);
}
