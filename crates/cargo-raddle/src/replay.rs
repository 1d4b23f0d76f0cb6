//! `cargo raddle replay TICKET`: builds the test of a ticket again and replays its schedule, with the program's own
//! output, or in a debugger.

use crate::arguments::{Cargo, Place, Replay};
use crate::compile::{Build, Program};
use crate::crates::{Workspace, cargo, current_folder};
use crate::doctests;
use crate::environment;
use crate::explore::{Output, command, explore};
use crate::leftovers::UnderWay;
use crate::results::Verdict;
use crate::search_arguments::Color;
use crate::suite;
use crate::tickets::{self, Kept, ReplayedAt};
use crate::{FAILED, PASSED};
use raddle_core::check::Check;
use raddle_core::clock::Time;
use raddle_core::fact::SkipReason;
use raddle_shadow::protocol::Order;
use raddle_shadow::{Arcs, Compiler, install};
use raddle_terminal::{output, store};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Runs `cargo raddle replay`.
pub fn run(replay: &Replay) -> Result<u8, String> {
    let kept = tickets::read(&replay.ticket)?;
    store::temporary_folder()?;
    let folder = current_folder()?;
    let workspace = Workspace::find(&folder, &replay.place)?;
    let at = ReplayedAt::new(&folder, &workspace.workspace_root, &replay.place);
    let (program, under_way) = build(&kept, &folder, &workspace, &replay.place)?;
    let ticket =
        std::path::absolute(&replay.ticket).map_err(|e| format!("{}: {e}", replay.ticket.display()))?;
    let test = kept.ticket.test.clone().unwrap_or_default();
    let order = Order {
        test,
        strategy: String::new(),
        schedules: 0,
        executions: None,
        keep_going: false,
        resume: None,
        search_file: None,
        checkpoint: Check::CHECKPOINT.as_millis() as u64,
        seed: 0,
        workers: 1,
        max_steps: None,
        preemptions: None,
        spurious: 0,
        time: Time::Idle,
        budget: None,
        patience: Duration::from_secs(3600).as_millis() as u64,
        arena: kept.origin.exclude.is_empty(),
        beginning: kept.origin.beginning,
        thread_panics: kept.origin.allow_thread_panics,
        track_arc: false,
        // As the ticket says.
        heap: false,
        races: kept.origin.races.clone(),
        memory: None,
        stale_reads: None,
        replay: Some(ticket.display().to_string()),
    };
    if replay.gdb {
        // The answers are discarded.
        let run = command(&program, &order, Path::new("/dev/null"));
        let mut gdb = Command::new("gdb");
        // Breaks where a panic begins; an abort in a test is caught, and no reason to stop.
        gdb.args([
            "-q",
            "-ex",
            "break std::panicking::panic_handler",
            "-ex",
            "handle SIGABRT nostop noprint pass",
        ]);
        gdb.arg("--args").arg(run.get_program());
        output::error(format_args!(
            "`run` begins the schedule of this ticket; it stops where something panics"
        ));
        for (name, value) in run.get_envs() {
            if let Some(value) = value {
                gdb.env(name, value);
            }
        }
        if let Some(folder) = run.get_current_dir() {
            gdb.current_dir(folder);
        }
        under_way.goes_on_in_another_program();
        return Err(format!("cannot run gdb ({}); is it installed?", gdb.exec()));
    }
    let (verdict, _) = explore(&program, &order, &Output::Terminal, |_| {});
    match verdict {
        Verdict::Failed(failed) => {
            let (Some(mut failure), Some(coverage)) = (failed.failure, &failed.coverage) else {
                return Err(failed
                    .complaint
                    .unwrap_or_else(|| "the test failed and did not say why".to_owned()));
            };
            suite::under(&workspace.workspace_root, &mut failure);
            let report = tickets::report(&failure, coverage, Ok(&replay.ticket), &at);
            output::report(&report);
            Ok(FAILED)
        }
        Verdict::Passed => {
            output::line(format_args!("raddle: the test passes now with the schedule of this ticket"));
            Ok(PASSED)
        }
        Verdict::Skipped(SkipReason::NotDeterministic { difference, .. }) => {
            Err(raddle_report::difference(&difference, kept.origin.real_arc))
        }
        Verdict::Skipped(why) => Err(raddle_report::skip(&why)),
        Verdict::Interrupted => Err(raddle_report::skip(&SkipReason::Interrupted)),
        Verdict::Ignored(why) => Err(why),
        Verdict::NoVerdict(why) => Err(why.to_string()),
    }
}

/// Builds the program that holds the ticket's test.
fn build(
    kept: &Kept,
    folder: &Path,
    workspace: &Workspace,
    place: &Place,
) -> Result<(Program, UnderWay), String> {
    let origin = &kept.origin;
    if !workspace.packages.iter().any(|package| package.name == origin.package) {
        return Err(format!(
            "the ticket belongs to the package {}, which is not in {}: run this in its checkout, or name it with \
             --manifest-path",
            origin.package,
            workspace.workspace_root.display()
        ));
    }
    let given = Cargo { built: origin.built()?, place: place.clone() };
    let compiler = Compiler::find(folder)?;
    let arcs = if origin.real_arc { Arcs::Real } else { Arcs::Tracked };
    let shim = install(&compiler, &cargo(), arcs, |what| output::error(what))?;
    let build = Build {
        folder,
        workspace,
        cargo: &given,
        color: Color::Auto,
        exclude: &origin.exclude,
        as_miri: origin.as_miri,
        races: origin.races.is_some(),
        shim: &shim,
        compiler: &compiler,
    };
    let fits =
        |p: &Program| p.package == origin.package && p.kind == origin.kind && p.target == origin.target;
    let under_way = build.begin()?;
    let mut built = match origin.kind.as_str() {
        "doc" => doctests::build(&build)?,
        _ => build.programs()?,
    };
    environment::ask(&build, &mut built)?;
    let found = built.into_iter().find(fits);
    let gone = || format!("{} has no {} {} any more", origin.package, origin.kind, origin.target);
    let program = found.ok_or_else(gone)?;
    if program.doctests.is_empty() {
        return Ok((program, under_way));
    }
    let doctest = program.doctests.iter().find(|doctest| Some(&doctest.inside) == kept.ticket.test.as_ref());
    let path = doctest.ok_or_else(gone)?.program.clone();
    Ok((Program { path, ..program }, under_way))
}
