# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_native_frames.py TIDEMARK_CLI DATA_DIR: the modelled runs again with C++ frames woven in, as recordings have them by
default: the same first cause, and the same peaks after a change."""

import pathlib
import pickle
import sys
import tempfile

import harness
import modelled
import native_frames

CHANGES = ("micro-batch=0.5", "lora=8", "attention=flash", "checkpointing=full")
WITHIN = 0.01


def peak_after(program, path, change):
    devices = program.json("predict", path, "--apply", change)["devices"]
    return max(d["after"]["need_bytes"] for d in devices)


def main():
    program, folder = harness.Program(sys.argv[1]), harness.data_dir(sys.argv[2])
    checks = harness.Checks()
    with tempfile.TemporaryDirectory() as out:
        for run in modelled.runs(folder):
            snapshot = pickle.loads(harness.unpacked(run.path))
            native_frames.weave(snapshot, autocast=False)
            woven = pathlib.Path(out) / f"{run.name}.pickle"
            woven.write_bytes(pickle.dumps(snapshot))
            first, again = (program.json("diagnose", path)["causes"][0]["cause"] for path in (run.path, woven))
            checks.equal(f"{run.name}: first cause", again, first)
            for change in CHANGES:
                plain, after = (peak_after(program, path, change) for path in (run.path, woven))
                checks.that(abs(after - plain) <= WITHIN * plain, f"{run.name}, {change}: {after}, without them {plain}")
    checks.finish()


if __name__ == "__main__":
    main()
