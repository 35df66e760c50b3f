//! Checks of HTML pages. Shared by the test programs.

/// Checks that every element of the page is closed, that elements nest, that links within the page
/// lead somewhere, and that the page needs nothing else.
pub(crate) fn expect_a_whole_page(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let body = page.strip_prefix("<!DOCTYPE html>\n").unwrap();
    for tag in body.split('<').skip(1) {
        let (tag, text) = tag.split_once('>').unwrap();
        let name = tag.split(' ').next().unwrap();
        assert!(!text.contains('>') || name == "style", "{text}");
        if let Some(closed) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "{tag}");
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert_eq!(open, [""; 0]);
    for elsewhere in ["http://", "https://", "<script", "<link", "src=", "url(", "@import"] {
        assert!(!page.contains(elsewhere), "{elsewhere}");
    }
    for link in attributes(page, "href") {
        let id = link.strip_prefix('#').unwrap();
        assert!(page.contains(&format!(" id=\"{id}\"")), "nothing has the id {id}");
    }
    let ids = attributes(page, "id");
    let mut once = ids.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), ids.len(), "an id twice");
}

/// The values of all attributes of this name.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let before = format!(" {name}=\"");
    let values = page.split(&before).skip(1);
    values.map(|rest| rest.split_once('"').unwrap().0).collect()
}
