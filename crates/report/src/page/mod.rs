//! The page: one file of HTML with everything in it, for a failure and for a suite of tests.
//!
//! The document is the committed bundle `page/page.html` with data in the place of a marker. The data are JSON that cannot end
//! its element, and the bundle shows them as text alone, so no name, message or term of a program becomes markup.

mod failure;
mod suite;

pub use failure::{PageContext, failure_page};
pub use suite::suite_page;

use serde::Serialize;

/// The bundle, as `page/build.mjs` writes it.
const BUNDLE: &str = include_str!("../../page/page.html");
/// Stands in the bundle where the data go.
const MARKER: &str = "@RADDLE_DATA@";

/// The page with these data.
fn document(data: &impl Serialize) -> String {
    let (before, after) = BUNDLE.split_once(MARKER).expect("the bundle has the marker");
    let json = serde_json::to_string(data).expect("the data of a page are plain data");
    [before, &harmless(&json), after].concat()
}

/// The same JSON without characters that could end a script element or that scripts take for the end of a line. Outside of
/// strings JSON has none of them.
fn harmless(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 16);
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// The data of a page.
    fn data(page: &str) -> &str {
        let begin = page.find("id=\"data\">").expect("it has data") + "id=\"data\">".len();
        let end = begin + page[begin..].find("</script>").expect("it ends");
        &page[begin..end]
    }

    #[test]
    fn data_do_not_end_their_element_and_are_read_again() {
        let hostile = "</script><script>alert(1)</script><!-- <script> ]]> &lt; \u{2028}\u{2029}\u{202e}\0\u{7}\" \\u003c";
        let page = document(&hostile);
        assert!(!data(&page).contains(['<', '>', '&', '\u{2028}', '\u{2029}']));
        assert_eq!(serde_json::from_str::<Value>(data(&page)).unwrap(), hostile);
        assert_eq!(page.matches("<script").count(), BUNDLE.matches("<script").count());
        assert_eq!(page.matches("</script").count(), BUNDLE.matches("</script").count());
    }

    #[test]
    fn the_marker_in_data_is_text() {
        let page = document(&MARKER);
        assert_eq!(serde_json::from_str::<Value>(data(&page)).unwrap(), MARKER);
    }

    #[test]
    fn the_bundle_loads_nothing() {
        assert_eq!(BUNDLE.matches(MARKER).count(), 1);
        assert!(BUNDLE.contains("default-src 'none'"));
        // The name of the namespace of SVG is no address that is loaded.
        let rest = BUNDLE.replace("http://www.w3.org/2000/svg", "");
        for word in [
            "http:",
            "https:",
            "unsafe-inline",
            "unsafe-eval",
            "innerHTML",
            "insertAdjacentHTML",
            "@import",
            "url(data",
        ] {
            assert!(!rest.contains(word), "{word}");
        }
    }
}
