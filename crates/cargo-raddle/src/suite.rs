//! `cargo raddle test`: builds, lists, explores every selected test, and reports the verdict on each.

use crate::answer::Answer;
use crate::arguments::{Heap, NoTests, Test};
use crate::compile::{Build, Program};
use crate::crates::{Workspace, cargo, current_folder};
use crate::explore::{Output, explore};
use crate::known::overrun;
use crate::programs::{Case, Filter, list};
use crate::results::{Failed, NoVerdict, Outcomes, Verdict};
use crate::screen;
use crate::suite_report::SuiteReport;
use crate::tickets::{self, Origin, ReplayedAt};
use crate::{COULD_NOT, FAILED, PASSED, json, races, table, workflow_commands};
use raddle_core::check::SearchKind;
use raddle_core::fact::{Assumption, Fact, Relation, SkipReason};
use raddle_core::search::Progress;
use raddle_core::verdict::{Cause, Defect, Failure, FailureKind};
use raddle_report::{escape_line, escape_lines, without_ansi};
use raddle_shadow::protocol::Order;
use raddle_shadow::{Arcs, Compiler, install};
use raddle_terminal::{Interrupt, ProgressLine, output, read_search, store};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// What may help where a thread panics on purpose.
const TRY_ALLOWING: &str = "  note     the usual harness takes no notice of a thread that panics and is never joined; nor does \
                            raddle with --allow-thread-panics\n";
/// How much output of a failing execution is shown.
const MOST_OUTPUT: usize = 4_000;

/// Runs `cargo raddle test`.
pub fn run(mut test: Box<Test>) -> Result<u8, String> {
    test.search.contradict(test.search.strategy.unwrap_or(SearchKind::Staged))?;
    if test.reports.github {
        workflow_commands::stop();
    }
    if let Some(file) = &mut test.search.resume {
        // Only the test of this search; its process has another working directory.
        if let Some(name) = read_search(file)?.test {
            if let Some(other) = test.only.iter().find(|only| **only != name) {
                return Err(format!(
                    "--only {other} and --resume contradict each other: the search is one of {name}"
                ));
            }
            test.only = vec![name];
        }
        let path = std::path::absolute(&*file).map_err(|e| format!("{file}: {e}"))?;
        *file = path.display().to_string();
    }
    races::prepare(&mut test)?;
    test.search.color.choose();
    // Said here, and not by a compiler in its own words.
    store::temporary_folder()?;
    let (folder, texts) = place(&test)?;
    let filter = Filter::new(&test, texts)?;
    let workspace = Workspace::find(&folder, &test.cargo.place)?;
    Workspace::demand_crates(&folder, &test.cargo.place, &test.exclude)?;
    let compiler = Compiler::find(&folder)?;
    let arcs = if test.real_arc { Arcs::Real } else { Arcs::Tracked };
    let shim = install(&compiler, &cargo(), arcs, |what| output::error(what))?;
    let build = Build {
        folder: &folder,
        workspace: &workspace,
        cargo: &test.cargo,
        color: test.search.color,
        exclude: &test.exclude,
        as_miri: test.as_miri,
        races: test.races,
        shim: &shim,
        compiler: &compiler,
    };
    let _under_way = build.begin()?;
    let programs = build.run()?;
    let (cases, outcomes) = wanted(&test, &filter, &programs)?;
    let suite = Suite {
        test: &test,
        folder,
        workspace,
        programs,
        progress: screen::progress(!test.search.is_json()),
        begun: Instant::now(),
        beginning: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        told: Mutex::new(Told { outcomes, ..Told::default() }),
    };
    if test.list {
        suite.list(&cases);
        return Ok(PASSED);
    }
    suite.explore_all(&cases)
}

/// The folder to work in, which the first word may name, and the filters for names.
fn place(test: &Test) -> Result<(PathBuf, &[String]), String> {
    let here = current_folder()?;
    let (folder, filters) = match test.what.split_first() {
        Some((first, rest)) if Path::new(first).join("Cargo.toml").is_file() => (here.join(first), rest),
        _ => (here, test.what.as_slice()),
    };
    match filters.iter().find(|what| what.contains(['/', '.'])) {
        Some(what) => Err(format!("{what} is no folder with a Cargo.toml, and no name of a test either")),
        None => Ok((folder, filters)),
    }
}

