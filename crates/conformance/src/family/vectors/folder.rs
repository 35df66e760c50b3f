//! The files of vectors: embedded in the program, or in a folder.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use engines::usage::UsageError;

/// The file name of the manifest.
pub(super) const MANIFEST: &str = "manifest.json";

/// The repository's vectors, embedded so that the program runs without the repository.
const EMBEDDED: [(&str, &[u8]); 5] = [
    (MANIFEST, include_bytes!("../../../../../tests/vectors/manifest.json")),
    ("mindspore.safetensors", include_bytes!("../../../../../tests/vectors/mindspore.safetensors")),
    ("onnx.safetensors", include_bytes!("../../../../../tests/vectors/onnx.safetensors")),
    ("seeds.safetensors", include_bytes!("../../../../../tests/vectors/seeds.safetensors")),
    ("torch.safetensors", include_bytes!("../../../../../tests/vectors/torch.safetensors")),
];

/// A folder of vectors.
#[derive(Debug)]
pub(super) enum Folder<'a> {
    Embedded,
    At(&'a Path),
}

impl Folder<'_> {
    /// A file's path, for messages.
    pub(super) fn path(&self, file: &str) -> PathBuf {
        match self {
            Self::Embedded => PathBuf::from(file),
            Self::At(folder) => folder.join(file),
        }
    }

    /// A file's content.
    pub(super) fn read(&self, file: &str) -> Result<Cow<'static, [u8]>, UsageError> {
        match self {
            Self::At(_) => fs::read(self.path(file)).map(Cow::Owned),
            Self::Embedded => {
                let found = EMBEDDED.iter().find(|(name, _)| *name == file);
                found
                    .map(|(_, bytes)| Cow::Borrowed(*bytes))
                    .ok_or_else(|| std::io::ErrorKind::NotFound.into())
            }
        }
        .map_err(|error| UsageError::File { file: self.path(file), error })
    }
}
