# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Lists of corrections that none has: as many rules as a hostile snapshot has entries. Each takes N and returns rules."""

import json

from hostile_trace import MIB, line_stack


def made_by_functions(n):
    """A function that only one stack of `distinct_stacks` has, and what many have beside it."""
    return [{"function": f"make_{i}", "file": "/home/user/"} for i in range(n)]


def made_in_files(n):
    """A file that only one stack of `distinct_stacks` has, of a size that all have."""
    return [{"file": f"part_{i}.py", "bytes": 2 * MIB} for i in range(n)]


def made_by_nobody(n):
    """Texts that all but occur, one within the other."""
    return [{"function": "forwar_" + "x" * (i % 50) + str(i)} for i in range(n)]


def written_stacks(n):
    """The stacks of `distinct_lines`, frame by frame: they differ in the line of the last one alone."""
    rules = []
    for i in range(n):
        frames = [dict(frame) for frame in line_stack(i)]
        frames[-1]["filename"] = "train.py"
        rules.append({"stack": frames})
    return rules


def write(rules, n, path):
    matches = globals()[rules](n)
    path.write_text(json.dumps({
        "tidemark_rules": 1,
        "rules": [{"match": match, "bucket": "output"} for match in matches]}), encoding="utf-8")