/// The selected tests, and the outcomes of programs whose tests cannot be distinguished.
fn wanted(test: &Test, filter: &Filter, programs: &[Program]) -> Result<(Vec<Case>, Vec<Outcomes>), String> {
    let (mut all, mut outcomes) = (Vec::new(), Vec::new());
    for (index, program) in programs.iter().enumerate() {
        if program.has_harness {
            all.extend(list(index, program)?);
            continue;
        }
        let excluded = test.exclude.iter().any(|e| e.replace('-', "_") == program.target.replace('-', "_"));
        let why = match program.kind.as_str() {
            _ if excluded => SkipReason::Excluded,
            "proc-macro" => SkipReason::ProcMacro,
            _ => SkipReason::OwnMain,
        };
        outcomes.push(Outcomes {
            program: index,
            name: "(all)".to_owned(),
            verdict: Verdict::Skipped(why),
            explored: Vec::new(),
            elapsed: Duration::ZERO,
        });
    }
    if let Some(missing) = test.only.iter().find(|only| !all.iter().any(|case| case.name == **only)) {
        return Err(format!("there is no test with the name {missing}; --list shows all"));
    }
    Ok((all.into_iter().filter_map(|case| filter.apply(case)).collect(), outcomes))
}

struct Suite<'a> {
    test: &'a Test,
    folder: PathBuf,
    workspace: Workspace,
    programs: Vec<Program>,
    progress: ProgressLine,
    begun: Instant,
    /// What the clock on the wall shows at the beginning of every execution.
    beginning: u64,
    told: Mutex<Told>,
}

/// The outcomes so far. Their reports are printed in the order of the tests, whichever is done first.
#[derive(Default)]
struct Told {
    outcomes: Vec<Outcomes>,
    /// Those that are done before others in front of them, by their position.
    waiting: BTreeMap<usize, Outcomes>,
    /// The position of the next one to tell.
    next: usize,
}

/// Whether it was not the test itself that panicked, but a thread, of which the test never learned. Under the usual harness, too,
/// a double panic of a thread aborts the process.
fn is_panic_of_thread(defect: &Defect) -> bool {
    let by_thread = |fact: &Fact| fact.relation == Relation::Panicked && fact.task.as_deref() != Some("main");
    let passed_on = defect.facts.iter().any(|fact| fact.relation == Relation::PanickedBecause);
    let aborts = matches!(*defect.cause, Cause::PanicAborts { .. });
    defect.kind == FailureKind::Panic && !aborts && defect.facts.iter().any(by_thread) && !passed_on
}

/// Names the files of calls as the compiler names those of other places: from the folder of the workspace.
pub fn under(root: &Path, failure: &mut Failure) {
    let lines = failure.record.lines.iter_mut().map(|line| (&mut line.caller, &mut line.place));
    let facts = failure.defect.facts.iter_mut().map(|fact| (&mut fact.caller, &mut fact.place));
    for (caller, place) in lines.chain(facts) {
        let places = caller.as_mut().map(|caller| &mut caller.place).into_iter().chain(place);
        for place in places {
            if let Ok(rest) = Path::new(&place.file).strip_prefix(root) {
                place.file = rest.display().to_string();
            }
        }
    }
}

/// The default time limit of one test.
const BUDGET: Duration = Duration::from_secs(10);

/// The order for one test, without its ticket.
pub fn order(test: &Test, name: &str, budget: Duration, patience: Duration) -> Order {
    let search = &test.search;
    Order {
        test: name.to_owned(),
        strategy: search.strategy.unwrap_or(SearchKind::Staged).to_string(),
        schedules: search.schedules.unwrap_or(u64::MAX),
        executions: search.executions,
        keep_going: search.keep_going,
        resume: search.resume.clone(),
        search_file: None,
        checkpoint: search.checkpoint().as_millis() as u64,
        seed: search.seed.unwrap_or_default(),
        workers: search.workers,
        max_steps: search.max_steps,
        preemptions: search.preemptions,
        spurious: test.rust.spurious,
        time: search.time,
        budget: Some(budget.as_millis() as u64),
        patience: patience.as_millis() as u64,
        arena: true,
        beginning: 0,
        thread_panics: false,
        track_arc: test.track_arc,
        heap: test.heap == Heap::On,
        races: test.races.then(|| test.rules.clone()),
        memory: test.rust.memory.map(|memory| memory.to_string()),
        stale_reads: test.rust.stale_reads,
        replay: None,
    }
}

