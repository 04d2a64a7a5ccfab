# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_contract.py TIDEMARK_CLI DATA_DIR: each command's JSON has its fields and agrees with the others', for every
snapshot."""

import json
import re
import sys

import contract
import harness
import modelled

POINTS = 60


def check_type(checks, name, answer, kind):
    wrong = sorted(set(contract.complaints(answer, kind)))
    checks.that(not wrong, f"{name}: " + "; ".join(wrong[:5]))


def live_bytes(allocations, event):
    return sum(a["requested_bytes"] for a in allocations if modelled.is_live(a, event))


def check_timeline(checks, program, path, summary):
    answer = program.json("timeline", path, "--points", POINTS)
    check_type(checks, f"timeline {path.name}", answer, contract.TIMELINE)
    checks.equal(f"{path.name}: devices of the timeline", len(answer["devices"]), len(summary["devices"]))
    for device, drawn in zip(summary["devices"], answer["devices"]):
        where = f"{path.name}, device {device['device']}"
        points = drawn["points"]
        events = [point["event"] for point in points]
        totals = {point["event"]: point["requested_bytes"] for point in points}
        checks.equal(f"{where}: order of the points", events, sorted(set(events)))
        checks.equal(f"{where}: first and last point", (events[0], events[-1]), (-1, device["events"] - 1))
        checks.that(len(points) <= max(POINTS, 4 + 2 * len(device["ooms"])), f"{where}: {len(points)} points")
        checks.equal(
            f"{where}: peak of the timeline", totals.get(device["peak"]["event"]), device["peak"]["requested_bytes"])
        checks.equal(f"{where}: largest point", max(totals.values()), device["peak"]["requested_bytes"])
        for oom in device["ooms"]:
            checks.equal(f"{where}: point before the OOM", totals.get(oom["event"] - 1), oom["requested_total_bytes"])
        for point in points:
            checks.equal(f"{where}: bands", sum(point["buckets"].values()), point["requested_bytes"])


def check_allocations(checks, program, path, summary):
    answer = program.json("allocations", path)
    check_type(checks, f"allocations {path.name}", answer, contract.ALLOCATIONS)
    for found in answer["devices"]:
        device = harness.by_device(summary, found["device"])
        sizes = [a["requested_bytes"] for a in found["allocations"]]
        where = f"{path.name}, device {found['device']}"
        checks.equal(f"{where}: event of the peak", found["event"], device["peak"]["event"])
        checks.equal(f"{where}: allocations at the peak", sum(sizes), device["peak"]["requested_bytes"])
        checks.equal(f"{where}: largest first", sizes, sorted(sizes, reverse=True))
        by_place = {}
        for a in found["allocations"]:
            place = (a["bucket"], a["module"])
            by_place[place] = by_place.get(place, 0) + a["requested_bytes"]
        for row in device["peak"]["modules"]:
            checks.equal(f"{where}: {row['bucket']} of {row['module']}", row["bytes"],
                         by_place.get((row["bucket"], row["module"])))
        for bucket, total in device["peak"]["buckets"].items():
            own = sum(a["requested_bytes"] for a in found["allocations"] if a["bucket"] == bucket)
            checks.equal(f"{where}: {bucket} at the peak", own, total)


def check_labels(checks, program, path, summary):
    answer = program.json("labels", path)
    check_type(checks, f"labels {path.name}", answer, contract.LABELS)
    for device, listed in zip(summary["devices"], answer["devices"]):
        where = f"{path.name}, device {device['device']}"
        rows = listed["allocations"]
        checks.equal(f"{where}: allocations", len(rows), device["allocations"])
        checks.that(all(0 <= row["address"] < 2**64 for row in rows), f"{where}: an address is no unsigned number")
        checks.that(all(0 <= row["confidence"] <= 100 for row in rows), f"{where}: a confidence is no percentage")
        checks.that(all(": " in row["reason"] for row in rows), f"{where}: a reason is not 'rule: evidence'")
        checks.equal(f"{where}: live at the start", live_bytes(rows, -1), device["start_requested_bytes"])
        checks.equal(
            f"{where}: live at the peak", live_bytes(rows, device["peak"]["event"]), device["peak"]["requested_bytes"])
        checks.equal(
            f"{where}: live at the end", live_bytes(rows, device["events"] - 1), device["end_requested_bytes"])


def check_diagnosis(checks, program, path, summary):
    answer = program.json("diagnose", path)
    check_type(checks, f"diagnose {path.name}", answer, {**contract.DIAGNOSIS, **contract.INTERVALS, **contract.ANSWER})
    check_type(checks, f"findings {path.name}", answer, contract.FINDINGS)
    if answer["causes"]:
        scores = [cause["score"] for cause in answer["causes"]]
        checks.equal(f"{path.name}: first cause", answer["cause"], answer["causes"][0]["cause"])
        checks.equal(f"{path.name}: causes by score", scores, sorted(scores, reverse=True))
    rungs = [fix["rung"] for fix in answer["fixes"]]
    checks.equal(f"{path.name}: fixes by rung", rungs, sorted(rungs))
    recommended = [fix["id"] for fix in answer["fixes"] if fix["status"] == "recommended"]
    cheapest = answer["answer"] or {"fixes": [], "fits": None}
    fitting = cheapest["fixes"] if cheapest["fits"] else []
    checks.equal(f"{path.name}: the recommended fixes are the answer", recommended, fitting)
    for fix in answer["fixes"]:
        where = f"{path.name}: {fix['id']}"
        checks.that(
            fix["new_peak_low_bytes"] <= fix["new_peak_bytes"] <= fix["new_peak_high_bytes"], f"{where}: no interval")
        checks.that(fix["status"] != "recommended" or fix["fits"] is not False, f"{where}: recommended and does not fit")
        checks.that(
            all(isinstance(line, str) and line for line in fix["how"].values()), f"{where}: an empty line to paste")
        if fix["status"] in ("recommended", "would-help", "not-enough"):
            checks.that(fix["how"] and fix["why"], f"{where}: offered without why and how")
    died = any(device["ooms"] for device in summary["devices"])
    checks.that(died or answer["cause"] != "activations", f"{path.name}: a cause of death for a run that lives")


def check_prediction(checks, program, path, summary):
    answer = program.json("predict", path, "--apply", "micro-batch=0.5")
    check_type(checks, f"predict {path.name}", answer, contract.PREDICTION)
    for predicted in answer["devices"]:
        device = harness.by_device(summary, predicted["device"])
        before, after = predicted["before"], predicted["after"]
        where = f"{path.name}, device {predicted['device']}"
        checks.equal(f"{where}: peak before", before["peak_requested_bytes"], device["peak"]["requested_bytes"])
        checks.that(
            after["low_bytes"] <= after["peak_requested_bytes"] <= after["high_bytes"], f"{where}: no interval")
        checks.that(
            after["peak_requested_bytes"] <= before["peak_requested_bytes"], f"{where}: half a batch needs more")


def check_simulation(checks, program, path, summary):
    answer = program.json("simulate", path, "--set", "expandable_segments:True", "--search", "--points", POINTS)
    check_type(checks, f"simulate {path.name}", answer, contract.SIMULATIONS)
    for simulated in answer["devices"]:
        device = harness.by_device(summary, simulated["device"])
        baseline, recorded, result = simulated["baseline"], simulated["recorded"], simulated["result"]
        where = f"{path.name}, device {simulated['device']}"
        checks.equal(f"{where}: allocations replayed", baseline["addresses_checked"], device["actions"].get("alloc", 0))
        checks.that(baseline["addresses_equal"] <= baseline["addresses_checked"], f"{where}: more equal than checked")
        checks.equal(f"{where}: settings", result["settings"], "expandable_segments:True")
        capacity = simulated["capacity_bytes"]
        for outcome in [recorded, result, *simulated["candidates"]]:
            name = f"{where}, '{outcome['settings']}'"
            checks.equal(f"{name}: capacity", outcome["capacity_bytes"], capacity)
            checks.that(capacity is None or outcome["reserved_peak_bytes"] <= capacity, f"{name}: above the capacity")
            checks.that(outcome["oom"] is None or outcome["oom"]["short_by_bytes"] > 0, f"{name}: short by nothing")
            points = [point["reserved_bytes"] for point in outcome.get("points", [])]
            checks.that(len(points) <= POINTS and max(points, default=0) <= outcome["reserved_peak_bytes"],
                        f"{name}: the curve is higher than its peak")
        first = device["ooms"][0]["event"] if device["ooms"] else None
        checks.equal(f"{where}: OOM of the recorded settings", (recorded["oom"] or {}).get("event"), first)
        if baseline["trusted"] and baseline["states_checked"] > 0:
            checks.equal(f"{where}: reserved peak", baseline["reserved_peak_bytes"],
                         device["peaks"]["reserved"][0]["bytes"])


def check_program(checks, program, path, summary):
    answer = program.json("program", path)
    check_type(checks, f"program {path.name}", answer, contract.PROGRAMS)
    for device, found in zip(summary["devices"], answer["devices"]):
        where = f"{path.name}, device {found['device']}"
        values = {d["name"]: d["value"] for d in found["dimensions"]}
        checks.equal(f"{where}: allocations", sum(s["count"] for s in found["sizes"]), device["allocations"])
        checks.that(len(values) == len(found["dimensions"]), f"{where}: a dimension is stated twice")
        checks.that(all(0 <= d["confidence"] <= 1 for d in found["dimensions"]), f"{where}: a confidence is no share")
        checks.that(all(a["value"] > 0 for d in found["dimensions"] for a in d["alternatives"]), f"{where}: a dimension may be 0")
        checks.that(0 <= found["explained_share"] <= 1.0001, f"{where}: {found['explained_share']} are explained")
        checks.that(values or found["unidentified"], f"{where}: nothing is stated, and not why")
        if "batch" in values:
            checks.equal(f"{where}: tokens", values["batch"] * values["sequence"], values["tokens"])
        for size in found["sizes"]:
            for formula in filter(None, [size["expression"], *size["alternatives"]]):
                names = set(re.findall("[a-z_]+", formula))
                if names <= set(values):
                    checks.equal(f"{where}: {formula}", eval(formula, {}, dict(values)), size["bytes"])
        for model in found["models"]:
            checks.that(model["trainable"] <= model["parameters"], f"{where}: more is trained than there is")


def check_comparison(checks, program, path, other):
    """One file beside itself, and beside the one before it, which is mostly another run altogether."""
    for a, b in [(path, path), (other, path)]:
        answer = program.json("compare", a, b)
        where = f"compare {a.name} {b.name}"
        check_type(checks, where, answer, contract.COMPARISON)
        explained = sum(change["explains_bytes"] for change in answer["changes"])
        delta = answer["b"]["peak_requested_bytes"] - answer["a"]["peak_requested_bytes"]
        compared = answer["compared"]
        checks.equal(f"{where}: difference of the peaks", answer["delta_peak_bytes"], delta)
        checks.equal(f"{where}: sum of the parts", explained + answer["unexplained_bytes"], delta)
        checks.equal(f"{where}: compared", compared["b_bytes"] - compared["a_bytes"], compared["delta_bytes"])
        if len(answer["places"]) < 200:
            checks.equal(f"{where}: places", sum(p["delta_bytes"] for p in answer["places"]), compared["delta_bytes"])
        checks.equal(f"{where}: buckets", sum(row["delta_bytes"] for row in answer["buckets"]), delta)
        if a == b:
            same = not answer["changes"] and all(place["became"] == "equal" for place in answer["places"])
            checks.that(same, f"{where}: a file differs from itself")


def main():
    program, data = harness.Program(sys.argv[1]), harness.data_dir(sys.argv[2])
    checks = harness.Checks()
    before = None
    for path in harness.sampled(harness.snapshot_files(data)):
        summary = program.json("summary", path)
        check_type(checks, f"summary {path.name}", summary, contract.SUMMARY)
        check_timeline(checks, program, path, summary)
        check_allocations(checks, program, path, summary)
        check_labels(checks, program, path, summary)
        check_diagnosis(checks, program, path, summary)
        check_prediction(checks, program, path, summary)
        check_simulation(checks, program, path, summary)
        check_program(checks, program, path, summary)
        if any(device["events"] or device["reserved_end_bytes"] for device in summary["devices"]):
            check_comparison(checks, program, path, before or path)
            before = path
    checks.that(
        contract.complaints(json.loads('{"devices": [{"device": true}]}'), contract.LABELS)
        == [".devices[].allocations: is missing", ".devices[].device: True is not <class 'int'>"],
        "the check of the types itself is broken")
    checks.finish()


main()
