"""An external checker: every source file that the work touched has a test beside it in tests/."""

import json
import pathlib
import subprocess
import sys

context = json.load(sys.stdin)
workspace = pathlib.Path(context["workspace"])
command = ["git", "-C", str(workspace), "diff", "--no-ext-diff", "--name-only", context["baseline"] or "HEAD"]
changed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
sources = [pathlib.PurePath(path) for path in changed if path.startswith("src/")]
missing = [path.name for path in sources if not list((workspace / "tests").glob(f"{path.stem}*"))]
feedback = f"no test for: {', '.join(missing[:3])}" if missing else "every source has its test"
print(json.dumps({"complete": not missing, "feedback": feedback}))
