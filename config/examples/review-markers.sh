#!/bin/sh
# The same with markers alone: the last line of the output says COMPLETE or INCOMPLETE.
#
#   closeout run -- sh config/examples/review-markers.sh
set -eu

printf 'work of iteration %s\n' "$CLOSEOUT_ITERATION" >> work.txt
git add work.txt
git commit -qm "work of iteration $CLOSEOUT_ITERATION"
if [ "$(wc -l < work.txt)" -ge 2 ]; then
    echo "Reviewed: work.txt has two lines."
    echo "COMPLETE"
else
    echo "INCOMPLETE: work.txt has fewer than two lines"
fi
