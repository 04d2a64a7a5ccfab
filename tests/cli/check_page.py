# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_page.py TIDEMARK_CLI DATA_DIR EXAMPLE: a page of a report in Chromium without a network, by real mouse and key events; its
figures are those of the commands."""

import json
import pathlib
import pickle
import re
import subprocess
import sys
import tempfile

import browser
import harness
import hostile
import page_data
from hostile_trace import BASE, MIB, Trace, frame, snapshot

LEFT, LEFT_OF_PAIR, RIGHT = 66, 84, 14  # Beside the plot in the drawing of one run, and of two.
SLOWEST_MS = 1_000 * (3 if harness.slack() else 1)
HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>\u2028]]>{}"


def figures(page, column=0):
    """Bytes per bucket and sum beside the timeline."""
    return page.run("Object.fromEntries([...document.querySelectorAll('.now tr')].filter(r => r.cells[1]?.dataset.bytes).map(r =>"
                    f" [r.querySelector('button')?.dataset.bucket ?? r.cells[0].textContent, Number(r.cells[{column + 1}].dataset.bytes)]))")


def part_of(page, event, last):
    """Where in the drawing's width the state after an event is."""
    begin, end = (float(x) for x in page.run("document.querySelector('canvas.timeline').dataset.range").split())
    width = page.box("canvas.timeline")["w"]
    return (LEFT + (event + 1.5 - begin) / (end - begin) * (width - LEFT - RIGHT)) / width


def equal_buckets(checks, what, shown, told):
    checks.equal(what, {b: v for b, v in shown.items() if b in told}, {b: v for b, v in told.items() if b in shown})
    checks.equal(f"{what}: sum", shown["Total"], sum(told.values()))


def check_timeline(checks, page, device):
    oom, peak = device["ooms"][-1], device["peak"]
    equal_buckets(checks, "at the OOM", figures(page), oom["buckets"])
    page.key("p")
    equal_buckets(checks, "at the peak", figures(page), peak["buckets"])
    checks.equal("reserved at the peak", figures(page)["Reserved"], peak["reserved_bytes"])
    page.hover("canvas.timeline", part_of(page, peak["event"], device["events"]), 0.4)
    page.wheel("canvas.timeline", -2400, part_of(page, peak["event"], device["events"]), 0.4)
    begin, end = (float(x) for x in page.run("document.querySelector('canvas.timeline').dataset.range").split())
    checks.that(end - begin < device["events"] / 4 and begin <= peak["event"] <= end, f"zoomed to {begin} to {end}")
    page.hover("canvas.timeline", part_of(page, peak["event"], device["events"]), 0.4)
    checks.that(page.text(".when").startswith(f"event {peak['event']}"), f"the cursor is at {page.text('.when')!r}")
    equal_buckets(checks, "under the mouse", figures(page), peak["buckets"])
    page.click("canvas.timeline", part_of(page, peak["event"], device["events"]), 0.4)
    page.key("ArrowRight")
    checks.that(page.text(".when").startswith("event "), "a key does not move the cursor")
    page.mouse("mouseMoved", 5, 5)
    page.settle()
    checks.that(not page.text(".when").startswith(f"event {peak['event']} "), "a key does not move the cursor")
    page.key("Escape")
    checks.equal("Escape shows all", page.run("document.querySelector('canvas.timeline').dataset.range"), f"0 {device['events'] + 1}")
    before = figures(page)
    page.click("button[data-bucket=activation]")
    checks.equal("a band that is off", page.run("document.querySelector('button[data-bucket=activation]').ariaPressed"), "false")
    checks.equal("the sum without it", figures(page)["Total"], before["Total"] - before["activation"])
    page.click("button[data-bucket=activation]")
    checks.equal("the sum with it", figures(page), before)


def range_of(page):
    return [float(x) for x in page.run("document.querySelector('canvas.timeline').dataset.range").split()]


