# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_page_data.py TIDEMARK_CLI DATA_DIR EXAMPLE: what a page of a report draws is what the commands say, its size is bounded,
and the same input gives the same bytes."""

import os
import pathlib
import subprocess
import sys
import tempfile

import harness
import hostile
import page_data

MOST_BYTES = 3_000_000


def page_of(program, out, *arguments):
    program.text("report", *arguments, "-o", out)
    return out.read_text(encoding="utf-8")


def check_run(checks, program, path, out):
    """Every state of a short run, and what lives in its moments."""
    data = page_data.of_page(page_of(program, out, path))
    lane = data["lanes"][0]
    events = program.json("summary", path)["devices"][0]["events"]
    points = program.json("timeline", path, "--points", 10 * events)["devices"][0]["points"]
    rows = page_data.columns(lane, len(data["buckets"]))
    checks.equal(f"{path.name}: columns", len(rows), len(points))
    wrong = [point["event"] for row, point in zip(rows, points)
             if row[1] != point["event"] + 1 or row[2] != list(point["buckets"].values()) or row[3] != point["reserved_bytes"] or not row[5]]
    checks.equal(f"{path.name}: states that differ", wrong[:5], [])
    clock = [point["time_us"] for point in points]
    if None not in clock[1:]:
        told = [0, *(time - clock[1] for time in clock[1:]), clock[-1] - clock[1]]
        checks.equal(f"{path.name}: times", page_data.times(lane), told)
    for bit, moment in enumerate(data["moments"]):
        told = program.json("allocations", path, "--at", moment["id"])["devices"][0]
        listed = data["allocations"]
        mine = sorted(size for size, at in zip(listed["size"], listed["at"]) if at >> bit & 1)
        checks.equal(f"{path.name}: {moment['id']}, sizes", mine, sorted(a["requested_bytes"] for a in told["allocations"]))
        checks.equal(f"{path.name}: {moment['id']}, bytes", moment["bytes"], told["found_bytes"])
        calls = program.json("stacks", path, "--at", moment["id"], "--top", 4000)["devices"][0]
        tree = moment["trees"][0]
        checks.equal(f"{path.name}: {moment['id']}, calls", tree["bytes"], [call["bytes"] for call in calls["calls"]])
        checks.equal(f"{path.name}: {moment['id']}, calls left out", tree["left_out"], calls["calls_found"] - len(calls["calls"]))


def check_long(checks, program, folder):
    """A run with many more states than columns: the peak stays exact, all is said, the size is bounded."""
    path, out = folder / "long.pickle", folder / "long.html"
    hostile.write("many_steps", 200_000, path)
    page = page_of(program, out, path)
    data, device = page_data.of_page(page), program.json("summary", path)["devices"][0]
    lane, peak = data["lanes"][0], device["peak"]
    checks.that(device["events"] > 120_000, f"only {device['events']} events")
    checks.that(lane["stride"] > 1, "nothing was reduced")
    checks.that(len(page.encode()) < MOST_BYTES, f"{len(page.encode())} bytes")
    rows = page_data.columns(lane, len(data["buckets"]))
    at_peak = [row for row in rows if row[1] == peak["event"] + 1]
    checks.equal("the peak's column", [row[2] for row in at_peak], [list(peak["buckets"].values())])
    begin, end = lane["exact"][0]
    near = [row[0] for row in rows if begin <= row[0] < end]
    checks.equal("columns near the peak", near, list(range(begin, end)))
    checks.that(all(a[0] < b[0] for a, b in zip(rows, rows[1:])), "columns overlap")
    checks.equal("the ends of the axis", [rows[0][0], data["extent"][1]], [0, device["events"] + 1])
    checks.equal("the end of the trace", rows[-1][5], True)


def check_many_live(checks, program, folder):
    """Of more allocations than a page lists it says how many it leaves out, and their bytes."""
    path = folder / "live.pickle"
    hostile.write("many_annotations", 60_000, path)
    data = page_data.of_page(page_of(program, folder / "live.html", path))
    for bit, moment in enumerate(data["moments"]):
        sizes = [size for size, at in zip(data["allocations"]["size"], data["allocations"]["at"]) if at >> bit & 1]
        checks.equal("listed and left out", len(sizes) + moment["left_out"], moment["count"])
        checks.equal("their bytes", sum(sizes) + moment["left_out_bytes"], moment["bytes"])
        checks.that(moment["left_out"] > 0, "nothing was left out")


def check_pair(checks, program, a, b, folder):
    data = page_data.of_page(page_of(program, folder / "pair.html", a, b))
    for lane, path in zip(data["lanes"], (a, b)):
        peak = program.json("summary", path)["devices"][0]["peak"]
        rows = page_data.columns(lane, len(data["buckets"]))
        checks.equal(f"{path.name}: the peak", [row[2] for row in rows if row[1] == peak["event"] + 1][:1], [list(peak["buckets"].values())])
        checks.equal(f"{path.name}: the end of the axis", rows[-1][0] + 1, data["extent"][1])


def check_same_bytes(checks, program, path, folder):
    """Whatever the place, the time zone and the locale."""
    pages = []
    for k, more in enumerate(({}, {"TZ": "Asia/Tokyo", "LC_ALL": "C", "HOME": "/nonexistent"})):
        out = folder / f"same{k}.html"
        subprocess.run([program.path, "report", str(path), "-o", str(out)], check=True, env={**os.environ, **more})
        pages.append(out.read_bytes())
    checks.that(pages[0] == pages[1], "the same input gives other bytes")


def main():
    program, data, example = harness.Program(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    checks = harness.Checks()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_run(checks, program, example, folder / "run.html")
        check_run(checks, program, harness.modelled_file(data, "conv_train_eval"), folder / "run.html")
        check_pair(checks, program, harness.modelled_file(data, "gpt_train_full"), harness.modelled_file(data, "gpt_oom_backward"), folder)
        check_long(checks, program, folder)
        check_many_live(checks, program, folder)
        check_same_bytes(checks, program, example, folder)
    checks.finish()


if __name__ == "__main__":
    main()
