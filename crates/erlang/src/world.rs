//! The Erlang world as the engine sees it. States are kept along the way, so that an execution that begins
//! like the last one continues from a copy instead of running again.

use crate::beam::{Import, Instr, Mfa, Module};
use crate::code::{Code, SearchPath};
use crate::linear;
use crate::machine::{self, Log, Machine};
use crate::run::Env;
use crate::settings::Settings;
use crate::term::{Atom, Term};
use raddle_core::operation::{Accesses, TaskId};
use raddle_core::story::{Actor, Line, Story};
use raddle_core::world::{Describe, Driver, End, Ending, Past, Pick, Point, Snapshot, World};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A test to explore: where its code is, what is called, and how.
#[derive(Clone, Debug)]
pub struct Program {
    /// Where modules are found.
    pub path: SearchPath,
    /// The module of the test.
    pub module: String,
    /// The function of the test, which takes no arguments.
    pub function: String,
    /// What shapes executions.
    pub settings: Settings,
}

/// States beyond this depth are kept only now and then.
const KEPT_DENSELY: usize = 2_000;
const SPARSE: usize = 64;

/// The Erlang world.
#[derive(Clone)]
pub struct ErlangWorld {
    begin: Machine,
    /// The state before each step; none where it was not kept. One more than `picks`.
    states: Vec<Option<Machine>>,
    picks: Vec<Pick>,
    /// How many of them the present execution has taken.
    depth: usize,
    /// The picks of the execution before this one.
    last_time: Vec<Pick>,
    assumptions: Vec<String>,
}

/// The code in which every process begins: `erlang:apply(M, F, Args)`.
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
    }
}

impl ErlangWorld {
    /// The world of a program.
    pub fn new(program: &Program) -> ErlangWorld {
        let env = Rc::new(Env { code: Code::new(program.path.clone()), settings: program.settings.clone() });
        let (module, function) = (Atom::new(&program.module), Atom::new(&program.function));
        let begin = if program.function.ends_with("_test_") {
            // A generator of EUnit's: it says what is to be tested.
            let args = vec![Term::Atom(module), Term::Atom(function)];
            Machine::new(env, Atom::new("raddle_eunit"), Atom::new("run"), args)
        } else {
            Machine::new(env, module, function, Vec::new())
        };
        let assumptions = program.settings.words();
        let states = vec![Some(begin.clone())];
        ErlangWorld { begin, states, picks: Vec::new(), depth: 0, last_time: Vec::new(), assumptions }
    }

    /// The world of a program, for reductions: the order in which messages arrive is left open as far as nobody
    /// sees it. [`ErlangWorld::in_order`] gives a run as it happens.
    pub fn unordered(program: &Program) -> ErlangWorld {
        let mut world = ErlangWorld::new(program);
        world.begin.leave_order_open();
        world.states = vec![Some(world.begin.clone())];
        world
    }

    /// The state after so many steps of the present execution.
    fn state(&self, depth: usize) -> Machine {
        self.then(depth, &[]).expect("it was there")
    }

    /// The present execution as it happens when messages have an order: the picks in the world `ordered` of the
    /// same program. None if it cannot happen.
    pub fn in_order(&self, ordered: &ErlangWorld) -> Option<Vec<Pick>> {
        let picks = &self.picks[..self.depth];
        let order = match self.machine().has_overtaken() {
            true => Some(linear::order(&|depth| self.state(depth), picks)?),
            false => None,
        };
        let mut machine = ordered.begin.clone();
        let mut taken = Vec::new();
        let mut next = self.begin.clone();
        for number in 0..picks.len() {
            let step = order.as_ref().map_or(number, |order| order[number]);
            let pick = picks[step];
            let state = match &order {
                Some(_) => self.state(step),
                None => {
                    let state = next.clone();
                    next.step(pick);
                    state
                }
            };
            if state.is_hurried() {
                // It went on in the same step.
                continue;
            }
            let key = state.key_of(state.receiver_of(pick.task.index()).unwrap_or(pick.task.index()));
            let task = TaskId(machine.with_key(key).expect("the same tasks are there") as u32);
            if state.tells_the_dead(pick.task.index(), &machine, task.index()) {
                continue;
            }
            let options = machine.point().pending(task).options;
            let option = if options == 1 { 0 } else { pick.option };
            assert!(option < options, "raddle: {} cannot move where it did", describe(&machine, task));
            machine.step(Pick { task, option });
            taken.push(Pick { task, option });
        }
        Some(taken)
    }

