//! The curves as a picture: how many bugs were found after how many schedules, and the cost of a bug, as in
//! figures 16 and 17 of Walker's thesis. Both axes of schedules are logarithmic.

use crate::arguments::Request;
use crate::measure::Trials;
use crate::statistics::{found_within, short, spent_within};
use std::fmt::Write;

const WIDTH: f64 = 430.;
const HEIGHT: f64 = 300.;
const TOP: f64 = 60.;
const LEFTS: [f64; 2] = [60., 570.];
/// Distinguishable with colour blindness.
const COLOURS: [&str; 10] = [
    "#000000", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c564b", "#7f7f7f",
    "#bcbd22",
];

/// Draws the rows that the table returned.
pub fn draw(request: &Request, rows: &[Vec<Trials>]) -> String {
    let points = schedules(request.budget);
    let curves = |value: &dyn Fn(usize, u64) -> Option<f64>| -> Vec<Vec<(u64, f64)>> {
        let curve = |at: usize| points.iter().filter_map(|n| Some((*n, value(at, *n)?))).collect();
        (0..request.samplers.len()).map(curve).collect()
    };
    let found = |at: usize, n: u64| rows.iter().map(|row| found_within(&row[at], n)).sum::<f64>();
    let spent = |at: usize, n: u64| rows.iter().map(|row| spent_within(&row[at], n)).sum::<f64>();
    let bugs = curves(&|at, n| Some(found(at, n)));
    let costs = curves(&|at, n| (found(at, n) > 0.).then(|| spent(at, n) / found(at, n)));

    let legend = 22. * request.samplers.len().div_ceil(5) as f64;
    let (width, height) = (LEFTS[1] + WIDTH + 40., TOP + HEIGHT + 60. + legend);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let most = rows.len() as f64;
    panel(&mut svg, LEFTS[0], "bugs found", request.budget, &bugs, &Scale::Even(most));
    let dearest = costs.iter().flatten().map(|(_, cost)| *cost).fold(10., f64::max);
    panel(&mut svg, LEFTS[1], "schedules per bug found", request.budget, &costs, &Scale::Log(dearest));
    for (at, sampler) in request.samplers.iter().enumerate() {
        let (x, y) = (LEFTS[0] + 180. * (at % 5) as f64, TOP + HEIGHT + 55. + 22. * (at / 5) as f64);
        let colour = colour(at);
        writeln!(
            svg,
            "<line x1=\"{x}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"{colour}\" stroke-width=\"{}\"/>\
             <text x=\"{}\" y=\"{}\">{sampler}</text>",
            x + 24.,
            thickness(at),
            x + 30.,
            y + 4.
        )
        .expect("text can be written");
    }
    svg.push_str("</svg>\n");
    svg
}

fn colour(at: usize) -> &'static str {
    COLOURS[at % COLOURS.len()]
}

/// The first strategy is emphasised.
fn thickness(at: usize) -> f64 {
    if at == 0 { 3. } else { 1.5 }
}

/// Where the curves are evaluated: densely at first, where they differ.
fn schedules(budget: u64) -> Vec<u64> {
    let mut points = Vec::new();
    let mut n = 1;
    while n < budget {
        points.push(n);
        n += (n / 12).max(1);
    }
    points.push(budget);
    points
}

/// The scale of the vertical axis.
enum Scale {
    /// From 0 to this.
    Even(f64),
    /// From 1 to this.
    Log(f64),
}

impl Scale {
    fn part(&self, value: f64) -> f64 {
        match self {
            Scale::Even(most) => value / most,
            Scale::Log(most) => value.max(1.).ln() / most.ln(),
        }
    }
    fn ticks(&self) -> Vec<f64> {
        match self {
            Scale::Even(most) => {
                let step = if *most > 20. { 10. } else { (most / 5.).ceil() };
                std::iter::successors(Some(0.), |x| Some(x + step)).take_while(|x| x <= most).collect()
            }
            Scale::Log(most) => powers(*most),
        }
    }
}

/// 1, 10, 100, … up to this.
fn powers(most: f64) -> Vec<f64> {
    std::iter::successors(Some(1.), |x| Some(x * 10.)).take_while(|x| *x <= most).collect()
}

fn panel(svg: &mut String, left: f64, title: &str, budget: u64, curves: &[Vec<(u64, f64)>], scale: &Scale) {
    let x = |n: f64| left + WIDTH * n.ln() / (budget.max(2) as f64).ln();
    let y = |value: f64| TOP + HEIGHT * (1. - scale.part(value));
    let mut add = |line: String| {
        svg.push_str(&line);
        svg.push('\n');
    };
    add(format!("<text x=\"{left}\" y=\"{}\" font-size=\"15\">{title}</text>", TOP - 20.));
    for tick in scale.ticks() {
        let (y, right) = (y(tick), left + WIDTH);
        add(format!("<line x1=\"{left}\" y1=\"{y}\" x2=\"{right}\" y2=\"{y}\" stroke=\"#ddd\"/>"));
        let label = short(tick).replace(".0", "");
        add(format!("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{label}</text>", left - 6., y + 4.));
    }
    let bottom = TOP + HEIGHT;
    for tick in powers(budget as f64) {
        let x = x(tick);
        add(format!("<line x1=\"{x}\" y1=\"{TOP}\" x2=\"{x}\" y2=\"{bottom}\" stroke=\"#eee\"/>"));
        let label = short(tick).replace(".0", "");
        add(format!("<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{label}</text>", bottom + 16.));
    }
    let (middle, below) = (left + WIDTH / 2., bottom + 34.);
    add(format!("<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">schedules</text>"));
    // The first one last, so that it lies on top.
    for (at, curve) in curves.iter().enumerate().rev() {
        let points: Vec<String> =
            curve.iter().map(|(n, value)| format!("{:.1},{:.1}", x(*n as f64), y(*value))).collect();
        let (points, colour, thickness) = (points.join(" "), colour(at), thickness(at));
        add(format!(
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{thickness}\"/>"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::parse;

    #[test]
    fn there_is_a_curve_for_every_strategy_in_both_panels() {
        let words = ["--strategy", "portfolio,pos", "--only", "racy", "--budget", "100"].map(str::to_owned);
        let request = parse(&words).unwrap();
        let svg = draw(&request, &[vec![vec![Some(1), Some(3)], vec![Some(50), None]]]);
        assert_eq!(svg.matches("<polyline").count(), 4);
        assert!(svg.contains(">portfolio</text>") && svg.contains(">bugs found</text>"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn curves_are_evaluated_up_to_the_budget() {
        let points = schedules(20_000);
        assert!(points.starts_with(&[1, 2, 3]) && points.ends_with(&[20_000]) && points.len() < 200);
        assert!(points.is_sorted());
    }
}
