# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_terminal.py TIDEMARK_CLI SNAPSHOT: what the program draws on a terminal, in a pipe, meanwhile, and as dumps arrive."""

import fcntl
import json
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time

import harness

SEQUENCE = re.compile("\x1b\\[[0-9;]*m")
BLOCKS = set("▁▂▃▄▅▆▇█")


def on_terminal(program, arguments, columns, lines=30, **environment):
    """What the program writes where standard output is a terminal of that size."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    settings = {"TERM": "xterm-256color", "LANG": "C.UTF-8", "PATH": os.environ["PATH"], **environment}
    with subprocess.Popen([program, *arguments], stdout=follower, stderr=subprocess.PIPE, env=settings) as running:
        os.close(follower)
        written = b""
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            written += part
        os.close(leader)
        if running.wait(timeout=120) != 0:
            raise AssertionError(running.stderr.read().decode())
    return written.decode().replace("\r\n", "\n")


def check_picture(checks, program, snapshot):
    plain = subprocess.run([program, "summary", snapshot], capture_output=True, text=True, check=True).stdout
    checks.that("\x1b" not in plain and not BLOCKS & set(plain), "a picture in a pipe")
    for columns in (44, 80, 160):
        drawn = on_terminal(program, ["summary", snapshot], columns)
        checks.that(drawn.endswith(plain), f"at {columns} columns the text is not that of a pipe")
        picture = SEQUENCE.sub("", drawn[:-len(plain)])
        widest = max(len(line) for line in picture.splitlines())
        checks.that(columns * 0.7 <= widest <= columns, f"at {columns} columns the picture is {widest} wide")
        checks.that(len(BLOCKS & set(picture)) > 2, f"at {columns} columns: no blocks in {picture!r}")
        checks.that("▼ peak" in picture and "✖ out of memory" in picture, f"no marks in {picture!r}")
        checks.that("48;5;" in drawn and "48;2;" not in drawn, "not the palette of 256 colours")
    full = on_terminal(program, ["summary", snapshot], 80, COLORTERM="truecolor")
    checks.that("48;2;221;170;51" in full, "activations are not drawn in their own colour")
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        drawn = on_terminal(program, ["summary", snapshot], 80, **environment)
        checks.that("\x1b" not in drawn, f"colours with {environment}")
        checks.that("AAAA" in drawn, f"no letters with {environment}")
    drawn = on_terminal(program, ["summary", snapshot], 80, LANG="C", TERM="xterm")
    checks.that(SEQUENCE.sub("", drawn[:-len(plain)]).isascii(), "letters beyond ASCII where the locale has none")
    checks.that("\x1b[" in drawn, "no colours on a terminal of sixteen")
    checks.equal("without a picture", on_terminal(program, ["summary", "--picture", "never", snapshot], 80), plain)
    always = subprocess.run([program, "summary", "--picture", "always", snapshot], capture_output=True, text=True,
                            check=True, env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}).stdout
    checks.that(always.endswith(plain) and "AAAA" in always, "--picture always draws nothing into a pipe")
    one = subprocess.run([program, "summary", "--json", snapshot], capture_output=True, text=True, check=True).stdout
    checks.equal("JSON on a terminal", on_terminal(program, ["summary", "--json", snapshot], 80), one)


def long_snapshot(path, pairs):
    """A file that takes a while: so many allocations, each freed at once."""
    entry = {"size": 512, "addr": 1 << 30, "stream": 0, "frames": []}
    pair = ", ".join(json.dumps({**entry, "action": action}) for action in ("alloc", "free_requested", "free_completed"))
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"segments": [], "device_traces": [[')
        for _ in range(pairs // 1000):
            file.write((pair + ", ") * 1000)
        file.write(pair + "]]}")


def check_progress(checks, program, snapshot, folder):
    """Standard error is a terminal: a line tells how far a long file is, and is gone in the end."""
    path = folder / "long.json"
    pairs, seconds = 32_000, 0.0
    while seconds < 2:
        pairs *= 2
        long_snapshot(path, pairs)
        begun = time.monotonic()
        piped = subprocess.run([program, "summary", path], capture_output=True, check=True)
        seconds = time.monotonic() - begun
    checks.equal("progress in a pipe", piped.stderr, b"")

    def seen(*arguments):
        shown = b""
        leader, follower = pty.openpty()
        with subprocess.Popen([program, "summary", *arguments], stdout=subprocess.PIPE, stderr=follower) as running:
            os.close(follower)
            try:
                while part := os.read(leader, 65536):
                    shown += part
            except OSError:  # the other end is closed
                pass
            output = running.stdout.read()
        os.close(leader)
        return output, shown.decode()

    output, shown = seen(path)
    checks.equal("what is printed beside progress", output, piped.stdout)
    lines = shown.split("\r")
    checks.that(len(lines) > 2 and lines[0] == "" and lines[-1] == "\x1b[K", f"no line that is erased: {shown!r}")
    last = ("", 0)
    for line in lines[1:-1]:
        words = re.fullmatch("([a-z ]+) ([0-9]+) %\x1b\\[K", line)
        checks.that(words is not None, f"{line!r} is no stage and share")
        if words:
            checks.that(words[1] != last[0] or int(words[2]) >= last[1], f"{line!r} behind {last}")
            last = (words[1], int(words[2]))
    begun = time.monotonic()
    shown = seen(snapshot)[1]
    checks.that(shown == "" or time.monotonic() - begun > 1, f"progress of a short file: {shown!r}")


def check_watch(checks, program, snapshot, folder):
    shutil.copy(snapshot, folder / "before.pickle")
    whole = pathlib.Path(snapshot).read_bytes()
    watch = subprocess.Popen([program, "watch", "--json", "--every", "0.1", "--count", "2", folder],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        time.sleep(0.5)
        with open(folder / "first.pickle", "wb") as file:  # written slowly
            for part in (whole[:len(whole) // 2], whole[len(whole) // 2:]):
                file.write(part)
                file.flush()
                time.sleep(0.05)
        first = json.loads(watch.stdout.readline())
        (folder / "broken.pickle").write_bytes(b"no snapshot at all")
        time.sleep(0.5)
        (folder / "second.pickle").write_bytes(whole)
        second = json.loads(watch.stdout.readline())
        checks.equal("exit code", watch.wait(timeout=60), 0)
        errors = watch.stderr.read()
    finally:
        watch.kill()
    wanted = json.loads(subprocess.run([program, "diagnose", "--json", snapshot], capture_output=True, text=True,
                                       check=True).stdout)
    for name, found in (("first", first), ("second", second)):
        checks.that(found["file"].endswith(f"{name}.pickle"), f"{found['file']} instead of {name}")
        checks.equal(f"cause of {name}", found["cause"], wanted["cause"])
    checks.that("broken.pickle" in errors, f"nothing on the file that is none: {errors!r}")
    gone = subprocess.run([program, "watch", folder / "none"], capture_output=True, text=True, check=False)
    checks.that(gone.returncode == 2 and "cannot be read" in gone.stderr, f"no folder: {gone}")
    drawn = subprocess.Popen([program, "watch", "--every", "0.1", "--count", "1", folder], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, env={**os.environ, "TERM": "xterm-256color"})
    checks.that("Watching" in drawn.stderr.readline(), "watch does not say that it watches")  # The first look is over.
    (folder / "third.pickle").write_bytes(whole)
    words = drawn.communicate(timeout=60)[0]
    checks.that("third.pickle" in words and "AAAA" in words and "Cheapest fix" in words, f"watch drew {words!r}")
    checks.that("\x1b" not in words, f"watch draws with colors into a pipe: {words!r}")


def main():
    program, snapshot = sys.argv[1:]
    checks = harness.Checks()
    check_picture(checks, program, snapshot)
    with tempfile.TemporaryDirectory() as folder:
        check_progress(checks, program, snapshot, pathlib.Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        check_watch(checks, program, snapshot, pathlib.Path(folder))
    checks.finish()


main()
