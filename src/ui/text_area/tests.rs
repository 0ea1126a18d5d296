//! Tests of the text area: edit by edit, and under random edits.

use proptest::prelude::*;

use super::keys::{Meaning, meaning_of};
use super::rows::Rows;
use super::{Edit, LeftOut, MAX_BYTES, TextArea};
use crate::ui::input::{KeyCode, KeyPress};

const ROOM: usize = 20;

/// An area with the cursor at the bar.
fn area(marked: &str) -> TextArea {
    let cursor = marked.find('|').unwrap();
    TextArea { cursor, ..TextArea::of(marked.replacen('|', "", 1)) }
}

fn marked(area: &TextArea) -> String {
    format!("{}|{}", &area.text()[..area.cursor()], &area.text()[area.cursor()..])
}

/// The text after this edit, with a bar at the cursor.
fn after(before: &str, edit: Edit) -> String {
    let mut area = area(before);
    area.edit(edit, ROOM);
    marked(&area)
}

fn type_all(area: &mut TextArea, text: &str) {
    for sign in text.chars() {
        assert_eq!(area.type_sign(sign), LeftOut::default());
    }
}

#[test]
fn each_edit_does_what_its_name_says() {
    for (before, edit, expected) in [
        ("ab|c", Edit::NewLine, "ab\n|c"),
        ("ab|c", Edit::Erase, "a|c"),
        ("|abc", Edit::Erase, "|abc"),
        ("a\n|b", Edit::Erase, "a|b"),
        ("ab|c", Edit::EraseNext, "ab|"),
        ("abc|", Edit::EraseNext, "abc|"),
        ("one two |three", Edit::EraseWord, "one |three"),
        ("one, |", Edit::EraseWord, "|"),
        ("one| two, three", Edit::EraseNextWord, "one|, three"),
        ("x\none two|!", Edit::EraseToStart, "x\n|!"),
        ("x\n|two", Edit::EraseToStart, "x|two"),
        ("on|e\ntwo", Edit::EraseToEnd, "on|\ntwo"),
        ("one|\ntwo", Edit::EraseToEnd, "one|two"),
        ("ab|c", Edit::Left, "a|bc"),
        ("ab|c", Edit::Right, "abc|"),
        ("one two|", Edit::WordLeft, "one |two"),
        ("|one two", Edit::WordRight, "one| two"),
        ("x\non|e", Edit::LineStart, "x\n|one"),
        ("o|ne\nx", Edit::LineEnd, "one|\nx"),
        ("x\no|ne", Edit::Start, "|x\none"),
        ("o|ne\nx", Edit::End, "one\nx|"),
        ("a|b", Edit::Undo, "a|b"),
        ("a|b", Edit::Redo, "a|b"),
    ] {
        assert_eq!(after(before, edit), expected, "{edit:?} in {before:?}");
    }
}

#[test]
fn what_is_seen_as_one_sign_goes_as_one() {
    for sign in ["日", "e\u{301}", "👩\u{200D}💻", "🇯🇵", "か\u{3099}", "❤\u{FE0F}", "각"] {
        assert_eq!(after(&format!("a{sign}|b"), Edit::Erase), "a|b", "{sign}");
        assert_eq!(after(&format!("a|{sign}b"), Edit::EraseNext), "a|b", "{sign}");
        assert_eq!(after(&format!("a{sign}|b"), Edit::Left), format!("a|{sign}b"));
        assert_eq!(after(&format!("a|{sign}b"), Edit::Right), format!("a{sign}|b"));
    }
    // The accent joins the letter before it when the text between them is deleted.
    assert_eq!(after("e\n|\u{301}x", Edit::Erase), "e\u{301}|x");
}

#[test]
fn signs_of_an_input_method_come_one_by_one_and_stay_whole() {
    let mut area = TextArea::default();
    type_all(&mut area, "はい👩\u{200D}💻e\u{301}");
    assert_eq!(area.text(), "はい👩\u{200D}💻e\u{301}");
    assert_eq!(area.cursor(), area.text().len());
}

#[test]
fn words_are_taken_back_one_by_one_and_made_again() {
    let mut area = TextArea::default();
    type_all(&mut area, "use the  second");
    let mut seen = Vec::new();
    for edit in [Edit::Undo, Edit::Undo, Edit::Undo, Edit::Undo, Edit::Redo, Edit::Redo] {
        area.edit(edit, ROOM);
        seen.push(marked(&area));
    }
    assert_eq!(seen, ["use the  |", "use |", "|", "|", "use |", "use the  |"]);
    // New text replaces the undone changes.
    type_all(&mut area, "x");
    area.edit(Edit::Redo, ROOM);
    assert_eq!(marked(&area), "use the  x|");
}

