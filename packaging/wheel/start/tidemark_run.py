# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""tidemark-run: runs a command and records the GPU memory of every Python process in it that uses CUDA."""

import argparse
import glob
import os
import shlex
import signal
import subprocess
import sys
import time


def _command(words):
    """A script that is none of the system's commands is Python's."""
    return [sys.executable, *words] if words[0].endswith(".py") or words[0] == "-m" else words


def _written(path, since):
    stem, extension = os.path.splitext(path)
    found = glob.glob(f"{glob.escape(stem)}*{extension or '.pickle'}")
    return sorted(name for name in found if os.path.getmtime(name) >= since)


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="tidemark-run", description=__doc__.split(": ", 1)[1],
        usage="tidemark-run [-o FILE] [--set NAME=VALUE]... (PROGRAM.py | -m MODULE | COMMAND) [ARGUMENT]...")
    parser.add_argument("-o", "--output", default="run.pickle", metavar="FILE", help="the snapshot; each rank writes its own")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                        help="a setting of the recorder: steps=10,12, stacks=all, max_entries=500000")
    parser.add_argument("-m", action="store_true", dest="is_module", help="run a Python module")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    if options.command[:1] == ["--"]:
        del options.command[0]
    if not options.command:
        parser.error("name the command to run, as in: tidemark-run train.py")
    path, since = os.path.abspath(options.output), time.time() - 1
    settings = f"{os.environ.get('TIDEMARK_CAPTURE_SETTINGS', '')} {shlex.join(options.set)}"  # a later one wins
    environment = {**os.environ, "TIDEMARK_CAPTURE": path, "TIDEMARK_CAPTURE_SETTINGS": settings,
                   "TIDEMARK_CAPTURE_SINCE": str(since)}
    try:
        child = subprocess.Popen(_command(["-m"] * options.is_module + options.command), env=environment)
    except OSError as error:
        parser.error(f"{options.command[0]} does not start: {error.strerror}")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal tells the child, too
    for asked in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):  # to end, to write, to save before the time is up
        signal.signal(asked, lambda number, frame: child.send_signal(number))
    code = child.wait()
    files = _written(path, since)
    if files:
        print(f"tidemark-run: open {files[0]}" + (f" and {len(files) - 1} more" if len(files) > 1 else ""), file=sys.stderr)
    else:
        print("tidemark-run: no snapshot was written. Did the program use CUDA on this machine, in a Python that has "
              "tidemark-memory?", file=sys.stderr)
    sys.exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
