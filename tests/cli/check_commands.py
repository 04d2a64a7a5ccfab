#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_commands.py CLI ROOT: --help, the man page and the sources have the commands of `capabilities --json`, and the help of
`predict` its changes."""

import json
import re
import subprocess
import sys
from pathlib import Path


def output(cli, *arguments):
    return subprocess.run([cli, *arguments], capture_output=True, text=True, check=True).stdout


def of_manual(root):
    """The commands of the man page, in its order."""
    page = (root / "packaging/man/tidemark-cli.1").read_text(encoding="utf-8")
    section = page.split(".SH COMMANDS\n")[1].split(".SH ")[0]
    return [name.replace("\\-", "-") for name in re.findall(r"^\.TP\n\.B (\S+)$", section, re.MULTILINE)]


def of_help(text):
    """Each command with its sentence."""
    section = text.split("Commands:\n")[1].split("\n\n")[0]
    return {row[1]: row[2] for row in re.finditer(r"^  (\S+) +(.*)$", section, re.MULTILINE)}


def complaints(cli, root):
    known = json.loads(output(cli, "capabilities", "--json"))
    sentences = {row["id"]: row["title"] for row in known["commands"]}
    if of_help(output(cli, "--help")) != sentences:
        yield "--help and `capabilities` differ"
    for name in sorted(set(sentences) ^ set(of_manual(root))):
        yield f"{name} is not in both the program and packaging/man/tidemark-cli.1"
    files = {path.stem.removeprefix("command_").replace("_", "-") for path in (root / "app/cli").glob("command_*.cpp")}
    for name in sorted(set(sentences) ^ files):
        yield f"{name} is not in both app/cli/commands.h and app/cli/command_*.cpp"
    text = output(cli, "capabilities")
    for name, sentence in sentences.items():
        if not output(cli, name, "--help").startswith(sentence):
            yield f"{name} --help does not begin with its sentence"
        if not re.search(rf"^ *{name} +{re.escape(sentence)}$", text, re.MULTILINE):
            yield f"capabilities does not list {name} as text"
    listed = output(cli, "predict", "--help").split("Changes (")[1]
    for change in known["changes"]:
        if f"\n  {change['apply']}\n      {change['what']}\n" not in listed:
            yield f"predict --help lacks {change['apply']}"
    fixes = [fix["id"] for fix in json.loads((root / "resources/fixes.json").read_text(encoding="utf-8"))["fixes"]]
    if [fix["id"] for fix in known["fixes"]] != fixes:
        yield "the fixes are not those of resources/fixes.json"


if __name__ == "__main__":
    found = list(complaints(sys.argv[1], Path(sys.argv[2])))
    print("\n".join(found) or "commands and changes are the same everywhere")
    sys.exit(bool(found))