def check_axis(checks, page, device, path):
    """Time beside events: the same states at the same moments."""
    events = pickle.loads(pathlib.Path(path).read_bytes())["device_traces"][device["device"]]
    times = [event["time_us"] - events[0]["time_us"] for event in events]
    page.key("p")
    page.key("x")
    checks.equal("all of the time", range_of(page), [0, max(times)])
    equal_buckets(checks, "at the peak on the time axis", figures(page), device["peak"]["buckets"])
    at = times[device["peak"]["event"]]
    checks.that(page.text(".when").startswith(f"event {device['peak']['event']} · {at / 1000:.3f} ms"), f"the cursor is at {page.text('.when')!r}")
    width = page.box("canvas.timeline")["w"]
    part = (LEFT + (at + 0.5) / max(times) * (width - LEFT - RIGHT)) / width
    page.wheel("canvas.timeline", -2400, part, 0.4)
    begin, end = range_of(page)
    checks.that(end - begin < max(times) / 4 and begin <= at <= end, f"zoomed to {begin} to {end} µs")
    page.key("x")
    begin, end = range_of(page)
    checks.that(begin <= device["peak"]["event"] + 1 <= end and end - begin < device["events"], f"of the events {begin} to {end} are left")
    page.mouse("mouseMoved", 5, 5)
    page.settle()
    equal_buckets(checks, "at the peak again", figures(page), device["peak"]["buckets"])
    page.key("Escape")
    checks.equal("all events", range_of(page), [0, device["events"] + 1])


