//! A folder that a command lays out, and may lay out again.
//!
//! A file in it lists the others that were written. Only a folder that is new, empty or has that
//! file is written to, and only files of the list are removed, so that no other files are lost.

use std::collections::BTreeSet;
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Component, Path, PathBuf};

use crate::Error;

/// A folder that is being laid out.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
    list: &'static str,
    files: BTreeSet<String>,
}

impl Folder {
    /// Refuses a path that is not a folder of this kind and can't become one; nothing is changed.
    pub(crate) fn check(root: &Path, list: &str) -> Result<(), Error> {
        let usage = |words: &str| Err(Error::Usage(format!("{}: {words}", root.display())));
        if root.as_os_str().is_empty() {
            return Err(Error::Usage("the name of the folder is empty".to_owned()));
        }
        let mut entries = match fs::read_dir(root) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return usage(&error.to_string()),
        };
        if entries.next().is_some() && !root.join(list).is_file() {
            return usage("not empty, and not laid out by this command; it is left as it is");
        }
        Ok(())
    }

    /// As [`Folder::check`], but a folder of any of several lists will do.
    pub(crate) fn check_any(root: &Path, lists: &[&str]) -> Result<(), Error> {
        let one = lists.iter().find(|list| root.join(list).is_file()).or(lists.first());
        one.map_or(Ok(()), |list| Self::check(root, list))
    }

    /// Empties the folder of what the command wrote before.
    pub(crate) fn open(root: &Path, list: &'static str) -> Result<Self, Error> {
        Self::open_any(root, list, &[list])
    }

    /// As [`Folder::open`], for a command whose files may lie beside those of the lists `others`.
    pub(crate) fn open_any(root: &Path, list: &'static str, others: &[&str]) -> Result<Self, Error> {
        Self::check_any(root, others)?;
        fs::create_dir_all(root).map_err(|error| Error::Usage(format!("{}: {error}", root.display())))?;
        let folder = Self { root: root.to_path_buf(), list, files: BTreeSet::new() };
        let written = folder.root.join(list);
        for name in fs::read_to_string(&written).unwrap_or_default().lines().filter(|name| !name.is_empty()) {
            // Whatever the list says, nothing outside the folder is removed.
            if Path::new(name).components().all(|part| matches!(part, Component::Normal(_))) {
                folder.remove(&folder.root.join(name))?;
                // Its folders are removed too if they are empty; the system refuses the others.
                for parent in Path::new(name).ancestors().skip(1) {
                    if parent.as_os_str().is_empty() || fs::remove_dir(folder.root.join(parent)).is_err() {
                        break;
                    }
                }
            }
        }
        // From here on the folder counts as this command's, even if the command fails later.
        fs::write(&written, "").map_err(|error| failed(&written, &error))?;
        Ok(folder)
    }

    /// Writes a text.
    pub(crate) fn write(&mut self, name: &str, text: &str) -> Result<(), Error> {
        let path = self.place(name)?;
        fs::write(&path, text).map_err(|error| failed(&path, &error))
    }

    /// Copies a file.
    pub(crate) fn copy(&mut self, from: &Path, name: &str) -> Result<(), Error> {
        let path = self.place(name)?;
        let copied = fs::copy(from, &path);
        copied
            .map(drop)
            .map_err(|error| Error::Failed(format!("{} to {}: {error}", from.display(), path.display())))
    }

    /// Copies all files of a folder and its subfolders, and returns their names in it, in order.
    pub(crate) fn copy_all(&mut self, from: &Path, name: &str) -> Result<Vec<String>, Error> {
        let mut copied = BTreeSet::new();
        let mut inner = vec![PathBuf::new()];
        while let Some(folder) = inner.pop() {
            let source = from.join(&folder);
            for entry in fs::read_dir(&source).map_err(|error| failed(&source, &error))? {
                let entry = entry.map_err(|error| failed(&source, &error))?;
                let relative = folder.join(entry.file_name());
                if entry.path().is_dir() {
                    inner.push(relative);
                } else {
                    let relative = relative.display().to_string();
                    self.copy(&entry.path(), &format!("{name}/{relative}"))?;
                    copied.insert(relative);
                }
            }
        }
        Ok(copied.into_iter().collect())
    }

    /// Links a name to another, which is relative to the folder of the link.
    pub(crate) fn link(&mut self, name: &str, target: &str) -> Result<(), Error> {
        let path = self.place(name)?;
        std::os::unix::fs::symlink(target, &path).map_err(|error| failed(&path, &error))
    }

    /// Writes the list in order.
    pub(crate) fn close(self) -> Result<(), Error> {
        let text: String = self.files.iter().map(|name| format!("{name}\n")).collect();
        let path = self.root.join(self.list);
        fs::write(&path, text).map_err(|error| failed(&path, &error))
    }

    /// The path of a file; an existing file is removed rather than overwritten, because a process
    /// may have it mapped.
    fn place(&mut self, name: &str) -> Result<PathBuf, Error> {
        let path = self.root.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| failed(parent, &error))?;
        }
        self.remove(&path)?;
        if self.files.insert(name.to_owned()) {
            // Before the file is there: where the command fails later, the next one removes it.
            let list = self.root.join(self.list);
            let noted = fs::OpenOptions::new().append(true).open(&list);
            let noted = noted.and_then(|mut file| writeln!(file, "{name}"));
            noted.map_err(|error| failed(&list, &error))?;
        }
        Ok(path)
    }

    fn remove(&self, path: &Path) -> Result<(), Error> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(path, &error)),
            _ => Ok(()),
        }
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::Failed(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = ".list";

    #[test]
    fn what_was_written_is_replaced_and_what_was_added_stays() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("new/folder");
        let mut folder = Folder::open(&path, LIST).unwrap();
        folder.write("old/gone", "1").unwrap();
        folder.write("kept", "1").unwrap();
        folder.link("old/link", "gone").unwrap();
        folder.write("empty/too/gone", "1").unwrap();
        folder.close().unwrap();
        fs::write(path.join("old/of_someone"), "mine").unwrap();
        let mut folder = Folder::open(&path, LIST).unwrap();
        folder.write("kept", "2").unwrap();
        folder.close().unwrap();
        assert_eq!(fs::read_to_string(path.join("kept")).unwrap(), "2");
        assert_eq!(fs::read_to_string(path.join("old/of_someone")).unwrap(), "mine");
        assert!(!path.join("empty").exists());
        assert!(!path.join("old/gone").exists() && path.join("old/link").symlink_metadata().is_err());
    }

    /// As where the disk is full.
    #[test]
    fn what_a_failed_command_wrote_is_removed_by_the_next() {
        let root = tempfile::tempdir().unwrap();
        let mut folder = Folder::open(root.path(), LIST).unwrap();
        folder.write("old/gone", "1").unwrap();
        let error = folder.copy(Path::new("/no/such/file"), "copy").unwrap_err().to_string();
        assert!(error.contains("/no/such/file to ") && error.contains("copy: "), "{error}");
        drop(folder);
        Folder::open(root.path(), LIST).unwrap().close().unwrap();
        assert!(!root.path().join("old").exists());
    }

    #[test]
    fn two_commands_can_write_to_one_folder() {
        const OTHER: &str = ".other";
        let root = tempfile::tempdir().unwrap();
        for list in [LIST, OTHER, LIST] {
            let mut folder = Folder::open_any(root.path(), list, &[LIST, OTHER]).unwrap();
            folder.write(&format!("of{list}"), list).unwrap();
            folder.close().unwrap();
        }
        for list in [LIST, OTHER] {
            assert_eq!(fs::read_to_string(root.path().join(format!("of{list}"))).unwrap(), list);
        }
        assert!(matches!(Folder::check_any(root.path(), &[".third", ".fourth"]), Err(Error::Usage(_))));
    }

    #[test]
    fn nothing_outside_of_the_folder_is_removed() {
        let root = tempfile::tempdir().unwrap();
        let (outside, path) = (root.path().join("outside"), root.path().join("folder"));
        fs::write(&outside, "").unwrap();
        fs::create_dir(&path).unwrap();
        fs::write(path.join(LIST), format!("../outside\n{}\n\n", outside.display())).unwrap();
        Folder::open(&path, LIST).unwrap();
        assert!(outside.is_file());
    }

    #[test]
    fn foreign_folders_and_files_are_refused() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        fs::write(&file, "").unwrap();
        for path in [root.path(), file.as_path(), Path::new("")] {
            assert!(matches!(Folder::open(path, LIST), Err(Error::Usage(_))), "{path:?}");
        }
        assert!(matches!(Folder::open(&file.join("inside"), LIST), Err(Error::Usage(_))));
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 1);
    }
}
