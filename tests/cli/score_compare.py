# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""score_compare.py TIDEMARK_CLI DATA_DIR [CASE...] [--check] [--markdown]: two runs held against each other, with truth.

One row per pair: modelled runs, the pairs of tests/data/compared both ways round, ranks of one job against each other, and dumps
of a job that grows; of other people's recordings the pairs of pairs.json, and each file against itself. A CASE is a file that the window saved (`*.case.json`), or a
folder of such files; with cases they alone are scored, and --check fails where one is not right:
pair            A and B
truth           how they differ, in the words of `predict --apply`; `none` for one recording twice; `?`: not in these words
found           the changes that explain anything, the largest share first
explained       of the difference, by the changes of the truth
unexplained     of the difference
found?          every change of the truth was found exactly (a ratio to 1e-6), and none of another kind beside it

A pair is right where it is `found?`. The parts add up to the difference to the byte in every one. --check fails where fewer are
right than BOUND, where parts do not add up, where one recording twice is said to differ, where one way round is not the negative
of the other, or one of the own pairs is not right or leaves more than OPEN unexplained."""

import itertools
import json
import pathlib
import re
import sys

import harness
import modelled

# Of other people's pairs: the share that must be right.
BOUND = 0.78
PHASES = 0.9  # of the difference, where gradients and state are most of it
# Of the difference: a change of another kind that explains less is no claim.
LITTLE = 0.02
# Of the difference of two ranks: so much may stay unexplained, and of a mebibyte where they are equal.
OPEN = 0.05
MIB = 1 << 20


def parse(apply):
    """{"sequence": 8.0, "precision": "bf16"} of "sequence=8,precision=bf16"."""
    changes = {}
    for part in filter(None, apply.split(",")):
        name, value = part.split("=")
        try:
            changes[name] = float(value)
        except ValueError:
            changes[name] = value
    return changes


class Compared:
    """One comparison and what it says."""

    def __init__(self, program, a, b, apply, kind):
        self.kind, self.apply = kind, apply
        self.name = f"{short(a)} | {short(b)}"
        answer = program.json("compare", a, b)
        self.delta = answer["delta_peak_bytes"]
        self.changes = answer["changes"]
        self.unexplained = answer["unexplained_bytes"]
        self.adds_up = sum(c["explains_bytes"] for c in self.changes) + self.unexplained == self.delta
        self.places = answer["places"]
        self.places_differ = any(row["delta_bytes"] for row in self.places)

    def negates(self, other):
        """Whether each change, each place and the rest are the negative ones of the comparison the other way round."""
        def said(of, sign):
            return (sign * of.unexplained, sorted((c["what"], sign * c["explains_bytes"]) for c in of.changes),
                    sorted((sign * row["delta_bytes"], row["explained_by"] or "", sign * row["unexplained_bytes"])
                           for row in of.places if row["delta_bytes"]))
        return said(self, 1) == said(other, -1)

    @property
    def truth(self):
        return parse(self.apply or "")

    def is_true(self, change):
        truth = self.truth.get(change["what"])
        if isinstance(truth, float) and change["ratio"] is not None:
            return abs(change["ratio"] / truth - 1) < 1e-6
        return isinstance(truth, str) or (truth is not None and change["what"] == "lora")

    @property
    def others(self):
        """What is said beside the truth, and explains more than a little."""
        return [c["what"] for c in self.changes
                if c["what"] not in self.truth and abs(c["explains_bytes"]) > LITTLE * abs(self.delta)]

    @property
    def is_right(self):
        found = {c["what"] for c in self.changes if self.is_true(c)}
        return found == set(self.truth) and not self.others

    @property
    def explained(self):
        return sum(c["explains_bytes"] for c in self.changes if self.is_true(c)) / self.delta if self.delta else 1.0

    def row(self):
        said = ", ".join(c["what"] + (f"={c['ratio']:g}" if c["ratio"] else "") for c in self.changes)
        unexplained = abs(self.unexplained / self.delta) if self.delta else 0.0
        known = self.apply is not None
        return [self.name, (self.apply or "none") if known else "?", said or "none",
                f"{self.explained:.1%}" if known else "", f"{unexplained:.1%}",
                ("yes" if self.is_right else "NO") if known else "", "" if self.adds_up else "DOES NOT ADD UP"]


HEADER = ["pair", "truth", "found", "explained", "unexplained", "found?", ""]


def short(path):
    name = harness.bare_name(path).split("__")[-1]
    return f"{path.parent.name}/{name}" if path.parent.parent.name == "jobs" else name


def real_pairs(program, folder):
    for pair in harness.sampled(json.loads((folder / "pairs.json").read_text(encoding="utf-8")), lambda p: p["a"] + p["b"]):
        yield Compared(program, folder / pair["a"], folder / pair["b"], pair["apply"], "real")


def inverse(apply):
    return ",".join(f"{name}={1 / value!r}" if isinstance(value, float) else f"{name}={value}" for name, value in parse(apply).items())


def own_pairs(program, folder):
    """Each pair and, next to it, the other way round."""
    for pair in harness.sampled(json.loads((folder / "pairs.json").read_text(encoding="utf-8")), lambda p: p["a"] + p["b"]):
        a, b = (folder / f"{pair[side]}.pickle.xz" for side in "ab")
        yield Compared(program, a, b, pair["apply"], "own")
        yield Compared(program, b, a, inverse(pair["apply"]), "own")


def same_twice(program, folder):
    names = {pair[side] for pair in json.loads((folder / "pairs.json").read_text(encoding="utf-8")) for side in "ab"}
    for name in harness.sampled(sorted(names)):
        yield Compared(program, folder / name, folder / name, "", "twice")


def same_modelled(program, data):
    for run in harness.sampled(modelled.runs(data), lambda run: str(run.path)):
        yield Compared(program, run.path, run.path, "", "twice")


def other_phases(program, folder):
    """A training step beside inference: what is missing is what the phases made and what forward saved for backward, at the
    sequence of either run."""
    for train, sequence in (("lm423m-train-ctx128", 0.25), ("lm423m-train-ctx1024", 2)):
        for a, b, ratio in ((train, "lm423m-infer-ctx512", 1 / sequence), ("lm423m-infer-ctx512", train, sequence)):
            yield Compared(program, *(folder / f"{name}-torch2.11.pickle" for name in (a, b)),
                           f"phases=other,graph=other,sequence={ratio:g}", "phases")


def modelled_pairs(program, folder):
    """One run twice, more layers, adapters, another model: what must be named."""
    for a, b, apply in (("gpt_train_full", "gpt_adam_foreach", ""), ("gpt_checkpointing", "gpt_batch_8_to_4", "model=other"),
                        ("gpt_train_full", "gpt_checkpointing", "model=other"),
                        ("gpt_train_full", "gpt_states_adamw_to_sgd", "model=other"),
                        ("gpt_checkpointing", "lora_train", "lora=other")):
        for first, second in ((a, b), (b, a)):
            yield Compared(program, *(harness.modelled_file(folder, name) for name in (first, second)), apply, "modelled")


def saved_cases(program, paths):
    for path in paths:
        for file in sorted(path.rglob("*.case.json")) if path.is_dir() else [path]:
            case = json.loads(file.read_text(encoding="utf-8"))
            yield Compared(program, file.parent / case["a"], file.parent / case["b"], case["apply"], "case")


def truth_of(a, b):
    """Of two ranks of a job, in words of a comparison, as job.json has it: of four stages the first holds as many micro-batches
    as stages follow it, itself included; rank 0 alone gathers the weights. None: not in these words."""
    job, first, second = a.parent.name, *(int(re.search(r"rank(\d)", file.name)[1]) for file in (a, b))
    if job == "pipeline_4":
        return f"in-flight={(4 - second) / (4 - first)}"
    if job.startswith("fsdp2"):
        return "model=other" if "rank0" in job and first == 0 else ""
    return None


def ranks(program, jobs):
    """Each rank beside the next one; of dumps in cycles each moment beside that of the next cycle."""
    for job in jobs:
        series = {}
        for file in sorted(job.glob("*.pickle*")):
            moment = file.name.split("_")[-1] if "cycle" in file.name else ""
            series.setdefault(moment, []).append(file)
        pairs = (pair for files in series.values() for pair in itertools.pairwise(files))
        for a, b in harness.sampled(pairs, lambda pair: str(pair[0])):
            yield Compared(program, a, b, truth_of(a, b), "job")


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    program = harness.Program(arguments[0])
    data = harness.data_dir(arguments[1])
    cases = [pathlib.Path(a) for a in arguments[2:]]
    if cases:
        compared = list(saved_cases(program, cases))
    elif harness.is_of_others():
        compared = [*real_pairs(program, data / "real"), *same_twice(program, data / "real"),
                    *other_phases(program, data / "real"), *ranks(program, [data / "jobs/titan_oom_4"])]
    else:
        compared = [*modelled_pairs(program, data), *own_pairs(program, data / "compared"), *same_modelled(program, data),
                    *ranks(program, sorted(p for p in (data / "jobs").iterdir() if p.is_dir()))]
    harness.print_table(HEADER, [c.row() for c in compared], "--markdown" in sys.argv)
    missed = [f"{c.name}: the parts do not add up" for c in compared if not c.adds_up]
    missed += [f"{c.name}: one recording twice is said to differ" for c in compared
               if c.kind == "twice" and (c.changes or c.unexplained or c.places_differ or c.delta)]
    missed += [f"{c.name}: what differs is not named" for c in compared
               if c.kind == "modelled" and not set(c.truth) <= {change["what"] for change in c.changes}]
    missed += [f"{c.name}: other phases explain {c.explained:.0%}" for c in compared if c.kind == "phases" and c.explained < PHASES]
    missed += [f"{c.name}: not what the job's ranks are, or much is unexplained" for c in compared
               if c.kind == "job" and ((c.apply is not None and not c.is_right) or abs(c.unexplained) > OPEN * max(abs(c.delta), MIB))]
    own = [c for c in compared if c.kind == "own"]
    missed += [f"{c.name}: not what was changed, or much is unexplained" for c in own
               if not c.is_right or abs(c.unexplained) > OPEN * abs(c.delta)]
    missed += [f"{a.name}: the other way round is not its negative" for a, b in zip(own[::2], own[1::2]) if not b.negates(a)]
    real = [c for c in compared if c.kind == "real"]
    right = sum(c.is_right for c in real)
    missed += [f"{c.name}: not what the case says" for c in compared if c.kind == "case" and not c.is_right]
    if right < BOUND * len(real):
        missed.append(f"of {len(real)} real pairs {right} are right, {BOUND:.0%} must")
    if real:
        print(f"\n{right} of {len(real)} real pairs right; at least 90 % of the difference explained by the truth in "
              f"{sum(c.explained >= 0.9 for c in real)}, at most 10 % unexplained in "
              f"{sum(abs(c.unexplained) <= 0.1 * abs(c.delta) for c in real)}")
    for words in missed:
        print(words)
    sys.exit(1 if missed and "--check" in sys.argv else 0)


main()
