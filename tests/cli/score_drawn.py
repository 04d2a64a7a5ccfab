# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""score_drawn.py TIDEMARK_CLI FOLDER... [--kept-back] [--rows] [--check]: predictions of runs whose habits were drawn by chance,
and the dimensions that are stated of them.

FOLDER holds pairs as tests/deep/drawn/make.sh leaves them. A quarter of them, told by its name, is kept back: its rows are never
printed and only its sums are, with --kept-back, so that nobody mends a rule for one of them.
--rows prints what is missed of the others. --check fails below the bounds."""

import collections
import json
import pathlib
import statistics
import sys
import zlib

import harness
import stated
from pair import Pair, packed_or_not

KEPT_BACK = 4  # one of so many is never looked at while rules change
# Shares of the pairs: within the bounds, in their range.
LEAST, LEAST_KEPT_BACK = (0.95, 0.98), (0.86, 0.96)
MOST_WRONG = 0.04  # of the dimensions that are stated


def is_kept_back(path):
    return zlib.crc32(path.name.removesuffix(".pair.json").encode()) % KEPT_BACK == 0


def snapshot_of(path):
    return packed_or_not(path.with_name(path.name.replace(".pair.json", ".pickle")))


def row(pair):
    return (f"{pair.name:18} {pair.change:18} {pair.error:+7.1%} {pair.saving_error:+8.1%} {'in ' if pair.in_range else 'OUT'} "
            f"{pair.width:6.1%} {'' if pair.is_met else 'MISSED'}{' said to fit' if pair.false_fit else ''}")


def score(name, pairs):
    widths = [p.width for p in pairs] or [0]
    print(f"{name:12}{len(pairs):4} pairs, {sum(p.is_met for p in pairs):3} within the bounds, {sum(p.in_range for p in pairs):3} in "
          f"their range, {sum(p.false_fit for p in pairs)} wrongly said to fit; ranges {statistics.median(widths):.1%} wide in the median")


def scored_dimensions(cli, paths):
    score, remarks = stated.Score(), []
    for path in paths:
        truth = json.loads(path.read_text(encoding="utf-8")).get("dimensions") or {}
        wrong = [r for r in score.add(truth, stated.by(cli, snapshot_of(path))) if " at " in r]
        remarks += [f"{path.name.removesuffix('.pair.json'):18} {' '.join(wrong)}"] if wrong else []
    return score, remarks


def main():
    program, *folders = [a for a in sys.argv[1:] if not a.startswith("--")]
    paths = [p for f in folders for p in sorted(pathlib.Path(f).glob("*.pair.json"))]
    wanted = [p for p in paths if is_kept_back(p) == ("--kept-back" in sys.argv)]
    cli = harness.Program(program)
    pairs = [Pair(cli, path) for path in wanted]
    dimensions, remarks = scored_dimensions(cli, wanted)
    if "--kept-back" in sys.argv:
        score("kept back", pairs)
    else:
        families = collections.defaultdict(list)
        for pair in pairs:
            families[pair.name.rpartition("_")[0]].append(pair)
        for name, rows in families.items():
            score(name, rows)
        score("all", pairs)
        for pair in pairs if "--rows" in sys.argv else []:
            if not (pair.is_met and pair.in_range):
                print(row(pair))
        if "--rows" in sys.argv:
            print("\n".join(remarks))
    right, wrong = dimensions.shares()
    print(f"dimensions: {right:.1%} right of what is known, {wrong:.1%} wrong of what is stated")
    count = len(pairs)
    least_met, least_in_range = LEAST_KEPT_BACK if "--kept-back" in sys.argv else LEAST
    complaints = ["there are no pairs"] if not pairs else []
    complaints += [f"fewer than {least_met:.0%} are within the bounds"] if sum(p.is_met for p in pairs) < least_met * count else []
    complaints += [f"fewer than {least_in_range:.0%} are in their range"] if sum(p.in_range for p in pairs) < least_in_range * count else []
    complaints += [f"{wrong:.1%} of the dimensions are wrong"] if wrong > MOST_WRONG else []
    complaints += [f"{p.name}: wrongly said to fit" for p in pairs if p.false_fit and "--kept-back" not in sys.argv]
    for words in complaints:
        print(words)
    sys.exit(1 if complaints and "--check" in sys.argv else 0)


main()
