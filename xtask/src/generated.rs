//! Files of the repository that a command generates: written, or compared with the committed ones.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Every command's outcome: a message, or what went wrong.
pub(crate) type Outcome = Result<String, Box<dyn Error>>;

/// The folder of the workspace.
pub(crate) fn root() -> Result<&'static Path, Box<dyn Error>> {
    Ok(Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("xtask has no parent folder")?)
}

/// Writes files, by their names in the repository, or compares them with `check`; `stale` says what
/// to do where they differ.
pub(crate) fn put(files: &[(String, String)], check: bool, stale: &str) -> Outcome {
    let root = root()?;
    let mut report = String::new();
    let mut differ = false;
    for (name, content) in files {
        let path = root.join(name);
        let old = fs::read_to_string(&path).unwrap_or_default();
        if old == *content {
            writeln!(report, "{name}: up to date")?;
        } else if check {
            differ = true;
            report.push_str(&difference(name, &old, content));
        } else {
            fs::create_dir_all(path.parent().ok_or("no folder")?)?;
            fs::write(&path, content)?;
            writeln!(report, "{name}: written")?;
        }
    }
    if differ { Err(format!("{stale}\n{report}").into()) } else { Ok(report) }
}

/// The added and removed lines, at most twenty.
fn difference(name: &str, old: &str, new: &str) -> String {
    let gone =
        old.lines().filter(|line| !new.lines().any(|other| other == *line)).map(|line| format!("-{line}"));
    let come =
        new.lines().filter(|line| !old.lines().any(|other| other == *line)).map(|line| format!("+{line}"));
    let lines: Vec<String> = gone.chain(come).collect();
    let shown = lines.iter().take(20).map(|line| format!("  {line}\n")).collect::<String>();
    let rest = match lines.len() {
        0 => "  the same lines in another order\n".to_owned(),
        1..=20 => String::new(),
        more => format!("  and {} more\n", more - 20),
    };
    format!("{name}: differs\n{shown}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_names_the_lines_that_are_new_or_gone() {
        assert_eq!(difference("f", "a\nb\n", "a\nc\n"), "f: differs\n  -b\n  +c\n");
        assert!(difference("f", "a\nb\n", "b\na\n").contains("in another order"));
        let many: String = (0..30).map(|line| format!("{line}\n")).collect();
        assert!(difference("f", "", &many).ends_with("  +19\n  and 10 more\n"));
    }
}
