#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_commands.py CLI ROOT: --help, the man page and the sources have the commands of `capabilities --json`, the man page each
command's options, and the help of `predict` its changes."""

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


def options_of_manual(root, options):
    """The options of each command: those in its own paragraph, and those below the headings that name it."""
    page = (root / "packaging/man/tidemark-cli.1").read_text(encoding="utf-8").replace("\\-", "-")
    own, below = {name: set() for name in options}, {name: [] for name in options}
    for paragraph in page.split(".SH COMMANDS")[1].split(".SH ")[0].split("\n.TP\n.B ")[1:]:
        own[paragraph.split("\n")[0]] |= set(re.findall(r"--[a-z0-9-]+", paragraph))
    for part in page.split(".SH OPTIONS\n")[1].split(".SH ")[0].split("\n.PP\n"):
        head, *entries = part.split("\n.TP\n")
        named = {word for word in re.findall(r"[a-z-]+", head) if word in options}
        if head == "Of the program:":
            continue
        if head.startswith("Of every command"):
            named = set(options) - named
        elif head == "Of all commands that take snapshots:":
            named = {name for name, known in options.items() if "--rules" in known}
        for name in named:
            below[name] += [option for entry in entries for option in re.findall(r"--[a-z0-9-]+", entry.split("\n")[0])]
    return own, below


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
    options = {name: set(re.findall(r"^  (?:-\w,)?(--[a-z0-9-]+)", output(cli, name, "--help"), re.MULTILINE))
               for name in sentences}
    own, below = options_of_manual(root, options)
    for name, helped in options.items():
        for option in sorted(helped ^ (own[name] | set(below[name]))):
            yield f"{name} {option} is not in both its --help and packaging/man/tidemark-cli.1"
        for option in sorted({option for option in below[name] if below[name].count(option) > 1}):
            yield f"{name} {option} is explained twice in packaging/man/tidemark-cli.1"
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
