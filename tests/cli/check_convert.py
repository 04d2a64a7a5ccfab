# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_convert.py TIDEMARK_CLI DATA_DIR: what `convert` writes says the same as the file, read back by the readers of each
format that Python has, or by a decoder of protocol buffers that shares nothing with the writer."""

import csv
import gzip
import json
import os
import pathlib
import pickle
import pickletools
import re
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile

import harness
import varints

ENDINGS = ("pftrace", "pb.gz", "speedscope.json", "folded", "sqlite", "csv", "pickle", "json")


def fields(message):
    """(number, value) of each field: integers as they are, the rest as bytes."""
    reader = varints.Varints(message)
    while not reader.is_at_end:
        key = reader.unsigned()
        if key & 7 == 0:
            yield key >> 3, reader.unsigned()
        else:
            assert key & 7 == 2, f"wire type {key & 7}"
            yield key >> 3, reader.take(reader.unsigned())


def first(message, number, default=None):
    return next((value for key, value in fields(message) if key == number), default)


def packed(message):
    """The varints of a packed field."""
    return [value for _, value in fields(b"".join(b"\x08" + part for part in re.findall(rb"[\x80-\xff]*[\x00-\x7f]", message)))]


def convert(program, path, out, *options):
    program.text("convert", path, "-o", out, *options)
    return out


def check_perfetto(checks, path, out, summary):
    """The counters reach the peak, every slice ends, and no time falls on a track."""
    name = path.name
    packets = [packet for number, packet in fields(out.read_bytes()) if number == 1]
    tracks, values, open_slices, instants, times = {}, {}, {}, 0, {}
    for packet in packets:
        descriptor, event = first(packet, 60), first(packet, 11)
        if descriptor is not None:
            tracks[first(descriptor, 1)] = (first(descriptor, 2).decode(), first(descriptor, 5))
        if event is None:
            continue
        kind, track, time = first(event, 9), first(event, 11), first(packet, 8, 0)
        checks.that(times.get(track, 0) <= time, f"{name}: a track's time falls")
        times[track] = time
        if kind == 4:
            values.setdefault(track, []).append(first(event, 30))
        elif kind == 1:
            open_slices[track] = open_slices.get(track, 0) + 1
            checks.that(open_slices[track] == 1, f"{name}: slices overlap on {tracks[track][0]}")
        elif kind == 2:
            open_slices[track] -= 1
        else:
            instants += 1
    checks.equal(f"{name}: slices left open", [count for count in open_slices.values() if count], [])
    shown = [device for device in summary["devices"] if device["events"] or device["segments"]]
    checks.equal(f"{name}: OOM marks", instants, sum(len(device["ooms"]) for device in shown))
    for device in shown:
        label = "host memory" if device["kind"] == "host" else f"GPU {device['device']} memory"
        group = next(uuid for uuid, (text, parent) in tracks.items() if text == label)
        largest = {text: max(values[uuid]) for uuid, (text, parent) in tracks.items()
                   if parent == group and uuid in values}
        checks.equal(f"{name}: allocated", largest["allocated"], device["peak"]["requested_bytes"])
        for bucket, count in device["peak"]["buckets"].items():
            checks.that(largest.get(bucket, 0) >= count, f"{name}: {bucket} never reaches {count}")


def check_pprof(checks, path, out, summary):
    """The samples add up to what is live at the peaks, and every id that is used is there."""
    profile = gzip.decompress(out.read_bytes())
    texts = [value for number, value in fields(profile) if number == 6]
    types = [(texts[first(value, 1)], texts[first(value, 2)]) for number, value in fields(profile) if number == 1]
    checks.equal(f"{path.name}: types", types, [(b"inuse_objects", b"count"), (b"inuse_space", b"bytes")])
    locations = {first(value, 1): first(first(value, 4), 1) for number, value in fields(profile) if number == 4}
    functions = {first(value, 1) for number, value in fields(profile) if number == 5}
    checks.that(set(locations.values()) <= functions, f"{path.name}: a function is missing")
    total = 0
    for sample in (value for number, value in fields(profile) if number == 2):
        checks.that(set(packed(first(sample, 1))) <= set(locations), f"{path.name}: a location is missing")
        total += packed(first(sample, 2))[1]
    checks.equal(f"{path.name}: live in pprof", total, peaks_of(summary))


def peaks_of(summary):
    return sum(device["peak"]["requested_bytes"] for device in summary["devices"])


def check_flame(checks, path, speedscope, folded, summary):
    profile = json.loads(speedscope.read_text(encoding="utf-8"))
    frames = len(profile["shared"]["frames"])
    weights = 0
    for part in profile["profiles"]:
        checks.equal(f"{path.name}: weights", len(part["samples"]), len(part["weights"]))
        checks.equal(f"{path.name}: sum", part["endValue"], sum(part["weights"]))
        checks.that(all(0 <= frame < frames for sample in part["samples"] for frame in sample), f"{path.name}: no such frame")
        weights += part["endValue"]
    checks.equal(f"{path.name}: live in speedscope", weights, peaks_of(summary))
    lines = folded.read_text(encoding="utf-8").splitlines()
    checks.equal(f"{path.name}: live, folded", sum(int(line.rpartition(" ")[2]) for line in lines), peaks_of(summary))


def check_sqlite(checks, program, path, out, summary):
    base = sqlite3.connect(f"file:{out}?mode=ro", uri=True)
    checks.equal(f"{path.name}: integrity", base.execute("PRAGMA integrity_check").fetchone()[0], "ok")
    checks.equal(f"{path.name}: version", base.execute("PRAGMA user_version").fetchone()[0], 1)
    for device in summary["devices"]:
        if not device["events"] and not device["segments"]:
            continue
        key = (-1 if device["kind"] == "host" else device["device"],)
        row = base.execute("SELECT events, peak_bytes, ooms FROM devices WHERE device = ?", key).fetchone()
        checks.equal(f"{path.name}: device", row, (device["events"], device["peak"]["requested_bytes"], len(device["ooms"])))
        alive = "SELECT ifnull(sum(requested_bytes), 0) FROM allocations WHERE device = ? AND free_event IS NULL"
        checks.equal(f"{path.name}: alive", base.execute(alive, key).fetchone()[0], device["end_requested_bytes"])
        top = base.execute("SELECT max(allocated_bytes) FROM events WHERE device = ?", key).fetchone()[0] or 0
        checks.equal(f"{path.name}: highest event", max(top, device["start_requested_bytes"]),
                     device["peak"]["requested_bytes"])
    return base


def check_csv(checks, program, path, base, folder):
    """CSV has the rows of the database's tables."""
    convert(program, path, folder / "all.csv", "--table", "all")
    for (table,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        with open(folder / f"all.{table}.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
        columns = [column[1] for column in base.execute(f"PRAGMA table_info({table})")]
        checks.equal(f"{path.name}: columns of {table}", rows[0], columns)
        checks.equal(f"{path.name}: rows of {table}", len(rows) - 1, base.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


# What the unpickler of PyTorch's MemoryViz.js knows, of what a writer of protocol 4 may need.
VIEWER_OPCODES = {"PROTO", "EMPTY_DICT", "EMPTY_LIST", "MARK", "SETITEMS", "APPENDS", "BINUNICODE", "MEMOIZE", "LONG_BINGET", "BININT",
                  "LONG1", "BINFLOAT", "NEWTRUE", "NEWFALSE", "STOP"}


class Inert(pickle.Unpickler):
    """No name of a class may be in it."""

    def find_class(self, module, name):
        raise AssertionError(f"the pickle asks for {module}.{name}")


def viewer_complaints(snapshot):
    """What PyTorch's MemoryViz.js relies on: blocks fill their segments, and what is freed was allocated or is found."""
    for segment in snapshot["segments"]:
        at = segment["address"]
        for block in segment["blocks"]:
            if block["address"] != at:
                yield f"a block lies at {block['address']}, not {at}"
            at = block["address"] + block["size"]
        if at != segment["address"] + segment["total_size"]:
            yield "blocks do not fill their segment"
    for events in snapshot["device_traces"]:
        for event in events:
            if event["action"] != "oom" and not {"action", "addr", "size", "stream"} <= event.keys():
                yield f"{event} lacks a key"


def check_cut(checks, program, path, folder, summary):
    """A range that is cut out has the curve that the whole has there."""
    whole = folder / "whole.pickle"
    main = max(summary["devices"], key=lambda device: device["events"])
    if main["events"] < 10 or main["kind"] == "host":
        return
    count, index = main["events"], main["device"]
    convert(program, path, whole)
    first_event, last = count // 3, count - count // 5
    for out, options in ((whole, ()), (folder / "cut.pickle", ("--range", f"{first_event}:{last}", "--device", index)),
                         (folder / "cut.json", ("--range", f"{first_event}:{last}", "--device", index))):
        convert(program, path, out, *options)
        if out.suffix == ".pickle":
            with open(out, "rb") as file:
                snapshot = Inert(file).load()
            used = {opcode.name for opcode, _, _ in pickletools.genops(out.read_bytes())}
            checks.equal(f"{path.name}: opcodes the viewer lacks", used - VIEWER_OPCODES, set())
        else:
            snapshot = json.loads(out.read_text(encoding="utf-8"))
        checks.equal(f"{path.name}: {out.name}", list(viewer_complaints(snapshot))[:1], [])
        # Without block sizes of the end a trace that contradicts itself reads differently.
        if main["consistency"]["violations"]:
            continue
        again = harness.by_device(program.json("summary", out), index)
        first_state, end = (first_event, last + 1) if options else (0, count)
        totals = [main["start_requested_bytes"], *(row[0] for row in whole_totals(program, path, folder, index))]
        checks.equal(f"{path.name}: peak of {out.name}", again["peak"]["requested_bytes"], max(totals[first_state:end + 1]))
        checks.equal(f"{path.name}: end of {out.name}", again["end_requested_bytes"], totals[end])
        checks.equal(f"{path.name}: start of {out.name}", again["start_requested_bytes"], totals[first_state])


def whole_totals(program, path, folder, index):
    base = sqlite3.connect(folder / "out.sqlite")
    return base.execute("SELECT allocated_bytes FROM events WHERE device = ? ORDER BY event", (index,)).fetchall()


def check_file(checks, program, path, folder):
    summary = program.json("summary", path)
    if not any(device["events"] or device["segments"] for device in summary["devices"]):
        return
    outs = {ending: convert(program, path, folder / f"out.{ending}") for ending in ENDINGS}
    check_perfetto(checks, path, outs["pftrace"], summary)
    check_pprof(checks, path, outs["pb.gz"], summary)
    check_flame(checks, path, outs["speedscope.json"], outs["folded"], summary)
    base = check_sqlite(checks, program, path, outs["sqlite"], summary)
    check_csv(checks, program, path, base, folder)
    check_cut(checks, program, path, folder, summary)
    base.close()


def check_clock(checks, program, path, folder):
    """Times are those of the file in nanoseconds, less the base."""
    def start(*options):
        packet = first(convert(program, path, folder / "clock.pftrace", *options).read_bytes(), 1)
        return first(packet, 8)
    base = 1_759_999_999_000_000_000
    checks.equal("the first time less the base", start() - start("--base-time", base), base)
    time = program.json("timeline", path)["devices"][0]["points"][-1]["time_us"]
    checks.that(0 <= time * 1000 - start() < 1e12, "the trace's clock is another one than the file's")


def check_examples(checks, root, out):
    """The queries of docs/sqlite.md run and find something; its tables are those of the database."""
    text = (root / "docs/sqlite.md").read_text(encoding="utf-8")
    queries = re.findall(r"```sql\n(.*?)```", text, re.DOTALL)
    base = sqlite3.connect(out)
    checks.that(len(queries) >= 5, "fewer than five queries")
    for query in queries:
        checks.that(base.execute(query).fetchall(), f"a query finds nothing: {query}")
    documented = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", text, re.MULTILINE))
    for (table,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        columns = [column[1] for column in base.execute(f"PRAGMA table_info({table})")]
        checks.equal(f"columns of {table} in docs/sqlite.md", re.findall(r"`(\w+)`", documented.get(table, "")), columns)


def limited():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16384, 16384))


def check_full_disk(checks, program, path, folder):
    """Where not all of it can be written the old file stays, and nothing half is left."""
    for ending in ENDINGS:
        out = folder / f"kept.{ending}"
        convert(program, path, out)
        content = out.read_bytes()
        if len(content) <= 16384:
            continue
        done = subprocess.run([program.path, "convert", path, "-o", out], capture_output=True, text=True, check=False,
                              preexec_fn=limited)  # pylint: disable=subprocess-popen-preexec-fn
        checks.equal(f"{ending} on a full disk: exit code ({done.stderr.strip()})", done.returncode, 2)
        checks.equal(f"{ending}: lines on standard error", done.stderr.count("\n"), 1)
        checks.that(out.read_bytes() == content, f"{ending}: the old file is gone")
    checks.equal("left behind", [name.name for name in folder.iterdir() if name.name.startswith(".tidemark")], [])


def check_refusals(checks, program, path, folder):
    for what, arguments, words in (
            ("a range", ["-o", folder / "x.pickle", "--range", "9:1"], "There is no range 9:1"),
            ("a range of words", ["-o", folder / "x.pickle", "--range", "a:b"], "A:B"),
            ("an ending", ["-o", folder / "x.txt"], ".pftrace"),
            ("a table", ["-o", folder / "x.csv", "--table", "none"], "choose meta, devices"),
            ("a folder", ["-o", folder / "none" / "x.sqlite"], "No such file"),
            ("a device", ["-o", folder / "x.sqlite", "--device", "7"], "7")):
        done = program.run("convert", path, *arguments)
        checks.equal(f"{what}: exit code", done.returncode, 2)
        checks.that(words in done.stderr, f"{what}: {done.stderr!r} does not say {words!r}")
        checks.equal(f"{what}: written", sorted(name.name for name in folder.glob("x.*")), [])
    mine = folder / "mine.sqlite"
    mine.write_text("mine", encoding="utf-8")
    for out in (mine, path):
        before = pathlib.Path(out).read_bytes()
        done = program.run("convert", path, "-o", out)
        checks.equal(f"{out.name}: exit code", done.returncode, 2)
        checks.equal(f"{out.name}: content", out.read_bytes(), before)
    if os.geteuid() != 0:
        closed = folder / "closed"
        closed.mkdir(mode=0o500)
        checks.equal("a closed folder", program.run("convert", path, "-o", closed / "a.sqlite").returncode, 2)


def check_hostile_names(checks, program, folder):
    """A name from the file stays a name in every format."""
    name = 'a;b "c", d\n::error::x\x1b[31m\udc80'
    frames = [{"name": name, "filename": "/x/" + name + ".py", "line": 1}]
    event = {"action": "alloc", "addr": 4096, "size": 512, "stream": 0, "frames": frames}
    blocks = [{"address": 4096, "size": 512, "requested_size": 512, "state": "active_allocated"}]
    segment = {"device": 0, "address": 4096, "total_size": 512, "stream": 0, "segment_type": "small", "blocks": blocks}
    path = folder / "names.pickle"
    path.write_bytes(pickle.dumps({"segments": [segment], "device_traces": [[event]]}))
    outs = {ending: convert(program, path, folder / f"names_out.{ending}") for ending in ENDINGS}
    lines = outs["folded"].read_text(encoding="utf-8").splitlines()
    checks.equal("folded lines", [line.count(";") for line in lines], [2])
    with open(outs["pickle"], "rb") as file:
        stack = Inert(file).load()["device_traces"][0][0]["frames"]
    checks.that(stack[0]["name"].startswith('a;b "c", d\n::error'), f"the pickle has {stack}")
    row = sqlite3.connect(outs["sqlite"]).execute("SELECT name FROM frames").fetchone()
    checks.that("\x1b" not in row[0] and row[0].startswith("a;b"), f"the database has {row}")


def main():
    program, data = harness.Program(sys.argv[1]), harness.data_dir(sys.argv[2])
    checks = harness.Checks()
    for path in harness.sampled(harness.snapshot_files(data), rarer=4):
        with tempfile.TemporaryDirectory() as name:
            check_file(checks, program, path, pathlib.Path(name))
    if not harness.is_of_others():
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            path = harness.modelled_file(data, "gpt_oom_backward")
            check_file(checks, program, path, folder)
            check_clock(checks, program, path, folder)
            check_examples(checks, data.parent.parent, folder / "out.sqlite")
            check_full_disk(checks, program, path, folder)
            check_refusals(checks, program, path, folder)
            check_hostile_names(checks, program, folder)
    checks.finish()


if __name__ == "__main__":
    main()
