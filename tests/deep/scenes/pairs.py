# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""pairs.py OUT_DIR [PAIR...]: runs that differ by one change or two, for testing predictions. PAIR.pickle is the run
before, PAIR.pair.json the change in the words of `tidemark-cli predict --apply` and the true peaks, at times with what
the run's configuration says. A pair with a
share of the room dies before the change: its peaks are those of whole runs, and `fits_after` says how the run after
the change ends in the same room. TOOLS and TAP as for record.py: see make.sh."""

import ctypes
import gc
import json
import os
import pathlib
import pickle
import sys
import typing

import torch

sys.path.insert(0, os.environ["TOOLS"])
import pair_runs as runs  # noqa: E402
import scenes  # noqa: E402
from sim import Recorder  # noqa: E402

ROOM = 1 << 40
TAP = ctypes.PyDLL(os.environ["TAP"])
TAP.tap_callback.argtypes = [ctypes.py_object]

SCALE = 64  # bytes of a run on the card per byte here
GPT = {"d": 128, "n": 4, "h": 4, "vocab": 2048, "steps": 2, "B": 8, "T": 64}


def gpt(rec, opt="adamw", **options):
    scenes.gpt_adamw(rec, opt=runs.OPTIMIZERS[opt], **{**GPT, **options})


def gpt_adapted(rec, rank=8, B=8, T=64, d=128, n=4, vocab=2048, ckpt=False):
    """All weights, or with a rank what the given scene of adapters trains."""
    model = scenes.GPT(d=d, n=n, h=4, vocab=vocab, ckpt=ckpt)
    if rank:
        for p in model.parameters():
            p.requires_grad_(False)
        for layer in model.layers:
            layer.attn.qkv, layer.mlp[0] = (scenes.LoRALinear(m, rank) for m in (layer.attn.qkv, layer.mlp[0]))
    optimizer = runs.OPTIMIZERS["adamw"]([p for p in model.parameters() if p.requires_grad])
    run = scenes.Run(rec, model, optimizer, scenes.ce)
    for _ in range(3):
        run.train_step(*scenes.tokens(rec, B, T, vocab))


def conv(rec, B=16, side=32, opt="adamw", micro=1, w=16):
    model = scenes.ConvNet(w=w)
    run = scenes.Run(rec, model, runs.OPTIMIZERS[opt](model.parameters()), scenes.F.cross_entropy)
    for _ in range(3):
        x, y = torch.randn(B, 3, side, side), torch.randint(100, (B,))
        run.train_step(x, y, micro=micro)


def pair(scene, change, after, room=None, config="", **before):
    """`config`: what the user has beside the file, for what a run that died before its first step does not show."""
    return scene, before, {**before, **after}, change, room, config


HALF, QUARTER, TWICE = "micro-batch=0.5", "micro-batch=0.25", "micro-batch=2"
ACCUMULATED = "micro-batch=0.5,accumulation=2"
FULL = "checkpointing=full"
BIG_VOCABULARY = {"vocab": 16384, "d": 64, "n": 2, "h": 2, "B": 4, "T": 64}
MANY_WEIGHTS = {"d": 256, "n": 4, "B": 1, "T": 32}

PAIRS = {
    # Micro-batch
    "gpt_batch_half": pair(gpt, HALF, {"B": 4}),
    "gpt_batch_quarter": pair(gpt, QUARTER, {"B": 2}),
    "gpt_batch_twice": pair(gpt, TWICE, {"B": 8}, B=4),
    "gpt_wide_batch_half": pair(gpt, HALF, {"B": 2}, d=192, n=6, B=4, T=48),
    "gpt_vocabulary_batch_half": pair(gpt, HALF, {"B": 2}, **BIG_VOCABULARY),
    "gpt_states_batch_quarter": pair(gpt, QUARTER, {"B": 1}, **{**MANY_WEIGHTS, "B": 4}),
    "gpt_square_batch_half": pair(gpt, HALF, {"B": 4}, d=128, B=8, T=128),
    "gpt_momentum_batch_half": pair(gpt, HALF, {"B": 4}, opt="momentum"),
    "gpt_foreach_batch_half": pair(gpt, HALF, {"B": 4}, opt="adam_foreach"),
    "gpt_foreach_states_batch_half": pair(gpt, HALF, {"B": 1}, opt="adam_foreach", **{**MANY_WEIGHTS, "B": 2}),
    "gpt_kept_gradients_batch_half": pair(runs.llm, HALF, {"B": 4}, B=8, zeroes=True),
    "gpt_checkpointed_batch_half": pair(gpt, HALF, {"B": 4}, ckpt=True, n=6),
    "gpt_accumulating_batch_half": pair(gpt, HALF, {"B": 4}, micro=2, B=8),
    "llm_batch_half": pair(runs.llm, HALF, {"B": 4}, gated=True),
    "llm_batch_quarter": pair(runs.llm, QUARTER, {"B": 4}, B=16, opt="rmsprop", heads=4, d=96),
    "llm_autocast_batch_half": pair(runs.llm, HALF, {"B": 4}, autocast=True),
    "llm_pure_batch_half": pair(runs.llm, HALF, {"B": 4}, pure=True),
    "llm_adapters_batch_half": pair(runs.llm, HALF, {"B": 4}, lora=8),
    "llm_deep_batch_half": pair(runs.llm, HALF, {"B": 8}, B=16, T=32, d=64, deep=10, vocab=512, longest=32),
    "conv_batch_half": pair(conv, HALF, {"B": 8}),
    "conv_batch_twice": pair(conv, TWICE, {"B": 16}, B=8, opt="momentum"),
    "conv_small_batch_half": pair(conv, HALF, {"B": 2}, B=4, side=12),
    "unet_batch_half": pair(runs.unet, HALF, {"B": 4}),
    "mlp_batch_half": pair(runs.mlp, HALF, {"B": 64}),
    "mlp_batch_quarter": pair(runs.mlp, QUARTER, {"B": 256}, B=1024, opt="sgd"),
    "mlp_square_batch_half": pair(runs.mlp, HALF, {"B": 128}, B=256, wide=256, deep=6, opt="adam_foreach"),
    "encoder_batch_half": pair(runs.encoder, HALF, {"B": 8}),
    "encoder_batch_twice": pair(runs.encoder, TWICE, {"B": 16}, B=8, opt="rmsprop", d=128, deep=4),
    # Accumulation
    "gpt_accumulation": pair(gpt, ACCUMULATED, {"B": 4, "micro": 2}),
    "gpt_accumulation_of_4": pair(gpt, "micro-batch=0.25,accumulation=4", {"B": 2, "micro": 4}),
    "gpt_states_accumulation": pair(gpt, ACCUMULATED, {"B": 1, "micro": 2}, **{**MANY_WEIGHTS, "B": 2}),
    "gpt_more_accumulation": pair(gpt, "accumulation=2", {"micro": 2}, d=192, B=4),
    "llm_accumulation": pair(runs.llm, ACCUMULATED, {"B": 4, "micro": 2}, d=192, gated=True),
    "conv_accumulation": pair(conv, ACCUMULATED, {"B": 8, "micro": 2}),
    "mlp_accumulation": pair(runs.mlp, "accumulation=4", {"micro": 4}, wide=512, B=128),
    "encoder_accumulation": pair(runs.encoder, ACCUMULATED, {"B": 8, "micro": 2}),
    # Sequence
    "gpt_sequence_half": pair(gpt, "sequence=0.5", {"T": 64}, B=4, T=128),
    "gpt_sequence_three_quarters": pair(gpt, "sequence=0.75", {"T": 96}, B=4, T=128),
    "gpt_sequence_twice": pair(gpt, "sequence=2", {"T": 128}, B=4, T=64),
    "gpt_long_sequence_half": pair(gpt, "sequence=0.5", {"T": 128}, B=2, T=256, d=64, vocab=512),
    "llm_sequence_half": pair(runs.llm, "sequence=0.5", {"T": 64}, B=4, T=128, gated=True),
    "llm_fixed_places_sequence_twice": pair(runs.llm, "sequence=2", {"T": 64}, B=8, T=32, longest=128, vocab=1024),
    "encoder_sequence_half": pair(runs.encoder, "sequence=0.5", {"T": 32}, T=64),
    "gpt_checkpointed_sequence_half": pair(gpt, "sequence=0.5", {"T": 64}, B=4, T=128, ckpt=True),
    # Optimizer
    "gpt_adamw_to_sgd": pair(gpt, "optimizer=sgd", {"opt": "sgd"}, **MANY_WEIGHTS),
    "gpt_adamw_to_momentum": pair(gpt, "optimizer=sgd-momentum", {"opt": "momentum"}, **MANY_WEIGHTS),
    "gpt_foreach_to_sgd": pair(gpt, "optimizer=sgd", {"opt": "sgd"}, opt="adam_foreach", **MANY_WEIGHTS),
    "gpt_momentum_to_sgd": pair(gpt, "optimizer=sgd", {"opt": "sgd"}, opt="momentum", **MANY_WEIGHTS),
    "conv_adamw_to_sgd": pair(conv, "optimizer=sgd", {"opt": "sgd"}, B=2),
    "mlp_rmsprop_to_sgd": pair(runs.mlp, "optimizer=sgd", {"opt": "sgd"}, opt="rmsprop", wide=512),
    "mlp_adamw_to_momentum": pair(runs.mlp, "optimizer=sgd-momentum", {"opt": "momentum"}, wide=512),
    "encoder_adam_to_sgd": pair(runs.encoder, "optimizer=sgd", {"opt": "sgd"}, opt="adam_foreach", d=128, B=4),
    "gpt_batch_dominates_adamw_to_sgd": pair(gpt, "optimizer=sgd", {"opt": "sgd"}),
    "gpt_adam_foreach_off": pair(gpt, "foreach=off", {"opt": "adamw"}, opt="adamw_foreach", **MANY_WEIGHTS),
    "mlp_adam_foreach_off": pair(runs.mlp, "foreach=off", {"opt": "adamw"}, opt="adamw_foreach", wide=512, B=64),
    "gpt_zeroes_to_none": pair(runs.llm, "set-to-none=on", {"zeroes": False}, zeroes=True, d=192, B=4),
    "mlp_zeroes_to_none": pair(runs.mlp, "set-to-none=on", {"zeroes": False}, zeroes=True, B=1024),
    # Adapters
    "gpt_adapters": pair(gpt_adapted, "lora=8", {"rank": 8}, rank=0),
    "gpt_adapters_of_32": pair(gpt_adapted, "lora=32", {"rank": 32}, rank=0, d=192, B=2, T=32),
    "llm_adapters": pair(runs.llm, "lora=8", {"lora": 8}, d=192, B=2, T=32),
    "llm_gated_adapters": pair(runs.llm, "lora=16", {"lora": 16}, B=4, gated=True),
    # Checkpointing
    "gpt_checkpointing": pair(gpt, FULL, {"ckpt": True}, n=8),
    "gpt_few_blocks_checkpointing": pair(gpt, FULL, {"ckpt": True}, n=3),
    "gpt_vocabulary_checkpointing": pair(gpt, FULL, {"ckpt": True}, **{**BIG_VOCABULARY, "n": 4}),
    "gpt_square_checkpointing": pair(gpt, FULL, {"ckpt": True}, B=2, T=256, d=64, vocab=256, n=6),
    "gpt_states_checkpointing": pair(gpt, FULL, {"ckpt": True}, d=256, n=6, B=2, T=32),
    "llm_checkpointing": pair(runs.llm, FULL, {"remake": True}, gated=True, deep=6),
    "llm_foreach_checkpointing": pair(runs.llm, FULL, {"remake": True}, deep=8, d=96, heads=4, opt="adamw_foreach"),
    # The loss in parts
    "llm_loss_in_8": pair(runs.llm, "fused-loss=on", {"chunks": 8}, vocab=8192, d=64, deep=2, heads=4),
    "llm_loss_in_32": pair(runs.llm, "fused-loss=32", {"chunks": 32}, vocab=8192, d=128, deep=2),
    "llm_loss_in_16": pair(runs.llm, "fused-loss=16", {"chunks": 16}, vocab=4096, d=96, deep=3, heads=4),
    "llm_small_loss_in_8": pair(runs.llm, "fused-loss=on", {"chunks": 8}, vocab=1024, deep=6),
    # Attention and precision
    "llm_flash": pair(runs.llm, "attention=flash", {"flash": True}, B=4, T=128, d=64, vocab=512),
    "llm_short_flash": pair(runs.llm, "attention=flash", {"flash": True}),
    "llm_autocast": pair(runs.llm, "precision=bf16", {"autocast": True}, deep=6),
    "llm_pure": pair(runs.llm, "precision=pure-bf16", {"pure": True}),
    # Kept results
    "results_leave_after_1": pair(runs.collecting, "eval-accumulation=1", {"keep": 1}, batches=40),
    "results_leave_after_4": pair(runs.collecting, "eval-accumulation=4", {"keep": 4}, batches=40),
    # Two changes
    "gpt_batch_half_sgd": pair(gpt, "micro-batch=0.5,optimizer=sgd", {"B": 2, "opt": "sgd"}, d=192, B=4, T=32),
    "gpt_batch_half_checkpointing": pair(gpt, f"{HALF},{FULL}", {"B": 4, "ckpt": True}, n=8),
    "gpt_sequence_half_batch_twice": pair(gpt, "sequence=0.5,micro-batch=2", {"T": 64, "B": 8}, B=4, T=128),
    "llm_checkpointing_loss_in_8": pair(runs.llm, f"{FULL},fused-loss=on", {"remake": True, "chunks": 8}, vocab=4096),
    "llm_batch_half_loss_in_8": pair(runs.llm, f"{HALF},fused-loss=on", {"B": 4, "chunks": 8}, vocab=4096),
    "llm_adapters_checkpointing": pair(runs.llm, f"lora=8,{FULL}", {"lora": 8, "remake": True}, deep=6),
    "gpt_foreach_off_batch_half": pair(
        gpt, "foreach=off,micro-batch=0.5", {"opt": "adamw", "B": 1}, opt="adamw_foreach", **{**MANY_WEIGHTS, "B": 2}),
    # Runs that die
    "gpt_dies_batch_half": pair(gpt, HALF, {"B": 8}, room=0.8, B=16, n=6),
    "gpt_dies_early_batch_quarter": pair(gpt, QUARTER, {"B": 4}, room=0.5, B=16, n=6),
    "gpt_dies_in_step_sgd": pair(gpt, "optimizer=sgd", {"opt": "sgd"}, room=0.8, **MANY_WEIGHTS),
    "gpt_dies_in_step_batch_half": pair(gpt, HALF, {"B": 1}, room=0.8, **{**MANY_WEIGHTS, "B": 2}),
    "gpt_dies_in_foreach_off": pair(gpt, "foreach=off", {"opt": "adamw"}, room=0.9, opt="adamw_foreach", **MANY_WEIGHTS),
    "gpt_dies_checkpointing": pair(gpt, FULL, {"ckpt": True}, room=0.75, n=8, B=12),
    "gpt_dies_in_backward_checkpointing": pair(gpt, FULL, {"ckpt": True}, room=0.97, n=8, B=12),
    "gpt_dies_accumulation": pair(gpt, ACCUMULATED, {"B": 6, "micro": 2}, room=0.85, n=6, B=12),
    "gpt_dies_sequence_half": pair(gpt, "sequence=0.5", {"T": 64}, room=0.7, B=8, T=128),
    "llm_dies_loss_in_8": pair(runs.llm, "fused-loss=on", {"chunks": 8}, room=0.8, vocab=8192, d=64, deep=2, heads=4),
    "llm_dies_adapters": pair(runs.llm, "lora=8", {"lora": 8}, room=0.85, d=192, B=2, T=32),
    "llm_dies_batch_half": pair(runs.llm, HALF, {"B": 8}, room=0.9, B=16, gated=True),
    "conv_dies_batch_half": pair(conv, HALF, {"B": 16}, room=0.9, B=32),
    "conv_dies_early_batch_quarter": pair(conv, QUARTER, {"B": 8}, room=0.5, B=32),
    "mlp_dies_batch_half": pair(runs.mlp, HALF, {"B": 512}, room=0.85, B=1024),
    "encoder_dies_batch_half": pair(runs.encoder, HALF, {"B": 32}, room=0.8, B=64),
    "results_kept_die_leave_after_4": pair(runs.collecting, "eval-accumulation=4", {"keep": 4}, room=0.8, batches=40),
}


class Recorded(typing.NamedTuple):
    """One run: its snapshot, the largest requested and reserved bytes, and whether it died."""

    snapshot: dict
    peak: int
    reserved: int
    died: bool


def record(scene, options, room=ROOM):
    torch.manual_seed(0)
    gc.collect()
    rec = Recorder(room, SCALE)
    rec.dump_at_oom, rec.grad_enabled = True, torch.is_grad_enabled
    TAP.tap_callback(rec.callback)
    try:
        scene(rec, **options)
    except RuntimeError as error:
        if rec.oom is None:
            raise
        error.__traceback__ = None
    gc.collect()
    shot = rec.snapshot_at_oom or rec.snapshot()
    TAP.tap_callback(None)
    segments, trace = shot["snap"]["segments"], rec.trace  # also what a ring forgot
    live = sum(b["requested_size"] for s in segments for b in s["blocks"])
    return Recorded(shot["snap"], largest(trace, "alloc", "free_completed", live),
                    largest(trace, "segment_alloc", "segment_free", sum(s["total_size"] for s in segments)),
                    rec.oom is not None)


def largest(trace, gained, lost, at_end):
    """Backward from the end, as a trace may begin when much is there already."""
    now = most = at_end
    for event in reversed(trace):
        now -= {gained: event["size"], lost: -event["size"]}.get(event["action"], 0)
        most = max(most, now)
    return most


def write(name, described, out, may_live):
    scene, before, after, change, room, config = described
    whole = record(scene, before)
    changed = record(scene, after)
    truth = {"apply": change, "peak_requested_before": whole.peak, "peak_requested_after": changed.peak}
    truth |= {"config": config} if config else {}
    recorded = whole
    if room:
        capacity = int(room * whole.reserved) // (2 << 20) * (2 << 20)
        died = record(scene, before, capacity)
        assert died.died or may_live, f"{name}: the run before the change fits"
        assert died.snapshot["device_traces"][0] or may_live, f"{name}: it died before it was recorded"
        if died.died and died.snapshot["device_traces"][0]:
            recorded = died
            truth |= {"capacity": capacity, "fits_after": not record(scene, after, capacity).died}
    (out / f"{name}.pickle").write_bytes(pickle.dumps(recorded.snapshot))
    (out / f"{name}.pair.json").write_text(json.dumps(truth), encoding="utf-8")
    print(f"{name:38} {whole.peak / 2**30:7.2f} -> {changed.peak / 2**30:7.2f} GiB", flush=True)


def main(described=PAIRS, may_live=False):
    """`may_live`: a run that finds a place in its share of the room, or dies before it is recorded, is one that lived."""
    torch.set_num_threads(1)
    TAP.tap_install()
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or described:
        write(name, described[name], out, may_live)


if __name__ == "__main__":
    main()
