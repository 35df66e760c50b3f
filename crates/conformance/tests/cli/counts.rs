//! `--counts`, and that the figures of `docs/conformance.md` are what it prints.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::conformance;

/// Stand in the document in front of the table and after it.
const BEGIN: &str = "<!-- The table is what this prints: `cargo run --release -- --counts --full` -->\n\n";
const END: &str = "\n<!-- The end of the table. -->\n";

/// The numbers of each engine in a table, whose rows may be of several engines.
fn by_engine(table: &str) -> BTreeMap<String, Vec<String>> {
    let mut engines = BTreeMap::new();
    for row in table.lines().skip(2) {
        let cells: Vec<_> = row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
        for name in cells[0].split(", ") {
            engines.insert(name.to_owned(), cells[1..].to_vec());
        }
    }
    engines
}

/// Of the matrix only the number of all cases is compared here: to make the large ones takes a
/// minute and more in this build. `.ci/run` compares the whole table, by the release build.
#[test]
fn the_document_has_the_counts_of_the_program() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/conformance.md");
    let document = fs::read_to_string(file).unwrap();
    let (_, table) = document.split_once(BEGIN).unwrap();
    let (table, _) = table.split_once(END).unwrap();
    let told = by_engine(table);
    let stale = "put what `cargo run --release -- --counts --full` prints into docs/conformance.md";
    for (family, columns) in [("vectors/", 0..2), ("refusals/", 4..6)] {
        let (code, counted, err) = conformance(&["--counts", "--filter", family]);
        assert_eq!((code, err.as_str()), (0, ""));
        let counted = by_engine(&counted);
        assert!(counted.keys().eq(told.keys()), "{stale}; it has {:?}", counted.keys());
        for (engine, counts) in &counted {
            assert_eq!(
                told[engine][columns.clone()],
                counts[columns.clone()],
                "{family} of {engine}: {stale}"
            );
        }
    }
    let (_, names, _) = conformance(&["--list", "--full", "--filter", "matrix/"]);
    assert_eq!(told["`reference`"][2].replace(',', ""), names.lines().count().to_string(), "{stale}");
}

/// Also where only those cases are selected of a family that no engine can run.
#[test]
fn a_run_tells_the_counts_that_are_told_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("report.json");
    let arguments = ["--engine", "reference", "--dtype", "complex64", "--cases", "0"];
    let (_, counted, _) = conformance(&[&arguments[..], &["--counts"]].concat());
    let counted = by_engine(&counted).remove("`reference`").unwrap();
    assert!(counted[2] == "0" && counted[3] != "0", "{counted:?}");
    let (code, out, _) = conformance(&[&arguments[..], &["--json", json.to_str().unwrap()]].concat());
    assert_eq!(code, 0, "{out}");
    let report: Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
    let rows = report["rows"].as_array().unwrap().iter();
    let told: Vec<_> =
        rows.flat_map(|row| ["cases", "not_applicable"].map(|count| row[count].to_string())).collect();
    assert_eq!(told, counted.iter().map(|count| count.replace(',', "")).collect::<Vec<_>>(), "{report}");
}
