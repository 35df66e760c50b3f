//! The file of `--json`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::usage::UsageError;

/// The file for a report. It is created before the work begins, so that a path that can't be
/// written is found at once.
#[derive(Debug)]
pub struct JsonFile {
    path: PathBuf,
    file: File,
}

impl JsonFile {
    /// Creates an empty file.
    ///
    /// # Errors
    /// The file can't be created.
    pub fn create(path: &Path) -> Result<Self, UsageError> {
        let path = path.to_owned();
        match File::create(&path) {
            Ok(file) => Ok(Self { path, file }),
            Err(error) => Err(UsageError::File { file: path, error }),
        }
    }

    /// Writes the report.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn write(self, report: &impl Serialize) -> Result<(), UsageError> {
        let mut writer = BufWriter::new(self.file);
        let written = serde_json::to_writer_pretty(&mut writer, report)
            .map_err(io::Error::from)
            .and_then(|()| writeln!(writer))
            .and_then(|()| writer.flush());
        written.map_err(|error| UsageError::File { file: self.path, error })
    }
}
