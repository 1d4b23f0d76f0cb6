//! The files that raddle writes to read them again: a line with the format, its version and a checksum, and after it the
//! content. A file that was changed or cut since is noticed before its content is believed.
//!
//! Plain structures only: the JSON of the facades of std has no value type.

use crate::checksum::Checksum;
use serde::{Deserialize, Serialize};

/// The first line. Exactly one of the versions is there, and says what the content is.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Head {
    /// The version of the format of a stopped search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<u64>,
    /// The version of the format of a ticket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ticket: Option<u64>,
    /// How many steps a ticket has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    #[serde(default)]
    /// Of the content; set by [`Head::seal`].
    pub checksum: Option<String>,
}

impl Head {
    /// The file with this head and this content.
    pub fn seal(mut self, content: &str) -> String {
        self.checksum = Some(checksum(content));
        format!("{}\n{content}\n", serde_json::to_string(&self).expect("it is plain data"))
    }

    /// The head of a file and its content, which may have been changed: see [`Head::is_of`].
    pub fn read(file: &str) -> Result<(Head, &str), String> {
        let (head, content) = file.split_once('\n').unwrap_or((file, ""));
        let head = serde_json::from_str(head).map_err(|e| e.to_string())?;
        Ok((head, content.trim_end()))
    }

    /// Whether this content is what was written.
    pub fn is_of(&self, content: &str) -> bool {
        self.checksum == Some(checksum(content))
    }
}

/// Carriage returns do not count: some tools convert line ends.
fn checksum(content: &str) -> String {
    let lines = content.trim_end().split('\r');
    lines.fold(Checksum::default(), |sum, line| sum.with(line.as_bytes())).to_string()
}
