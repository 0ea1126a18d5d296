//! Scripts of inputs: what they select, open and want. Reactions are compared whole.

use std::sync::Arc;

use closeout::model::{Intent, Rule, VerdictState, Why, WorkspaceId, WorkspaceView};
use closeout::present::{self, section_of};
use closeout::ui::keymap::{BINDINGS, FILTER_BINDINGS, command_of};
use closeout::ui::{
    self, Focus, Input, KeyCode, KeyPress, Look, Mouse, MouseKind, Page, Reaction, Size, State,
};

use crate::support::samples::{finished, five, working};
use crate::support::screen::{
    NOW, frame, judged, minutes_ago, press, screen, screen_of, seen_screen_of, text_of, unjudged,
};

/// The names in the order of `five`: search-ui, payments, importer, docs, api.
fn selected(state: &State) -> &str {
    let path = state.selected.as_ref().unwrap().path();
    path.file_name().unwrap().to_str().unwrap()
}

fn id(name: &str) -> WorkspaceId {
    unjudged(name).id
}

fn looks(names: &[&str]) -> Vec<Intent> {
    names.iter().map(|name| Intent::Look { workspace: id(name) }).collect()
}

fn frame_with(intents: Vec<Intent>) -> Reaction {
    Reaction { intents, ..Reaction::default() }
}

#[test]
fn the_list_begins_with_what_is_most_urgent() {
    let names: Vec<String> = five().into_iter().map(|view| view.name).collect();
    assert_eq!(names, ["search-ui", "payments", "importer", "api", "docs"]);
}

#[test]
fn equal_urgency_is_sorted_by_waiting_then_by_name() {
    let at = |name: &str, minutes| WorkspaceView {
        verdict_since: Some(minutes_ago(minutes)),
        ..judged(name, VerdictState::Incomplete, Why::Rule(Rule::NoEvidence))
    };
    let mut views = vec![at("b", 5), at("a", 5), at("c", 50), unjudged("fresh")];
    present::order(&mut views, None);
    assert_eq!(views.iter().map(|view| view.name.as_str()).collect::<Vec<_>>(), ["c", "a", "b", "fresh"]);
}

#[test]
fn the_first_views_select_the_most_urgent_and_nobody_has_seen_it() {
    let views = five();
    let mut state = screen(80, 24, Look::colour());
    assert!(!state.is_loaded);
    assert_eq!(ui::views_changed(&mut state, &views), frame_with(Vec::new()));
    assert_eq!((selected(&state), state.is_loaded), ("search-ui", true));
}

#[test]
fn a_row_is_seen_by_what_a_person_does_with_it() {
    let views = five();
    let mut on_row = vec!["j", "k", "g", "G", "l", "\n", "\t", "1", "3", "+", "i", " ", "d", "x", "/sea\n"];
    on_row.extend(["c", "p", "v", "b", "z", "V", "wj", "?\u{1b}l"]);
    for keys in on_row {
        let mut state = screen_of(80, 24, &views);
        let reaction = press(&mut state, &views, keys);
        let last = reaction.intents.iter().rfind(|intent| matches!(intent, Intent::Look { .. }));
        assert_eq!(last.into_iter().cloned().collect::<Vec<_>>(), looks(&[selected(&state)]), "{keys:?}");
    }
    let elsewhere = ["?", "?j", "R", "o", "/sea", "/\u{1b}", "h", "\u{1b}", "m"];
    for keys in elsewhere {
        let mut state = screen_of(80, 24, &views);
        let reaction = press(&mut state, &views, keys);
        assert!(!reaction.intents.iter().any(|intent| matches!(intent, Intent::Look { .. })), "{keys:?}");
    }
    // Neither by the terminal's coming to the front, nor by another size, nor by pasted text.
    let mut state = screen_of(80, 24, &views);
    for input in [Input::Focus, Input::Resize(Size { width: 90, height: 24 }), Input::Paste("j".to_owned())] {
        let reaction = ui::update(&mut state, &views, input);
        assert!(!reaction.intents.iter().any(|intent| matches!(intent, Intent::Look { .. })));
    }
}

