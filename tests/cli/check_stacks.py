# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_stacks.py TIDEMARK_CLI SNAPSHOT: the calls of all stacks add up, in JSON, as text and folded."""

import sys

import contract
import harness


def check_sums(checks, device, what):
    below = {}
    for i, call in enumerate(device["calls"]):
        checks.equal(f"{what}: buckets of {call['name']}", set(call["buckets"]), set(contract.BUCKETS))
        checks.equal(f"{what}: sum of {call['name']}", sum(call["buckets"].values()), call["bytes"])
        under = call["under"]
        checks.that(under is None or under < i, f"{what}: {call['name']} stands before what it hangs under")
        below[under] = below.get(under, 0) + call["bytes"]
    for under, total in below.items():
        whole = device["bytes"] if under is None else device["calls"][under]["bytes"]
        checks.that(total <= whole, f"{what}: {total} below a call of {whole}")
    checks.equal(f"{what}: bytes at the top", below.get(None, 0), device["bytes"])


def check_measures(checks, program, snapshot):
    for at in ("start", "peak", "oom", "end", "100"):
        device = program.json("stacks", snapshot, "--at", at, "--top", "100000")["devices"][0]
        live = program.json("allocations", snapshot, "--at", at)["devices"][0]["allocations"]
        checks.equal(f"live at {at}", device["bytes"], sum(a["requested_bytes"] for a in live))
        checks.equal(f"allocations at {at}", device["count"], len(live))
        check_sums(checks, device, f"at {at}")
    labels = program.json("labels", snapshot)["devices"][0]["allocations"]
    made = [a for a in labels if a["alloc_event"] is not None]
    allocated = program.json("stacks", snapshot, "--measure", "allocated", "--at", "end")["devices"][0]
    checks.equal("allocated in all", allocated["bytes"], sum(a["requested_bytes"] for a in made))
    kept = program.json("stacks", snapshot, "--measure", "kept", "--at", "end")["devices"][0]
    checks.equal("kept in all", kept["bytes"], sum(a["requested_bytes"] for a in made if a["free_event"] is None))
    grown = program.json("stacks", snapshot, "--measure", "grown", "--from", "100", "--at", "100")["devices"][0]
    checks.equal("grown from a moment to itself", grown["bytes"], 0)


def check_forms(checks, program, snapshot):
    whole = program.json("stacks", snapshot)["devices"][0]
    for options in ([], ["--all-frames"], ["--allocating-first"]):
        folded = program.text("stacks", snapshot, "--folded", *options).splitlines()
        checks.equal(f"folded stacks {options}", sum(int(line.rsplit(" ", 1)[1]) for line in folded), whole["bytes"])
    cut = program.json("stacks", snapshot, "--top", "5")["devices"][0]
    checks.equal("calls with --top 5", len(cut["calls"]), 5)
    checks.equal("calls there are", cut["calls_found"], whole["calls_found"])
    text = program.text("stacks", snapshot, "--top", "5")
    checks.that("smaller calls are not shown" in text and cut["calls"][0]["name"] in text, text)
    late = program.run("stacks", snapshot, "--measure", "kept", "--from", "end", "--at", "start")
    checks.that(late.returncode == 2 and "--from is after --at" in late.stderr, f"a range backwards: {late}")
    none = program.run("stacks", snapshot, "--at", "99999999")
    checks.that(none.returncode == 2 and "There is no event" in none.stderr, f"no such moment: {none}")


def main():
    path, snapshot = sys.argv[1:]
    checks, program = harness.Checks(), harness.Program(path)
    check_measures(checks, program, snapshot)
    check_forms(checks, program, snapshot)
    checks.finish()


main()
