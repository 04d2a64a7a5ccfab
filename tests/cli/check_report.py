# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_report.py TIDEMARK_CLI DATA_DIR: reports of every snapshot, in every format."""

import base64
import csv
import hashlib
import json
import pathlib
import re
import sys
import tempfile
import xml.etree.ElementTree

import contract
import harness

SVG = "{http://www.w3.org/2000/svg}"
SECTIONS = (
    "Verdict", "Timeline", "What filled memory", "Their stacks", "Fixes, cheapest first", "Why and how", "File")


def texts(element):
    return " ".join(" ".join(element.itertext()).split())


def check_policy(checks, name, page):
    """Nothing but the page's own style and script is allowed, by their hashes."""
    def hash_of(tag):
        content = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        return f"{tag}-src 'sha256-{base64.b64encode(hashlib.sha256(content[1].encode()).digest()).decode()}'" if content else ""

    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1].split("; ")
    allowed = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", hash_of("style"), hash_of("script")]
    checks.equal(f"{name}: policy", policy, [part for part in allowed if part])


def check_page(checks, name, page):
    """A page is well-formed, and needs nothing from anywhere. Returns what it says without its script."""
    check_policy(checks, name, page)
    root = xml.etree.ElementTree.fromstring(page)
    scripts = root.findall("body/script")
    checks.that(len(scripts) in (0, 2), f"{name}: {len(scripts)} scripts")
    for script in scripts:
        root.find("body").remove(script)
    used = {element.tag.removeprefix(SVG) for element in root.iter()}
    checks.that(not used & {"script", "link", "img", "iframe", "object", "a"}, f"{name}: uses {used}")
    for element in root.iter():
        checks.that("style" not in element.attrib, f"{name}: the policy forbids the style of {element.tag}")
        for key, value in element.attrib.items():
            checks.that(
                ("//" not in value or "http-equiv" in element.attrib) and not re.search(r"url\((?!#)", value), f"{name}: {key}={value!r} leads outside")
            checks.that(not key.startswith("on"), f"{name}: has {key}")
    style = texts(root.find("head/style"))
    checks.that("url(" not in style and "@import" not in style, f"{name}: the style leads outside")
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    checks.equal(f"{name}: ids", len(ids), len(set(ids)))
    return root


def check_html(checks, program, path, out, summary):
    program.text("report", path, "-o", out)
    root = check_page(checks, path.name, out.read_text(encoding="utf-8"))
    titles = [texts(title) for title in root.iter("h2")]
    checks.that("Verdict" in titles and "File" in titles, f"{path.name}: sections {titles}")
    checks.equal(f"{path.name}: notes", "Input notes" in titles, bool(summary["notes"]))
    if any(device["events"] or device["segments"] for device in summary["devices"]):
        checks.equal(f"{path.name}: drawings", len(list(root.iter(SVG + "svg"))), 1)
        checks.that(texts(root.find(".//p[@class='lead']")), f"{path.name}: no verdict")
    for note in summary["notes"]:
        checks.that(note["code"] in texts(root), f"{path.name}: the note {note['code']} is missing")


def check_markdown(checks, program, path, out, summary):
    program.text("report", path, "-o", out)
    lines = out.read_text(encoding="utf-8").splitlines()
    checks.that(lines[0].startswith("# Memory report: "), f"{path.name}: begins with {lines[0]!r}")
    checks.that("## Verdict" in lines, f"{path.name}: no verdict in Markdown")
    for first, second in zip(lines, lines[1:]):
        if first.startswith("|") and second.startswith("|"):
            cells = [len(re.findall(r"(?<!\\)\|", line)) for line in (first, second)]
            checks.equal(f"{path.name}: cells of {first!r}", cells[1], cells[0])


def check_json(checks, program, path, out, summary):
    program.text("report", path, "-o", out)
    report = json.loads(out.read_text(encoding="utf-8"))["report"]
    checks.equal(f"{path.name}: summary", report["summary"], summary)
    for diagnosis in report["diagnoses"]:
        checks.equal(f"{path.name}: diagnosis", contract.complaints(diagnosis, contract.DIAGNOSIS), [])
    checks.equal(
        f"{path.name}: allocations",
        contract.complaints({"devices": report["largest_allocations"]}, contract.ALLOCATIONS), [])


def check_csv(checks, program, path, out, summary):
    program.text("report", path, "-o", out)
    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    checks.equal(f"{path.name}: rows", len(rows), sum(device["allocations"] for device in summary["devices"]))
    alive = sum(int(row["requested_bytes"]) for row in rows if not row["free_event"])
    checks.equal(f"{path.name}: alive", alive, sum(device["end_requested_bytes"] for device in summary["devices"]))
    checks.that(all(row["bucket"] in contract.BUCKETS for row in rows), f"{path.name}: a row without a bucket")


def check_tables(checks, program, path):
    """As CSV each table of the page is a file beside the list."""
    with tempfile.TemporaryDirectory() as name:
        out = pathlib.Path(name) / "run.csv"
        for _ in range(2):  # Once more, over what is there.
            program.text("report", path, "-o", out)
        tables = {}
        for file in out.parent.glob("run.*.csv"):
            with file.open(newline="", encoding="utf-8") as lines:
                tables[file.name.split(".")[1]] = list(csv.reader(lines))
        program.text("report", path, "-o", out.with_suffix(".md"))
        page = out.with_suffix(".md").read_text(encoding="utf-8")
    heads = [line for line in page.splitlines() if re.fullmatch(r"\|(?: -+:? \|)+", line)]
    checks.equal("tables", len(tables), len(heads))
    checks.equal("rows", sum(len(table) - 1 for table in tables.values()),
                 sum(line.startswith("| ") for line in page.splitlines()) - 2 * len(heads))
    for name, table in tables.items():
        checks.equal(f"fields of {name}", {len(row) for row in table}, {len(table[0])})
    checks.that("Fix" in tables["fixes"][0], f"the table of fixes begins with {tables['fixes'][0]}")


