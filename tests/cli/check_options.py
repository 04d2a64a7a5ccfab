# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_options.py TIDEMARK_CLI DATA_DIR: what each option does, on a modelled run that dies in its second step."""

import csv
import json
import lzma
import pathlib
import pickle
import re
import sys
import tempfile
import xml.etree.ElementTree

import harness
import modelled

ALL_COMMANDS = ("summary", "timeline", "allocations", "labels", "diagnose", "predict", "program", "simulate")


def check_moments(checks, program, path, summary):
    device = summary["devices"][0]
    oom = device["ooms"][0]
    expected = {
        "start": (-1, device["start_requested_bytes"]),
        "-1": (-1, device["start_requested_bytes"]),
        "peak": (device["peak"]["event"], device["peak"]["requested_bytes"]),
        "oom": (oom["event"] - 1, oom["requested_total_bytes"]),
        "end": (device["events"] - 1, device["end_requested_bytes"]),
        str(oom["event"]): (oom["event"], device["end_requested_bytes"]),
    }
    for word, (event, total) in expected.items():
        found = program.json("allocations", path, "--at", word)["devices"][0]
        checks.equal(f"event --at {word}", found["event"], event)
        checks.equal(f"bytes --at {word}", sum(a["requested_bytes"] for a in found["allocations"]), total)


def check_state_is_after_its_event(checks, program, path):
    """An allocation lives at the event that makes it, and not at the event that frees it."""
    rows = program.json("labels", path)["devices"][0]["allocations"]
    row = next(row for row in rows if row["free_event"] is not None and row["requested_bytes"] > 2**20)

    def lives(event):
        found = program.json("allocations", path, "--at", event)["devices"][0]["allocations"]
        return any(a["alloc_event"] == row["alloc_event"] for a in found)

    moments = [row["alloc_event"] - 1, row["alloc_event"], row["free_event"] - 1, row["free_event"]]
    checks.equal("life of an allocation", [lives(event) for event in moments], [False, True, True, False])


def check_filters(checks, program, path, summary):
    buckets = summary["devices"][0]["peak"]["buckets"]
    found = program.json("allocations", path, "--bucket", "activation")["devices"][0]["allocations"]
    checks.equal("--bucket", {a["bucket"] for a in found}, {"activation"})
    checks.equal("bytes of --bucket", sum(a["requested_bytes"] for a in found), buckets["activation"])
    everything = program.json("allocations", path)["devices"][0]["allocations"]

    def has_text(allocation, text):
        return any(text in frame["name"] or text in frame["filename"] for frame in allocation["stack"])

    for text in ("softmax", "scenes.py", "no such frame"):
        found = program.json("allocations", path, "--match", text)["devices"][0]["allocations"]
        checks.equal(f"--match {text}", found, [a for a in everything if has_text(a, text)])
    top = program.json("allocations", path, "--top", "3")["devices"][0]
    checks.equal("--top", top["allocations"], everything[:3])
    checks.equal("found before --top", top["found"], len(everything))


