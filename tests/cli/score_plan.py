# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""score_plan.py TIDEMARK_CLI DATA_DIR [FOLDER...] [--check] [--markdown]: plans against runs that were really made.

One row per recording of a library's trainer, and per sibling of one, whose truth has the model's configuration, in tests/data
and in further folders. Its configuration is written down as config.json and planned for the CPU, where they were
made:
true, planned   the largest requested total, in MiB
error           signed
in range        whether the plan's low..high holds the truth
reserved        the error of the planned reserved bytes, against the most that the recording reserved
phase           where the plan has its peak
A run that died has no peak: there the plan must not fit into the capacity, or at least not surely.
--check fails unless 90 % are within 1 %, all within 3 %, all (reserved bytes, too) in their range, and no run that died is
said to fit.

Of other people there are recordings on GPUs: models that their authors wrote by hand, whose configuration is known
(facts.json, dimensions.json). What a configuration does not tell is read off the code's frames and the recording's phases:
which part of a step runs, which AdamW, whether autocast is on. Their peak has cuBLAS's workspaces, which a plan has on a line
of their own. --check fails unless 90 % are within 10 %, and 95 % in their range."""

import json
import pathlib
import pickle
import re
import sys
import tempfile

import harness
from pair import packed_or_not

MIB = 1 << 20
MOST, WITHIN, ALL_WITHIN = 0.90, 0.01, 0.03
MOST_REAL, REAL_WITHIN, MOST_IN_RANGE = 0.90, 0.10, 0.95
# Functions of torch that step on lists of parameters.
LISTS = {"_multi_tensor_adam", "_multi_tensor_adamw"}
# What cuBLAS asks of PyTorch's allocator per thread that uses it, on cards before Hopper.
WORKSPACE = 8519680
OPTIMIZERS = {"adamw_torch_fused": "adamw", "adamw_torch": "adamw-foreach", "sgd": "sgd", "adafactor": "adafactor"}


def options(dimensions):
    """What the trainer was told, as options of `plan`."""
    arguments = dimensions.get("arguments") or {}
    precision = "bf16" if dimensions["dtype"] == "bfloat16" else "autocast-bf16" if arguments.get("bf16") else "fp32"
    words = {
        "batch": dimensions["batch"], "sequence": dimensions["sequence"], "accumulation": dimensions["accumulation"],
        "precision": precision, "optimizer": OPTIMIZERS[arguments.get("optim", "adamw_torch_fused")],
        "attention": dimensions["attention"], "target": "cpu",
        "checkpointing": "full" if arguments.get("gradient_checkpointing") else "none"}
    if dimensions.get("target"):
        words["target-sequence"] = dimensions["target"]
    if not words["sequence"]:
        del words["sequence"]  # An image has no tokens of its own.
    lora = dimensions.get("lora")
    if lora:
        words.update({"lora": lora["rank"], "lora-targets": ",".join(lora["targets"])})
    flags = ["--padded"] if dimensions.get("padded") else []
    return flags + [part for name, value in words.items() for part in (f"--{name}", str(value))]


class Run:
    """A run and its plan."""

    def __init__(self, program, name, dimensions, peak, capacity=None, recording=None):
        self.name, self.true, self.capacity = name, peak, capacity
        self.reserved = None
        if recording:
            peaks = program.json("summary", recording)["devices"][0]["peaks"]
            self.reserved = peaks["reserved"][0]["bytes"]
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder) / "config.json"
            config.write_text(json.dumps(dimensions["config"]), encoding="utf-8")
            room = ["--capacity", str(capacity)] if capacity else []
            done = program.run("plan", config, "--json", *options(dimensions), *room)
        assert done.returncode in (0, 1), f"{name}: {done.stderr.strip()}"
        self.plan = json.loads(done.stdout, parse_constant=harness.refuse_constant)
        self.exit_code = done.returncode
        self.same_model = (
            self.plan["model"]["parameters"] == dimensions["parameters"]
            and self.plan["model"]["trained_parameters"] == dimensions["trainable"])

    @property
    def planned(self):
        return self.plan["peak_requested_bytes"]

    @property
    def error(self):
        return self.planned / self.true - 1

    @property
    def is_in_range(self):
        return self.plan["low_bytes"] <= self.true <= self.plan["high_bytes"]

    @property
    def is_reserved_in_range(self):
        return not self.reserved or self.plan["reserved_low_bytes"] <= self.reserved <= self.plan["reserved_high_bytes"]

    @property
    def complaints(self):
        found = [] if self.same_model else [f"{self.name}: the planned model has another number of parameters"]
        if sum(self.plan["buckets"].values()) != self.planned:
            found.append(f"{self.name}: the buckets do not add up to the peak")
        if self.capacity:
            if self.plan["fits"] is True:
                found.append(f"{self.name}: died, and the plan says that it fits")
            if (self.exit_code == 1) != (self.plan["fits"] is False):
                found.append(f"{self.name}: the exit code {self.exit_code} is not what 'fits' says")
            return found
        if abs(self.error) > ALL_WITHIN:
            found.append(f"{self.name}: {self.error:+.2%} of the true peak")
        if not self.is_in_range:
            found.append(f"{self.name}: the truth is outside the range")
        if not self.is_reserved_in_range:
            found.append(f"{self.name}: what was reserved is outside the range")
        return found

    def row(self):
        if self.capacity:
            fits = {True: "fits WRONG", False: "does not fit", None: "not sure"}[self.plan["fits"]]
            return [self.name, f"died at {self.capacity / MIB:.0f}", f"{self.planned / MIB:.2f}", "", fits, "",
                    self.plan["peak_phase"]]
        reserved = f"{self.plan['reserved_bytes'] / self.reserved - 1:+.2%}" if self.reserved else ""
        return [self.name, f"{self.true / MIB:.2f}", f"{self.planned / MIB:.2f}", f"{self.error:+.3%}",
                "yes" if self.is_in_range else "NO", reserved, self.plan["peak_phase"]]


class RealRun:
    """A real recording of a hand-written model, and its plan as such."""

    def __init__(self, program, folder, dimensions, facts):
        recording = folder / dimensions["file"]
        truth = facts["ground_truth"]
        self.name = recording.name.split("__")[-1]
        self.true = facts["peak"]["0"]["peak_requested"]
        phases = {p["phase"] for p in program.json("summary", recording)["devices"][0]["phase_peaks"]["by_phase"]}
        self.mode = "train" if "backward" in phases else "forward" if "forward" in phases else "inference"
        with tempfile.TemporaryDirectory() as place:
            config = pathlib.Path(place) / "config.json"
            config.write_text(json.dumps({
                "model_type": "llama", "hidden_size": dimensions["hidden"], "intermediate_size": dimensions["feed_forward"],
                "num_hidden_layers": dimensions["layers"], "num_attention_heads": dimensions["heads"],
                "vocab_size": dimensions["vocabulary"], "tie_word_embeddings": False}), encoding="utf-8")
            done = program.run("plan", config, "--json", *self.options(recording, dimensions, truth))
        assert done.returncode == 0, f"{self.name}: {done.stderr.strip()}"
        plan = json.loads(done.stdout, parse_constant=harness.refuse_constant)
        self.phase = plan["peak_phase"]
        self.same_model = plan["model"]["parameters"] == truth["params"]
        handles = WORKSPACE * (2 if self.mode == "train" else 1)
        self.planned, self.low = plan["peak_requested_bytes"] + handles, plan["low_bytes"] + handles
        self.high = plan["high_bytes"] + plan["workspace_bytes"]

    def options(self, recording, dimensions, truth):
        """The code as it is: all is written out, and some of it casts, steps on lists, or never steps at all."""
        functions, casts = code_of(recording)
        steps = not truth["optimizer"].startswith("none")
        optimizer = "adamw-foreach" if LISTS & functions else "adamw-for-loop" if steps else "sgd"
        sequence = dimensions.get("sequence") or int(re.search(r"ctx (\d+)", truth["note"])[1])
        words = {"batch": dimensions["batch"], "sequence": sequence, "mode": self.mode, "optimizer": optimizer,
                 "precision": "autocast-bf16" if casts else "fp32", "attention": "own",
                 "own-code": "activation,loss,loop"}
        if self.mode == "train" and not steps:
            words["accumulation"] = 2  # What never steps drops no gradients.
        return [part for name, value in words.items() for part in (f"--{name}", str(value))]

    @property
    def error(self):
        return self.planned / self.true - 1

    @property
    def is_in_range(self):
        return self.low <= self.true <= self.high

    def row(self):
        return [self.name, self.mode, f"{self.true / MIB:.2f}", f"{self.planned / MIB:.2f}", f"{self.error:+.2%}",
                "yes" if self.is_in_range else "NO", self.phase]


def is_softmax_of_attention(frames):
    words = " ".join(frame["filename"] + frame["name"] for frame in frames)
    return "softmax" in words and "attention" in words


def code_of(recording):
    """The functions of a recording's frames, and whether scores are made in two widths, which is autocast."""
    with open(recording, "rb") as file:
        trace = pickle.load(file)["device_traces"][0]  # The data's own; nothing else is unpickled.
    functions = {frame["name"] for event in trace for frame in event["frames"]}
    attention = [event["size"] for event in trace if event["action"] == "alloc" and is_softmax_of_attention(event["frames"])]
    largest = max(attention, default=0)
    return functions, sum(size == largest // 2 for size in attention) * 4 > sum(size == largest for size in attention)


def real_runs(program, folder):
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    for dimensions in json.loads((folder / "dimensions.json").read_text(encoding="utf-8")):
        of_file = facts.get(dimensions["file"], {}).get("facts", {})
        if "ground_truth" in of_file:
            yield RealRun(program, folder, dimensions, of_file)


def complaints_of_real(found):
    near = sum(abs(run.error) <= REAL_WITHIN for run in found)
    ranged = sum(run.is_in_range for run in found)
    print(f"\n{len(found)} real recordings, {sum(abs(run.error) <= WITHIN for run in found)} within {WITHIN:.0%}, {near} within "
          f"{REAL_WITHIN:.0%}; {ranged} in their range")
    complaints = [f"{run.name}: the planned model has another number of parameters" for run in found if not run.same_model]
    if near < MOST_REAL * len(found):
        complaints.append(f"only {near} of {len(found)} real recordings are within {REAL_WITHIN:.0%}")
    if ranged < MOST_IN_RANGE * len(found):
        complaints.append(f"only {ranged} of {len(found)} real recordings are in their range")
    return complaints


def runs(program, folder):
    for path in sorted(folder.glob("*.truth.json")):
        truth = json.loads(path.read_text(encoding="utf-8"))
        dimensions = truth.get("dimensions") or {}
        if dimensions.get("config"):
            name = path.name.removesuffix(".truth.json")
            if truth.get("oom"):
                yield Run(program, name, dimensions, truth["requested_peak"], capacity=truth["capacity"])
                continue
            recording = packed_or_not(path.with_name(name + ".pickle"))
            yield Run(program, name, dimensions, truth["requested_peak"], recording=recording)
    for path in sorted(folder.glob("*.pair.json")):
        pair = json.loads(path.read_text(encoding="utf-8"))
        dimensions = pair.get("dimensions_after") or {}
        if dimensions.get("config") and "capacity" not in pair:
            yield Run(program, path.name.removesuffix(".pair.json"), dimensions, pair["peak_requested_after"])


def complaints_of_runs(found):
    complaints = [words for run in found for words in run.complaints]
    measured = [run for run in found if not run.capacity]
    near = sum(abs(run.error) <= WITHIN for run in measured)
    if not measured or near < MOST * len(measured):
        complaints.append(f"only {near} of {len(measured)} are within {WITHIN:.0%}")
    worst = max((abs(run.error) for run in measured), default=0)
    print(f"\n{len(measured)} runs, {near} within {WITHIN:.0%}, the worst {worst:.3%}; "
          f"{sum(run.is_in_range for run in measured)} in their range; {len(found) - len(measured)} that died")
    return complaints


def main():
    program, folder, *folders = [a for a in sys.argv[1:] if not a.startswith("--")]
    program, data = harness.Program(program), harness.data_dir(folder)
    if harness.is_of_others():
        found = list(real_runs(program, data / "real"))
        header, judged = ["recording", "mode", "true", "planned", "error", "in range", "phase"], complaints_of_real
    else:
        found = [run for f in [data / "modern", *map(pathlib.Path, folders)] for run in runs(program, f)]
        header, judged = ["run", "true", "planned", "error", "in range", "reserved", "phase"], complaints_of_runs
    harness.print_table(header, [run.row() for run in found], "--markdown" in sys.argv)
    complaints = judged(found)
    for words in complaints:
        print(words)
    sys.exit(1 if complaints and "--check" in sys.argv else 0)


main()
