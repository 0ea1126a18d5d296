#!/bin/sh
# A review loop with a JSON decision: FAIL, fix, PASS. closeout runs it again until the decision is "complete".
#
#   closeout run --prompt-file task.md -- sh config/examples/review-json.sh
#
# The prompt is on standard input: what you asked for, and from the second iteration on what is left to do. Put your
# agents where `fix` and `review` are, for example `claude -p --permission-mode acceptEdits < "$CLOSEOUT_PROMPT_FILE"`.
set -eu

decide() { # complete|incomplete REASON
    mkdir -p "$(dirname "$CLOSEOUT_DECISION_FILE")"
    printf '{"decision":"%s","check_id":"%s","reasons":["%s"]}\n' \
        "$1" "$AGENTCORE_COMPLETION_CHECK_ID" "$2" > "$CLOSEOUT_DECISION_FILE.new"
    mv "$CLOSEOUT_DECISION_FILE.new" "$CLOSEOUT_DECISION_FILE"
}
fix() { printf 'work of iteration %s\n' "$CLOSEOUT_ITERATION" >> work.txt; }
review() { [ "$(wc -l < work.txt)" -ge 2 ]; }

cat > /dev/null # the prompt
fix
git add work.txt
git commit -qm "work of iteration $CLOSEOUT_ITERATION"
if review; then decide complete "reviewed"; else decide incomplete "work.txt has fewer than two lines"; fi
