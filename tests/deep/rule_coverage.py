# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""rule_coverage.py TIDEMARK_CLI DATA_DIR... [--keep FILE] [--write]: what each rule of labels does, over all recordings of the
folders.

One row per rule id, with "/" behind it where phases were found without frames: in how many runs it labels something, its share
of all bytes x events (each run counts alike), the confidence it states and, where a truth is beside the recording, the share of
its bytes x events that carry their true bucket. A run with its whole trace is looked at six times: as it is, without a frame,
without its first 57 % and 85 % of events, with frames and without. Then the ids that label nothing anywhere.
--keep writes the sums of each run to FILE and takes from there what it has. --write writes the table of docs/label-rules.md and,
what follows from it, the confidences of core/label/label_rules.cpp."""

import collections
import json
import pathlib
import pickle
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))

import harness  # noqa: E402
import modelled  # noqa: E402
import rule_table  # noqa: E402

RULE = re.compile(r'\{Rule::(\w+), "?[\w-]+"?, \w+, \w+,\s*toSay\(((?:\s*"(?:[^"\\]|\\.)*")+)\)\}')
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
WITHOUT_FRAMES = "inferred from sizes and lifetimes, without frames"  # in the evidence of what was inferred so
CUTS = 57, 85  # percent of the events
SHORTEST = 400  # events of a trace that is worth cutting


class Figures:
    """Of one rule: share of bytes x events, the same weighted with its confidence, that of it whose truth is known, and
    what of that is right."""

    def __init__(self, area=0.0, confidence=0.0, judged=0.0, right=0.0):
        self.area, self.confidence, self.judged, self.right = area, confidence, judged, right

    def add(self, other):
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def figures_of(device, truth):
    """{rule id, with "/" behind it where no frames were recorded: figures} of one run."""
    bucket_of = modelled.true_buckets(truth) if truth else lambda _: None
    events = 1 + max((a[k] or 0 for a in device["allocations"] for k in ("alloc_event", "free_event")), default=0)
    areas = []
    for a in device["allocations"]:
        begin = -1 if a["alloc_event"] is None else a["alloc_event"]
        end = events if a["free_event"] is None else a["free_event"]
        areas.append(a["requested_bytes"] * (end - begin))
    total = sum(areas) or 1
    rules = collections.defaultdict(Figures)
    for a, area in zip(device["allocations"], areas):
        name, share, true = a["reason"].split(":")[0], area / total, bucket_of(a)
        judged = share if true is not None else 0
        rules[name + "/" * (WITHOUT_FRAMES in a["reason"])].add(
            Figures(share, share * a["confidence"] / 100, judged, judged if judged and modelled.agrees(a, true) else 0))
    return rules


def without_frames(snapshot):
    for event in (e for trace in snapshot["device_traces"] for e in trace):
        event["frames"] = []
    for segment in snapshot["segments"]:
        segment["frames"] = []
        for block in segment["blocks"]:
            block["frames"] = []
    return snapshot


def cut(snapshot, truth, percent):
    """As a full ring buffer leaves it: the last events of the longest trace, and what is true of them."""
    index = max(range(len(snapshot["device_traces"])), key=lambda i: len(snapshot["device_traces"][i]))
    trace = snapshot["device_traces"][index]
    first = len(trace) * percent // 100
    made, phase = dict(map(tuple, truth["alloc_labels"])), "other"
    live, frees, phases = {}, [list(pair) for pair in truth["free_labels"] if pair[0] >= first], []
    for at, event in enumerate(trace):
        if event["action"] == "alloc":
            live[event["addr"]] = at
        elif event["action"] == "free_completed":
            alloc = live.pop(event["addr"], None)
            if alloc is not None and alloc < first <= at and alloc in made:
                frees.append([at, made[alloc]])
    for at, name in truth["phases"]:
        phase = name if at <= first else phase
        phases += [[at - first, name]] if at > first else []
    snapshot["device_traces"][index] = trace[first:]
    return snapshot, {**truth, "cut": first, "phases": [[0, phase], *phases],
                      "alloc_labels": [[e - first, b] for e, b in truth["alloc_labels"] if e >= first],
                      "free_labels": [[e - first, b] for e, b in frees]}


MODELLED, WINDOWS = 0x7F0000000000, 0x500000000


def where_addresses_rise(snapshot, truth):
    """The model of the allocator begins where a driver's addresses on Linux do and gives ever higher ones, as on Windows:
    what tells the two apart is to be told the truth."""
    if min((s["address"] for s in snapshot["segments"]), default=0) >> 32 != MODELLED >> 32:
        return truth
    places = [(e, "addr") for trace in snapshot["device_traces"] for e in trace]
    places += [(s, "address") for s in snapshot["segments"]]
    places += [(b, "address") for s in snapshot["segments"] for b in s["blocks"]]
    for place, key in places:
        if place.get(key, 0) >= MODELLED:
            place[key] -= MODELLED - WINDOWS
    return {**truth, "live_labels": {str(int(a) - MODELLED + WINDOWS): b for a, b in truth["live_labels"].items()}}


def variants(path, truth, folder):
    """(name, file, truth): the run itself, and what would be left of it."""
    yield "", path, truth
    if truth is None or truth["cut"]:
        return
    def read():
        snapshot = pickle.loads(harness.unpacked(path))
        snapshot.pop("tidemark", None)
        return snapshot, where_addresses_rise(snapshot, truth)
    def written(name, snapshot, truth):
        file = folder / "run.pickle"
        file.write_bytes(pickle.dumps(snapshot))
        return name, file, truth
    snapshot, told = read()
    yield written(" without frames", without_frames(snapshot), told)
    if max(map(len, snapshot["device_traces"])) >= SHORTEST:
        for percent in CUTS:
            yield written(f" without {percent} %", *cut(*read(), percent))
            snapshot, told = cut(*read(), percent)
            yield written(f" without {percent} % and frames", without_frames(snapshot), told)


def recordings(folders):
    """(path, truth or None)"""
    for folder in folders:
        for path in sorted(p for suffix in modelled.SUFFIXES for p in pathlib.Path(folder).rglob("*" + suffix)):
            if path.name.startswith(("frameless_", "late_")):  # as tests/deep/scenes writes them: made here, too
                continue
            truth = path.with_name(harness.bare_name(path) + ".truth.json")
            yield path, json.loads(truth.read_text(encoding="utf-8")) if truth.is_file() else None


def measured(program, folders, keep):
    """{run: {rule: figures}}"""
    known = {}
    if keep and keep.is_file():
        known = {run: figures for run, figures in map(json.loads, keep.read_text(encoding="utf-8").splitlines())}
    runs = {}
    with tempfile.TemporaryDirectory() as scratch:
        for path, truth in recordings(folders):
            if str(path) in known:
                runs.update({run: figures for run, figures in known.items() if run.partition(" ")[0] == str(path)})
                continue
            for name, file, told in variants(path, truth, pathlib.Path(scratch)):
                try:
                    labels = program.json("labels", file)
                except AssertionError:  # no snapshot
                    continue
                device = max(labels["devices"], key=lambda d: len(d["allocations"]), default=None)
                if device:
                    runs[f"{path}{name}"] = {r: vars(f) for r, f in figures_of(device, told).items()}
                    if keep:
                        with keep.open("a", encoding="utf-8") as out:
                            print(json.dumps([f"{path}{name}", runs[f"{path}{name}"]]), file=out)
    return {run: {rule: Figures(**f) for rule, f in figures.items()} for run, figures in runs.items()}


class Totals:
    """Of a rule, over all runs."""

    def __init__(self):
        self.figures, self.runs, self.judged = Figures(), 0, 0

    def add(self, figures):
        self.figures.add(figures)
        self.runs += 1
        self.judged += figures.judged > 0

    def measured(self, runs):
        f = self.figures
        return rule_table.Measured.of(f.area / runs, f.right / f.judged if f.judged else 0, self.judged)


def write(totals, runs):
    """What was measured into the document, and the confidences that follow into the program."""
    source, page = ROOT / "core/label/label_rules.cpp", ROOT / "docs/label-rules.md"
    code, rows = source.read_text(encoding="utf-8"), []
    for name, what in RULE.findall(code):
        rule = name.replace("_", "-")
        frames, bare = (totals[name].measured(runs) for name in (rule, rule + "/"))
        rows.append(rule_table.row(rule, "".join(TEXT.findall(what)), frames, bare))
        if rule not in rule_table.SAID:
            stated = f"{frames.confidence(rule)}, {bare.confidence(rule)}"
            code = re.sub(rf'(Rule::{name}, [\w"-]+), \d+, \d+', rf"\1, {stated}", code)
    source.write_text(code, encoding="utf-8")
    text = page.read_text(encoding="utf-8")
    table = re.search(rf"^## {rule_table.HEADING}\n.*?\n\|[^\n]*\n\|[-| ]*\n((?:\|[^\n]*\n)*)", text, re.DOTALL | re.MULTILINE)
    page.write_text(text[:table.start(1)] + "".join(f"{row}\n" for row in rows) + text[table.end(1):], encoding="utf-8")


def main():
    arguments = sys.argv[1:]
    keep = pathlib.Path(arguments.pop(arguments.index("--keep") + 1)) if "--keep" in arguments else None
    program, *folders = [a for a in arguments if not a.startswith("--")]
    runs = measured(harness.Program(program), folders, keep)
    totals = collections.defaultdict(Totals)
    for figures in runs.values():
        for rule, f in figures.items():
            totals[rule].add(f)
    print(f"{len(runs)} runs\n{'rule':36} {'runs':>5} {'share':>9} {'stated':>7} {'right':>9}  judged in")
    for rule, total in sorted(totals.items(), key=lambda item: -item[1].figures.area):
        m, f = total.measured(len(runs)), total.figures
        print(f"{rule:36} {total.runs:5} {m.share:>9} {f.confidence / max(f.area, 1e-30):7.2f} {m.right:>9}  {m.runs}")
    known = [rule.replace("_", "-") for rule, _ in RULE.findall((ROOT / "core/label/label_rules.cpp").read_text(encoding="utf-8"))]
    print("\nlabel nothing:", *(rule for rule in known if not {rule, rule + "/"} & set(totals)), sep="\n    ")
    if "--write" in arguments:
        write(totals, len(runs))


if __name__ == "__main__":
    main()
