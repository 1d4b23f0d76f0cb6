//! Clocks in virtual time. The wall clock starts at a fixed moment; only timers advance it.

use super::Native;
use crate::run::{Raise, Res, Runner};
use crate::term::{Atom, Term, number};

type R<'a, 'b> = &'a mut Runner<'b>;

/// 2020-01-01 00:00:00 UTC, in nanoseconds since 1970.
pub const EPOCH: u64 = 1_577_836_800_000_000_000;
/// Monotonic time starts at a negative value, as in OTP.
pub const MONOTONIC_START: i64 = -576_460_751_000_000_000;

/// The number of units per second.
pub fn units(t: &Term) -> Result<i128, Raise> {
    Ok(match t {
        Term::Int(n) if *n > 0 => *n as i128,
        Term::Atom(a) => match a.text() {
            "second" | "seconds" => 1,
            "millisecond" | "milli_seconds" => 1_000,
            "microsecond" | "micro_seconds" => 1_000_000,
            "nanosecond" | "nano_seconds" | "native" | "perf_counter" => 1_000_000_000,
            _ => return Err(Raise::badarg()),
        },
        _ => return Err(Raise::badarg()),
    })
}

fn in_units(nanoseconds: i128, unit: Option<&Term>) -> Res {
    let units = unit.map_or(Ok(1_000_000_000), units)?;
    Ok(number::of_i128((nanoseconds * units).div_euclid(1_000_000_000)))
}

/// The time, which the process has read now.
fn read(r: R) -> u64 {
    r.p.reads_clock = true;
    r.now
}

fn system(r: R, a: &[Term]) -> Res {
    in_units(EPOCH as i128 + read(r) as i128, a.first())
}

fn monotonic(r: R, a: &[Term]) -> Res {
    in_units(MONOTONIC_START as i128 + read(r) as i128, a.first())
}

fn offset(_: R, a: &[Term]) -> Res {
    in_units(EPOCH as i128 - MONOTONIC_START as i128, a.first())
}

/// `{MegaSeconds, Seconds, MicroSeconds}`
pub fn stamp(microseconds: u64) -> Term {
    let (seconds, micro) = (microseconds / 1_000_000, microseconds % 1_000_000);
    Term::tuple([seconds / 1_000_000, seconds % 1_000_000, micro].map(|n| Term::Int(n as i64)))
}

/// `{{Year, Month, Day}, {Hour, Minute, Second}}` of seconds since 1970.
pub fn date_time(seconds: i64) -> Term {
    let (days, left) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Days to civil date, in 400-year eras that start in March.
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let m = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * m + 2) / 5 + 1;
    let month = if m < 10 { m + 3 } else { m - 9 };
    let year = year_of_era + era * 400 + (month <= 2) as i64;
    let triple = |a: i64, b: i64, c: i64| Term::tuple([a, b, c].map(Term::Int));
    Term::tuple([triple(year, month, day), triple(left / 3600, left / 60 % 60, left % 60)])
}

/// Seconds since 1970 of `{{Year, Month, Day}, {Hour, Minute, Second}}`.
pub fn seconds(t: &Term) -> Option<i64> {
    let [date, time] = t.as_tuple()? else { return None };
    let numbers = |t: &Term| -> Option<[i64; 3]> {
        let all: Vec<i64> = t.as_tuple()?.iter().map(Term::as_int).collect::<Option<_>>()?;
        all.try_into().ok()
    };
    let ([year, month, day], [h, m, s]) = (numbers(date)?, numbers(time)?);
    // Years start in March, so that a leap day is the last of its year.
    let (y, from_march) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let era = y.div_euclid(400);
    let year_of_era = y.rem_euclid(400);
    let day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + (153 * from_march + 2) / 5 + day - 1;
    let seconds = (era * 146_097 + day_of_era - 719_468) * 86_400 + h * 3600 + m * 60 + s;
    // An invalid date does not round-trip.
    (date_time(seconds) == *t).then_some(seconds)
}

