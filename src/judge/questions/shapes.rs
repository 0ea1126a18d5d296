//! What a single line looks like: a rule, a table row, a bold title, a statement of a
//! program. Must not look at other lines.

/// Whether a line outside a fence is a statement, a brace or a tag.
pub(super) fn is_code_like(start: &str) -> bool {
    let end = start.trim_end();
    let statement = end.ends_with(';') && end.contains(['(', '=', '{', '}', '"', '\'']);
    let block = end.ends_with(['{', '}']) || end.ends_with("},") || end.ends_with(");");
    let tag = end.starts_with('<')
        && end.ends_with('>')
        && end[1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!'))
        && !end.starts_with("<http");
    let object = end.starts_with("{\"") && end.ends_with('}');
    // Words before an object name it: "API Error: 529 {"type": …}" is no code.
    let named = end.contains("{\"") && !end.starts_with(['{', '[']);
    statement || (block && end.is_ascii() && !named) || tag || object
}

/// Zero-width characters and the byte order mark.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{ad}' | '\u{180e}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether the line is a horizontal rule.
pub(super) fn is_rule(start: &str) -> bool {
    let signs = start.chars().filter(|c| !c.is_whitespace());
    let Some(first) = start
        .chars()
        .next()
        .filter(|c| matches!(c, '-' | '*' | '_' | '=' | '\u{2500}' | '\u{2501}' | '\u{2550}'))
    else {
        return false;
    };
    let mut count = 0;
    for sign in signs {
        if sign != first {
            return false;
        }
        count += 1;
    }
    count >= 3
}

/// Whether the line is a row of a table, or of a box drawn with characters.
pub(super) fn is_table(start: &str, follows_table: bool) -> bool {
    let end = start.trim_end();
    if matches!(start.chars().next(), Some('\u{2500}'..='\u{257f}')) && end.len() > 3 {
        return true;
    }
    if start.starts_with('|') {
        return end.bytes().filter(|&byte| byte == b'|').count() >= 2 || follows_table;
    }
    if is_delimiter_row(start) {
        return true;
    }
    start.contains('|') && follows_table
}

/// Whether the line is the delimiter row below a table's header.
pub(super) fn is_delimiter_row(start: &str) -> bool {
    start.contains('|')
        && start.contains('-')
        && start.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
}

/// Whether the line consists of a single bold passage.
pub(super) fn is_bold_only(start: &str) -> bool {
    let text = start.trim_end().trim_end_matches([':', '\u{ff1a}']);
    for sign in ["**", "__"] {
        if let Some(inner) = text.strip_prefix(sign).and_then(|rest| rest.strip_suffix(sign))
            && !inner.is_empty()
            && !inner.contains(sign)
        {
            return true;
        }
    }
    false
}

/// The cells of a row of a table.
pub(super) fn cells(row: &str) -> Vec<&str> {
    row.trim().trim_matches('|').split('|').map(str::trim).collect()
}
