# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_writing.py TIDEMARK_CLI DATA_DIR [TIDEMARK]: on a full disk, in a folder that takes no file, and when it is
interrupted, each writer says so in one sentence, the old file stays as it is and nothing is left beside it; and the same input
gives the same bytes in every format."""

import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import harness

REPORTS = ("html", "md", "json", "csv")
EXPORTS = ("pftrace", "pb.gz", "speedscope.json", "folded", "sqlite", "csv", "pickle", "json")
# Root as others: without the right to write where the folder does not say so.
BOUND = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.getuid() == 0 else []


class Writers:
    def __init__(self, cli, window, data, example):
        self.cli, self.window, self.data, self.example = cli, window, data, str(example)

    def __iter__(self):
        """(name, ending, the call without the output's name)."""
        for ending in REPORTS:
            yield f"report .{ending}", ending, [self.cli, "report", self.example, "-o"]
        for ending in EXPORTS:
            yield f"convert .{ending}", ending, [self.cli, "convert", self.example, "-o"]
        for option, ending in (("--junit", "xml"), ("--bencher", "json")):
            yield f"check {option}", ending, [self.cli, "check", self.example, "--max-peak", "1TiB", option]
        job = self.data / "gpu/jobs/ddp_captured"
        for ending in REPORTS:
            yield f"job .{ending}", ending, [self.cli, "report", str(job), "-o"]
        if self.window:
            for option, ending in (("--report", "pdf"), ("--report", "html"), ("--screenshot", "png")):
                yield f"window {option} .{ending}", ending, [self.window, self.example, option]


def call(arguments, limit=None):
    def prepare():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "SOURCE_DATE_EPOCH": "1700000000", "LC_ALL": "C.UTF-8"}
    return subprocess.run([str(a) for a in arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=240, check=False,
                          preexec_fn=prepare, env=environment)


def sentences(text):
    """What is not Qt's own."""
    return [line for line in text.splitlines() if line.startswith("tidemark")]


def check_full(checks, name, old, arguments, folder):
    """Files may be no longer than less than what is to be written: the system says EFBIG as it says ENOSPC."""
    before, beside = old.read_bytes(), {p: p.read_bytes() for p in folder.iterdir() if p.is_file()}
    done = call([*arguments, old], limit=max(1, min(len(before) // 2, 40_000)))
    checks.equal(f"{name}, full: exit code ({done.stderr!r})", done.returncode, 2)
    checks.equal(f"{name}, full: sentences {done.stderr!r}", len(sentences(done.stderr)), 1)
    checks.that(any(reason in done.stderr.lower() for reason in ("too large", "full", "i/o error")), f"{name}, full: no reason in {done.stderr!r}")
    checks.that(old.read_bytes() == before, f"{name}, full: the old file is another one")
    checks.that({p: p.read_bytes() for p in folder.iterdir() if p.is_file()} == beside, f"{name}, full: other files beside it")


def check_same(checks, name, old, arguments, folder):
    """The same again, in another place, time zone and home."""
    other = folder / "again" / old.name
    other.parent.mkdir()
    before = dict(os.environ)
    os.environ |= {"TZ": "Asia/Tokyo", "HOME": str(folder / "again")}
    done = call([*arguments, other])
    os.environ.clear()
    os.environ |= before
    checks.equal(f"{name}, again: {done.stderr!r}", done.returncode, 0)
    checks.that(other.read_bytes() == old.read_bytes(), f"{name}: the same input gives other bytes")
    shutil.rmtree(other.parent)


def check_read_only(checks, name, ending, arguments, folder):
    locked = folder / "locked"
    locked.mkdir(mode=0o555)
    done = call([*BOUND, *arguments, locked / f"out.{ending}"])
    checks.equal(f"{name}, read only: exit code ({done.stderr!r})", done.returncode, 2)
    checks.equal(f"{name}, read only: sentences {done.stderr!r}", len(sentences(done.stderr)), 1)
    checks.that("ermission denied" in done.stderr, f"{name}, read only: no reason in {done.stderr!r}")
    checks.equal(f"{name}, read only: files", list(locked.iterdir()), [])
    locked.rmdir()


def check_interrupted(checks, writers, folder):
    """SIGTERM at some moments: the old file or the new one, and nothing else."""
    for name, ending, arguments in writers:
        if name not in ("report .json", "convert .sqlite", "convert .csv", "report .html"):
            continue
        old = folder / f"old.{ending}"
        call([*arguments, old])
        before = old.read_bytes()
        for wait in (0.02, 0.1, 0.2, 0.3, 0.45):
            with subprocess.Popen([*map(str, arguments), old], stderr=subprocess.DEVNULL) as writer:
                time.sleep(wait)
                writer.send_signal(signal.SIGTERM)
            checks.that(old.read_bytes() == before, f"{name}, ended after {wait} s: the file is another one")
            checks.equal(f"{name}, ended after {wait} s: left behind", [p.name for p in folder.iterdir() if p != old], [])
        old.unlink()


def check_many_tables(checks, writers, folder):
    """Tables in files of their own: all of them or none."""
    call([writers.cli, "convert", writers.example, "-o", folder / "run.csv", "--table", "all"])
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    checks.that(len(before) > 8, f"{len(before)} tables")
    limit = sorted(map(len, before.values()))[-1] - 10  # The largest table alone fails.
    done = call([writers.cli, "convert", writers.data / "modelled/gpt_train_full.pickle.xz", "-o", folder / "run.csv", "--table", "all"], limit=limit)
    if done.returncode != 0:
        checks.equal("the old tables", {path.name: path.read_bytes() for path in folder.iterdir()} == before, True)
    done = call([writers.cli, "convert", writers.example, "-o", folder / "run.csv", "--table", "all"], limit=limit)
    checks.equal("a table that does not fit", done.returncode, 2)
    checks.equal("the tables", {path.name: path.read_bytes() for path in folder.iterdir()} == before, True)


def check_table_of_others(checks, writers, folder):
    """A table beside the list may be somebody's file: then nothing is written."""
    (folder / "run.fixes.csv").write_text("mine\n", encoding="utf-8")
    done = call([writers.cli, "report", writers.example, "-o", folder / "run.csv"])
    checks.equal(f"a table of others: {done.stderr!r}", done.returncode, 2)
    checks.equal("a table of others: files", {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}, {"run.fixes.csv": "mine\n"})


def main():
    window, data = sys.argv[3] if len(sys.argv) > 3 else None, pathlib.Path(sys.argv[2])
    writers = Writers(sys.argv[1], window, data, data / "cases/gpt_oom_backward.pickle")
    checks = harness.Checks()
    for name, ending, arguments in writers:
        with tempfile.TemporaryDirectory() as made:
            folder = pathlib.Path(made)
            folder.chmod(0o755)
            old = folder / f"old.{ending}"
            done = call([*arguments, old])
            checks.equal(f"{name}: {done.stderr!r}", done.returncode, 0)
            if done.returncode != 0:
                continue
            check_same(checks, name, old, arguments, folder)
            check_full(checks, name, old, arguments, folder)
            check_read_only(checks, name, ending, arguments, folder)
            missing = call([*arguments, folder / "none" / f"out.{ending}"])
            checks.equal(f"{name}, no folder: {missing.stderr!r}", (missing.returncode, len(sentences(missing.stderr))), (2, 1))
    for check in (check_interrupted, check_many_tables, check_table_of_others):
        with tempfile.TemporaryDirectory() as made:
            check(checks, writers, pathlib.Path(made))
    checks.finish()


if __name__ == "__main__":
    main()
