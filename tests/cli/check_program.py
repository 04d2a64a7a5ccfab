# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_program.py TIDEMARK EXAMPLE: reports and pictures overwrite nothing else, and come out whole or not at all."""

import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

import harness

HEADS = {"--report": b"%PDF-", "--screenshot": b"\x89PNG"}


class Tidemark:
    def __init__(self, path, folder):
        self.path = path
        (folder / "runtime").mkdir(mode=0o700)
        # No settings, and no rules, of whoever runs the tests.
        self.environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": str(folder),
                            "XDG_RUNTIME_DIR": str(folder / "runtime"), "XDG_CONFIG_HOME": str(folder / "config"), "XDG_DATA_HOME": str(folder / "data")}

    def run(self, *arguments, stdout=subprocess.PIPE, longest_file=resource.RLIM_INFINITY, **environment):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # What is longer is an error.
            resource.setrlimit(resource.RLIMIT_FSIZE, (longest_file, resource.RLIM_INFINITY))
        return subprocess.run(
            [self.path, *arguments], stdout=stdout, stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
            env={**self.environment, **environment}, preexec_fn=limit, timeout=300, check=False)


def refused(checks, what, done, *fragments):
    checks.equal(f"{what}: exit code ({done.stderr!r})", done.returncode, 2)
    checks.equal(f"{what}: lines on standard error ({done.stderr!r})", done.stderr.count("\n"), 1)
    for fragment in fragments:
        checks.that(fragment in done.stderr, f"{what}: {done.stderr!r} does not say {fragment!r}")


def check_nothing_else_is_replaced(checks, tidemark, example, folder):
    snapshot = folder / "run.pickle"
    shutil.copy(example, snapshot)
    content = snapshot.read_bytes()
    (folder / "link.pdf").symlink_to("run.pickle")
    (folder / "hard.png").hardlink_to(snapshot)
    for option in HEADS:
        # The name of the output forgotten: the first file is taken for it.
        refused(checks, f"{option} A B", tidemark.run(option, snapshot, example), "left as it is", "name another")
        for name in ("run.pickle", "link.pdf", "hard.png"):
            refused(checks, f"{option} {name}", tidemark.run(option, folder / name, snapshot), "files to read")
    checks.equal("the snapshot", snapshot.read_bytes(), content)


def check_outputs(checks, tidemark, example, folder):
    odd = os.fsencode(folder) + b"/caf\xe9 \xff.pickle"  # no UTF-8
    shutil.copy(example, odd)
    for option, head in HEADS.items():
        out = os.fsencode(folder) + b"/out\xe9"
        for attempt in ("new", "replaced"):
            done = tidemark.run(option, out, odd)
            checks.equal(f"{option} {attempt}: {done.stderr!r}", done.returncode, 0)
            with open(out, "rb") as file:
                checks.equal(f"{option} {attempt}", file.read(len(head)), head)
        os.unlink(out)
        refused(checks, f"{option} to a folder that is none", tidemark.run(option, folder / "none/out", example))
        done = tidemark.run(option, "/dev/full", example)
        refused(checks, f"{option} to a full disk", done, "No space left")
        kept = folder / f"kept{option}"
        tidemark.run(option, kept, example)
        before = kept.read_bytes()
        refused(checks, f"{option} where no file may be so long", tidemark.run(option, kept, example, longest_file=1000))
        checks.that(kept.read_bytes() == before, f"{option} that failed took the file that was there")
    config = folder / "ds.json"
    config.write_text('{"train_micro_batch_size_per_gpu": 4}', encoding="utf-8")
    for name, begin in (("page.html", b"<!DOCTYPE html>"), ("page.md", b"# Memory report: ")):
        done = tidemark.run("--report", folder / name, example)
        checks.equal(f"--report {name}: {done.stderr!r}", done.returncode, 0)
        content = (folder / name).read_bytes()
        checks.that(content.startswith(begin), f"--report {name} begins with {content[:40]!r}")
    for name in ("report.txt", "report.p"):
        refused(checks, f"--report {name}", tidemark.run("--report", folder / name, example), "must end in .pdf, .html, .md, .json or .csv.")
        checks.that(not (folder / name).exists(), f"--report {name} wrote a file")
    checks.that(b"tidemark-data" in (folder / "page.html").read_bytes(), "the page is not interactive")
    done = tidemark.run("--report", folder / "configured.pdf", "--config", config, example)
    checks.equal(f"--config FILE FILE: {done.stderr!r}", done.returncode, 0)
    job = folder / "job"
    job.mkdir()
    for rank in range(3):
        shutil.copy(example, job / f"rank{rank}.pickle")
    for names in ([job], sorted(job.iterdir())):
        done = tidemark.run("--report", folder / "job.pdf", *names)
        checks.equal(f"--report of a job: {done.stderr!r}", done.returncode, 0)
        text = subprocess.run(["pdftotext", folder / "job.pdf", "-"], stdout=subprocess.PIPE, check=True).stdout
        checks.that(b"Job of 3 ranks" in text, "--report of a job: what it is about")
    checks.equal("left behind", [path.name for path in folder.iterdir() if path.name.endswith(".part")], [])


