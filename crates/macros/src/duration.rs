//! Durations in human form: a whole number and a unit, `500ms`, `5s`, `2m`, `1h`. They are parsed at compile
//! time, so that a typing error is a compile error.

/// No search takes longer: 10 years.
pub const LONGEST: u64 = 10 * 8_760 * 3_600 * 1_000;

/// The milliseconds of `text`; none if it is invalid or overflows.
pub fn milliseconds(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim_start() {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60 * 1_000,
        "h" => 60 * 60 * 1_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor).filter(|time| *time <= LONGEST)
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn a_number_and_a_unit() {
        assert_eq!(milliseconds("500ms"), Some(500));
        assert_eq!(milliseconds("5s"), Some(5_000));
        assert_eq!(milliseconds("2m"), Some(120_000));
        assert_eq!(milliseconds("1h"), Some(3_600_000));
        assert_eq!(milliseconds(" 10 s "), Some(10_000));
        assert_eq!(milliseconds("0s"), Some(0));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "5",
            "s",
            "5 seconds",
            "1.5s",
            "-5s",
            "1m30s",
            "5S",
            "99999999999999999999s",
            "9999999999999999h",
            "87601h",
        ] {
            assert_eq!(milliseconds(text), None, "{text:?}");
        }
    }
}
