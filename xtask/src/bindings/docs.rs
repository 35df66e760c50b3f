//! The comments of the headers, by the name of what they describe. libclang returns none for
//! macros, and how it reads the rest depends on its version, so they are read here: our own headers
//! only use two forms, `/** … */` before a declaration and `/**< … */` behind it.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

/// Text by name; a field's name is `type.field`.
pub(crate) type Docs = BTreeMap<String, String>;

/// The comments of all headers.
pub(crate) fn of(include: &Path, headers: &[String]) -> Result<Docs, Box<dyn Error>> {
    let mut docs = Docs::new();
    for header in headers {
        read(&fs::read_to_string(include.join(header))?, &mut docs);
    }
    Ok(docs)
}

/// The comments of one header.
fn read(text: &str, docs: &mut Docs) {
    let mut rest = text;
    // The names of fields, which are qualified with the name of their struct; that follows at the
    // struct's end.
    let mut fields: Vec<(String, String)> = Vec::new();
    while let Some(start) = rest.find("/**") {
        let (before, comment) = rest.split_at(start);
        let Some(end) = comment.find("*/") else { return };
        let (comment, after) = comment.split_at(end);
        let trailing = comment.starts_with("/**<");
        let words = clean(comment.trim_start_matches("/**<").trim_start_matches("/**"));
        let after = after.trim_start_matches("*/");
        if trailing {
            let line = before.rsplit('\n').next().unwrap_or_default();
            if let Some(name) = name(line) {
                if line.trim_end().ends_with(';') && !line.contains('=') {
                    fields.push((name, words));
                } else {
                    docs.insert(name, words);
                }
            }
            // The name of a struct follows its last field.
            if let Some(owner) = after.trim_start().strip_prefix('}').and_then(|tail| tail.split(';').next())
            {
                for (field, words) in fields.drain(..) {
                    docs.insert(format!("{}.{field}", owner.trim()), words);
                }
            }
        } else if let Some(name) = declared(after) {
            docs.insert(name, words);
        }
        rest = after;
    }
}

/// The name that the declaration behind a comment declares.
fn declared(after: &str) -> Option<String> {
    let after = after.trim_start();
    let head = match after.find(['{', ';']) {
        _ if after.starts_with("#define") => after.lines().next()?,
        Some(end) if after.as_bytes().get(end) == Some(&b'{') => {
            // typedef struct tag { … } name;
            let tail = after.split_once("\n}")?.1;
            return Some(tail.split(';').next()?.trim().to_owned());
        }
        Some(end) => after.get(..end)?,
        None => return None,
    };
    name(head)
}

/// The name in one line of a declaration.
fn name(line: &str) -> Option<String> {
    let line = line.trim();
    let part = if let Some(define) = line.strip_prefix("#define") {
        define.split_whitespace().next()?
    } else if let Some((_, pointer)) = line.split_once("(*") {
        pointer.split(')').next()?
    } else {
        // The last word before the parameters, the value, the bounds or the end.
        line.split(['(', '=', '[', ';', ',']).next()?.split_whitespace().next_back()?
    };
    let name = part.trim_start_matches('*');
    (!name.is_empty()).then(|| name.to_owned())
}

/// A comment without its stars.
fn clean(comment: &str) -> String {
    let lines: Vec<&str> = comment.lines().map(|line| line.trim().trim_start_matches('*').trim()).collect();
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_found_for_every_kind_of_declaration() {
        let mut docs = Docs::new();
        read(
            "/* not one */\n/** A flag. */\n#define FLAG 1\n#define OTHER 2 /**< Behind. */\n\
             static const int CODE = 3; /**< A code. */\n/** A handle. */\ntypedef void *handle;\n\
             /** Called back. */\ntypedef void (*callback)(void *data);\n/** A choice. */\ntypedef enum tag {\n    \
             ONE = 1, /**< First. */\n} choice;\n/**\n * A pair\n * of them.\n */\ntypedef struct {\n    int *a; /**< Left. */\n    \
             char b[FLAG]; /**< Right. */\n} pair;\n/** Does it. */\nEXPORT pair *run(const pair *p,\n    int n);\n",
            &mut docs,
        );
        let found: Vec<(&str, &str)> =
            docs.iter().map(|(name, words)| (name.as_str(), words.as_str())).collect();
        assert_eq!(
            found,
            [
                ("CODE", "A code."),
                ("FLAG", "A flag."),
                ("ONE", "First."),
                ("OTHER", "Behind."),
                ("callback", "Called back."),
                ("choice", "A choice."),
                ("handle", "A handle."),
                ("pair", "A pair\nof them."),
                ("pair.a", "Left."),
                ("pair.b", "Right."),
                ("run", "Does it."),
            ]
        );
    }
}