def check_queries(checks, program, path):
    """Queries of the whole run against the list of all labels, and groups against rows."""
    everything = program.json("labels", path)["devices"][0]["allocations"]

    def found(query, *more):
        return program.json("allocations", path, "--query", query, *more)["devices"][0]

    def bytes_of(rows):
        return sum(row["requested_bytes"] for row in rows)

    large = [a for a in everything if a["requested_bytes"] > 10 * 2**20 and a["bucket"] == "activation"]
    answer = found("bucket:activation size>10MiB")
    checks.that(large, "no large activation to ask for")
    checks.equal("found", answer["found"], len(large))
    checks.equal("rows", len(answer["allocations"]), len(large))
    checks.equal("bytes", answer["sums"]["requested_bytes"], bytes_of(large))
    sizes = [a["requested_bytes"] for a in answer["allocations"]]
    checks.equal("largest first", sizes, sorted(sizes, reverse=True))
    checks.equal("smallest first", found("size>0", "--reverse", "--top", "1")["allocations"][0]["requested_bytes"],
                 min(a["requested_bytes"] for a in everything))
    at_peak = program.json("allocations", path)["devices"][0]
    peak = found("live@peak")
    checks.equal("live@peak", peak["sums"]["requested_bytes"], at_peak["requested_total_bytes"])
    checks.equal("share of the peak", peak["sums"]["share_of_peak"], 1.0)
    checks.equal("--at with a query", found("size>10MiB", "--at", "peak")["found"], found("size>10MiB live@peak")["found"])
    kept = [a for a in everything if a["free_event"] is None]
    checks.equal("kept", found("kept")["found"], len(kept))
    churn = bytes_of(a for a in everything if a["free_event"] is not None and a["alloc_event"] is not None)
    for by in ("line", "module", "size", "bucket", "step"):
        grouped = program.json("allocations", path, "--group-by", by)["devices"][0]
        checks.equal(f"{by}: count", sum(g["count"] for g in grouped["groups"]), len(everything))
        checks.equal(f"{by}: bytes", bytes_of(grouped["groups"]), bytes_of(everything))
        checks.equal(f"{by}: churn", sum(g["churn_bytes"] for g in grouped["groups"]), churn)
    buckets = program.json("allocations", path, "--group-by", "bucket", "--sort", "count")["devices"][0]["groups"]
    counts = [g["count"] for g in buckets]
    checks.equal("--sort count", counts, sorted(counts, reverse=True))
    again = found(buckets[0]["query"])
    checks.equal("the query of a group", again["found"], buckets[0]["count"])
    lines = program.text("allocations", path, "--query", "bucket:activation size>10MiB", "--csv").splitlines()
    rows = list(csv.DictReader(lines))
    checks.equal("--csv", [int(row["requested_bytes"]) for row in rows], sizes)
    checks.that("No allocation matches" in program.text("allocations", path, "--query", "no_such_word"), "no match unsaid")


def four_devices(job, target):
    """Three ranks of a job in one file, as one process with four devices leaves it, one of them unused; the last one died."""
    ranks = [pickle.loads(harness.unpacked(job / f"rank{rank}_of_4.pickle.xz")) for rank in (0, 1, 3)]
    whole = {**ranks[2], "segments": [], "external_annotations": []}
    for device, rank in zip((0, 2, 3), ranks):
        whole["segments"] += [{**segment, "device": device} for segment in rank["segments"]]
    whole["device_traces"] = [ranks[0]["device_traces"][0], [], ranks[1]["device_traces"][0], ranks[2]["device_traces"][0]]
    target.write_bytes(pickle.dumps(whole))
    return target


def check_devices(checks, program, path):
    """A file with four devices, one of them empty."""
    summary = program.json("summary", path)
    checks.equal("devices", [device["device"] for device in summary["devices"]], [0, 1, 2, 3])
    for command in ("timeline", "labels", "allocations"):
        answer = program.json(command, path, "--device", "2")
        checks.equal(f"{command} --device", [device["device"] for device in answer["devices"]], [2])
    answer = program.json("predict", path, "--device", "2", "--apply", "micro-batch=0.5")
    checks.equal("predict --device", [device["device"] for device in answer["devices"]], [2])
    answer = program.json("simulate", path, "--device", "2")
    checks.equal("simulate --device", [device["device"] for device in answer["devices"]], [2])
    checks.equal("diagnose --device", program.json("diagnose", path, "--device", "2")["device"], 2)
    died = [device["device"] for device in summary["devices"] if device["ooms"]]
    checks.equal("device of the diagnosis", [program.json("diagnose", path)["device"]], died)


