#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""whole_process.py BUILD [--events N]... [--runs R] [--cpython] [--folder DIR]: reading as whole processes.

BUILD is the folder of the preset bench. Makes one synthetic file per N, then runs in turn: bare `pickle.load` (garbage
collection off), the native reader, `tidemark-cli summary`, and with --cpython the CPython reader. Machines vary from
run to run, so every figure is the median over rounds of the ratio to the pickle.load of the same round."""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

LOAD = """
import gc, pickle, sys
gc.disable()
with open(sys.argv[1], "rb") as file:
    pickle.load(file)
"""


def run(command):
    """Wall seconds, processor seconds and peak resident bytes of one process, and what it printed."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    if status != 0:
        sys.exit(f"{command[0]} failed")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, output


def measure(path, build, rounds, with_cpython):
    size = os.path.getsize(path)
    commands = {
        "pickle.load": ["/usr/bin/python3", "-c", LOAD, path],
        "native reader": [f"{build}/tests/bench/tidemark_bench_read", path, "native"],
        "summary": [f"{build}/app/cli/tidemark-cli", "summary", path],
    }
    opener = f"{build}/tests/bench/tidemark_bench_open"
    if os.path.exists(opener):
        commands["first frame"] = [opener, path, "curves"]
    if with_cpython:
        commands["CPython reader"] = [f"{build}/tests/bench/tidemark_bench_read", path, "cpython"]
    seen = {name: [] for name in commands}
    silence = 0.0
    for _ in range(rounds):
        for name, command in commands.items():
            seconds, processor, peak, output = run(command)
            seen[name].append((seconds, processor, peak))
            if name == "native reader":
                silence = max(silence, json.loads(output)["longest_silence_seconds"])
    print(f"\n{os.path.basename(path)}: {size / 1e6:.0f} MB, median of {rounds} rounds")
    print("| | wall s | processor s | pickle.load takes | peak / file |\n|---|---|---|---|---|")
    for name, results in seen.items():
        ratios = [base[0] / own[0] for base, own in zip(seen["pickle.load"], results)]
        wall, processor, peak = (statistics.median(column) for column in zip(*results))
        print(f"| {name} | {wall:.2f} | {processor:.2f} | {statistics.median(ratios):.1f} × | {peak / size:.2f} |")
    print(f"longest silence of the native reader's progress: {silence * 1000:.0f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--events", type=int, action="append")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--cpython", action="store_true")
    parser.add_argument("--folder", help="where the files are kept; else they are removed")
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.folder or scratch
        for events in arguments.events or [100_000, 1_000_000]:
            path = os.path.join(folder, f"synthetic-{events}.pickle")
            if not os.path.exists(path):
                subprocess.run([f"{arguments.build}/tests/bench/tidemark_bench_file", path, str(events)], check=True)
            measure(path, arguments.build, arguments.runs, arguments.cpython)


if __name__ == "__main__":
    main()
