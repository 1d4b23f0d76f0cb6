//! The layout of reports for packages: their sources are quoted from the folder of the workspace.

use raddle_report::{Layout, Sources};
use raddle_terminal::{Channel, ProgressLine, layout as terminal};
use std::path::Path;

/// The layout for standard output. `COLUMNS` overrides the width.
pub fn layout(sources: &Path) -> Layout {
    Layout { sources: Sources::Under(sources.to_path_buf()), ..terminal(Channel::Output) }
}

/// Shows the progress on a terminal; not in logs or in CI.
pub fn progress(wanted: bool) -> ProgressLine {
    let in_ci = std::env::var_os("CI").is_some_and(|ci| !ci.is_empty() && ci != "false");
    ProgressLine::new(wanted && !in_ci)
}
