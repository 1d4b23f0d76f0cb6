//! The positions of the columns. Only one task takes a step in a line, so its text may extend over the columns to its
//! right, which are empty there; a column must be wide enough to be visible, not to hold its longest text.

use crate::text;
use crate::view_model::{Event, Task, ViewModel};

/// The least distance between two columns.
const CLOSEST: usize = 10;
/// The distance from which columns look well, if source is to stand beside them.
const COMFORTABLE: usize = 14;
/// The least room for the text of the last column.
const NARROWEST: usize = 20;

/// Which task has which lane. Phantoms live in the lane of their owner; tasks that do nothing have none.
pub struct Lanes {
    of_task: Vec<Option<usize>>,
    /// The titles of the lanes, from left to right.
    pub titles: Vec<String>,
}

impl Lanes {
    /// The lanes that a view needs.
    pub fn new(view: &ViewModel<'_>) -> Lanes {
        let mut lanes = Lanes { of_task: vec![None; view.tasks.len()], titles: Vec::new() };
        let owners: std::collections::BTreeSet<usize> =
            view.events().map(|e| owner(&view.tasks, e.task)).collect();
        for owner in owners {
            lanes.of_task[owner] = Some(lanes.titles.len());
            lanes.titles.push(view.tasks[owner].title.clone());
        }
        for task in 0..view.tasks.len() {
            lanes.of_task[task] = lanes.of_task[owner(&view.tasks, task)];
        }
        lanes
    }

    /// The lane of an event.
    pub fn lane(&self, event: &Event<'_>) -> usize {
        self.of_task[event.task].expect("a task with an event has a lane")
    }
}

/// The task in whose lane `task` is shown.
fn owner(tasks: &[Task], task: usize) -> usize {
    match &tasks[task].phantom {
        Some((owner, _)) => self::owner(tasks, *owner),
        None => task,
    }
}

/// The columns that were found to fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fit {
    /// Where each lane begins.
    pub starts: Vec<usize>,
    /// Where the text of the lanes ends at the latest.
    pub end: usize,
}

/// What has to fit.
pub struct Need<'n> {
    /// The columns that are used at the left.
    pub margin: usize,
    /// The longest text in each lane.
    pub texts: &'n [usize],
    /// The title of each lane.
    pub titles: &'n [usize],
}

/// How the lanes may be placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Squeeze {
    /// Only if it looks well.
    Comfortable,
    /// As far as it can be read; text may have to be wrapped.
    Tight,
}

/// Places the lanes as far apart as `end` allows, at most as far as they need.
pub fn fit(need: &Need<'_>, end: usize, squeeze: Squeeze) -> Option<Fit> {
    let wanted = |i: usize| need.texts[i].max(need.titles[i]) + 2;
    let place = |most: usize| -> Vec<usize> {
        let mut at = need.margin;
        let step = |i| {
            let start = at;
            at += wanted(i).clamp(CLOSEST, most.max(CLOSEST));
            start
        };
        (0..need.texts.len()).map(step).collect()
    };
    let reach =
        |starts: &[usize]| starts.iter().zip(need.texts).map(|(s, t)| s + t).max().unwrap_or(need.margin);
    let titles_end = |starts: &[usize]| {
        let last = starts.len().checked_sub(1)?;
        Some(starts[last] + need.titles[last].min(NARROWEST))
    };
    let widest = (0..need.texts.len()).map(wanted).max().unwrap_or(CLOSEST).max(CLOSEST);
    let least = if squeeze == Squeeze::Comfortable { COMFORTABLE } else { CLOSEST };
    for most in (least..=widest.max(least)).rev() {
        let starts = place(most);
        let reached = reach(&starts).max(titles_end(&starts).unwrap_or(0));
        if reached <= end {
            return Some(Fit { starts, end: reached });
        }
    }
    let starts = place(CLOSEST);
    let last = *starts.last()?;
    (squeeze == Squeeze::Tight && last + NARROWEST <= end).then_some(Fit { starts, end })
}

/// The widths of `texts`.
pub fn widths(texts: &[String]) -> Vec<usize> {
    texts.iter().map(|t| text::width(t)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(texts: &[usize], end: usize, squeeze: Squeeze) -> Option<(Vec<usize>, usize)> {
        let titles = vec![6; texts.len()];
        fit(&Need { margin: 6, texts, titles: &titles }, end, squeeze).map(|f| (f.starts, f.end))
    }

    #[test]
    fn with_room_every_lane_holds_its_texts() {
        assert_eq!(starts(&[20, 30, 30], 120, Squeeze::Comfortable), Some((vec![6, 28, 60], 90)));
    }

    #[test]
    fn with_less_room_texts_run_over_the_lanes_to_their_right() {
        assert_eq!(starts(&[20, 30, 30], 74, Squeeze::Comfortable), Some((vec![6, 25, 44], 74)));
    }

    #[test]
    fn too_close_is_not_comfortable() {
        assert_eq!(starts(&[20, 30, 30], 58, Squeeze::Comfortable), None);
        assert_eq!(starts(&[20, 30, 30], 58, Squeeze::Tight), Some((vec![6, 17, 28], 58)));
    }

    #[test]
    fn at_last_texts_are_wrapped_and_then_nothing_fits() {
        assert_eq!(starts(&[20, 30, 30], 46, Squeeze::Tight), Some((vec![6, 16, 26], 46)));
        assert_eq!(starts(&[20, 30, 30], 45, Squeeze::Tight), None);
    }
}