def check_drawing(checks, program, path, job):
    """timeline --svg is the drawing of the page, one for each device."""
    drawing = program.text("timeline", "--svg", path)
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        program.text("report", path, "-o", page)
        on_page = page.read_text(encoding="utf-8")
    alike = drawing.replace('id="tidemark-0-', 'id="timeline-').replace("url(#tidemark-0-", "url(#timeline-")
    checks.that(alike != drawing and alike in on_page, "--svg draws something else than the report")
    for arguments, count in ((["--device", "2"], 1), ([], 4)):
        drawings = program.text("timeline", "--svg", job, *arguments)
        page = xml.etree.ElementTree.fromstring(f"<p>{drawings}</p>")
        checks.equal(f"drawings {arguments}", len(page.findall("{http://www.w3.org/2000/svg}svg")), count)
        names = re.findall(r'id="([^"]+)"', drawings)
        checks.equal(f"names {arguments}", len(set(names)), len(names))


def check_user_input(checks, program, run, folder):
    message = run.truth["oom"]["message"]
    log = pathlib.Path(folder) / "train.log"
    log.write_text(f"step 1\nTraceback:\ntorch.OutOfMemoryError: {message}\n", encoding="utf-8")
    by_text = program.json("diagnose", run.path, "--message", message)
    by_log = program.json("diagnose", run.path, "--message", f"@{log}")
    checks.equal("--message @LOG", by_log, by_text)
    checks.that(by_text["message"].get("tried", 0) > 0, "the message's figures are missing")
    checks.equal("backend of the message", by_text["message"].get("backend"), "CUDA")
    for words, size in (("80GiB", 80 * 2**30), ("80 GiB", 80 * 2**30), ("80G", 80 * 2**30), ("0.5TiB", 2**39),
                        ("85899345920", 85899345920)):
        answer = program.json("predict", run.path, "--apply", "micro-batch=1", "--capacity", words)
        checks.equal(f"--capacity {words}", answer["devices"][0]["capacity_bytes"], size)
        checks.equal(f"fits into {words}", answer["devices"][0]["fits"], True)
    changes = "zero=3"
    alone = program.json("predict", run.path, "--apply", changes)["devices"][0]["after"]
    shared = program.json("predict", run.path, "--apply", changes, "--gpus", "8")["devices"][0]["after"]
    checks.that(shared["peak_requested_bytes"] < alone["peak_requested_bytes"], "--gpus changes nothing")


def check_many_files(checks, program, run, folder):
    missing = pathlib.Path(folder) / "missing.pickle"
    for command in ALL_COMMANDS:
        more = ["--apply", "micro-batch=0.5"] if command == "predict" else []
        done = program.run(command, "--json", run.path, missing, run.path, *more)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        checks.equal(f"{command}: exit code of three files", done.returncode, 2)
        checks.equal(f"{command}: objects", len(lines), 3)
        checks.equal(f"{command}: first and last", lines[0], lines[-1])
        checks.equal(f"{command}: the missing one", set(lines[1]), {"file", "error"})
        checks.equal(f"{command}: its name", lines[1]["file"], str(missing))
        checks.that(done.stderr.startswith(f"tidemark-cli: {missing}: "), f"{command}: {done.stderr!r}")
        checks.equal(f"{command}: lines of the error", done.stderr.count("\n"), 1)


def check_same_bytes(checks, program, path):
    for command in ALL_COMMANDS:
        more = ["--apply", "optimizer=lion"] if command == "predict" else []
        for form in ([], ["--json"]):
            twice = [program.text(command, path, *form, *more) for _ in range(2)]
            checks.that(twice[0] and twice[0] == twice[1], f"{command} {form}: not the same bytes twice")
    for reader in ("native", "cpython"):
        said = program.json("summary", path, "--reader", reader)["format"]["reader"]
        checks.equal(f"--reader {reader}", said, reader)


