# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""transformers_runs.py RECORDER OUT [NAME...]: pairs of training runs of transformers' models, drawn by chance (see draw.py).

NAME is FAMILY_SEED. A run's sizes, loop (one's own, or transformers' Trainer), precision, optimizer, attention, checkpointing
and adapters follow from its name; so does the one change. Three families are none that `plan` knows. NAME.pair.json tells the
truth of both runs (`dimensions`, `dimensions_after`: the configuration and how it was trained), for who scores alone."""

import contextlib
import copy
import os
import sys

import draw
import torch
import torch.nn.functional as F
from draw import Run, as_cuda, host, research, tokens

import runs  # noqa: E402  (the recorder's)

SEED = "s1"
OPTIMIZERS = {"adamw": {}, "fused": {"fused": True}, "for-loop": {"foreach": False}}
TRAINERS = {"adamw": "adamw_torch", "fused": "adamw_torch_fused", "sgd": "sgd", "adafactor": "adafactor"}
CHANGES = ["micro-batch=2", "micro-batch=1/2", "sequence=2", "sequence=1/2", "precision=bf16", "precision=pure-bf16", "optimizer=sgd",
           "optimizer=adafactor", "fused=on", "foreach=off", "checkpointing=full", "attention=flash", "lora=16", "lora=32",
           "micro-batch=1/2,accumulation=2"]


def mask_of_bytes():
    """CUDA's dropout is one kernel that keeps a byte an element; the CPU's keeps the mask in the input's type."""
    old = F.dropout

    def dropout(x, p=0.5, training=True, inplace=False):
        return torch.native_dropout(x, p, True)[0] if training and p > 0 and not inplace else old(x, p, training, inplace)

    F.dropout = torch.nn.functional.dropout = dropout


def products_of_zeros():
    """Products take nearly all of the time, and nobody reads them: their results are made, of the same sizes, and left at zero."""
    library = torch.library.Library("aten", "IMPL")
    as_cuda._alive.append(library)
    zeros = torch.zeros
    library.impl("mm", lambda a, b: zeros(a.shape[0], b.shape[1], dtype=a.dtype), "CPU")
    library.impl("bmm", lambda a, b: zeros(a.shape[0], a.shape[1], b.shape[2], dtype=a.dtype), "CPU")
    library.impl("addmm", lambda c, a, b, **_: zeros(a.shape[0], b.shape[1], dtype=a.dtype), "CPU")


class OfTransformers(Run):
    """`parts`: micro-batches of a step. What else differs between a run and its sibling is a field of its own."""

    def __init__(self, make, config, batch, samples, length, precision, optimizer, parts, attention, checkpoints, rank, targets, trainer):
        super().__init__(None, batch, None, samples, length, precision, optimizer, parts)
        self.make, self.config, self.attention, self.checkpoints = make, config, attention, checkpoints
        self.rank, self.targets, self.trainer, self.steps = rank, targets, trainer, 3

    def dimensions(self):
        config = self.config.to_dict()
        config.pop("dtype", None)
        return {"config": config, "batch": self.samples, "sequence": self.length, "precision": self.precision, "optimizer": self.optimizer,
                "accumulation": self.parts, "attention": self.attention, "checkpointing": self.checkpoints, "lora": self.rank,
                "targets": self.targets, "trainer": self.trainer}

    def model(self):
        self.config._attn_implementation = self.attention
        model = self.make(self.config)
        model.config.use_cache = False
        if self.precision == "pure-bf16":
            model = model.to(torch.bfloat16)
        if self.rank:
            import peft
            if self.checkpoints:
                model.enable_input_require_grads()
            model = peft.get_peft_model(model, peft.LoraConfig(r=self.rank, target_modules=self.targets))
        return model.train()

    def optimizer_of(self, model):
        trained = [p for p in model.parameters() if p.requires_grad]
        if self.optimizer in OPTIMIZERS:
            return torch.optim.AdamW(trained, lr=1e-4, **OPTIMIZERS[self.optimizer])
        if self.optimizer == "adafactor":
            import transformers
            return transformers.Adafactor(trained, scale_parameter=False, relative_step=False, lr=1e-4)
        return torch.optim.SGD(trained, lr=0.01, momentum=0.9 if self.optimizer == "momentum" else 0)

    def __call__(self, recorder):
        as_cuda.put_in_place(recorder, host)
        mask_of_bytes()
        products_of_zeros()
        with host(recorder):
            model = self.model()
        if self.trainer:
            runs.trainer(recorder, model, B=self.samples, L=self.length, steps=self.steps, accum=self.parts, vocab=self.config.vocab_size,
                         optim=TRAINERS[self.optimizer], bf16=self.precision == "bf16",
                         **({"gradient_checkpointing": True, "gradient_checkpointing_kwargs": {"use_reentrant": False}} if self.checkpoints else {}))
            return
        if self.checkpoints:
            model.gradient_checkpointing_enable({"use_reentrant": False})
        optimizers = []

        def step(batch, _, __):
            if not optimizers:
                optimizers.append(self.optimizer_of(model))
            for _ in range(self.parts):
                with torch.autocast("cpu", torch.bfloat16, enabled=self.precision == "bf16"):
                    loss = model(**batch).loss
                loss.backward()
                del loss
            optimizers[0].step()
            optimizers[0].zero_grad()

        research.loop(recorder, [model], optimizers, lambda: self.batch(self.samples, self.length), step, self.steps)


