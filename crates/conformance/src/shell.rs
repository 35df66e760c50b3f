//! Words as a shell takes them, for the commands that reports print.

/// A word of a command line, in quotes where it needs them.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=/.,:+@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn only_what_a_shell_would_change_is_quoted() {
        for (word, expected) in [
            ("matrix/scatter_add/f32", "matrix/scatter_add/f32"),
            ("", "''"),
            ("my vectors", "'my vectors'"),
            ("it's", "'it'\\''s'"),
            ("$HOME", "'$HOME'"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}
