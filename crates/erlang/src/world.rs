//! The Erlang world of the search. Snapshots are taken along an execution, so that the next one continues
//! from their common prefix instead of executing it again (see `keep.rs`).

use crate::arrival_order::ArrivalLog;
use crate::beam::{Import, Instr, Mfa, Module};
use crate::code::{Code, SearchPath};
use crate::counterfactual::{Done, Moves, Standings};
use crate::ends::Unobserved;
use crate::keep::Kept;
use crate::linear;
use crate::machine::{self, EtsStepCache, LocalRunCache, Log, Machine, Task};
use crate::process::Process;
use crate::record_changes::{Changes, Processes};
use crate::run::Env;
use crate::settings::Settings;
use crate::term::{Atom, Term};
use crate::watch::Halt;
use raddle_core::fact::Assumption;
use raddle_core::operation::TaskId;
use raddle_core::record::{ExecutionRecord, Line, TaskInfo};
use raddle_core::trace::Step;
use raddle_core::verdict::{Defect, FailureKind};
use raddle_core::world::{
    Describe, End, Ended, Ending, Explain, Finished, Pick, Point, Rewind, Snapshot, World,
};
use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::rc::Rc;

/// A test to explore: its code, its function and its settings.
#[derive(Clone, Debug)]
pub struct Program {
    /// The search path.
    pub path: SearchPath,
    /// The module of the test.
    pub module: String,
    /// The function of the test, of arity 0.
    pub function: String,
    /// The settings of an execution.
    pub settings: Settings,
}

/// The Erlang world.
#[derive(Clone)]
pub struct ErlangWorld {
    begin: Machine,
    /// The present state.
    now: Machine,
    /// Snapshots of the present execution.
    kept: Kept,
    /// Its steps.
    pub(crate) done: Vec<Done>,
    /// The standing of tasks after each step.
    pub(crate) standings: Standings,
    /// Which of them change which process.
    pub(crate) moves: Moves,
    /// Its arrivals and receives, with unordered mailboxes.
    arrivals: ArrivalLog,
    /// The picks of the execution before.
    last_time: Vec<Pick>,
    /// The processes of the last deadlock, and its defect.
    deadlock: Option<(Vec<Rc<Process>>, Defect)>,
    assumptions: Vec<Assumption>,
}

/// An execution that is translated to ordered mailboxes, as far as it has come.
struct Translation {
    machine: Machine,
    taken: Vec<Pick>,
}

impl Translation {
    /// Adds the step `pick` from `state`. Returns the key of its process and its task there; none if nothing was added.
    fn add(&mut self, state: &Machine, pick: Pick) -> Option<(u64, usize)> {
        if state.is_hurried() {
            // It continued in the same step.
            return None;
        }
        let Translation { machine, taken } = self;
        let key = state.key_of(state.receiver_of(pick.task.index()).unwrap_or(pick.task.index()));
        if state.delivers_to_the_dead(pick.task.index(), machine) {
            return None;
        }
        let task = TaskId(machine.with_key(key).expect("the same tasks are there") as u32);
        if state.tells_the_dead(pick.task.index(), machine, task.index()) {
            return None;
        }
        let options = machine.point().pending(task).options;
        let option = if options == 1 { 0 } else { pick.option };
        assert!(option < options, "raddle: {} cannot move where it did", describe(machine, task));
        machine.step(Pick { task, option });
        taken.push(Pick { task, option });
        Some((key, task.index()))
    }

    /// The step that was added led to the state `next`.
    fn add_end(&mut self, (key, task): (u64, usize), next: &Machine) {
        let Translation { machine, taken } = self;
        // An unobserved exit is a step of its own here.
        if next.has_ended(key) && machine.is_ending(task) {
            let pick = Pick { task: TaskId(task as u32), option: 0 };
            machine.step(pick);
            taken.push(pick);
        }
    }
}

