# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_facts.py TIDEMARK_CLI DATA_DIR: every snapshot opens and is consistent, and its summary agrees with
what was counted otherwise (facts.json of other people's recordings)."""

import collections
import json
import sys

import harness

# Not from a run: its trace and its segments do not belong together.
HANDMADE = "handmade-sample.pickle"


def check_device_facts(checks, name, summary, facts):
    for index, peak in facts.get("peak", {}).items():
        device = harness.by_device(summary, int(index))
        found = {
            "peak_requested": device["peak"]["requested_bytes"],
            "at_event": device["peak"]["event"],
            "end": device["end_requested_bytes"],
            "start": device["start_requested_bytes"],
        }
        for key, value in found.items():
            if key in peak:
                checks.equal(f"{name}: {key} of device {index}", value, peak[key])


def check_facts(checks, name, summary, facts):
    devices = summary["devices"]
    actions = collections.Counter()
    for device in devices:
        actions.update(device["actions"])
    sums = {
        "actions": dict(actions),
        "n_oom": sum(len(device["ooms"]) for device in devices),
        "n_segments": sum(device["segments"] for device in devices),
        "n_blocks": sum(device["blocks"] for device in devices),
        "reserved": sum(device["reserved_end_bytes"] for device in devices),
    }
    if name != HANDMADE:
        sums["seg_requested"] = sum(device["end_requested_bytes"] for device in devices)
    if "trace_entries" in facts:
        checks.equal(f"{name}: events per device", [device["events"] for device in devices], facts["trace_entries"])
    for key, value in sums.items():
        if key in facts:
            checks.equal(f"{name}: {key}", value, facts[key])
    check_device_facts(checks, name, summary, facts)


def check_logged_peak(checks, name, summary, facts):
    """What the run itself printed as max_memory_allocated: block sizes, in GiB with two decimals."""
    logged = (facts.get("ground_truth") or {}).get("peak_check", {}).get("log_peak_GiB")
    if logged is None:
        return
    peak = summary["devices"][0]["peak"]
    low = peak["block_bytes"] / 2**30
    high = peak.get("block_bytes_high", peak["block_bytes"]) / 2**30
    checks.that(low - 0.005 <= logged <= high + 0.005, f"{name}: {logged} GiB is not in {low:.3f} to {high:.3f}")
    checks.that(peak["block_bytes_exact"], f"{name}: the block sizes at the peak are not exact")


def check_consistency(checks, name, summary):
    violations = sum(device["consistency"]["violations"] for device in summary["devices"])
    if name == HANDMADE:
        checks.that(violations > 0, f"{name}: no violation is reported")
        checks.that(
            any(note["code"] == "segment-size-mismatch" for note in summary["notes"]), f"{name}: no note about it")
        return
    checks.equal(f"{name}: violations", violations, 0)
    for device in summary["devices"]:
        checks.that(device["consistency"]["end_matches_segments"], f"{name}: the end is not what the segments hold")
        checks.equal(f"{name}: block sizes that the allocator's rules do not give",
                     device["consistency"]["block_size_contradictions"], 0)


def main():
    program, data = harness.Program(sys.argv[1]), harness.data_dir(sys.argv[2])
    all_facts = json.loads((data / "real/facts.json").read_text(encoding="utf-8")) if harness.is_of_others() else {}
    checks = harness.Checks()
    files = harness.snapshot_files(data)
    for path in files:
        summary = program.json("summary", path)
        checks.equal("file", summary["file"], str(path))
        check_consistency(checks, path.name, summary)
        if path.name in all_facts:
            check_facts(checks, path.name, summary, all_facts[path.name]["facts"])
            check_logged_peak(checks, path.name, summary, all_facts[path.name]["facts"])
    checks.finish()


main()
