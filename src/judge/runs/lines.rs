//! Patterns for the lines that tools print. In a pattern `*` is any text, `#` a number that is not 0, and `{}`
//! a name that is kept; everything else stands for itself. A pattern is for the whole line.

/// A line without the escape sequences that colour it, and without the blanks around it.
pub(super) fn plain(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\u{1b}' => {
                // `ESC [ … letter`, and `ESC ] … BEL`.
                match signs.next() {
                    Some('[') => {
                        signs.by_ref().find(|sign| ('\u{40}'..='\u{7e}').contains(sign));
                    }
                    Some(']') => {
                        signs.by_ref().find(|sign| *sign == '\u{7}');
                    }
                    _ => {}
                }
            }
            '\r' => plain.clear(),
            _ if sign.is_control() && sign != '\t' => {}
            _ => plain.push(sign),
        }
    }
    plain.trim().to_owned()
}

/// Whether `line` fits.
pub(super) fn fits(pattern: &str, line: &str) -> bool {
    fit(pattern, line, &mut None, &mut 0)
}

/// The name that `{}` stands for in a line that fits.
pub(super) fn name_in(pattern: &str, line: &str) -> Option<String> {
    let mut name = None;
    fit(pattern, line, &mut name, &mut 0);
    name
}

/// A fit takes no more steps than these.
const MOST_STEPS: u32 = 20_000;

fn fit(pattern: &str, line: &str, name: &mut Option<String>, n_steps: &mut u32) -> bool {
    *n_steps += 1;
    if *n_steps > MOST_STEPS {
        return false;
    }
    if let Some(after) = pattern.strip_prefix("{}") {
        let ends = line.char_indices().map(|(at, sign)| at + sign.len_utf8());
        let end = ends.into_iter().find(|end| fit(after, &line[*end..], &mut None, n_steps));
        *name = end.map(|end| line[..end].trim().to_owned()).filter(|name| !name.is_empty());
        return name.is_some();
    }
    match pattern.chars().next() {
        None => line.is_empty(),
        Some('*') => {
            let after = &pattern[1..];
            if after.is_empty() {
                return true;
            }
            // Only where the next sign of the pattern stands.
            let next = after.chars().next().filter(|sign| !matches!(sign, '#' | '*' | '{'));
            let starts = line.char_indices().map(|(at, _)| at).chain([line.len()]);
            starts
                .filter(|at| next.is_none_or(|next| line[*at..].starts_with(next)))
                .any(|at| fit(after, &line[at..], name, n_steps))
        }
        Some('#') => {
            let n_digits = line.bytes().take_while(u8::is_ascii_digit).count();
            let is_some = line[..n_digits].bytes().any(|byte| byte != b'0');
            is_some && fit(&pattern[1..], &line[n_digits..], name, n_steps)
        }
        Some(sign) => {
            line.starts_with(sign)
                && fit(&pattern[sign.len_utf8()..], &line[sign.len_utf8()..], name, n_steps)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_for_the_whole_line() {
        assert!(fits("*# failed*", "=== 1 failed, 2 passed ==="));
        assert!(!fits("*# failed*", "0 failed"));
        assert!(fits("*# failed*", "10 failed"));
        assert!(!fits("ok", "ok then"));
        assert_eq!(name_in("test {} ... FAILED", "test a::b ... FAILED"), Some("a::b".to_owned()));
    }

    #[test]
    fn colours_and_overwritten_parts_are_no_text() {
        assert_eq!(plain(" \u{1b}[31;1mFAIL\u{1b}[0m x "), "FAIL x");
        assert_eq!(plain("10%\r100%"), "100%");
    }

    #[test]
    fn no_line_takes_long() {
        let line = "a".repeat(2_000);
        assert!(!fits("*a*a*a*a*a*b", &line));
    }
}
