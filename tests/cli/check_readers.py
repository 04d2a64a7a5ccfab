#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_readers.py TIDEMARK_CLI DATA_DIR: one snapshot says the same however it is read and wrapped: by both readers, in
every pickle protocol, as JSON, on a page, packed, and packed twice."""

import base64
import bz2
import gzip
import io
import json
import lzma
import pathlib
import pickle
import subprocess
import sys
import tarfile
import tempfile
import zipfile

from harness import Checks, Program, bare_name, data_dir, sampled, snapshot_files, unpacked

SMALL_ENOUGH = 1_200_000


class Plain(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name}")


def zip_of(files):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def tar_gz_of(files):
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return target.getvalue()


def page_of(content):
    encoded = base64.b64encode(content + bytes(3 - len(content) % 3)).decode()
    listed = json.dumps([{"name": "a.pickle", "base64": encoded}])
    return f"<!DOCTYPE html><html><body><script>x({listed}, 1)</script></body></html>".encode()


def forms_of(content, value):
    """The same snapshot in other clothes, by a name for the complaint."""
    forms = {f"protocol {protocol}": pickle.dumps(value, protocol) for protocol in range(6)}
    text = json.dumps(value).encode()
    forms |= {
        "JSON": text,
        "JSON with indents": json.dumps(value, indent=1).encode(),
        "page": page_of(content),
        "gzip": gzip.compress(content, 1),
        "bzip2": bz2.compress(content, 1),
        "xz": lzma.compress(content, preset=0),
        "zip": zip_of({"logs/readme.txt": b"nothing here\n", "logs/snapshot.pickle": content}),
        "tar.gz": tar_gz_of({"a/notes.txt": b"nothing\n", "a/snapshot": content}),
        "JSON in gzip": gzip.compress(text, 1),
        "gzip in zip": zip_of({"snapshot.pickle.gz": gzip.compress(content, 1)}),
    }
    return forms


def told(answer):
    """What a summary says of the run, without what tells how it was read."""
    notes = [note for note in answer["notes"] if note["code"] not in ("second-reader", "more-snapshots")]
    return {**answer, "file": "", "file_bytes": 0, "format": {}, "notes": notes}


def same(checks, what, actual, expected):
    keys = [key for key in expected if actual.get(key) != expected[key]] + [key for key in actual if key not in expected]
    checks.that(not keys, f"{what}: other {', '.join(keys)}")


def check_file(program, checks, path, folder):
    content = unpacked(path)
    expected = told(program.json("summary", path))
    labels = program.json("labels", path, "--reader", "native")
    same(checks, f"{path.name}: labels by CPython", program.json("labels", path, "--reader", "cpython"), labels)
    same(checks, f"{path.name}: by CPython", told(program.json("summary", path, "--reader", "cpython")), expected)
    if len(content) > SMALL_ENOUGH:
        return
    value = Plain(io.BytesIO(content)).load()
    target = folder / "form"
    for form, packed in forms_of(content, value).items():
        target.write_bytes(packed)
        same(checks, f"{path.name} as {form}", told(program.json("summary", target)), expected)
    zstd = subprocess.run(["zstd", "-q", "-c"], input=content, capture_output=True, check=True)
    target.write_bytes(zstd.stdout)
    same(checks, f"{path.name} as Zstandard", told(program.json("summary", target)), expected)


def check_cut(program, checks, path, folder):
    """Most of a file is shown as such, and nobody says that nothing ran out."""
    whole = program.json("summary", path)["devices"][0]
    target = folder / "cut"
    content = unpacked(path)
    target.write_bytes(content[:len(content) * 6 // 10])
    summary = program.json("summary", target)
    checks.that("cut-off" in {note["code"] for note in summary["notes"]}, "no note on the cut")
    device = summary["devices"][0]
    checks.that(device["events"] > whole["events"] // 2, f"the cut left {device['events']} events")
    for key in ("start_requested_bytes", "reserved_end_bytes"):
        checks.equal(f"cut file: {key}", device[key], whole[key])
    checks.equal("cut file: peak", device["peak"], whole["peak"])
    checks.equal("cut file: first note", summary["notes"][0]["code"], "cut-off")
    broken = f"The copy is broken: the file is cut off at byte {target.stat().st_size:,}. Copy it again."
    for command in ("summary", "diagnose"):
        text = " ".join(program.text(command, target).split())
        checks.that(broken in text[:200], f"{command} does not begin with it: {text[:200]}")
    answer = json.loads(program.text("diagnose", "--json", target))
    for device in answer.get("devices", [answer]):
        checks.equal("cut file: headline", device["headline"], broken)


def main():
    program = Program(sys.argv[1])
    checks = Checks()
    files = [path for path in snapshot_files(data_dir(sys.argv[2])) if path.suffix != ".html"]
    with tempfile.TemporaryDirectory() as scratch:
        for path in sampled(files, rarer=2):
            check_file(program, checks, path, pathlib.Path(scratch))
        for path in files:
            if bare_name(path) == "gpt_train_full":
                check_cut(program, checks, path, pathlib.Path(scratch))
    checks.finish()


if __name__ == "__main__":
    main()
