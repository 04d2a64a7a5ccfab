# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""score_labels.py TIDEMARK_CLI DATA_DIR [FOLDER...] [--check]: how good buckets, phases and steps are.

One row per run with a truth beside it: the modelled runs with those of further folders, recordings of today's libraries, and
every rank of jobs. In percent:
lifetime   requested bytes x events that carry their true bucket, over all allocations
peak       overlap of true and given bucket totals at the peak
unknown    of the bytes at the peak
least      precision or recall of the worst bucket among those above 2 % of the peak
phase      events that lie in their true phase; what lies between phases is not judged
Under each row its largest mistakes. The folders in a FOLDER are jobs. Of other people's recordings: bytes of parameters,
gradients and optimizer state where the models are known, and the unknown share of all that have stacks. --check fails where a
figure is below its bound."""

import collections
import json
import pathlib
import statistics
import sys

import harness
import modelled


class Bounds:
    """Of a kind of runs: what the mean of a figure must reach, and what the worst run must, by figure."""

    def __init__(self, mean, each):
        self.mean, self.each = mean, each

    def missed(self, scores):
        """Prints the means; what falls below its bound, in words."""
        words = []
        for figure in ("lifetime", "peak", "least", "phase"):
            found = [getattr(s, figure) for s in scores]
            mean = statistics.fmean(found)
            bound = f", bound {self.mean[figure]:.1%}" if figure in self.mean else ""
            print(f"{figure}: mean {mean:.2%}, worst {min(found):.1%}{bound}")
            if mean < self.mean.get(figure, 0):
                words.append(f"{figure}: {mean:.2%} in the mean")
        words += [f"{s.name}: {f} {getattr(s, f):.1%}" for s in scores for f in self.each
                  if getattr(s, f) < self.each[f]]
        return words + [f"{s.name}: {s.steps} steps for {s.true_steps}" for s in scores
                        if s.is_whole and s.steps != s.true_steps]


MODELLED = Bounds({"lifetime": 0.97, "peak": 0.99, "least": 0.90, "phase": 0.97},
                  {"lifetime": 0.93, "peak": 0.93, "least": 0.90, "phase": 0.97})
MODERN = Bounds({"lifetime": 0.996, "peak": 0.987, "phase": 0.985}, {"phase": 0.94})
RANKS = Bounds({}, {"lifetime": 0.98, "peak": 0.98, "phase": 0.98})
KNOWN_WITHIN = 0.01
UNKNOWN_MEDIAN, UNKNOWN_MOST = 0.03, 0.10
NAMED_FROM = 0.02  # share of the peak from which a bucket must be precise


class Scores:
    """The figures of one run."""

    def __init__(self, run, labels, summary):
        truth = run.truth
        device = max(summary["devices"], key=lambda d: d["events"])
        allocations = next(d for d in labels["devices"] if d["device"] == device["device"])["allocations"]
        self.name = run.name
        self.mistakes = collections.Counter()
        self._of_allocations(allocations, truth, device["events"])
        self.unknown = self.given["unknown"] / max(1, sum(self.given.values()))
        self.peak = sum(min(self.true[b], self.given[b]) for b in self.true) / max(1, sum(self.true.values()))
        self.least = self._least()
        found = modelled.phase_per_event([[p["first_event"], p["phase"]] for p in device["phases"]], device["events"])
        true = modelled.phase_per_event(truth["phases"], device["events"])
        self.phase = modelled.phase_share(found, true)
        self.steps, self.true_steps = len(device["steps"]), truth["steps"]
        self.is_whole = truth["cut"] == 0

    def _of_allocations(self, allocations, truth, events):
        true_bucket = modelled.true_buckets(truth)
        right = weight = 0
        self.true, self.given, self.both = (collections.Counter() for _ in range(3))
        for a in allocations:
            true = true_bucket(a)
            if true is None:
                continue
            begin = -1 if a["alloc_event"] is None else a["alloc_event"]
            end = events if a["free_event"] is None else a["free_event"]
            size, area = a["requested_bytes"], a["requested_bytes"] * (end - begin)
            agrees = modelled.agrees(a, true)
            given = true if agrees else a["bucket"]
            weight += area
            right += area if agrees else 0
            if not agrees:
                self.mistakes[(true, given, a["reason"].split(":")[0])] += area
            if modelled.is_live(a, truth["peak_event"]):
                self.true[true] += size
                self.given[given] += size
                self.both[true] += size if agrees else 0
        self.lifetime = right / max(1, weight)
        self.weight = max(1, weight)

    def _least(self):
        total = sum(self.true.values())
        shares = [1.0]
        for bucket in set(self.true) | set(self.given):
            for count in (self.true[bucket], self.given[bucket]):
                if count > NAMED_FROM * total:
                    shares.append(self.both[bucket] / count)
        return min(shares)

    def print(self):
        steps = f"{self.steps}" if self.steps == self.true_steps else f"{self.steps} for {self.true_steps}"
        print(f"{self.name:36} {self.lifetime:8.1%} {self.peak:7.1%} {self.unknown:7.1%} {self.least:7.1%} "
              f"{self.phase:7.1%}  {steps}")
        for (true, given, rule), area in self.mistakes.most_common(3):
            if area > 0.003 * self.weight:
                print(f"    {area / self.weight:6.1%} {true} called {given} by {rule}")


def scored(program, runs):
    """Prints the rows of runs with a truth; their scores."""
    print(f"\n{'run':36} {'lifetime':>8} {'peak':>7} {'unknown':>7} {'least':>7} {'phase':>7}  steps")
    scores = []
    for run in runs:
        labels, summary = (program.json(command, run.path) for command in ("labels", "summary"))
        scores.append(Scores(run, labels, summary))
        scores[-1].print()
    return scores


def with_truth(program, data_dir, folders):
    """Prints the rows of all runs with a truth; what falls below its bound, in words."""
    own = [pathlib.Path(f) for f in folders]
    modelled_runs = [*modelled.runs(data_dir), *(r for f in own for r in modelled.runs_in(f))]
    missed = MODELLED.missed([s for s in scored(program, modelled_runs) if s.is_whole])
    missed += MODERN.missed(scored(program, modelled.modern_runs(data_dir)))
    ranks = [*modelled.ranks_in(data_dir / "jobs"), *(r for f in own for r in modelled.ranks_in(f))]
    return missed + RANKS.missed(scored(program, ranks))


def live_bytes(allocations, bucket):
    return sum(a["requested_bytes"] for a in allocations if a["free_event"] is None and a["bucket"] == bucket)


def known_figures(truth):
    """What a known model holds at the end: bytes per bucket, as far as they are known."""
    copies = truth.get("full_param_sized_copies_live_at_dump")
    known = {}
    if "params" in truth and "full_param_sized_copies_live_at_dump" in truth:
        known["parameter"] = truth["param_bytes"]
        known["gradient"] = truth["param_bytes"] if copies in (2, 4) else 0
        known["optimizer_state"] = 2 * truth["param_bytes"] if copies == 4 else 0
    elif "param_bytes_each" in truth:
        known["parameter"] = 2 * truth["param_bytes_each"]
    elif "base_4bit" in truth:
        known["parameter"] = (sum(truth["base_4bit"].values()) + sum(truth["absmax"].values())
                              + truth["embed_and_head_fp32"] + truth["norms"] + truth["lora_param_bytes"])
        known["gradient"] = truth["lora_grad_bytes"]
    elif "expected" in truth:
        known["parameter"] = truth["param_bytes"]
    return known


def recorded(program, data_dir):
    """Prints what other people's runs hold; what is further from the known figures than it may be, in words."""
    folder = data_dir / "real"
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    missed, unknown = [], []
    print(f"\n{'recorded run':46} {'unknown':>7}  known figures at the end, MiB: given for true")
    for path in sorted(folder.iterdir()):
        if path.suffix not in (".pickle", ".pkl"):
            continue
        summary = program.json("summary", path)
        peaks = [d["peak"] for d in summary["devices"] if d.get("peak") and d["peak"]["requested_bytes"]]
        if not peaks:
            continue
        share = max(p["buckets"].get("unknown", 0) / p["requested_bytes"] for p in peaks)
        unknown.append((share, path.name))
        words = []
        known = known_figures(facts.get(path.name, {}).get("facts", {}).get("ground_truth", {}))
        if known:
            labels = program.json("labels", path)
            allocations = [a for d in labels["devices"] for a in d["allocations"]]
            for bucket, true in known.items():
                given = live_bytes(allocations, bucket)
                words.append(f"{bucket} {given / 2**20:.1f} for {true / 2**20:.1f}")
                if abs(given - true) > KNOWN_WITHIN * max(true, known["parameter"]):
                    missed.append(f"{path.name}: {words[-1]} MiB")
        print(f"{path.name:46} {share:7.1%}  {', '.join(words)}")
    median, (most, worst) = statistics.median(s for s, _ in unknown), max(unknown)
    print(f"unknown at the peak: median {median:.1%}, worst {most:.1%} ({worst})")
    if median > UNKNOWN_MEDIAN:
        missed.append(f"unknown at the peak: median {median:.1%}")
    missed += [f"{name}: {share:.1%} unknown" for share, name in unknown if share > UNKNOWN_MOST]
    return missed


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    program, folder, *folders = arguments
    program = harness.Program(program)
    data_dir = harness.data_dir(folder)
    missed = recorded(program, data_dir) if harness.is_of_others() else with_truth(program, data_dir, folders)
    for words in missed:
        print(f"below its bound: {words}")
    sys.exit(1 if missed and "--check" in sys.argv else 0)


if __name__ == "__main__":
    main()
