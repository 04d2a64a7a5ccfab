# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_ranks_xargs.py TIDEMARK_CLI JOBS...: what docs/ranks.md tells people with many dumps to do, side by side with xargs: the
summaries beside the dumps, and alone, give the answer that the dumps give."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import contract
import harness
import same_ranks

MOST_BYTES = 200_000
SUMMARIZE = """find . -name '*.pickle.xz' -print0 |
    xargs -0 -P 2 -I{} sh -c '"$0" summary --json --for-ranks "$1" > "$1.summary.json"' "$0" {}"""


def answer(checks, program, folder):
    """What `ranks` says of a folder, and its exit code, without looking at the dumps again."""
    done = program.run("ranks", "--json", "--no-compare", folder)
    checks.that(done.returncode in (0, 1), f"{folder}: ended with {done.returncode}: {done.stderr.strip()}")
    found = json.loads(done.stdout)
    checks.equal(f"{folder}: type", contract.complaints(found, contract.RANKS), [])
    checks.equal(f"{folder}: exit code", done.returncode, int(any(row["oom"] for row in found["ranks"])))
    return found


def check_job(checks, program, job, scratch):
    direct = answer(checks, program, job)
    checks.that(all(row["error"] is None for row in direct["ranks"]), f"{job.name}: a dump was not read")
    folder = scratch / job.name
    shutil.copytree(job, folder)
    subprocess.run(["sh", "-c", SUMMARIZE, program.path], cwd=folder, check=True)
    dumps = sorted(folder.rglob("*.pickle.xz"))
    summaries = sorted(folder.rglob("*.summary.json"))
    checks.equal(f"{job.name}: summaries", len(summaries), len(dumps))
    for summary in summaries:
        checks.that(summary.stat().st_size <= MOST_BYTES, f"{summary.name}: {summary.stat().st_size} bytes")
    checks.equal(f"{job.name}: beside the dumps", same_ranks.differences(direct, answer(checks, program, folder)), [])
    for dump in dumps:
        dump.unlink()
    checks.equal(f"{job.name}: alone", same_ranks.differences(direct, answer(checks, program, folder)), [])


def main():
    checks = harness.Checks()
    program = harness.Program(str(pathlib.Path(sys.argv[1]).resolve()))
    with tempfile.TemporaryDirectory() as scratch:
        for job in sys.argv[2:]:
            check_job(checks, program, pathlib.Path(job), pathlib.Path(scratch))
    checks.finish()


if __name__ == "__main__":
    main()
