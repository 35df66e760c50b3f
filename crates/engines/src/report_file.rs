//! The files of `--json` and `--html`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::usage::UsageError;

/// The file for a report. It is created before the work begins, so that a path that can't be
/// written is found at once.
#[derive(Debug)]
pub struct ReportFile {
    path: PathBuf,
    file: File,
}

impl ReportFile {
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

    /// Writes the report as JSON.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn write_json(self, report: &impl Serialize) -> Result<(), UsageError> {
        self.write(|writer| {
            serde_json::to_writer_pretty(&mut *writer, report).map_err(io::Error::from)?;
            writeln!(writer)
        })
    }

    /// Writes a report that is text already.
    ///
    /// # Errors
    /// The file can't be written.
    pub fn write_text(self, report: &str) -> Result<(), UsageError> {
        self.write(|writer| writer.write_all(report.as_bytes()))
    }

    fn write(self, content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), UsageError> {
        let mut writer = BufWriter::new(self.file);
        let written = content(&mut writer).and_then(|()| writer.flush());
        written.map_err(|error| UsageError::File { file: self.path, error })
    }
}
