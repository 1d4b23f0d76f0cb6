//! The table of `RESULTS.md`: what was tried, and what became of it.

use crate::faults::{self, KILLS};
use crate::runner::{self, Amount, Figures};
use crate::targets::TARGETS;
use raddle_core::verdict::thousands;
use std::path::Path;

/// One row: what was tried, and its figures.
pub type Row = (&'static str, Figures);

/// Tries everything.
pub fn rows(program: &Path, amount: Amount) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for target in TARGETS {
        rows.push((target.what, runner::run(program, target, amount).map_err(|e| e.to_string())?));
    }
    rows.push(("files: every call of a write fails once", faults::failing_calls()?));
    rows.push(("files: a writer is killed", faults::kills(program, amount.seed, KILLS)?));
    Ok(rows)
}

/// Whether everything is clear.
pub fn is_clear(rows: &[Row]) -> bool {
    rows.iter().all(|(_, figures)| figures.clear == figures.tried && figures.lost == 0)
}

/// The table.
pub fn draw(rows: &[Row]) -> String {
    let mut out = String::from(
        "| input or fault | tried | clear | wrong | crash | hang | lost |\n|---|---:|---:|---:|---:|---:|---:|\n",
    );
    let mut sum = Figures::default();
    for (what, figures) in rows {
        out.push_str(&row(what, figures));
        sum.tried += figures.tried;
        sum.clear += figures.clear;
        sum.wrong += figures.wrong;
        sum.crash += figures.crash;
        sum.hang += figures.hang;
        sum.lost += figures.lost;
    }
    out + &row("**all**", &sum)
}

fn row(what: &str, figures: &Figures) -> String {
    let Figures { tried, clear, wrong, crash, hang, lost, .. } = figures;
    let numbers = [tried, clear, wrong, crash, hang, lost].map(|number| thousands(*number));
    format!("| {what} | {} |\n", numbers.join(" | "))
}
