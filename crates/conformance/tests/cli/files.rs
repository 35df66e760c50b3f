//! Files for the tests to run and to corrupt: a small folder of vectors, and safetensors files.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// A folder of two vectors with `[1, 2, 3]` and `[4, 4]` at `[0, -3]`: a sum and a maximum.
pub(crate) struct Folder(TempDir);

impl Folder {
    /// A valid folder.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let floats =
            |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
        let index = [0_i64, -3].iter().flat_map(|value| value.to_le_bytes()).collect();
        let tensors = [
            ("self", "F32", vec![3], floats(&[1.0, 2.0, 3.0])),
            ("index", "I64", vec![2], index),
            ("src", "F32", vec![2], floats(&[4.0, 4.0])),
            ("expected", "F32", vec![3], floats(&[9.0, 2.0, 3.0])),
            ("largest", "F32", vec![3], floats(&[4.0, 2.0, 3.0])),
        ];
        fs::write(folder.path().join("sum.safetensors"), safetensors(&tensors, &[])).unwrap();
        let case = |name: &str, op: &str, expected: &str| {
            let view = |tensor, size| {
                format!(r#"{{"tensor":"{tensor}","shape":[{size}],"strides":[1],"offset":0}}"#)
            };
            format!(
                r#"{{"name":"{name}","file":"sum.safetensors","op":{op},"dtype":"f32","index_dtype":"i64","self":{},"index":{},"src":{},"expected":{{"tensor":"{expected}","shape":[3]}},"compare":{{"kind":"bits"}}}}"#,
                view("self", 3),
                view("index", 2),
                view("src", 2),
            )
        };
        let sum = case("sum", r#""scatter_add","dim":0"#, "expected");
        let max = case("max", r#""scatter","dim":-1,"reduce":"max""#, "largest");
        let manifest = format!("{{\n\"format\": 1,\n\"cases\": [\n{sum},\n{max}\n]\n}}\n");
        fs::write(folder.path().join("manifest.json"), manifest).unwrap();
        Self(folder)
    }

    /// The path of the folder.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Replaces the first `from` in a file with `to`.
    pub(crate) fn edit(&self, file: &str, from: &str, to: &str) {
        let path = self.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "no {from} in {text}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
    }

    /// Cuts off the last bytes of a file.
    pub(crate) fn truncate(&self, file: &str) {
        let path = self.path().join(file);
        let bytes = fs::read(&path).unwrap();
        fs::write(path, &bytes[..bytes.len() - 5]).unwrap();
    }
}

/// The bytes of a safetensors file of these tensors, each given by name, dtype, shape and bytes.
pub(crate) fn safetensors(
    tensors: &[(&str, &str, Vec<usize>, Vec<u8>)],
    metadata: &[(&str, &str)],
) -> Vec<u8> {
    let (mut header, mut data) = (Map::new(), Vec::new());
    if !metadata.is_empty() {
        let metadata: Map<_, _> =
            metadata.iter().map(|&(name, value)| (name.to_owned(), Value::from(value))).collect();
        header.insert("__metadata__".to_owned(), metadata.into());
    }
    for (name, dtype, shape, bytes) in tensors {
        let span = [data.len(), data.len() + bytes.len()];
        header.insert((*name).to_owned(), json!({ "dtype": dtype, "shape": shape, "data_offsets": span }));
        data.extend(bytes);
    }
    let header = Value::from(header).to_string();
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &data].concat()
}
