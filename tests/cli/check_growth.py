# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_growth.py TIDEMARK_CLI [SHAPE…]: no command's work or output grows faster than a hostile file.

Counts the instructions of the program (Valgrind), not seconds: on the files of hostile.py at N and 2 N, less what the
smallest file takes. n log n gives a ratio of about 2.2 here, n² up to 4. A few of the rows (TIDEMARK_SAMPLE) are looked at, at a
third of the size; tests/deep/run.sh looks at all of it.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import harness
import hostile
import hostile_rules

WORK_RATIO = 2.6
OUTPUT_RATIO = 2.4
OUTPUT_FLOOR = 100_000
SMALLER = 3

# N at which what was once quadratic shows, and the commands that it showed in.
ROWS = [
    ("pinned_segments", 1500, ["search", "diagnose"]),
    ("distinct_sizes", 2000, ["diagnose", "report"]),
    ("deep_stack", 4000, ["allocations", "report", "timeline"]),
    ("many_devices", 1500, ["diagnose", "modules", "report", "summary-text", "largest"]),
    ("annotated_devices", 3000, ["summary"]),
    ("annotated_devices", 2000, ["diagnose", "modules"]),
    ("families_of_steps", 4000, ["summary"]),
    ("unknown_actions", 4000, ["summary"]),
    ("small_blocks", 2000, ["allocations"]),
    ("remapped_range", 2000, ["timeline"]),
    ("overlapping_segments", 2000, ["timeline"]),
    ("many_streams", 2000, ["timeline"]),
    ("nested_annotations", 4000, ["summary"]),
    ("open_annotations", 4000, ["summary"]),
    ("many_ooms", 1000, ["summary"]),
    ("distinct_layers", 4000, ["diagnose"]),
    ("kept_gradients", 6000, ["accumulate"]),
    ("torn_texts", 20_000, ["summary"]),
    ("torn_pickles", 20_000, ["summary"]),
    ("long_name", 20000, ["labels", "allocations"]),
    ("distinct_stacks", 2000, ["rules made_by_functions", "rules made_in_files", "rules made_by_nobody"]),
    ("distinct_lines", 2000, ["rules written_stacks"]),
]

COMMANDS = {
    "summary": ["summary", "--json"],
    "summary-text": ["summary"],
    "timeline": ["timeline", "--json", "--points", "100000"],
    "allocations": ["allocations", "--json", "--at", "end"],
    "largest": ["allocations"],
    "modules": ["allocations", "--json", "--group-by", "module"],
    "labels": ["labels", "--json"],
    "diagnose": ["diagnose", "--json"],
    "accumulate": ["predict", "--json", "--apply", "accumulation=4"],
    "search": ["simulate", "--json", "--search"],
    "report": ["report", "-o", "OUT.json"],
}  # "rules NAME": the labels after as many corrections of hostile_rules.py


class Counter:
    """Runs the program and says how many instructions it took, and how many bytes it wrote."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder

    def run(self, command, shape, n):
        snapshot = self.folder / f"{shape}.{n}.pickle"
        if not snapshot.exists():
            hostile.write(shape, n, snapshot)
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        arguments = [str(report) if word == "OUT.json" else word for word in self.words(command, n)]
        done = subprocess.run(
            ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", self.program, *arguments,
             str(snapshot)],
            capture_output=True, check=False)
        counted = re.search(rb"I\s+refs:\s+([\d,]+)", done.stderr)
        if done.returncode != 0 or counted is None:
            raise AssertionError(f"{command} of {snapshot.name}: {done.stderr.decode(errors='replace')[-600:]}")
        written = len(done.stdout) + (report.stat().st_size if report.exists() else 0)
        return int(counted.group(1).replace(b",", b"")), written

    def words(self, command, n):
        if not command.startswith("rules "):
            return COMMANDS[command]
        rules = self.folder / f"rules.{n}.json"
        hostile_rules.write(command.removeprefix("rules "), n, rules)
        return ["labels", "--json", "--rules", str(rules)]


def check(checks, counter, shape, n, command):
    least, _ = counter.run(command, shape, 10)
    once, written_once = counter.run(command, shape, n)
    twice, written_twice = counter.run(command, shape, 2 * n)
    ratio = (twice - least) / max(1, once - least)
    print(f"{shape} {command}: work × {ratio:.2f} from {once:,}; output {written_once:,} to {written_twice:,}",
          flush=True)
    checks.that(ratio <= WORK_RATIO, f"{command} of {shape}: twice the file is {ratio:.2f} times the work")
    checks.that(written_twice <= OUTPUT_RATIO * written_once + OUTPUT_FLOOR,
                f"{command} of {shape}: twice the file gives {written_twice:,} bytes instead of {written_once:,}")


def main():
    program, *chosen = sys.argv[1:]
    checks = harness.Checks()
    try:
        subprocess.run(["valgrind", "--version"], capture_output=True, check=True)
    except FileNotFoundError:
        print("valgrind is not installed")
        sys.exit(harness.SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        counter = Counter(program, pathlib.Path(folder))
        rows = [(shape, n, command) for shape, n, commands in ROWS for command in commands]
        if chosen:
            rows = [row for row in rows if row[0] in chosen]
        else:
            sample = harness.sampled(rows, lambda row: f"{row[0]} {row[2]}", rarer=3)
            rows = rows if sample == rows else [(shape, n // SMALLER, command) for shape, n, command in sample]
        for row in rows:
            check(checks, counter, *row)
    checks.finish()


main()
