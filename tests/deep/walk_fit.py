# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""walk_fit.py TIDEMARK_CLI CACHE FOLDER... [--rows]: an experiment. Can plan's walk, fitted to a recording, predict a change better than the laws?

fit      from the recording alone: frames name the family and the kernels, `program`'s weights give the shape, `summary` the micro-batches of
         a step. What they leave open (how tokens split, heads, autocast, dropout, a mask, adapters' targets, which kernels) is tried, one
         thing after the other; the plan whose tensors are most of the recorded peak's (`plan CONFIG --against FILE`) is taken.
accepted where that is 98 % of the peak. strict: and each pass's peak within 2 %.
walk     recorded peak + (planned peak with the change - planned peak without)
laws     `predict --apply`

FOLDER holds *.pair.json, or *.changes.json of tests/data/gpu. Nothing of them is read by the fit but the recording's name. CACHE is a
JSON file of what was asked before, so that a run can be broken off and nothing is asked twice."""

import collections
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
from fractions import Fraction

from walk_shapes import Refused, Weights, shape_of

SAME, OF_PASS, WITHIN = 0.98, 0.02, 0.05
FILES = {"xlm_roberta": "xlm-roberta"}
FAMILIES = ("llama mistral qwen2 qwen3 gemma gemma2 gemma3 phi phi3 olmo olmo2 olmo3 smollm3 granite cohere cohere2 stablelm starcoder2 gpt_neox "
            "mixtral gpt2 opt bloom bert roberta xlm-roberta camembert distilbert t5 bart vit").split()
OPTIMIZERS = {"sgd-momentum": "sgd-momentum", "adafactor": "adafactor", "sgd": "sgd", "adamw8bit": "adamw-8bit"}
# What PEFT adapts where nobody says (TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING).
ADAPTED = {"gpt2": "c_attn", "gpt_neox": "query_key_value", "bloom": "query_key_value", "bert": "query,value", "roberta": "query,value", "t5": "q,v",
           "phi3": "qkv_proj", "mixtral": "q_proj,v_proj"}
PRECISIONS = {"bf16": "autocast-bf16", "pure-bf16": "bf16"}


class Cli:
    def __init__(self, program, cache):
        self.program, self.path = program, pathlib.Path(cache)
        self.known = json.loads(self.path.read_text()) if self.path.exists() else {}

    def json(self, *words):
        done = subprocess.run([self.program, *map(str, words), "--json"], capture_output=True, text=True)
        if done.returncode not in (0, 1):
            return {"error": done.stderr.strip()[:200]}
        return json.loads(done.stdout)

    def once(self, key, ask):
        if key not in self.known:
            self.known[key] = ask()
        return self.known[key]

    def save(self):
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self.known))
        os.replace(part, self.path)


class Recording:
    """What is read off one, and off nothing else."""

    def __init__(self, cli, path):
        self.path = path
        pick = lambda answer: max(answer["devices"], key=lambda d: d.get("events", 0) or len(d.get("models", [])) or d.get("found", 0))
        summary = pick(cli.json("summary", path))
        self.peak = summary["peak"]["requested_bytes"]
        self.workspace = summary["peak"]["buckets"]["workspace"]
        self.died = bool(summary["ooms"])
        self.passes = {p["phase"]: p["requested"]["bytes"] for p in summary["phase_peaks"]["by_phase"]}
        phases = summary["phases"]
        last = max((p["step"] for p in phases), default=0)
        self.micro_batches = max((sum(p["phase"] == "backward" and p["step"] == s for p in phases) for s in range(2, last + 1)), default=1) or 1
        self.dimensions = {d["name"]: d for d in pick(cli.json("program", path))["dimensions"]}
        self.models = sorted(pick(cli.json("program", path))["models"], key=lambda m: -m["parameters"])
        calls = pick(cli.json("stacks", path, "--all-frames", "--measure", "allocated", "--from", "start", "--at", "end", "--top", "100000"))["calls"]
        self.files, self.functions = collections.Counter(), collections.Counter()
        for call in calls:
            file, _, function = call["name"].partition(" ")
            self.files[file.partition(":")[0]] += call["bytes"]
            self.functions[function] += call["bytes"]
        sizes = pick(cli.json("labels", path))["allocations"]
        self.sizes = collections.Counter(a["requested_bytes"] for a in sizes)
        self.inputs = collections.Counter(a["requested_bytes"] for a in sizes if a["bucket"] == "input")

    def value(self, name):
        return self.dimensions[name]["value"] if name in self.dimensions else None

    def values(self, name):
        """Of a dimension, the likeliest first."""
        d = self.dimensions.get(name)
        return [d["value"], *(a["value"] for a in d["alternatives"])] if d else []

    def family(self):
        found = [(count, FILES.get(m[1], m[1])) for f, count in self.files.items() if (m := re.fullmatch(r"modeling_(\w+)\.py", f))
                 and m[1] not in ("utils", "layers", "outputs", "rope_utils", "attn_mask_utils", "flash_attention_utils", "gguf_pytorch_utils")]
        if not found:
            raise Refused("frames name no family")
        name = max(found)[1]
        name = "gemma3_text" if name == "gemma3" else name
        if name not in FAMILIES:
            raise Refused(f"no plan for {name}")
        return name


def splits(recording, hidden, positions):
    """(batch, sequence) that the tokens may be, the likeliest first."""
    tokens = recording.value("tokens")
    if not tokens:
        whole = [b // 8 for b, n in recording.inputs.most_common(3) if b % 8 == 0]
        tokens = max(whole, default=0)
    if not tokens:
        raise Refused("no tokens")
    said = [tokens // s for s in recording.values("sequence") if tokens % s == 0]
    ranked = []
    for b in range(1, 513):
        length = tokens // b
        if tokens % b or length < 16 or length > positions:
            continue
        # Labels shifted by a row a sample (loss_utils.py), positions, what is looked up of their table.
        evidence = (2 * bool(recording.sizes[8 * (tokens + b)]) + bool(recording.sizes[8 * length]) + bool(recording.sizes[length * hidden * 4])
                    + (3 if said[:1] == [b] else b in said))
        ranked.append((-evidence, abs(math.log2(length / 256)), b))
    if not ranked:
        raise Refused("tokens do not split")
    return [(b, tokens // b) for _, _, b in sorted(ranked)[:7]]


DROPS = {"gpt2": ("attn_pdrop", "resid_pdrop", "embd_pdrop"), "opt": ("dropout",), "bert": ("hidden_dropout_prob", "attention_probs_dropout_prob"),
         "distilbert": ("dropout", "attention_dropout"), "t5": ("dropout_rate",), "bart": ("dropout",)}
DROPS |= {name: DROPS["bert"] for name in ("roberta", "xlm-roberta", "camembert", "vit")}


def choices(recording, family, shape, w):
    """The unknown, each with what it may be, the likeliest first."""
    functions, files = set(recording.functions), set(recording.files)
    has = lambda *names: any(n in f for n in names for f in functions)
    found = {"heads": shape["_heads"]}
    if "_batches" in shape:
        if not shape["_batches"]:
            raise Refused("no batch of images")
        found["split"] = [(b, 0) for b in shape["_batches"]]
    else:
        found["split"] = splits(recording, w.hidden, shape.get("max_position_embeddings", 131072))
    kinds = [k for k, n in (("sdpa", "sdpa_attention_forward"), ("eager", "eager_attention_forward"), ("flash", "flash_attention_forward")) if has(n)]
    found["attention"] = kinds[:1] or ["eager", "sdpa"]
    found["precision"] = ["bf16"] if w.width == 2 else ["fp32", "autocast-bf16"]
    states = max((x["states"] for x in w.model["weights"] if x["trainable"]), default=0)
    found["optimizer"] = (["adafactor"] if has("adafactor") or any("adafactor" in f for f in files) else ["adamw-foreach"] if has("_multi_tensor_adam")
                          else ["adamw"] if has("_fused_adam") else ["adamw-for-loop"] if has("_single_tensor_adam")
                          else ["sgd"] if states == 0 else ["adamw", "adamw-foreach", "adamw-for-loop"])
    if states == 1 and found["optimizer"] != ["adafactor"]:
        # `plan` has no SGD with momentum: as one without, and a state of each trained weight beside it.
        found["optimizer"] = ["sgd-momentum"]
    found["checkpointing"] = ["full" if has("recompute_fn", "unpack_hook") and "checkpoint.py" in files else "none"]
    found["accumulation"] = [recording.micro_batches]
    found["loop"] = ["trainer" if has("_inner_training_loop", "training_step") and "trainer.py" in files else "plain"]
    # A recording of the CPU is one of this experiment's own; a mask is one of the data.
    found["kernels"] = [("cuda", False), ("cpu", False), ("cuda", True), ("cpu", True)]
    if family in DROPS or "_pdrop" in family:
        found["drops"] = [True, False] if has("dropout") else [False]
    if w.adapts:
        if not w.rank():
            raise Refused("frozen weights without adapters")
        found["lora"] = [w.rank()]
        found["targets"] = ["all-linear", "", "q_proj,v_proj", "q_proj,k_proj,v_proj,o_proj", "c_attn", "query,value"]
    return found


def config_of(shape, choice):
    config = {k: v for k, v in shape.items() if k[0] != "_"}
    family, heads = config["model_type"], choice["heads"]
    if family in DROPS:
        config.update(dict.fromkeys(DROPS[family], 0.1 if choice["drops"] else 0.0))
    if family == "gpt2":
        config["n_head"] = heads
    elif family == "distilbert":
        config["n_heads"] = heads
    elif family == "bart":
        config.update(encoder_attention_heads=heads, decoder_attention_heads=heads)
    elif family != "t5":
        width = shape["_query"] // heads
        config.update(num_attention_heads=heads, num_key_value_heads=max(1, shape["_keys"] // width))
        if family not in ("bert", "roberta", "vit", "opt", "gpt_neox", "phi", "bloom"):
            config["head_dim"] = width
    return config


def options_of(choice, family):
    (batch, sequence), (target, padded) = choice["split"], choice["kernels"]
    words = {"batch": batch, "precision": choice["precision"], "optimizer": choice["optimizer"], "attention": choice["attention"],
             "accumulation": choice["accumulation"], "checkpointing": choice["checkpointing"], "loop": choice["loop"], "target": target}
    if sequence:
        words["sequence"] = sequence
    if family in ("t5", "bart"):
        words["target-sequence"] = sequence
    if choice.get("lora"):
        words["lora"] = choice["lora"]
        if choice.get("targets"):
            words["lora-targets"] = choice["targets"]
    more = [f"--{choice['fused']}"] if choice.get("fused") else []
    return [*more, *["--padded"] * padded, *(str(p) for n, v in words.items() for p in (f"--{n}", v))]


def planned(cli, shape, choice, against=None):
    momentum = choice["optimizer"] == "sgd-momentum"
    if momentum:
        answer = planned(cli, shape, choice | {"optimizer": "sgd"}, against)
        if "error" not in answer:
            more = answer["states"]["gradient_bytes"]
            answer["peak_requested_bytes"] += more
            answer["phase_peaks"] = {p: b + more for p, b in answer["phase_peaks"].items()}
            if against:
                answer["against"]["same_bytes"] += more
                answer["against"]["planned_bytes"] += more
        return answer
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "config.json"
        config.write_text(json.dumps(config_of(shape, choice)))
        return cli.json("plan", config, *options_of(choice, shape["model_type"]), *(["--against", against] if against else []))


class Fit:
    """The plan of a recording that has most of its peak's bytes; `why` there is none."""

    def __init__(self, cli, path):
        self.why, self.same, self.off, self.tried = "", 0.0, 1.0, 0
        self.shape = self.choice = self.before = None
        try:
            recording = Recording(cli, path)
            self.peak = recording.peak
            if recording.died:
                raise Refused("died")
            family = recording.family()
            w = Weights(recording)
            self.shape = shape_of(recording, family, w)
            self.search(cli, recording, choices(recording, family, self.shape, w), w)
        except (Refused, ArithmeticError) as why:
            self.why = str(why)

    def judged(self, cli, recording, choice, w):
        answer = planned(cli, self.shape, choice, recording.path)
        self.tried += 1
        if "against" not in answer:
            return -1, 0, 1, answer
        against = answer["against"]
        own = against["recorded_bytes"] - against["recorded_buckets"]["workspace"]
        same = against["same_bytes"] / max(own, against["planned_bytes"])
        pairs = [(answer["phase_peaks"][p], recording.passes[p] - recording.workspace) for p in ("forward", "backward", "optimizer")
                 if p in recording.passes and answer["phase_peaks"].get(p)]
        off = max((abs(a / b - 1) for a, b in pairs), default=1)
        adapters = abs(answer["model"]["trained_parameters"] / max(1, w.model["trainable"]) - 1) if w.adapts else 0
        return same - min(1, off) - min(1, adapters), same, off, answer

    def search(self, cli, recording, unknown, w):
        """One unknown after the other, twice; done where nothing is left to win."""
        choice = {name: values[0] for name, values in unknown.items()}
        best = self.judged(cli, recording, choice, w)
        first_error = best[3].get("error")
        order = ["split", "targets", "precision", "attention", "drops", "kernels", "heads", "optimizer"]
        for _ in range(2):
            before = best[0]
            for name in order:
                for value in unknown.get(name, []):
                    if best[0] > 0.997 or value == choice[name]:
                        continue
                    other = choice | {name: value}
                    found = self.judged(cli, recording, other, w)
                    if found[0] > best[0] + 1e-4:
                        best, choice = found, other
            if best[0] <= before:
                break
        if best[0] <= -1 and "error" in best[3]:
            raise Refused(f"no plan: {first_error or best[3]['error']}"[:90])
        self.choice, self.same, self.off, self.before = choice, best[1], best[2], best[3]["peak_requested_bytes"]

    def told(self):
        return {"why": self.why, "same": self.same, "off": self.off, "tried": self.tried, "shape": self.shape, "choice": self.choice, "before": self.before,
                "peak": getattr(self, "peak", 0)}


def changed(choice, change, shape):
    """The choice after a change of predict's words; None: plan has no such word."""
    other, (batch, sequence) = dict(choice), choice["split"]
    for name, value in (part.split("=") for part in change.split(",")):
        if name == "micro-batch" and (batch * Fraction(value)).denominator > 1:
            return None
        if name == "micro-batch":
            other["split"] = batch, sequence = (max(1, round(batch * Fraction(value))), sequence)
        elif name == "sequence" and sequence:
            other["split"] = batch, sequence = (batch, max(1, round(sequence * Fraction(value))))
        elif name == "accumulation":
            other["accumulation"] = int(value)
        elif name == "checkpointing" and value == "full":
            other["checkpointing"] = value
        elif name == "precision":
            other["precision"] = PRECISIONS[value]
        elif name == "optimizer" and value in OPTIMIZERS:
            other["optimizer"] = OPTIMIZERS[value]
        elif name == "foreach":
            other["optimizer"] = "adamw-for-loop"
        elif name == "fused":
            other["optimizer"] = "adamw"
        elif name == "attention":
            other["attention"] = "sdpa"
        elif name == "fused-loss":
            other["fused"] = "fused-loss"
        elif name == "set-to-none":
            return None
        elif name == "lora":
            other["lora"] = int(value)
            other.setdefault("targets", ADAPTED.get(shape["model_type"], "q_proj,v_proj"))
        else:
            return None
    return other


def pairs_in(folder):
    """(name, recording, change, true peak after)"""
    for path in sorted(folder.glob("*.pair.json")):
        truth = json.loads(path.read_text())
        base = path.with_name(truth.get("base", path.name.removesuffix(".pair.json")) + ".pickle")
        file = next((p for p in (base, base.with_name(base.name + ".gz"), base.with_name(base.name + ".xz")) if p.exists()), None)
        if file and "capacity" not in truth:
            yield path.name.removesuffix(".pair.json"), file, truth["apply"], truth["peak_requested_after"]
    for path in sorted(folder.glob("*.changes.json")):
        truth = json.loads(path.read_text())
        name = path.name.removesuffix(".changes.json")
        for change, measured in truth["changes"].items():
            if not measured["error"] and not truth["base"]["error"]:
                yield name, path.with_name(name + ".pickle.xz"), change, measured["peak_requested"]


def scored(cli, folder):
    rows = []
    for name, file, change, true in pairs_in(folder):
        key = "/".join(file.parts[-3:])
        fit = cli.once(f"fit {key}", lambda: Fit(cli, file).told())

        def laws():
            answer = cli.json("predict", file, "--apply", change)
            return max(answer["devices"], key=lambda d: d["before"]["peak_requested_bytes"])["after"]["peak_requested_bytes"]

        def walk():
            other = changed(fit["choice"], change, fit["shape"]) if fit["choice"] else None
            after = planned(cli, fit["shape"], other).get("peak_requested_bytes") if other else None
            return fit["peak"] + after - fit["before"] if after else None

        said = cli.once(f"laws {key} {change}", laws)
        walked = cli.once(f"walk {key} {change}", walk)
        cli.save()
        rows.append((name, key, change, true, said, walked, fit))
    return rows


def share(errors):
    near = sum(abs(e) <= WITHIN for e in errors)
    return f"{near}/{len(errors)}" + (f" ({near / len(errors):.1%})" if errors else "")


def report(title, rows):
    bases = {key: fit for _, key, _, _, _, _, fit in rows}
    of_library = {k: f for k, f in bases.items() if f["why"] not in ("frames name no family",)}
    good = lambda f: not f["why"] and f["same"] >= SAME
    strict = lambda f: good(f) and f["off"] <= OF_PASS
    print(f"\n{title}: {len(bases)} recordings, {len(of_library)} of transformers, {sum(map(good, bases.values()))} accepted, {sum(map(strict, bases.values()))} strictly; "
          f"{statistics.fmean(f['tried'] for f in of_library.values()) if of_library else 0:.1f} plans each; {len(rows)} changes")
    for what, takes in (("accepted", good), ("strict", strict)):
        own = [r for r in rows if takes(r[6]) and r[5]]
        print(f"  {what:9} {len(own):4} changes: laws {share([r[4] / r[3] - 1 for r in own])}, walk {share([r[5] / r[3] - 1 for r in own])}; within 1 %: "
              f"laws {sum(abs(r[4] / r[3] - 1) <= .01 for r in own)}, walk {sum(abs(r[5] / r[3] - 1) <= .01 for r in own)}; "
              f"all {len(rows)}: laws {share([r[4] / r[3] - 1 for r in rows])}, walk else laws {share([(r[5] if takes(r[6]) and r[5] else r[4]) / r[3] - 1 for r in rows])}")
    named = [r for r in rows if good(r[6]) and r[5] and not ("lora=" in r[2] and "lora" not in r[6]["choice"])]
    print(f"  without first adapters, whose layers nobody names: {len(named)} changes: laws {share([r[4] / r[3] - 1 for r in named])}, walk {share([r[5] / r[3] - 1 for r in named])}")
    why = collections.Counter(f["why"] or ("same bytes below 98 %" if not good(f) else "a pass off by more than 2 %") for f in bases.values() if not strict(f))
    for words, count in why.most_common():
        print(f"    {count:3} {words}")
    if "--rows" in sys.argv:
        for name, _, change, true, said, walked, fit in rows:
            if fit["why"] == "frames name no family":
                continue
            told = f"{walked / true - 1:+7.1%}" if walked else "      -"
            print(f"  {name:24} {change:30} laws {said / true - 1:+7.1%} walk {told} same {fit['same']:.3f} off {fit['off']:.3f} {fit['why']} "
                  f"{json.dumps(fit['choice']) if fit['choice'] and fit['same'] < SAME else ''}")


def main():
    program, cache, *folders = [a for a in sys.argv[1:] if not a.startswith("--")]
    cli, every = Cli(program, cache), []
    for folder in map(pathlib.Path, folders):
        rows = scored(cli, folder)
        report(str(folder), rows)
        every += rows
    if len(folders) > 1:
        report("all", every)


main()
