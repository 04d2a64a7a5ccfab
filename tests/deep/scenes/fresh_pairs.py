# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""fresh_pairs.py OUT_DIR [PAIR...]: a second set of pairs of models and habits that no law was made by, recorded before
any of their predictions was looked at."""

import fresh_runs as runs
import pairs
from pairs import ACCUMULATED, FULL, HALF, QUARTER, TWICE, pair

PAIRS = {
    # Micro-batch
    "fresh_seq2seq_batch_half": pair(runs.seq2seq, HALF, {"B": 6}),
    "fresh_mixed_batch_half": pair(runs.mixed, HALF, {"B": 3}),
    "fresh_parallel_batch_quarter": pair(runs.parallel, QUARTER, {"B": 2}, B=8),
    "fresh_parallel_autocast_batch_half": pair(runs.parallel, HALF, {"B": 4}, B=8, autocast=True),
    "fresh_windows_batch_half": pair(runs.windows, HALF, {"B": 5}),
    "fresh_diffusion_batch_half": pair(runs.diffusion, HALF, {"B": 4}),
    "fresh_adversaries_batch_half": pair(runs.adversaries, HALF, {"B": 12}),
    "fresh_contrast_batch_half": pair(runs.contrast, HALF, {"B": 64}, B=128),
    "fresh_graphs_batch_twice": pair(runs.graphs, TWICE, {"B": 64}, B=32),
    "fresh_preferences_batch_half": pair(runs.preferences, HALF, {"B": 2}),
    "fresh_distilled_batch_half": pair(runs.distilled, HALF, {"B": 3}),
    "fresh_called_back_batch_half": pair(runs.called_back, HALF, {"B": 8}),
    "fresh_quasi_newton_batch_half": pair(runs.quasi_newton, HALF, {"B": 256}),
    "fresh_waves_batch_twice": pair(runs.waves, TWICE, {"B": 6}, B=3),
    "fresh_speech_batch_half": pair(runs.speech, HALF, {"B": 3}),
    "fresh_clicks_batch_half": pair(runs.clicks, HALF, {"B": 1024}),
    # Accumulation
    "fresh_mixed_accumulation": pair(runs.mixed, ACCUMULATED, {"B": 3, "micro": 2}),
    "fresh_parallel_accumulation_of_3": pair(runs.parallel, "accumulation=3", {"micro": 3}, B=1, d=192),
    "fresh_diffusion_accumulation": pair(runs.diffusion, ACCUMULATED, {"B": 4, "micro": 2}),
    "fresh_graphs_accumulation": pair(runs.graphs, ACCUMULATED, {"B": 8, "micro": 2}, B=16, d=192),
    # Sequence
    "fresh_seq2seq_sequence_half": pair(runs.seq2seq, "sequence=0.5", {"T": 16}, T=32),
    "fresh_parallel_sequence_half": pair(runs.parallel, "sequence=0.5", {"T": 64}, T=128, B=2),
    "fresh_mixed_sequence_twice": pair(runs.mixed, "sequence=2", {"T": 96}, T=48),
    "fresh_waves_sequence_half": pair(runs.waves, "sequence=0.5", {"T": 256}),
    # Optimizer
    "fresh_mixed_adamw_to_sgd": pair(runs.mixed, "optimizer=sgd", {"opt": "sgd"}, B=1, T=32, wide=384),
    "fresh_adversaries_adam_to_sgd": pair(runs.adversaries, "optimizer=sgd", {"opt": "sgd"}, B=4),
    "fresh_diffusion_foreach_off": pair(runs.diffusion, "foreach=off", {"opt": "adamw"}, opt="adamw_foreach", B=1, w=32),
    "fresh_preferences_adamw_to_momentum": pair(
        runs.preferences, "optimizer=sgd-momentum", {"opt": "momentum"}, B=1, T=24, d=192, wide=512),
    # Adapters
    "fresh_parallel_adapters_of_8": pair(runs.parallel, "lora=8", {"rank": 8}, d=240, B=1),
    "fresh_preferences_adapters_of_16": pair(runs.preferences, "lora=16", {"rank": 16}, B=1, T=24, d=192, wide=512, kv=8),
    # Checkpointing
    "fresh_mixed_checkpointing": pair(runs.mixed, FULL, {"remake": True}, deep=5),
    "fresh_parallel_checkpointing_old": pair(runs.parallel, FULL, {"remake": True}, deep=6),
    "fresh_preferences_checkpointing": pair(runs.preferences, FULL, {"remake": 1}, deep=6),
    "fresh_stretches_batch_half": pair(runs.in_stretches, HALF, {"B": 512}, B=1024, stretches=4),
    # Kept results
    "fresh_features_leave_after_5": pair(runs.kept_features, "eval-accumulation=5", {"keep": 5}),
    # Two changes
    "fresh_speech_batch_half_sgd": pair(runs.speech, "micro-batch=0.5,optimizer=sgd", {"B": 2, "opt": "sgd"}, B=4),
    # Runs that die
    "fresh_mixed_dies_in_forward_batch_half": pair(runs.mixed, HALF, {"B": 6}, room=0.6, B=12, deep=4),
    "fresh_parallel_dies_in_backward_checkpointing": pair(runs.parallel, FULL, {"remake": True}, room=0.85, deep=6, B=6),
    "fresh_parallel_dies_in_forward_sequence_half": pair(runs.parallel, "sequence=0.5", {"T": 80}, room=0.5, T=160, deep=6),
    "fresh_speech_dies_batch_quarter": pair(runs.speech, QUARTER, {"B": 4}, room=0.7, B=16),
    "fresh_seq2seq_dies_batch_half": pair(runs.seq2seq, HALF, {"B": 24}, room=0.75, B=48),
    "fresh_diffusion_dies_in_forward_batch_half": pair(runs.diffusion, HALF, {"B": 8}, room=0.7, B=16),
    "fresh_windows_dies_batch_half": pair(runs.windows, HALF, {"B": 8}, room=0.9, B=16),
    "fresh_preferences_dies_in_first_step_sgd": pair(
        runs.preferences, "optimizer=sgd", {"opt": "sgd"}, room=0.85, B=1, T=24, d=256, wide=704),
    "fresh_graphs_dies_batch_half": pair(runs.graphs, HALF, {"B": 48}, room=0.8, B=96),
    "fresh_called_back_dies_batch_half": pair(runs.called_back, HALF, {"B": 16}, room=0.8, B=32,
                                              config="optimizer: sgd\nmomentum: 0.9\n"),
}

if __name__ == "__main__":
    pairs.main(PAIRS)
