//! Numbers in words for the user: a number with its noun, a size in bytes.
//!
//! For display only; nothing here rounds numbers that are used in calculations.

use std::fmt::Display;

/// A number with its noun: `1 file`, `2 files`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(n: N, one: &str, many: &str) -> String {
    let noun = if n == N::from(1) { one } else { many };
    format!("{n} {noun}")
}

/// A size in the largest unit that leaves at least 1, in steps of 1,000, rounded to the nearest: `312 B`,
/// `1.5 kB`, `300 MB`.
pub fn size(n_bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if n_bytes < 1_000 {
        return format!("{n_bytes} B");
    }
    let mut unit = 0;
    // Counted in tenths to avoid floating point.
    let mut tenths = (n_bytes.saturating_add(50)) / 100;
    while tenths >= 10_000 && unit + 1 < UNITS.len() {
        tenths = (tenths + 500) / 1_000;
        unit += 1;
    }
    match (tenths / 10, tenths % 10) {
        (whole, 0) => format!("{whole} {}", UNITS[unit]),
        (whole, _) if whole >= 100 => format!("{whole} {}", UNITS[unit]),
        (whole, tenth) => format!("{whole}.{tenth} {}", UNITS[unit]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_its_noun() {
        assert_eq!(counted(0_usize, "entry", "entries"), "0 entries");
        assert_eq!(counted(1_u32, "entry", "entries"), "1 entry");
        assert_eq!(counted(2_u64, "entry", "entries"), "2 entries");
    }

    #[test]
    fn sizes_have_their_unit() {
        for (n, shown) in [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1 kB"),
            (1_540, "1.5 kB"),
            (9_999, "10 kB"),
            (12_345, "12.3 kB"),
            (999_999, "1 MB"),
            (1_000_000, "1 MB"),
            (314_572_800, "314 MB"),
            (2_147_483_648, "2.1 GB"),
            (u64::MAX, "18446744 TB"),
        ] {
            assert_eq!(size(n), shown, "{n}");
        }
    }
}
