#!/bin/sh
# A READ_INFO task that asks and is answered, on the terminal of the run or by `closeout reply PATH TEXT` anywhere.
#
#   closeout run --task-kind READ_INFO -- sh config/examples/read-and-ask.sh
set -eu

answer=$(sed -n 's/^The answer: //p')
if [ -z "$answer" ]; then
    echo "Which of the two files do you want a summary of, a.txt or b.txt?"
else
    echo "Here is the summary of $answer: it has $(wc -l < "$answer") lines."
fi