def check_pictures_are_the_same(checks, tidemark, example, folder):
    pictures = []
    for number in range(3):
        out = folder / f"{number}.png"
        tidemark.run("--screenshot", out, example)
        pictures.append(out.read_bytes())
    checks.that(all(picture == pictures[0] for picture in pictures), "the overview looks different each time")


def check_without_fonts(checks, tidemark, example, folder):
    configuration = folder / "fonts.conf"
    configuration.write_text(f"<fontconfig><dir>{folder}/none</dir><cachedir>{folder}/cache</cachedir></fontconfig>",
                             encoding="utf-8")
    for option in HEADS:
        out = folder / f"boxes{option}"
        done = tidemark.run(option, out, example, FONTCONFIG_FILE=str(configuration), QT_QPA_FONTDIR=str(folder / "none"))
        checks.equal(f"{option} without fonts: exit code ({done.stderr!r})", done.returncode, 2)
        checks.that("font" in done.stderr, f"{option} without fonts: {done.stderr!r}")
        checks.that(not out.exists(), f"{option} without fonts wrote a file")


def check_words(checks, tidemark, example, folder):
    for arguments in (["--\x1b[31m"], ["--theme", "\x1b[31m"], ["--report", folder / "a.pdf", folder / "\x1b[31m\u202e"],
                      ["--screenshot", folder / "a.png", folder / "\x1b[31m"]):
        done = tidemark.run(*arguments)
        refused(checks, ascii(arguments[-1]), done)
        checks.equal(f"escapes in {done.stderr!r}", [c for c in "\x1b\u202e" if c in done.stderr], [])
    for option in ("--help", "--version"):
        with open("/dev/full", "w", encoding="utf-8") as full:
            refused(checks, f"{option} to a full disk", tidemark.run(option, stdout=full))


def check_language(checks, tidemark, example, folder):
    """What is written is English on every machine, unless a language is asked for."""
    def written(*arguments, **environment):
        done = tidemark.run("--report", folder / "report.pdf", *arguments, example, **environment)
        checks.equal(f"{arguments}: {done.stderr!r}", done.returncode, 0)
        text = subprocess.run(["pdftotext", folder / "report.pdf", "-"], stdout=subprocess.PIPE, check=True)
        return text.stdout.decode("utf-8")

    checks.that("How to read the figures" in written(LANGUAGE="de_DE", LANG="de_DE.UTF-8", LC_ALL=""), "a report in English")
    checks.that("Wie die Zahlen zu lesen sind" in written("--language", "de"), "a report in German")
    refused(checks, "--language xx", tidemark.run("--language", "xx"), "'xx'", "en, de")


def main():
    checks = harness.Checks()
    for check in (check_nothing_else_is_replaced, check_outputs, check_pictures_are_the_same, check_without_fonts,
                  check_words, check_language):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            check(checks, Tidemark(sys.argv[1], folder), sys.argv[2], folder)
    checks.finish()


main()
