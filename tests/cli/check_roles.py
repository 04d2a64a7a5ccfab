# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_roles.py TIDEMARK_CLI DATA_DIR: what `program` states of a size is the role that `labels` gives. Where every use of
a size in a pass is logits (or attention matrices of a length that is stated), each activation of that size has the role;
where none is, no activation of that size has it but by a name or a person."""

import collections
import sys

import harness

WIDE = {"logits", "attention_matrix"}
NOT_OF_A_PASS = {"weight", "gradient", "optimizer state", "workspace", "communication", "copy of a weight"}
SAID = 100  # percent


def stated_whats(device):
    """What the uses of each size in passes are, of devices whose rows are known; None: more than one product fits."""
    names = {d["name"] for d in device["dimensions"]}
    whats = collections.defaultdict(set)
    for use in device["sizes"] if "tokens" in names else []:
        is_known = use["expression"] is not None and (use["what"] != "attention matrix" or "sequence" in names)
        if use["what"] not in NOT_OF_A_PASS:
            what = use["what"].replace(" ", "_")  # as roles are written
            whats[use["bytes"]].add(what if is_known and not use["alternatives"] else None)
    return whats


def check(program, checks, path):
    answers = {command: program.json(command, path)["devices"] for command in ("program", "labels")}
    kinds = 0
    for device, labelled in zip(answers["program"], answers["labels"]):
        roles = collections.defaultdict(set)
        for allocation in labelled["allocations"]:
            if allocation["bucket"] == "activation" and allocation["confidence"] < SAID:
                roles[allocation["requested_bytes"]].add(allocation["role"])
        for size, whats in stated_whats(device).items():
            where = f"{path.name}: {size} B, GPU {device['device']}"
            if whats <= WIDE and len(whats) == 1 and size in roles:
                kinds += 1
                checks.that(roles[size] & WIDE == whats and None not in roles[size],
                            f"{where}: program states {whats}, labels have {roles[size]}")
            elif None not in whats and not whats & WIDE:
                checks.that(not roles[size] & WIDE, f"{where}: program states {whats}, labels have {roles[size]}")
    return kinds


def main():
    program, folder = harness.Program(sys.argv[1]), harness.data_dir(sys.argv[2])
    checks = harness.Checks()
    files = [path for path in harness.snapshot_files(folder) if path.suffix != ".html"]
    kinds = sum(check(program, checks, path) for path in files)
    print(f"{kinds} sizes of logits and attention matrices in {len(files)} recordings")
    checks.that(kinds > 0, "no recording states logits or attention matrices")
    checks.finish()


main()