def texts(vocabulary):
    def batch(samples, length):
        ids = tokens(vocabulary)(samples, length)
        return {"input_ids": ids, "labels": ids}
    return batch


def pictures(side, labels, half):
    def batch(samples, _):
        return {"pixel_values": torch.randn(samples, 3, side, side).to(torch.bfloat16 if half() else torch.float32),
                "labels": torch.randint(labels, (samples,))}
    return batch


def sounds(places, vocabulary, half):
    def batch(samples, length):
        return {"input_features": torch.randn(samples, 80, 2 * places).to(torch.bfloat16 if half() else torch.float32),
                "labels": torch.randint(vocabulary, (samples, length))}
    return batch


def of(family, kind="ForCausalLM"):
    """A run of a family of transformers, whose classes begin with that."""
    def drawn(r):
        import transformers
        width, layers, vocabulary = r.choice([128, 160, 192, 256, 320]), r.randint(2, 4), r.choice([2000, 3000, 4000, 6000])
        heads = r.choice([h for h in (2, 4, 5, 6, 8) if width % h == 0 and (width // h) % 16 == 0])
        groups, inner, length = r.choice([heads, heads // 2 if heads % 2 == 0 else 1]), r.choice([2, 3, 4]) * width + r.choice([0, 64]), r.choice([64, 96, 128, 160])
        samples, tied = r.randint(2, 6), r.random() < 0.4
        drops, places = r.choice([0.0, 0.1]), r.choice([512, 1024])
        side, patch, labels = r.choice([96, 128, 160]), r.choice([8, 16]), r.choice([2, 10, 100])
        words = {"hidden_size": width, "intermediate_size": inner, "num_hidden_layers": layers, "num_attention_heads": heads,
                 "vocab_size": vocabulary, "max_position_embeddings": places, "use_cache": False, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
        if family in ("Bert", "Roberta", "Electra", "DebertaV2"):
            words.update(hidden_dropout_prob=drops, attention_probs_dropout_prob=drops, max_position_embeddings=places + 2)
        elif family == "GPT2":
            words = {"n_embd": width, "n_layer": layers, "n_head": heads, "vocab_size": vocabulary, "n_positions": places, "resid_pdrop": drops,
                     "attn_pdrop": drops, "embd_pdrop": drops, "bos_token_id": 1, "eos_token_id": 2}
        elif family == "OPT":
            words.update(ffn_dim=inner, dropout=drops, word_embed_proj_dim=width)
            words.pop("intermediate_size")
        elif family == "DistilBert":
            words = {"dim": width, "hidden_dim": inner, "n_layers": layers, "n_heads": heads, "vocab_size": vocabulary, "max_position_embeddings": places,
                     "dropout": drops, "attention_dropout": drops, "pad_token_id": 0}
        elif family == "T5":
            words = {"d_model": width, "d_kv": width // heads, "d_ff": inner, "num_layers": layers, "num_heads": heads, "vocab_size": vocabulary,
                     "dropout_rate": drops, "feed_forward_proj": r.choice(["relu", "gated-gelu"]), "decoder_start_token_id": 0, "pad_token_id": 0,
                     "use_cache": False}
        elif family in ("Bart", "Whisper"):
            words = {"d_model": width, "encoder_layers": layers, "decoder_layers": layers, "encoder_ffn_dim": inner, "decoder_ffn_dim": inner,
                     "encoder_attention_heads": heads, "decoder_attention_heads": heads, "vocab_size": vocabulary, "dropout": drops, "use_cache": False,
                     "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 0}
            words.update({"max_source_positions": 160, "max_target_positions": 512} if family == "Whisper" else {"max_position_embeddings": places})
        elif family == "ViT":
            words = {"hidden_size": width, "intermediate_size": inner, "num_hidden_layers": layers, "num_attention_heads": heads,
                     "image_size": side, "patch_size": patch, "num_labels": labels}
        elif family in ("Falcon",):
            words = {"hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": heads, "vocab_size": vocabulary, "use_cache": False}
        elif family not in ("GPTNeoX",):
            words.update(num_key_value_heads=groups, tie_word_embeddings=tied)
            words.update({"head_dim": width // heads} if family in ("Qwen3", "Gemma2") else {})
        config = getattr(transformers, family + "Config")(**words)
        made = getattr(transformers, family + kind)
        is_text = family not in ("ViT", "Whisper")
        attention = "eager" if family == "Gemma2" or drops and (kind != "ForCausalLM" or family in ("GPT2", "OPT")) else r.choice(["eager", "sdpa", "sdpa"])
        attention = "eager" if family in ("T5", "DebertaV2") else attention
        trainer = is_text and family not in ("T5", "Bart") and r.random() < 0.5
        optimizer = r.choice(["adamw", "adamw", "fused", "sgd"] if trainer else ["adamw", "adamw", "fused", "for-loop", "momentum"])
        adapts = is_text and family in ("Llama", "Qwen2", "Mistral", "GPT2", "Phi") and r.random() < 0.25
        run = OfTransformers(made, config, None, samples, length if is_text or family == "Whisper" else 0, r.choice(["fp32", "fp32", "bf16", "pure-bf16"]), optimizer,
                             r.choice([1, 1, 1, 2]), attention, family not in ("DebertaV2",) and r.random() < 0.2, r.choice([8, 16]) if adapts else 0, "all-linear" if adapts and r.random() < 0.5 else None, trainer)
        change = r.choice([c for c in CHANGES if is_possible(c, run, family)])
        other = with_change(change, run)
        if change == "micro-batch=1/2":
            run.samples, other.samples = 2 * run.samples, run.samples
        elif "micro-batch=1/2" in change:
            run.samples, other.samples, other.parts = 2 * run.samples, run.samples, 2
        elif change == "sequence=1/2":
            run.length, other.length = 2 * run.length, run.length
        for one in (run, other):
            one.batch = (texts(vocabulary) if is_text else pictures(side, labels, lambda one=one: one.precision == "pure-bf16") if family == "ViT"
                         else sounds(160, vocabulary, lambda one=one: one.precision == "pure-bf16"))
        other.steps = 2  # The second step has what any later one has.
        return change, run, other
    return drawn


def is_possible(change, run, family):
    name, _, value = change.partition("=")
    is_adam = run.optimizer in OPTIMIZERS
    return {"micro-batch": "accumulation" not in change or run.parts == 1,
            "sequence": run.length > 0 and family != "Whisper",
            "precision": run.precision == "fp32" or (run.precision == "bf16" and value == "pure-bf16"),
            "optimizer": is_adam and not run.rank and (value == "sgd" or run.trainer),
            "fused": run.optimizer in ("adamw", "for-loop"),
            "foreach": run.optimizer == "adamw" and not run.trainer,
            "checkpointing": not run.checkpoints and family not in ("DebertaV2",),
            "attention": run.attention == "eager" and family not in ("Gemma2", "T5", "DebertaV2") and not drops(run.config),
            "lora": (family in ("Llama", "Qwen2", "Mistral", "GPT2", "Phi", "Qwen3") and value != str(run.rank))}[name]


def drops(config):
    return any(v for k, v in config.to_dict().items() if "drop" in k and isinstance(v, float))


def with_change(change, run):
    other = copy.copy(run)
    name, _, value = change.partition("=")
    if change == "micro-batch=2":
        other.samples *= 2
    elif change == "sequence=2":
        other.length *= 2
    elif name in ("precision", "optimizer"):
        setattr(other, name, value)
    elif name == "fused":
        other.optimizer = "fused"
    elif name == "foreach":
        other.optimizer = "for-loop"
    elif name == "checkpointing":
        other.checkpoints = True
    elif name == "attention":
        other.attention = "sdpa"
    elif name == "lora":
        other.rank = int(value)
    return other


DRAWN = {"llama": ("Llama",), "qwen2": ("Qwen2",), "qwen3": ("Qwen3",), "mistral": ("Mistral",), "gemma2": ("Gemma2",), "gpt2": ("GPT2", "LMHeadModel"),
         "gptneox": ("GPTNeoX",), "phi": ("Phi",), "olmo2": ("Olmo2",), "opt": ("OPT",), "bert": ("Bert", "ForMaskedLM"), "roberta": ("Roberta", "ForMaskedLM"),
         "distilbert": ("DistilBert", "ForMaskedLM"), "vit": ("ViT", "ForImageClassification"), "t5": ("T5", "ForConditionalGeneration"),
         "bart": ("Bart", "ForConditionalGeneration"), "whisper": ("Whisper", "ForConditionalGeneration"), "falcon": ("Falcon",),
         "deberta": ("DebertaV2", "ForMaskedLM")}
TIMES = {"llama": 6, "qwen2": 6, "qwen3": 5, "mistral": 5, "gemma2": 4, "gpt2": 5, "gptneox": 3, "phi": 3, "olmo2": 2, "opt": 3, "bert": 4, "roberta": 3,
         "distilbert": 2, "vit": 4, "t5": 3, "bart": 2, "whisper": 2, "falcon": 1, "deberta": 1}


def load_once():
    """What every run would load for itself."""
    import accelerate  # noqa: F401
    import peft  # noqa: F401
    import torch._dynamo  # noqa: F401
    import transformers
    with contextlib.suppress(ImportError):
        import deepspeed  # noqa: F401  (accelerate asks for it)
    return transformers.Trainer, transformers.TrainingArguments


def main():
    load_once()
    draw.FAMILIES.update({name: of(*words) for name, words in DRAWN.items()})
    os.makedirs(draw.OUT, exist_ok=True)
    # One of each family first, so that a draw that is cut short has all of them.
    for name in sys.argv[1:] or [f"{f}_{SEED}{i}" for i in range(max(TIMES.values())) for f in DRAWN if i < TIMES[f]]:
        if (draw.OUT / f"{name}.pair.json").exists():
            continue
        try:
            family, _, number = name.rpartition("_")
            change, base, sibling = draw.FAMILIES[family](draw.random.Random(f"{family} {number}"))
            before, after = draw.record(name, base), draw.record(name + ".other", sibling)
        except (RuntimeError, ValueError) as error:
            print(f"{name}: not recorded: {error}", flush=True)
            continue
        (draw.OUT / f"{name}.other.pickle").unlink()
        (draw.OUT / f"{name}.pair.json").write_text(draw.json.dumps({
            "base": name, "apply": change, "peak_requested_before": before, "peak_requested_after": after,
            "dimensions": base.dimensions(), "dimensions_after": sibling.dimensions()}, default=str) + "\n")


main()
