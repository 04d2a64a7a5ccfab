# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""The table of rules in docs/labels.md: what each rule of labels says, how much it labels, how often it is right, and how
sure it therefore is. tests/deep/rule_coverage.py measures it, check_vocabularies.py holds it and the program together."""

import re

HEADING = "Rules"
LEVELS = (99, 95, 90, 80, 65, 50, 30, 10, 5)  # percent that a confidence may have; the last for all below it
ENOUGH = 3  # runs with a truth from which an accuracy says something
UNMEASURED = 50  # kUnmeasured of core/label/label_rules.h
SAID = {"captured": 100, "corrected": 100, "no-evidence": 0}  # by definition
ROW = re.compile(r"\| `([\w-]+)` \| (.*) \| (.*) \| (.*) \| (\d+) \| (.*) \| (.*) \| (\d+) \|")


class Measured:
    """Of one rule, with frames or without: its share of all bytes x events, and the share of those whose truth is known
    that is right, in percent; `runs` with a truth."""

    def __init__(self, share="–", right="–", runs=0):
        self.share, self.right, self.runs = share, right, runs

    @classmethod
    def of(cls, share, right, runs):
        if not share:
            return cls()
        return cls(f"{share:.2%}".replace("%", " %") if share >= 5e-5 else "< 0.01 %",
                   f"{right:.1%}".replace("%", " %") if runs else "–", runs)

    @classmethod
    def read(cls, share, right):
        figure, _, runs = right.partition(" of ")
        return cls(share, figure, int(runs or 0))

    @property
    def words(self):
        return f"{self.share} | {self.right} of {self.runs}" if self.runs else f"{self.share} | –"

    def confidence(self, rule):
        """What the program is to state."""
        if rule in SAID:
            return SAID[rule]
        if self.runs < ENOUGH:
            return UNMEASURED
        return next((level for level in LEVELS if level <= float(self.right.removesuffix(" %"))), LEVELS[-1])


def row(rule, what, frames, bare):
    return f"| `{rule}` | {what} | {frames.words} | {frames.confidence(rule)} | {bare.words} | {bare.confidence(rule)} |"


def read(lines):
    """{rule: (what, with frames, stated, without, stated)} of the table's rows."""
    found = {}
    for line in lines:
        rule, what, *cells = ROW.fullmatch(line).groups()
        found[rule] = (what, Measured.read(*cells[:2]), int(cells[2]), Measured.read(*cells[3:5]), int(cells[5]))
    return found
