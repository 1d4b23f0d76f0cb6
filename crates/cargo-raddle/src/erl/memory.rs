//! How much memory this process takes and may take: by Linux's `/proc`; where that is missing there is no limit.

/// What this process takes now, in bytes.
pub fn taken() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    kilobytes(&status, "VmRSS:")
}

/// The usual limit: half of what the machine has.
pub fn usual_limit() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    kilobytes(&info, "MemTotal:").map(|total| total / 2)
}

fn kilobytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_in_kilobytes() {
        assert_eq!(kilobytes("Name: a\nVmRSS:\t   12 kB\n", "VmRSS:"), Some(12 << 10));
        assert_eq!(kilobytes("VmRSS: many", "VmRSS:"), None);
    }
}
