#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_budgets.py TIDEMARK_CLI DATA_DIR: `check` breaks what grew and leaves what flickers, says where, and writes what CI reads."""

import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types
import xml.etree.ElementTree

import harness

MIB = 1 << 20


def recording(path, line_bytes, device=0):
    """A run that allocates so much in each line of model.py and keeps it."""
    events, blocks, at = [], [], 1 << 40
    for line, size in line_bytes.items():
        frames = [{"name": f"line{line}", "filename": f"{path.parent}/model.py", "line": line}]
        events.append({"action": "alloc", "addr": at, "size": size, "stream": 0, "time_us": 10 + len(events), "frames": frames})
        blocks.append({"address": at, "size": size, "requested_size": size, "state": "active_allocated", "frames": frames})
        at += size
    segment = {"device": device, "address": 1 << 40, "total_size": at - (1 << 40), "stream": 0, "segment_type": "large",
               "blocks": blocks}
    traces = [[] for _ in range(device)] + [events]
    path.write_text(json.dumps({"segments": [segment], "device_traces": traces}), encoding="utf-8")
    return path


def outcome(program, *arguments, code):
    done = program.run("check", "--json", *arguments)
    assert done.returncode == code, f"{arguments} ended with {done.returncode}: {done.stdout}{done.stderr}"
    return json.loads(done.stdout)


def check_limits(checks, program, folder):
    run = recording(folder / "run.json", {1: 100 * MIB, 2: 300 * MIB})
    held = outcome(program, run, "--max-peak", "400MiB", "--no-oom", code=0)
    checks.equal("a limit that is reached holds", (held["ok"], held["broken"]), (True, []))
    for limits, said in ((["--no-oom"], "The budget holds.\n"), (["--no-oom", "--max-peak", "400MiB"], "2 of 2 budgets hold.\n")):
        checks.equal(f"said of {limits}", program.text("check", run, *limits), said)
    broken = outcome(program, run, "--max-peak", "399MiB", "--no-oom", code=1)
    checks.equal("broken", [(row["limit"], row["actual"], row["where_line"]) for row in broken["broken"]],
                 [(399 * MIB, 400 * MIB, 2)])
    budgets = folder / "budgets.json"
    budgets.write_text(json.dumps({"tidemark_budgets": 1, "budgets": [{"peak": "1 MiB"}, {"device": 0, "reserved": 5}]}),
                       encoding="utf-8")
    broken = outcome(program, run, "--budgets", budgets, code=1)
    checks.equal("measures", [row["measure"] for row in broken["broken"]], ["peak", "reserved"])


def check_unusable(checks, program, folder, example):
    run = recording(folder / "one.json", {1: MIB})
    for what, arguments, words in (
            ("no limit", [run], "--budgets"),
            ("a device that is not there",
             [run, "--budgets", '{"tidemark_budgets": 1, "budgets": [{"device": 3, "peak": 1}]}'], "GPU 3"),
            ("growth of a run without steps",
             [run, "--budgets", '{"tidemark_budgets": 1, "budgets": [{"growth_per_step": 1}]}'], "three complete steps"),
            ("a missing file", [folder / "none.pickle", "--no-oom"], "none.pickle"),
            ("a missing baseline", [run, "--baseline", folder / "none.pickle"], "none.pickle"),
            ("a baseline of another device", [run, "--baseline", recording(folder / "gpu1.json", {1: MIB}, device=1)],
             "baselines"),
            ("an output that is an input", [run, "--no-oom", "--junit", run], "one of the files to read"),
            ("an output of another kind", [run, "--no-oom", "--junit", example], "left as it is"),
            ("an output in no folder", [run, "--no-oom", "--junit", folder / "none/a.xml"], "No such file")):
        done = program.run("check", *arguments)
        checks.equal(f"{what}: exit code", done.returncode, 2)
        checks.that(words in done.stderr, f"{what}: {done.stderr!r} does not say {words!r}")
    # One that fails does not hide the others.
    done = program.run("check", folder / "none.pickle", run, "--max-peak", "1")
    checks.equal("a failing file beside a broken one", done.returncode, 2)


def check_flicker(checks, program, folder):
    """Five baselines that flicker by 3 %: as much again holds, 10 % more breaks, at the line that grew."""
    baselines = [recording(folder / f"base{i}.json", {1: 4000 * MIB, 2: (1000 + extra) * MIB})
                 for i, extra in enumerate((0, 150, 60, 110, 30))]
    flickered = recording(folder / "flickered.json", {1: 4000 * MIB, 2: 1160 * MIB})
    outcome(program, flickered, "--baseline", *baselines, code=0)
    grown = recording(folder / "grown.json", {1: 4500 * MIB, 2: 1060 * MIB})
    broken = outcome(program, grown, "--baseline", *baselines, code=1)["broken"]
    checks.equal("what grew", {(row["where_line"], row["where_grew"], row["where_bytes"]) for row in broken},
                 {(1, True, 500 * MIB)})
    # The same growth breaks with one baseline; a change below 2 % does not, and of baselines that never move it does.
    outcome(program, grown, "--baseline", baselines[2], code=1)
    small = recording(folder / "small.json", {1: 4030 * MIB, 2: 1060 * MIB})
    checks.that(outcome(program, small, "--baseline", baselines[2], code=0)["notes"], "the tolerance is not stated")
    outcome(program, small, "--baseline", baselines[2], baselines[2], baselines[2], code=1)
    outcome(program, small, "--baseline", baselines[2], "--tolerance", "0", code=1)
    outcome(program, grown, "--baseline", baselines[2], "--tolerance", "15", code=0)


