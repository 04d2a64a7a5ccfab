# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""score_dimensions.py TIDEMARK_CLI DATA_DIR [--check] [--rows] [--only FOLDER...]: what `program` states against what is true.

Truth: the configurations of recordings of libraries, of other people's their `dimensions.json`; with --only of further folders
alone, NAME.dims.json beside NAME.pickle.gz (d, h, f, n, V, B, L and kind: the letters that models are drawn with).
Each recording is asked twice, the second time without any frames, where sizes and lifetimes are all there is.

right, wrong   of what is stated; alt: the truth is among the alternatives of a wrong one
not stated     left out, which is never wrong
A recording of no transformer must state nothing of these dimensions: each that it states is wrong.
--rows shows each recording; --check fails where a bound is missed."""

import io
import json
import pathlib
import pickle
import sys
import tempfile

import harness
import modelled
import stated

# Scenes without a configuration in their truth: what their script makes.
OWN = {"hidden": 320, "feed_forward": 1280, "layers": 5, "heads": 5, "vocabulary": 5000, "batch": 3, "sequence": 384}
SCENES = {
    "r_own_attention": OWN,
    "r_own_attention_ambiguous": {**OWN, "batch": 4, "sequence": 256},
    "r_ring": {**OWN, "layers": 6},
    "r_forward_only_grad": OWN,
}
# Convolutions, recurrences, a diffusion model: their sizes have no such dimensions.
NO_TRANSFORMERS = ("r_lstm", "r_diffusion_ema", "cnn-markers-torch2.2", "nca-3d-torch2.3", "nca-marker-torch2.5",
                   "nca-segment-free-torch2.5")

DRAWN_OTHERWISE = ("lstm", "gru", "resnet", "unet")

# Of all that is known: the least share right, and of what is stated: the largest share wrong.
LEAST_RIGHT = {"frames": 0.94, "no frames": 0.88}
LEAST_RIGHT_OF_OTHERS = {"frames": 0.96, "no frames": 0.94}
MOST_WRONG = {"frames": 0.01, "no frames": 0.02}


def configured(truth):
    """The dimensions in the words of `program`, from a recording's configuration."""
    known = truth.get("dimensions") or {}
    config = known.get("config")
    if not config:
        return None
    hidden = config.get("hidden_size") or config.get("n_embd")
    return {
        "hidden": hidden,
        "feed_forward": config.get("intermediate_size") or config.get("n_inner") or 4 * hidden,
        "layers": config.get("num_hidden_layers") or config.get("n_layer"),
        "heads": config.get("num_attention_heads") or config.get("n_head"),
        "kv_heads": config.get("num_key_value_heads"),
        "vocabulary": config.get("vocab_size"),
        "batch": known.get("batch"),
        "sequence": known.get("sequence"),
    }


def drawn(path):
    """The dimensions of a scene drawn at random; none for what is no transformer."""
    d = json.loads(path.read_text(encoding="utf-8"))
    if d["kind"] in DRAWN_OTHERWISE:
        return {}
    return {"hidden": d["d"], "feed_forward": d["f"], "layers": d["n"], "heads": d["h"], "vocabulary": d["V"],
            "batch": d["B"], "sequence": d["L"]}


def recordings(data):
    """(file, truth) of every recording whose dimensions are known; empty truth: nothing may be stated."""
    if harness.is_of_others():
        for row in json.loads((data / "real/dimensions.json").read_text(encoding="utf-8")):
            yield data / "real" / row["file"], row
    else:
        for run in modelled.modern_runs(data):
            truth = SCENES.get(run.name) or configured(run.truth)
            if truth:
                yield run.path, truth
    for path in harness.snapshot_files(data):
        if harness.bare_name(path) in NO_TRANSFORMERS:
            yield path, {}


def of_folders(folders):
    """The same of further folders."""
    for folder in folders:
        for path in sorted(pathlib.Path(folder).glob("*.dims.json")):
            name = path.name.removesuffix(".dims.json")
            for file in (path.with_name(f"{name}.pickle.gz"), path.with_name(f"{name}.pickle")):
                if file.exists():
                    yield file, drawn(path)


class Plain(pickle.Unpickler):
    """Containers, numbers and texts alone."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name} is no plain value")


def without_frames(path, folder):
    """The same recording as `_record_memory_history(context=None)` leaves it."""
    snapshot = Plain(io.BytesIO(harness.unpacked(path))).load()
    for trace in snapshot["device_traces"]:
        for event in trace:
            event["frames"] = []
    for segment in snapshot["segments"]:
        segment["frames"] = []
        for block in segment["blocks"]:
            block["frames"] = []
    target = folder / "plain.pickle"
    target.write_bytes(pickle.dumps(snapshot, protocol=4))
    return target


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    program, folder, *folders = arguments
    program = harness.Program(program)
    rows = list(of_folders(folders) if "--only" in sys.argv else recordings(harness.data_dir(folder)))
    complaints = []
    for kind in ("frames", "no frames"):
        score = stated.Score()
        for path, truth in rows:
            with tempfile.TemporaryDirectory() as place:
                file = path if kind == "frames" else without_frames(path, pathlib.Path(place))
                remarks = score.add(truth, stated.by(program, file))
            if "--rows" in sys.argv:
                print(f"{kind:9} {path.name[-60:]:60} {' '.join(remarks) or 'ok'}")
        score.print(kind)
        right, wrong = score.shares()
        print(f"{len(rows)} recordings: {right:.1%} right of what is known, {wrong:.1%} wrong of what is stated\n")
        least = (LEAST_RIGHT_OF_OTHERS if harness.is_of_others() else LEAST_RIGHT)[kind]
        if right < least:
            complaints.append(f"{kind}: {right:.1%} right, at least {least:.0%} are wanted")
        if wrong > MOST_WRONG[kind]:
            complaints.append(f"{kind}: {wrong:.1%} wrong of what is stated, at most {MOST_WRONG[kind]:.0%} may be")
    print("\n".join(complaints))
    sys.exit(1 if complaints and "--check" in sys.argv else 0)


main()
