# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_rules.py TIDEMARK_CLI SNAPSHOT: corrections by rules files, given and saved beside the snapshot."""

import json
import os
import pathlib
import shutil
import sys
import tempfile

import harness
from harness import write_rules

COMMANDS = {"summary": [], "timeline": [], "allocations": [], "labels": [], "diagnose": [],
            "predict": ["--apply", "micro-batch=0.5"]}


def rows_of(program, *arguments):
    return program.json("labels", *arguments)["devices"][0]["allocations"]


def check_rules_change_everything_after_them(checks, program, snapshot, folder):
    plain = rows_of(program, snapshot)
    rule = {"id": "my-cache", "match": {"bucket": "activation", "min_bytes": 2**20}, "bucket": "kv_cache",
            "note": "kept between requests"}
    rules = write_rules(folder / "rules.json", rule)
    rows = rows_of(program, snapshot, "--rules", rules)
    moved = 0
    for before, after in zip(plain, rows):
        if before["bucket"] == "activation" and before["requested_bytes"] >= 2**20:
            moved += 1
            checks.equal("what is meant", (after["bucket"], after["confidence"], after["role"]), ("kv_cache", 100, None))
            checks.equal("its reason", after["reason"],
                         "my-cache: Corrected manually (at least 1.00 MiB, so far activation): "
                         "kept between requests")
        else:
            checks.equal("what is not meant", after, before)
    checks.that(moved > 0, "the rule of this test means nothing")

    before = program.json("summary", snapshot)["devices"][0]["peak"]
    after = program.json("summary", snapshot, "--rules", rules)["devices"][0]["peak"]
    peak = {bucket: after["buckets"][bucket] - before["buckets"][bucket] for bucket in after["buckets"]}
    checks.that(peak["kv_cache"] > 0, "the peak holds no corrected bytes")
    checks.equal("what left and what came", peak["activation"], -peak["kv_cache"])
    checks.equal("total", after["requested_bytes"], before["requested_bytes"])

    diagnosis = [program.json("diagnose", snapshot, *more) for more in ([], ["--rules", rules])]
    checks.that(diagnosis[0]["causes"] != diagnosis[1]["causes"], "the diagnosis does not follow the rules")

    for command, more in COMMANDS.items():
        answer = program.json(command, snapshot, *more, "--rules", rules)
        listed = answer["corrections"]
        checks.equal(f"corrections of {command}", len(listed), 1)
        checks.equal(f"{command}: allocations", listed[0]["allocations"], moved)
        checks.equal(f"{command}: bytes at the peak", listed[0]["peak_bytes"], peak["kv_cache"])
        checks.equal(f"{command}: source", listed[0]["source"], "rules.json")
        checks.equal(f"{command}: rule", {key: listed[0][key] for key in rule}, rule)
        checks.that("corrections" not in program.json(command, snapshot, *more), f"{command} lists what is not there")
        if command != "labels":
            text = program.text(command, snapshot, *more, "--rules", rules)
            checks.that("kept between requests" in text, f"{command} does not say the note")


def check_later_rules_win(checks, program, snapshot, folder):
    first = write_rules(folder / "first.json", {"match": {"min_bytes": 0}, "bucket": "output"})
    second = write_rules(folder / "second.json", {"match": {"bucket": "output", "max_bytes": 4096}, "bucket": "input"})
    rows = rows_of(program, snapshot, "--rules", first, "--rules", second)
    for row in rows:
        checks.equal("bucket", row["bucket"], "input" if row["requested_bytes"] <= 4096 else "output")
    rows = rows_of(program, "--rules", second, "--rules", first, snapshot)
    checks.equal("the other way round", {row["bucket"] for row in rows}, {"output"})


