# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_golden.py TIDEMARK_CLI EXAMPLE [--update]: what the commands print about the bundled example, line by line.

Where the text differs, the new one is written beside the kept one as NAME.actual and the difference is shown. --update
keeps the new texts; look at the difference before committing them."""

import difflib
import pathlib
import subprocess
import sys

COMMANDS = {
    "summary": ["summary"],
    "timeline": ["timeline", "--points", "24"],
    "allocations": ["allocations", "--at", "oom", "--top", "12"],
    "diagnose": ["diagnose"],
    "predict": ["predict", "--apply", "checkpointing=full"],
}


def main():
    program, example, *options = sys.argv[1:]
    folder = pathlib.Path(__file__).parent
    differs = False
    for name, (command, *arguments) in COMMANDS.items():
        done = subprocess.run(
            [program, command, example, *arguments], capture_output=True, text=True, encoding="utf-8", check=True)
        kept, actual = folder / f"{name}.txt", folder / f"{name}.txt.actual"
        if options == ["--update"]:
            kept.write_text(done.stdout, encoding="utf-8")
            continue
        expected = kept.read_text(encoding="utf-8") if kept.exists() else ""
        if done.stdout == expected:
            actual.unlink(missing_ok=True)
            continue
        differs = True
        actual.write_text(done.stdout, encoding="utf-8")
        lines = difflib.unified_diff(
            expected.splitlines(), done.stdout.splitlines(), str(kept), str(actual), lineterm="")
        print("\n".join(lines))
    sys.exit(1 if differs else 0)


main()