#[test]
fn the_selection_follows_the_most_urgent_until_all_are_judged() {
    let mut state = screen(80, 24, Look::colour());
    let mut views: Vec<WorkspaceView> = five().iter().map(|view| unjudged(&view.name)).collect();
    present::order(&mut views, state.held());
    assert_eq!(ui::views_changed(&mut state, &views), frame_with(Vec::new()));
    assert_eq!(selected(&state), "api");
    for view in five().into_iter().rev() {
        let place = views.iter().position(|known| known.id == view.id).unwrap();
        views[place] = view;
        present::order(&mut views, state.held());
        assert_eq!(ui::views_changed(&mut state, &views), frame_with(Vec::new()));
        assert_eq!(state.selected.as_ref(), Some(&views[0].id));
    }
    views.reverse();
    assert_eq!(ui::views_changed(&mut state, &views), frame_with(Vec::new()));
    assert_eq!(selected(&state), "search-ui");
}

#[test]
fn a_key_ends_the_following() {
    let mut state = screen(80, 24, Look::colour());
    let mut views = vec![unjudged("a"), unjudged("b"), unjudged("docs")];
    let _ = ui::views_changed(&mut state, &views);
    assert_eq!(press(&mut state, &views, "j"), frame_with(looks(&["b"])));
    views[2] = finished();
    present::order(&mut views, state.held());
    assert_eq!(ui::views_changed(&mut state, &views), frame_with(Vec::new()));
    assert_eq!(selected(&state), "b");
}

#[test]
fn the_selection_stays_when_the_list_is_sorted_anew() {
    let mut views = five();
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "j");
    views.reverse();
    assert_eq!(ui::views_changed(&mut state, &views), frame_with(Vec::new()));
    assert_eq!(selected(&state), "payments");
}

#[test]
fn a_selected_workspace_that_is_gone_gives_way_to_the_most_urgent() {
    let mut views = five();
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "jj");
    views.remove(2);
    assert_eq!(ui::views_changed(&mut state, &views), frame_with(Vec::new()));
    assert_eq!(selected(&state), "search-ui");
    assert_eq!(ui::views_changed(&mut state, &[]), frame_with(Vec::new()));
    assert_eq!(state.selected, None);
}

#[test]
fn moving_keys_select_and_look() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    for (keys, name) in
        [("j", "payments"), ("G", "docs"), ("k", "api"), ("g", "search-ui"), ("j", "payments")]
    {
        assert_eq!(press(&mut state, &views, keys), frame_with(looks(&[name])), "after {keys}");
        assert_eq!(selected(&state), name);
    }
    assert_eq!(press(&mut state, &views, "gk").intents, looks(&["search-ui"]));
}

#[test]
fn letters_of_an_input_method_that_was_left_on_are_keys_too() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    assert_eq!(press(&mut state, &views, "ｊ"), frame_with(looks(&["payments"])));
}

#[test]
fn w_goes_round_those_that_wait() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "w");
    assert_eq!(selected(&state), "payments");
    let _ = press(&mut state, &views, "w");
    assert_eq!(selected(&state), "search-ui");
    assert!(views.iter().filter(|view| section_of(view, None).waits_for_person()).count() == 2);
    let calm = [finished()];
    let mut state = screen_of(80, 24, &calm);
    assert_eq!(press(&mut state, &calm, "w"), Reaction::default());
}

#[test]
fn refresh_is_wanted_of_the_selected_or_of_all() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    let of_one = vec![Intent::Refresh { workspace: Some(id("search-ui")) }];
    assert_eq!(press(&mut state, &views, "R"), Reaction { intents: of_one, ..Reaction::default() });
    let reaction = ui::update(&mut state, &views, Input::Key(KeyPress::ctrl('r')));
    let of_all = vec![Intent::Refresh { workspace: None }];
    assert_eq!(reaction, Reaction { intents: of_all, ..Reaction::default() });
    let mut empty = screen_of(80, 24, &[]);
    assert_eq!(press(&mut empty, &[], "R"), Reaction::default());
}