impl Suite<'_> {
    fn is_json(&self) -> bool {
        self.test.search.is_json()
    }

    fn list(&self, cases: &[Case]) {
        for case in cases {
            let program = &self.programs[case.program];
            match self.is_json() {
                true => json::listed(program, &case.name, case.ignored.is_some()),
                false => {
                    let ignored = if case.ignored.is_some() { " (ignored)" } else { "" };
                    output::line(format_args!("{}: {}{ignored}", program.title(), escape_line(&case.name)));
                }
            }
        }
    }

    fn explore_all(&self, cases: &[Case]) -> Result<u8, String> {
        let machine = std::thread::available_parallelism().map_or(1, |n| n.get());
        let jobs = self.test.jobs.unwrap_or((machine / self.test.search.workers).max(1));
        let next = AtomicUsize::new(0);
        // Ctrl-C ends it with what it has.
        let interrupt = Interrupt::new();
        if self.is_json() {
            self.told()
                .outcomes
                .iter()
                .for_each(|outcome| json::test(&self.programs[outcome.program], outcome));
        }
        std::thread::scope(|scope| {
            for _ in 0..jobs.min(cases.len()) {
                scope.spawn(|| {
                    while !interrupt.is_requested() {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(case) = cases.get(at) else { break };
                        let outcome = self.explore(case, cases.len());
                        self.tell(at, outcome);
                    }
                });
            }
        });
        self.progress.wipe();
        let outcomes = &mut self.told().outcomes;
        let place = |o: &Outcomes| {
            let at = cases.iter().position(|c| c.program == o.program && c.name == o.name);
            (o.program, at.unwrap_or(usize::MAX))
        };
        outcomes.sort_by_key(place);
        let could_not = self.could_not(outcomes);
        let code = if outcomes.iter().any(|o| matches!(o.verdict, Verdict::Failed(_))) {
            FAILED
        } else if interrupt.is_requested() || could_not.is_some() {
            COULD_NOT
        } else {
            PASSED
        };
        match self.is_json() {
            true => json::finished(code),
            false => {
                output::line(format_args!("{}", table::draw(&self.programs, outcomes).trim_end_matches('\n')))
            }
        }
        self.write_reports(outcomes)?;
        if let Some(why) = could_not.filter(|_| code == COULD_NOT && !interrupt.is_requested()) {
            output::error(why);
        }
        if interrupt.is_requested() {
            let left = cases.len().saturating_sub(next.load(Ordering::Relaxed));
            output::error(format_args!("interrupted; {left} tests were not begun"));
        }
        Ok(code)
    }

    /// Writes the reports that are wanted.
    fn write_reports(&self, outcomes: &[Outcomes]) -> Result<(), String> {
        let mut report = SuiteReport::new(&self.test.reports);
        for outcome in outcomes {
            let program = &self.programs[outcome.program];
            let origin = Origin::new(self.test, program, self.beginning);
            report.add_rust(program.title(), &origin, outcome, &self.replayed_at())?;
        }
        report.finish(&format!("raddle: the tests of {}", self.folder_name()), self.is_json())
    }

    /// The last name in the path of the workspace.
    fn folder_name(&self) -> String {
        let root = &self.workspace.workspace_root;
        root.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    /// Why the whole has no verdict, if that is so.
    fn could_not(&self, outcomes: &[Outcomes]) -> Option<&'static str> {
        let any = |what: fn(&Verdict) -> bool| outcomes.iter().any(|o| what(&o.verdict));
        let explored = any(|verdict| matches!(verdict, Verdict::Passed | Verdict::Failed(_)));
        if any(|verdict| matches!(verdict, Verdict::NoVerdict(_))) {
            Some("there are tests without a verdict")
        } else if outcomes.is_empty() && self.test.no_tests == NoTests::Fail {
            Some("no test was explored: none has such a name, or there are none (--no-tests=pass allows it)")
        } else if !explored && self.test.no_tests == NoTests::Fail {
            Some("no test was explored: all are skipped or ignored (--no-tests=pass allows it)")
        } else if self.test.fail_on_skipped && any(|verdict| matches!(verdict, Verdict::Skipped(_))) {
            Some("tests were skipped, and --fail-on-skipped was given")
        } else {
            None
        }
    }

    fn explore(&self, case: &Case, of: usize) -> Outcomes {
        let begun = Instant::now();
        let (verdict, explored) = match (&case.ignored, self.budget()) {
            (Some(why), _) => (Verdict::Ignored(why.clone()), Vec::new()),
            _ if case.cannot.is_some() => {
                let why = case.cannot.clone().unwrap_or_default();
                (Verdict::Skipped(SkipReason::Doctest { why }), Vec::new())
            }
            (None, None) => (Verdict::Skipped(SkipReason::TotalBudget), Vec::new()),
            (None, Some(budget)) => self.explore_within(case, budget, of),
        };
        Outcomes {
            program: case.program,
            name: case.name.clone(),
            verdict,
            explored,
            elapsed: begun.elapsed(),
        }
    }

    /// The time limit of the next test; none if the total budget is used up.
    fn budget(&self) -> Option<Duration> {
        let one = self.test.search.budget.unwrap_or(BUDGET);
        match self.test.rust.total_budget {
            None => Some(one),
            Some(total) => {
                total.checked_sub(self.begun.elapsed()).filter(|left| !left.is_zero()).map(|l| l.min(one))
            }
        }
    }

    fn explore_within(
        &self,
        case: &Case,
        budget: Duration,
        of: usize,
    ) -> (Verdict, Vec<raddle_shadow::protocol::Explored>) {
        let (program, inside) = self.place_of(case);
        let mut order = order(self.test, &inside, budget, self.test.patience);
        let name = Origin::new(self.test, &program, self.beginning).file_name(&inside);
        order.search_file = Some(self.workspace.our_folder().join(format!("{name}.search.json")));
        // Crates on the real std keep what they allocate.
        order.arena = self.test.exclude.is_empty();
        order.beginning = self.beginning;
        order.thread_panics = self.test.allow_thread_panics;
        let done = {
            let told = self.told();
            told.outcomes.len() + told.waiting.len()
        };
        let tell = |progress: &Progress| {
            let name = format!("{done} of {of} tests done · {}", case.name);
            self.progress.show(&raddle_report::progress(Some(&name), progress));
        };
        let begun = Instant::now();
        let (mut verdict, mut explored) = explore(&program, &order, &Output::Nowhere, tell);
        if order.arena && matches!(&verdict, Verdict::NoVerdict(NoVerdict::Crashed(_))) {
            // Perhaps something outside of what is under control kept memory of an execution.
            order.arena = false;
            order.budget = Some(budget.saturating_sub(begun.elapsed()).as_millis() as u64);
            (verdict, explored) = explore(&program, &order, &Output::Nowhere, tell);
            for search in &mut explored {
                search.coverage.assumptions.push(Assumption::RealAddresses);
            }
        }
        let taken = [
            (self.test.real_arc, Assumption::ReferenceCountsNotExplored),
            (order.thread_panics, Assumption::ThreadPanicsAllowed),
        ];
        for (_, assumption) in taken.iter().filter(|(holds, _)| *holds) {
            for search in &mut explored {
                search.coverage.assumptions.push(assumption.clone());
            }
        }
        for search in explored.iter_mut().filter(|_| !self.test.exclude.is_empty()) {
            search.coverage.exclude(&self.test.exclude);
        }
        match &mut verdict {
            Verdict::Failed(failed) => {
                failed.coverage = explored.last().map(|search| search.coverage.clone());
                // The failing execution is shown to have happened within the time of the test, or not at all.
                let left = (budget + overrun(budget)).saturating_sub(begun.elapsed());
                order.budget = Some(left.as_millis() as u64);
                self.keep(case, order, failed);
            }
            Verdict::Skipped(SkipReason::NotDeterministic { untracked_arcs, .. }) => {
                *untracked_arcs = self.test.real_arc;
            }
            _ => {}
        }
        (verdict, explored)
    }

    /// The program that holds a test, and its name there.
    fn place_of(&self, case: &Case) -> (Program, String) {
        let program = self.programs[case.program].clone();
        match &case.elsewhere {
            None => (program, case.name.clone()),
            Some((path, inside)) => (Program { path: path.clone(), ..program }, inside.clone()),
        }
    }

    /// Writes the ticket of a failure, and lets the execution happen once more to hear what the program says and which of
    /// its calls lead into dependencies.
    fn keep(&self, case: &Case, mut order: Order, failed: &mut Failed) {
        let (program, inside) = self.place_of(case);
        let root = &self.workspace.workspace_root;
        let origin = Origin::new(self.test, &program, self.beginning);
        let folder = self.workspace.our_folder();
        match tickets::write(&folder, origin.clone(), &inside, failed) {
            Ok(path) => failed.ticket = path,
            Err(error) => failed.no_ticket = Some(error),
        }
        let Some(ticket) = &failed.ticket else { return };
        // The test runs in the folder of its package.
        let Ok(ticket) = std::path::absolute(ticket) else { return };
        order.replay = Some(ticket.display().to_string());
        let Ok(said) = Answer::new() else { return };
        let Ok(file) = said.file() else { return };
        let (again, _) = explore(&program, &order, &Output::File(file), |_| {});
        failed.output = said.text().unwrap_or_default().trim_end().to_owned();
        if let (Some(failure), Verdict::Failed(again)) = (&mut failed.failure, again)
            && let Some(again) = again.failure.filter(|again| again.kind() == failure.kind())
        {
            (failure.record, failure.defect.facts) = (again.record, again.defect.facts);
            under(root, failure);
            // The ticket that is there can be replayed just as well.
            let _ = tickets::write(&folder, origin, &inside, failed);
        }
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The test at this position is done. It is told when those before it are.
    fn tell(&self, at: usize, outcome: Outcomes) {
        let mut guard = self.told();
        let told = &mut *guard;
        if self.is_json() {
            // Each line names its test, and the reader need not wait.
            json::test(&self.programs[outcome.program], &outcome);
        }
        told.waiting.insert(at, outcome);
        while let Some(outcome) = told.waiting.remove(&told.next) {
            told.next += 1;
            let program = &self.programs[outcome.program];
            if let (false, Verdict::Failed(failed)) = (self.is_json(), &outcome.verdict) {
                self.progress.wipe();
                let report = self.report(program, &outcome.name, failed);
                output::line(format_args!("{}: {}", program.title(), escape_line(&outcome.name)));
                output::report(&format!("{report}\n"));
            }
            told.outcomes.push(outcome);
        }
    }

    /// Where its tickets can be replayed.
    fn replayed_at(&self) -> ReplayedAt {
        ReplayedAt::new(&self.folder, &self.workspace.workspace_root, &self.test.cargo.place)
    }

    fn report(&self, program: &Program, name: &str, failed: &Failed) -> String {
        let mut text = match (&failed.failure, &failed.coverage) {
            (Some(failure), Some(coverage)) => {
                let ticket = match (&failed.ticket, &failed.no_ticket) {
                    (Some(path), _) => Ok(path.as_path()),
                    (None, why) => Err(why.as_deref().unwrap_or("there is no ticket")),
                };
                tickets::report(failure, coverage, ticket, &self.replayed_at())
            }
            _ => {
                let why = failed.complaint.as_deref().unwrap_or("it does not say why");
                escape_lines(&format!(
                    "raddle: {name} of {} failed outside of any exploration\n\n  {why}\n",
                    program.title()
                ))
            }
        };
        if failed.failure.as_ref().is_some_and(|failure| is_panic_of_thread(&failure.defect))
            && !self.test.allow_thread_panics
        {
            text.push_str(TRY_ALLOWING);
        }
        if !failed.output.is_empty() {
            text.push_str("  output of this execution\n");
            let from = failed.output.len().saturating_sub(MOST_OUTPUT);
            let from = (from..).find(|at| failed.output.is_char_boundary(*at)).unwrap_or_default();
            if from > 0 {
                text.push_str("    (its end)\n");
            }
            for line in without_ansi(&failed.output[from..]).lines() {
                text.push_str(&format!("    {}\n", escape_lines(line)));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_core::verdict::PanicDuring;

    #[test]
    fn a_double_panic_is_none_that_the_usual_harness_overlooks() {
        let told =
            |cause| is_panic_of_thread(&Defect::of(cause).with(Fact::of("main.1", Relation::Panicked)));
        let (task, message) = (|| "main.1".to_owned(), || "it panics".to_owned());
        assert!(told(Cause::Panicked { task: task(), message: message() }));
        let during = PanicDuring::Unwinding("in a destructor".to_owned());
        assert!(!told(Cause::PanicAborts { task: task(), during, message: Some(message()) }));
    }
}
