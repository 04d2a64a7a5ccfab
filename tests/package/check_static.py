# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_static.py PROGRAM DYNAMIC EXAMPLE: the static tidemark-cli is one small file that runs in an empty root and says
what the dynamic one does, of packed files too; and what it cannot read, for want of Python, in one sentence."""

import bz2
import gzip
import lzma
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import tempfile
import zipfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "cli"), str(TESTS.parent / "packaging/wheel")]

import elf  # noqa: E402
from harness import SKIPPED, Checks  # noqa: E402

LARGEST = 12_000_000
OLDEST_KERNEL = (3, 10, 0)  # of manylinux_2_17, see packaging/wheel/elf.py
COMMANDS = (("summary",), ("diagnose",), ("timeline", "--points", "50"), ("allocations", "--top", "20"), ("program",),
            ("predict", "--apply", "micro-batch=0.5"), ("allocations", "--query", "size>10MiB", "--top", "5"))


def run(command, folder):
    return subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, timeout=240, check=False)


def packed(content, folder):
    """The example in each way that a library of the program unpacks; the names of the files."""
    forms = {"run.pickle": content, "run.pickle.gz": gzip.compress(content, 1), "run.pickle.xz": lzma.compress(content, preset=0),
             "run.pickle.bz2": bz2.compress(content, 1)}
    for name, form in forms.items():
        (folder / name).write_bytes(form)
    with zipfile.ZipFile(folder / "run.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("logs/run.pickle", content)
    names = [*forms, "run.zip"]
    for tool in ("zstd", "lz4"):
        if shutil.which(tool):
            squeezed = subprocess.run([tool, "-q", "-c"], input=content, capture_output=True, check=True).stdout
            (folder / f"run.pickle.{tool}").write_bytes(squeezed)
            names.append(f"run.pickle.{tool}")
    if "run.pickle.zstd" not in names:
        print("zstd is not installed")
        sys.exit(SKIPPED)
    return names


def check_file(checks, program):
    data = program.read_bytes()
    said = run(["file", "-b", program], ".").stdout
    checks.that("statically linked" in said or "static-pie linked" in said, f"file says {said.strip()!r}")
    checks.that("stripped" in said and "not stripped" not in said, f"file says {said.strip()!r}")
    checks.that(elf.is_static(data), "it asks for a dynamic linker or a library")
    kernel = elf.oldest_kernel(data)
    checks.that(kernel is not None and kernel <= OLDEST_KERNEL, f"it starts on Linux {kernel} only")
    checks.that(len(data) <= LARGEST, f"{len(data)} bytes, {LARGEST} allowed")
    print(f"{len(data) / 1e6:.1f} MB, for Linux {'.'.join(map(str, kernel or ()))} and newer")


def check_answers(checks, inside, dynamic, folder):
    names = packed((folder / "run.pickle").read_bytes(), folder)
    for name in names:
        for command, *options in COMMANDS if name == "run.pickle" else COMMANDS[:1]:
            words = [command, "--json", name, *options]
            alone, beside = run([*inside, *words], folder), run([dynamic, *words], folder)
            what = f"{command} of {name}"
            checks.equal(f"{what}: exit code ({alone.stderr.strip()})", alone.returncode, beside.returncode)
            checks.that(alone.stdout.startswith("{"), f"{what}: printed {alone.stdout[:80]!r}")
            checks.equal(what, alone.stdout, beside.stdout)


def check_without_python(checks, inside, folder):
    """What only Python reads; --reader cpython; the version."""
    value = pickle.loads((folder / "run.pickle").read_bytes())
    loop = []
    loop.append(loop)
    (folder / "loop.pickle").write_bytes(pickle.dumps({**value, "loop": loop}))
    for words, fragment in ((["summary", "loop.pickle"], "Only Python can read this file, because"),
                            (["summary", "loop.pickle", "--reader", "native"], "Only Python can read this file, because"),
                            (["summary", "run.pickle", "--reader", "cpython"], "This program has no Python built in")):
        done = run([*inside, *words], folder)
        checks.equal(f"{words}: exit code", done.returncode, 2)
        checks.equal(f"{words}: lines on standard error", done.stderr.count("\n"), 1)
        checks.that(fragment in done.stderr, f"{words}: {done.stderr!r} does not say {fragment!r}")
    checks.that("no Python built in" in run([*inside, "--version"], folder).stdout, "--version does not say so")


def main():
    program, dynamic, example = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    checks = Checks()
    check_file(checks, program)
    with tempfile.TemporaryDirectory() as name:
        # The only files of its root are the program and what it reads: no C library, no /proc, no /etc, no locale.
        folder = pathlib.Path(name)
        shutil.copy(program, folder / "tidemark-cli")
        shutil.copy(example, folder / "run.pickle")
        inside = [*([] if os.geteuid() == 0 else ["unshare", "-r"]), "env", "-i", "/usr/sbin/chroot", folder, "/tidemark-cli"]
        check_answers(checks, inside, dynamic, folder)
        check_without_python(checks, inside, folder)
        report = run([*inside, "report", "run.pickle", "-o", "report.html"], folder)
        checks.equal(f"report: exit code ({report.stderr.strip()})", report.returncode, 0)
        checks.that("<svg" in (folder / "report.html").read_text(encoding="utf-8"), "the report has no drawing")
    checks.finish()


main()