#[test]
fn quitting_works_from_everywhere() {
    let views = five();
    let quit = Reaction { is_quit: true, ..Reaction::default() };
    assert_eq!(press(&mut screen_of(80, 24, &views), &views, "q"), quit);
    for keys in ["", "?", "/abc", "\n"] {
        let mut state = screen_of(80, 24, &views);
        let _ = press(&mut state, &views, keys);
        assert_eq!(ui::update(&mut state, &views, Input::Key(KeyPress::ctrl('c'))), quit, "after {keys:?}");
    }
    // A letter of a filter, and the way out of the help page.
    assert!(!press(&mut screen_of(80, 24, &views), &views, "/q").is_quit);
    assert!(!press(&mut screen_of(80, 24, &views), &views, "?q").is_quit);
}

#[test]
fn a_filter_is_written_kept_and_cleared() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    // The selection passes by without being looked at while the filter is written.
    assert_eq!(press(&mut state, &views, "/impo"), frame_with(Vec::new()));
    assert_eq!((state.filter.text.as_str(), state.filter.is_editing), ("impo", true));
    assert_eq!(selected(&state), "importer");
    assert_eq!(press(&mut state, &views, "\n"), frame_with(looks(&["importer"])));
    assert!(!state.filter.is_editing);
    assert_eq!(press(&mut state, &views, "n"), Reaction::default());
    assert_eq!(press(&mut state, &views, "\u{1b}"), frame_with(Vec::new()));
    assert_eq!((state.filter.text.as_str(), selected(&state)), ("", "importer"));
}

#[test]
fn matches_are_stepped_through_and_around() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "/claude\n");
    let mut names = vec![selected(&state).to_owned()];
    for keys in ["n", "n", "n", "N", "N"] {
        let _ = press(&mut state, &views, keys);
        names.push(selected(&state).to_owned());
    }
    assert_eq!(names, ["search-ui", "importer", "api", "search-ui", "api", "importer"]);
}

#[test]
fn a_filter_finds_names_branches_agents_states_and_questions() {
    let views = five();
    for (filter, names) in [
        ("pymnts", &["payments"][..]),
        ("rounding", &["payments"]),
        ("gemini", &["docs"]),
        ("rescue_needed", &["payments"]),
        ("asks", &["search-ui"]),
        ("データベース", &["search-ui"]),
        ("claude importer", &["importer"]),
        ("gemini importer", &[]),
    ] {
        let mut state = screen_of(160, 24, &views);
        state.filter.text = filter.to_owned();
        let rows: Vec<String> =
            text_of(&frame(&state, &views))[2..].iter().map(|row| row.chars().take(30).collect()).collect();
        let shown: Vec<&str> = ["search-ui", "payments", "importer", "api", "docs"]
            .into_iter()
            .filter(|name| rows.iter().any(|row| row.split_whitespace().any(|word| word == *name)))
            .collect();
        assert_eq!(shown, names, "for {filter}");
    }
}

#[test]
fn a_filter_is_edited_and_takes_no_unsafe_sign() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "/one two");
    let mut filter_after = |input| {
        let _ = ui::update(&mut state, &views, input);
        state.filter.text.clone()
    };
    assert_eq!(filter_after(Input::Key(KeyPress::plain(KeyCode::Backspace))), "one tw");
    assert_eq!(filter_after(Input::Key(KeyPress::ctrl('w'))), "one ");
    assert_eq!(filter_after(Input::Paste("データ\n\u{1b}[31m\u{202e}x".to_owned())), "one データ [31mx");
    assert_eq!(filter_after(Input::Key(KeyPress::ctrl('u'))), "");
    assert_eq!(filter_after(Input::Paste("x".repeat(5_000))), "x".repeat(200));
}

#[test]
fn pasted_text_does_nothing_outside_a_filter() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    assert_eq!(ui::update(&mut state, &views, Input::Paste("jjq".to_owned())), Reaction::default());
}

