# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""What a commit's subject line looks like: `type(scope): what`, at most 72 characters, no full stop.

check_subject.py ROOT             looks at the repository's commits since the rule is checked
check_subject.py --message FILE   looks at the message about to be committed (a commit-msg hook)
check_subject.py --self-test
"""

import pathlib
import re
import subprocess
import sys

LONGEST = 72
TYPES = "build chore ci docs feat fix perf refactor revert style test"
FORM = re.compile(rf"({TYPES.replace(' ', '|')})(\([a-z0-9_, /-]+\))?!?: \S.*[^.\s]")
SINCE = "2026-11-28T02:00:00+00:00"  # Older subjects were written without the check. A day alone means this time of that day.


def complaint(subject):
    """What is wrong with a subject line, None where nothing is."""
    if re.match(r"(fixup|squash)! |Merge ", subject):
        return None
    if not FORM.fullmatch(subject):
        return f"'{subject}' is not of the form 'type(scope): what', with one of the types {TYPES}"
    if len(subject) > LONGEST:
        return f"'{subject}' has {len(subject)} characters, {LONGEST} allowed"
    return None


def checked_subjects(root):
    """The subjects since then of the repository at root; none where root is no repository, as in an archive of it."""
    if not (root / ".git").exists():
        return []
    log = ["git", "-c", "safe.directory=*", "-C", str(root), "log", f"--since={SINCE}", "--no-merges", "--format=%s"]
    return subprocess.run(log, capture_output=True, text=True, check=True).stdout.splitlines()


def self_test():
    for right in ("fix(ui): Ctrl+C leaves the clipboard alone", "build: tests link with mold", "feat(core)!: a new field",
                  "test: " + "x" * 66, "fixup! anything at all"):
        assert complaint(right) is None, right
    for wrong in ("Fix the reader", "fix(ui) no colon", "fix(ui): ends in a full stop.", "feature: no such type", "fix: ",
                  "test: " + "x" * 67):
        assert complaint(wrong) is not None, wrong


def main(arguments):
    if arguments == ["--self-test"]:
        self_test()
        return 0
    if len(arguments) == 2 and arguments[0] == "--message":
        subjects = pathlib.Path(arguments[1]).read_text(encoding="utf-8").splitlines()[:1] or [""]
    elif len(arguments) == 1:
        subjects = checked_subjects(pathlib.Path(arguments[0]))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    complaints = [text for text in map(complaint, subjects) if text]
    print("\n".join(complaints), end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
