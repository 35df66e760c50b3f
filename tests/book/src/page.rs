//! A page of Markdown, as far as the tests need it.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::root;

/// A document.
#[derive(Debug)]
pub struct Page {
    /// From the folder of the repository.
    pub path: PathBuf,
    /// Its lines.
    pub lines: Vec<String>,
}

/// A fenced block of code.
#[derive(Debug)]
pub struct Block {
    /// The page and the line of the fence, such as `docs/start.md:13`.
    pub place: String,
    /// What stands behind the fence: the language, perhaps with more.
    pub language: String,
    /// The lines between the fences, without the indentation of the fence.
    pub text: String,
    /// What the page says that it prints: the next block, if that is `text` and the line of text
    /// before it ends with "prints".
    pub printed: Option<String>,
}

/// A link.
#[derive(Debug)]
pub struct Link {
    /// The page and the line.
    pub place: String,
    /// What stands in the brackets.
    pub target: String,
}

impl Page {
    pub(crate) fn read(path: PathBuf) -> io::Result<Self> {
        let text = fs::read_to_string(root().join(&path))?;
        Ok(Self { path, lines: text.lines().map(str::to_owned).collect() })
    }

    /// A page of this text.
    #[must_use]
    pub fn of(path: &Path, text: &str) -> Self {
        Self { path: path.to_path_buf(), lines: text.lines().map(str::to_owned).collect() }
    }

    /// The page and a line of it, which is counted from 0.
    pub(crate) fn place(&self, line: usize) -> String {
        format!("{}:{}", self.path.display(), line + 1)
    }

    /// Whether each line is part of a fenced block, its fences included.
    pub(crate) fn in_block(&self) -> Vec<bool> {
        let mut inside = false;
        let of_line = |line: &String| {
            let fence = line.trim_start().starts_with("```");
            let was = inside;
            inside ^= fence;
            was || fence
        };
        self.lines.iter().map(of_line).collect()
    }

    /// The fenced blocks, in their order.
    #[must_use]
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let mut open = false;
        // The last line of text in front of the fence.
        let mut before = "";
        // Whether the block before has said that it prints the next one.
        let mut prints = false;
        let mut indentation = 0;
        for (number, line) in self.lines.iter().enumerate() {
            let trimmed = line.trim_start();
            match (trimmed.strip_prefix("```"), open) {
                (Some(language), false) => {
                    prints = language == "text" && before.trim_end_matches(':').ends_with("prints");
                    indentation = line.len() - trimmed.len();
                    blocks.push(Block {
                        place: self.place(number),
                        language: language.to_owned(),
                        text: String::new(),
                        printed: None,
                    });
                    open = true;
                }
                (Some(_), true) => {
                    open = false;
                    if let (true, [.., block, printed]) = (prints, &mut blocks[..]) {
                        block.printed = Some(printed.text.clone());
                    }
                    before = "";
                }
                (None, true) => {
                    if let Some(block) = blocks.last_mut() {
                        block.text += line.get(indentation..).unwrap_or(trimmed);
                        block.text.push('\n');
                    }
                }
                (None, false) if !trimmed.is_empty() => before = line.trim_end(),
                (None, false) => {}
            }
        }
        blocks
    }

    /// The text outside of blocks, each line with its number, counted from 0.
    pub(crate) fn prose(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.lines.iter().zip(self.in_block()).enumerate();
        lines.filter(|(_, (_, inside))| !inside).map(|(number, (line, _))| (number, line.as_str()))
    }

    /// The links in the text, those of pictures included. A link whose target begins on the next
    /// line is one of that line.
    #[must_use]
    pub fn links(&self) -> Vec<Link> {
        let mut links = Vec::new();
        for (number, line) in self.prose() {
            // What stands between backticks is code.
            let text: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
            for rest in text.split("](").skip(1) {
                if let Some((target, _)) = rest.split_once(')') {
                    links.push(Link { place: self.place(number), target: target.to_owned() });
                }
            }
        }
        links
    }

    /// The anchors of the headings, as GitHub and mdBook make them: letters in lower case, `-` for
    /// a space, and nothing for other signs; the second of a name has `-1` at its end.
    #[must_use]
    pub fn anchors(&self) -> Vec<String> {
        let mut anchors: Vec<String> = Vec::new();
        for (_, line) in self.prose() {
            let title = line.trim_start_matches('#');
            let Some(title) = title.strip_prefix(' ').filter(|_| line.starts_with('#')) else { continue };
            let anchor: String = title
                .to_lowercase()
                .chars()
                .filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter))
                .map(|letter| if letter == ' ' { '-' } else { letter })
                .collect();
            let before = anchors.iter().filter(|other| **other == anchor).count();
            anchors.push(if before == 0 { anchor } else { format!("{anchor}-{before}") });
        }
        anchors
    }
}