def check_fixes_are_predictions(checks, program, path):
    """A fix's own `apply` leads to the fix's figures; without its accumulation the micro-batch is another change, and says so."""
    fixes = [fix for fix in program.json("diagnose", path)["fixes"] if fix["apply"] and fix["status"] in ("recommended", "would-help", "not-enough")]
    checks.that(len(fixes) > 5, f"{path.name}: {len(fixes)} fixes have changes")
    for fix in fixes:
        after = program.json("predict", path, "--apply", fix["apply"])["devices"][0]["after"]
        for name, of_fix in (("need_bytes", "new_need_bytes"), ("reserved_bytes", "new_reserved_bytes"), ("peak_requested_bytes", "new_peak_bytes")):
            checks.equal(f"{name} after {fix['apply']}", after[name], fix[of_fix])
    halved = program.json("predict", path, "--apply", "micro-batch=0.5")["devices"][0]
    kept = program.json("predict", path, "--apply", "micro-batch=0.5,accumulation=2")["devices"][0]
    checks.that(halved["after"]["need_bytes"] < kept["after"]["need_bytes"], "accumulation holds no gradients")
    checks.equal("hints at accumulation=2", ["accumulation=2" in " ".join(run["assumptions"]) for run in (halved, kept)], [True, False])


def check_step_numbers(checks, program, data, folder):
    """torch.profiler's scopes number the steps: every text says them, and JSON beside the trace's own count."""
    run = next(run for run in modelled.runs(data) if run.name == "gpt_train_full")
    device = program.json("summary", run.path)["devices"][0]
    snapshot = pickle.loads(lzma.decompress(pathlib.Path(run.path).read_bytes()))
    times = [event["time_us"] for event in snapshot["device_traces"][0]]
    for number, step in enumerate(device["steps"], 210):
        for stage, event in (("START", step["first_event"]), ("END", step["last_event"])):
            snapshot["external_annotations"].append({"stage": stage, "name": f"ProfilerStep#{number}", "device": 0,
                                                     "time_us": times[event]})
    path = pathlib.Path(folder) / "numbered.pickle"
    path.write_bytes(pickle.dumps(snapshot))
    numbered = program.json("summary", path)["devices"][0]
    checks.equal("the program's steps", [step["number"] for step in numbered["steps"]], [210, 211, 212])
    for rows in (*numbered["peaks"].values(), numbered["phases"]):
        for row in rows:
            checks.equal("stated step", row["stated_step"], row["step"] and row["step"] + 209)
    step = numbered["peaks"]["requested"][0]["stated_step"]
    for command, arguments in (("summary", (path,)), ("diagnose", (path,)), ("compare", (path, path))):
        checks.that(f"backward of step {step}" in program.text(command, *arguments), f"{command} does not say step {step}")


def check_help(checks, program):
    help_text = program.text("--help")
    for command in (*ALL_COMMANDS, "report", "ranks"):
        checks.that(f"  {command} " in help_text, f"--help does not name {command}")
        checks.that("--json" in program.text(command, "--help"), f"{command} --help does not name --json")
        checks.that("{false}" not in program.text(command, "--help"), f"{command} --help shows a flag's inside")
    lines = program.text("--version").splitlines()
    checks.that(lines[0].startswith("tidemark-cli "), f"--version begins with {lines[0]!r}")
    checks.that("libpython" in lines[1], f"--version does not name libpython: {lines[1]!r}")


def main():
    program, data = harness.Program(sys.argv[1]), harness.data_dir(sys.argv[2])
    checks = harness.Checks()
    run = next(run for run in modelled.runs(data) if run.name == "gpt_oom_backward")
    summary = program.json("summary", run.path)
    with tempfile.TemporaryDirectory() as folder:
        job = four_devices(data / "jobs/ddp_uneven_oom_4", pathlib.Path(folder) / "job.pickle")
        check_moments(checks, program, run.path, summary)
        check_state_is_after_its_event(checks, program, run.path)
        check_filters(checks, program, run.path, summary)
        check_queries(checks, program, run.path)
        check_devices(checks, program, job)
        check_drawing(checks, program, run.path, job)
        check_user_input(checks, program, run, folder)
        check_many_files(checks, program, run, folder)
        check_same_bytes(checks, program, run.path)
        check_step_numbers(checks, program, data, folder)
        check_help(checks, program)
        check_fixes_are_predictions(checks, program, run.path)
    checks.finish()


main()
