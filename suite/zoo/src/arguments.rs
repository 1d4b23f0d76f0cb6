//! Parses the command line. An invalid argument is an error that names it.

use raddle::Sampler;
use std::path::PathBuf;
use zoo::under_raddle::{self as bugs, Bug};

/// The text of `--help` and after an error.
pub const USAGE: &str = "\
usage: zoo [--trials N] [--budget N] [--seed N] [--only BUG,..] [--strategy NAME,..] [--svg FILE] [--jobs N]
       zoo --fixed [--budget N] [--only BUG,..]
       zoo --simplified [--budget N] [--seed N] [--only BUG,..]
       zoo --causes [--budget N] [--seed N] [--only BUG,..]
       zoo --list

  --trials N      how often each bug is looked for by each strategy (20)
  --budget N      how many schedules each trial may take (20000; for --fixed 100000)
  --seed N        trial i draws with a seed made from this one and i (0)
  --only A,B      only the bugs whose names start with one of these
  --strategy A,B  only these strategies: portfolio, uniform, pct:3, swarm, pos, places, surw, urw, procrastinate, reads-from,
                  go-explore
  --svg FILE      draws how many bugs were found after how many schedules
  --jobs N        trials at the same time (as many as there are processors)
  --fixed         checks that the fixed forms have no bug left, instead of looking for the bugs
  --simplified    prints how many preemptions and steps the schedules have that are found and shown, and the least number of
                  preemptions, and checks that no more are shown
  --causes        prints the lines that explanations name, and whether they are marked as causes
  --list          prints the names of the bugs";

/// The task of the command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    Measure,
    Fixed,
    Simplified,
    Causes,
    List,
    Help,
}

/// The parsed command line.
pub struct Request {
    pub work: Work,
    pub trials: u64,
    pub budget: u64,
    pub seed: u64,
    pub bugs: Vec<Bug>,
    pub samplers: Vec<Sampler>,
    pub svg: Option<PathBuf>,
    pub jobs: usize,
}

/// Parses the command line.
pub fn parse(words: &[String]) -> Result<Request, String> {
    let mut request = Request {
        work: Work::Measure,
        trials: 20,
        budget: 0,
        seed: 0,
        bugs: bugs::ALL.to_vec(),
        samplers: Sampler::ALL.to_vec(),
        svg: None,
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
    };
    let mut rest = words.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        let mut value = || rest.next().ok_or(format!("`{word}` needs a value"));
        match word {
            "--trials" => request.trials = number(word, value()?)?.max(1),
            "--budget" => request.budget = number(word, value()?)?.max(1),
            "--seed" => request.seed = number(word, value()?)?,
            "--jobs" => request.jobs = number(word, value()?)?.max(1) as usize,
            "--svg" => request.svg = Some(value()?.into()),
            "--only" => request.bugs = chosen(value()?)?,
            "--strategy" => {
                request.samplers = value()?.split(',').map(str::parse).collect::<Result<_, _>>()?;
            }
            "--fixed" => request.work = Work::Fixed,
            "--simplified" => request.work = Work::Simplified,
            "--causes" => request.work = Work::Causes,
            "--list" => request.work = Work::List,
            "--help" | "-h" => request.work = Work::Help,
            _ => return Err(format!("unknown argument `{word}`")),
        }
    }
    if request.budget == 0 {
        request.budget = if request.work == Work::Fixed { 100_000 } else { 20_000 };
    }
    Ok(request)
}

fn number(word: &str, text: &str) -> Result<u64, String> {
    text.replace(['_', ','], "").parse().map_err(|_| format!("`{word}` takes a number, not `{text}`"))
}

fn chosen(names: &str) -> Result<Vec<Bug>, String> {
    let mut chosen = Vec::new();
    for name in names.split(',') {
        let before = chosen.len();
        chosen.extend(bugs::ALL.iter().filter(|bug| bug.name.starts_with(name)));
        if chosen.len() == before {
            return Err(format!("there is no bug `{name}`; `--list` prints those that there are"));
        }
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Request, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse(&words)
    }

    #[test]
    fn reads_what_the_readme_says() {
        let request =
            parsed("--trials 100 --budget 20_000 --strategy pct:4,pos --only reorder_1,twostage").unwrap();
        assert_eq!((request.trials, request.budget, request.work), (100, 20_000, Work::Measure));
        assert_eq!(request.samplers, [Sampler::Pct(4), Sampler::Pos]);
        let names: Vec<_> = request.bugs.iter().map(|bug| bug.name).collect();
        assert_eq!(names, ["reorder_10", "reorder_100", "twostage", "twostage_100"]);
        assert_eq!(parsed("--fixed").unwrap().budget, 100_000);
    }

    #[test]
    fn nonsense_is_an_error_that_says_what_is_wrong() {
        let error = |line| parsed(line).err().unwrap();
        assert_eq!(error("--trials"), "`--trials` needs a value");
        assert_eq!(error("--budget x"), "`--budget` takes a number, not `x`");
        assert_eq!(error("--only nobody"), "there is no bug `nobody`; `--list` prints those that there are");
        assert!(error("--strategy luck").starts_with("there is no sampler `luck`"));
        assert_eq!(error("faster"), "unknown argument `faster`");
    }
}