#[test]
fn enter_opens_the_detail_and_escape_returns() {
    let views = five();
    let mut state = seen_screen_of(80, 24, &views);
    assert_eq!(press(&mut state, &views, "\n"), frame_with(glances(&["search-ui"])));
    assert_eq!((state.focus, state.is_zoomed), (Focus::Detail, true));
    let _ = press(&mut state, &views, "jj");
    assert_eq!((selected(&state), state.detail_top), ("search-ui", 2));
    let _ = press(&mut state, &views, "\u{1b}");
    assert_eq!((state.focus, state.is_zoomed), (Focus::List, false));
    let _ = press(&mut state, &views, "\tG");
    let last_top = state.detail_top;
    let _ = press(&mut state, &views, "j");
    assert_eq!((state.focus, state.detail_top), (Focus::Detail, last_top));
    let _ = press(&mut state, &views, "\tj");
    assert_eq!((selected(&state), state.detail_top), ("payments", 0));
}

#[test]
fn help_opens_scrolls_and_closes() {
    let views = five();
    for close in ["?", "q", "\u{1b}", "\n"] {
        let mut state = screen_of(80, 24, &views);
        assert_eq!(press(&mut state, &views, "?jj"), frame_with(Vec::new()));
        assert_eq!((state.page, state.page_top), (Page::Help, 2));
        // Keys of the list mean nothing here.
        assert_eq!(press(&mut state, &views, "wR"), Reaction::default());
        assert_eq!(press(&mut state, &views, close), frame_with(Vec::new()));
        assert_eq!((state.page, selected(&state)), (Page::None, "search-ui"));
    }
}

#[test]
fn the_help_page_has_a_filter_of_its_own() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "?/rescue");
    let shown = |state: &State| text_of(&frame(state, &views)).join("\n");
    let page = shown(&state);
    assert!(page.contains("undo the last rescue") && !page.contains("answer the agent"), "{page}");
    // The title of a part lets all of it through; nothing at all is said.
    let _ = press(&mut state, &views, "\n/");
    for _ in "rescue".chars() {
        let _ = ui::update(&mut state, &views, Input::Key(KeyPress::plain(KeyCode::Backspace)));
    }
    let _ = press(&mut state, &views, "changed files\n");
    assert!(shown(&state).contains("in conflict"), "{}", shown(&state));
    let _ = press(&mut state, &views, "/ zzz\n");
    assert!(shown(&state).contains("Nothing matches"), "{}", shown(&state));
    // The list's own filter was not touched; one step back shows all, the next closes.
    assert_eq!(state.filter.text, "");
    let _ = press(&mut state, &views, "\u{1b}");
    assert_eq!((state.page, state.page_filter.text.as_str()), (Page::Help, ""));
    let _ = press(&mut state, &views, "\u{1b}");
    assert_eq!(state.page, Page::None);
}

#[test]
fn no_line_of_the_help_page_is_cut() {
    for (width, height) in [(44, 14), (80, 24), (120, 40), (200, 60)] {
        let mut state = screen_of(width, height, &[]);
        let _ = press(&mut state, &[], "?");
        let mut n_lines = 0;
        for _ in 0..40 {
            let rows = text_of(&frame(&state, &[]));
            assert!(!rows.iter().any(|row| row.trim_end().ends_with('…')), "{}", rows.join("\n"));
            n_lines += rows.len();
            let _ = ui::update(&mut state, &[], Input::Key(KeyPress::plain(KeyCode::PageDown)));
        }
        assert!(n_lines > 0);
    }
}

#[test]
fn a_finished_workspace_keeps_its_place_while_it_is_looked_at() {
    let mut views = five();
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "G");
    assert_eq!(selected(&state), "docs");
    views[4].is_seen = true;
    views[4].attention = None;
    views.push(judged("fresh", VerdictState::Complete, Why::Clean(Vec::new())));
    present::order(&mut views, state.held());
    assert_eq!(views[4].name, "docs");
    let shown = |state: &State| text_of(&frame(state, &views)).join("\n");
    assert!(shown(&state).contains("2 not seen"), "{}", shown(&state));
    let _ = press(&mut state, &views, "k");
    present::order(&mut views, state.held());
    assert_eq!(views[5].name, "docs");
    // Then it is folded, and out of the counts; the filter and a key find it.
    let shown = |state: &State| text_of(&frame(state, &views)).join("\n");
    assert!(shown(&state).contains("1 not seen"), "{}", shown(&state));
    assert!(shown(&state).contains("1 finished · o to show") && !shown(&state).contains("docs"));
    let _ = press(&mut state, &views, "o");
    assert!(shown(&state).contains("docs") && shown(&state).contains("o to hide"), "{}", shown(&state));
    let _ = press(&mut state, &views, "o/docs");
    assert!(shown(&state).contains("1 of 6") && shown(&state).contains("docs"), "{}", shown(&state));
}

