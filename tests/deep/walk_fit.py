# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""walk_fit.py TIDEMARK_CLI FOLDER... [--rows]: how often a walk fits a recording, and what it predicts.

FOLDER holds *.pair.json, or *.changes.json of tests/data/gpu, of runs that lived. Of each recording `program --fit` says whether the walk
fits, of each change `predict` who answered, and `predict --laws` what laws alone make of it."""

import argparse
import collections
import json
import pathlib
import statistics
import subprocess

WITHIN, NEAR = 0.05, 0.01


def asked(program, *words):
    done = subprocess.run([program, *map(str, words), "--json"], capture_output=True, text=True, check=False)
    return json.loads(done.stdout)["devices"] if done.returncode in (0, 1) else []


def predicted(program, file, change, *options):
    return max(asked(program, "predict", file, "--apply", change, *options), key=lambda d: d["before"]["peak_requested_bytes"])


def pairs_in(folder):
    """(recording, change, true peak after)"""
    for path in sorted(folder.glob("*.pair.json")):
        truth = json.loads(path.read_text(encoding="utf-8"))
        base = path.with_name(truth.get("base", path.name.removesuffix(".pair.json")) + ".pickle")
        file = next((p for p in (base, *(base.with_name(base.name + end) for end in (".gz", ".xz"))) if p.exists()), None)
        if file and "capacity" not in truth:
            yield file, truth["apply"], truth["peak_requested_after"]
    for path in sorted(folder.glob("*.changes.json")):
        truth = json.loads(path.read_text(encoding="utf-8"))
        for change, measured in truth["changes"].items():
            if not measured["error"] and not truth["base"]["error"]:
                yield path.with_name(path.name.removesuffix(".changes.json") + ".pickle.xz"), change, measured["peak_requested"]


def score(program, folder, rows):
    pairs = list(pairs_in(folder))
    fits = {file: max(asked(program, "program", file, "--fit"), key=lambda d: len(d["models"]))["fit"] for file in {p[0] for p in pairs}}
    walks = [fit["walks"] for fit in fits.values() if fit["walks"]]
    print(f"\n{folder}: {len(fits)} recordings, {sum(fit['refused'] is None for fit in fits.values())} fitted, "
          f"{statistics.fmean(walks or [0]):.1f} walks each; {len(pairs)} changes")
    said = [(file, change, true, predicted(program, file, change)) for file, change, true in pairs]
    near = lambda error: abs(error) <= WITHIN
    error = lambda answer, true: answer["after"]["peak_requested_bytes"] / true - 1
    own = [row for row in said if row[3]["by"] == "walk"]
    held = sum(a["after"]["low_bytes"] <= true <= a["after"]["high_bytes"] for _, _, true, a in own)
    print(f"  by walk: {len(own)}, within 5 % {sum(near(error(a, t)) for *_, t, a in own)}, within 1 % {sum(abs(error(a, t)) <= NEAR for *_, t, a in own)}, "
          f"in their range {held}")
    laws = {row[:2]: error(predicted(program, *row[:2], "--laws"), row[2]) for row in said}
    print(f"  by laws the same: within 5 % {sum(near(laws[row[:2]]) for row in own)}; of all {len(said)}: laws {sum(map(near, laws.values()))}, "
          f"walk else laws {sum(near(error(a, t)) for *_, t, a in said)}")
    for why, count in collections.Counter(fit["refused"] for fit in fits.values() if fit["refused"]).most_common():
        print(f"    {count:3} {why}")
    for file, change, true, answer in said if rows else []:
        print(f"  {file.name:32} {change:30} {answer['by']} {error(answer, true):+7.1%} laws {laws[file, change]:+7.1%} {fits[file]['refused'] or ''}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--rows", action="store_true")
    given = parser.parse_args()
    for folder in given.folders:
        score(given.program, folder, given.rows)


main()
