# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""rule_coverage.py TIDEMARK_CLI DATA_DIR...: what each rule of labels does, over all recordings of the folders.

One row per rule id: in how many runs it labels something, its share of all bytes x events (each run counts alike), the
confidence it states and, where a truth is beside the recording, the share of its bytes x events that carry their true
bucket. Then the ids in core/label that label nothing anywhere, and those whose stated confidence is off by more than ten
points: such a rule goes or learns its figure."""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))

import harness  # noqa: E402
import modelled  # noqa: E402

ID = re.compile(r'"([a-z0-9]+(?:-[a-z0-9]+)+)"')
OFF = 0.10  # of a confidence
ENOUGH = 3  # runs with a truth from which an accuracy says something


class Rule:
    def __init__(self):
        self.runs, self.judged = set(), set()
        self.area = self.right = self.weighed = self.confidence = 0.0

    @property
    def accuracy(self):
        return self.right / self.weighed if self.weighed else None

    @property
    def stated(self):
        return self.confidence / self.area


def add(rules, name, device, truth):
    bucket_of = modelled.true_buckets(truth) if truth else lambda _: None
    events = 1 + max((a[k] or 0 for a in device["allocations"] for k in ("alloc_event", "free_event")), default=0)
    areas = []
    for a in device["allocations"]:
        begin = -1 if a["alloc_event"] is None else a["alloc_event"]
        end = events if a["free_event"] is None else a["free_event"]
        areas.append(a["requested_bytes"] * (end - begin))
    total = sum(areas) or 1
    for a, area in zip(device["allocations"], areas):
        rule, share, true = rules[a["reason"].split(":")[0]], area / total, bucket_of(a)
        rule.runs.add(name)
        rule.area += share
        rule.confidence += share * a["confidence"] / 100
        if true is not None:
            rule.judged.add(name)
            rule.weighed += share
            rule.right += share if modelled.agrees(a, true) else 0


def recordings(folders):
    """(path, truth or None)"""
    for folder in folders:
        for path in sorted(p for suffix in modelled.SUFFIXES for p in pathlib.Path(folder).rglob("*" + suffix)):
            truth = path.with_name(harness.bare_name(path) + ".truth.json")
            yield path, modelled.json.loads(truth.read_text(encoding="utf-8")) if truth.is_file() else None


def ids_in_the_source():
    return {found for path in (ROOT / "core" / "label").rglob("*.cpp")
            for found in ID.findall(path.read_text(encoding="utf-8"))}


def main():
    program, rules, count = harness.Program(sys.argv[1]), collections.defaultdict(Rule), 0
    for path, truth in recordings(sys.argv[2:]):
        try:
            labels = program.json("labels", path)
        except AssertionError:  # no snapshot
            continue
        device = max(labels["devices"], key=lambda d: len(d["allocations"]), default=None)
        if device:
            add(rules, str(path), device, truth)
            count += 1
    print(f"{count} recordings\n{'rule':36} {'runs':>5} {'share':>7} {'stated':>7} {'right':>7}  judged in")
    for name, rule in sorted(rules.items(), key=lambda item: -item[1].area):
        right = "" if rule.accuracy is None else f"{rule.accuracy:.1%}"
        print(f"{name:36} {len(rule.runs):5} {rule.area / count:7.2%} {rule.stated:7.2f} {right:>7}  {len(rule.judged)}")
    print("\nlabel nothing:", *sorted(ids_in_the_source() - set(rules)), sep="\n    ")
    print("\nconfidence off:")
    for name, rule in sorted(rules.items()):
        if len(rule.judged) >= ENOUGH and abs(rule.accuracy - rule.stated) > OFF:
            print(f"    {name:36} {rule.stated:.2f} stated, {rule.accuracy:.2f} measured in {len(rule.judged)} runs")


main()
