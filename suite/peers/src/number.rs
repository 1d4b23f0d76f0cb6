//! The format of numbers in the tables: counts with commas, times in a fitting unit, ratios with an `x`.

use std::time::Duration;

/// `1234567` as `1,234,567`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A rate or another fraction, rounded to a count.
pub fn rounded(x: f64) -> String {
    count(x.round() as u64)
}

/// Three digits or more, in ns, µs, ms or s.
pub fn time(duration: Duration) -> String {
    let nanos = duration.as_nanos() as f64;
    let (value, unit) = match nanos {
        n if n < 1e3 => (n, "ns"),
        n if n < 1e6 => (n / 1e3, "µs"),
        n if n < 1e9 => (n / 1e6, "ms"),
        n => (n / 1e9, "s"),
    };
    format!("{} {unit}", three_digits(value))
}

/// `12.3x`; from a hundred on, a count.
pub fn ratio(x: f64) -> String {
    format!("{}x", three_digits(x))
}

fn three_digits(x: f64) -> String {
    match x {
        x if x < 9.995 => format!("{x:.2}"),
        x if x < 99.95 => format!("{x:.1}"),
        x => rounded(x),
    }
}

/// The summary of a column of ratios: their geometric mean, the minimum and the maximum.
pub fn summary(ratios: &[f64]) -> String {
    if ratios.is_empty() {
        return "nothing to compare".into();
    }
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = ratios.iter().copied().fold(0.0, f64::max);
    format!("geometric mean {}, from {} to {}", ratio(mean), ratio(least), ratio(greatest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_commas() {
        let texts = [0, 7, 999, 1_000, 162_390, 1_000_000].map(count);
        assert_eq!(texts, ["0", "7", "999", "1,000", "162,390", "1,000,000"]);
        assert_eq!(rounded(69_000.4), "69,000");
    }

    #[test]
    fn times_choose_their_unit() {
        let texts = [240, 3_700, 28_000_000, 14_840_000_000, 250_000_000_000]
            .map(|nanos| time(Duration::from_nanos(nanos)));
        assert_eq!(texts, ["240 ns", "3.70 µs", "28.0 ms", "14.8 s", "250 s"]);
    }

    #[test]
    fn ratios_keep_three_digits() {
        let texts = [0.5, 9.999, 12.34, 99.97, 1234.5].map(ratio);
        assert_eq!(texts, ["0.50x", "10.0x", "12.3x", "100x", "1,235x"]);
    }

    #[test]
    fn the_mean_of_ratios_is_geometric() {
        assert_eq!(summary(&[2.0, 8.0]), "geometric mean 4.00x, from 2.00x to 8.00x");
        assert_eq!(summary(&[]), "nothing to compare");
    }
}
