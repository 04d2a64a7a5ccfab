# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""score_real.py TIDEMARK_CLI DATA_DIR [--rows] [--check]: other people's recordings against their siblings and the model's bytes.

Pairs (real/pairs.json): recordings that differ by one or two changes. Counted are predictions within 5 % of the
sibling's true peak, those whose range holds it, and those whose range lies wholly below it, which is the dangerous side.
States (real/states.json): files whose copies of the model's bytes among weights, gradients and optimizer state are
right within 1 % at all of the known moments.
--rows prints what is not right, worst first. --check fails below the bounds."""

import collections
import json
import statistics
import sys

import harness

WITHIN, STATE_WITHIN = 0.05, 0.01
# Shares of pairs at least, and files of states not right at most.
LEAST_NEAR, LEAST_IN_RANGE, MOST_TOO_LOW, MOST_WRONG_STATES = 0.93, 1, 0, 2


def exact(folder, name):
    """A file of the folder, packed or not."""
    path = folder / name
    return path if path.exists() else folder / (name + ".gz")


class Pair:
    def __init__(self, program, folder, truth):
        self.kind, self.change, self.name = truth["kind"], truth["apply"], truth["a"]
        answer = program.json("predict", exact(folder, truth["a"]), "--apply", self.change)
        after = max(answer["devices"], key=lambda d: d["before"]["peak_requested_bytes"])["after"]
        true = truth["true_peak_b"]
        self.error = after["peak_requested_bytes"] / true - 1
        self.low, self.high = after["low_bytes"] / true - 1, after["high_bytes"] / true - 1

    @property
    def is_near(self):
        return abs(self.error) <= WITHIN

    @property
    def is_in_range(self):
        return self.low <= 0 <= self.high

    @property
    def is_too_low(self):
        return self.high < 0

    def row(self):
        return f"{self.error:+7.1%} [{self.low:+7.1%} {self.high:+7.1%}] {self.change:24} {self.kind:36} {self.name[-60:]}"


def score_pairs(program, folder, complaints):
    truths = json.loads((folder / "pairs.json").read_text(encoding="utf-8"))
    pairs = [Pair(program, folder, truth) for truth in truths]
    if "--rows" in sys.argv:
        for pair in sorted(pairs, key=lambda p: -abs(p.error)):
            if not (pair.is_near and pair.is_in_range):
                print(pair.row())
    kinds = collections.defaultdict(list)
    for pair in pairs:
        kinds[pair.kind].append(pair)
    kinds["all pairs"] = pairs
    print(f"{'':40}{'n':>4}{'near':>6}{'in':>5}{'low':>5}{'median':>9}{'worst':>9}{'width':>7}")
    for kind, rows in kinds.items():
        errors = [abs(p.error) for p in rows]
        print(f"{kind:40}{len(rows):4}{sum(p.is_near for p in rows):6}{sum(p.is_in_range for p in rows):5}"
              f"{sum(p.is_too_low for p in rows):5}{statistics.median(errors):9.2%}{max(errors):9.1%}"
              f"{statistics.median(p.high - p.low for p in rows):7.1%}")
    count = len(pairs)
    if sum(p.is_near for p in pairs) < LEAST_NEAR * count:
        complaints.append(f"fewer than {LEAST_NEAR:.0%} of the pairs are within {WITHIN:.0%}")
    if sum(p.is_in_range for p in pairs) < LEAST_IN_RANGE * count:
        complaints.append(f"fewer than {LEAST_IN_RANGE:.0%} of the pairs are in their range")
    if sum(p.is_too_low for p in pairs) > MOST_TOO_LOW:
        complaints.append("a range lies wholly below the truth")


def states_at(timeline, moment):
    """Bytes per bucket where the trace starts, at its peak and where it ends."""
    points = max(timeline["devices"], key=lambda d: len(d["points"]))["points"]
    if moment == "peak":
        return max(points, key=lambda p: p["requested_bytes"])["buckets"]
    return points[0 if moment == "start" else -1]["buckets"]


def score_states(program, folder, complaints):
    rows = json.loads((folder / "states.json").read_text(encoding="utf-8"))
    files = collections.defaultdict(list)
    for row in rows:
        files[row["file"]].append(row)
    wrong = 0
    for name, truths in files.items():
        timeline = program.json("timeline", exact(folder, name))
        remarks = []
        for truth in truths:
            said = states_at(timeline, truth["moment"])[truth["bucket"]]
            copies = said / truth["model_bytes"]
            if abs(copies - truth["true_copies"]) > STATE_WITHIN * max(1, truth["true_copies"]):
                remarks.append(f"{truth['moment']} {truth['bucket']} {copies:.3f}({truth['true_copies']})")
        wrong += bool(remarks)
        if remarks and "--rows" in sys.argv:
            print(f"{name[-60:]:60} {', '.join(remarks)}")
    print(f"states right in {len(files) - wrong} of {len(files)} files")
    if wrong > MOST_WRONG_STATES:
        complaints.append(f"states are wrong in {wrong} files")


def main():
    program, folder = [a for a in sys.argv[1:] if not a.startswith("--")]
    program, folder = harness.Program(program), harness.data_dir(folder) / "real"
    complaints = []
    score_pairs(program, folder, complaints)
    score_states(program, folder, complaints)
    print("\n".join(complaints))
    sys.exit(1 if complaints and "--check" in sys.argv else 0)


main()
