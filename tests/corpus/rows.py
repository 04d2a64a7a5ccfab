# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""The rows of once_wrong.tsv: read, and held against what a command answers.

A row has five fields with tabs between them:

    input       a file below tests/data or one of other people's recordings (real/…), the first bytes of one
                (cut:BYTES:FILE), or a scene of scenes.py (scene:NAME)
    command     the arguments of tidemark-cli; {} is the input. It gets --json unless `where` is a stream
    where       a path into the answer, .devices.0.peak.buckets.gradient: a name, an index, * for each element,
                [name=text] for the elements that have it (with ~ for =: that contain it), # for how many there are,
                + for their sum; or stdout, stderr, exit
    is          a relation and what is true: = != < <= > >= take JSON or bare text; has, lacks look for text in a
                value (or in the list of values that * gives); absent and present ask whether the path leads anywhere
    was         what was said before it was mended, for the reader

Lines that are empty or begin with # are passed over.
"""

import json
import re
import typing

STREAMS = ("stdout", "stderr", "exit")
MISSING = object()
PATHS_ONLY = ("absent", "present")  # relations that take no value


class Row(typing.NamedTuple):
    line: int
    input: str
    command: str
    where: str
    relation: str
    wanted: object
    was: str

    @property
    def is_of_others(self):
        return "real/" in self.input

    def __str__(self):
        wanted = "" if self.relation in PATHS_ONLY else f" {plain(self.wanted)}"
        return f"line {self.line}: {self.input}: {self.command.split()[0]} {self.where} {self.relation}{wanted}"


def read(text):
    """All rows; a ValueError names the line that is none."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("\t") if field.strip()]
        if len(fields) != 5:
            raise ValueError(f"line {number} has {len(fields)} fields, not 5")
        source, command, where, truth, was = fields
        relation, _, wanted = truth.partition(" ")
        if relation not in RELATIONS:
            raise ValueError(f"line {number}: '{relation}' is no relation")
        if (relation in PATHS_ONLY) == bool(wanted):
            raise ValueError(f"line {number}: '{truth}' says too much or too little")
        if where not in STREAMS and not where.startswith("."):
            raise ValueError(f"line {number}: '{where}' is neither a path nor a stream")
        rows.append(Row(number, source, command, where, relation, value_of(wanted) if wanted else None, was))
    return rows


def value_of(text):
    """JSON where it is JSON, else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def look_up(answer, path):
    """What a path leads to: a value, the list of values behind a *, or MISSING."""
    values, is_many = [answer], False
    for step in re.findall(r"\[[^\]]*\]|[^.\[]+", path):
        if step == "#":
            return len(values) if is_many else len(values[0]) if values else 0
        if step == "+":
            return sum(values)
        if step == "*" or step.startswith("["):
            is_many = True
            values = [item for value in values for item in elements(value) if step == "*" or has(item, step[1:-1])]
        else:
            values = [found for value in values if (found := child(value, step)) is not MISSING]
    if is_many:
        return values
    return values[0] if values else MISSING


def elements(value):
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


def has(item, condition):
    name, sign, text = re.fullmatch(r"(\w+)([=~])(.*)", condition).groups()
    if not isinstance(item, dict) or name not in item:
        return False
    return plain(item[name]) == text if sign == "=" else text in plain(item[name])


def child(value, step):
    if isinstance(value, dict):
        return value.get(step, MISSING)
    if isinstance(value, list) and step.isdigit() and int(step) < len(value):
        return value[int(step)]
    return MISSING


def plain(value):
    return value if isinstance(value, str) else json.dumps(value)


def contains(value, text):
    if isinstance(value, list):
        return any(contains(item, text) for item in value)
    return plain(text) in plain(value)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def ordered(compare):
    """A comparison of numbers; of a list all must hold, and there must be one."""
    def holds(value, wanted):
        values = value if isinstance(value, list) else [value]
        return bool(values) and all(is_number(v) and compare(v, wanted) for v in values)
    return holds


RELATIONS = {
    "=": lambda value, wanted: value == wanted,
    "!=": lambda value, wanted: value is not MISSING and value != wanted,
    "<": ordered(lambda a, b: a < b),
    "<=": ordered(lambda a, b: a <= b),
    ">": ordered(lambda a, b: a > b),
    ">=": ordered(lambda a, b: a >= b),
    "has": lambda value, wanted: value is not MISSING and contains(value, wanted),
    "lacks": lambda value, wanted: value is not MISSING and value != [] and not contains(value, wanted),
    "absent": lambda value, _: value is MISSING or value == [],
    "present": lambda value, _: value is not MISSING and value != [],
}


def holds(row, value):
    return RELATIONS[row.relation](value, row.wanted)
