# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Inside TRL's trainers, which are the Hugging Face Trainer's children: callbacks go the same way."""

import os
import pickle

from trials import VOCABULARY, llama, trial

TEXT = " ".join(f"w{i}" for i in range(40))


def tokenizer():
    import tokenizers
    import transformers
    words = {"<pad>": 0, "<eos>": 1, **{f"w{i}": i + 2 for i in range(VOCABULARY - 2)}}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="<pad>"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, pad_token="<pad>", eos_token="<eos>")


def common(t, steps):
    return {"output_dir": os.path.dirname(t.path), "max_steps": steps, "report_to": [], "save_strategy": "no",
            "disable_tqdm": True, "use_cpu": True, "bf16": False, "dataloader_pin_memory": False,
            "gradient_checkpointing": False, "logging_steps": 1000}


@trial(steps=3)
def trl_sft(t):
    import datasets
    import trl
    arguments = trl.SFTConfig(per_device_train_batch_size=4, **common(t, 3))
    trl.SFTTrainer(llama(t), args=arguments, train_dataset=datasets.Dataset.from_dict({"text": [TEXT] * 16}),
                   processing_class=tokenizer(), callbacks=[t.capture.HuggingFaceCallback(t.path)]).train()


@trial(steps=2)
def trl_grpo(t):
    """Generation and training in turn, in one process."""
    import datasets
    import trl
    t.truth.trained = True  # what is scored without gradients is no mere inference
    arguments = trl.GRPOConfig(per_device_train_batch_size=4, num_generations=4, max_completion_length=6, beta=0.0,
                               **common(t, 2))
    trl.GRPOTrainer(llama(t), reward_funcs=lambda completions, **_: [float(len(c)) for c in completions],
                    args=arguments, train_dataset=datasets.Dataset.from_dict({"prompt": [TEXT] * 16}),
                    processing_class=tokenizer(), callbacks=[t.capture.HuggingFaceCallback(t.path)]).train()


@trial(steps=2)
def trl_grpo_judged(t):
    """A model that rewards, which the trainer keeps among its functions."""
    import datasets
    import transformers
    import trl
    t.truth.trained = True
    config = transformers.LlamaConfig(hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=4,
                                      vocab_size=VOCABULARY, num_labels=1, pad_token_id=0)
    judge = transformers.LlamaForSequenceClassification(config)
    t.truth.watch(judge)
    arguments = trl.GRPOConfig(per_device_train_batch_size=4, num_generations=4, max_completion_length=6, beta=0.0,
                               **common(t, 2))
    trl.GRPOTrainer(llama(t), reward_funcs=judge, reward_processing_classes=tokenizer(), args=arguments,
                    train_dataset=datasets.Dataset.from_dict({"prompt": [TEXT] * 16}), processing_class=tokenizer(),
                    callbacks=[t.capture.HuggingFaceCallback(t.path)]).train()
    with open(t.path, "rb") as file:
        things = pickle.load(file)["tidemark"]["things"]
    roles = {role for name, role in zip(things["name"], things["role"]) if name.startswith("reward_model.")}
    assert roles == {"second_model"}, roles


@trial(steps=2, phases=0.85)
def trl_dpo(t):
    """Two models, the second one a reference without gradients, whose pass lies inside of the one that is trained: the
    truth takes the loss after it for a part of it, as it hears of modules alone."""
    import datasets
    import trl
    t.truth.trained = True
    rows = {"prompt": [TEXT] * 16, "chosen": ["w1 w2 w3"] * 16, "rejected": ["w4 w5"] * 16}
    arguments = trl.DPOConfig(per_device_train_batch_size=4, **common(t, 2))
    trl.DPOTrainer(llama(t), ref_model=llama(t), args=arguments, train_dataset=datasets.Dataset.from_dict(rows),
                   processing_class=tokenizer(), callbacks=[t.capture.HuggingFaceCallback(t.path)]).train()
