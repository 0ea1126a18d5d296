//! Scripts that are written without blanks between words. Must not know any language.

/// Whether a character belongs to a script that is matched without spaces (Chinese, Japanese, Korean).
pub(super) fn is_joined(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{31f0}'..='\u{31ff}' | '\u{3005}'..='\u{3007}')
}
