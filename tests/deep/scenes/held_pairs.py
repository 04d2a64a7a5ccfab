# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""held_pairs.py OUT_DIR [PAIR...]: pairs as in pairs.py of models and habits that no law was made by. They were recorded
before any of their predictions was looked at."""

import held_runs as runs
import pairs
import scenes
import torch
from pairs import ACCUMULATED, FULL, HALF, QUARTER, TWICE, pair

# The given scenes in other settings.
GIVEN = {"d": 160, "n": 5, "h": 5, "vocab": 3000, "B": 6, "T": 80, "steps": 2}


def gpt(rec, opt="adam", **options):
    scenes.gpt_adamw(rec, opt=runs.OPTIMIZERS[opt], **{**GIVEN, **options})


def conv(rec, B=12, side=40, opt="adamw", w=32, steps=2, micro=1):
    model = scenes.ConvNet(w=w)
    run = scenes.Run(rec, model, runs.OPTIMIZERS[opt](model.parameters()), scenes.F.cross_entropy)
    for _ in range(steps):
        run.train_step(torch.randn(B, 3, side, side), torch.randint(100, (B,)), micro=micro)


EIGHTH, TWO_THIRDS = "micro-batch=0.125", "micro-batch=0.6666666667"
STATES = {"d": 288, "n": 3, "h": 4, "B": 1, "T": 32, "vocab": 1500}

PAIRS = {
    # Micro-batch
    "held_gpt_batch_6_to_4": pair(gpt, TWO_THIRDS, {"B": 4}),
    "held_gpt_batch_8_to_1": pair(gpt, EIGHTH, {"B": 1}, B=8),
    "held_old_gpt_batch_half": pair(runs.old_gpt, HALF, {"B": 3}),
    "held_decoder_batch_12_to_3": pair(runs.decoder, QUARTER, {"B": 3}, B=12, T=64),
    "held_decoder_tied_batch_half": pair(runs.decoder, HALF, {"B": 2}, tied=True, clip=1.0),
    "held_decoder_library_batch_twice": pair(runs.decoder, TWICE, {"B": 4}, B=2, library=True),
    "held_decoder_half_width_batch_half": pair(runs.decoder, HALF, {"B": 4}, B=8, half=True, loss="float"),
    "held_decoder_every_second_batch_half": pair(runs.decoder, HALF, {"B": 4}, B=8, deep=6, remake=2),
    "held_decoder_parts_batch_half": pair(runs.decoder, HALF, {"B": 4}, B=8, vocab=6000, deep=2, loss="parts"),
    "held_bert_batch_half": pair(runs.bert, HALF, {"B": 5}),
    "held_vit_batch_quarter": pair(runs.vit, QUARTER, {"B": 3}),
    "held_mixer_batch_half": pair(runs.mixer, HALF, {"B": 8}),
    "held_bottle_batch_half": pair(runs.bottle, HALF, {"B": 6}),
    "held_bottle_evaluated_batch_half": pair(runs.bottle, HALF, {"B": 4, "evaluated": 24}, B=8, evaluated=48),
    "held_unet_batch_half": pair(runs.normed_unet, HALF, {"B": 3}),
    "held_segmenter_batch_quarter": pair(runs.segmenter, QUARTER, {"B": 2}),
    "held_conv_batch_quarter": pair(conv, QUARTER, {"B": 3}),
    "held_rnn_batch_half": pair(runs.rnn, HALF, {"B": 6}),
    "held_tagger_batch_half": pair(runs.tagger, HALF, {"B": 8}),
    "held_translator_batch_half": pair(runs.translator, HALF, {"B": 4}),
    "held_towers_batch_half": pair(runs.towers, HALF, {"B": 24}),
    "held_vae_batch_half": pair(runs.vae_closure, HALF, {"B": 128}),
    # Accumulation
    "held_old_gpt_accumulation": pair(runs.old_gpt, ACCUMULATED, {"B": 3, "micro": 2}),
    "held_decoder_accumulation_of_8": pair(
        runs.decoder, "micro-batch=0.125,accumulation=8", {"B": 1, "micro": 8}, B=8, T=48, steps=2),
    "held_bert_accumulation_2_to_4": pair(
        runs.bert, "micro-batch=0.5,accumulation=4", {"B": 5, "micro": 4}, micro=2, steps=2),
    "held_bottle_accumulation": pair(runs.bottle, ACCUMULATED, {"B": 6, "micro": 2}),
    "held_gpt_states_accumulation_of_4": pair(gpt, "accumulation=4", {"micro": 4}, **STATES),
    # Sequence
    "held_old_gpt_sequence_half": pair(runs.old_gpt, "sequence=0.5", {"T": 80}, B=3, T=160),
    "held_decoder_sequence_twice": pair(runs.decoder, "sequence=2", {"T": 128}, B=2, T=64),
    "held_bert_sequence_half": pair(runs.bert, "sequence=0.5", {"T": 64}, B=4, T=128, longest=160),
    "held_rnn_sequence_half": pair(runs.rnn, "sequence=0.5", {"T": 24}, T=48),
    "held_translator_sequence_half": pair(runs.translator, "sequence=0.5", {"T": 32}, T=64),
    # Optimizer
    "held_decoder_adamw_to_sgd": pair(runs.decoder, "optimizer=sgd", {"opt": "sgd"}, B=1, T=24, d=256, wide=704),
    "held_old_gpt_amsgrad_to_momentum": pair(
        runs.old_gpt, "optimizer=sgd-momentum", {"opt": "momentum"}, opt="amsgrad", d=240, B=1, T=24, clip=0.0),
    "held_bert_nadam_to_sgd": pair(runs.bert, "optimizer=sgd", {"opt": "sgd"}, opt="nadam", d=288, B=1, T=24),
    "held_mixer_centered_to_momentum": pair(
        runs.mixer, "optimizer=sgd-momentum", {"opt": "momentum"}, opt="centered", d=256, B=1),
    "held_vit_adamw_to_lion": pair(runs.vit, "optimizer=lion", {"opt": "lion"}, d=240, B=1),
    "held_rnn_adam_to_sgd": pair(runs.rnn, "optimizer=sgd", {"opt": "sgd"}, B=1, T=16, wide=320),
    "held_bottle_nesterov_to_sgd": pair(runs.bottle, "optimizer=sgd", {"opt": "sgd"}, B=1, w=40),
    "held_gpt_foreach_off": pair(gpt, "foreach=off", {"opt": "adamw"}, opt="adamw_foreach", **STATES),
    "held_bottle_momentum_foreach_off": pair(
        runs.bottle, "foreach=off", {"opt": "momentum"}, opt="momentum_foreach", B=1, w=40),
    # Adapters
    "held_decoder_adapters_of_16": pair(runs.decoder, "lora=16", {"rank": 16}, B=2, T=48, d=192, wide=512),
    "held_old_gpt_adapters_of_4": pair(runs.old_gpt, "lora=4", {"rank": 4}, B=2, T=48, d=192),
    # Checkpointing and the loss in parts
    "held_decoder_checkpointing": pair(runs.decoder, FULL, {"remake": 1}, B=8, deep=7),
    "held_decoder_checkpointing_old": pair(runs.decoder, FULL, {"remake": 1, "old": True}, B=6, deep=5, T=128),
    "held_vit_checkpointing": pair(runs.vit, FULL, {"remake": True}, deep=8),
    "held_decoder_loss_in_parts": pair(
        runs.decoder, "fused-loss=on", {"loss": "parts"}, vocab=8000, d=96, deep=2, B=6, wide=256),
    "held_decoder_batch_half_sgd": pair(
        runs.decoder, "micro-batch=0.5,optimizer=sgd", {"B": 4, "opt": "sgd"}, B=8, d=192, wide=512),
    # Kept results
    "held_predictions_leave_after_5": pair(runs.predictions, "eval-accumulation=5", {"keep": 5}, batches=60),
    "held_losses_kept_batch_half": pair(runs.losses_kept, HALF, {"B": 2}),
    # Runs that die
    "held_old_gpt_dies_in_forward_batch_quarter": pair(runs.old_gpt, QUARTER, {"B": 3}, room=0.4, B=12),
    "held_decoder_dies_at_head_batch_half": pair(runs.decoder, HALF, {"B": 4}, room=0.72, B=8, vocab=6000, deep=3),
    "held_decoder_dies_in_backward_checkpointing": pair(runs.decoder, FULL, {"remake": 1}, room=0.9, B=8, deep=7),
    "held_bert_dies_sequence_half": pair(runs.bert, "sequence=0.5", {"T": 64}, room=0.6, T=128),
    "held_vit_dies_in_forward_batch_half": pair(runs.vit, HALF, {"B": 12}, room=0.6, B=24),
    "held_bottle_dies_in_forward_batch_half": pair(runs.bottle, HALF, {"B": 12}, room=0.55, B=24),
    "held_unet_dies_in_backward_batch_half": pair(runs.normed_unet, HALF, {"B": 6}, room=0.93, B=12),
    "held_mixer_dies_in_first_step_sgd": pair(
        runs.mixer, "optimizer=sgd", {"opt": "sgd"}, room=0.75, d=256, B=1, opt="adam"),
    "held_gpt_dies_in_second_step_batch_half": pair(gpt, HALF, {"B": 5}, room=0.9, B=10, steps=3, d=224, T=64, h=4),
    "held_gpt_dies_in_second_step_accumulation": pair(
        gpt, ACCUMULATED, {"B": 5, "micro": 2}, room=0.88, B=10, steps=3, d=224, T=64, h=4),
    "held_rnn_dies_in_backward_batch_half": pair(runs.rnn, HALF, {"B": 12}, room=0.85, B=24),
    "held_translator_dies_batch_quarter": pair(runs.translator, QUARTER, {"B": 6}, room=0.65, B=24),
    "held_gpt_dies_in_evaluation_batch_half": pair(
        runs.validated, HALF, {"B": 2, "checked": 20}, room=0.7, checked=40, T=96),
    "held_decoder_dies_adapters": pair(runs.decoder, "lora=8", {"rank": 8}, room=0.7, B=2, T=48, d=192, wide=512),
}

if __name__ == "__main__":
    pairs.main(PAIRS)