    /// The opposite: what corresponds, in this world, to a step that `ordered` can take where both are.
    pub fn without_order(&self, ordered: &ErlangWorld, pick: Pick) -> Pick {
        let key = ordered.machine().key_of(pick.task.index());
        let task = self.machine().with_key(key).expect("the same tasks are there");
        self.machine().first_to_take(task).unwrap_or(Pick { task: TaskId(task as u32), option: pick.option })
    }

    /// Whether the step that corresponds to a step of `ordered` only tells somebody who is not told there, having
    /// ended before.
    pub fn tells_the_dead(&self, ordered: &ErlangWorld, pick: Pick) -> bool {
        let task = self.without_order(ordered, pick).task.index();
        self.machine().tells_the_dead(task, ordered.machine(), pick.task.index())
    }

    /// Whether a step of a world in which messages have an order is not complete yet here.
    pub fn is_hurried(&self) -> bool {
        self.machine().is_hurried()
    }

    /// Names a task independently of the schedule.
    pub fn key_of(&self, task: TaskId) -> u64 {
        self.machine().key_of(task.index())
    }

    fn machine(&self) -> &Machine {
        self.states[self.depth].as_ref().expect("the present state is there")
    }

    /// The state after these picks, with everything written down on the way if wanted.
    fn replay(&self, picks: &[Pick], recording: bool) -> Machine {
        let mut machine = self.begin.clone();
        if recording {
            machine.record();
        }
        picks.iter().for_each(|pick| machine.step(*pick));
        machine
    }

    /// Takes a step, or recalls it if it is the one that was taken here the last time.
    fn go(&mut self, pick: Pick) {
        let known = self.picks.get(self.depth) == Some(&pick);
        if known && self.states[self.depth + 1].is_some() {
            self.depth += 1;
            return;
        }
        if !known {
            self.picks.truncate(self.depth);
            self.states.truncate(self.depth + 1);
        }
        let keep = self.depth < KEPT_DENSELY || self.depth.is_multiple_of(SPARSE);
        let here = &mut self.states[self.depth];
        let mut machine = if keep { here.clone() } else { here.take() }.expect("the present state is there");
        machine.step(pick);
        if known {
            self.states[self.depth + 1] = Some(machine);
        } else {
            self.picks.push(pick);
            self.states.push(Some(machine));
        }
        self.depth += 1;
    }

    /// A world that is where this one is, without its past.
    pub fn single(&self) -> ErlangWorld {
        let now = self.machine().clone();
        ErlangWorld {
            begin: now.clone(),
            states: vec![Some(now)],
            picks: Vec::new(),
            depth: 0,
            last_time: Vec::new(),
            assumptions: self.assumptions.clone(),
        }
    }

    /// What processes have printed, by name.
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
            Some(pick) => describe(&self.replay(&self.last_time[..index], false), pick.task),
            None => "nothing".to_owned(),
        }
    }
}

fn describe(machine: &Machine, task: TaskId) -> String {
    format!("{} {}", machine.name_of(task.index()), machine.words(task.index()))
}

impl ErlangWorld {
    /// The state after the first `before` steps and then the steps `also`, as far as it can be brought about.
    fn then(&self, before: usize, also: &[u32]) -> Option<Machine> {
        let kept = (0..=before).rev().find(|d| self.states[*d].is_some())?;
        let mut machine = self.states[kept].clone()?;
        self.picks[kept..before].iter().for_each(|pick| machine.step(*pick));
        let present = self.machine();
        for step in also {
            let pick = self.picks[*step as usize];
            let task = TaskId(machine.with_key(present.key_of(pick.task.index()))? as u32);
            if machine.point().pending(task).options <= pick.option {
                return None;
            }
            machine.step(Pick { task, option: pick.option });
        }
        Some(machine)
    }
}