def check_outputs(checks, program, folder):
    run = recording(folder / "out.json", {3: 200 * MIB})
    summary = folder / "summary.md"
    summary.write_text("before\n", encoding="utf-8")
    environment = {**os.environ, "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_WORKSPACE": str(folder)}
    budgets = {"tidemark_budgets": 1, "budgets": [{"peak": 1, "name": f"n{i}\n::error::x"} for i in range(12)]
               + [{"peak": "1 GiB"}]}
    arguments = [program.path, "check", run, "--budgets", json.dumps(budgets), "--github", "--junit", folder / "j.xml",
                 "--bencher", folder / "b.json"]
    done = subprocess.run(arguments, capture_output=True, text=True, env=environment, check=False)
    checks.equal("exit code", done.returncode, 1)
    commands = [line for line in done.stdout.splitlines() if line.startswith("::")]
    checks.equal("annotations", len(commands), 10)
    checks.that(all(line.startswith("::error title=") for line in commands), f"a command came from a name: {commands}")
    checks.that(",file=model.py,line=3::" in commands[0], f"no line in {commands[0]!r}")
    text = summary.read_text(encoding="utf-8")
    checks.that(text.startswith("before\n### Memory budgets\n"), "the summary is not added to")
    checks.equal("rows of the summary", text.count("\n| "), 14)
    root = xml.etree.ElementTree.parse(folder / "j.xml").getroot()
    suite = root.find("testsuite")
    checks.equal("JUnit", (suite.get("tests"), suite.get("failures"), len(suite.findall("testcase/failure"))), ("13", "12", 12))
    metrics = json.loads((folder / "b.json").read_text(encoding="utf-8"))
    checks.equal("Bencher", metrics["out.json GPU 0"]["peak"], {"value": 200 * MIB, "upper_value": 1})  # the tightest
    # Again, over what is there; JSON stays JSON.
    done = subprocess.run([*arguments, "--json"], capture_output=True, text=True, env=environment, check=False)
    checks.equal("over the old outputs", done.returncode, 1)
    checks.equal("lines of JSON", len(json.loads(done.stdout)["broken"]), 12)
    checks.equal("annotations beside JSON", done.stderr.count("::error "), 10)


def check_recorded(checks, program, data):
    """Real steps: a run against itself holds, and one with more in it breaks at a line."""
    small, large = (harness.modelled_file(data, name) for name in ("gpt_train_full", "gpt_oom_backward"))
    outcome(program, small, "--baseline", small, code=0)
    broken = outcome(program, large, "--baseline", small, code=1)["broken"]
    checks.that({"peak", "ooms"} <= {row["measure"] for row in broken}, f"broken are {broken}")
    checks.that(broken[0]["where"] and broken[0]["where_bytes"] > 0, "no line grew")


def check_fixture(checks, program, root, example):
    """The fixture of docs/check.md, with a capture that copies a recording."""
    code = re.search(r"```python\n(import subprocess.*?)```", (root / "docs/check.md").read_text(encoding="utf-8"), re.DOTALL)[1]

    @contextlib.contextmanager
    def record(path):
        yield
        pathlib.Path(path).write_bytes(example.read_bytes())

    sys.modules["pytest"] = types.SimpleNamespace(fixture=lambda function: function)
    sys.modules["tidemark_capture"] = types.SimpleNamespace(record=record)
    scope = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "tidemark-cli").symlink_to(pathlib.Path(program.path).resolve())
        os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"
        exec(code, scope)  # pylint: disable=exec-used
        for limit, fails in (("20GiB", False), ("1GiB", True)):
            fixture = scope["memory_budget"](folder)
            next(fixture)("--max-peak", limit)
            try:
                next(fixture)
                checks.that(False, "the fixture yields twice")
            except StopIteration:
                checks.that(not fails, "a broken budget passes")
            except AssertionError as error:
                checks.that(fails and "over its budget" in str(error), f"{limit}: {error}")


def main():
    program, data = harness.Program(sys.argv[1]), harness.data_dir(sys.argv[2])
    checks = harness.Checks()
    example = data / "cases" / "gpt_oom_backward.pickle"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_limits(checks, program, folder)
        check_unusable(checks, program, folder, example)
        check_flicker(checks, program, folder)
        check_outputs(checks, program, folder)
    check_recorded(checks, program, data)
    check_fixture(checks, program, data.parent.parent, example)
    checks.finish()


if __name__ == "__main__":
    main()
