//! Parses the text of `/proc/<pid>/stat` (proc(5)). It reads no file.

/// The major device number of pseudo-terminals: `/dev/pts/N` has the minor number N (Linux, devices.txt).
const PSEUDO_TERMINALS: u32 = 136;

/// The fields of a process's `stat` that closeout uses. The number of a process that is invisible from here
/// (outside the container) is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessStat {
    /// It has ended, and its parent has not collected it yet.
    pub is_dead: bool,
    /// It sleeps until something happens.
    pub is_asleep: bool,
    /// It was stopped, by Ctrl-Z or a debugger, and does nothing until it is continued.
    pub is_stopped: bool,
    /// The id of the parent: the process that started it or adopted it.
    pub parent: u32,
    /// The id of its process group.
    pub group: u32,
    /// The id of its session.
    pub session: u32,
    /// The number of its pseudo-terminal: 3 for `/dev/pts/3`; `None` if it has no such terminal.
    pub pseudo_terminal: Option<u32>,
    /// The foreground process group of its terminal; `None` without a terminal.
    pub foreground_group: Option<u32>,
    /// When it started, in clock ticks since boot.
    pub started_at: u64,
}

impl ProcessStat {
    /// Parses the text of a `stat` file; `None` if it is malformed.
    pub fn parse(stat: &[u8]) -> Option<ProcessStat> {
        // The second field is the program's name in parentheses and may contain any bytes.
        let end = stat.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let field = |number: usize| fields.get(number - 3).copied();
        Some(ProcessStat {
            is_dead: matches!(field(3)?, "Z" | "X" | "x"),
            is_asleep: field(3)? == "S",
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

/// The pseudo-terminal for a `tty_nr`: bits 8 to 19 are the major number, the others the minor number.
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
            is_asleep: true,
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
