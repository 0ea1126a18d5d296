//! The texts that do not belong to a value of a closed set, grouped by the place or the subject.

use super::texts::phrases;

phrases! {
    /// Numbers with their nouns, like `3 files`.
    count {
        changed_files_are(n), commits(n), commits_are(n), completed_items(n), controls(n), counted_twice(n), fewer_tests(n), files(n), files_are(n), files_uncommitted(n), files_were(n), ignored_files(n), invisible(n), iterations(n), kept_commits(n), kept_references(n), left_over(n), lines_added(n), need_you(n), new_commits(n), older_sessions(n), open_points(n), points_again(n), points_closed(n), points_left(n), points_not_of_task(n), problems(n), records(n), sessions(n), skipped_tests(n), stash_entries(n), subagents(n), turns(n), unread_sessions(n), unreadable_decisions(n), workspaces(n), worktrees(n),
    }
    /// Ages and durations.
    time { now, minutes(n), hours(n), days(n), years(n), just_now, ago(age), lasting(age) }
    /// The origin of the baseline.
    baseline { empty_history, flag, configuration, workspace, first_seen, branch_point(branch) }
    /// Uncommitted changes, by kind.
    changes { in_conflict(n), staged(n), not_staged(n), untracked(n) }
    /// The row of a workspace.
    row {
        reading, permission, to_commit, auto_probe, first_look, offers(question), done_but(files), cut_with(files),
        quoted(words), tree_was_clean(ago), was_clean, detached,
    }
    /// Why a verdict is as it is.
    verdict {
        says(who, what), say(who, what), agrees(who), agree(who), the(source), all(before, last), because(what, reason),
        beside(what, more), and(what, more), but(what, more), unreadable(source), unusable(file),
        decision_file, closer_report, same_again(points, n),
        since_baseline(commits), saved_by_rescue(commits), it_is_done, tree_is_clean, permission, tree_unread,
        not_committed(what), only_on(what, branch), on_no_branch(what), landed(commits), changed_elsewhere(what), on_branch(what, branch), on_another_branch(what), rescued_to(branch), wrote(file), wrote_more(file, n), work_is, kept_apart,
    }
    /// The reasons of evidence.
    reason {
        cannot_verify(error), unusable_report(error), unconfirmed, unconfirmed_at(percent), ask_again(commits), file_not_used(reason), run_failed(command), run_failed_beside(command), run_passed(command), demanded(what, found), it(ended), calls(call), background(work), permission(call), last_reply(error), usage_limit(until), offer(words), declined(words), may_ask(words), stops_half_way(sign), may_be_open(words), puts_off(words), misses_bound(bound, words), at_least(what), some_commits(commits, what), in_stash(entries), unfinished(operation), listed(what, which), not_of_task(files), changed_after_run(files), noise(files), in_task_stash(entries), hidden(files, behind), ignored(files), supervised(doing, at, of), more_names(n),
    }
    /// Open points that their sources do not word themselves.
    point { missing(name), empty(name), fails(name), fails_in(name, tool), run(what), write(name), earlier(point), and_more(n) }
    /// What checkers find.
    checker {
        no_plan_type, no_plan_kept, no_plan, unreadable_plan, empty_plan, steps_done(n), steps_open(n, n_all, titles), step_open(title), untitled(number),
        no_files, no_file_system(names), files_there(n), files_missing(n, n_all, names), file_missing(name),
        no_test_results, tests_fail(n, n_all), tests_failed(n), no_tests, tests_pass(n), no_test_counts,
        no_reason(name), broken(name), broken_by(name, error), too_deep, no_checkers, no_budget, no_time, no_checker,
        criteria_met(n), criteria_open(n, n_all, titles), not_mentioned, answered_twice, not_shown, not_explained, criterion(title, evidence), met(number, title, evidence), not_met(number, title, evidence),
    }
    /// What the user would do next.
    next {
        nothing, wait, wait_for_limit(until), allow(what), the_permission, answer(question), answer_agent, rescue(what),
        uncommitted_work, keep(commits), switch(branch), switch_to_another, take_back(id, commits), look_outside(file), reword(commits, subject), merge(branch), bring_in(what), fix(point), fix_more(point, n), send_back, resume_run, run_tests,
        run_unknown_tests, commit, ask, decide, look_at_turn, go_on, resume, look_at_last_words, ask_about_last_words, repair(what),
        agent_rewrites(file), rewrite(file), look_at_error, look_at_nothing, own_mark,
    }
    /// A supervised run that is alive.
    run {
        title(at, of), begins, runs, checks, waits, asks(question), asks_you, doing(at, of, what), left(what, points),
        last_check(state), ended(why), ended_after(iterations, why), cut(number), by_code(code), by_signal(signal), stood_still, took_too_long, with_run,
        with_closeout,
    }
    /// The first line of the screen.
    header { looking, no_workspaces, counted(n, section), not_seen(n), selected(n, of), more_notices(n) }
    /// The tabs of a workspace.
    tab { why, left_to_do, asked, changes, sessions, history, nothing_asked, nothing_done, ask_by(key, verify), no_session, mark_by(key) }
    /// What has to happen before a workspace is COMPLETE.
    complete_when {
        complete(what), all(before, last), allowed, answered, repaired, turn_ends, resumed, committed, on_branch, merged(branch),
        brought_in, proven, done, output, unmarked,
    }
    /// What keeps closeout from looking at a workspace, or from asking its agent.
    problem {
        not_answering, gone, broke(error), watch_limit, not_watched(error), not_asked(why), slow_reading(place, seconds),
        slow_action(what, place, seconds),
    }
    /// What is left to do, and what is sent back to an agent.
    left { nothing, ask(key), earlier, sent(ago), done, message_begins, go_on, none_for_agent, answer_instead(key) }
    /// The help page.
    help {
        title, keys, filter_keys, problems, signs, rows, row_more, row_steps, row_commits, row_files, row_age, row_guess, row_gone,
        row_unknown, row_auto_probe, evidence, self_reported, guess, vacuous_mark, vacuous, required_mark, required,
        changed_files, staged, not_staged, untracked, conflict, letters, brackets_mark, brackets, nothing_matches(filter),
    }
    /// Placeholders for an empty or unfinished view.
    notice {
        older_shown, all_shown, finished(n), quiet(n), shows(key), folds(key), too_small(size, least), no_workspaces, start_in_a_repository,
        name_directories, looking,
    }
    /// What sessions are doing.
    session {
        guess(words), another(agent), permission(what), permission_of(who, what), a_permission, permission_in_pane(key),
        needs_permission, asks(who), who_asks(who, question), who_offers(who, question), by_title, at_work, silent, finished, ended, headless,
        fork, fork_of(id), context(used), context_of(used, limit),
    }
    /// Questions to an agent, and its answers.
    asking {
        the_agent, prompt_argument, json_argument(size), text_argument(size), whether_done(agent),
        checklist(agent), once(seconds), once_or_more(n, seconds),
        at_most(n, interval, seconds), tokens_in(n), tokens_cached(n), tokens_out(n), done_not_committed, all_done,
        answer_unusable, something_left,
    }
    /// Outcomes of actions.
    outcome {
        opined(by, reading), recorded(files, size, reference), decided(word, path), not_asked, marked(mark), mark_removed(mark), checks_ran(met, ran), plan_without_workspace,
        rescued(files, branch, ids), and_more(ids, n), undone(commits, branch), redone(commits, branch),
        undo_key(key), redo_key(key), shown_by(what, key), ends_later(action), no_row, no_match, no_report, is_ending, nothing_runs, under_way(action), agent_works(key),
        attach(command), no_jump(reason), rescue_ready, undo_ready, redo_ready, smart_check_ready, closer_ready,
        answer_ready,
    }
    /// What happened in a workspace.
    history { no_actions, nothing_recorded, verdict(before, state), proven(state, proof), seen(after), iteration(n, end, took, state), run_ended(status, n), gate_passed, told(why) }
    /// The preview of a rescue.
    rescue { author_form, ask_agent(agent), asking, proposed }
    /// Commits that no branch holds.
    loose { title, question(commits, branch), preview(commits, branch), stays, earlier(n), further(n), kept(commits, branch, id) }
    /// An undo before it is made.
    undo { pushed(upstream) }
    /// What a plan's paths do not show.
    plan_note { hooks(names), unsigned, filters(names), not_covered(names), staged(n), committed_on(branch), agent_at_work }
    /// Checks that the user configured.
    checks {
        title, question, none, trust_question, untrusted, to_trust, scope(limits), most_lines(n), group(names), judge(criteria), read(files),
    }
    /// Replies that wait for the end of their agent's turn.
    held {
        in_row, title, for_agent(agent), cancelled_by(key), not_yet(why), kept(agent), taken(agent), dropped(agent, why),
        nothing_written, not_busy, written_before,
    }
    /// The user's statements about a workspace.
    mark {
        done, open, quiet, points_not_of_task, point_not_of_task(point), baseline_here, kind(kind), clear, take_back(what), take_back_it(what),
        take_back_all, lapsed(why), lapsed_by_prompt, lapsed_by_question, lapsed_by_point, lapsed_by_content, said(what, ago), mark_it(what), no_reason,
        said_because(what, ago, reason), nothing,
    }
    /// What a gate tells an agent.
    gate { left_to_do(points), also(points), and_more(n), how_to_end, commit_work(why) }
    /// Records of uncommitted work.
    record {
        journal_damaged(n), journal_newer(n), journal_unreadable(reason), put_back(reference), put_back_and_kept(reference, kept),
        not_put_back(reference, reason), not_in_journal(reference), lost(reference), mirror_remote(remote, remedy), other_name(taken),
        no_repository(reason, records), broken_repository(reason), git_dir_elsewhere(git_dir), vault_only(reason), objects_go(expiry),
        objects_go_late(expiry, reflog), objects_stay, objects_gone, objects_elsewhere,
    }
}
