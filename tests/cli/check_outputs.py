# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_outputs.py TIDEMARK_CLI EXAMPLE: no input and no other file is overwritten, names stay text, streams may be closed."""

import csv
import json
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile

import harness

DEEP = 200_000


def refused(checks, program, what, arguments, *fragments, **options):
    done = program.run(*arguments, **options)
    checks.equal(f"{what}: exit code", done.returncode, 2)
    checks.equal(f"{what}: lines on standard error ({done.stderr!r})", done.stderr.count("\n"), 1)
    for fragment in fragments:
        checks.that(fragment in done.stderr, f"{what}: {done.stderr!r} does not say {fragment!r}")


def json_snapshot(path, **more):
    event = {"action": "alloc", "addr": 4096, "size": 512, "stream": 0, "frames": []}
    path.write_text(json.dumps({"segments": [], "device_traces": [[event]], **more}), encoding="utf-8")
    return path


def check_inputs_stay(checks, program, example, folder):
    snapshot = json_snapshot(folder / "in.json")
    content = snapshot.read_bytes()
    (folder / "soft.json").symlink_to("in.json")
    (folder / "hard.json").hardlink_to(snapshot)
    for name in ("in.json", "soft.json", "hard.json", "../" + folder.name + "/in.json"):
        refused(checks, program, name, ["report", snapshot, "-o", folder / name], "one of the files to read")
        refused(checks, program, name, ["report", example, snapshot, "-o", folder / name], "one of the files to read")
    checks.equal("the input", snapshot.read_bytes(), content)
    other = json_snapshot(folder / "other.json")
    refused(checks, program, "another snapshot", ["report", snapshot, "-o", other], "left as it is")
    for ending in ("html", "md", "csv"):
        notes = folder / f"notes.{ending}"
        notes.write_text("mine", encoding="utf-8")
        refused(checks, program, notes.name, ["report", example, "-o", notes], "left as it is", "name another")
        checks.equal(notes.name, notes.read_text(encoding="utf-8"), "mine")


def check_reports_are_replaced(checks, program, example, folder):
    for ending in ("html", "md", "csv", "json"):
        room = len(".buckets-2") if ending == "csv" else 0
        report = folder / ("r" * (254 - room - len(ending)) + "." + ending)  # the longest name there is
        program.text("report", example, "-o", report)
        report.chmod(0o600)
        program.text("report", example, "-o", report)
        checks.equal(f"permissions of {ending}", stat.S_IMODE(report.stat().st_mode), 0o600)
        report.unlink()
    writers = [
        subprocess.Popen([program.path, "report", example, "-o", folder / "one.csv"], stderr=subprocess.PIPE)
        for _ in range(8)]
    for writer in writers:
        said = writer.communicate(timeout=240)[1]
        checks.equal(f"writers of one report {said!r}", writer.returncode, 0)
    checks.equal("left behind", [path.name for path in folder.iterdir() if path.name.endswith(".part")], [])


def check_names_stay_text(checks, program, example, folder):
    rules = folder / "rules.json"
    rules.write_text(json.dumps({"tidemark_rules": 1, "rules": [{
        "id": "=cmd|' /C calc'!A0", "match": {"min_bytes": 0}, "bucket": "unknown"}]}), encoding="utf-8")
    program.text("report", example, "--rules", rules, "-o", folder / "cells.csv")
    with open(folder / "cells.csv", newline="", encoding="utf-8") as file:
        reasons = {row["reason"] for row in csv.DictReader(file)}
    checks.that(any("cmd|" in reason for reason in reasons), f"no row has the rule: {reasons}")
    checks.equal("cells a spreadsheet computes", [r for r in reasons if r[:1] in "=+-@"], [])

    name = "a\x7f\x9b\u202e\u061c\u2028z"
    frames = [{"name": name, "filename": name, "line": 1}]
    snapshot = folder / f"{name}.json"
    event = {"action": "alloc", "addr": 4096, "size": 512, "stream": 0, "frames": frames}
    blocks = [{"address": 4096, "size": 512, "requested_size": 512, "state": "active_allocated"}]
    segment = {"device": 0, "address": 4096, "total_size": 512, "stream": 0, "segment_type": "small", "blocks": blocks}
    snapshot.write_text(json.dumps({"segments": [segment], "device_traces": [[event]]}), encoding="utf-8")
    for command in ("summary", "allocations", "labels", "diagnose"):
        printed = program.text(command, "--json", snapshot)
        checks.equal(f"{command}: what a terminal obeys", [c for c in name[1:-1] if c in printed], [])
        printed = program.text(command, snapshot)
        checks.equal(f"{command} as text", [c for c in name[1:-1] if c in printed], [])
    found = program.json("allocations", snapshot, "--at", "end")
    checks.equal("the name in JSON", found["devices"][0]["allocations"][0]["stack"][0]["name"], name)
    for arguments in (["summary", folder / "\x1b[31m\u202e.pickle"], ["summary", example, "--\x1b[31m"],
                      ["\x1b]0;title\x07"], ["diagnose", example, "--capacity", "\x1b[31m"],
                      ["diagnose", example, "--config", "\x1b[31m"], ["explain", "\x1b[31m"],
                      ["report", example, "-o", folder / "none\x1b[31m/a.html"]):
        refused(checks, program, ascii(arguments[-1]), arguments)
        said = program.run(*arguments).stderr
        checks.equal(f"escapes in {said!r}", [c for c in "\x1b\x07\u202e" if c in said], [])