/// The module with the start instruction of every process: `erlang:apply(M, F, Args)`.
pub(crate) fn start_module() -> Module {
    let apply = Import { mfa: Mfa::new("erlang", "apply", 3), target: OnceCell::new() };
    Module {
        name: Atom::new("raddle_start"),
        md5: [0; 16],
        exports: HashMap::new(),
        locals: HashMap::new(),
        imports: vec![apply],
        lambdas: Vec::new(),
        code: vec![Instr::CallExtOnly(0), Instr::End],
        functions: Vec::new(),
        lines: Vec::new(),
        files: Vec::new(),
        attributes: Term::Nil,
        compile_info: Term::Nil,
        has_on_load: false,
    }
}

impl ErlangWorld {
    /// The world of a program.
    pub fn new(program: &Program) -> ErlangWorld {
        ErlangWorld::with(program, Rc::new(Code::new(program.path.clone())), None)
    }

    /// The world of the same program with ordered mailboxes.
    pub fn with_order(&self, program: &Program) -> ErlangWorld {
        ErlangWorld::with(program, self.begin.code(), None)
    }

    fn with(program: &Program, code: Rc<Code>, unobserved: Option<Unobserved>) -> ErlangWorld {
        let env = Rc::new(Env {
            code,
            settings: program.settings.clone(),
            run_cache: LocalRunCache::default(),
            ets_cache: EtsStepCache::default(),
            unobserved,
            treat_as_normal: program.settings.normal_reasons(),
            timers_were_cut: Cell::new(false),
            loops_were_cut: Cell::new(false),
            sleeps_were_cut: Cell::new(false),
            activity_is_read: Cell::new(false),
            listens: Cell::new(true),
            changed: Cell::default(),
        });
        let (module, function) = (Atom::new(&program.module), Atom::new(&program.function));
        let begin = if program.function.ends_with("_test_") {
            // An EUnit generator, which returns the tests to run.
            let args = vec![Term::Atom(module), Term::Atom(function)];
            Machine::new(env, Atom::new("raddle_eunit"), Atom::new("run"), args)
        } else {
            Machine::new(env, module, function, Vec::new())
        };
        begin.listen(false);
        let assumptions = program.settings.assumptions();
        ErlangWorld::from(begin, assumptions)
    }

    fn from(begin: Machine, assumptions: Vec<Assumption>) -> ErlangWorld {
        let now = begin.clone();
        let mut world = ErlangWorld {
            begin,
            now,
            kept: Kept::default(),
            done: Vec::new(),
            standings: Standings::default(),
            moves: Moves::default(),
            arrivals: ArrivalLog::default(),
            last_time: Vec::new(),
            deadlock: None,
            assumptions,
        };
        world.begin_again();
        world
    }

    fn begin_again(&mut self) {
        self.now.clone_from(&self.begin);
        self.kept.clear();
        self.done.clear();
        self.standings = Standings::default();
        self.moves.clear();
        self.arrivals.truncate(0);
        for task in 0..self.now.point().all().len() {
            self.standings.note(task, 0, self.now.standing(task));
        }
    }

    fn picks(&self) -> Vec<Pick> {
        self.done.iter().map(|done| done.pick).collect()
    }

    /// The world of a program with unordered mailboxes, for reductions. [`ErlangWorld::in_order`] translates
    /// an execution to ordered ones.
    pub fn unordered(program: &Program) -> ErlangWorld {
        ErlangWorld::new(program).with_order_open()
    }

    /// The same, under the assumption that exits are unobserved.
    pub fn unobserved(program: &Program, unobserved: &Unobserved) -> ErlangWorld {
        let code = Rc::new(Code::new(program.path.clone()));
        ErlangWorld::with(program, code, Some(unobserved.clone())).with_order_open()
    }

    fn with_order_open(self) -> ErlangWorld {
        let mut world = self;
        world.begin.leave_order_open();
        world.begin_again();
        world
    }

    /// The states before each step of the present execution, and after the last.
    fn states(&self) -> Vec<Machine> {
        let mut states = vec![self.begin.clone()];
        for done in &self.done {
            let mut next = states[states.len() - 1].clone();
            next.step(done.pick);
            states.push(next);
        }
        states
    }

