//! `conformance run` on a user's files.

use std::fs;
use std::path::Path;

use crate::files::safetensors;
use crate::program::{complaint, conformance};

/// Writes a file of self `[1, 2, 3]`, index `[0, -3]` and src `[4, 4]`, whose `scatter_add` is
/// `[9, 2, 3]`.
pub(crate) fn own_tensors(path: &Path, expected: Option<[f32; 3]>, metadata: &[(&str, &str)]) -> String {
    let mut tensors = vec![
        ("self", "F32", vec![3], bytes(&[1.0, 2.0, 3.0])),
        ("index", "I64", vec![2], [0_i64, -3].iter().flat_map(|value| value.to_le_bytes()).collect()),
        ("src", "F32", vec![2], bytes(&[4.0, 4.0])),
    ];
    tensors.extend(expected.map(|expected| ("expected", "F32", vec![3], bytes(&expected))));
    let file = path.join("own.safetensors");
    fs::write(&file, safetensors(&tensors, metadata)).unwrap();
    file.to_str().unwrap().to_owned()
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn own_tensors_are_run_on_every_engine() {
    let folder = tempfile::tempdir().unwrap();
    let file = own_tensors(folder.path(), Some([9.0, 2.0, 3.0]), &[]);
    let (code, out, _) = conformance(&["run", &file, "--dim", "0"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.starts_with("scatter_add(dim = 0): self f32 [3], index i64 [2], src f32 [2]"), "{out}");
    assert!(
        out.contains("cpu, 1 thread: the same, bit for bit") && out.contains("compared with the file's"),
        "{out}"
    );

    // The file's metadata applies, but options take precedence.
    let file = own_tensors(
        folder.path(),
        Some([4.0, 2.0, 3.0]),
        &[("op", "scatter_reduce"), ("dim", "-1"), ("reduce", "max")],
    );
    let (code, out, _) = conformance(&["run", &file, "--engine", "cpu"]);
    assert_eq!(code, 0, "{out}");
    assert!(
        out.starts_with("scatter_reduce(dim = -1, reduce = max)") && !out.contains("reference,"),
        "{out}"
    );
    let (code, out, _) = conformance(&["run", &file, "--reduce", "add", "--exclude-self"]);
    assert_eq!(code, 1, "{out}");
    assert!(out.starts_with("scatter_reduce(dim = -1, reduce = add, include_self = false)"), "{out}");
    assert!(out.contains("out[0] (element 3 of the storage): expected 4.0 (0x40800000), got 8.0"), "{out}");
    let (code, out, _) = conformance(&[
        "run",
        &own_tensors(folder.path(), None, &[]),
        "--op",
        "scatter_value",
        "--dim",
        "0",
        "--value",
        "-1.5",
    ]);
    assert_eq!(code, 0, "{out}");
    assert!(out.starts_with("scatter_value(dim = 0, value = -1.5, reduce = none)"), "{out}");
}

#[test]
fn integers_of_more_than_64_bits_are_run_where_there_is_a_type_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = own_tensors(folder.path(), None, &[]);
    for (value, is_taken) in
        [("99999999999999999999", false), ("-9223372036854775809", false), ("18446744073709551615", true)]
    {
        let call = ["run", &file, "--op", "scatter_value", "--dim", "0", "--value", value];
        let (code, out, _) = conformance(&call);
        assert_eq!(code, 0, "{out}");
        let not = "c-abi: not applicable: an aclScalar holds integers of up to 64 bits";
        assert_eq!(out.contains(not), !is_taken, "{out}");
        assert!(out.contains("cpu, 1 thread: the same, bit for bit"), "{out}");
    }
}

#[test]
fn own_tensors_that_do_not_go_together_are_refused_on_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = own_tensors(folder.path(), Some([9.0, 2.0, 3.0]), &[]);
    for (arguments, told) in [
        (&["--dim", "1"][..], "own.safetensors: refused: scatter_add: dim: -1 to below 1 expected, got 1"),
        (&[], "own.safetensors: dim is missing"),
        (&["--dim", "0", "--reduce", "add"], "reduce does not go with scatter_add"),
        (&["--dim", "0", "--reduce", "mul"], "unknown reduce \"mul\""),
        (&["--dim", "0", "--dtype", "complex64"], "tensor \"self\" has shape [3], expected two parts"),
        (&["--dim", "0", "--dtype", "i8"], "tensor \"self\" has dtype f32, expected i8"),
        (&["--dim", "0", "--engine", "npu"], "unknown engine"),
        (
            &["--op", "index_put", "--axes", "1,0"],
            "\"1,0\" is not a list of axes below 8, each above the one",
        ),
        (&["--op", "scatter_value", "--dim", "0", "--value", "much"], "\"much\" is not a number"),
    ] {
        let complaint = complaint(&[&["run", &file], arguments].concat());
        assert!(complaint.contains(told), "{arguments:?}: {complaint}");
    }
    let file = own_tensors(folder.path(), None, &[]);
    let gradient = ["run", &file, "--op", "scatter_src_grad", "--dim", "0"];
    assert_eq!(conformance(&gradient).0, 0);
    let complaint_of_one = complaint(&[&gradient[..], &["--engine", "c-abi"]].concat());
    assert!(complaint_of_one.contains("no case can be run on c-abi (the C ABI has no"), "{complaint_of_one}");
    let (short, bad) = (folder.path().join("short.safetensors"), folder.path().join("bad.safetensors"));
    fs::write(&short, &fs::read(&file).unwrap()[..90]).unwrap();
    assert!(complaint(&["run", short.to_str().unwrap(), "--dim", "0"]).contains("short.safetensors: "));
    fs::write(&bad, safetensors(&[("self", "F32", vec![3], bytes(&[0.0; 3]))], &[])).unwrap();
    assert!(complaint(&["run", bad.to_str().unwrap(), "--dim", "0"]).contains("no tensor \"index\" in "));
    assert!(complaint(&["run", "no-such-file"]).contains("no-such-file: "));
}
