//! The date of a moment.

use std::time::{SystemTime, UNIX_EPOCH};

/// The date in UTC, as `2026-11-15`.
pub fn of(time: SystemTime) -> String {
    let mut days = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / 86_400);
    let is_leap = |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn days_have_their_dates() {
        let days = [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (365, "1971-01-01"),
            (11_016, "2000-02-29"),
            (11_322, "2000-12-31"),
            (11_323, "2001-01-01"),
            (20_772, "2026-11-15"),
        ];
        for (day, date) in days {
            assert_eq!(of(UNIX_EPOCH + Duration::from_secs(day * 86_400 + 86_399)), date);
        }
    }
}