impl Past for ErlangWorld {
    fn can_block(&self, task: TaskId) -> bool {
        self.machine().can_block(task.index())
    }
    fn could_happen(&self, task: TaskId, before: usize, also: &[u32]) -> bool {
        if let Some(answer) = self.is_plain_to_see(task.index(), before, also) {
            debug_assert_eq!(answer, self.could_happen_by_trying(task, before, also));
            return answer;
        }
        self.could_happen_by_trying(task, before, also)
    }
    fn accesses_then(&self, task: TaskId, before: usize, also: &[u32]) -> Accesses {
        let key = self.machine().key_of(task.index());
        let then = self.then(before, also);
        match then.as_ref().and_then(|machine| machine.with_key(key).map(|t| (machine, t))) {
            Some((machine, t)) => machine.accesses_in(t, self.machine()),
            None => self.machine().point().pending(task).accesses,
        }
    }
}

impl ErlangWorld {
    /// Whether an operation could happen there, if that can be told without trying: where the order of messages
    /// is left open, from where its process was then.
    fn is_plain_to_see(&self, task: usize, before: usize, also: &[u32]) -> Option<bool> {
        let (now, then) = (self.machine(), self.states[before].as_ref()?);
        if !now.is_order_open() || now.depends_on_others(task) {
            return None;
        }
        let process = now.receiver_of(task)?;
        let moves = |step: &u32| {
            let at = *step as usize;
            let (pick, state) = (self.picks[at], self.states[at].as_ref());
            pick.task.index() == process
                || state.is_none_or(|s| now.would_move(process, s.point().pending(pick.task).accesses))
        };
        if then.point().all().len() <= process || also.iter().any(moves) {
            return None;
        }
        if task == process {
            return then.is_waiting(process).then_some(false);
        }
        if !then.is_waiting(process) {
            return Some(false);
        }
        then.is_letter(task).then(|| then.point().pending(TaskId(task as u32)).options > 0)
    }

    fn could_happen_by_trying(&self, task: TaskId, before: usize, also: &[u32]) -> bool {
        let key = self.machine().key_of(task.index());
        self.then(before, also).is_some_and(|machine| {
            machine.with_key(key).is_some_and(|t| machine.point().pending(TaskId(t as u32)).options > 0)
        })
    }
}

impl World for ErlangWorld {
    type Outcome = String;

    fn start(&mut self) {
        self.last_time = self.picks[..self.depth].to_vec();
        self.depth = 0;
    }
    fn point(&self) -> Point<'_> {
        self.machine().point().with_past(self)
    }
    fn ending(&self) -> Ending {
        if self.machine().is_cut() { Ending::Cut } else { Ending::Natural }
    }
    fn is_possible(&self) -> bool {
        !self.machine().has_overtaken()
            || linear::order(&|depth| self.state(depth), &self.picks[..self.depth]).is_some()
    }
    fn step(&mut self, pick: Pick) {
        self.go(pick);
    }
    fn drive(&mut self, driver: &mut dyn Driver) {
        loop {
            let point = self.point();
            if point.is_over() {
                return;
            }
            let Some(pick) = driver.next(&point, self).pick() else { return };
            self.go(pick);
        }
    }
    fn end(&mut self) -> End<String> {
        match self.machine().ending() {
            machine::Ending::Passed(result) => End::Passed(result),
            machine::Ending::Failed(defect) => End::Failed(defect),
        }
    }
    fn story(&self) -> Story {
        let machine = self.replay(&self.picks[..self.depth], true);
        let tasks = machine.point().all().len();
        let actors =
            (0..tasks).map(|t| Actor { name: machine.name_of(t), label: machine.label_of(t) }).collect();
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
            Line {
                actor: log.task,
                step: number,
                verb: log.text.clone(),
                object: None,
                detail,
                place: log.place.clone(),
                preempts: false,
                reads_from: None,
            }
        };
        let lines = entries.into_iter().rev().filter(|l| !l.text.is_empty()).map(line).collect();
        Story { actors, lines, ..Story::default() }
    }
    fn assumptions(&self) -> Vec<String> {
        self.assumptions.clone()
    }
}

impl Snapshot for ErlangWorld {
    fn fingerprint(&self) -> u128 {
        self.machine().fingerprint()
    }
}
