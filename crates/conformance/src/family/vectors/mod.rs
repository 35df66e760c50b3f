//! Cases that other implementations computed: `tests/vectors`, or another folder of the same
//! format.

mod folder;
mod manifest;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use engines::case::{Case, Expected};
use engines::storage::Storage;
use engines::tensor::Tensor;
use engines::usage::{Reason, UsageError};
use scatter::{DType, Error, LayoutError, Operator};

use self::folder::{Folder, MANIFEST};
use self::manifest::{Compare, Line, Manifest, ViewLine};
use super::{Cases, Entry, Family, NotApplicable};
use crate::tensors_file::TensorsFile;

/// The cases of the repository's vectors, or of those in the folder `path`: each out of place and
/// in place.
pub(crate) fn load(path: Option<&Path>) -> Result<Cases, UsageError> {
    let folder = path.map_or(Folder::Embedded, Folder::At);
    let manifest = folder.path(MANIFEST);
    let lines = lines(&folder.read(MANIFEST)?).map_err(|problem| problem.of(&manifest))?;

    let mut contents: BTreeMap<&str, Cow<'_, [u8]>> = BTreeMap::new();
    for Line { file, .. } in &lines {
        if !contents.contains_key(file.as_str()) {
            contents.insert(file, folder.read(file)?);
        }
    }
    let mut files = BTreeMap::new();
    for (file, bytes) in &contents {
        let opened = TensorsFile::new(file, bytes).map_err(|problem| problem.of(folder.path(file)))?;
        files.insert(*file, opened);
    }

    let mut cases = Cases::default();
    for line in &lines {
        if let Some(file) = files.get(line.file.as_str()) {
            let into = case(line, file).map_err(|problem| problem.in_case(&line.name).of(&manifest))?;
            add(&mut cases, into);
        }
    }
    Ok(cases)
}

fn lines(manifest: &[u8]) -> Result<Vec<Line>, Reason> {
    let Manifest { format, cases } = serde_json::from_slice(manifest)?;
    if format != 1 {
        return Err(Reason::Format(format));
    }
    let mut names = HashSet::new();
    match cases.iter().find(|case| !names.insert(&case.name)) {
        Some(again) => Err(Reason::TwoOfAName.in_case(&again.name)),
        None => Ok(cases),
    }
}

/// The case of a line of the manifest, out of place; where the operator takes no self, the tensor
/// of that name is out.
fn case(line: &Line, file: &TensorsFile<'_>) -> Result<Case, Reason> {
    let (dtype, index_dtype) = line.dtypes()?;
    let op = line.op()?;
    let self_ = view("self", &line.self_, file, dtype)?;
    let index = view("index", &line.index, file, index_dtype)?;
    let out_shape = if op.operator().signature().gathers { &index.shape } else { &self_.shape };
    if line.expected.shape != *out_shape {
        return Err(Reason::ExpectedShape { out: out_shape.clone(), got: line.expected.shape.clone() });
    }
    let count: usize = out_shape.iter().product();
    let elements = flat(&line.expected.tensor, count, file, dtype)?;
    let expected = match &line.compare {
        Compare::Bits => Expected::Elements(elements),
        Compare::Bound { .. } if Storage::zeroed(dtype, 1).parts(0).is_none() => {
            return Err(Reason::BoundDType(dtype));
        }
        Compare::Bound { tensor } => {
            Expected::Within { elements, bound: flat(tensor, count, file, DType::F64)? }
        }
    };
    Ok(Case {
        name: line.name.clone(),
        op,
        src: line.src.as_ref().map(|src| view("src", src, file, dtype)).transpose()?,
        out: (op.operator().signature().has_self).then(|| Tensor::filler(dtype, out_shape)),
        self_,
        index,
        claim: None,
        expected,
    })
}

/// The storage of a tensor with one axis of this size.
fn flat(name: &str, count: usize, file: &TensorsFile<'_>, dtype: DType) -> Result<Storage, Reason> {
    let storage = file.storage(name, dtype)?;
    if storage.len() == count {
        return Ok(storage);
    }
    let (name, got) = (name.to_owned(), vec![storage.len()]);
    Err(Reason::TensorShape { name, expected: format!("one axis of {count}"), got })
}

fn view(
    argument: &'static str,
    line: &ViewLine,
    file: &TensorsFile<'_>,
    dtype: DType,
) -> Result<Tensor, Reason> {
    let ViewLine { tensor, shape, strides, offset } = line;
    let tensor = Tensor {
        storage: file.storage(tensor, dtype)?,
        shape: shape.clone(),
        strides: strides.clone(),
        offset: *offset,
    };
    match tensor.layout() {
        // More axes than the contract allows are no error of the file; `add` asks the library about
        // them.
        Ok(_) | Err(LayoutError::Rank { .. }) => Ok(tensor),
        Err(error) => Err(Reason::Layout { argument, error }),
    }
}

/// Adds a case and, unless it gathers, its in-place form, if they are not outside the contract.
fn add(cases: &mut Cases, into: Case) {
    let signature = into.op.operator().signature();
    let has_in_place = !signature.gathers && signature.has_self;
    let in_place = has_in_place.then(|| ("in-place", Case { out: None, ..into.clone() }));
    for (place, mut case) in [("into", into)].into_iter().chain(in_place) {
        case.name = format!("{}/{}/{place}", Family::Vectors, case.name);
        match beyond_the_contract(&mut case) {
            None => cases.entries.push(Entry::of(Family::Vectors, case)),
            Some(error) => cases.not_applicable.push(NotApplicable {
                family: Family::Vectors,
                operator: case.op.operator(),
                dtype: case.dtype(),
                reason: reason(&error, case.op.operator()),
                what: case.name,
            }),
        }
    }
}

/// The error that puts a call outside the contract: more than eight axes, or in place a self whose
/// elements share memory. With any other error the case is kept, so that running it reports the
/// refusal.
fn beyond_the_contract(case: &mut Case) -> Option<Error> {
    case.call()
        .problem()
        .err()
        .filter(|error| matches!(error, Error::SelfOverlap { .. } | Error::Rank { .. }))
}

/// The text of an error without the operator, which reports name elsewhere.
fn reason(error: &Error, operator: Operator) -> String {
    let text = error.to_string();
    text.strip_prefix(&format!("{operator}: ")).map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repositorys_vectors_are_all_there() {
        let cases = load(None).unwrap();
        // One vector per line, each out of place and, where the operator can be, in place.
        let manifest = Folder::Embedded.read(MANIFEST).unwrap();
        let manifest = String::from_utf8_lossy(&manifest);
        let lines = || manifest.lines().filter(|line| line.starts_with("{\"name\":"));
        let never_in_place = |line: &&str| {
            ["gather", "embedding_backward"].iter().any(|op| line.contains(&format!("\"op\":\"{op}\"")))
        };
        let once = lines().filter(never_in_place).count();
        assert!(lines().count() >= 3000 && once >= 200, "{once} of {}", lines().count());
        assert_eq!(cases.entries.len() + cases.not_applicable.len(), 2 * lines().count() - once);
        for NotApplicable { reason, what, .. } in cases.not_applicable {
            assert!(reason.starts_with("out: elements that don't overlap expected"), "{what}: {reason}");
        }
    }
}
