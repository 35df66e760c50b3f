//! `docs/c-abi-codes.md` says what the headers and the documentation of `aclnn-scatter` say.

#![allow(clippy::unwrap_used)]

use std::fs;

fn page() -> String {
    fs::read_to_string(book::root().join("docs/c-abi-codes.md")).unwrap()
}

/// The rows of a page's table that follow a line.
fn rows_after<'a>(lines: impl Iterator<Item = &'a str>, title: &str) -> Vec<String> {
    let rest = lines.skip_while(|line| *line != title).skip(1).skip_while(|line| !line.starts_with('|'));
    rest.take_while(|line| line.starts_with('|')).map(str::to_owned).collect()
}

#[test]
fn codes_have_the_names_of_the_headers() {
    let headers = ["aclnn/opdev/op_errno.h", "acl/error_codes/rt_error_codes.h", "acl/acl_base.h"];
    let headers: String =
        headers.map(|file| fs::read_to_string(book::root().join("sys/include").join(file)).unwrap()).concat();
    let page = page();
    let mut compared = 0;
    for row in page.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [code, name, ..] = cells[..] else { continue };
        let code = code.trim_start_matches("| ");
        if !code.chars().all(|letter| letter.is_ascii_digit()) || code.is_empty() {
            continue;
        }
        let name = name.trim_matches('`');
        let (defined, constant) = (format!("#define {name} {code} "), format!(" {name} = {code};"));
        assert!(headers.contains(&defined) || headers.contains(&constant), "{code} {name}");
        compared += 1;
    }
    assert!(compared > 8, "only {compared} codes were found");
}

/// The documentation of the crate has links, which the page has as names.
#[test]
fn the_differences_from_cann_are_those_of_the_crate() {
    let crate_ = fs::read_to_string(book::root().join("crates/aclnn-scatter/src/lib.rs")).unwrap();
    let lines = crate_.lines().filter_map(|line| line.strip_prefix("//!")).map(str::trim_start);
    let rows = rows_after(lines, "# Differences from CANN");
    let rows: Vec<String> = rows.iter().map(|row| row.replace("[`", "`").replace("`]", "`")).collect();
    let page = page();
    let ours = rows_after(page.lines(), "## Where the operators are stricter than CANN, or do more");
    assert!(rows.len() > 40, "only {} rows were found", rows.len());
    assert_eq!(ours, rows, "docs/c-abi-codes.md (left), crates/aclnn-scatter/src/lib.rs (right)");
}
