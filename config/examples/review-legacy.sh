#!/bin/sh
# The same with legacy text: the decision file holds PASS or FAIL, with notes under it. No id is needed; a file from
# before the run says nothing.
#
#   closeout run --decision-file verdict.txt -- sh config/examples/review-legacy.sh
set -eu

printf 'work of iteration %s\n' "$CLOSEOUT_ITERATION" >> work.txt
git add work.txt
git commit -qm "work of iteration $CLOSEOUT_ITERATION"
if [ "$(wc -l < work.txt)" -ge 2 ]; then
    echo PASS > "$CLOSEOUT_DECISION_FILE"
else
    printf 'FAIL\n- work.txt has fewer than two lines\n' > "$CLOSEOUT_DECISION_FILE"
fi
