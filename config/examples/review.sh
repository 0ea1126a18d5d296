# An external checker: the change log names the work. The context on standard input is not needed.
cat >/dev/null
if grep -q "$(git log -1 --format=%s)" CHANGELOG.md 2>/dev/null; then
    echo '{"complete": true, "feedback": "the change log names the last commit"}'
else
    echo '{"complete": false, "feedback": "CHANGELOG.md does not name the last commit"}'
fi
