# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""record_pairs.py OUT [NAME...]: training runs on a CUDA device and what torch counted with one change each.

NAME.pickle.xz is the recording of the run, NAME.truth.json the truth of its labels, and NAME.changes.json says what each change came
to: {"setup", "config", "base": {...}, "changes": {"micro-batch=1/2": {"peak_requested", "peak_reserved", "error"}}}. Each run is a
process of its own, eight at once."""

import dataclasses
import json
import lzma
import multiprocessing
import os
import pickle
import sys
import time

import torch
import record_runs
import training
from setups import Setup, changed

HALF, TWICE, LONGER = "micro-batch=1/2", "micro-batch=2", "sequence=2"
CHECKPOINTED, BF16, PURE = "checkpointing=full", "precision=bf16", "precision=pure-bf16"
# name: the run, and its changes
FAMILIES = {
    "llama_fp32": (Setup("llama", 4, 512), [HALF, TWICE, LONGER, "sequence=1/2", CHECKPOINTED, BF16, PURE, "optimizer=sgd", "optimizer=sgd-momentum",
                                            "foreach=off", "fused=on", "lora=16", f"{HALF},accumulation=2", f"{CHECKPOINTED},{BF16}"]),
    "llama_bf16": (Setup("llama", 4, 512, "bf16"), [HALF, TWICE, LONGER, CHECKPOINTED, PURE, "lora=16", "fused=on"]),
    "llama_pure_bf16": (Setup("llama", 4, 512, "pure-bf16", "adamw fused=on"), [HALF, TWICE, LONGER, CHECKPOINTED, "lora=8"]),
    "llama_eager": (Setup("llama", 2, 1024, attention="eager"), ["attention=flash", LONGER, HALF, BF16, CHECKPOINTED]),
    "llama_bf16_eager": (Setup("llama", 2, 1024, "bf16", attention="eager"), ["attention=flash", LONGER, TWICE]),
    "llama_keep_grads": (Setup("llama", 4, 512, set_to_none=False), ["set-to-none=on", HALF, BF16]),
    "llama_accumulate": (Setup("llama", 2, 512, "bf16", micro_batches=4), [TWICE, LONGER, "optimizer=sgd-momentum"]),
    "llama_checkpointed": (Setup("llama", 8, 1024, "bf16", checkpointing=True), [HALF, TWICE, LONGER]),
    "llama_lora": (Setup("llama", 4, 512, "bf16", rank=16), ["lora=64", TWICE, LONGER, CHECKPOINTED]),
    "llama_compiled": (Setup("llama", 4, 512, compiled="default"), [TWICE, LONGER, BF16]),
    "qwen3_bf16": (Setup("qwen3", 2, 512, "pure-bf16"), [TWICE, LONGER, CHECKPOINTED, "optimizer=sgd"]),
    "qwen3_fp32": (Setup("qwen3", 2, 512), [BF16, HALF, LONGER]),
    "mixtral_fp32": (Setup("mixtral", 4, 512), [TWICE, LONGER, BF16]),
    "gpt2_fp32": (Setup("gpt2", 4, 512), [HALF, TWICE, LONGER, CHECKPOINTED, BF16, PURE]),
    "gpt2_eager": (Setup("gpt2", 4, 512, attention="eager"), ["attention=flash", LONGER, BF16]),
    "bert_fp32": (Setup("bert", 8, 256), [HALF, LONGER, BF16, CHECKPOINTED]),
    "t5_fp32": (Setup("t5", 4, 256), [TWICE, LONGER, BF16]),
    "vit_fp32": (Setup("vit", 16, 224), [HALF, TWICE, BF16, CHECKPOINTED]),
    "resnet50_fp32": (Setup("resnet50", 16, 160, optimizer="sgd-momentum"), [HALF, TWICE, BF16]),
    "convnext_fp32": (Setup("convnext", 16, 160), [HALF, TWICE, BF16]),
    "efficientnet_bf16": (Setup("efficientnet", 32, 160, "bf16"), [HALF, TWICE, "optimizer=sgd"]),
    "own_fp32": (Setup("own", 4, 512), [HALF, TWICE, LONGER, BF16, "optimizer=sgd"]),
    "own_bf16": (Setup("own", 4, 512, "bf16"), [TWICE, LONGER, "fused=on"]),
    "own_attention_fp32": (Setup("own_attention", 2, 512), [LONGER, TWICE, BF16]),
    "lstm_fp32": (Setup("lstm", 32, 128), [HALF, TWICE, LONGER, BF16]),
    # What changes came to.
    "gpt2_bf16": (Setup("gpt2", 4, 512, "bf16"), [TWICE, LONGER, CHECKPOINTED, PURE, "lora=16"]),
    "bert_bf16": (Setup("bert", 8, 256, "bf16"), [TWICE, LONGER, PURE]),
    "vit_bf16": (Setup("vit", 16, 224, "bf16"), [TWICE, PURE]),
    "t5_bf16": (Setup("t5", 4, 256, "bf16"), [TWICE, LONGER]),
    "t5_longer": (Setup("t5", 4, 512), [HALF, "sequence=1/2"]),
    "convnext_bf16": (Setup("convnext", 16, 160, "bf16"), [TWICE]),
    "lstm_bf16": (Setup("lstm", 32, 128, "bf16"), [TWICE, LONGER]),
    "own_attention_bf16": (Setup("own_attention", 2, 512, "bf16"), [LONGER, TWICE]),
    "mixtral_bf16": (Setup("mixtral", 4, 512, "bf16"), [TWICE, LONGER, CHECKPOINTED]),
    "qwen3_bf16_autocast": (Setup("qwen3", 2, 512, "bf16"), [TWICE, LONGER, PURE, "lora=16"]),
    "qwen3_longer": (Setup("qwen3", 2, 1024), [HALF, "sequence=1/2", CHECKPOINTED]),
    "llama_compiled_bf16": (Setup("llama", 4, 512, "bf16", compiled="default"), [TWICE, LONGER]),
    "llama_fp32_lora": (Setup("llama", 4, 512, rank=16), ["lora=4", TWICE, CHECKPOINTED, BF16]),
    "llama_pure_lora": (Setup("llama", 4, 512, "pure-bf16", "adamw fused=on", rank=8), [TWICE, LONGER, CHECKPOINTED]),
    "llama_sgd_momentum": (Setup("llama", 4, 512, optimizer="sgd-momentum"), [BF16, "optimizer=sgd", HALF]),
    "llama_graphs": (Setup("llama", 2, 256, "bf16", compiled="reduce-overhead"), [TWICE]),
    # Runs that die, and whether a change lets them live on the same card.
    "oom_llama_backward": (Setup("llama", 8, 512, capacity=5.2), [HALF, "micro-batch=1/4", BF16, CHECKPOINTED, "optimizer=sgd", f"{HALF},{BF16}"]),
    "oom_llama_optimizer": (Setup("llama", 1, 256, capacity=1.9), ["optimizer=sgd", "optimizer=sgd-momentum", "fused=on", "foreach=off", "lora=16", PURE, BF16]),
    "oom_gpt2_logits": (Setup("gpt2", 8, 512, capacity=6.5), [HALF, "sequence=1/2", BF16, CHECKPOINTED, PURE]),
    "oom_resnet50": (Setup("resnet50", 64, 224, optimizer="sgd-momentum", capacity=4.5), [HALF, BF16, "micro-batch=3/4"]),
    "oom_own_attention": (Setup("own_attention", 4, 1024, capacity=4.4), [HALF, "sequence=1/2", BF16]),
}
# Other models and habits: what a score at first sight is of.
OTHERS = {
    "opt_fp32": (Setup("opt", 4, 512), [TWICE, LONGER, BF16, CHECKPOINTED, "lora=16"]),
    "pythia_bf16": (Setup("pythia", 4, 512, "bf16"), [HALF, LONGER, PURE, "optimizer=sgd"]),
    "phi3_pure_bf16": (Setup("phi3", 2, 1024, "pure-bf16"), [TWICE, "sequence=1/2", CHECKPOINTED]),
    "gemma2_fp32": (Setup("gemma2", 2, 512), [TWICE, LONGER, BF16]),
    "olmo2_fp32": (Setup("olmo2", 2, 768), [BF16, HALF, "sequence=1/2", "fused=on"]),
    "bloom_fp32": (Setup("bloom", 2, 512), [TWICE, LONGER, BF16]),
    "roberta_bf16": (Setup("roberta", 8, 192, "bf16"), [TWICE, LONGER, CHECKPOINTED]),
    "distilbert_eager": (Setup("distilbert", 8, 256, attention="eager"), ["attention=flash", LONGER, BF16]),
    "swin_fp32": (Setup("swin", 8, 224), [TWICE, BF16]),
    "mobilenet_fp32": (Setup("mobilenet", 32, 160, optimizer="sgd-momentum"), [TWICE, HALF, BF16]),
    "densenet_bf16": (Setup("densenet", 16, 160, "bf16"), [TWICE, "optimizer=sgd"]),
    "encoder_fp32": (Setup("encoder", 8, 256), [TWICE, LONGER, BF16]),
    "gru_fp32": (Setup("gru", 24, 96), [TWICE, LONGER]),
    "mistral_padded_bf16": (Setup("mistral_padded", 4, 384, "bf16"), [TWICE, LONGER, CHECKPOINTED, "lora=16"]),
    "bart_fp32": (Setup("bart", 4, 256), [TWICE, LONGER, BF16]),
    "unet_fp32": (Setup("unet", 8, 96), [TWICE, BF16]),
    "oom_opt": (Setup("opt", 8, 512, capacity=4.0), [HALF, "sequence=1/2", BF16, CHECKPOINTED, "optimizer=sgd-momentum"]),
    "oom_pythia_optimizer": (Setup("pythia", 1, 256, capacity=2.0), ["fused=on", "optimizer=sgd", "lora=16", PURE]),
}
FAMILIES |= OTHERS


def stats():
    counted = torch.cuda.memory_stats()
    return {f"peak_{kind}": counted.get(f"{kind}_bytes.all.peak", 0) for kind in ("requested", "allocated", "active", "reserved")}


def limit(setup):
    if setup.capacity:
        torch.cuda.set_per_process_memory_fraction(setup.capacity * 2**30 / torch.cuda.get_device_properties(0).total_memory)


def measure(setup):
    """The peaks of a run, after its first steps too: those are what a recording of so many steps has."""
    limit(setup)
    torch.manual_seed(0)
    error = None
    try:
        training.train(setup, training.Silent())
    except torch.OutOfMemoryError as e:
        error = str(e)
    return {**stats(), "error": error}


def record(name, setup, out):
    limit(setup)
    truth, error = record_runs.Truth(), None

    def observer(device, alloc, device_alloc, device_free):
        truth.oom_snapshot = torch.cuda.memory._snapshot()

    torch.cuda.init()
    torch._C._cuda_attach_out_of_memory_observer(observer)
    torch.manual_seed(0)
    torch.cuda.memory._record_memory_history(max_entries=200_000, stacks="python")
    model = None
    try:
        model = training.train(setup, truth)
    except torch.OutOfMemoryError as e:
        error = truth.oom_message = str(e)
    counted = stats()
    snapshot = truth.oom_snapshot if error and truth.oom_snapshot else torch.cuda.memory._snapshot()
    torch.cuda.memory._record_memory_history(enabled=None)
    truth.find_workspaces()
    labels = truth.label(snapshot)
    properties = torch.cuda.get_device_properties(0)
    labels.update(scene=name, error=error, stats=counted, torch=torch.__version__, device=properties.name, total_memory=properties.total_memory,
                  capacity=int(setup.capacity * 2**30) or None)
    with lzma.open(f"{out}/{name}.pickle.xz", "wb", preset=6) as file:
        pickle.dump(snapshot, file)
    with open(f"{out}/{name}.truth.json", "w") as file:
        json.dump(labels, file, separators=(",", ":"))
    config = getattr(model, "config", None)
    config = config.to_dict() if hasattr(config, "to_dict") else None
    return {**counted, "error": error, "config": json.loads(json.dumps(config, default=str)), "events": len(snapshot["device_traces"][0]),
            "marks": [labels["marks_found"], labels["marks_made"]], "requested_peak": labels["requested_peak"]}


def work(key, queue, out):
    name, change = key
    began = time.time()
    setup, _ = FAMILIES[name]
    try:
        if change is None:
            answer = record(name, setup, out)
        else:
            answer = measure(changed(setup, change) if change else dataclasses.replace(setup, capacity=0))
    except Exception as e:  # noqa: BLE001  (said in the file; the other runs go on)
        answer = {"failed": f"{type(e).__name__}: {str(e)[:300]}"}
    queue.put((key, {**answer, "seconds": round(time.time() - began, 1)}))


def main():
    out, names = sys.argv[1], sys.argv[2:] or [n for n in FAMILIES if (n in OTHERS) == bool(os.environ.get("OTHERS"))]
    os.makedirs(out, exist_ok=True)
    deadline = time.time() + float(os.environ.get("SECONDS_LEFT", 100_000))
    with __import__("contextlib").suppress(ImportError):
        import peft, torchvision, transformers  # noqa: E401, F401  (once, for all that is forked)
    # With "" a run that dies is measured on the whole card.
    pending = [(n, c) for n in names for c in [None, *[""] * bool(FAMILIES[n][0].capacity), *FAMILIES[n][1]]]
    answers, running, queue = {}, {}, multiprocessing.SimpleQueue()
    while (pending or running) and time.time() < deadline:
        while pending and len(running) < int(os.environ.get("AT_ONCE", 8)):
            key = pending.pop(0)
            running[key] = multiprocessing.get_context("fork").Process(target=work, args=(key, queue, out))
            running[key].start()
        while not queue.empty():
            key, answer = queue.get()
            answers[key] = answer
        for key in [k for k, p in running.items() if not p.is_alive()]:
            running.pop(key).join()
        time.sleep(0.05)
    while not queue.empty():
        key, answer = queue.get()
        answers[key] = answer
    for process in running.values():
        process.kill()
    for name in names:
        setup, changes = FAMILIES[name]
        base = answers.get((name, None))
        with open(f"{out}/{name}.changes.json", "w") as file:
            json.dump({"setup": dataclasses.asdict(setup), "config": base.pop("config", None) if base else None, "base": base, "on_whole_card": answers.get((name, "")),
                       "changes": {c: answers.get((name, c)) for c in changes}}, file, indent=1)
        failed = {c: a.get("failed") or a.get("error") for c in [None, *changes] if (a := answers.get((name, c))) and (a.get("failed") or a.get("error"))}
        print(f"{name:22} base {base and base.get('peak_requested', 0) / 2**20:9.1f} MiB {base and base.get('marks')} "
              f"{sum((name, c) in answers for c in changes)}/{len(changes)} changes {failed if failed else ''}", flush=True)


if __name__ == "__main__":
    main()
