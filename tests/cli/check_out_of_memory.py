# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_out_of_memory.py TIDEMARK_CLI: where the system gives no more memory, wherever that is, one sentence says so."""

import json
import pathlib
import resource
import subprocess
import sys
import tempfile

import harness
import hostile

MIB = 1 << 20
STACKS = 6000
SENTENCES = ("Not enough memory", "Not enough free memory", "No more threads available")


def limited(program, mebibytes, *arguments):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (mebibytes * MIB, mebibytes * MIB))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return subprocess.run([program, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          preexec_fn=limit, timeout=240, check=False)


def least_to_start(program):
    """Mebibytes in which the program does nothing at all."""
    return next(m for m in range(8, 512, 4) if limited(program, m, "--version").returncode == 0)


def check_way(checks, program, least, *arguments):
    """From as much as lets it start up to what is enough, there is nothing between an answer and a sentence."""
    ends = set()
    for mebibytes in [least + 2 * i for i in range(12)] + [least + 24 * i for i in range(1, 40)]:
        done = limited(program, mebibytes, *arguments)
        said = done.stderr.decode(errors="replace")
        ends.add(done.returncode)
        if done.returncode == 0:
            break
        name = " ".join(map(str, arguments[:-1]))
        checks.equal(f"{name} in {mebibytes} MiB: exit code ({said!r})", done.returncode, 2)
        checks.equal(f"{name} in {mebibytes} MiB: lines ({said!r})", said.count("\n"), 1)
        checks.that(any(sentence in said for sentence in SENTENCES), f"{name} in {mebibytes} MiB: {said!r}")
    checks.equal(f"ends of {arguments[0]}", ends, {0, 2})


def main():
    program = sys.argv[1]
    checks = harness.Checks()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shape = hostile.SHAPES["distinct_stacks"](STACKS)
        pickled, text = folder / "many.pickle", folder / "many.json"
        hostile.write("distinct_stacks", STACKS, pickled)
        text.write_text(json.dumps(shape), encoding="utf-8")
        least = least_to_start(program)
        check_way(checks, program, least, "summary", pickled)
        check_way(checks, program, least, "summary", "--reader", "cpython", pickled)
        check_way(checks, program, least, "summary", text)
        check_way(checks, program, least, "allocations", "--json", pickled)
    checks.finish()


main()
