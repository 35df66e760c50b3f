//! `--html`: the page of a run that passes, and of one that fails.

use std::fs;

use scatter::{DType, Operator};

use crate::files::Folder;
use crate::page::expect_a_whole_page;
use crate::program::{complaint, conformance};

/// Runs the program with these arguments and `--html`: the exit code and the page.
fn page(arguments: &[&str]) -> (i32, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    let (code, out, err) = conformance(&[arguments, &["--quiet", "--html", file.to_str().unwrap()]].concat());
    assert_eq!(err, "", "{out}");
    let page = fs::read_to_string(file).unwrap();
    expect_a_whole_page(&page);
    (code, page)
}

#[test]
fn the_page_of_a_run_that_passes_has_every_operator_dtype_and_engine() {
    let engines = ["reference", "cpu", "c-abi", "aclnn-any"];
    let chosen = engines.join(",");
    let (code, page) = page(&["--engine", &chosen, "--cases", "900", "--filter", "matrix/", "--seed", "7"]);
    assert_eq!(code, 0);
    assert!(page.contains(">✓ Every case passed.<") && !page.contains("<section id=\"failures\">"));
    // A map for each engine, with every operator and dtype.
    for engine in engines {
        let (_, map) = page.split_once(&format!("<caption>Cases on {engine}</caption>")).unwrap();
        let (map, _) = map.split_once("</table>").unwrap();
        for name in Operator::ALL.map(Operator::name) {
            assert!(map.contains(&format!("<th scope=\"row\">{name}</th>")), "no {name} of {engine}");
        }
        for name in DType::ALL.map(DType::name) {
            assert!(map.contains(&format!("<span>{name}</span>")), "no {name} of {engine}");
        }
        // Each form of 900 cases has a case, so no field is empty; the mean of bools doesn't exist.
        assert!(!map.contains('–'), "{engine}");
    }
    assert!(page.contains("title=\"scatter_src_grad, i64: ") && page.contains(" not applicable\">n/a</a>"));
    // The cases behind a field.
    let (_, cases) = page.split_once("<h4 id=\"scatter_reduce-bf16\">scatter_reduce, bf16</h4>").unwrap();
    let (cases, _) = cases.split_once("</table>").unwrap();
    for reduction in ["none", "add", "multiply", "max", "min", "mean"] {
        assert!(cases.contains(&format!("<th scope=\"row\">{reduction}</th>")), "{cases}");
    }
    // Where it comes from.
    for told in [
        "conformance --engine reference,cpu,c-abi,aclnn-any --cases 900 --filter matrix/ --seed 7 --quiet --html ",
        "<th scope=\"row\">processor</th>",
        "<th scope=\"row\">hardware threads</th>",
        "<th scope=\"row\">commit</th>",
        &format!("<td>{}</td>", env!("CARGO_PKG_VERSION")),
        "<td>rustc 1.",
        "a bool has no mean",
    ] {
        assert!(page.contains(told), "{told}");
    }
    // Tables have captions, and their headings say what they are of.
    assert_eq!(page.matches("<table").count(), page.matches("<caption>").count());
    assert_eq!(page.matches("<th>").count(), 0);
}

#[test]
fn a_failure_is_shown_with_its_tensors() {
    let folder = Folder::new();
    folder.edit("manifest.json", "\"tensor\":\"expected\"", "\"tensor\":\"self\"");
    let vectors = folder.path().to_str().unwrap();
    let (code, page) = page(&["--engine", "reference,cpu", "--vectors", vectors, "--filter", "vectors/"]);
    assert_eq!(code, 1);
    assert!(page.contains(">✗ 4 of 8 failed.<"), "{page}");
    let (_, failures) = page.split_once("<section id=\"failures\">").unwrap();
    let (failures, _) = failures.split_once("</section>").unwrap();
    // One of each engine, though two failed on each.
    assert_eq!(failures.matches("<article>").count(), 2, "{failures}");
    let (_, article) = failures.split_once("<h3>scatter_add on reference</h3>").unwrap();
    let (article, _) = article.split_once("</article>").unwrap();
    let figure = |name: &str| {
        let (_, figure) = article.split_once(&format!("<figcaption><b>{name}</b>")).unwrap();
        let (figure, _) = figure.split_once("</figure>").unwrap();
        let cells = figure.split("<td").skip(1).map(|cell| cell.split_once("</td>").unwrap().0);
        let text = |cell: &str| {
            let (attributes, content) = cell.split_once('>').unwrap();
            let value = content.replace("<mark>", "").replace("</mark>", "");
            (value.trim().to_owned(), attributes.contains("class=\"differs\""))
        };
        cells.map(text).collect::<Vec<_>>()
    };
    let plain = |values: &[&str]| values.iter().map(|&value| (value.to_owned(), false)).collect::<Vec<_>>();
    assert_eq!(figure("self"), plain(&["1.0", "2.0", "3.0"]));
    assert_eq!(figure("index"), plain(&["0", "-3"]));
    assert_eq!(figure("src"), plain(&["4.0", "4.0"]));
    let marked = |first: &str| {
        let mut cells = plain(&[first, "2.0", "3.0"]);
        cells[0].1 = true;
        cells
    };
    assert_eq!(figure("expected"), marked("1.0"));
    assert_eq!(figure("got"), marked("9.0"));
    assert!(article.contains("vectors/sum/in-place") && article.contains("--filter vectors/sum/in-place"));
    // The field of the map leads to all of them.
    assert!(page.contains("title=\"scatter_add, f32: 2 failed\">✗2</a>"), "{page}");
    let (_, cases) = page.split_once("<h4 id=\"scatter_add-f32\">").unwrap();
    assert_eq!(cases.matches("<p class=\"bad\">✗ <code>vectors/sum/").count(), 4);
}

/// The error comes before the first case: nothing is printed of the engines, which is so with each
/// run.
#[test]
fn a_page_that_can_not_be_written_is_told_before_the_run() {
    let told = complaint(&["--html", "no/such/folder/report.html", "--cases", "1"]);
    assert!(told.starts_with("error: no/such/folder/report.html: No such file"), "{told}");
    let (code, out, _) = conformance(&["--html", "no/such/folder/report.html", "--cases", "1"]);
    assert_eq!((code, out.as_str()), (2, ""));
}