    /// The present execution with ordered mailboxes: the picks in the world `ordered` of the same program.
    /// None if it is not possible there.
    pub fn in_order(&self, ordered: &ErlangWorld) -> Option<Vec<Pick>> {
        let mut translated = Translation { machine: ordered.begin.clone(), taken: Vec::new() };
        if self.machine().has_overtaken() {
            let (states, picks) = (self.states(), self.picks());
            for step in linear::order(&states, &picks)? {
                if let Some(added) = translated.add(&states[step], picks[step]) {
                    translated.add_end(added, &states[step + 1]);
                }
            }
        } else {
            // The states are needed one by one.
            let mut state = self.begin.clone();
            for done in &self.done {
                let added = translated.add(&state, done.pick);
                state.step(done.pick);
                if let Some(added) = added {
                    translated.add_end(added, &state);
                }
            }
        }
        Some(translated.taken)
    }

    /// Whether the present execution is possible with ordered mailboxes.
    fn is_possible(&self) -> bool {
        // A world that begins in the middle of an execution knows nothing of the earlier arrivals.
        if !self.machine().has_overtaken() || self.begin.has_arrivals() {
            return true;
        }
        let mut replayed: Option<(usize, Machine)> = None;
        let is_possible = self.arrivals.is_possible(|step, receiver, message| {
            let fits = |state: &Machine| state.would_fit(receiver, &message.content);
            let (nearest, state) = self.kept.nearest(step).unwrap_or((0, &self.begin));
            if nearest == step {
                return fits(state);
            }
            let begun = replayed.take().filter(|(at, _)| nearest <= *at && *at <= step);
            let (mut at, mut state) = begun.unwrap_or_else(|| (nearest, state.clone()));
            while at < step {
                state.step(self.done[at].pick);
                at += 1;
            }
            let fits = fits(&state);
            replayed = Some((at, state));
            fits
        });
        debug_assert_eq!(is_possible, linear::order(&self.states(), &self.picks()).is_some());
        is_possible
    }

    /// The inverse: the pick in this world for a step that `ordered` can take in the corresponding state.
    pub fn without_order(&self, ordered: &ErlangWorld, pick: Pick) -> Pick {
        let key = ordered.machine().key_of(pick.task.index());
        let task = self.machine().with_key(key).expect("the same tasks are there");
        self.machine().first_to_take(task).unwrap_or(Pick { task: TaskId(task as u32), option: pick.option })
    }

    /// Whether the step that corresponds to a step of `ordered` only sends DOWN to a process that had exited,
    /// and is not sent there.
    pub fn tells_the_dead(&self, ordered: &ErlangWorld, pick: Pick) -> bool {
        let task = self.without_order(ordered, pick).task.index();
        self.machine().tells_the_dead(task, ordered.machine(), pick.task.index())
    }

    /// Whether the next step of a task only sends DOWN to a process that has exited, with no visible effect.
    pub fn tells_the_gone(&self, task: TaskId) -> bool {
        self.machine().tells_the_gone(task.index())
    }

    /// Whether a step of the world with ordered mailboxes is not complete yet here.
    pub fn is_hurried(&self) -> bool {
        self.machine().is_hurried()
    }

    /// Whether mailboxes are unordered.
    pub fn is_order_open(&self) -> bool {
        self.machine().is_order_open()
    }

    /// A name of the task that does not depend on the schedule.
    pub fn key_of(&self, task: TaskId) -> u64 {
        self.machine().key_of(task.index())
    }

    pub(crate) fn machine(&self) -> &Machine {
        &self.now
    }

    /// The state after these picks.
    fn replay(&self, picks: &[Pick]) -> Machine {
        let mut machine = self.begin.clone();
        picks.iter().for_each(|pick| machine.step(*pick));
        machine
    }

    /// The state after these picks, with a log, and what each step changed.
    fn replay_and_compare(&self, picks: &[Pick]) -> (Machine, Vec<Changes>) {
        let mut machine = self.begin.clone();
        machine.record();
        let mut changes = Vec::with_capacity(picks.len());
        let mut processes = Processes::of(&machine);
        for pick in picks {
            machine.step(*pick);
            changes.push(processes.step_to(&machine));
        }
        (machine, changes)
    }

