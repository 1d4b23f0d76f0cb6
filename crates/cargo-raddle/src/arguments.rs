//! The command line.

use crate::erl::Erl;
use crate::search_arguments::{SearchArguments, workers};
use crate::suite_report::{Reports, failure_format};
use clap::{Args, Parser, Subcommand, ValueEnum};
use raddle_core::check::parse_duration;
use raddle_core::memory::Memory;
use std::path::PathBuf;
use std::time::Duration;

/// Explores the existing tests of unmodified crates: every interleaving, or as many as fit into the time.
#[derive(Debug, Parser)]
#[command(name = "cargo raddle", bin_name = "cargo raddle", version)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Explore the tests of a package or workspace, as they are
    Test(Box<Test>),
    /// Run the one schedule of a ticket again, with the program's own output
    Replay(Replay),
    /// Print the report of a ticket again
    Show(Show),
    /// Add raddle and a first test to a package
    New(New),
    /// Explore the EUnit tests of Erlang modules
    Erl(Box<Erl>),
}

#[derive(Debug, Args)]
pub struct Test {
    /// A folder with a package or workspace, and filters for the names of tests
    pub what: Vec<String>,

    #[command(flatten)]
    pub cargo: Cargo,

    #[command(flatten)]
    pub search: SearchArguments,

    #[command(flatten)]
    pub rust: RustArguments,

    #[command(flatten)]
    pub reports: Reports,

    /// List the tests, and do not run them
    #[arg(long)]
    pub list: bool,
    /// Only tests with exactly these names
    #[arg(long, value_name = "TEST", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Run these crates on the real std
    #[arg(long, value_name = "CRATE", value_delimiter = ',')]
    pub exclude: Vec<String>,
    /// Make all reference counts of `Arc` and `Weak` operations, not only those that are found to matter
    #[arg(long)]
    pub track_arc: bool,
    /// Use std's own `Arc` and `Weak`, whose counts are not explored
    #[arg(long, conflicts_with = "track_arc")]
    pub real_arc: bool,
    /// Whether double frees, uses after free and writes beyond heap blocks are found
    #[arg(long, value_name = "WHETHER", default_value = "on")]
    pub heap: Heap,
    /// Find data races on plain memory, and accesses beyond or after heap blocks: compiles all crates with callbacks for that
    /// (also with RADDLE_RACES=1)
    #[arg(long)]
    pub races: bool,
    /// Races that are not reported: a file with lines `race:PATH-OR-FUNCTION`
    #[arg(long, value_name = "FILE")]
    pub suppressions: Option<PathBuf>,
    /// What is in that file.
    #[arg(skip)]
    pub rules: String,
    /// A thread that panics and is never joined does not fail its test, as under the usual harness
    #[arg(long)]
    pub allow_thread_panics: bool,
    /// Set `cfg(miri)` in the packages under test: many crates make their tests smaller under it
    #[arg(long)]
    pub as_miri: bool,
    /// What happens if no test was explored: `fail` with exit code 2, or `pass`
    #[arg(long, value_name = "WHAT", default_value = "fail")]
    pub no_tests: NoTests,
    /// A test that could not be explored ends in exit code 2
    #[arg(long)]
    pub fail_on_skipped: bool,
    /// How many tests are explored at a time [default: as many as fit the machine]
    #[arg(long, value_name = "N", value_parser = workers)]
    pub jobs: Option<usize>,
    /// Stop a test that runs so long without any operation
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    pub patience: Duration,

    /// Filters, and `--exact`, `--ignored`, `--include-ignored`, `--skip TEXT`, as for the usual harness
    #[arg(last = true, value_name = "FILTER", allow_hyphen_values = true)]
    pub harness: Vec<String>,
}

/// What happens if no test was explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NoTests {
    /// Exit code 2
    Fail,
    /// Exit code 0
    Pass,
}

/// Whether what tests do to their heap is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Heap {
    /// It is
    On,
    /// It is not: blocks are only allocated and freed
    Off,
}

/// What else bounds the search of a Rust test.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Rust")]
pub struct RustArguments {
    /// How long all tests together may be explored
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub total_budget: Option<Duration>,
    /// Allow so many spurious wake-ups and failures of weak compare-exchanges
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub spurious: u32,
    /// The memory model of atomics: sc, tso, pso, rc11; auto: sc, and rc11 after it where an ordering is weaker than SeqCst
    /// [default: auto, and sc with --strategy dfs or preemption-bounding]
    #[arg(long, value_name = "MODEL")]
    pub memory: Option<Memory>,
    /// Explore only executions in which at most so many loads read an older store than the last one
    #[arg(long, value_name = "N")]
    pub stale_reads: Option<u32>,
}

/// What is passed on to `cargo test`.
#[derive(Clone, Debug, Default, Args)]
pub struct Cargo {
    #[command(flatten)]
    pub built: Built,
    #[command(flatten)]
    pub place: Place,
}

/// What is built, and how: it belongs to a test, and its tickets carry it.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Passed on to cargo test")]
pub struct Built {
    #[arg(long, short, value_name = "SPEC")]
    pub package: Vec<String>,
    #[arg(long, visible_alias = "all")]
    pub workspace: bool,
    #[arg(long)]
    pub lib: bool,
    #[arg(long)]
    pub bins: bool,
    #[arg(long, value_name = "NAME")]
    pub bin: Vec<String>,
    #[arg(long)]
    pub tests: bool,
    #[arg(long, value_name = "NAME")]
    pub test: Vec<String>,
    #[arg(long)]
    pub examples: bool,
    #[arg(long, value_name = "NAME")]
    pub example: Vec<String>,
    #[arg(long)]
    pub benches: bool,
    #[arg(long, value_name = "NAME")]
    pub bench: Vec<String>,
    #[arg(long)]
    pub all_targets: bool,
    /// Only doctests
    #[arg(long)]
    pub doc: bool,
    #[arg(long, short = 'F', value_name = "FEATURES")]
    pub features: Vec<String>,
    #[arg(long)]
    pub all_features: bool,
    #[arg(long)]
    pub no_default_features: bool,
    #[arg(long, short)]
    pub release: bool,
    #[arg(long, value_name = "NAME")]
    pub profile: Option<String>,
}