#[test]
fn a_paste_and_an_erasure_are_taken_back_as_one() {
    let mut area = area("one |two");
    let _ = area.paste("1\n2\n3 ");
    area.edit(Edit::EraseToEnd, ROOM);
    assert_eq!(marked(&area), "one 1\n2\n3 |");
    area.edit(Edit::Undo, ROOM);
    assert_eq!(marked(&area), "one 1\n2\n3 |two");
    area.edit(Edit::Undo, ROOM);
    assert_eq!(marked(&area), "one |two");
    let _ = area.replace_all("whole");
    assert_eq!(marked(&area), "whole|");
    area.edit(Edit::Undo, ROOM);
    assert_eq!(marked(&area), "one |two");
}

#[test]
fn after_a_move_typing_is_a_change_of_its_own() {
    let mut area = TextArea::default();
    type_all(&mut area, "ab");
    area.edit(Edit::Left, ROOM);
    area.edit(Edit::Right, ROOM);
    type_all(&mut area, "cd");
    area.edit(Edit::Undo, ROOM);
    assert_eq!(marked(&area), "ab|");
}

#[test]
fn controls_and_unseen_signs_are_left_out_and_told() {
    let mut area = TextArea::default();
    let left_out = area.paste("a\u{1b}[31mb\u{3}\u{202E}c\u{E0041}d\te\r\nf\rg\nh");
    assert_eq!(area.text(), "a[31mbcd\te\nf\ng\nh");
    assert_eq!(left_out, LeftOut { n_controls: 2, n_invisible: 2, is_too_long: false });
    assert_eq!(left_out.label().unwrap(), "left out: 2 control characters, 2 invisible characters");
    assert_eq!(area.type_sign('\u{1b}').label().unwrap(), "left out: 1 control character");
    assert_eq!(area.paste("👩\u{200D}💻").label(), None);
}

#[test]
fn too_much_is_refused_as_a_whole() {
    let mut area = TextArea::of("kept".to_owned());
    let left_out = area.paste(&"x".repeat(MAX_BYTES));
    assert_eq!((area.text(), left_out.is_too_long), ("kept", true));
    assert_eq!(left_out.label().unwrap(), "too long: nothing was inserted; at most 256 KiB");
    let _ = area.paste(&"x".repeat(MAX_BYTES - 4));
    assert_eq!(area.text().len(), MAX_BYTES);
    assert!(area.type_sign('y').is_too_long);
}

fn rows_of(text: &str, room: usize) -> Vec<String> {
    let rows = Rows::of(text, room);
    (0..rows.len()).map(|row| rows.shown(text, row)).collect()
}

#[test]
fn long_lines_break_at_blanks_and_between_wide_signs() {
    // One cell of the room is reserved for the cursor.
    assert_eq!(rows_of("to be or not to be", 9), ["to be or ", "not to ", "be"]);
    assert_eq!(rows_of("abcdefghij\nk", 5), ["abcd", "efgh", "ij", "k"]);
    assert_eq!(rows_of("完了です。次に", 9), ["完了で", "す。次に"]);
    assert_eq!(rows_of("", 9), [""]);
    assert_eq!(rows_of("a\n\n", 9), ["a", "", ""]);
    assert_eq!(rows_of("a\tb", 9), ["a    b"]);
    assert_eq!(rows_of("👩\u{200D}💻\u{1b}", 9), ["👩💻␛"]);
}

#[test]
fn the_cursor_has_a_cell_and_goes_through_rows() {
    let text = "日本語 abc\nde";
    let rows = Rows::of(text, 9);
    assert_eq!(rows_of(text, 9), ["日本語 ", "abc", "de"]);
    assert_eq!(rows.cell_of(text, 0), (0, 0));
    assert_eq!(rows.cell_of(text, "日本".len()), (0, 4));
    assert_eq!(rows.cell_of(text, "日本語 ".len()), (1, 0));
    assert_eq!(rows.cell_of(text, "日本語 abc".len()), (1, 3));
    assert_eq!(rows.cell_of(text, text.len()), (2, 2));
    // In the middle of a wide character, and beyond the end of a row that continues.
    assert_eq!(rows.position_at(text, 0, 3), "日".len());
    assert_eq!(rows.position_at(text, 0, 99), "日本語".len());
    assert_eq!(rows.position_at(text, 1, 99), "日本語 abc".len());
    assert_eq!(rows.position_at(text, 99, 1), "日本語 abc\nd".len());
    let mut area = area("日本|語 abc\nde");
    let mut seen = Vec::new();
    for edit in [Edit::Down, Edit::Down, Edit::Down, Edit::Up, Edit::Up, Edit::Up] {
        area.edit(edit, 9);
        seen.push(marked(&area));
    }
    assert_eq!(seen[0], "日本語 abc|\nde");
    assert_eq!(seen[1], "日本語 abc\nde|");
    assert_eq!(seen[2], "日本語 abc\nde|");
    assert_eq!(seen[3], "日本語 abc|\nde");
    assert_eq!(seen[4], "日本|語 abc\nde");
    assert_eq!(seen[5], "|日本語 abc\nde");
}

