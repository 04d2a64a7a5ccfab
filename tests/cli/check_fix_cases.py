# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_fix_cases.py CLI DATA_DIR FIXES_JSON [FOLDER...]: what the ladder offers for each recording is what
the kind of run, the phase and the first cause allow, as resources/fixes.json has it; nothing is offered twice, and
what is said to be on already is said of a run that it can be seen in. The kind of run comes from the recording's truth,
not from the program; where there is none, the ladder must agree with itself. Further folders hold runs of one's own with a
truth beside them."""

import json
import pathlib
import sys

import harness
import modelled

OFFERED = ("recommended", "would-help", "not-enough", "not-needed")
TRAINS = ("backward", "optimizer")


def cases_of(path):
    return {fix["id"]: fix["when"] for fix in json.loads(path.read_text(encoding="utf-8"))["fixes"]}


def phase_at(truth, event):
    phase = "setup"
    for first, name in truth["phases"]:
        if first > event:
            break
        phase = name
    return phase


def kind_of(truth, event):
    """What ran then, from the true phases; several where they do not tell."""
    phases = [name for _, name in truth["phases"]]
    phase = phase_at(truth, event)
    trains = any(name in TRAINS for name in phases)
    if phase in TRAINS:
        return {"training"}, phase
    if phase in ("evaluation", "inference"):
        return {"evaluation", "generation", "inference"} if trains else {"inference", "generation", "evaluation"}, phase
    if phase == "setup":
        return {"training", "loading"} if trains else {"loading"}, phase
    after = [index for index, name in enumerate(phases) if name in TRAINS]
    forwards = phases[after[-1] + 1 if after else 0:].count("forward")
    if forwards > 2:
        return {"scoring"} if not trains else {"scoring", "training"}, phase
    return {"training"}, phase


def check_run(program, checks, run, cases):
    answer = program.json("diagnose", run.path)
    event = answer["moment"]["event"]
    kinds, phase = kind_of(run.truth, event)
    offered = [fix for fix in answer["fixes"] if fix["status"] in OFFERED]
    for fix in offered + [fix for fix in answer["fixes"] if fix["status"] == "already-on"]:
        row = cases[fix["id"]]
        fits = "any" in row["runs"] or kinds & set(row["runs"])
        checks.that(fits, f"{run.name}: {fix['id']} ({fix['status']}) is none of {sorted(kinds)}")
    for fix in offered:
        row = cases[fix["id"]]
        checks.that(answer["cause"] not in row.get("not_if", []),
                    f"{run.name}: {fix['id']} does not touch {answer['cause']}")
        if phase in TRAINS or phase == "evaluation":
            checks.that(phase in row.get("phases", [phase]), f"{run.name}: {fix['id']} in {phase}")
    check_twice(checks, run.name, offered)
    check_claims(checks, run.name, answer)


def check_claims(checks, name, answer):
    """What is said to be on already agrees with what else is said of the run."""
    on = {fix["id"] for fix in answer["fixes"] if fix["status"] == "already-on"}
    recipe = answer["recipe"] or {}
    for fix in on & {"weights-16bit", "bf16-pure"}:  # A recipe that is not known says nothing.
        checks.that(recipe.get("weight_bytes_per_parameter", 2) == 2, f"{name}: {fix} is on with {recipe.get('text')}")
    if "bf16-pure" in on:
        state = recipe.get("state_bytes_per_parameter", 0)
        checks.that(1.8 <= state <= 6.8, f"{name}: bf16-pure is on with a state of {state} B for each parameter")


def check_twice(checks, name, offered):
    for key in ("id", "title"):
        values = [fix[key] for fix in offered]
        twice = {value for value in values if values.count(value) > 1}
        checks.that(not twice, f"{name}: offered twice: {', '.join(sorted(twice))}")
    applies = [fix["alone"]["apply"] for fix in offered if fix["alone"]["apply"]]
    twice = {apply for apply in applies if applies.count(apply) > 1}
    checks.that(not twice, f"{name}: two remedies are the same change: {', '.join(sorted(twice))}")


def main():
    program, folder = harness.Program(sys.argv[1]), harness.data_dir(sys.argv[2])
    cases = cases_of(pathlib.Path(sys.argv[3]))
    checks = harness.Checks()
    runs = []
    if not harness.is_of_others():
        runs = modelled.runs(folder) + modelled.modern_runs(folder) + modelled.ranks_in(folder / "jobs")
    for own in sys.argv[4:]:
        runs += modelled.runs_in(pathlib.Path(own))
    for run in runs:
        check_run(program, checks, run, cases)
    known = {run.path for run in runs}
    for path in (path for path in harness.snapshot_files(folder) if path not in known):
        answer = program.json("diagnose", path)
        check_twice(checks, path.name, [fix for fix in answer["fixes"] if fix["status"] in OFFERED])
        check_claims(checks, path.name, answer)
    checks.finish()


if __name__ == "__main__":
    main()