def check_devices(checks, page, program, folder):
    """Each device of a file has its timeline and its lists."""
    traces = []
    for index, blocks in enumerate((3, 5, 2)):
        trace = Trace(index)
        trace.event("segment_alloc", BASE, 20 * MIB, [frame("main", "/home/user/train.py", 7)])
        for k in range(blocks):
            trace.alloc(BASE + 4 * MIB * k, 4 * MIB, [frame(f"work{index}", "/home/user/train.py", 10 + k)])
        trace.segment(BASE, 20 * MIB, [(4 * MIB, [])] * blocks + [(4 * MIB, None)] * (5 - blocks))
        traces.append(trace)
    path = folder / "devices.pickle"
    path.write_bytes(pickle.dumps(snapshot(*traces), protocol=4))
    program.text("report", path, "-o", folder / "devices.html")
    page.open(folder / "devices.html")
    told = {device["device"]: device["peak"] for device in program.json("summary", path)["devices"]}
    checks.equal("devices", page.run("[...document.querySelectorAll('select.device option')].map(o => o.textContent)"), ["GPU 1", "GPU 0", "GPU 2"])
    page.key("2")
    for index in (1, 0, 2, 1):
        name = page.run("(select => select.options[select.selectedIndex].text)(document.querySelector('select.device'))")
        checks.equal("the device", name, f"GPU {index}")
        equal_buckets(checks, f"the peak of GPU {index}", figures(page), told[index]["buckets"])
        rows = page.run("[...document.querySelectorAll('.list td.where')].map(cell => cell.textContent)")
        checks.equal(f"allocations of GPU {index}", len(rows), told[index]["requested_bytes"] // (4 * MIB))
        checks.that(all(f"work{index}" in row for row in rows), f"GPU {index} lists {rows}")
        checks.equal("the tab stays", page.run("document.querySelector('#tab-allocations').ariaSelected"), "true")
        page.key("d")
    checks.equal("complaints of several devices", page.complaints(), [])


def check_lists(checks, page, program, path):
    told = program.json("allocations", path, "--at", "oom")["devices"][0]
    page.key("o")
    page.click("#tab-allocations")
    shown = page.text("#panel-allocations [role=status]")
    checks.that(shown.startswith(f"{told['found']} of {told['found']} allocations"), f"the list says {shown!r}")
    sizes = "[...document.querySelectorAll('.list tr[data-row] td.size')].map(cell => Number(cell.title.replace(/\\D/g, '')))"
    largest = sorted((a["requested_bytes"] for a in told["allocations"]), reverse=True)
    checks.equal("sizes, largest first", page.run(sizes), largest[:200])
    page.click("th[data-key=size] button")
    checks.equal("sizes, smallest first", page.run(sizes), largest[::-1][:200])
    page.click("th[data-key=size] button")
    page.click("#panel-allocations input[type=search]")
    page.type("softmax >1mib")
    wanted = [a["requested_bytes"] for a in told["allocations"] if a["requested_bytes"] > MIB
              and "softmax" in " ".join(f["name"] for f in a["stack"])]
    checks.equal("filtered", page.run(sizes), sorted(wanted, reverse=True))
    page.key("Escape")
    checks.equal("a filter that is gone", len(page.run(sizes)), min(200, told["found"]))
    page.click(".list tr[data-row]")
    first = max(told["allocations"], key=lambda a: a["requested_bytes"])
    frames = page.run("[...document.querySelectorAll('.detail .own')].map(line => line.textContent)")
    checks.that(frames and frames[0] == first["where"], f"own lines {frames}, expected {first['where']} first")
    page.click("canvas.map", 0.02, 0.1)
    checks.equal("chosen by its picture", page.run("document.querySelectorAll('tr.chosen').length"), 0)  # It was chosen already.
    page.click("#tab-stacks")
    top = program.json("stacks", path, "--at", "oom", "--top", 3)["devices"][0]["calls"]
    page.hover("canvas.icicle", 0.1, 0.05)
    checks.equal("the outermost call", page.text(".tip .first"), top[0]["name"])
    page.click("canvas.icicle", 0.1, 0.05)
    checks.that(top[0]["name"] in page.text(".path"), f"zoomed to {page.text('.path')!r}")
    page.key("Escape")
    checks.equal("all calls", page.text(".path"), "Everything")
    page.click("label.check")
    checks.that(page.run("document.querySelector('#libraries').checked"), "no library frames")


def check_looks(checks, page, folder):
    background = "getComputedStyle(document.querySelector('.card')).backgroundColor"
    light = page.run(background)
    page.click("button.theme")
    page.click("button.theme")
    checks.that(page.run(background) != light, "no dark theme")
    page.click("button.theme")
    page.key("?")
    checks.that(page.run("document.querySelector('dialog').open"), "no list of keys")
    page.key("Escape")
    page.click("#tab-fixes")
    checks.that(page.run("document.querySelector('#panel-fixes pre').checkVisibility()"), "no lines of a fix")
    for width in (1440, 700):
        page.resize(width, 900)
        page.settle()
        wide = page.run("document.documentElement.scrollWidth")
        checks.that(wide <= width, f"at {width} px the page is {wide} px wide")
    page.resize(1440, 900)
    for name, size in (("A4", (8.27, 11.69)), ("Letter", (8.5, 11))):
        page.pdf(folder / "page.pdf", paperWidth=size[0], paperHeight=size[1])
        printed = subprocess.run(["pdftotext", "-layout", folder / "page.pdf", "-"], capture_output=True, text=True, check=True).stdout
        for words in ("Verdict", "Timeline", "Fixes, cheapest first", "Why and how"):
            checks.that(words in printed, f"{name}: {words!r} is not printed")
        checks.that(2 <= printed.count("\f") <= 9, f"{name}: {printed.count(chr(12))} pages")
        checks.that("Theme" not in printed and "Filter" not in printed, f"{name}: controls are printed")


def check_without_scripts(checks, page, path):
    page.allow_scripts(False)
    page.open(path)
    seen = page.run("[...document.querySelectorAll('h2, svg, .lead')].filter(e => e.checkVisibility()).map(e => e.tagName).join()")
    checks.that("svg" in seen and seen.count("H2") > 6, f"without scripts one sees {seen}")
    checks.that(page.run("document.querySelector('canvas')") is None, "a script ran")
    page.allow_scripts(True)


def write_hostile(path):
    """Every name that a file brings is one that would like to be mark-up."""
    trace = Trace()
    frames = [frame(HOSTILE, f"/home/{HOSTILE}.py", 3), frame("main", "/home/user/train.py", 7)]
    trace.event("segment_alloc", BASE, 20 * MIB, frames)
    for k in range(4):
        trace.alloc(BASE + 4 * MIB * k, 4 * MIB, frames)
    trace.oom(64 * MIB, MIB, frames)
    trace.segment(BASE, 20 * MIB, [(4 * MIB, frames)] * 4 + [(4 * MIB, None)])
    path.write_bytes(pickle.dumps(snapshot(trace), protocol=4))


def check_hostile(checks, page, program, folder):
    path = folder / "<img src=x onerror=window.hacked=1>.pickle"
    write_hostile(path)
    out = folder / "hostile.html"
    program.text("report", path, "-o", out)
    page.open(out)
    page.key("2")
    page.click(".list tr[data-row]")
    checks.that("onerror=window.hacked=1" in page.text(".list"), "the name is not shown")
    page.key("3")
    page.hover("canvas.icicle", 0.5, 0.05)
    checks.that(page.run("window.hacked") is None, "a name from the file ran")
    checks.equal("pictures", page.run("document.images.length"), 0)
    checks.equal("scripts", page.run("document.scripts.length"), 0)  # Both were taken off the page that is shown.
    checks.equal("complaints of the hostile file", page.complaints(), [])


def check_pair(checks, page, program, a, b, folder):
    program.text("report", a, b, "-o", folder / "pair.html")
    page.open(folder / "pair.html")
    data = page_data.of_page((folder / "pair.html").read_text(encoding="utf-8"))
    lane = data["lanes"][1]
    width = page.box("canvas.timeline")["w"]
    part = (LEFT_OF_PAIR + (lane["peak"]["x"] + 0.5) / data["extent"][1] * (width - LEFT_OF_PAIR - RIGHT)) / width
    page.hover("canvas.timeline", part, 0.1)
    shown = [figures(page, column) for column in range(3)]
    equal_buckets(checks, "B at its peak", shown[1], program.json("summary", b)["devices"][0]["peak"]["buckets"])
    checks.equal("the difference", {k: v for k, v in shown[2].items()}, {k: shown[1][k] - shown[0][k] for k in shown[2]})
    checks.equal("complaints of two runs", page.complaints(), [])


def check_job(checks, page, program, job, folder):
    program.text("report", job, "-o", folder / "job.html")
    page.open(folder / "job.html")
    ranks = json.loads(program.run("ranks", "--json", job).stdout)["ranks"]
    page.hover("canvas.timeline", 0.6, 0.2)
    names = page.run("[...document.querySelectorAll('.now tr:has(td) th')].map(cell => cell.textContent)")
    checks.equal("ranks beside the timeline", names, [f"rank {rank}" for rank in sorted({rank["rank"] for rank in ranks})])
    checks.that(all(page.run("[...document.querySelectorAll('.now td')].map(cell => Number(cell.dataset.bytes))")), "a rank without bytes")
    checks.equal("complaints of a job", page.complaints(), [])


def check_some(checks, page, program, path, folder):
    """A page of some sections has no empty tab."""
    program.text("report", path, "-o", folder / "some.html", "--sections", "verdict,timeline")
    page.open(folder / "some.html")
    checks.equal("tabs", page.run("[...document.querySelectorAll('[role=tab]')].map(tab => tab.id)"), ["tab-allocations", "tab-stacks"])


def check_paper(checks, page, program, path, folder):
    """A page is printed on the paper it was written for."""
    for paper, size in (("a4", "595 x 842"), ("letter", "612 x 792")):
        program.text("report", path, "-o", folder / "paper.html", "--paper", paper)
        page.open(folder / "paper.html")
        page.pdf(folder / "paper.pdf", preferCSSPageSize=True)
        facts = subprocess.run(["pdfinfo", folder / "paper.pdf"], capture_output=True, text=True, check=True).stdout
        shown = re.search(r"Page size: +([0-9.]+) x ([0-9.]+)", facts)
        checks.equal(f"paper {paper}", f"{float(shown[1]):.0f} x {float(shown[2]):.0f}", size)
        checks.equal(f"complaints on {paper}", page.complaints(), [])


def check_german(checks, page, program, path, folder):
    program.text("report", path, "-o", folder / "deutsch.html", "--language", "de")
    page.open(folder / "deutsch.html")
    checks.equal("the language", page.run("document.documentElement.lang"), "de")
    checks.equal("a tab", page.text("#tab-allocations"), "Allokationen")
    checks.that(re.search(r"\d,\d+ GiB", page.text(".now")), f"no decimal comma in {page.text('.now')!r}")


def main():
    if browser.PROGRAM is None:
        print("there is no Chromium")
        sys.exit(harness.SKIPPED)
    program, data, example = harness.Program(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    checks = harness.Checks()
    with tempfile.TemporaryDirectory() as name, browser.Browser() as page:
        folder = pathlib.Path(name)
        program.text("report", example, "-o", folder / "run.html")
        page.open(folder / "run.html")
        check_timeline(checks, page, program.json("summary", example)["devices"][0])
        check_axis(checks, page, program.json("summary", example)["devices"][0], example)
        check_lists(checks, page, program, example)
        check_looks(checks, page, folder)
        checks.equal("complaints", page.complaints(), [])
        check_without_scripts(checks, page, folder / "run.html")
        check_hostile(checks, page, program, folder)
        check_devices(checks, page, program, folder)
        check_pair(checks, page, program, harness.modelled_file(data, "gpt_train_full"), harness.modelled_file(data, "gpt_oom_backward"), folder)
        check_job(checks, page, program, data / "gpu/jobs/ddp_captured", folder)
        check_some(checks, page, program, example, folder)
        check_german(checks, page, program, example, folder)
        check_paper(checks, page, program, example, folder)
        hostile.write("many_steps", 200_000, folder / "long.pickle")
        program.text("report", folder / "long.pickle", "-o", folder / "long.html")
        page.open(folder / "long.html")
        opened = int(page.run("document.documentElement.dataset.ready"))
        checks.that(opened < SLOWEST_MS, f"a long run opens in {opened} ms")
        checks.that("columns of" in page.text(".note"), "a reduced run does not say so")
    checks.finish()


if __name__ == "__main__":
    main()
