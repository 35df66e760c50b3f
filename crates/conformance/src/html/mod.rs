//! HTML pages in a single file, which load nothing else and have no scripts.
//!
//! All markup is made by [`Markup`], so text is escaped and elements are closed in one place.

use core::fmt::Write as _;

/// Colours and layout of every page. It says nothing that isn't in the text, too: what failed has a
/// sign beside its colour.
const STYLE: &str = include_str!("style.css");

/// Well-formed HTML: text, elements, or several of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Markup(String);

impl Markup {
    /// Nothing.
    pub(crate) const fn none() -> Self {
        Self(String::new())
    }

    /// Text, in which no character is taken for markup.
    pub(crate) fn text(text: &str) -> Self {
        Self(escaped(text))
    }

    /// An element.
    pub(crate) fn tag(name: &str, attributes: &[(&str, &str)], content: Self) -> Self {
        let mut markup = format!("<{name}");
        for (attribute, value) in attributes {
            // Writing to a string doesn't fail.
            let _ = write!(markup, " {attribute}=\"{}\"", escaped(value));
        }
        let Self(content) = content;
        let end = if matches!(name, "a" | "b" | "code" | "mark" | "span" | "td" | "th") { "" } else { "\n" };
        Self(format!("{markup}>{content}</{name}>{end}"))
    }

    /// An element without attributes that has text.
    pub(crate) fn simple(name: &str, text: &str) -> Self {
        Self::tag(name, &[], Self::text(text))
    }

    /// A paragraph.
    pub(crate) fn paragraph(text: &str) -> Self {
        Self::simple("p", text)
    }

    /// Code within a line.
    pub(crate) fn code(text: &str) -> Self {
        Self::simple("code", text)
    }

    /// A link to another place of the page.
    pub(crate) fn link(id: &str, text: &str) -> Self {
        Self::tag("a", &[("href", &format!("#{id}"))], Self::text(text))
    }

    /// This, and then `next`.
    pub(crate) fn and(mut self, next: Self) -> Self {
        let Self(next) = next;
        self.0 += &next;
        self
    }
}

impl FromIterator<Markup> for Markup {
    fn from_iter<I: IntoIterator<Item = Self>>(parts: I) -> Self {
        parts.into_iter().fold(Self::none(), Self::and)
    }
}

/// Text with the characters of markup escaped.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A whole page.
pub(crate) fn page(title: &str, body: Markup) -> String {
    let Markup(heading) = Markup::simple("h1", title);
    let (Markup(body), title) = (body, escaped(title));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{heading}{body}</main>\n\
         </body>\n</html>\n"
    )
}

/// A cell of a table.
pub(crate) enum Cell {
    Text(Markup),
    Number(String),
    /// What is wrong.
    Bad(String),
}

/// A cell of text.
pub(crate) fn text(text: &str) -> Cell {
    Cell::Text(Markup::text(text))
}

/// A cell of a number, or of a dash where there is none.
pub(crate) fn number(number: Option<f64>, decimals: usize) -> Cell {
    Cell::Number(number.map_or_else(|| "-".to_owned(), |number| format!("{number:.decimals$}")))
}

/// A cell of a count, with the thousands set apart.
pub(crate) fn count(count: usize) -> Cell {
    Cell::Number(grouped(count))
}

/// A number with commas between the thousands.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A table, in a box that scrolls where the window is narrower. The first cell of each row is its
/// heading.
pub(crate) fn table(caption: &str, head: &[&str], rows: impl IntoIterator<Item = Vec<Cell>>) -> Markup {
    let rows: Vec<_> = rows.into_iter().collect();
    let heading = |(column, name): (usize, &&str)| {
        // A heading is aligned like the cells below it.
        let is_right = |cell: Option<&Cell>| matches!(cell, Some(Cell::Number(_) | Cell::Bad(_)));
        let is_number = rows.first().is_some_and(|row| is_right(row.get(column)));
        match (name.is_empty(), is_number) {
            (true, _) => Markup::tag("td", &[], Markup::none()),
            (false, true) => Markup::tag("th", &[("scope", "col"), ("class", "n")], Markup::text(name)),
            (false, false) => Markup::tag("th", &[("scope", "col")], Markup::text(name)),
        }
    };
    let head = Markup::tag("tr", &[], head.iter().enumerate().map(heading).collect());
    let row = |cells: Vec<Cell>| {
        let cells = cells.into_iter().enumerate().map(|(column, cell)| match cell {
            Cell::Text(content) if column == 0 => Markup::tag("th", &[("scope", "row")], content),
            Cell::Text(content) => Markup::tag("td", &[], content),
            Cell::Number(number) => Markup::tag("td", &[("class", "n")], Markup::text(&number)),
            Cell::Bad(what) => Markup::tag("td", &[("class", "bad")], Markup::text(&what)),
        });
        Markup::tag("tr", &[], cells.collect())
    };
    let body = Markup::tag("tbody", &[], rows.into_iter().map(row).collect());
    scrolled(caption, &[], Markup::tag("thead", &[], head).and(body))
}

/// A table with this content and attributes, in a box that scrolls.
pub(crate) fn scrolled(caption: &str, attributes: &[(&str, &str)], content: Markup) -> Markup {
    let table = Markup::tag("table", attributes, Markup::simple("caption", caption).and(content));
    // With the keyboard, only what can have the focus can be scrolled.
    let scrolls = [("class", "wide"), ("role", "region"), ("tabindex", "0"), ("aria-label", caption)];
    Markup::tag("div", &scrolls, table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_no_markup() {
        let Markup(markup) = Markup::tag("a", &[("title", "\"><b")], Markup::text("<a href=\"x\"> & b"));
        assert_eq!(markup, "<a title=\"&quot;&gt;&lt;b\">&lt;a href=&quot;x&quot;&gt; &amp; b</a>");
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