def check_stranger_can_read(checks, program, path, out):
    """Everything that a report promises is in that of a run that died."""
    program.text("report", path, "-o", out)
    root = check_page(checks, path.name, out.read_text(encoding="utf-8"))
    titles = [texts(title) for title in root.iter("h2")]
    for section in SECTIONS:
        checks.that(section in titles, f"the section {section!r} is missing")
    whole = texts(root)
    for words in ("out of memory: 1.00 GiB requested, 0.35 GiB free", "peak 10.1 GiB", "scenes.py:87", "Before the OOM"):
        checks.that(words in whole, f"the report does not say {words!r}")


def check_comparison(checks, program, a, b, folder):
    for ending in ("html", "md", "json"):
        program.text("report", a, b, "-o", folder / f"compared.{ending}")
    page = (folder / "compared.html").read_text(encoding="utf-8")
    root = check_page(checks, "comparison", page)
    checks.equal("drawings of a comparison", len(list(root.iter(SVG + "svg"))), 1)
    program.text("report", a, b, "-o", folder / "with_single.html", "--single-reports")
    whole = check_page(checks, "with single reports", (folder / "with_single.html").read_text(encoding="utf-8"))
    checks.equal("drawings with single reports", len(list(whole.iter(SVG + "svg"))), 3)
    titles = [texts(title) for title in whole.iter("h2")]
    checks.equal("the answer comes first", titles[0], "What differs")
    for letter in "AB":
        checks.that(f"{letter} · Verdict" in titles, f"no verdict of {letter}")
    comparison = json.loads((folder / "compared.json").read_text(encoding="utf-8"))["comparison"]
    for side, path in (("a", a), ("b", b)):
        peak = program.json("summary", path)["devices"][0]["peak"]
        checks.equal(f"peak of {side}", comparison[side]["peak_requested_bytes"], peak["requested_bytes"])
        for row in comparison["buckets"]:
            checks.equal(f"{row['bucket']} of {side}", row[f"{side}_bytes"], peak["buckets"][row["bucket"]])
            checks.equal(f"{row['bucket']}", row["delta_bytes"], row["b_bytes"] - row["a_bytes"])
    checks.that(comparison["sentence"] in texts(root), "the page lacks the sentence")
    escaped = b.name.replace("_", r"\_")
    checks.that(escaped in (folder / "compared.md").read_text(encoding="utf-8"), "the second file has no name")


def check_finding(checks, program, path, diagnosis):
    """What `-o -` prints fits into an issue, and says what the diagnosis does."""
    finding = program.text("report", path, "-o", "-")
    checks.that(finding.count("\n") <= 25, f"{path.name}: the finding has {finding.count(chr(10))} lines")
    checks.equal(f"{path.name}: the finding's headline", plain(finding.splitlines()[0]), f"**{diagnosis['headline']}**")
    for wrong in ([path, path], [path, "--json"]):
        checks.equal("a finding of two, or as JSON", program.run("report", *wrong, "-o", "-").returncode, 2)


def check_sections(checks, program, path, folder):
    """Only what is asked for, in the report's order; a page without its timeline needs no script."""
    for ending, mark in (("html", "<h2>"), ("md", "## ")):
        out = folder / f"some.{ending}"
        program.text("report", path, "-o", out, "--sections", "fixes,verdict")
        titles = re.findall(rf"^{mark}([^<\n]*)", out.read_text(encoding="utf-8"), re.MULTILINE)
        checks.equal(f"sections of {ending}", titles, ["Verdict", "Fixes, cheapest first"])
    checks.that("<script" not in (folder / "some.html").read_text(encoding="utf-8"), "a script without anything to draw")
    for wrong in (["a.html", "--sections", "fixes,none"], ["a.json", "--sections", "fixes"]):
        checks.equal(f"{wrong}", program.run("report", path, "-o", folder / wrong[0], *wrong[1:]).returncode, 2)


def plain(markdown):
    """Without the escapes."""
    return re.sub(r"\\(.)", r"\1", markdown)


def main():
    program, data = harness.Program(sys.argv[1]), harness.data_dir(sys.argv[2])
    checks = harness.Checks()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in harness.sampled(harness.snapshot_files(data)):
            summary = program.json("summary", path)
            check_html(checks, program, path, folder / "out.html", summary)
            check_markdown(checks, program, path, folder / "out.md", summary)
            check_json(checks, program, path, folder / "out.json", summary)
            check_csv(checks, program, path, folder / "out.csv", summary)
        if not harness.is_of_others():
            died, lived = (harness.modelled_file(data, name) for name in ("gpt_oom_backward", "gpt_train_full"))
            check_sections(checks, program, died, folder)
            check_finding(checks, program, died, program.json("diagnose", died))
            check_stranger_can_read(checks, program, died, folder / "out.HTML")
            check_tables(checks, program, died)
            check_comparison(checks, program, lived, died, folder)
        checks.that(not list(folder.glob("*.part")), "an unfinished file was left behind")
    checks.finish()


if __name__ == "__main__":
    main()