def check_one_allocation_and_one_stack(checks, program, snapshot, folder):
    live = program.json("allocations", snapshot)["devices"][0]["allocations"]
    chosen = next(a for a in live if a["stack"] and a["alloc_event"] is not None)
    match = {key: chosen[key] for key in ("alloc_event", "address")}
    rules = write_rules(folder / "one.json", {"match": match, "bucket": "workspace"})
    rows = rows_of(program, snapshot, "--rules", rules)
    checks.equal("one allocation", [r["alloc_event"] for r in rows if r["reason"].startswith("corrected: ")],
                 [chosen["alloc_event"]])
    match = {"stack": [{"name": f["name"], "filename": pathlib.PurePath(f["filename"]).name} for f in chosen["stack"]]}
    rules = write_rules(folder / "stack.json", {"match": match, "bucket": "workspace"})
    found = program.json("allocations", snapshot, "--rules", rules)["devices"][0]["allocations"]

    def words(allocation):
        return [(f["name"], pathlib.PurePath(f["filename"]).name) for f in allocation["stack"]]

    checks.equal("live ones of the stack", [a["alloc_event"] for a in found if a["reason"].startswith("corrected: ")],
                 [a["alloc_event"] for a in live if words(a) == words(chosen)])


def check_saved_rules(checks, program, snapshot, folder):
    saved = snapshot.with_name(snapshot.name + ".tidemark-rules.json")
    plain = program.json("summary", snapshot)
    write_rules(saved, {"match": {"bucket": "activation"}, "bucket": "output"})
    answer = program.json("summary", snapshot)
    checks.equal("source of a saved rule", answer["corrections"][0]["source"], saved.name)
    checks.equal("note", [(n["code"], n["count"]) for n in answer["notes"]][-1], ("saved-rules", 1))
    checks.equal("--no-saved-rules", program.json("summary", snapshot, "--no-saved-rules"), plain)
    given = write_rules(folder / "given.json", {"match": {"bucket": "output"}, "bucket": "input"})
    answer = program.json("summary", snapshot, "--rules", given)
    checks.equal("what is given comes last", [c["bucket"] for c in answer["corrections"]], ["output", "input"])
    checks.equal("and wins", answer["devices"][0]["peak"]["buckets"]["output"], 0)

    saved.write_text('{"tidemark_rules": 1, "rules": [', encoding="utf-8")
    answer = program.json("summary", snapshot)
    checks.equal("note on a damaged one", answer["notes"][-1]["code"], "saved-rules-damaged")
    checks.equal("devices beside a damaged one", answer["devices"], plain["devices"])
    saved.unlink()


def check_reports(checks, program, snapshot, folder):
    rules = write_rules(folder / "report.json", {"match": {"bucket": "activation"}, "bucket": "output", "note": "kept"},
                        {"match": {"file": "nowhere.py"}, "bucket": "input"})
    for ending in ("html", "md", "json", "csv"):
        out = folder / f"out.{ending}"
        program.text("report", snapshot, "-o", out)
        checks.that("orrections" not in out.read_text(encoding="utf-8"), f"{ending}: corrections without any")
        program.text("report", snapshot, "-o", out, "--rules", rules)
        text = out.read_text(encoding="utf-8")
        wanted = "Corrected manually (so far activation): kept" if ending == "csv" else "orrections"
        checks.that(wanted in text, f"{ending}: no corrections")
    other = folder / "other.pickle"
    shutil.copyfile(snapshot, other)
    write_rules(other.with_name("other.pickle.tidemark-rules.json"), {"match": {"bucket": "input"}, "bucket": "output"})
    program.text("report", snapshot, other, "-o", folder / "both.md")
    text = (folder / "both.md").read_text(encoding="utf-8")
    checks.that("## B · Corrections" in text, "the second run's corrections are missing")
    checks.that("## Corrections\n" not in text, "corrections of the first run, which has none")
    report = json.loads((folder / "out.json").read_text(encoding="utf-8"))["report"]["summary"]
    checks.equal("allocations of the idle rule", report["corrections"][1]["allocations"], 0)
    checks.equal("note on it", report["notes"][-1], {
        "code": "rule-matches-nothing", "count": 1,
        "text": "Correction 2 (file has 'nowhere.py') matches no allocation of this file."})


