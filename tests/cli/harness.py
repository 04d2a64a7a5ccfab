# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""What the tests of tidemark-cli share: calling it, the data folder, counting complaints."""

import json
import os
import pathlib
import subprocess
import sys

SKIPPED = 77


class Program:
    """tidemark-cli. Every call must end without an internal error."""

    def __init__(self, path):
        self.path = path

    def run(self, *arguments, stdin=None):
        return subprocess.run(
            [self.path, *map(str, arguments)],
            input=stdin, capture_output=True, text=True, encoding="utf-8", timeout=240, check=False)

    def text(self, *arguments):
        done = self.run(*arguments)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(map(str, arguments))} ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def json(self, command, *arguments):
        printed = self.text(command, "--json", *arguments)
        assert printed.count("\n") == 1, f"{command} --json printed {printed.count(chr(10))} lines"
        return json.loads(printed, parse_constant=refuse_constant)


def refuse_constant(name):
    raise AssertionError(f"{name} is no JSON")


class Checks:
    """Collects what is wrong, so that one run shows all of it."""

    def __init__(self):
        self.count = 0
        self.complaints = []

    def that(self, holds, complaint):
        self.count += 1
        if not holds:
            self.complaints.append(complaint)

    def equal(self, what, actual, expected):
        self.that(actual == expected, f"{what}: {actual!r}, expected {expected!r}")

    def finish(self):
        if self.count == 0:
            self.complaints.append("nothing was checked")
        print("\n".join(self.complaints) or f"{self.count} checks passed")
        sys.exit(1 if self.complaints else 0)


def data_dir(argument):
    """The data folder: the environment variable, else the argument. Without snapshots the test is skipped."""
    folder = pathlib.Path(os.environ.get("TIDEMARK_DATA_DIR") or argument)
    if not (folder / "snapshots").is_dir():
        print(f"the test data folder {folder} is missing; set TIDEMARK_DATA_DIR to it")
        sys.exit(1 if os.environ.get("TIDEMARK_REQUIRE_DATA") == "1" else SKIPPED)
    return folder


def write_rules(path, *rules):
    """A rules file of these corrections; its path."""
    path.write_text(json.dumps({"tidemark_rules": 1, "rules": list(rules)}), encoding="utf-8")
    return path


def snapshot_files(folder):
    """Every snapshot below the data folder, by path."""
    return sorted(
        path for path in (folder / "snapshots").rglob("*") if path.suffix in (".pickle", ".pkl", ".html"))


def sampled(found):
    """All, or one in TIDEMARK_SAMPLE of them: under the sanitizers everything takes ten times as long."""
    return list(found)[::int(os.environ.get("TIDEMARK_SAMPLE", 1))]


def by_device(answer, index):
    return next(device for device in answer["devices"] if device["device"] == index)


def print_table(header, rows, markdown):
    if markdown:
        for row in [header, ["---"] * len(header), *rows]:
            print(f"| {' | '.join(row)} |")
        return
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
