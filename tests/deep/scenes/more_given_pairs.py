# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""more_given_pairs.py OUT_DIR [PAIR...]: the data folder's own models crossed with further habits: frozen parts, gradients
that are zeroed, rings that lost their beginning, recordings of one step, combinations of changes, losses in parts. They
were recorded before any of their predictions was looked at."""

import pairs
from more_given_runs import conv, evaluated, gpt
from pairs import ACCUMULATED, FULL, HALF, QUARTER, TWICE, pair

STATES = {"B": 1, "T": 64, "d": 384}
AGAIN = {"again": "layers"}
WORDS = {"vocab": 16384, "d": 128, "n": 2, "h": 4}

PAIRS = {
    # Micro-batch
    "more_gpt_batch_8_to_1": pair(gpt, "micro-batch=0.125", {"B": 1}),
    "more_gpt_batch_6_to_4": pair(gpt, "micro-batch=2/3", {"B": 4}, B=6, d=192, h=6),
    "more_gpt_batch_2_to_8": pair(gpt, "micro-batch=4", {"B": 8}, B=2),
    "more_gpt_batch_half_one_step": pair(gpt, HALF, {"B": 4}, steps=1),
    "more_gpt_batch_half_many_heads": pair(gpt, HALF, {"B": 4}, h=32, n=3),
    "more_gpt_batch_half_zeroes": pair(gpt, HALF, {"B": 4}, zeroes=True, steps=3),
    "more_gpt_batch_half_frozen": pair(gpt, HALF, {"B": 4}, frozen=2),
    "more_gpt_batch_half_adapters": pair(gpt, HALF, {"B": 4}, rank=8, n=6),
    "more_gpt_batch_half_remade_the_older_way": pair(gpt, HALF, {"B": 8}, B=16, again="older", n=6),
    "more_gpt_batch_half_attention_remade": pair(gpt, HALF, {"B": 4}, again="attention"),
    "more_gpt_batch_half_lengths": pair(gpt, HALF, {"B": 3}, B=6, steps=4, lengths=(96, 128, 64, 192)),
    "more_gpt_batch_half_validated": pair(gpt, HALF, {"B": 4}, validate=3, n=3),
    "more_gpt_batch_half_foreach_states": pair(gpt, HALF, {"B": 1}, B=2, T=64, d=512, n=2, opt="adam_foreach"),
    "more_gpt_batch_half_autocast": pair(gpt, HALF, {"B": 4}, autocast=True),
    "more_gpt_batch_half_loss_in_parts": pair(gpt, HALF, {"B": 4}, kind="parts"),
    "more_gpt_batch_half_words_in_parts": pair(gpt, HALF, {"B": 4}, kind="parts", **WORDS),
    "more_gpt_batch_half_words_fused": pair(gpt, HALF, {"B": 4}, kind="fused", **WORDS),
    "more_gpt_batch_half_recorded_late": pair(gpt, HALF, {"B": 4}, steps=3, record_from=1),
    "more_gpt_batch_half_states_recorded_late": pair(gpt, HALF, {"B": 1}, **{**STATES, "B": 2}, steps=3, record_from=2),
    "more_gpt_batch_half_end_of_ring": pair(gpt, HALF, {"B": 4}, steps=6, entries=4000),
    "more_gpt_batch_half_short_ring": pair(gpt, HALF, {"B": 4}, steps=3, entries=1500),
    "more_conv_batch_quarter_evaluated": pair(conv, QUARTER, {"B": 4}, evaluated=3),
    "more_conv_batch_4_times": pair(conv, "micro-batch=4", {"B": 16}, B=4, opt="momentum"),
    "more_conv_batch_half_one_step": pair(conv, HALF, {"B": 8}, steps=1, opt="sgd"),
    "more_conv_batch_half_recorded_late": pair(conv, HALF, {"B": 8}, record_from=1, w=32),
    # Accumulation
    "more_gpt_accumulation_zeroes": pair(gpt, ACCUMULATED, {"B": 4, "micro": 2}, zeroes=True, steps=3),
    "more_gpt_accumulation_more": pair(gpt, "micro-batch=0.5,accumulation=4", {"B": 4, "micro": 4}, micro=2),
    "more_gpt_accumulation_foreach": pair(gpt, "accumulation=2", {"micro": 2}, opt="adam_foreach", **STATES),
    "more_gpt_accumulation_adapters": pair(gpt, ACCUMULATED, {"B": 4, "micro": 2}, rank=16),
    "more_gpt_accumulation_one_step": pair(gpt, "accumulation=2", {"micro": 2}, steps=1, d=320, h=10),
    "more_conv_accumulation_momentum": pair(conv, "accumulation=4", {"micro": 4}, B=4, opt="momentum"),
    # Sequence
    "more_gpt_sequence_3_times": pair(gpt, "sequence=3", {"T": 192}, B=4, T=64),
    "more_gpt_sequence_half_one_layer": pair(gpt, "sequence=0.5", {"T": 96}, T=192, B=4, n=1),
    "more_gpt_sequence_half_adapters": pair(gpt, "sequence=0.5", {"T": 96}, T=192, B=4, rank=8),
    "more_gpt_sequence_half_remade": pair(gpt, "sequence=0.5", {"T": 128}, T=256, B=4, n=3, **AGAIN),
    "more_gpt_sequence_half_twice_batch": pair(gpt, "sequence=0.5,micro-batch=2", {"T": 96, "B": 8}, T=192, B=4, n=3),
    # Optimizer
    "more_gpt_batch_dominates_sgd": pair(gpt, "optimizer=sgd", {"opt": "sgd"}),
    "more_gpt_amsgrad_to_sgd": pair(gpt, "optimizer=sgd", {"opt": "sgd"}, opt="amsgrad", **STATES),
    "more_gpt_foreach_to_momentum": pair(gpt, "optimizer=sgd-momentum", {"opt": "momentum"}, opt="adam_foreach", **STATES),
    "more_gpt_lion": pair(gpt, "optimizer=lion", {"opt": "lion"}, **STATES),
    "more_gpt_adafactor": pair(gpt, "optimizer=adafactor", {"opt": "adafactor"}, **STATES),
    "more_gpt_zeroes_sgd": pair(gpt, "optimizer=sgd", {"opt": "sgd"}, zeroes=True, steps=3, **STATES),
    "more_gpt_one_step_sgd": pair(gpt, "optimizer=sgd", {"opt": "sgd"}, steps=1, **STATES),
    "more_gpt_frozen_sgd": pair(gpt, "optimizer=sgd", {"opt": "sgd"}, frozen=2, **STATES),
    "more_gpt_end_of_ring_sgd": pair(gpt, "optimizer=sgd", {"opt": "sgd"}, steps=6, entries=4000, **STATES),
    "more_conv_rmsprop_to_sgd": pair(conv, "optimizer=sgd", {"opt": "sgd"}, opt="rmsprop_foreach", B=2, side=16),
    "more_conv_foreach_off": pair(conv, "foreach=off", {"opt": "adam"}, opt="adam_foreach", B=2, side=16),
    "more_gpt_momentum_foreach_off": pair(gpt, "foreach=off", {"opt": "momentum"}, opt="momentum_foreach", **STATES),
    "more_gpt_zeroes_foreach_off": pair(gpt, "foreach=off", {"opt": "adam"}, opt="adam_foreach", zeroes=True, **STATES),
    "more_gpt_zeroes_to_none": pair(gpt, "set-to-none=on", {"zeroes": False}, zeroes=True, steps=3),
    "more_conv_zeroes_to_none": pair(conv, "set-to-none=on", {"zeroes": False}, zeroes=True, B=8),
    # Adapters
    "more_gpt_adapters_64": pair(gpt, "lora=64", {"rank": 64}, B=2, T=64, steps=3),
    "more_gpt_adapters_long": pair(gpt, "lora=8", {"rank": 8}, B=4, T=256, n=3, steps=3),
    "more_gpt_adapters_foreach": pair(gpt, "lora=8", {"rank": 8}, opt="adam_foreach", **STATES),
    "more_gpt_adapters_batch_half": pair(gpt, f"lora=8,{HALF}", {"rank": 8, "B": 4}),
    "more_gpt_adapters_remade": pair(gpt, f"lora=8,{FULL}", {"rank": 8, **AGAIN}, n=6),
    # Made again
    "more_gpt_remade_one_head": pair(gpt, FULL, AGAIN, h=1, n=6, d=128),
    "more_gpt_remade_states": pair(gpt, FULL, AGAIN, n=6, **STATES),
    "more_gpt_remade_the_older_way": pair(gpt, FULL, {"again": "older"}, n=6),
    "more_gpt_attention_remade": pair(gpt, "checkpointing=attention", {"again": "attention"}, T=192, B=4),
    "more_gpt_remade_words": pair(gpt, FULL, AGAIN, **{**WORDS, "n": 6}),
    "more_gpt_remade_one_step": pair(gpt, FULL, AGAIN, n=5, steps=1),
    "more_gpt_remade_end_of_ring": pair(gpt, FULL, AGAIN, steps=6, entries=4000),
    "more_gpt_remade_adapters": pair(gpt, FULL, AGAIN, n=6, rank=8),
    "more_gpt_remade_accumulation": pair(
        gpt, f"{ACCUMULATED},{FULL}", {"B": 4, "micro": 2, **AGAIN}, n=6),
    "more_gpt_remade_sgd": pair(gpt, f"{FULL},optimizer=sgd", {"opt": "sgd", **AGAIN}, n=6, d=320, h=10, B=4),
    "more_gpt_remade_sequence_half": pair(gpt, f"sequence=0.5,{FULL}", {"T": 96, **AGAIN}, T=192, B=4, n=6),
    "more_gpt_remade_sequence_twice": pair(gpt, f"sequence=2,{FULL}", {"T": 256, **AGAIN}, T=128, B=4, n=6),
    "more_gpt_remade_twice_batch": pair(gpt, f"{FULL},{TWICE}", {"B": 8, **AGAIN}, B=4, n=8),
    "more_conv_remade": pair(conv, FULL, {"again": True}, B=16),
    # The loss in parts
    "more_gpt_loss_in_4_parts": pair(gpt, "fused-loss=recompute-4", {"kind": "parts", "parts": 4}, **WORDS),
    "more_gpt_loss_in_8_parts": pair(gpt, "fused-loss=on", {"kind": "parts"}, **{**WORDS, "vocab": 8192, "d": 192}),
    "more_gpt_loss_in_16_parts": pair(gpt, "fused-loss=recompute-16", {"kind": "parts", "parts": 16}, **WORDS),
    "more_gpt_loss_in_8_parts_deep": pair(gpt, "fused-loss=on", {"kind": "parts"}, n=6),
    "more_gpt_fused_loss_in_4": pair(gpt, "fused-loss=4", {"kind": "fused", "parts": 4}, **WORDS),
    "more_gpt_fused_loss_in_16": pair(gpt, "fused-loss=16", {"kind": "fused", "parts": 16}, **WORDS),
    "more_gpt_remade_loss_in_8_parts": pair(gpt, f"{FULL},fused-loss=on", {"kind": "parts", **AGAIN}, **{**WORDS, "n": 6}),
    "more_gpt_half_loss_in_8_parts": pair(gpt, f"{HALF},fused-loss=on", {"kind": "parts", "B": 4}, **WORDS),
    # Attention and precision
    "more_gpt_flash": pair(gpt, "attention=flash", {"flash": True}, T=256, B=2, d=128),
    "more_gpt_flash_remade": pair(gpt, f"attention=flash,{FULL}", {"flash": True, **AGAIN}, T=192, B=4, n=6, d=128),
    "more_gpt_autocast": pair(gpt, "precision=bf16", {"autocast": True}),
    "more_gpt_states_autocast": pair(gpt, "precision=bf16", {"autocast": True}, **{**STATES, "B": 4}),
    "more_gpt_pure": pair(gpt, "precision=pure-bf16", {"pure": True}),
    # Kept results
    "more_results_leave_after_1": pair(evaluated, "eval-accumulation=1", {"keep": 1}),
    "more_results_leave_after_8": pair(evaluated, "eval-accumulation=8", {"keep": 8}, vocab=4096),
    "more_results_of_2_rounds_leave_after_4": pair(evaluated, "eval-accumulation=4", {"keep": 4}, rounds=2, batches=30),
    # Several changes
    "more_three_adapters_accumulation": pair(gpt, f"lora=8,{ACCUMULATED}", {"rank": 8, "B": 4, "micro": 2}, n=5),
    "more_two_adapters_loss_in_parts": pair(gpt, "lora=8,fused-loss=recompute", {"rank": 8, "kind": "parts"}, **WORDS),
    "more_three_accumulation_loss_in_parts": pair(
        gpt, f"{ACCUMULATED},fused-loss=recompute", {"B": 4, "micro": 2, "kind": "parts"}, **WORDS),
    "more_four_accumulation_remade_loss_in_parts": pair(
        gpt, f"{ACCUMULATED},{FULL},fused-loss=recompute", {"B": 4, "micro": 2, "kind": "parts", **AGAIN}, **{**WORDS, "n": 5}),
    "more_three_accumulation_sgd": pair(gpt, f"{ACCUMULATED},optimizer=sgd", {"B": 4, "micro": 2, "opt": "sgd"}, n=3),
    "more_two_sequence_half_accumulation": pair(
        gpt, "sequence=0.5,accumulation=2", {"T": 96, "micro": 2}, T=192, B=2, n=3, d=320, h=10),
    "more_two_adapters_sequence_half": pair(gpt, "lora=16,sequence=0.5", {"rank": 16, "T": 96}, T=192, B=4, n=3),
    "more_two_none_batch_half": pair(gpt, f"set-to-none=on,{HALF}", {"zeroes": False, "B": 4}, zeroes=True, steps=3),
    "more_two_conv_batch_quarter_sgd": pair(conv, f"{QUARTER},optimizer=sgd", {"B": 4, "opt": "sgd"}),
    "more_two_results_leave_batch_half": pair(
        evaluated, f"eval-accumulation=4,{HALF}", {"keep": 4, "B": 2}, batches=40, vocab=4096),
    "more_two_foreach_off_remade": pair(
        gpt, f"foreach=off,{FULL}", {"opt": "adam", **AGAIN}, opt="adam_foreach", n=6, d=384, h=12, B=2, T=96),
    # Runs that die
    "more_gpt_dies_in_second_forward": pair(gpt, HALF, {"batches": (2, 4)}, room=0.7, batches=(4, 8), n=6),
    "more_gpt_dies_in_second_backward": pair(gpt, HALF, {"batches": (2, 4)}, room=0.96, batches=(4, 8), n=6),
    "more_gpt_dies_at_longest": pair(gpt, HALF, {"B": 3}, room=0.8, B=6, steps=4, lengths=(96, 128, 80, 320), n=4),
    "more_gpt_dies_at_longest_remade": pair(gpt, FULL, AGAIN, room=0.8, B=6, steps=4, lengths=(96, 128, 80, 256), n=6),
    "more_gpt_dies_in_backward_sgd": pair(gpt, "optimizer=sgd", {"opt": "sgd"}, room=0.93, B=4, T=64, d=320, h=10),
    "more_gpt_dies_in_step_foreach_off": pair(gpt, "foreach=off", {"opt": "adam"}, room=0.85, opt="adam_foreach", **STATES),
    "more_gpt_dies_in_step_adapters": pair(gpt, "lora=8", {"rank": 8}, room=0.75, **STATES),
    "more_gpt_dies_loss_in_8_parts": pair(gpt, "fused-loss=recompute", {"kind": "parts"}, room=0.9, **WORDS),
    "more_gpt_dies_remade_accumulation": pair(
        gpt, f"{ACCUMULATED},{FULL}", {"B": 8, "micro": 2, **AGAIN}, room=0.85, n=6, B=16),
    "more_gpt_dies_sequence_half_in_second": pair(
        gpt, "sequence=0.5", {"lengths": (64, 128)}, room=0.8, lengths=(128, 256), B=4),
    "more_conv_dies_in_backward_momentum": pair(conv, QUARTER, {"B": 8}, room=0.8, B=32, opt="momentum"),
    "more_results_die_leave_after_2": pair(evaluated, "eval-accumulation=2", {"keep": 2}, room=0.7),
}

if __name__ == "__main__":
    pairs.SCALE = 16  # as the data folder's tool has it
    pairs.main(PAIRS)
