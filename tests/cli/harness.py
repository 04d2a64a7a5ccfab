# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""What the tests of tidemark-cli share: calling it, the data folder, counting complaints."""

import gzip
import json
import lzma
import os
import pathlib
import subprocess
import sys
import zlib

SKIPPED = 77
# What write_answers.py leaves in the folder TIDEMARK_ANSWERS.
ANSWERED = ("summary", "labels", "diagnose", "program")


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
        """What a command prints with --json; that of a recording alone may have been written already."""
        folder = os.environ.get("TIDEMARK_ANSWERS")
        if folder and command in ANSWERED and len(arguments) == 1:
            written = answer_file(folder, arguments[0], command)
            if written.is_file():
                return json.loads(written.read_text(encoding="utf-8"), parse_constant=refuse_constant)
        printed = self.text(command, "--json", *arguments)
        assert printed.count("\n") == 1, f"{command} --json printed {printed.count(chr(10))} lines"
        return json.loads(printed, parse_constant=refuse_constant)


def answer_file(folder, path, command):
    """Where tidemark_answers (answers.cpp) leaves what a command says of a file."""
    return pathlib.Path(folder) / f"{str(path).replace('/', '%')}.{command}.json"


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


def is_of_others():
    """Whether the test is one of recordings of other people, data.* in ctest."""
    return os.environ.get("TIDEMARK_RECORDINGS") == "others"


def data_dir(argument):
    """The folder with the test's recordings: tests/data, which is the argument. Those of other people are where the environment
    variable TIDEMARK_DATA_DIR says, else where the argument does; without them the test is skipped."""
    if not is_of_others():
        return pathlib.Path(argument)
    folder = pathlib.Path(os.environ.get("TIDEMARK_DATA_DIR") or argument) / "snapshots"
    if not (folder / "real").is_dir():
        print(f"there are no recordings in {folder}; set TIDEMARK_DATA_DIR")
        sys.exit(1 if os.environ.get("TIDEMARK_REQUIRE_DATA") == "1" else SKIPPED)
    return folder


def modelled_file(folder, name):
    """A modelled run of tests/data."""
    return folder / "modelled" / f"{name}.pickle.xz"


def bare_name(path):
    """The file's name without what says its kind."""
    return path.name.partition(".pickle")[0]


def unpacked(path):
    """What is in a recording, packed or not."""
    content = path.read_bytes()
    return {".xz": lzma.decompress, ".gz": gzip.decompress}.get(path.suffix, bytes)(content)


def write_rules(path, *rules):
    """A rules file of these corrections; its path."""
    path.write_text(json.dumps({"tidemark_rules": 1, "rules": list(rules)}), encoding="utf-8")
    return path


# Cut down by hand: what is live at its end was never allocated in its trace.
NOT_OF_A_RUN = {"drisspg__transformer_nuggets__mini_snapshot.pickle"}


def snapshot_files(folder):
    """Every snapshot that a test of any recording reads, by path: of folder = data_dir()."""
    parts = ("real", "jobs/titan_oom_4") if is_of_others() else ("modelled", "modern", "jobs")
    return sorted(path for part in parts for path in (folder / part).rglob("*")
                  if (".pickle" in path.name or path.suffix in (".pkl", ".html")) and path.name not in NOT_OF_A_RUN)


def slack():
    """How much lower a share may be of a sample, of which a single one is more."""
    return 0.05 if int(os.environ.get("TIDEMARK_SAMPLE", 1)) > 1 else 0


def sampled(found, name=str, rarer=1):
    """All, or about one in TIDEMARK_SAMPLE of them, drawn by their names: always the same ones. name: a function; rarer: so
    many times fewer."""
    each = int(os.environ.get("TIDEMARK_SAMPLE", 1))
    each *= rarer if each > 1 else 1
    return [item for item in found if zlib.crc32(name_of(name(item)).encode()) % each == 0]


def name_of(text):
    """Without the folders above that of a file, which differ from machine to machine."""
    return "/".join(text.split("/")[-2:])


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
