//! An output whose reader goes before the program ends, as of `conformance | head -3`: the program
//! does all its work, and its exit code tells how that ended.

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind, Write};

use conformance::Exit;

use crate::files::Folder;
use crate::own_tensors::own_tensors;
use crate::program::without_reader;

/// An output with a reader that takes some writes and goes.
struct Closing {
    taken: usize,
    left: usize,
}

impl Write for Closing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.flush()?;
        self.left -= 1;
        self.taken += 1;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.left > 0 { Ok(()) } else { Err(ErrorKind::BrokenPipe.into()) }
    }
}

/// Expects this end, whenever the reader goes.
fn expect(end: Exit, arguments: &[&str]) {
    let run = |left| {
        let (mut out, mut err) = (Closing { taken: 0, left }, Vec::new());
        let words = ["conformance"].iter().chain(arguments).map(OsString::from);
        let ended = conformance::main(words, &mut out, &mut err);
        assert_eq!((ended, String::from_utf8(err).unwrap()), (end, String::new()), "{left}: {arguments:?}");
        out.taken
    };
    let all = run(usize::MAX);
    assert!(all > 3, "{all}: {arguments:?}");
    // At the start, in the heading, anywhere in the report, and just before the end.
    for left in [0, 1, 2, 3, all / 2] {
        assert_eq!(run(left), left, "{arguments:?}");
    }
    // Times of another length are written in fewer or more pieces.
    for left in [all - 1, all] {
        assert!(run(left) <= left, "{arguments:?}");
    }
}

/// Vectors of which two pass and two fail, and how to run them.
fn vectors(folder: &Folder, fail: bool) -> Vec<&str> {
    if fail {
        folder.edit("manifest.json", "\"tensor\":\"expected\"", "\"tensor\":\"self\"");
    }
    let vectors = folder.path().to_str().unwrap();
    vec!["--engine", "reference", "--vectors", vectors, "--filter", "vectors/", "--quiet"]
}

#[test]
fn the_suite_tells_of_failures_whenever_its_reader_goes() {
    let (folder, failing) = (Folder::new(), Folder::new());
    expect(Exit::Same, &vectors(&folder, false));
    expect(Exit::Different, &vectors(&failing, true));
}

#[test]
fn own_tensors_that_differ_are_told_whenever_the_reader_goes() {
    let folder = tempfile::tempdir().unwrap();
    for (expected, end) in [([9.0, 2.0, 3.0], Exit::Same), ([9.0, 2.0, 4.0], Exit::Different)] {
        let file = own_tensors(folder.path(), Some(expected), &[]);
        expect(end, &["run", &file, "--dim", "0", "--engine", "reference,cpu"]);
    }
}

#[test]
fn all_is_run_without_a_reader() {
    let (folder, failing) = (Folder::new(), Folder::new());
    let report = folder.path().join("report.json");
    let json = ["--json", report.to_str().unwrap()];
    for (arguments, code, told) in
        [(vectors(&folder, false), 0, "\"passed\": 4,"), (vectors(&failing, true), 1, "\"failed\": 2,")]
    {
        assert_eq!(without_reader(&[&arguments[..], &json].concat()), (code, String::new()));
        let report = fs::read_to_string(&report).unwrap();
        assert!(report.contains(told), "{report}");
    }
    assert_eq!(without_reader(&["--list"]), (0, String::new()));
    assert_eq!(without_reader(&["--help"]), (0, String::new()));
    let (code, err) = without_reader(&["--filter", "no such case"]);
    assert_eq!((code, err.lines().count()), (2, 1), "{err}");
}
