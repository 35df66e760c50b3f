//! The files of `--json` and `--html`.

use std::fs::{File, Metadata};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::MetadataExt as _;
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
        let file = Self::open(path)?;
        file.empty()?;
        Ok(file)
    }

    /// Creates empty files; none of them is emptied if another can't be.
    ///
    /// # Errors
    /// A file can't be created, or two paths are those of one file.
    pub fn create_two([first, second]: [Option<&Path>; 2]) -> Result<[Option<Self>; 2], UsageError> {
        let first = first.map(Self::open).transpose()?;
        let second = second.map(Self::open).transpose()?;
        if let (Some(first), Some(second)) = (&first, &second)
            && first.identity().is_some_and(|identity| second.identity() == Some(identity))
        {
            let error = io::Error::other("two different files expected for two reports");
            return Err(UsageError::File { file: second.path.clone(), error });
        }
        first.iter().chain(&second).try_for_each(Self::empty)?;
        Ok([first, second])
    }

    fn open(path: &Path) -> Result<Self, UsageError> {
        let path = path.to_owned();
        match File::options().write(true).create(true).truncate(false).open(&path) {
            Ok(file) => Ok(Self { path, file }),
            Err(error) => Err(UsageError::File { file: path, error }),
        }
    }

    /// The numbers of the file system and of the file; none of a device or a pipe.
    fn identity(&self) -> Option<[u64; 2]> {
        let metadata = self.file.metadata().ok().filter(Metadata::is_file)?;
        Some([metadata.dev(), metadata.ino()])
    }

    /// Removes what the file has, unless it is a device or a pipe.
    fn empty(&self) -> Result<(), UsageError> {
        let emptied = if self.identity().is_some() { self.file.set_len(0) } else { Ok(()) };
        emptied.map_err(|error| UsageError::File { file: self.path.clone(), error })
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
