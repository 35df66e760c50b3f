//! The commands that a page names, as words.

use crate::Page;

/// A command of a page.
#[derive(Debug)]
pub struct Command {
    /// The page and the line, such as `docs/start.md:13`: of a block its fence.
    pub place: String,
    /// The program and its arguments, without variables set before it.
    pub words: Vec<String>,
}

/// The commands of a page, of its `sh` blocks and between backticks. Of the latter those alone that
/// begin as commands of this repository do, and leave nothing out by "…".
#[must_use]
pub fn of(page: &Page) -> Vec<Command> {
    let mut commands = Vec::new();
    for block in page.blocks().into_iter().filter(|block| block.language == "sh") {
        let words = lines(&block.text).iter().flat_map(|line| split(line)).collect::<Vec<_>>();
        commands.extend(words.into_iter().map(|words| Command { place: block.place.clone(), words }));
    }
    for (line, span) in spans(page) {
        let own = ["cargo ", "tests/", "kernels/", "benches/", ".ci/", "fuzz/"];
        if !own.iter().any(|start| span.starts_with(start)) || span.contains('…') {
            continue;
        }
        let is_program = span.starts_with("cargo ") || span.ends_with("/run") || span.contains("/run ");
        if is_program {
            commands.extend(split(&span).into_iter().map(|words| Command { place: page.place(line), words }));
        }
    }
    commands
}

/// What stands between backticks, with the line where it begins.
fn spans(page: &Page) -> Vec<(usize, String)> {
    // Empty lines end a paragraph, and so a span that nothing closes.
    let mut spans = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (number, line) in page.prose() {
        if line.trim().is_empty() {
            open = None;
        }
        for (place, piece) in line.split('`').enumerate() {
            if place > 0 {
                open = match open.take() {
                    Some(span) => {
                        spans.push(span);
                        None
                    }
                    None => Some((number, String::new())),
                };
            }
            if let Some((_, text)) = &mut open {
                let separator = if text.is_empty() || place > 0 { "" } else { " " };
                *text += &format!("{separator}{}", piece.trim_start());
            }
        }
    }
    spans
}

/// The lines of a script, without what is given to a program as a text (`<<'END'`), those that end
/// with a backslash joined with the next.
fn lines(script: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut end: Option<String> = None;
    let mut joined = false;
    for line in script.lines() {
        if let Some(word) = &end {
            if line == word {
                end = None;
            }
            continue;
        }
        if let Some((_, rest)) = line.split_once("<<") {
            end = Some(rest.trim_matches(|letter| "'\" -".contains(letter)).to_owned());
        }
        let text = line.strip_suffix('\\');
        match lines.last_mut() {
            Some(last) if joined => *last += text.unwrap_or(line),
            _ => lines.push(text.unwrap_or(line).to_owned()),
        }
        joined = text.is_some();
    }
    lines
}

/// The commands of a line, each as its words: as a shell divides them, but that variables and
/// `$(…)` stay as they are. Variables that are set before a command are left out.
fn split(line: &str) -> Vec<Vec<String>> {
    let mut commands: Vec<Vec<String>> = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut depth = 0_usize;
    let end_of_word = |word: &mut Option<String>, commands: &mut Vec<Vec<String>>| {
        if let (Some(word), Some(command)) = (word.take(), commands.last_mut()) {
            command.push(word);
        }
    };
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (_, Some(mark)) if letter == mark => quote = None,
            (_, Some(_)) => word.get_or_insert_default().push(letter),
            ('\'' | '"', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            ('$', None) if letters.peek() == Some(&'(') => {
                letters.next();
                depth += 1;
                *word.get_or_insert_default() += "$(";
            }
            (')', None) if depth > 0 => {
                depth -= 1;
                word.get_or_insert_default().push(letter);
            }
            (_, None) if depth > 0 => word.get_or_insert_default().push(letter),
            ('#', None) if word.is_none() => break,
            ('&' | ';' | '|', None) => {
                end_of_word(&mut word, &mut commands);
                commands.push(Vec::new());
            }
            (' ' | '\t', None) => end_of_word(&mut word, &mut commands),
            (_, None) => word.get_or_insert_default().push(letter),
        }
    }
    end_of_word(&mut word, &mut commands);
    let is_variable = |word: &String| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphabetic() || letter == '_')
        })
    };
    for command in &mut commands {
        let set = command.iter().take_while(|word| is_variable(word)).count();
        command.drain(..set);
        // What the output goes to, and where an input comes from.
        if let Some(redirected) =
            command.iter().position(|word| word.starts_with(['<', '>']) || word.starts_with("2>"))
        {
            command.truncate(redirected);
        }
    }
    commands.retain(|command| !command.is_empty());
    commands
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn commands_are_divided_as_a_shell_does() {
        let text = "\
            Say `cargo test\n-p scatter` or `x`, not `cargo run …`.\n\
            ```sh\n\
            A=1 cargo run -- 'a b' \\\n  --all   # why\n\
            cd x && ./run $(a b) > file\n\
            python3 - <<'END'\nno command\nEND\n\
            for i in 1; do fuzz/run; done\n\
            ```\n";
        let found = of(&Page::of(Path::new("p.md"), text));
        let found: Vec<String> =
            found.iter().map(|of| format!("{} {}", of.place, of.words.join("|"))).collect();
        let expected = [
            "p.md:3 cargo|run|--|a b|--all",
            "p.md:3 cd|x",
            "p.md:3 ./run|$(a b)",
            "p.md:3 python3|-",
            "p.md:3 for|i|in|1",
            "p.md:3 do|fuzz/run",
            "p.md:3 done",
            "p.md:1 cargo|test|-p|scatter",
        ];
        assert_eq!(found, expected);
    }
}
