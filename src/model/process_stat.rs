//! What the text of `/proc/<pid>/stat` tells of a process (proc(5)). It reads no file.

/// The major number of pseudo-terminals' devices: `/dev/pts/N` is its Nth (Linux, devices.txt).
const PSEUDO_TERMINALS: u32 = 136;

/// What is used of a process's `stat`. A number of a process that is not seen from here (outside of the
/// container) is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessStat {
    /// It ended, and nobody has taken notice yet.
    pub is_dead: bool,
    /// It was stopped, by Ctrl-Z or a debugger, and does nothing until it is continued.
    pub is_stopped: bool,
    /// The number of the process that started it, or that took it over.
    pub parent: u32,
    /// The number of its process group.
    pub group: u32,
    /// The number of its session.
    pub session: u32,
    /// The number of its pseudo-terminal: 3 for `/dev/pts/3`.
    pub pseudo_terminal: Option<u32>,
    /// The group that its terminal listens to; `None` without a terminal.
    pub foreground_group: Option<u32>,
    /// When it started, in clock ticks since boot.
    pub started_at: u64,
}

impl ProcessStat {
    /// Reads the text of a `stat` file; `None` where it is none.
    pub fn parse(stat: &[u8]) -> Option<ProcessStat> {
        // The second field is the program's name in brackets, and any bytes can stand in it.
        let end = stat.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let field = |number: usize| fields.get(number - 3).copied();
        Some(ProcessStat {
            is_dead: matches!(field(3)?, "Z" | "X" | "x"),
            is_stopped: matches!(field(3)?, "T" | "t"),
            parent: field(4)?.parse().ok()?,
            group: field(5)?.parse().ok()?,
            session: field(6)?.parse().ok()?,
            pseudo_terminal: pseudo_terminal(field(7)?.parse::<i32>().ok()?.cast_unsigned()),
            foreground_group: u32::try_from(field(8)?.parse::<i32>().ok()?).ok(),
            started_at: field(22)?.parse().ok()?,
        })
    }
}

/// The pseudo-terminal of a `tty_nr`: bits 8 to 19 are the major number, the others the minor one.
fn pseudo_terminal(tty: u32) -> Option<u32> {
    let (major, minor) = ((tty >> 8) & 0xfff, (tty & 0xff) | ((tty >> 12) & 0xf_ff00));
    (major == PSEUDO_TERMINALS).then_some(minor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_blanks_does_not_shift_the_fields() {
        let fields = "S 41 5 6 34819 7 4194304 0 0 0 0 0 0 0 0 20 0 1 0 777 0 0";
        let stat = ProcessStat::parse(format!("9 (a) b (c) {fields}").as_bytes()).unwrap();
        let wanted = ProcessStat {
            is_dead: false,
            is_stopped: false,
            parent: 41,
            group: 5,
            session: 6,
            pseudo_terminal: Some(3),
            foreground_group: Some(7),
            started_at: 777,
        };
        assert_eq!(stat, wanted);
        assert_eq!(ProcessStat::parse(b"9 (a) S 41"), None);
        assert_eq!(ProcessStat::parse(b"\xff"), None);
    }

    #[test]
    fn numbers_of_terminals_are_those_of_proc() {
        assert_eq!(pseudo_terminal(0), None);
        assert_eq!(pseudo_terminal(34816), Some(0));
        assert_eq!(pseudo_terminal(0x0010_882c), Some(0x12c));
        // A console.
        assert_eq!(pseudo_terminal(0x0401), None);
    }
}
