# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_captured.py TIDEMARK_CLI FOLDER: runs recorded by the capture module are labelled as they truly were.

FOLDER holds NAME.pickle.xz with NAME.truth.json, as make_captured.py leaves them. Shares are of bytes × lifetime in
events over all allocations, and of the bytes alive at the peak. What the capture itself says must be right without
exception."""

import collections
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

import harness  # noqa: E402
import modelled  # noqa: E402

LABELLED_SHARE = 0.999
LABELLED_SHARE_CUT = 0.99  # what was made before the ring buffer begins has no lifetime to judge by
PHASE_SHARE = 0.99


def phase_per_event(spans, events):
    phases = ["setup"] * events
    for (first, phase), end in zip(spans, [span[0] for span in spans[1:]] + [events]):
        phases[first:end] = [phase] * (end - first)
    return phases


def weight(allocation, events):
    begin, end = allocation["alloc_event"], allocation["free_event"]
    return allocation["requested_bytes"] * ((events if end is None else end) - (-1 if begin is None else begin))


def check_labels(checks, run, allocations, events):
    bucket_of = modelled.true_buckets(run.truth)
    right = total = 0
    mistakes = collections.Counter()
    for allocation in allocations:
        true_bucket = bucket_of(allocation)
        if true_bucket is None:
            continue
        total += weight(allocation, events)
        rule = allocation["reason"].split(":")[0]
        if modelled.agrees(allocation, true_bucket):
            right += weight(allocation, events)
        else:
            mistakes[(true_bucket, allocation["bucket"], rule)] += weight(allocation, events)
            checks.that(rule != "captured", f"{run.name}: {allocation} is truly {true_bucket}")
    captured = sum(allocation["reason"].startswith("captured:") for allocation in allocations)
    checks.that(captured > 0, f"{run.name}: nothing is labelled from the capture")
    share = right / total
    peak = modelled.Score(allocations, run.truth, run.truth["peak_event"])
    print(f"{run.path.name:30} {share:8.3%} {peak.right_share:8.3%} {captured:6} of {len(allocations)} named")
    for (true_bucket, given, rule), size in mistakes.most_common(5):
        print(f"    {size / total:8.3%}  {true_bucket} called {given} by {rule}")
    wanted = LABELLED_SHARE if run.has_full_history else LABELLED_SHARE_CUT
    checks.that(share >= wanted, f"{run.name}: {share:.2%} of all bytes carry the true bucket")
    checks.that(
        peak.right_share >= wanted, f"{run.name}: {peak.right_share:.2%} of the peak carry the true bucket")


def check_phases(checks, run, device):
    found = phase_per_event([[p["first_event"], p["phase"]] for p in device["phases"]], device["events"])
    true = phase_per_event(run.truth["phases"], device["events"])
    share = sum(a == b for a, b in zip(found, true)) / device["events"]
    wrong = collections.Counter((b, a) for a, b in zip(found, true) if a != b)
    print(f"    phases {share:7.2%} {dict(wrong)}")
    checks.that(share >= PHASE_SHARE, f"{run.name}: only {share:.1%} of the events lie in the true phase")
    if run.has_full_history:
        checks.equal(f"{run.name}: steps", len(device["steps"]), run.truth["steps"])


def main():
    program, folder = harness.Program(sys.argv[1]), pathlib.Path(sys.argv[2])
    checks = harness.Checks()
    for path in sorted(folder.glob("*.pickle.xz")):
        truth = folder / path.name.replace(".pickle.xz", ".truth.json")
        run = modelled.Run(path, json.loads(truth.read_text(encoding="utf-8")))
        summary = program.json("summary", path)
        device = summary["devices"][0]
        check_labels(checks, run, program.json("labels", path)["devices"][0]["allocations"], device["events"])
        check_phases(checks, run, device)
        true_oom = run.truth["oom"]
        checks.equal(f"{run.name}: written", summary["capture"]["reason"], "oom" if true_oom else "end")
        checks.equal(f"{run.name}: OOM", [o["event"] for o in device["ooms"]], [true_oom["index"]] if true_oom else [])
        codes = [note["code"] for note in summary["notes"]]
        checks.that(not [c for c in codes if c.startswith("capture-")], f"{run.name}: notes {codes}")
    checks.that(any(path.name.startswith("out_of_memory") for path in folder.glob("*.pickle.xz")), "no run died")
    checks.finish()


main()
