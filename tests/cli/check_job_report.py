# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_job_report.py TIDEMARK_CLI JOB: the report of a job's folder, files and manifest in every format."""

import csv
import json
import pathlib
import sys
import tempfile

import check_report
import contract
import harness


def check_formats(checks, program, named, folder, ranks):
    """All formats say what `ranks` says."""
    out = folder / "job.html"
    program.text("report", *named, "-o", out)
    root = check_report.check_page(checks, "page", out.read_text(encoding="utf-8"))
    checks.that(ranks["sentence"] in check_report.texts(root), "the page lacks the answer")
    checks.equal("drawings", len(list(root.iter(check_report.SVG + "svg"))), 1)
    out = folder / "job.md"
    program.text("report", *named, "-o", out)
    markdown = out.read_text(encoding="utf-8")
    checks.that(markdown.startswith("# Memory report: Job of "), f"Markdown begins with {markdown[:40]!r}")
    out = folder / "job.json"
    program.text("report", *named, "-o", out)
    report = json.loads(out.read_text(encoding="utf-8"))["report"]
    checks.equal("type of the JSON", contract.complaints(report, contract.RANKS), [])
    checks.equal("the JSON", report, ranks)
    out = folder / "job.csv"
    program.text("report", *named, "-o", out)
    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    checks.equal("rows", len(rows), len(ranks["ranks"]))
    for row, expected in zip(rows, ranks["ranks"]):
        for column in ("file", "peak_requested_bytes", "reserved_bytes"):
            checks.equal(f"{expected['file']}: {column}", row[column], str(expected[column]))
        checks.equal(f"{expected['file']}: buckets", {b: int(row[f"{b}_bytes"]) for b in contract.BUCKETS},
                     expected["buckets"])


def ranks_of(checks, program, *named):
    done = program.run("ranks", "--json", *named)
    checks.that(done.returncode in (0, 1), f"ranks ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def main():
    checks = harness.Checks()
    program = harness.Program(sys.argv[1])
    job = pathlib.Path(sys.argv[2]).resolve()
    dumps = sorted(job.rglob("*.pickle.xz"))
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        manifest = folder / "named.json"
        manifest.write_text(json.dumps({"tidemark-job": 1, "ranks": [
            {"file": str(dump), "rank": number} for number, dump in enumerate(dumps)]}), encoding="utf-8")
        for named in ([job], dumps, [manifest]):
            check_formats(checks, program, named, folder, ranks_of(checks, program, *named))
        screen = program.run("ranks", job).stdout
        checks.that(screen.count("\n") <= 24, f"{screen.count(chr(10))} lines of text")
        for wrong in (["-o", folder / "job.pdf"], ["-o", folder / "job.html", "--reader", "none"]):
            done = program.run("report", job, *wrong)
            checks.equal(f"report {wrong}: exit code", done.returncode, 2)
            checks.equal(f"report {wrong}: lines", done.stderr.count("\n"), 1)
        empty = folder / "empty"
        empty.mkdir()
        checks.equal("an empty folder", program.run("report", empty, "-o", folder / "none.html").returncode, 2)
        checks.that(not (folder / "none.html").exists(), "a report of nothing was written")
    checks.finish()


if __name__ == "__main__":
    main()
