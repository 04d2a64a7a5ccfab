# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_max_bytes.py TIDEMARK_CLI DATA_DIR: with --max-bytes each answer in JSON fits, is the beginning of the whole one, and says
what was cut."""

import json
import pathlib
import re
import sys
import tempfile

import harness

LIMITS = (100_000, 20_000, 4_000)


def lists_at(value, at):
    """All lists at "devices[].allocations"."""
    found = [value]
    for part in at.replace("[]", ".[]").split("."):
        if part == "[]":
            found = [item for one in found for item in one]
        elif part:
            found = [one[part] for one in found if isinstance(one, dict) and part in one]
    return found


def check_cut(checks, what, whole, cut, limit):
    checks.equal(f"{what}: the limit", cut["cut"]["max_bytes"], limit)
    checks.that(cut["cut"]["lists"] or cut["cut"]["texts"], f"{what}: nothing is said to be cut")
    for one in cut["cut"]["lists"]:
        checks.that(one["left_out"] > 0, f"{what}: {one}")
        if "[]" not in one["at"]:
            checks.equal(f"{what}: {one['at']}", len(lists_at(cut, one["at"])[0]) + one["left_out"], len(lists_at(whole, one["at"])[0]))
    checks.equal(f"{what}: fields", [key for key in cut if key != "cut"], list(whole))


def main():
    program, data = harness.Program(sys.argv[1]), pathlib.Path(sys.argv[2])
    checks = harness.Checks()
    died, lived = (harness.modelled_file(data, name) for name in ("gpt_oom_backward", "gpt_train_full"))
    for command, *arguments in (("summary", died), ("timeline", died, "--points", 4000), ("allocations", died), ("labels", died),
                                ("diagnose", died), ("predict", died), ("program", died), ("stacks", died), ("simulate", died, "--search"),
                                ("compare", lived, died), ("ranks", data / "gpu/jobs/ddp_captured"), ("capabilities",),
                                ("plan", "Qwen/Qwen2.5-7B", "--batch", 1, "--sequence", 512)):
        whole = program.run(command, "--json", *arguments).stdout
        for limit in LIMITS:
            done = program.run(command, "--json", *arguments, "--max-bytes", limit)
            if done.returncode == 2:
                checks.that("raise --max-bytes" in done.stderr and done.stdout == "", f"{command}: {done.stderr}")
                checks.that(limit < 20_000, f"{command}: {limit} bytes do not do: {done.stderr}")
                continue
            checks.that(len(done.stdout.encode()) <= limit, f"{command}: {len(done.stdout)} bytes, not {limit}")
            if len(whole.encode()) <= limit:
                checks.equal(f"{command}: what fits", done.stdout, whole)
            else:
                check_cut(checks, f"{command} {limit}", json.loads(whole), json.loads(done.stdout), limit)
                checks.that(limit > 50_000 or len(done.stdout) > limit / 4, f"{command}: only {len(done.stdout)} of {limit} bytes")
    # As with a smaller --top: the largest first.
    whole = program.json("allocations", died, "--at", "peak")["devices"][0]["allocations"]
    told = json.loads(program.run("allocations", died, "--json", "--at", "peak", "--max-bytes", 20_000).stdout)
    kept = told["devices"][0]["allocations"]
    checks.equal("the beginning", kept, whole[:len(kept)])
    checks.equal("the same with --top", kept, program.json("allocations", died, "--at", "peak", "--top", len(kept))["devices"][0]["allocations"])
    checks.equal("what is cut", told["cut"]["lists"], [{"at": "devices[].allocations", "left_out": len(whole) - len(kept)}])
    # Of moments some from the beginning to the end.
    whole = program.json("timeline", died, "--points", 4000)["devices"][0]["points"]
    kept = json.loads(program.run("timeline", died, "--points", 4000, "--json", "--max-bytes", 20_000).stdout)["devices"][0]["points"]
    checks.equal("the ends of the run", [kept[0], kept[-1]], [whole[0], whole[-1]])
    # Several files: each answer fits.
    lines = program.run("summary", "--json", died, lived, "--max-bytes", 20_000).stdout.splitlines()
    checks.equal("answers", [len(line) < 20_000 for line in lines], [True, True])
    for arguments in (("summary", died, "--max-bytes", 1000), ("summary", "--json", died, "--max-bytes", 5)):
        checks.equal(f"{arguments[1:]}", program.run(*arguments).returncode, 2)
    with tempfile.TemporaryDirectory() as name:
        log = pathlib.Path(name) / "log.txt"
        log.write_text("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n" * 50, encoding="utf-8")
        done = program.run("explain", "--json", log, "--max-bytes", 3000)
        checks.that(done.returncode == 2 or len(done.stdout) <= 3000, f"explain: {len(done.stdout)} bytes")
    # What is said to be enough is.
    for command, *arguments in (("summary", died), ("plan", "Qwen/Qwen2.5-7B"), ("capabilities",)):
        said = re.search(r"at least ([\d,]+) bytes", program.run(command, "--json", *arguments, "--max-bytes", 200).stderr)
        checks.that(said, f"{command}: no least number of bytes")
        if said:
            least = int(said[1].replace(",", ""))
            done = program.run(command, "--json", *arguments, "--max-bytes", least)
            checks.that(done.returncode != 2 and len(done.stdout.encode()) <= least, f"{command}: {least} bytes are not enough: {done.stderr}")
            texts = json.loads(done.stdout)["cut"]["texts"] if '"cut"' in done.stdout else 0
            checks.that(texts <= done.stdout.count("…"), f"{command}: {texts} texts are said to be cut")
    checks.finish()


if __name__ == "__main__":
    main()
