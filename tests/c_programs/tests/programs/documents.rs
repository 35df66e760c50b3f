//! The C++ of the documents compiles as a user would compile it, and prints what its page says.

use std::path::Path;

use book::Block;

use crate::program::{Program, USUAL};

/// What a page says that a program prints: behind it, or behind the commands that follow it.
fn printed(rest: &[Block]) -> Option<&String> {
    match rest {
        [program, commands, ..] if program.printed.is_none() && commands.language == "sh" => {
            commands.printed.as_ref()
        }
        [program, ..] => program.printed.as_ref(),
        [] => None,
    }
}

#[test]
fn programs_of_the_documents_print_what_these_say() {
    let mut compared = 0;
    let mut pages = book::pages().unwrap();
    // The model's page shows a part of a program.
    pages.retain(|page| page.path != Path::new("kernels/model/README.md"));
    for page in pages {
        let blocks = page.blocks();
        for (number, block) in blocks.iter().enumerate() {
            // Kernels in Ascend C are compiled by the test `model` of `scatter-kernels`.
            if block.language != "cpp" || block.text.contains("kernel_operator.h") {
                continue;
            }
            // A function by itself is compiled, and that is all.
            let is_whole = block.text.contains("int main()");
            let end = if is_whole { "" } else { "\nint main() {}\n" };
            let program = Program::compile_text(&format!("{}{end}", block.text), &USUAL);
            let program = program.unwrap_or_else(|words| panic!("{}:\n{words}", block.place));
            if is_whole {
                let expected = printed(&blocks[number..]);
                let expected = expected.unwrap_or_else(|| panic!("{}: what does it print?", block.place));
                let run = program.run(&[]);
                assert_eq!(run.printed, *expected, "{}", block.place);
                assert!(!run.told.contains("left over"), "{}: {}", block.place, run.told);
                compared += 1;
            }
        }
    }
    assert!(compared >= 2, "README.md and docs/c-abi.md have a program each");
}
