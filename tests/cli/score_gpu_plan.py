# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""score_gpu_plan.py TIDEMARK_CLI FOLDER [--check] [--rows]: plans against what torch counted on a real GPU (tests/data/gpu).

Each run whose model has a configuration, and each change of it, is planned from that configuration alone. The peak of a plan has
cuBLAS's workspaces on a line of their own; they are added, to what it reserves as well. These runs are plain loops, which is said (--loop plain).
--check fails below the bounds."""

import json
import pathlib
import sys
import tempfile

import harness

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "data" / "gpu"))
import setups  # noqa: E402  (what the runs were)

MIB = 1 << 20
WITHIN, MOST_WITHIN, MOST_IN_RANGE = 0.01, 0.98, 0.98
EXACT, MOST_EXACT = 0.001, 0.88
RESERVED_WITHIN, MOST_RESERVED = 0.01, 0.78
PRECISIONS = {"fp32": "fp32", "bf16": "autocast-bf16", "pure-bf16": "bf16"}
OPTIMIZERS = {"adamw": "adamw-foreach", "adamw fused=on": "adamw", "adamw foreach=off": "adamw-for-loop", "sgd": "sgd",
              "sgd-momentum": "sgd-momentum"}


def options(s):
    """Of `plan`; None where it plans no such run."""
    if s.compiled or not s.set_to_none or s.optimizer not in OPTIMIZERS:
        return None
    words = {"batch": s.samples, "precision": PRECISIONS[s.precision], "optimizer": OPTIMIZERS[s.optimizer],
             "attention": s.attention, "accumulation": s.micro_batches, "checkpointing": "full" if s.checkpointing else "none",
             "loop": "plain", "capacity": "H100-80GB"}
    if s.model in ("gemma2", "bloom"):
        words["attention"] = "eager"  # whatever is asked for
    if s.model != "vit":
        words["sequence"] = s.length
    if s.model in ("t5", "bart"):
        words["target-sequence"] = s.length
    if s.rank:
        words |= {"lora": s.rank, "lora-targets": "all-linear"}
    return [*["--padded"] * s.model.endswith("_padded"), *(str(p) for n, v in words.items() for p in (f"--{n}", v))]


def rows(program, folder):
    """(name, change, true peak, planned peak, whether its range holds the truth, error of the reserved bytes and whether their range does)"""
    for path in harness.sampled(sorted(folder.glob("*.changes.json"))):
        told = json.loads(path.read_text(encoding="utf-8"))
        if not told.get("config"):
            continue
        base = setups.Setup(**told["setup"])
        for change, measured in {"": told["on_whole_card"] or told["base"], **told["changes"]}.items():
            how = options(setups.changed(base, change) if change else base)
            if how is None or measured["error"]:
                continue
            with tempfile.TemporaryDirectory() as temporary:
                config = pathlib.Path(temporary) / "config.json"
                config.write_text(json.dumps(told["config"]), encoding="utf-8")
                done = program.run("plan", config, "--json", *how)
            if done.returncode not in (0, 1):
                yield path.name.removesuffix(".changes.json"), change, measured["peak_requested"], None, done.stderr.strip(), None, False
                continue
            plan = json.loads(done.stdout)
            low, mid, high = (plan[k] + plan["workspace_bytes"] for k in ("low_bytes", "peak_requested_bytes", "high_bytes"))
            least, reserved, most = (plan[k] + plan["workspace_bytes"] for k in ("reserved_low_bytes", "reserved_bytes", "reserved_high_bytes"))
            yield (path.name.removesuffix(".changes.json"), change, measured["peak_requested"], mid, low <= measured["peak_requested"] <= high,
                   reserved / measured["peak_reserved"] - 1, least <= measured["peak_reserved"] <= most)


def main():
    program, folder, checks = harness.Program(sys.argv[1]), pathlib.Path(sys.argv[2]), harness.Checks()
    for name in ("pairs", "others"):
        found = list(rows(program, folder / name))
        planned = [r for r in found if r[3] is not None]
        near = sum(abs(r[3] / r[2] - 1) <= WITHIN for r in planned)
        exact = sum(abs(r[3] / r[2] - 1) <= EXACT for r in planned)
        held = sum(r[4] for r in planned)
        reserved = sum(abs(r[5]) <= RESERVED_WITHIN for r in planned)
        reserved_held = sum(r[6] for r in planned)
        print(f"{name:8}{len(planned):4} plans, {exact} within {EXACT:.1%}, {near} within {WITHIN:.0%}, {held} in their range; "
              f"reserved {reserved} within {RESERVED_WITHIN:.0%}, {reserved_held} in their range; {len(found) - len(planned)} not planned")
        for run, change, true, mid, told, error, _ in found if "--rows" in sys.argv else []:
            if mid is None:
                print(f"    {run:22} {change:34} {told[:100]}")
            elif abs(mid / true - 1) > EXACT or abs(error) > RESERVED_WITHIN or not told:
                print(f"    {run:22} {change:34} {true / MIB:8.0f} {mid / MIB:8.0f} MiB {mid / true - 1:+7.2%} {'in' if told else 'OUT'}, reserved {error:+7.2%}")
        checks.that(planned == found, f"{name}: {len(found) - len(planned)} not planned")
        checks.that(exact >= (MOST_EXACT - harness.slack()) * len(planned), f"{name}: {exact} of {len(planned)} within {EXACT:.1%}")
        checks.that(near >= MOST_WITHIN * len(planned), f"{name}: {near} of {len(planned)} within {WITHIN:.0%}")
        checks.that(reserved >= (MOST_RESERVED - harness.slack()) * len(planned), f"{name}: reserved bytes of {reserved} of {len(planned)} within {RESERVED_WITHIN:.0%}")
        checks.that(reserved_held >= MOST_IN_RANGE * len(planned), f"{name}: reserved bytes of {reserved_held} of {len(planned)} in their range")
        checks.that(held >= MOST_IN_RANGE * len(planned), f"{name}: {held} of {len(planned)} in their range")
    if "--check" in sys.argv:
        checks.finish()


main()
