#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""ranks.py BUILD [--events N] [--dumps N] [--summaries N]: a job of many ranks as whole processes.

BUILD is the folder of the preset bench. First `ranks` over snapshots (one synthetic file under many names), beside one
`program --json` and one `summary --json` of it: by how much less than one after another, on how many cores. Then `ranks` over as many
summaries, each with bytes of its own, with peak memory."""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

from whole_process import run


def measured(program, *arguments):
    seconds, processor, peak, output = run([program, *map(str, arguments)])
    return seconds, processor, peak / (1 << 20), output


def bench_dumps(build, folder, events, count):
    program = f"{build}/app/cli/tidemark-cli"
    first = folder / "run.rank0.pickle"
    subprocess.run([f"{build}/tests/bench/tidemark_bench_file", first, str(events)], check=True)
    for rank in range(1, count):
        os.link(first, folder / f"run.rank{rank}.pickle")
    single = {}
    for command in ("program", "summary"):
        single[command] = min(measured(program, command, "--json", first)[:3] for _ in range(3))
    cores = os.cpu_count()
    print(f"{count} snapshots of {events} events, {first.stat().st_size / 1e6:.0f} MB each, {cores} cores")
    print("| | wall s | processor s | peak MiB |\n|---|---|---|---|")
    for command, (wall, processor, peak) in single.items():
        print(f"| `{command} --json` of one | {wall:.2f} | {processor:.2f} | {peak:.0f} |")
    wall, processor, peak, _ = measured(program, "ranks", "--json", folder)
    print(f"| `ranks` of all | {wall:.2f} | {processor:.2f} | {peak:.0f} |")
    for command, (_, own, _) in single.items():
        print(f"{count} × `{command}` on {cores} cores: {count * own / cores:.2f} s; `ranks` took {wall / (count * own / cores):.2f} × "
              f"that on the clock, {processor / (count * own):.2f} × the processor time")
    return program, first


def bench_summaries(program, dump, folder, count):
    """Each rank holds another amount, and one in 512 twice as much."""
    summary = json.loads(measured(program, "summary", "--json", "--for-ranks", dump)[3])
    size = 0
    for rank in range(count):
        for device in summary["devices"]:
            mine = json.loads(json.dumps(device.get("for_ranks")))
            if mine is None:
                continue
            mine["rank"] = rank
            for key, value in mine.items():
                if key == "decisive" and isinstance(value, dict):
                    for bucket, held in value.items():
                        if isinstance(held, int):
                            value[bucket] = held * (2 if rank % 512 == 17 else 1) + 512 * (rank % 97)
            device = {**device, "for_ranks": mine}
            written = json.dumps({**summary, "file": f"run.rank{rank}.pickle", "devices": [device]}) + "\n"
            size += len(written)
            (folder / f"run.rank{rank}.pickle.summary.json").write_text(written, encoding="utf-8")
    wall, processor, peak, output = measured(program, "ranks", "--json", "--no-compare", folder)
    print(f"\n{count} summaries of {size / count / 1024:.0f} KiB: {wall:.2f} s, processor {processor:.2f} s, peak {peak:.0f} MiB; "
          f"{len(json.loads(output)['outliers'])} outliers")
    wall, processor, peak, output = measured(program, "ranks", folder)
    print(f"for people {wall:.2f} s, {output.count(bytes([10]))} lines")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--dumps", type=int, default=64)
    parser.add_argument("--summaries", type=int, default=4096)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        dumps, summaries = pathlib.Path(scratch, "dumps"), pathlib.Path(scratch, "summaries")
        dumps.mkdir()
        summaries.mkdir()
        program, first = bench_dumps(arguments.build, dumps, arguments.events, arguments.dumps)
        bench_summaries(program, first, summaries, arguments.summaries)


if __name__ == "__main__":
    main()
