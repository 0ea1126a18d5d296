//! Control sequences that make a terminal notify a person. They must not contain anything from outside that a
//! terminal could take for more than text.

use std::fmt::Write as _;

use crate::model::NoticeRoute;

/// Save and restore the window's title (xterm's `CSI 22 ; 2 t` and `CSI 23 ; 2 t`).
pub(super) const SAVE_TITLE: &str = "\u{1b}[22;2t";
pub(crate) const RESTORE_TITLE: &str = "\u{1b}[23;2t";

/// The control sequences of a notice. `text` must already be cleaned.
pub(super) fn notice(ways: &[NoticeRoute], text: &str, is_in_tmux: bool) -> String {
    // A semicolon would end a field of the sequence.
    let text = text.replace(';', ",");
    let mut signs = String::new();
    for way in ways {
        let sequence = match way {
            NoticeRoute::Bell => {
                // tmux takes a pane's bell itself, and passes it on as its user configured.
                signs.push('\u{7}');
                continue;
            }
            NoticeRoute::Title | NoticeRoute::Desktop => continue,
            NoticeRoute::Osc9 => format!("\u{1b}]9;{text}\u{7}"),
            NoticeRoute::Osc777 => format!("\u{1b}]777;notify;closeout;{text}\u{7}"),
            NoticeRoute::Osc99 => format!("\u{1b}]99;;{text}\u{1b}\\"),
        };
        if is_in_tmux {
            // Writing to a string cannot fail.
            let _ = write!(signs, "\u{1b}Ptmux;{}\u{1b}\\", sequence.replace('\u{1b}', "\u{1b}\u{1b}"));
        } else {
            signs.push_str(&sequence);
        }
    }
    signs
}

/// Sets the window's title, with the number of workspaces that need the person. tmux takes a pane's title
/// itself.
pub(super) fn title(n_in_need: usize) -> String {
    match n_in_need {
        0 => "\u{1b}]2;closeout\u{7}".to_owned(),
        1 => "\u{1b}]2;closeout: 1 needs you\u{7}".to_owned(),
        _ => format!("\u{1b}]2;closeout: {n_in_need} need you\u{7}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signs_of_each_way_and_through_tmux() {
        let all = [NoticeRoute::Bell, NoticeRoute::Osc9, NoticeRoute::Osc777, NoticeRoute::Osc99];
        let expected = "\u{7}\u{1b}]9;a,b: is finished\u{7}\u{1b}]777;notify;closeout;a,b: is finished\u{7}\
                        \u{1b}]99;;a,b: is finished\u{1b}\\";
        assert_eq!(notice(&all, "a;b: is finished", false), expected);
        let inside = notice(&[NoticeRoute::Osc99], "a: failed", true);
        assert_eq!(inside, "\u{1b}Ptmux;\u{1b}\u{1b}]99;;a: failed\u{1b}\u{1b}\\\u{1b}\\");
        assert_eq!(title(2), "\u{1b}]2;closeout: 2 need you\u{7}");
    }
}
