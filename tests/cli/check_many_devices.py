# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_many_devices.py TIDEMARK_CLI: of a file of hundreds of devices everything says what it leaves out.

The file is made here: each device has a higher peak than the one before it, and runs out.
"""

import json
import pathlib
import sys
import tempfile

import harness
import hostile

DEVICES = 200
DETAILED = 64
SENTENCE = "136 devices with lower peaks are not shown"


def check_report(checks, program, snapshot, out):
    program.text("report", snapshot, "-o", out)
    report = json.loads(out.read_text(encoding="utf-8"))["report"]
    highest = list(range(DEVICES - DETAILED, DEVICES))
    checks.equal("devices with figures", [device["device"] for device in report["summary"]["devices"]],
                 list(range(DEVICES)))
    checks.that(all(device["peak"]["requested_bytes"] > 0 for device in report["summary"]["devices"]),
                "a device has no peak")
    checks.equal("devices with a diagnosis", [diagnosis["device"] for diagnosis in report["diagnoses"]], highest)
    checks.equal("devices with allocations", [device["device"] for device in report["largest_allocations"]], highest)
    checks.equal("devices left out", report["devices_without_details"], DEVICES - DETAILED)


def check_few(checks, program, snapshot, out):
    """Of as many as machines have nothing is left out, and nothing is said of it."""
    program.text("report", snapshot, "-o", out)
    report = json.loads(out.read_text(encoding="utf-8"))["report"]
    checks.equal("few devices with a diagnosis", len(report["diagnoses"]), DETAILED)
    checks.equal("few devices left out", report["devices_without_details"], 0)
    checks.that("not shown" not in program.text("summary", snapshot), "the summary leaves out one of few")


def main():
    program = harness.Program(sys.argv[1])
    checks = harness.Checks()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        many, few = folder / "many.pickle", folder / "few.pickle"
        hostile.write("many_devices", 10 * DEVICES, many)
        hostile.write("many_devices", 10 * DETAILED, few)
        check_report(checks, program, many, folder / "many.json")
        check_few(checks, program, few, folder / "few.json")
        for ending in ("html", "md"):
            out = folder / f"many.{ending}"
            program.text("report", many, "-o", out)
            words = " ".join(out.read_text(encoding="utf-8").split())
            checks.that(SENTENCE in words, f"the report as {ending} does not say what it leaves out")
        checks.that(SENTENCE in " ".join(program.text("summary", many).split()), "the summary does not say it")
        lowest = program.json("diagnose", many, "--device", 0)
        checks.equal("cause of a device that is not diagnosed", lowest["cause"], "unclear")
        checks.that("only the 64 with the highest peaks" in lowest["causes"][0]["evidence"][0]["text"],
                    f"the reason is {lowest['causes'][0]}")
        checks.equal("its need", lowest["need_bytes"], 40 << 20)
        main_one = program.json("diagnose", many)
        checks.that(main_one["cause"] != "unclear" and main_one["fixes"], f"the main device: {main_one['cause']}")
    checks.finish()


main()
