//! The same programs under raddle, loom and shuttle, in one run, as tables of ratios: `cargo run --release -p
//! peers`. Without arguments all tables are printed; `random`, `samplers`, `exhaustive`, `big`, `zoo`,
//! `erlang` and `judges` select some, and `--cap SECONDS` limits one exhaustive exploration, or one cell of the zoo. Times
//! are CPU times unless a line says otherwise.

mod big;
mod catalogue;
mod child;
mod concuerror;
mod cpu;
mod erlang;
mod exhaustive;
mod judges;
mod loom_side;
mod loom_zoo;
mod number;
mod outcome;
mod raddle_side;
mod raddle_zoo;
mod random;
mod samplers;
mod shuttle_side;
mod shuttle_zoo;
mod zoo;

use catalogue::Program;
use child::Tool;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Duration;
use zoo::Hunter;

/// The seed of every random run, for all tools.
pub const SEED: u64 = 7;

/// Long enough for loom to finish all but one row on an idle machine.
const CAP: Duration = Duration::from_secs(10);
const USAGE: &str =
    "usage: peers [random] [samplers] [exhaustive] [big] [zoo] [erlang] [judges] [--cap SECONDS]
       peers repeat PROGRAM TIMES";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    Random,
    Samplers,
    Exhaustive,
    Big,
    Zoo,
    Erlang,
    Judges,
}

const ALL: [Table; 7] =
    [Table::Random, Table::Samplers, Table::Exhaustive, Table::Big, Table::Zoo, Table::Erlang, Table::Judges];

#[derive(Debug, PartialEq)]
enum Request {
    Print {
        tables: Vec<Table>,
        cap: Duration,
    },
    BeChild {
        tool: Tool,
        program: Program,
        cap: Duration,
    },
    Hunt {
        hunter: Hunter,
        bug: String,
    },
    /// For profilers and instruction counts: explore under raddle this many times, and print the number of executions.
    Repeat {
        program: Program,
        times: usize,
    },
}

/// Consumes a result that no assertion checks.
pub fn record(values: &[usize]) {
    black_box(values);
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match parse(&words) {
        Ok(Request::Print { tables, cap }) => {
            for (i, table) in tables.into_iter().enumerate() {
                if i > 0 {
                    println!();
                }
                match table {
                    Table::Random => random::print(),
                    Table::Samplers => samplers::print(),
                    Table::Exhaustive => exhaustive::print(cap),
                    Table::Big => big::print(),
                    Table::Zoo => zoo::print(cap),
                    Table::Erlang => erlang::print(),
                    Table::Judges => judges::print(),
                }
            }
            ExitCode::SUCCESS
        }
        Ok(Request::BeChild { tool, program, cap }) => child::live(tool, program, cap),
        Ok(Request::Hunt { hunter, bug }) => zoo::live(hunter, &bug),
        Ok(Request::Repeat { program, times }) => {
            let executions: Option<u64> = (0..times).map(|_| raddle_side::explore(program, |_| {})).sum();
            match executions {
                Some(executions) => println!("{executions}"),
                None => eprintln!("raddle failed"),
            }
            ExitCode::from(executions.is_none() as u8)
        }
        Err(error) => {
            eprintln!("{error}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn parse(words: &[&str]) -> Result<Request, String> {
    if let ["child", tool, program, cap] = words {
        let tool = Tool::by_name(tool).ok_or(format!("unknown tool `{tool}`"))?;
        let program = catalogue::by_name(program).ok_or(format!("unknown program `{program}`"))?;
        return Ok(Request::BeChild { tool, program, cap: seconds(cap)? });
    }
    if let ["repeat", program, times] = words {
        let program = catalogue::by_name(program).ok_or(format!("unknown program `{program}`"))?;
        let times = times.parse().map_err(|_| format!("not a number: `{times}`"))?;
        return Ok(Request::Repeat { program, times });
    }
    if let ["hunt", hunter, bug] = words {
        let hunter = Hunter::by_name(hunter).ok_or(format!("unknown hunter `{hunter}`"))?;
        let bug = raddle_zoo::names().find(|name| name == bug).ok_or(format!("unknown bug `{bug}`"))?;
        return Ok(Request::Hunt { hunter, bug: bug.to_owned() });
    }
    let (mut tables, mut cap) = (Vec::new(), CAP);
    let mut rest = words.iter();
    while let Some(&word) = rest.next() {
        match word {
            "random" => tables.push(Table::Random),
            "samplers" => tables.push(Table::Samplers),
            "exhaustive" => tables.push(Table::Exhaustive),
            "big" => tables.push(Table::Big),
            "zoo" => tables.push(Table::Zoo),
            "erlang" => tables.push(Table::Erlang),
            "judges" => tables.push(Table::Judges),
            "--cap" => cap = seconds(rest.next().ok_or("`--cap` needs a number of seconds")?)?,
            _ => return Err(format!("unknown argument `{word}`")),
        }
    }
    if tables.is_empty() {
        tables = ALL.into();
    }
    Ok(Request::Print { tables, cap })
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse().map_err(|_| format!("not a number of seconds: `{text}`"))?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_arguments_all_tables_are_printed() {
        let tables = ALL.to_vec();
        assert_eq!(parse(&[]), Ok(Request::Print { tables, cap: CAP }));
    }

    #[test]
    fn a_program_is_repeated_as_often_as_asked() {
        let program = Program::Racy(2, 2);
        assert_eq!(parse(&["repeat", "racy 2x2", "3"]), Ok(Request::Repeat { program, times: 3 }));
        assert_eq!(parse(&["repeat", "racy", "3"]), Err("unknown program `racy`".to_owned()));
        assert_eq!(parse(&["repeat", "racy 2x2", "-3"]), Err("not a number: `-3`".to_owned()));
    }

    #[test]
    fn tables_and_the_cap_can_be_chosen() {
        let cap = Duration::from_millis(1500);
        let request = Request::Print { tables: vec![Table::Exhaustive], cap };
        assert_eq!(parse(&["exhaustive", "--cap", "1.5"]), Ok(request));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        assert_eq!(parse(&["fast"]), Err("unknown argument `fast`".into()));
        assert!(parse(&["--cap"]).is_err());
        assert!(parse(&["--cap", "-1"]).is_err());
    }

    #[test]
    fn a_child_is_told_by_name_what_to_do() {
        let program = Program::MutexCounter(2, 2);
        let request = Request::BeChild { tool: Tool::Loom, program, cap: CAP };
        assert_eq!(parse(&["child", "loom", "mutex_counter 2x2", "10"]), Ok(request));
    }
}