def check_dimensions(checks, program, snapshot, folder):
    heads = write_rules(folder / "heads.json", {"dimension": "heads", "value": 8, "note": "config.json"})
    found = program.json("program", snapshot, "--rules", heads)["devices"][0]
    said = next(d for d in found["dimensions"] if d["name"] == "heads")
    checks.equal("what was said", said, {"name": "heads", "value": 8, "confidence": 1,
                                         "evidence": "from a correction", "alternatives": []})
    free = program.json("program", snapshot)["devices"][0]
    checks.that(all(d["name"] != "heads" for d in free["dimensions"]), "the sizes show heads without any rule")
    checks.that("8 heads" in program.text("program", snapshot, "--rules", heads), "the line lacks the heads")
    checks.equal("labels", rows_of(program, snapshot, "--rules", heads), rows_of(program, snapshot))
    elsewhere = write_rules(folder / "elsewhere.json", {"dimension": "heads", "value": 8, "match": {"device": 3}})
    checks.equal("another device", program.json("program", snapshot, "--rules", elsewhere)["devices"][0], free)
    notes = program.json("summary", snapshot, "--rules", elsewhere)["notes"]
    checks.that("Correction 1 (the dimension heads on GPU 3) matches no device of this file."
                in [note["text"] for note in notes], f"notes: {notes!r}")
    wrong = write_rules(folder / "wrong.json", {"dimension": "batch", "value": 7})
    found = program.json("program", snapshot, "--rules", wrong)["devices"][0]
    checks.equal("what agrees with nothing", (found["dimensions"], found["unidentified"]), (
        [], "No dimensions fit batch 7, as a correction says, so none are given."))
    # Later ones win.
    found = program.json("program", snapshot, "--rules", wrong, "--rules",
                         write_rules(folder / "right.json", {"dimension": "batch", "value": 8}))["devices"][0]
    checks.equal("batch", next(d["value"] for d in found["dimensions"] if d["name"] == "batch"), 8)
    program.text("report", snapshot, "-o", folder / "heads.md", "--rules", heads)
    text = (folder / "heads.md").read_text(encoding="utf-8")
    checks.that("the dimension heads" in text and "config.json" in text, "the report lacks the dimension")


def check_errors(checks, program, snapshot, folder):
    broken = folder / "broken.json"
    for text, words in (("{", "broken.json: Invalid JSON at line 1, column 2."),
                        ('{"tidemark_rules": 1, "rules": [{"match": {"file": "x"}, "bucket": "cache"}]}',
                         "broken.json: rules[0].bucket: 'cache' is not a bucket; use "),
                        ('{"tidemark_rules": 1, "rules": [{"dimension": "head", "value": 8}]}',
                         "broken.json: rules[0].dimension: 'head' is not a dimension; use batch, ")):
        broken.write_text(text, encoding="utf-8")
        done = program.run("summary", "--json", snapshot, "--rules", broken)
        checks.equal("exit code", done.returncode, 2)
        checks.equal("output", done.stdout, "")
        checks.that(words in done.stderr and done.stderr.count("\n") == 1, f"error: {done.stderr!r}")
    done = program.run("summary", snapshot, "--rules", folder / "none.json")
    checks.equal("exit code", done.returncode, 2)
    checks.that(f"Cannot read the rules file {folder / 'none.json'} (No such file or directory)." in done.stderr, f"error: {done.stderr!r}")


def main():
    program, checks = harness.Program(sys.argv[1]), harness.Checks()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ["XDG_DATA_HOME"] = str(folder / "data")
        snapshot = folder / "run.pickle"
        shutil.copyfile(sys.argv[2], snapshot)
        check_rules_change_everything_after_them(checks, program, snapshot, folder)
        check_later_rules_win(checks, program, snapshot, folder)
        check_one_allocation_and_one_stack(checks, program, snapshot, folder)
        check_saved_rules(checks, program, snapshot, folder)
        check_reports(checks, program, snapshot, folder)
        check_dimensions(checks, program, snapshot, folder)
        check_errors(checks, program, snapshot, folder)
    checks.finish()


main()
