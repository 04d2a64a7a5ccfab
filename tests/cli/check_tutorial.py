# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_tutorial.py TIDEMARK_CLI: every command in the console blocks of docs is run in the project's folder, and prints the lines that
the page quotes, in their order. `…` stands for lines left out; between two of these nothing is."""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```console\n\$ ([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def pieces(quoted):
    """Runs of lines without a gap."""
    return [piece.strip("\n").split("\n") for piece in re.split(r"^…\n", quoted, flags=re.MULTILINE)]


def first_lack(lines, quoted):
    """The first quoted piece that is not in `lines` behind those before it, or None."""
    begin = 0
    for piece in pieces(quoted):
        places = [i for i in range(begin, len(lines) - len(piece) + 1) if lines[i:i + len(piece)] == piece]
        if not places:
            return "\n".join(piece)
        begin = places[0] + len(piece)
    return None


def main():
    path = f"{pathlib.Path(sys.argv[1]).resolve().parent}:{os.environ['PATH']}"
    failures, commands = [], 0
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for command, quoted in BLOCK.findall(page.read_text(encoding="utf-8")):
            commands += 1
            run = subprocess.run(["bash", "-c", command], cwd=ROOT, env={**os.environ, "PATH": path}, capture_output=True, text=True)
            if run.returncode != 0:
                failures.append(f"{page.name}: '{command}' ends with {run.returncode}: {run.stderr}")
            elif lack := first_lack(run.stdout.split("\n"), quoted):
                failures.append(f"{page.name}: '{command}' does not print:\n{lack}\nbut:\n{run.stdout}")
    if not commands:
        failures.append("no page has a command")
    print("\n".join(failures) or f"{commands} commands print what the pages quote")
    sys.exit(1 if failures else 0)


assert first_lack(["a", "b", "c"], "a\n…\nc\n") is None and first_lack(["a", "b", "c"], "a\nc\n") == "a\nc"
assert first_lack(["a", "b"], "b\n…\na\n") == "a"
main()
