# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""The fields of each command's JSON that other programs rely on, as values that describe their type.

A type is a Python type, None for null, a tuple of alternatives, a set of allowed values, a list with the type of its
items, or a dict with the types of its keys; further keys are allowed."""

import sys

import harness

# The program lists its words; check_vocabularies.py says which of them may not go.
_WORDS = harness.Program(sys.argv[1]).json("capabilities")
BUCKETS = tuple(word["id"] for word in _WORDS["buckets"])
PHASES, CAUSES = ({word["id"] for word in _WORDS[name]} for name in ("phases", "causes"))
STATUSES = {"recommended", "would-help", "already-on", "not-needed", "not-enough", "not-applicable"}

NUMBER = (int, float)
BUCKET_BYTES = {bucket: int for bucket in BUCKETS}
FRAME = {"name": str, "filename": str, "line": int}

ALLOCATION = {
    "alloc_event": (int, None),
    "free_requested_event": (int, None),
    "free_event": (int, None),
    "address": int,
    "requested_bytes": int,
    "block_bytes": (int, None),
    "bucket": set(BUCKETS),
    "role": (str, None),
    "confidence": int,
    "reason": str,
}

PEAK = {"event": int, "time_us": (int, None), "bytes": int, "phase": (str, None), "step": (int, None),
        "stated_step": (int, None)}

MEASURED = {"event": int, "bytes": int}
PHASE_PEAK = {
    "phase": PHASES, "requested": MEASURED, "block": {**MEASURED, "bytes_high": int}, "reserved": MEASURED}
GROWTH = {
    "stack": [FRAME], "module": (str, None), "bucket": set(BUCKETS),
    "verdict": {"rising", "stopped", "unclear", "falling"}, "bytes_per_step": NUMBER, "first_bytes": int,
    "last_bytes": int, "steps": int, "rises": int, "falls": int, "p": NUMBER}

SUMMARY = {
    "file": str,
    "format": {"route": str, "protocol": int, "reader": str},
    "devices": [{
        "device": int,
        "kind": {"gpu", "host"},
        "events": int,
        "actions": dict,
        "start_requested_bytes": int,
        "end_requested_bytes": int,
        "reserved_end_bytes": int,
        "peak": {
            "event": int, "time_us": (int, None), "requested_bytes": int, "block_bytes": (int, None),
            "block_bytes_exact": bool, "reserved_bytes": int, "buckets": BUCKET_BYTES,
            "modules": [{
                "bucket": set(BUCKETS), "module": (str, None), "bytes": int, "count": int, "layers": (int, None)}]},
        "peaks": {
            "requested": [PEAK], "block": [{**PEAK, "bytes_high": int}], "reserved": [PEAK]},
        "ooms": [{
            "event": int, "requested_bytes": int, "device_free_bytes": (int, None), "requested_total_bytes": int,
            "reserved_bytes": int, "buckets": BUCKET_BYTES}],
        "steps": [{
            "number": int, "first_event": int, "last_event": int, "peak_event": int, "peak_requested_bytes": int,
            "peak_block_bytes": int, "peak_block_bytes_high": int, "peak_reserved_bytes": int}],
        "phases": [{"first_event": int, "phase": PHASES}],
        "phase_peaks": {"by_phase": [PHASE_PEAK], "by_step": [{**PHASE_PEAK, "step": int}]},
        "growth": [GROWTH],
        "consistency": {"violations": int, "end_matches_segments": bool},
    }],
    "notes": [{"code": str, "count": int, "text": str}],
}

TIMELINE = {"devices": [{"device": int, "points": [{
    "event": int, "time_us": (int, None), "requested_bytes": int, "reserved_bytes": int, "buckets": BUCKET_BYTES,
    "block_bytes": int, "block_bytes_high": int, "free_bytes": (int, None), "largest_free_bytes": (int, None),
    "fragmentation": (int, float, None)}]}]}

ALLOCATIONS = {"devices": [{"device": int, "event": int, "allocations": [{
    **ALLOCATION, "stack": [FRAME], "where": (str, None), "model_line": (FRAME, None), "user_line": (FRAME, None),
    "module": (str, None), "layer": (int, None), "shape": (list, None),
    "dtype": (str, None)}]}]}

LABELS = {"devices": [{"device": int, "allocations": [ALLOCATION]}]}

DIAGNOSIS = {
    "cause": CAUSES,
    "causes": [{"cause": CAUSES, "score": NUMBER, "evidence": [{"text": str, "event": (int, None), "stack": [FRAME]}]}],
    "message": dict,
    "need_bytes": int,
    "capacity_bytes": (int, None),
    "overhead_bytes": int,
    "fixes": [{
        "id": str, "rung": int, "title": str, "status": STATUSES, "short_by_bytes": int, "saves_bytes": int,
        "new_peak_bytes": int, "new_peak_low_bytes": int, "new_peak_high_bytes": int, "new_peak_event": int,
        "new_need_bytes": int, "new_reserved_bytes": int, "fits": (bool, None), "changes_science": bool, "why": str,
        "cost": str, "verify": str,
        "conflicts": [str], "needs": {"torch": str, "gpu": str, "other": str, "host_bytes": (int, None)},
        "alone": {"apply": str, "saves_bytes": int, "new_need_bytes": int, "short_by_bytes": int}, "how": dict}],
}

# Of a text: the known trap, and how the explanation ends.
EXPLANATION = {
    "trap": (None, {"id": str, "next": str, "source": str}), "ending": {"lines", "question", "nothing"},
    "went_on": (None, {"line": int, "step": str})}

# Of a snapshot, whose figures may be intervals: their other ends.
INTERVALS = {"need_low_bytes": int, "need_high_bytes": int, "capacity_most_bytes": (int, None)}

# Of a snapshot; what only a text tells has none of it.
ANSWER = {
    "answer": (None, {
        "fixes": [str], "apply": str, "new_need_bytes": int, "new_reserved_bytes": int, "fits": (bool, None),
        "margin_bytes": (int, None), "sentence": str}),
    "next_peak": (None, {"bytes": int, "event": (int, None), "fixes": [str], "sentence": str}),
    "limits": {
        "micro_batch": (None, {"ratio": NUMBER, "value": (int, None), "apply": str}),
        "sequence": (None, {"ratio": NUMBER, "value": (int, None), "apply": str}),
        "gpus": [{"zero": int, "gpus": (int, None)}]},
    "config": (None, {"form": str, "on": dict, "read": dict, "unread": [str]}),
}

PREDICTION = {"devices": [{
    "device": int,
    "before": {"peak_requested_bytes": int, "need_bytes": int, "reserved_bytes": int},
    "after": {
        "peak_requested_bytes": int, "low_bytes": int, "high_bytes": int, "peak_event": int, "need_bytes": int,
        "reserved_bytes": int},
    "capacity_bytes": (int, None),
    "fits": (bool, None),
    "assumptions": [str],
}]}

SIMULATION = {
    "settings": str, "reserved_peak_bytes": int, "reserved_peak_event": int, "cached_at_peak_bytes": int,
    "cached_bytes": int, "cached_peak_bytes": int, "oom": (dict, None), "passed_ooms": [int],
    "largest_free_block_bytes": int, "capacity_bytes": (int, None), "complete": bool, "keeps_start": bool, "driver_calls": int, "retries": int}

SIMULATIONS = {"devices": [{
    "device": int,
    "baseline": {
        "settings": str, "addresses_checked": int, "addresses_equal": int, "reserved_peak_bytes": int,
        "segments_equal": bool, "first_divergence": (int, None), "segment_events": int, "segment_events_equal": int,
        "states_checked": int, "states_reserved_equal": int, "reserved_gap_bytes": int, "layout_equal": bool,
        "block_sizes_exact": bool, "trusted": bool},
    "result": SIMULATION,
    "recorded": SIMULATION,
    "recorded_anew": (dict, None),
    "candidates": [SIMULATION],
    "ideal_peak_bytes": int,
    "ideal_peak_event": int,
    "capacity_bytes": (int, None),
    "capacity_source": {"given", "oom-event", "refusal", "unknown"},
    "verdict": str,
    "limits": [str],
}]}

PROGRAMS = {"devices": [{
    "device": int,
    "dimensions": [{
        "name": {
            "batch", "sequence", "tokens", "hidden", "feed_forward", "heads", "kv_heads", "layers", "vocabulary",
            "kv_width", "head_width", "element_bytes"},
        "value": int, "confidence": NUMBER, "evidence": str, "alternatives": [{"value": int, "weight": NUMBER}]}],
    "unidentified": str,
    "models": [{
        "parameters": int, "trainable": int,
        "weights": [{
            "bytes": int, "count": int, "buffers": int, "dtype": (str, None), "shape": (list, None), "trainable": (bool, None),
            "gradients": int, "states": int}]}],
    "sizes": [{
        "bytes": int, "count": int, "expression": (str, None), "alternatives": [str], "what": str, "share": NUMBER}],
    "explained_share": NUMBER,
}]}

PLAN = {
    "model": {"name": str, "model_type": str, "parameters": int, "trained_parameters": int},
    "run": {
        "batch": int, "sequence": int, "accumulation": int, "padded": bool,
        "target_sequence": (int, None), "precision": {"fp32", "autocast-bf16", "bf16", "bf16-master"},
        "optimizer": {"adamw", "adamw-foreach", "adamw-for-loop", "adamw-8bit", "sgd", "sgd-momentum", "adafactor"},
        "attention": {"sdpa", "eager", "flash", "own"}, "checkpointing": {"full", "none"}, "fused_loss": bool,
        "own_code": [{"activation", "loss", "loop"}],
        "lora": (None, {"rank": int, "targets": [str]}), "gpus": int, "zero": int, "tensor_parallel": int,
        "sequence_parallel": bool, "pipeline_parallel": int, "context_parallel": int, "expert_parallel": int,
        "quantization": {"none", "8bit", "nf4", "nf4-double"}, "offload_states": {"none", "cpu", "nvme"},
        "offload_parameters": {"none", "cpu", "nvme"},
        "mode": {"train", "forward", "inference"}, "target": {"cuda", "cpu"}},
    "peak_requested_bytes": int, "low_bytes": int, "high_bytes": int, "peak_phase": PHASES, "phase_peaks": dict,
    "buckets": BUCKET_BYTES, "roles": [{"bucket": set(BUCKETS), "role": str, "bytes": int}],
    "states": {"parameter_bytes": int, "gradient_bytes": int, "optimizer_bytes": int},
    "stage": int, "host_bytes": int, "host_high_bytes": int, "nvme_bytes": int,
    "reserved_bytes": int, "reserved_low_bytes": int, "reserved_high_bytes": int, "workspace_bytes": int,
    "context_bytes": int, "need_bytes": int, "need_low_bytes": int, "need_high_bytes": int,
    "capacity_bytes": (int, None), "fits": (bool, None), "smallest_card": (str, None), "assumptions": [str], "fixes": DIAGNOSIS["fixes"], **ANSWER}
del PLAN["config"], PLAN["next_peak"]
AGAINST = {
    "sentence": str, "planned_bytes": int, "recorded_bytes": int, "planned_phase": PHASES, "recorded_phase": PHASES,
    "planned_reserved_bytes": int, "recorded_reserved_bytes": int, "same_bytes": int, "planned_buckets": BUCKET_BYTES,
    "recorded_buckets": BUCKET_BYTES,
    "sizes": [{
        "bytes": int, "planned_count": int, "recorded_count": int, "delta_bytes": int, "bucket": set(BUCKETS),
        "role": str}]}
ROLLOUT = {
    "engine_share": (int, float), "engine_sleeps": bool, "answers_per_prompt": int,
    "peak_moment": {"generation", "judging", "scoring", "update"}, "peak_bytes": int,
    "moments": [{"moment": str, "bytes": int, "parts": [{"who": str, "bytes": int}]}], "cache_bytes": int,
    "cache_tokens": int, "cache_sequences": (int, None), "fits": (bool, None), "read": [str], "notes": [str]}

CHANGE_KINDS = {
    "sequence", "micro-batch", "rows", "precision", "lora", "optimizer", "checkpointing", "attention", "accumulation",
    "in-flight", "phases", "graph", "first-step", "model", "leak", "compile"}
COMPARED_SIDE = {
    "file": str, "device": int, "peak_requested_bytes": int, "peak_event": int, "peak_place": (str, None)}
ALLOCATOR = {
    "reserved_peak_bytes": int, "reserved_bytes": int, "cached_bytes": int, "largest_hole_bytes": int, "segments": int,
    "segments_made": int, "segments_returned": int, "ooms": int}
COMPARISON = {
    "a": COMPARED_SIDE, "b": COMPARED_SIDE, "sentence": str, "sentences": [str], "delta_peak_bytes": int,
    "changes": [{
        "what": CHANGE_KINDS, "ratio": (int, float, None), "from": str, "to": str, "explains_bytes": int,
        "evidence": str, "apply": (str, None)}],
    "unexplained_bytes": int,
    "compared": {
        "at": str, "a_event": int, "b_event": int, "a_bytes": int, "b_bytes": int, "delta_bytes": int,
        "peak_moved_bytes": int},
    "not_identified": [str],
    "buckets": [{
        "bucket": set(BUCKETS), "a_bytes": int, "b_bytes": int, "delta_bytes": int, "a_largest_bytes": int,
        "b_largest_bytes": int}],
    "matching": {"a_allocations": int, "b_allocations": int, "matched": int},
    "places": [{
        "bucket": set(BUCKETS), "where": (str, None), "operation": (str, None), "what": str,
        "became": {"equal", "size", "lifetime", "count", "only in A", "only in B"}, "a_count": int, "b_count": int,
        "a_bytes": int, "b_bytes": int, "delta_bytes": int, "factor": (int, float, None),
        "explained_by": (str, None), "unexplained_bytes": int}],
    "stacks": [{"change": {"new", "gone", "grown", "shrunk"}, "a_bytes": int, "b_bytes": int, "stack": [FRAME]}],
    "prediction": (None, {
        "apply": str, "peak_requested_bytes": int, "low_bytes": int, "high_bytes": int, "measured_bytes": int,
        "in_range": bool, "buckets": [{"bucket": set(BUCKETS), "predicted_bytes": int, "measured_bytes": int}]}),
    "allocator": {"a": ALLOCATOR, "b": ALLOCATOR, "other_torch": bool, "sentence": (str, None)},
    "settings": [str], "warnings": [str],
}

# Of a job, one row per rank, device and moment; what could not be read has an error and no figures.
RANKS = {
    "sentence": str,
    "sentences": [{
        "says": {"failure", "outlier", "growth", "pipeline", "equal", "sharding", "card", "fix"}, "text": str,
        "rank": (int, None)}],
    "ranks": [{
        "file": str, "rank": (int, None), "moment": (str, None), "coordinates": dict, "host": (str, None),
        "device": int, "card": (str, None), "peak_requested_bytes": (int, None), "reserved_bytes": (int, None),
        "capacity_bytes": (int, None), "oom": bool, "oom_time_us": (int, None), "oom_requested_bytes": (int, None),
        "caught_oom": bool, "wanted_bytes": (int, None), "phase": (str, None), "step": (int, None), "buckets": dict,
        "error": (str, None)}],
    "world_size": (int, None),
    "missing_ranks": [int],
    "first_to_fail": (None, {
        "rank": (int, None), "file": str, "certain": bool, "lead_us": (int, None), "span_us": (int, None),
        "same_request": bool, "others": [(int, None)], "other_files": [str]}),
    "median_rank": (int, None),
    "outliers": [{
        "rank": (int, None), "file": str, "bucket": set(BUCKETS), "delta_bytes": int, "whole_delta_bytes": int,
        "against_rank": (int, None), "against_file": str, "because": (str, None)}],
    "equal": [set(BUCKETS)],
    "notes": [str],
}


def fits_type(value, kind):
    """Whether a value has a type; of several alternatives one may be an object."""
    if isinstance(kind, dict):
        return isinstance(value, dict) and not complaints(value, kind)
    if kind is None:
        return value is None
    if isinstance(kind, set):
        return value in kind
    if isinstance(kind, tuple):
        return any(fits_type(value, alternative) for alternative in kind)
    if kind in (int, float):
        return isinstance(value, kind) and not isinstance(value, bool)
    return isinstance(value, kind)


def complaints(value, kind, where=""):
    """What is wrong with `value`, each with its place."""
    if isinstance(kind, dict):
        if not isinstance(value, dict):
            return [f"{where}: {value!r} is no object"]
        missing = [f"{where}.{key}: is missing" for key in kind if key not in value]
        return missing + [
            line for key in kind if key in value for line in complaints(value[key], kind[key], f"{where}.{key}")]
    if isinstance(kind, list):
        if not isinstance(value, list):
            return [f"{where}: {value!r} is no list"]
        return [line for item in value for line in complaints(item, kind[0], f"{where}[]")]
    return [] if fits_type(value, kind) else [f"{where}: {value!r} is not {kind}"]

# What `diagnose` says beside the causes; `explain` has no snapshot to see it in.
FINDINGS = {"findings": [{
    "id": str, "text": str, "event": int, "stack": [FRAME], "bytes": int, "score": NUMBER, "to_be_sure": str,
    "trap": (str, None), "how": dict}]}
