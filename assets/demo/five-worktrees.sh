#!/bin/sh
# Makes a repository with five worktrees to try closeout on, in the folder given (it must not exist):
# one finished, one that asks in Japanese, one with uncommitted work, one with a failing decision
# file, one whose agent ended in mid-turn. Prints how to look at it. Needs git only, writes nowhere else.
#
# The agents' records are made up: they lie in FOLDER/claude, so start closeout with
#   CLAUDE_CONFIG_DIR=FOLDER/claude
set -eu

if [ $# -ne 1 ] || [ -e "$1" ]; then
    echo "usage: $0 FOLDER (a folder that does not exist yet)" >&2
    exit 2
fi
mkdir -p "$1"
folder=$(cd "$1" && pwd -P)
GIT_CONFIG_GLOBAL=/dev/null
GIT_CONFIG_NOSYSTEM=1
GIT_AUTHOR_NAME=Demo GIT_AUTHOR_EMAIL=demo@example.test
GIT_COMMITTER_NAME=Demo GIT_COMMITTER_EMAIL=demo@example.test
export GIT_CONFIG_GLOBAL GIT_CONFIG_NOSYSTEM GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL

main=$folder/shop
git init -q -b main "$main"
cd "$main"
mkdir -p src docs
printf 'fn main() {}\n' >src/main.rs
printf '# Shop\n' >docs/guide.md
git add .
git commit -qm 'Begin'

worktree() { git worktree add -q -b "$1" "$folder/$1" main; }

# The record of a session: the prompt, and what the agent said last.
# $1 worktree, $2 prompt, $3 the lines after the prompt
now=$(date -u +%Y-%m-%dT%H:%M:%S.000Z)
record() {
    slug=$(printf '%s' "$folder/$1" | LC_ALL=C tr -c 'A-Za-z0-9' '-')
    mkdir -p "$folder/claude/projects/$slug"
    {
        printf '{"type":"user","uuid":"u1","parentUuid":null,"isSidechain":false,"sessionId":"demo-%s","cwd":"%s","version":"2.1.330","timestamp":"%s","promptSource":"typed","origin":{"kind":"human"},"message":{"role":"user","content":"%s"}}\n' \
            "$1" "$folder/$1" "$now" "$2"
        printf '%s\n' "$3"
    } >"$folder/claude/projects/$slug/demo-$1.jsonl"
}
said() {
    printf '{"type":"assistant","uuid":"a1","parentUuid":"u1","isSidechain":false,"sessionId":"demo-%s","cwd":"%s","version":"2.1.330","timestamp":"%s","message":{"id":"m1","role":"assistant","model":"demo-model","stop_reason":"end_turn","content":[{"type":"text","text":"%s"}]}}' \
        "$1" "$folder/$1" "$now" "$2"
}
calls() {
    printf '{"type":"assistant","uuid":"a1","parentUuid":"u1","isSidechain":false,"sessionId":"demo-%s","cwd":"%s","version":"2.1.330","timestamp":"%s","message":{"id":"m1","role":"assistant","model":"demo-model","stop_reason":"tool_use","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"cargo test"}}]}}' \
        "$1" "$folder/$1" "$now"
}

worktree finished
(cd "$folder/finished" && printf 'pub fn parse() {}\n' >src/parse.rs && git add . && git commit -qm 'Write the parser')
record finished 'Write the parser' "$(said finished 'The parser is written and committed. All **41 tests** pass.')"

worktree asks
record asks '保存先を決めて実装して' "$(said asks '保存先には二つの案があります。\n\n1. PostgreSQL\n2. SQLite\n\nどちらにしますか。')"

worktree uncommitted
(cd "$folder/uncommitted" && printf 'fn main() { println!("hi"); }\n' >src/main.rs && printf 'notes\n' >docs/notes.md \
    && mkdir .closeout && printf '{"decision":"complete"}\n' >.closeout/decision.json)

worktree failing
(cd "$folder/failing" && printf 'pub fn pay() {}\n' >src/pay.rs && git add . && git commit -qm 'Add payments' \
    && mkdir .closeout && printf '{"decision":"incomplete","reasons":["2 tests fail","no changelog entry"]}\n' >.closeout/decision.json)

worktree working
record working 'Make the tests fast' "$(calls working)"

echo "made $folder; look at it with:"
echo "  cd $main && CLAUDE_CONFIG_DIR=$folder/claude closeout"
