# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""label_accuracy.py TIDEMARK_CLI DATA_DIR [NAME...]: how good the labels and causes of the modelled runs are.

Prints, per run, the share of bytes that carry the true bucket at the peak and just before the OOM, the share that is
unknown at the peak, the first cause, and under it the largest mistakes: true bucket, given bucket, rule, bytes at the
peak."""

import json
import subprocess
import sys

import modelled


def call(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        sys.exit(done.stderr.strip() or f"{program} ended with status {done.returncode}")
    return json.loads(done.stdout)


def show(program, run):
    labels = call(program, "labels", "--json", str(run.path))
    diagnosis = call(program, "diagnose", "--json", str(run.path))
    allocations = next(device["allocations"] for device in labels["devices"] if device["allocations"])
    peak = modelled.Score(allocations, run.truth, run.truth["peak_event"])
    oom = "      -"
    if run.oom_event is not None:
        oom = f"{modelled.Score(allocations, run.truth, run.oom_event - 1).right_share:7.1%}"
    verdict = "" if diagnosis["cause"] in run.truth["accepted_causes"] else f"  wanted {run.truth['accepted_causes']}"
    print(f"{run.name:22} {peak.right_share:7.1%} {oom} {peak.unknown_share:7.1%}  {diagnosis['cause']}{verdict}")
    for (true_bucket, given, rule), size in peak.mistakes.most_common(4):
        print(f"    {size / 2**20:10.1f} MiB  {true_bucket} called {given} by {rule}")
    if peak.unjudged:
        print(f"    {peak.unjudged / 2**20:10.1f} MiB  without truth")


def main():
    program, data_dir, *names = sys.argv[1:]
    print(f"{'run':22} {'peak':>7} {'oom':>7} {'unknown':>7}  first cause")
    for run in modelled.runs(data_dir):
        if not names or run.name in names:
            show(program, run)


main()