#[test]
fn work_that_goes_on_is_in_sight_however_long_the_list_is() {
    let mut views: Vec<WorkspaceView> = (0..30)
        .map(|number| judged(&format!("w{number:02}"), VerdictState::Incomplete, Why::Rule(Rule::NoEvidence)))
        .collect();
    views.push(working());
    present::order(&mut views, None);
    let mut state = screen_of(80, 24, &views);
    for keys in ["", "jjjjjjjjjjjj", "g"] {
        let _ = press(&mut state, &views, keys);
        let shown = text_of(&frame(&state, &views)).join("\n");
        let selected = selected(&state);
        assert!(shown.contains("● WORKING") && shown.contains(selected), "{keys}:\n{shown}");
    }
    let _ = press(&mut state, &views, "G");
    assert_eq!(selected(&state), "api");
}

#[test]
fn nothing_is_folded_where_nothing_else_would_be_seen() {
    let views = [judged("main", VerdictState::NoTask, Why::Rule(Rule::NobodyAsked))];
    let shown = text_of(&frame(&screen_of(80, 24, &views), &views)).join("\n");
    assert!(shown.contains("NO_TASK    main") && shown.contains("1 workspace"), "{shown}");
}

#[test]
fn a_verdict_that_changes_under_the_eyes_is_looked_at_with_the_next_key() {
    let mut views = vec![judged("docs", VerdictState::Working, Why::Rule(Rule::Works))];
    let mut state = screen_of(80, 24, &views);
    views[0] = finished();
    assert_eq!(ui::views_changed(&mut state, &views), frame_with(Vec::new()));
    let size = Size { width: 90, height: 24 };
    assert_eq!(ui::update(&mut state, &views, Input::Resize(size)), frame_with(Vec::new()));
    assert_eq!(press(&mut state, &views, "k"), frame_with(looks(&["docs"])));
    assert_eq!(press(&mut state, &views, "k"), Reaction::default());
}

fn glances(names: &[&str]) -> Vec<Intent> {
    names.iter().map(|name| Intent::Glance { workspace: id(name) }).collect()
}

#[test]
fn who_comes_back_glances_at_the_selected_and_at_each_row_that_is_shown() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "jj");
    let all = glances(&["importer", "search-ui", "payments", "api", "docs"]);
    // By the terminal, whoever typed a moment ago.
    let focus = ui::update(&mut state, &views, Input::Focus);
    assert_eq!(focus, Reaction { intents: all.clone(), ..Reaction::default() });
    // By the first key after a while, and not by the next. The first frame is the beginning.
    ui::on_frame(&mut state, NOW);
    for (millis, intents) in [(10_000, Vec::new()), (20_001, all), (20_002, Vec::new())] {
        ui::on_input(&mut state, NOW.plus_millis(millis));
        assert_eq!(press(&mut state, &views, "m"), Reaction { intents, ..Reaction::default() }, "{millis}");
    }
    // Rows that are not to be seen are left alone.
    let mut state = screen_of(80, 8, &views);
    let _ = press(&mut state, &views, "G");
    assert_eq!(ui::update(&mut state, &views, Input::Focus).intents, glances(&["docs", "api"]));
    let _ = press(&mut state, &views, "\n");
    assert_eq!(ui::update(&mut state, &views, Input::Focus).intents, glances(&["docs"]));
}

#[test]
fn a_detail_that_opens_is_of_now() {
    let views = five();
    let mut state = seen_screen_of(80, 24, &views);
    assert_eq!(press(&mut state, &views, "l"), frame_with(glances(&["search-ui"])));
    assert_eq!(press(&mut state, &views, "j").intents, []);
}