    /// Takes a step.
    fn go(&mut self, pick: Pick) {
        let before = self.done.len();
        if self.kept.is_due(before, &self.now) {
            self.kept.keep(before, &self.now);
        }
        let accesses = self.now.point().pending(pick.task).accesses;
        let tasks = self.now.tasks.len();
        let process = self.now.process_changed_by(pick.task.index());
        let earlier = self.moves.add(before, pick.task.index(), process, accesses);
        self.arrivals.note_receive(&self.now, before, pick);
        self.now.listen(true);
        self.now.step(pick);
        self.now.halt_if_wanted();
        self.now.listen(false);
        let hurries = self.now.is_hurried();
        self.done.push(Done { pick, accesses, mark: self.now.moved(), hurries, before: earlier });
        let ErlangWorld { now, standings, arrivals, .. } = self;
        for task in &now.tasks[tasks..] {
            if let Task::UnorderedMessage(message) = task {
                arrivals.note_arrival(before, message);
            }
        }
        now.each_looked_at(|task| standings.note(task, before + 1, now.standing(task)));
    }

    /// Backtracks to the first `steps` steps of the present execution.
    fn go_back(&mut self, steps: usize) {
        let length = self.done.len();
        self.kept.go_back(length, steps);
        if steps == length {
            return;
        }
        let (mut at, nearest) = self.kept.nearest(steps).unwrap_or((0, &self.begin));
        self.now.clone_from(nearest);
        let begun = at;
        if at < steps {
            while at < steps {
                if at > begun && self.kept.is_due_again(at, steps, &self.now) {
                    self.kept.keep(at, &self.now);
                }
                self.now.step(self.done[at].pick);
                at += 1;
            }
            self.kept.keep(steps, &self.now);
        }
        self.moves.remove(steps, &self.done[steps..]);
        self.done.truncate(steps);
        self.standings.truncate(steps);
        self.arrivals.truncate(steps);
    }

    /// A world in the same state, without its history.
    pub fn single(&self) -> ErlangWorld {
        ErlangWorld::from(self.machine().clone(), self.assumptions.clone())
    }

    /// The output of processes, by name.
    pub fn output(&self) -> Vec<(String, String)> {
        let printed = self.machine().processes().map(|(_, p)| (p.pid.to_string(), p.printed()));
        printed.filter(|(_, text)| !text.is_empty()).collect()
    }
}

impl Describe for ErlangWorld {
    fn describe(&self, task: TaskId) -> String {
        describe(self.machine(), task)
    }
    fn describe_last_time(&self, index: usize) -> String {
        match self.last_time.get(index) {
            Some(pick) => describe(&self.replay(&self.last_time[..index]), pick.task),
            None => "nothing".to_owned(),
        }
    }
}

fn describe(machine: &Machine, task: TaskId) -> String {
    format!("{} {}", machine.name_of(task.index()), machine.words(task.index()))
}

impl ErlangWorld {
    /// The state after the first `before` steps and then the steps `also`, as far as they are enabled.
    pub(crate) fn then(&self, before: usize, also: &[u32]) -> Option<Machine> {
        let (kept, state) = self.kept.nearest(before).unwrap_or((0, &self.begin));
        let mut machine = state.clone();
        self.done[kept..before].iter().for_each(|done| machine.step(done.pick));
        let present = self.machine();
        for step in also {
            let pick = self.done[*step as usize].pick;
            let task = TaskId(machine.with_key(present.key_of(pick.task.index()))? as u32);
            if machine.point().pending(task).options <= pick.option {
                return None;
            }
            machine.step(Pick { task, option: pick.option });
        }
        Some(machine)
    }
}

impl World for ErlangWorld {
    type Outcome = String;

