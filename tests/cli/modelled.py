# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""The runs whose truth is known, and labels measured against it."""

import collections
import json
import pathlib

import harness

START = -1


SUFFIXES = (".pickle", ".pickle.gz", ".pickle.xz")


class Run:
    """One snapshot with its truth: `path` of the pickle, `name`, and `truth`, the content of its truth file."""

    def __init__(self, path, truth, name=None):
        self.path = path
        self.name = name or harness.bare_name(path)
        self.truth = truth

    @property
    def has_full_history(self):
        return self.truth["cut"] == 0

    @property
    def oom_event(self):
        """Index of the OOM event, or None."""
        return self.truth["oom"]["index"] if self.truth["oom"] else None


def runs(data_dir):
    """All modelled runs that have a truth file, by name."""
    return runs_in(pathlib.Path(data_dir) / "modelled")


def modern_runs(data_dir):
    """Those of today's libraries."""
    return runs_in(pathlib.Path(data_dir) / "modern")


def runs_in(folder):
    """Those of another folder, packed or not."""
    found = []
    for path in sorted(p for suffix in SUFFIXES for p in folder.glob("*" + suffix)):
        truth = path.with_name(harness.bare_name(path) + ".truth.json")
        if truth.is_file():
            found.append(Run(path, json.loads(truth.read_text(encoding="utf-8"))))
    return found


def ranks_in(folder):
    """One run per rank of a folder of jobs, each job a folder of its own; named JOB/RANK."""
    found = []
    for job in sorted(p for p in folder.iterdir() if p.is_dir()):
        found += [Run(run.path, run.truth, f"{job.name}/{run.name}") for run in runs_in(job)]
    return found


def pairs(data_dir):
    """Runs with a change to them: (path, the change, true requested peak before it, the one after it)."""
    folder = pathlib.Path(data_dir) / "modelled"
    for path in sorted(folder.glob("*.pair.json")):
        pair = json.loads(path.read_text(encoding="utf-8"))
        snapshot = harness.modelled_file(pathlib.Path(data_dir), path.name.removesuffix(".pair.json"))
        yield snapshot, pair["apply"], pair["peak_requested_before"], pair["peak_requested_after"]


def is_live(allocation, event):
    """Whether an allocation of `labels --json` lives in the state after `event`."""
    begin, end = allocation["alloc_event"], allocation["free_event"]
    return (begin is None or begin <= event) and (end is None or end > event)


def true_buckets(truth):
    """A function from an allocation of `labels --json` to its true bucket, or None where the truth is silent."""
    by_alloc = {event: bucket for event, bucket in truth["alloc_labels"]}
    by_free = {event: bucket for event, bucket in truth["free_labels"]}
    by_address = {int(address): bucket for address, bucket in truth["live_labels"].items()}

    def bucket_of(allocation):
        if allocation["alloc_event"] is not None:
            return by_alloc.get(allocation["alloc_event"])
        if allocation["free_event"] is not None:
            return by_free.get(allocation["free_event"])
        return by_address.get(allocation["address"])

    return bucket_of


def phase_per_event(spans, events):
    """The phase of each event, from [first event, phase] pairs; before the first pair it is the setup."""
    phases = ["setup"] * events
    for (first, phase), end in zip(spans, [span[0] for span in spans[1:]] + [events]):
        phases[first:end] = [phase] * (end - first)
    return phases


def phase_share(found, true):
    """Of the events, those in their true phase. What lies between phases (`other`) belongs to none; passes without
    gradients may have either name in a program that also trains."""
    same = {"inference": "evaluation"}
    judged = [(same.get(a, a), same.get(b, b)) for a, b in zip(found, true) if b != "other"]
    return sum(a == b for a, b in judged) / len(judged) if judged else 1.0


def agrees(allocation, true_bucket):
    """Whether the label is right. Memory recomputed in backward may be called either way; a buffer that FSDP gathers
    weights into is neither weights nor more."""
    given = allocation["bucket"]
    if true_bucket == "gathered":
        return given in ("parameter", "communication", "temporary")
    if allocation["role"] == "recomputed" and true_bucket in ("activation", "temporary"):
        return given in ("activation", "temporary")
    return given == true_bucket


class Score:
    """How much of what lives after an event carries its true bucket, in requested bytes."""

    def __init__(self, allocations, truth, event):
        bucket_of = true_buckets(truth)
        self.total = self.right = self.unknown = self.unjudged = 0
        self.mistakes = collections.Counter()
        for allocation in allocations:
            if not is_live(allocation, event):
                continue
            size = allocation["requested_bytes"]
            true_bucket = bucket_of(allocation)
            self.total += size
            if allocation["bucket"] == "unknown":
                self.unknown += size
            if true_bucket is None:
                self.unjudged += size
            elif agrees(allocation, true_bucket):
                self.right += size
            else:
                rule = allocation["reason"].split(":")[0]
                self.mistakes[(true_bucket, allocation["bucket"], rule)] += size

    @property
    def right_share(self):
        return self.right / self.total if self.total else 1.0

    @property
    def unknown_share(self):
        return self.unknown / self.total if self.total else 0.0