#[test]
fn the_mouse_selects_scrolls_and_focuses() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    let mut mouse = |kind, column, row| {
        let reaction = ui::update(&mut state, &views, Input::Mouse(Mouse { kind, column, row }));
        (reaction.intents, state.focus, state.detail_top)
    };
    // Each row stands below the heading of its section, which is no row.
    assert_eq!(mouse(MouseKind::Press, 5, 7), (looks(&["importer"]), Focus::List, 0));
    assert_eq!(mouse(MouseKind::Press, 5, 4), (Vec::new(), Focus::List, 0));
    assert_eq!(mouse(MouseKind::ScrollUp, 5, 7), (looks(&["payments"]), Focus::List, 0));
    assert_eq!(mouse(MouseKind::ScrollDown, 5, 14), (Vec::new(), Focus::List, 3));
    assert_eq!(mouse(MouseKind::ScrollUp, 5, 14), (Vec::new(), Focus::List, 0));
    assert_eq!(mouse(MouseKind::Press, 5, 14), (Vec::new(), Focus::Detail, 0));
    assert_eq!(mouse(MouseKind::Press, 79, 23), (Vec::new(), Focus::Detail, 0));
}

#[test]
fn on_a_wide_screen_each_row_is_two_lines_to_the_mouse() {
    let views = five();
    let mut state = screen_of(200, 60, &views);
    let click = Mouse { kind: MouseKind::Press, column: 5, row: 7 };
    assert_eq!(ui::update(&mut state, &views, Input::Mouse(click)), frame_with(looks(&["payments"])));
}

#[test]
fn a_key_without_meaning_needs_no_frame() {
    let views = five();
    let mut state = screen_of(80, 24, &views);
    for code in [KeyCode::Other, KeyCode::Left, KeyCode::Char('m'), KeyCode::Backspace] {
        assert_eq!(ui::update(&mut state, &views, Input::Key(KeyPress::plain(code))), Reaction::default());
    }
}

#[test]
fn no_key_is_bound_twice_and_each_is_on_the_help_page() {
    let state = State { page: Page::Help, ..screen(200, 60, Look::colour()) };
    let shown = text_of(&frame(&state, &[])).join("\n");
    for table in [BINDINGS, FILTER_BINDINGS] {
        let mut keys: Vec<String> = Vec::new();
        for binding in table {
            assert!(shown.contains(binding.help), "{}", binding.help);
            assert!(shown.contains(&binding.keys_in_words()), "{}", binding.keys_in_words());
            for key in binding.keys {
                assert_eq!(command_of(table, *key), Some(binding.command), "{key}");
                keys.push(key.to_string());
            }
        }
        let n_keys = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), n_keys);
    }
}

#[test]
fn a_filter_has_names_first_and_asks_for_a_state_by_s() {
    let mut views = five();
    let question = Arc::make_mut(views[0].verdict.as_mut().unwrap()).question.as_mut().unwrap();
    question.text = "Shall the docs say so?".to_owned();
    let order = |keys: &str| {
        let mut state = screen_of(80, 24, &views);
        let _ = press(&mut state, &views, keys);
        let rows = text_of(&frame(&state, &views));
        let named = |row: &&String| row.contains("search-ui ") || row.contains("docs ");
        rows[2..12].iter().filter(named).map(|row| row.contains("COMPLETE")).collect::<Vec<bool>>()
    };
    // The row that is named so, then the one that asks about it.
    assert_eq!(order("/docs\n"), [true, false]);
    assert_eq!(order("/s:asks\n"), [false]);
    assert_eq!(order("/s:complete\n"), [true]);
}

#[test]
fn the_cursor_stands_behind_the_filter_while_it_is_written() {
    use ratatui::Terminal;
    use ratatui::backend::{Backend, TestBackend};
    let views = five();
    let mut state = screen_of(80, 24, &views);
    let _ = press(&mut state, &views, "/日本");
    let mut terminal = Terminal::new(TestBackend::new(80, 24)).unwrap();
    terminal.draw(|frame| drop(ui::draw(frame, &state, &views, NOW))).unwrap();
    assert_eq!(terminal.backend_mut().get_cursor_position().unwrap(), (6, 23).into());
}