/// Where it is built, and under which conditions of this machine. No ticket decides that.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Passed on to cargo test")]
pub struct Place {
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,
    #[arg(long, value_name = "PATH")]
    pub target_dir: Option<PathBuf>,
    #[arg(long)]
    pub locked: bool,
    #[arg(long)]
    pub offline: bool,
    #[arg(long)]
    pub frozen: bool,
    #[arg(long)]
    pub ignore_rust_version: bool,
    /// Taken for granted: a test that fails stops no other
    #[arg(long)]
    pub no_fail_fast: bool,
    #[arg(long, short)]
    pub quiet: bool,
    #[arg(long, short)]
    pub verbose: bool,
    #[arg(long, value_name = "KEY=VALUE")]
    pub config: Vec<String>,
}

impl Built {
    /// Whether programs are wanted that hold tests.
    pub fn wants_programs(&self) -> bool {
        !self.doc
    }

    /// Whether doctests are wanted: alone, or because nothing was chosen.
    pub fn wants_doctests(&self) -> bool {
        let chosen = self.lib || self.bins || self.tests || self.examples || self.benches || self.all_targets;
        let named = [&self.bin, &self.test, &self.example, &self.bench];
        self.doc || !chosen && named.iter().all(|names| names.is_empty())
    }

    /// The arguments again, as cargo takes them.
    pub fn arguments(&self) -> Vec<String> {
        let flags = [
            ("--workspace", self.workspace),
            ("--lib", self.lib),
            ("--bins", self.bins),
            ("--tests", self.tests),
            ("--examples", self.examples),
            ("--benches", self.benches),
            ("--all-targets", self.all_targets),
            ("--all-features", self.all_features),
            ("--no-default-features", self.no_default_features),
            ("--release", self.release),
        ];
        let profile: Vec<String> = self.profile.iter().cloned().collect();
        let lists = [
            ("--package", &self.package),
            ("--bin", &self.bin),
            ("--test", &self.test),
            ("--example", &self.example),
            ("--bench", &self.bench),
            ("--features", &self.features),
            ("--profile", &profile),
        ];
        given(&flags, &lists)
    }
}

impl Place {
    /// The arguments again, as cargo takes them. The target directory is ours and not among them.
    pub fn arguments(&self) -> Vec<String> {
        let flags = [
            ("--locked", self.locked),
            ("--offline", self.offline),
            ("--frozen", self.frozen),
            ("--ignore-rust-version", self.ignore_rust_version),
            ("--quiet", self.quiet),
            ("--verbose", self.verbose),
        ];
        let manifest: Vec<String> =
            self.manifest_path.iter().map(|path| path.display().to_string()).collect();
        given(&flags, &[("--config", &self.config), ("--manifest-path", &manifest)])
    }
}

/// The flags that are given, and the options with their values: as one word each, so that no value is taken for an option.
fn given(flags: &[(&str, bool)], lists: &[(&str, &Vec<String>)]) -> Vec<String> {
    let flags = flags.iter().filter(|(_, given)| *given).map(|(flag, _)| flag.to_string());
    let values = |(option, values): &(&str, &Vec<String>)| -> Vec<String> {
        values.iter().map(|value| format!("{option}={value}")).collect()
    };
    flags.chain(lists.iter().flat_map(values)).collect()
}

#[derive(Debug, Args)]
pub struct Replay {
    /// The ticket's file
    pub ticket: PathBuf,
    /// Run it in gdb
    #[arg(long)]
    pub gdb: bool,
    #[command(flatten)]
    pub place: Place,
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("form").args(["html", "format"])))]
pub struct Show {
    /// The ticket's file
    pub ticket: PathBuf,
    /// As a page for a browser, one file that needs nothing else: the same as --format html
    #[arg(long, conflicts_with = "format")]
    pub html: bool,
    /// In another form: html, json, dot (a graph for Graphviz) or perfetto (trace events)
    #[arg(long, value_name = "FORM", value_parser = failure_format)]
    pub format: Option<String>,
    /// Only this step, from 1: with what else could run there, the locks held, values and mailboxes
    #[arg(long, value_name = "N", conflicts_with = "form")]
    pub step: Option<usize>,
    /// Where to write that form [default: standard output]
    #[arg(long, short, value_name = "FILE", requires = "form")]
    pub output: Option<PathBuf>,
    /// The package or workspace whose sources are quoted [default: that of the current folder]
    #[arg(long, value_name = "PATH")]
    pub manifest_path: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct New {
    /// The folder of the package
    #[arg(default_value = ".")]
    pub folder: PathBuf,
    /// Where raddle comes from: the path or git address of its repository
    #[arg(long, value_name = "PATH OR ADDRESS")]
    pub from: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn cargo_gets_its_arguments_back() {
        let cli =
            Cli::parse_from(["cargo raddle", "test", "--lib", "-F", "a,b", "name", "--", "--exact", "x"]);
        let Command::Test(test) = cli.command else { panic!("it is a test") };
        assert_eq!(test.cargo.built.arguments(), ["--lib", "--features=a,b"]);
        assert_eq!((test.what, test.harness.len()), (vec!["name".to_owned()], 2));
    }
}