    fn start(&mut self) {
        self.last_time = self.picks();
        self.begin_again();
    }
    fn point(&self) -> Point<'_> {
        self.machine().point().with_counterfactual(self)
    }
    fn step(&mut self, pick: Pick) {
        self.go(pick);
    }
    fn end(&mut self, stopped: Option<Defect>) -> Ended<String> {
        if let Some(why) = stopped {
            return Ended::stopped(why);
        }
        if let Some(why) = self.machine().halted_by() {
            return Ended::stopped(why);
        }
        let ending = if self.machine().is_cut() { Ending::Cut } else { Ending::Natural };
        Ended { ending, is_possible: self.is_possible(), end: self.result() }
    }
    fn is_interrupted(&self) -> bool {
        self.begin.settings().watch.halted() == Some(Halt::Interrupted)
    }
    fn finish(&mut self) -> Finished {
        let settings = self.begin.settings();
        let is_order_read = self.is_order_open() && settings.unread_order.is_refuted();
        let is_refuted = self.now.are_ends_observed() || settings.dynamic.is_refuted() || is_order_read;
        Finished { is_refuted, ..Finished::default() }
    }
    fn rewind(&mut self) -> Option<&mut dyn Rewind> {
        Some(self)
    }
}

impl Rewind for ErlangWorld {
    fn rewind_to(&mut self, steps: &[Step]) -> bool {
        let same = |(done, step): (&Done, &Step)| done.pick == step.pick();
        let was_there = steps.len() <= self.done.len() && self.done.iter().zip(steps).all(same);
        if was_there {
            self.go_back(steps.len());
        }
        was_there
    }
}

impl ErlangWorld {
    fn result(&mut self) -> End<String> {
        // Many executions end in the same deadlock.
        if let Some((waiting, defect)) = &self.deadlock
            && self.machine().are_all_that_wait(waiting)
        {
            return End::Failed(defect.clone());
        }
        match self.machine().ending() {
            machine::Ending::Passed(result) => End::Passed(result),
            machine::Ending::Failed(defect) => {
                if defect.kind == FailureKind::Deadlock {
                    let waiting = self.machine().waiting().cloned().collect();
                    self.deadlock = Some((waiting, defect.clone()));
                }
                End::Failed(defect)
            }
        }
    }
}

impl Explain for ErlangWorld {
    fn record(&self) -> ExecutionRecord {
        let mut picks = self.picks();
        if self.now.halted_by().is_some() {
            // Its last step was not completed.
            picks.pop();
        }
        let (machine, changes) = self.replay_and_compare(&picks);
        let tasks = machine.point().all().len();
        let tasks =
            (0..tasks).map(|t| TaskInfo { name: machine.name_of(t), label: machine.label_of(t) }).collect();
        let mut entries: Vec<&Log> = Vec::new();
        let mut at = machine.recorded();
        while let Some(log) = at {
            entries.push(log);
            at = log.before.as_deref();
        }
        let mut step = 0;
        let line = |log: &Log| {
            let number = log.step.then(|| {
                step += 1;
                step - 1
            });
            let detail = if log.result.is_empty() { String::new() } else { format!("→ {}", log.result) };
            let changes = number.and_then(|step| changes.get(step)).cloned().unwrap_or_default();
            Line {
                task: log.task,
                step: number,
                operation: log.text.clone(),
                result: detail,
                place: log.place.clone(),
                exits: log.exits,
                spawns: changes.spawns,
                mailboxes: changes.mailboxes,
                ..Line::default()
            }
        };
        let lines = entries.into_iter().rev().filter(|l| !l.text.is_empty()).map(line).collect();
        ExecutionRecord { tasks, lines, ..ExecutionRecord::default() }
    }
    fn assumptions(&self) -> Vec<Assumption> {
        let cut = self.begin.timers_were_cut().then_some(Assumption::TimersAfterTest(machine::LATE_FIRINGS));
        // A process that is asked what it does may be found anywhere in a round, and one that sleeps at another time.
        let fair = self.begin.rounds_were_left_out().then_some(Assumption::FairSpins(1));
        self.assumptions.iter().cloned().chain(cut).chain(fair).collect()
    }
}

impl Snapshot for ErlangWorld {
    fn fingerprint(&self) -> u128 {
        self.machine().fingerprint()
    }
}