def check_lines_end(checks, program, example, folder):
    """However many actions a file invents, and however long a name is, a line is one that can be read."""
    frames = [{"name": "n" * 100_000 + "\n" * 1000, "filename": "m" * 100_000 + ".py", "line": 1}]
    events = [{"action": f"odd{i}", "addr": 1 << 40, "size": 512, "stream": 0, "time_us": i, "frames": frames}
              for i in range(2000)]
    events.append({**events[0], "action": "alloc"})
    snapshot = json_snapshot(folder / "odd.json", device_traces=[events])
    text = program.text("summary", snapshot) + program.text("diagnose", snapshot)
    checks.that(" odd0, " in text and " and 19" in text, "the actions are not counted")
    longest = max(map(len, text.splitlines()))
    checks.that(longest < 2000, f"a line of {longest} characters")


def check_nesting(checks, program, example, folder):
    snapshot = folder / "nested.pickle"
    shutil.copy(example, snapshot)
    for name, text in {
            "lists": "[" * DEEP,
            "rules": '{"tidemark_rules": 1, "rules": ' + "[" * DEEP + "]" * DEEP + "}",
            "members": '{"a":' * DEEP}.items():
        file = folder / f"{name}.json"
        file.write_text(text, encoding="utf-8")
        refused(checks, program, f"--rules {name}", ["summary", snapshot, "--rules", file], "Nested too deep")
        refused(checks, program, f"--config {name}", ["diagnose", snapshot, "--config", file])
        shutil.copy(file, folder / "nested.pickle.tidemark-rules.json")
        notes = {note["code"] for note in program.json("summary", snapshot)["notes"]}
        checks.that("saved-rules-damaged" in notes, f"{name} beside a snapshot: {notes}")
    config = folder / "short.json"
    config.write_text('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", encoding="utf-8")
    refused(checks, program, "--config nested", ["diagnose", snapshot, "--config", config])


def check_odd_places(checks, program, example, folder):
    snapshot = folder / "piped.pickle"
    shutil.copy(example, snapshot)
    os.mkfifo(folder / "piped.pickle.tidemark-rules.json")
    notes = {note["code"] for note in program.json("summary", snapshot)["notes"]}
    checks.that("saved-rules-damaged" in notes, f"a pipe beside a snapshot: {notes}")
    longest = folder / ("n" * 255)
    shutil.copy(example, longest)
    program.json("summary", longest)
    for command in (["--help"], ["--version"], ["summary", "--help"], ["capture-module"], ["summary", example]):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([program.path, *command], stdout=full, stderr=subprocess.PIPE, text=True,
                                  encoding="utf-8", timeout=240, check=False)
        checks.equal(f"{command} to a full disk", done.returncode, 2)
        checks.equal(f"{command} to a full disk, lines", done.stderr.count("\n"), 1)
    for redirection in (f"<'{folder}'", "<&-", ">&- </dev/null", "</dev/null"):
        done = subprocess.run(["/bin/sh", "-c", f'"$0" explain {redirection}', program.path],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=240, check=False)
        checks.equal(f"explain {redirection}: {done.stderr!r}", done.returncode, 2)
    # With standard output closed, the report must not get its number.
    report = folder / "closed.csv"
    subprocess.run(["/bin/sh", "-c", '"$0" report "$1" --json -o "$2" >&-', program.path, example, report],
                   stderr=subprocess.DEVNULL, timeout=240, check=False)
    checks.that('"report"' not in report.read_text(encoding="utf-8"), "the output went into the report")


def main():
    program, example = harness.Program(sys.argv[1]), sys.argv[2]
    checks = harness.Checks()
    for check in (check_inputs_stay, check_reports_are_replaced, check_names_stay_text, check_lines_end, check_nesting,
                  check_odd_places):
        with tempfile.TemporaryDirectory() as name:
            check(checks, program, example, pathlib.Path(name))
    checks.finish()


main()
