#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""score_causes.py CLI DATA_DIR [FOLDER...] [--check]: the first cause that tidemark-cli gives for each modelled and modern run
against the causes that its truth accepts, one row per file. Further folders hold runs of one's own with a truth beside
them (tests/deep/scenes). With --check it is an error where the first cause is not accepted, or where a run that died is
said to fit as it was."""

import pathlib
import sys

import harness
import modelled


def causes_of(program, path):
    """Of the device that is diagnosed: what the top level of the answer speaks of."""
    return program.json("diagnose", path)["causes"]


def fits_unchanged(program, path):
    devices = program.json("predict", path, "--apply", "micro-batch=1")["devices"]
    return [device["fits"] for device in devices if device["before"]["peak_requested_bytes"] > 0]


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    program, folder = harness.Program(arguments[0]), harness.data_dir(arguments[1])
    runs = modelled.runs(folder) + modelled.modern_runs(folder)
    for own in arguments[2:]:
        runs += modelled.runs_in(pathlib.Path(own))
    checks, right = harness.Checks(), 0
    for run in runs:
        causes = causes_of(program, run.path)
        first, runner_up = causes[0], causes[1] if len(causes) > 1 else None
        accepted = run.truth["accepted_causes"]
        is_right = first["cause"] in accepted
        right += is_right
        also = f", then {runner_up['cause']} {runner_up['score']:.2f}" if runner_up else ""
        print(f"{'  ' if is_right else '✗ '}{run.name:46} {first['cause']:24} {first['score']:.2f}"
              f"{'' if is_right else '  accepted: ' + ' '.join(accepted)}{also}")
        checks.that(is_right, f"{run.name}: {first['cause']} comes first, accepted are {', '.join(accepted)}")
        if run.truth.get("oom"):
            fits = fits_unchanged(program, run.path)
            if fits != [False]:
                print(f"    with no change fits is {fits}")
            checks.equal(f"{run.name}: fits with no change", fits, [False])
    print(f"{right} of {len(runs)} first causes accepted")
    if "--check" in sys.argv:
        checks.finish()


if __name__ == "__main__":
    main()