fn universal(r: R, _: &[Term]) -> Res {
    Ok(date_time(((EPOCH + read(r)) / 1_000_000_000) as i64))
}

fn half(r: R, first: bool) -> Res {
    let both = universal(r, &[])?;
    Ok(both.as_tuple().map_or(Term::Nil, |t| t[!first as usize].clone()))
}

fn convert(_: R, a: &[Term]) -> Res {
    let (from, to) = (units(&a[1])?, units(&a[2])?);
    let Some(n) = a[0].as_int() else { return Err(Raise::badarg()) };
    Ok(number::of_i128((n as i128 * to).div_euclid(from)))
}

fn statistics(r: R, a: &[Term]) -> Res {
    match a[0].as_atom().map(Atom::text) {
        Some("wall_clock" | "runtime") => {
            let ms = Term::Int((read(r) / 1_000_000) as i64);
            Ok(Term::tuple([ms, Term::Int(0)]))
        }
        _ => Err(Raise::unsupported(format!("erlang:statistics({}) is not supported", a[0]))),
    }
}

fn unique_integer(r: R, a: &[Term]) -> Res {
    // Plain unique integers are local: unique by process and count. The process's name is part of the
    // integer, so two processes never share one.
    let positive = match a.first().map(|o| o.to_vec().ok_or_else(Raise::badarg)).transpose()? {
        None => false,
        Some(options) => {
            for o in &options {
                if !matches!(o.as_atom().map(Atom::text), Some("positive" | "monotonic")) {
                    return Err(Raise::badarg());
                }
            }
            options.iter().any(|o| o.as_atom().is_some_and(|o| o.text() == "positive"))
        }
    };
    r.p.uniques += 1;
    let unique = (r.p.pid.hash64() >> 34 << 32) as i64 + r.p.uniques as i64;
    Ok(Term::Int(if positive { unique } else { unique - (1 << 62) }))
}

const E: &str = "erlang";

pub static TABLE: &[Native] = &[
    Native::local("erlang", "posixtime_to_universaltime", 1, |_, a| {
        a[0].as_int().filter(|n| n.abs() < 1 << 40).map(date_time).ok_or_else(Raise::badarg)
    }),
    Native::local("erlang", "universaltime_to_posixtime", 1, |_, a| {
        seconds(&a[0]).map(Term::Int).ok_or_else(Raise::badarg)
    }),
    Native::local(E, "system_time", 0, system),
    Native::local(E, "system_time", 1, system),
    Native::local("os", "system_time", 0, system),
    Native::local("os", "system_time", 1, system),
    Native::local("os", "perf_counter", 0, |r, _| Ok(Term::Int(read(r) as i64))),
    Native::local("os", "timestamp", 0, |r, _| Ok(stamp((EPOCH + read(r)) / 1_000))),
    Native::local(E, "timestamp", 0, |r, _| Ok(stamp((EPOCH + read(r)) / 1_000))),
    Native::local(E, "monotonic_time", 0, monotonic),
    Native::local(E, "monotonic_time", 1, monotonic),
    Native::local(E, "time_offset", 0, offset),
    Native::local(E, "time_offset", 1, offset),
    Native::local(E, "convert_time_unit", 3, convert),
    Native::local(E, "universaltime", 0, universal),
    Native::local(E, "localtime", 0, universal),
    Native::local(E, "date", 0, |r, _| half(r, true)),
    Native::local(E, "time", 0, |r, _| half(r, false)),
    Native::local(E, "universaltime_to_localtime", 1, |_, a| Ok(a[0].clone())),
    Native::local(E, "localtime_to_universaltime", 1, |_, a| Ok(a[0].clone())),
    Native::local(E, "localtime_to_universaltime", 2, |_, a| Ok(a[0].clone())),
    Native::local(E, "statistics", 1, statistics),
    Native::local(E, "unique_integer", 0, unique_integer),
    Native::local("raddle", "local_unique_integer", 1, unique_integer),
];
