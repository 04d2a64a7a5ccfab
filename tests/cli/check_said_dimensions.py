# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_said_dimensions.py TIDEMARK_CLI DATA_DIR: what follows from a dimension follows from one that a correction says.

The recording's sizes leave open how its tokens split into batch and sequence; it was made with a batch of 4."""

import pathlib
import sys
import tempfile

import harness
from harness import write_rules


def twice_the_sequence(program, snapshot, *rules):
    after = program.json("predict", snapshot, "--apply", "sequence=2", *rules)["devices"][0]["after"]
    return after["peak_requested_bytes"], after["high_bytes"] - after["low_bytes"]


def main():
    program, checks = harness.Program(sys.argv[1]), harness.Checks()
    snapshot = harness.data_dir(sys.argv[2]) / "modern/r_own_attention_ambiguous.pickle.xz"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        rules = {batch: ["--rules", write_rules(folder / f"{batch}.json", {"dimension": "batch", "value": batch})]
                 for batch in (2, 4)}
        for batch, sequence in ((2, 512), (4, 256)):
            found = program.json("program", snapshot, *rules[batch])["devices"][0]["dimensions"]
            values = {d["name"]: d["value"] for d in found}
            checks.equal(f"batch {batch}", (values["batch"], values["sequence"]), (batch, sequence))
        peak, width = twice_the_sequence(program, snapshot)
        other_peak, _ = twice_the_sequence(program, snapshot, *rules[2])
        _, true_width = twice_the_sequence(program, snapshot, *rules[4])
        checks.that(peak != other_peak, f"twice the sequence needs {peak} B with and without a batch that is said")
        checks.that(true_width < width, f"the range is {true_width} B wide with a batch that is said, {width} B without")
    checks.finish()


main()
