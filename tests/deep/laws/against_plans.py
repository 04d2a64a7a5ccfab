# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""against_plans.py TIDEMARK_CLI ROOT [--count N] [--words WORD...] [--rows] [--check]: what `predict` says of a change to
a planned run, beside the plan of the changed run.

Each family's plan is written as a recording (`plan -o`), read like any other and changed by words; the plan of the changed run is the
truth. Both know the same program, so what differs is a label of the recording or a law. A run whose buckets at the peak are not those
of its plan counts as `labels`: no law is to blame. --check fails where too few agree."""

import argparse
import json
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cli"))

import harness  # noqa: E402

BATCH, SEQUENCE = 8, 256
WITHIN = 0.05  # of the changed run's peak
LAYERS = 12  # small models are all logits
LABELLED = 0.02  # of the peak may lie in other buckets than planned
# What a run is changed from, by name: options of plan.
BASES = {
    "fp32": {"--precision": "fp32", "--attention": "eager", "--optimizer": "adamw-foreach"},
    "autocast": {"--precision": "autocast-bf16", "--attention": "sdpa", "--optimizer": "adamw-foreach"},
    "bf16": {"--precision": "bf16", "--attention": "sdpa", "--optimizer": "adamw"},
}
# A change in the words of predict, and in options of plan; a number multiplies what there is. Of which bases.
WORDS = [
    ("micro-batch=2", {"--batch": 2}, "fp32 autocast bf16"),
    ("micro-batch=0.5", {"--batch": 0.5}, "fp32 autocast bf16"),
    ("sequence=2", {"--sequence": 2}, "fp32 autocast bf16"),
    ("sequence=0.5", {"--sequence": 0.5}, "fp32 autocast bf16"),
    ("accumulation=4", {"--accumulation": "4"}, "fp32 autocast bf16"),
    ("micro-batch=0.5,accumulation=2", {"--batch": 0.5, "--accumulation": "2"}, "fp32"),
    ("checkpointing=full", {"--checkpointing": "full"}, "fp32 autocast bf16"),
    ("micro-batch=2,checkpointing=full", {"--batch": 2, "--checkpointing": "full"}, "fp32"),
    ("precision=bf16", {"--precision": "autocast-bf16"}, "fp32"),
    ("precision=pure-bf16", {"--precision": "bf16"}, "fp32 autocast"),
    ("optimizer=adamw8bit", {"--optimizer": "adamw-8bit"}, "fp32"),
    ("optimizer=adafactor", {"--optimizer": "adafactor"}, "fp32"),
    ("optimizer=sgd", {"--optimizer": "sgd"}, "fp32 bf16"),
    ("foreach=off", {"--optimizer": "adamw-for-loop"}, "fp32"),
    ("fused=on", {"--optimizer": "adamw"}, "fp32 autocast"),
    ("attention=flash", {"--attention": "sdpa"}, "fp32"),
    ("fused-loss=on", {"--fused-loss": None}, "fp32 bf16"),
    ("zero=1,gpus=4", {"--zero": "1", "--gpus": "4"}, "fp32"),
    ("zero=2,gpus=4", {"--zero": "2", "--gpus": "4"}, "fp32"),
    ("zero=3,gpus=4", {"--zero": "3", "--gpus": "4"}, "fp32"),
    ("lora=16", {"--lora": "16"}, "fp32 bf16"),
    ("lora=16,checkpointing=full", {"--lora": "16", "--checkpointing": "full"}, "fp32"),
    ("qlora=16", {"--lora": "16", "--quantize": "nf4"}, "bf16"),
]
# Of how many runs both must agree: within WITHIN, or the truth in the range.
LEAST = 0.9


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("cli")
    parser.add_argument("root", type=pathlib.Path, help="of the sources")
    parser.add_argument("--count", type=int, default=0, help="so many families")
    parser.add_argument("--words", nargs="*", help="only these")
    parser.add_argument("--bases", nargs="*", default=list(BASES))
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--check", action="store_true")
    return parser.parse_args()


def options_of(settings):
    return [str(part) for option, value in settings.items() for part in ([option] if value is None else [option, value])]


def changed(settings, change):
    made = dict(settings)
    for option, value in change.items():
        made[option] = int(made[option] * value) if isinstance(value, (int, float)) else value
    return made


def plan(program, config, settings, *more):
    done = program.run("plan", "--json", config, *options_of(settings), *more)
    return json.loads(done.stdout) if done.returncode in (0, 1) else None


def misplaced(planned, recorded):
    """How much of the peak is in other buckets than planned."""
    names = set(planned) | set(recorded)
    return sum(abs(planned.get(name, 0) - recorded.get(name, 0)) for name in names) / 2


def deeper(config):
    """The same with LAYERS layers, where no list names what each of them is."""
    names = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_decoder_layers", "encoder_layers", "decoder_layers")
    return config if "layer_types" in config else {name: LAYERS if name in names else value for name, value in config.items()}


def configurations(root):
    """Family -> a configuration of it: that of a small model which was recorded, or of the smallest that is known by name."""
    found = {}
    for run in json.loads((root / "tests/data/plan/families.json").read_text(encoding="utf-8"))["runs"]:
        found.setdefault(run["config"]["model_type"], deeper(run["config"]))
    models = json.loads((root / "resources/models.json").read_text(encoding="utf-8"))["models"]
    for model in sorted(models, key=lambda model: model["parameters"]):
        found.setdefault(model["config"]["model_type"], model["config"])
    return found


def rows_of(program, folder, model, base, words):
    config = folder / "config.json"
    config.write_text(json.dumps(model), encoding="utf-8")
    settings = {"--batch": BATCH, "--sequence": SEQUENCE, **BASES[base]}
    recording = folder / "run.pickle"
    before = plan(program, config, settings, "-o", recording)
    if before is None:
        return
    peak = program.json("summary", recording)["devices"][0]["peak"]
    buckets = {name: size for name, size in before["buckets"].items() if name != "workspace"}
    off = misplaced(buckets, peak["buckets"]) / peak["requested_bytes"]
    for word, change, bases in words:
        if base not in bases.split():
            continue
        after = plan(program, config, changed(settings, change))
        if after is None:
            continue
        said = program.json("predict", recording, "--apply", word, "--laws")["devices"][0]["after"]
        delta = after["peak_requested_bytes"] - before["peak_requested_bytes"]
        truth = peak["requested_bytes"] + delta
        error = said["peak_requested_bytes"] / truth - 1
        inside = said["low_bytes"] * 0.99 <= truth <= said["high_bytes"] * 1.01
        agrees = abs(error) <= WITHIN
        cause = "" if agrees else "labels" if off > LABELLED else "range" if inside else "law"
        yield {"word": word, "base": base, "family": model["model_type"], "error": error, "inside": inside, "cause": cause,
               "off": off, "phase": after.get("peak_phase"), "truth": truth, "said": said["peak_requested_bytes"]}


def table(rows):
    print("| word | runs | within 5 % | range holds it | labels | law | median | worst |")
    print("|---|---|---|---|---|---|---|---|")
    for word in dict.fromkeys(row["word"] for row in rows):
        some = [row for row in rows if row["word"] == word]
        worst = max(some, key=lambda row: abs(row["error"]))
        count = {cause: sum(row["cause"] == cause for row in some) for cause in ("", "range", "labels", "law")}
        print(f"| {word} | {len(some)} | {count['']} | {count['range']} | {count['labels']} | {count['law']} "
              f"| {statistics.median(row['error'] for row in some):+.1%} | {worst['error']:+.0%} {worst['family']} {worst['base']} |")


def main():
    given = parse()
    program, checks = harness.Program(given.cli), harness.Checks()
    chosen = list(configurations(given.root).values())
    if given.count:
        chosen = chosen[:: max(1, len(chosen) // given.count)]
    words = [word for word in WORDS if not given.words or word[0] in given.words]
    rows = []
    for model in chosen:
        for base in given.bases:
            with tempfile.TemporaryDirectory() as folder:
                for row in rows_of(program, pathlib.Path(folder), model, base, words):
                    rows.append(row)
                    if given.rows:
                        print(json.dumps(row), flush=True)
    table(rows)
    agreeing = sum(row["cause"] in ("", "range") for row in rows)
    print(f"{agreeing} of {len(rows)} agree; {sum(row['cause'] == 'labels' for row in rows)} labels, {sum(row['cause'] == 'law' for row in rows)} laws")
    if given.check:
        checks.that(agreeing >= LEAST * len(rows), f"{agreeing} of {len(rows)} agree")
        checks.finish()


main()