#[test]
fn a_click_puts_the_cursor_on_its_sign_and_what_is_written_stays_in_sight() {
    let mut area = TextArea::of("1\n2\n3\n4\n5".to_owned());
    area.settle(ROOM, 2);
    let rows = Rows::of(area.text(), ROOM);
    assert_eq!(area.top(&rows, 2), 3);
    area.point_at(3, 0, ROOM);
    area.settle(ROOM, 2);
    assert_eq!((marked(&area).as_str(), area.top(&rows, 2)), ("1\n2\n3\n|4\n5", 3));
    area.edit(Edit::Up, ROOM);
    area.settle(ROOM, 2);
    assert_eq!(area.top(&rows, 2), 2);
    assert_eq!(area.top(&rows, 9), 0);
}

#[test]
fn keys_of_line_editors_and_of_graphic_ones_mean_the_same() {
    let alt = |code| KeyPress { alt: true, ..KeyPress::plain(code) };
    let ctrl = |code| KeyPress { ctrl: true, ..KeyPress::plain(code) };
    for (press, expected) in [
        (KeyPress::char('a'), Meaning::Sign('a')),
        (KeyPress { shift: true, ..KeyPress::char('A') }, Meaning::Sign('A')),
        (KeyPress::char('１'), Meaning::Sign('１')),
        (KeyPress::char(' '), Meaning::Sign(' ')),
        (alt(KeyCode::Enter), Meaning::Edit(Edit::NewLine)),
        (KeyPress::ctrl('j'), Meaning::Edit(Edit::NewLine)),
        (KeyPress::plain(KeyCode::Enter), Meaning::None),
        (ctrl(KeyCode::Left), Meaning::Edit(Edit::WordLeft)),
        (alt(KeyCode::Char('u')), Meaning::Edit(Edit::Undo)),
        (KeyPress::ctrl('7'), Meaning::Edit(Edit::Undo)),
        (KeyPress::ctrl('Y'), Meaning::Edit(Edit::Redo)),
        (KeyPress { ctrl: true, alt: true, ..KeyPress::char('@') }, Meaning::Sign('@')),
        (KeyPress::ctrl('q'), Meaning::None),
        (alt(KeyCode::Char('q')), Meaning::None),
        (KeyPress::plain(KeyCode::Esc), Meaning::None),
    ] {
        assert_eq!(meaning_of(press), expected, "{press}");
    }
}

fn any_edit() -> impl Strategy<Value = Edit> {
    proptest::sample::select(vec![
        Edit::NewLine,
        Edit::Erase,
        Edit::EraseNext,
        Edit::EraseWord,
        Edit::EraseNextWord,
        Edit::EraseToStart,
        Edit::EraseToEnd,
        Edit::Left,
        Edit::Right,
        Edit::WordLeft,
        Edit::WordRight,
        Edit::Up,
        Edit::Down,
        Edit::LineStart,
        Edit::LineEnd,
        Edit::Start,
        Edit::End,
        Edit::Undo,
        Edit::Redo,
    ])
}

fn any_piece() -> impl Strategy<Value = String> {
    let pieces = [
        "a", "b c", " ", "\n", "\t", "日本", "。", "e\u{301}", "👩\u{200D}💻", "\u{301}", "🇯", "\u{202E}",
        "\u{1b}",
    ];
    proptest::sample::select(pieces.map(str::to_owned).to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// After any edits, the cursor is between two graphemes, its cell lies within the room, the rows are the
    /// whole text, and undoing everything restores the first text.
    #[test]
    fn nothing_breaks_a_text(steps in prop::collection::vec((any_edit(), any_piece(), any::<bool>()), 0..60), room in 3_usize..30) {
        use unicode_segmentation::GraphemeCursor;
        let mut area = TextArea::default();
        for (edit, piece, is_edit) in steps {
            if is_edit {
                area.edit(edit, room);
            } else {
                let _ = area.paste(&piece);
            }
            area.settle(room, 3);
            let text = area.text();
            let is_between = GraphemeCursor::new(area.cursor(), text.len(), true).is_boundary(text, 0);
            prop_assert!(area.cursor() == text.len() || is_between.unwrap());
            let rows = Rows::of(text, room);
            let (row, _) = rows.cell_of(text, area.cursor());
            prop_assert!(row < rows.len());
            let top = area.top(&rows, 3);
            prop_assert!((top..top + 3).contains(&row));
        }
        for _ in 0..200 {
            area.edit(Edit::Redo, room);
        }
        let last = area.text().to_owned();
        for _ in 0..200 {
            area.edit(Edit::Undo, room);
        }
        prop_assert_eq!(area.text(), "");
        for _ in 0..200 {
            area.edit(Edit::Redo, room);
        }
        prop_assert_eq!(area.text(), last);
    }
}
