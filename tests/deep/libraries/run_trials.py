# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""run_trials.py TIDEMARK_CLI OUT_DIR [TRIAL...]: the capture module, as tidemark-cli hands it out, inside the real
libraries. Each trial runs in a process of its own; it must come without a warning to what is written beside it in
trials.py, and the program's labels and phases must be those that torch's own hooks tell. Prints one row a trial."""

import collections
import importlib
import json
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "cli")]

import harness  # noqa: E402
import modelled  # noqa: E402

PHASES = ("forward", "backward", "optimizer", "evaluation", "inference")


def run_here(name, folder):
    """In the child: records one trial and writes the truth beside its files."""
    import torch
    torch.set_num_threads(1)
    torch.manual_seed(0)
    import device as devices
    import tidemark_capture
    import trials
    import truth as truths
    run, expected = trials.TRIALS[name]
    trials.quiet()
    device = devices.Device(expected.capacity)
    devices.put_in_place(device, tidemark_capture)
    truth = truths.Truth(device)
    with truth.watching():
        run(trials.Trial(device, truth, tidemark_capture, str(folder / "run.pickle")))
    written = truth.written(device.shots[expected.shot])
    (folder / "run.truth.json").write_text(json.dumps(written), encoding="utf-8")


def fork(name, folder):
    folder.mkdir(parents=True)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with open(folder / "log.txt", "w", encoding="utf-8") as log:
                os.dup2(log.fileno(), 1)
                os.dup2(log.fileno(), 2)
                try:
                    run_here(name, folder)
                    status = 0
                except BaseException:
                    traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def weight(allocation, events):
    begin, end = allocation["alloc_event"], allocation["free_event"]
    return allocation["requested_bytes"] * ((events if end is None else end) - (-1 if begin is None else begin))


def label_share(allocations, truth, events):
    bucket_of, right, total, wrong = modelled.true_buckets(truth), 0, 0, collections.Counter()
    for allocation in allocations:
        true = bucket_of(allocation)
        total += weight(allocation, events)
        if true is None or modelled.agrees(allocation, true):
            right += weight(allocation, events)
        else:
            wrong[true, allocation["bucket"], allocation["reason"].split(":")[0]] += weight(allocation, events)
    return right / total if total else 1.0, [(w, n / total) for w, n in wrong.most_common(4)]


def phase_share(device, truth):
    """Of the events that truly lie in a phase that torch's hooks tell."""
    found = modelled.phase_per_event([[p["first_event"], p["phase"]] for p in device["phases"]], device["events"])
    true = modelled.phase_per_event(truth["phases"], device["events"])
    judged = [(a, b) for a, b in zip(found, true) if b in PHASES]
    wrong = collections.Counter((b, a) for a, b in judged if a != b)
    return (1 - sum(wrong.values()) / len(judged) if judged else 1.0), wrong.most_common(4)


class Judge:
    def __init__(self, program, checks):
        self.program, self.checks = program, checks

    def judge(self, name, folder, expected):
        files = tuple(sorted(f.name for f in folder.glob("*.pickle")))
        self.checks.equal(f"{name}: files", files, tuple(sorted(expected.files)))
        self.checks.equal(f"{name}: unfinished", [f.name for f in folder.glob("*.part")], [])
        judged = folder / expected.files[-1]
        if not judged.exists():
            return
        if expected.steps is None:
            self.judge_plain(name, judged)
            return
        known = pickle.loads(judged.read_bytes())["tidemark"]
        kinds, things = self.check_known(name, known, expected)
        truth = json.loads((folder / "run.truth.json").read_text(encoding="utf-8"))
        summary = self.program.json("summary", judged)
        device = summary["devices"][0]
        allocations = self.program.json("labels", judged)["devices"][0]["allocations"]
        labels, mistakes = label_share(allocations, truth, device["events"])
        phases, phase_mistakes = phase_share(device, truth)
        codes = [n["code"] for n in summary["notes"] if n["code"].startswith("capture")]
        self.checks.equal(f"{name}: notes", codes, [])
        self.checks.that(labels >= expected.share, f"{name}: labels {labels:.1%}, {mistakes}")
        self.checks.that(phases >= expected.phases, f"{name}: phases {phases:.1%}, {phase_mistakes}")
        print(f"{name:42} {len(known['warnings']):3} {known['steps']:5} {len(known['moments']['kind']):7} "
              f"{kinds['optimizer_begin']:5} {'yes' if 'optimizer_state' in things else 'no':>5} {labels:7.2%} "
              f"{phases:7.2%}  {known['reason']}: {' '.join(files)}", flush=True)
        for mistake in mistakes + phase_mistakes:
            print(f"    {mistake}")

    def judge_plain(self, name, judged):
        ooms = self.program.json("summary", judged)["devices"][0]["ooms"]
        self.checks.equal(f"{name}: OOMs", len(ooms), 1)
        print(f"{name:42} {len(ooms)} OOM read: {judged.name}", flush=True)

    def check_known(self, name, known, expected):
        kinds = collections.Counter(known["moments"]["kind"])
        kinds.update(n for k, n in zip(known["moments"]["kind"], known["moments"]["name"]) if k == "forward_begin")
        things = set(known["things"]["bucket"])
        equal = self.checks.equal
        equal(f"{name}: warnings", known["warnings"], [])
        equal(f"{name}: steps", known["steps"], expected.steps)
        equal(f"{name}: state", "optimizer_state" in things, expected.state)
        equal(f"{name}: reason", known["reason"], expected.reason)
        equal(f"{name}: error", (known["error"] or {"type": ""})["type"], expected.error)
        for kind, count in {"optimizer_end": expected.steps, **expected.kinds}.items():
            if kind != "optimizer_end" or "step" not in expected.kinds:
                equal(f"{name}: {kind}", kinds[kind], count)
        for key, value in expected.settings.items():
            equal(f"{name}: {key}", known["settings"][key], value)
        return kinds, things


def main():
    program, out = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    module = subprocess.run([program, "capture-module"], capture_output=True, check=True).stdout
    (out / "module").mkdir(parents=True, exist_ok=True)
    (out / "module" / "tidemark_capture.py").write_bytes(module)
    sys.path.insert(0, str(out / "module"))
    import trials
    for part in ("trainer", "lightning", "loops", "programs", "long_runs", "ranks", "trl", "deepspeed", "documented", "record"):
        importlib.import_module(f"trials_{part}")
    checks = harness.Checks()
    judge = Judge(harness.Program(program), checks)
    print(f"{'':42} warnings steps moments begun state  labels  phases")
    for name in sys.argv[3:] or trials.TRIALS:
        folder = out / name
        shutil.rmtree(folder, ignore_errors=True)
        status = fork(name, folder)
        log = (folder / "log.txt").read_text(encoding="utf-8")
        checks.equal(f"{name}: exit status", (status, log[-1500:] if status else ""), (0, ""))
        checks.that(not {"tidemark_capture", "Traceback"} & set(log.replace(":", " ").split()), f"{name}: {log[-1500:]}")
        if status == 0:
            judge.judge(name, folder, trials.TRIALS[name][1])
    checks.finish()


main()
