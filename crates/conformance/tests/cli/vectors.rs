//! `--vectors`: folders that pass, that have a difference, and that are corrupt.

use std::fs;

use serde_json::Value;

use crate::files::Folder;
use crate::program::{complaint, conformance};

#[test]
fn a_folder_of_vectors_is_read_like_the_programs_own() {
    let folder = Folder::new();
    let vectors = folder.path().to_str().unwrap();
    let (code, out, _) = conformance(&["--vectors", vectors, "--filter", "vectors/"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("cpu        vectors          4        4       0"), "{out}");
}

#[test]
fn a_difference_is_reported_with_its_replay() {
    let folder = Folder::new();
    folder.edit("manifest.json", "\"tensor\":\"expected\"", "\"tensor\":\"self\"");
    let vectors = folder.path().to_str().unwrap();
    let json = folder.path().join("report.json");
    let json = json.to_str().unwrap();
    let arguments =
        ["--engine", "reference,cpu", "--vectors", vectors, "--filter", "vectors/", "--json", json];
    let (code, out, _) = conformance(&arguments);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("4 failed; the smallest:\n  vectors/sum/in-place on reference"), "{out}");
    assert!(out.contains("expected 1.0 (0x3f800000), got 9.0 (0x41100000); 1 of"), "{out}");
    let replay = out.lines().last().unwrap().trim().to_owned();
    let report: Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
    let failures = report["failures"].as_array().unwrap();
    assert_eq!((failures.len(), &report["failed"]), (4, &Value::from(4)));
    assert!(failures.iter().any(|failure| failure["replay"] == replay.as_str()), "{replay}");
    assert!(failures.iter().all(|failure| failure["coordinates"] == serde_json::json!([0])));

    // The printed command without `cargo run` and the shell's quotes.
    let printed = replay.strip_prefix("cargo run --release -- ").unwrap().replace('\'', "");
    let (code, out, _) = conformance(&printed.split(' ').collect::<Vec<_>>());
    assert_eq!(code, 1);
    assert!(out.contains("1 failed; the smallest:\n  vectors/sum/in-place on reference"), "{out}");
}

#[test]
fn broken_vectors_are_told_with_file_and_case() {
    let break_one = |change: &dyn Fn(&Folder)| {
        let folder = Folder::new();
        change(&folder);
        complaint(&["--vectors", folder.path().to_str().unwrap()])
    };
    for (from, to, told) in [
        ("{\n\"format\"", "\"format\"", "manifest.json: invalid type: string"),
        ("\"format\": 1", "\"format\": 2", "manifest.json: format 2 is not known"),
        (
            "\"op\":\"scatter_add\"",
            "\"op\":\"scatter_sub\"",
            "manifest.json: case sum: op: \"scatter_sub\" is not",
        ),
        ("\"dim\":0,", "", "manifest.json: case sum: dim is missing"),
        ("\"dim\":0,", "\"dim\":0,\"value\":{\"int\":1},", "case sum: value does not go with scatter_add"),
        (
            "\"scatter_add\",\"dim\":0,",
            "\"index_put\",\"axes\":[0,0],",
            "case sum: axes: \"[0, 0]\" is not a list of axes below 8, each above the one before",
        ),
        ("\"dim\":0,", "\"dim\":0,\"axes\":[9],", "case sum: axes: \"[9]\" is not a list of axes below 8"),
        ("\"dim\":0,", "\"dim\":0,\"axes\":[0],", "case sum: axes does not go with scatter_add"),
        (
            "\"tensor\":\"expected\"",
            "\"tensor\":\"src\"",
            "case sum: tensor \"src\" has shape [2], expected one axis of 3",
        ),
        (
            "\"tensor\":\"src\"",
            "\"tensor\":\"nothing\"",
            "case sum: no tensor \"nothing\" in sum.safetensors",
        ),
        (
            "\"tensor\":\"src\"",
            "\"tensor\":\"index\"",
            "case sum: tensor \"index\" has dtype i64, expected f32",
        ),
        ("\"dtype\":\"f32\"", "\"dtype\":\"f31\"", "case sum: dtype: \"f31\" is not a dtype"),
        (
            "\"shape\":[2],\"strides\":[1]",
            "\"shape\":[2],\"strides\":[3]",
            "elements 0 to 3 of the storage are addressed",
        ),
        (
            "\"shape\":[2],\"strides\":[1]",
            "\"shape\":[2],\"strides\":[1,1]",
            "1 strides expected, one per axis, got 2",
        ),
        (
            "\"shape\":[3]}",
            "\"shape\":[2]}",
            "case sum: expected has shape [2], which is not the result's [3]",
        ),
        ("\"name\":\"max\"", "\"name\":\"sum\"", "case sum: there are two cases of this name"),
        ("\"file\":\"sum.safetensors\"", "\"file\":\"mum.safetensors\"", "mum.safetensors: "),
        (
            "\"kind\":\"bits\"",
            "\"kind\":\"bound\",\"tensor\":\"self\"",
            "tensor \"self\" has dtype f32, expected f64",
        ),
    ] {
        let complaint = break_one(&|folder| folder.edit("manifest.json", from, to));
        assert!(complaint.contains(told), "{from} as {to}: {complaint}");
    }
    let truncated = break_one(&|folder| folder.truncate("sum.safetensors"));
    assert!(truncated.contains("sum.safetensors: "), "{truncated}");
    let gone = break_one(&|folder| fs::remove_file(folder.path().join("sum.safetensors")).unwrap());
    assert!(gone.contains("sum.safetensors: "), "{gone}");
}
