# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""score_families.py TIDEMARK_CLI FAMILIES_JSON [--check] [--rows]: plans of small models of each family against recordings of
transformers' Trainer on the CPU (torch 2.13, transformers 5.24), of which the file has the configuration and the largest
requested total.

The plan must have as many parameters as the model that ran. --check fails unless all are within 1 % and in their range, and 90 %
within 0.1 %."""

import json
import pathlib
import sys
import tempfile

import harness

MIB = 1 << 20
WITHIN, EXACT, MOST_EXACT = 0.01, 0.001, 0.90


def main():
    program, checks = harness.Program(sys.argv[1]), harness.Checks()
    runs = json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))["runs"]
    exact = 0
    for run in runs:
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder) / "config.json"
            config.write_text(json.dumps(run["config"]), encoding="utf-8")
            plan = program.json("plan", config, "--target", "cpu", *run["options"])
        peak, error = run["peak_requested"], plan["peak_requested_bytes"] / run["peak_requested"] - 1
        exact += abs(error) <= EXACT
        name = run["name"]
        checks.that(plan["model"]["parameters"] == run["parameters"], f"{name}: {plan['model']['parameters']} parameters, not {run['parameters']}")
        checks.that(plan["low_bytes"] <= peak <= plan["high_bytes"], f"{name}: the truth is outside the range")
        checks.that(abs(error) <= WITHIN, f"{name}: {error:+.2%}")
        if "--rows" in sys.argv:
            print(f"{name:28}{peak / MIB:10.2f}{plan['peak_requested_bytes'] / MIB:10.2f} MiB {error:+8.3%}  {plan['peak_phase']}")
    print(f"{len(runs)} runs of {len({r['config']['model_type'] for r in runs})} families, {exact} within {EXACT:.1%}")
    checks.that(exact >= MOST_EXACT * len(runs), f"{exact} of {len(runs)} within {EXACT:.1%}")
    if "--check" in sys.argv:
        checks.finish()


main()
