#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_schemas.py TIDEMARK_CLI ROOT [--write]: what each command prints with --json is what docs/schema/COMMAND.json says,
whose id has its version. With --write a field that a schema lacks is added to it, and a type widened; a field is never
removed, which would need a higher version."""

import json
import pathlib
import pickle
import shutil
import sys
import tempfile

import harness

try:
    import jsonschema
except ImportError:
    print("Debian's python3-jsonschema is missing")
    sys.exit(harness.SKIPPED)

NO_SCHEMA = ("capture-module",)  # It prints no JSON.
MOST_BYTES = {"diagnose": 12_000, "capabilities": 12_000, "summary": 20_000}
DIALECT = "https://json-schema.org/draft/2020-12/schema"
# Their keys are words or names, not fields.
MAPS = {"buckets", "actions", "coordinates", "how", "states", "apply", "settings", "figures", "schemas", "phases", "dimensions",
        "decisive", "largest", "at_end", "intervals", "on", "read"}
NAMES = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null", list: "array", dict: "object"}
RECORDINGS = ("modelled/gpt_oom_backward", "modelled/conv_train_eval", "modelled/fragmentation", "modelled/gpt_ring_truncated")
# Recordings of our own module: with its notes and ranks, pinned memory, private pools, segments alone, no times.
CAPTURED = ("pinned", "segments_alone_step1", "out_of_memory_oom", "captured_graph")
JOBS = ("gpu/jobs/ddp_captured", "gpu/jobs/pipeline", "gpu/jobs/four_fill_the_card", "jobs/rl_moments", "jobs/ddp_uneven_oom_4")


def schema_of(value, key=""):
    """What a value alone shows."""
    kind = NAMES[type(value)]
    if kind == "array":
        items = None
        for item in value:
            items = merged(items, schema_of(item))
        return {"type": kind, **({"items": items} if items else {})}
    if kind == "object" and (key in MAPS or not all(name.isidentifier() for name in value)):
        values = None
        for item in value.values():
            values = merged(values, schema_of(item))
        return {"type": kind, **({"additionalProperties": values} if values else {})}
    if kind == "object":
        return {"type": kind, "properties": {name: schema_of(item, name) for name, item in value.items()},
                "required": sorted(value)}
    return {"type": kind}


def merged(a, b):
    """The schema of what either describes."""
    if not a or not b:
        return a or b
    types = {name for schema in (a, b) for name in ([schema["type"]] if isinstance(schema["type"], str) else schema["type"])}
    if "number" in types:
        types.discard("integer")
    result = {"type": sorted(types) if len(types) > 1 else types.pop()}
    if "items" in a or "items" in b:
        result["items"] = merged(a.get("items"), b.get("items"))
    if "properties" in a or "properties" in b:
        properties = [schema.get("properties") for schema in (a, b)]
        if all(p is not None for p in properties):
            result["properties"] = {name: merged(properties[0].get(name), properties[1].get(name))
                                    for name in sorted({*properties[0], *properties[1]})}
            result["required"] = sorted(set(a["required"]) & set(b["required"]))
        else:
            known = a if properties[0] is not None else b
            result |= {"properties": known["properties"], "required": known["required"]}
    if "additionalProperties" in a or "additionalProperties" in b:
        result["additionalProperties"] = merged(a.get("additionalProperties"), b.get("additionalProperties"))
    return result


def answers(program, root, folder):
    """(command, what it printed) for every command and many of its options."""
    data = root / "tests/data"
    files = [data / f"{name}.pickle.xz" for name in RECORDINGS]
    died, lived = files[0], data / "modelled/gpt_train_full.pickle.xz"
    job = data / "gpu/jobs/ddp_captured"

    def ask(command, *arguments, codes=(0,)):
        done = program.run(command, "--json", *arguments)
        assert done.returncode in codes, f"{command} {arguments}: {done.returncode} {done.stderr}"
        for line in done.stdout.splitlines():
            yield command, json.loads(line)

    still = folder / "still.pickle"  # memory without a trace
    still.write_bytes(pickle.dumps({"segments": [{"device": 0, "address": 1 << 40, "total_size": 2 << 20, "blocks": []}],
                                    "device_traces": [[]]}))
    empty = folder / "empty.pickle"  # no device
    empty.write_bytes(pickle.dumps({"segments": [], "device_traces": []}))
    unused = folder / "unused.pickle"  # a device without memory
    unused.write_bytes(pickle.dumps({"segments": [], "device_traces": [[]]}))
    captured = [data / f"gpu/captured/captured_{name}.pickle.xz" for name in CAPTURED]
    for path in (*files, *captured, still):
        for command, options in (("summary", ()), ("timeline", ("--points", 20)), ("allocations", ("--top", 5)),
                                 ("labels", ()), ("diagnose", ()), ("predict", ("--apply", "micro-batch=0.5")),
                                 ("program", ()), ("program", ("--fit",)), ("simulate", ()), ("stacks", ("--top", 20)),
                                 ("allocations", ("--query", "size>0", "--top", 5)),
                                 ("allocations", ("--group-by", "module", "--top", 5))):
            yield from ask(command, path, *options)
    yield from ask("diagnose", data / "compared/encoder_decoder.pickle.xz")  # several fixes leave one next peak
    yield from ask("summary", empty)
    yield from ask("summary", unused)
    yield from ask("ranks", empty, codes=(2,))
    yield from ask("summary", died, "--for-ranks")
    yield from ask("allocations", died, "--query", "bucket:activation live@peak", "--top", 5)
    yield from ask("allocations", died, "--query", "size>1MiB", "--group-by", "line", "--top", 5)
    yield from ask("diagnose", died, "--capacity", "24GiB", "--config", '{"train_micro_batch_size_per_gpu": 4, "fp16": {"enabled": true}}')
    yield from ask("diagnose", died, "--config", '{"train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 4, '
                   '"train_batch_size": 64, "zero_optimization": {"stage": 2}, "max_seq_length": 512, "something_else": true}')
    yield from ask("simulate", died, "--search", "--points", 20)
    for name in ("hf_llama", "hf_gpt2", "lightning_gpt", "peft_lora"):
        yield from ask("program", data / f"modern/{name}.pickle.xz", "--fit")
    yield from ask("compare", lived, died)
    yield from ask("compare", data / "modelled/gpt_batch_8_to_4.pickle.xz", lived)
    yield from ask("compare", still, died)
    for one in JOBS:
        yield from ask("ranks", data / one, codes=(0, 1))
    yield from ask("ranks", data / "jobs/fsdp2_4/rank0_of_4.pickle.xz")  # others are missing
    for one in ("jobs/ddp_uneven_oom_4", "gpu/jobs/four_fill_the_card"):  # ranks with places in a mesh, and no number
        mesh = folder / pathlib.Path(one).name
        mesh.mkdir()
        for number, dump in enumerate(sorted((data / one).rglob("*.pickle.xz"))):
            shutil.copy(dump, mesh / f"tp{number // 2}_dp{number % 2}.pickle.xz")
        yield from ask("ranks", mesh, "--no-compare", codes=(1,))
    yield from ask("plan", "Qwen/Qwen2.5-7B", "--batch", 1, "--sequence", 512)
    yield from ask("plan", "Qwen/Qwen2.5-7B", "--capacity", "A100-80GB", "--lora", 16, codes=(0, 1))
    yield from ask("plan", "Qwen/Qwen2.5-7B", "--capacity", "24GB", "--precision", "bf16", "--lora", 16)  # with an answer
    yield from ask("plan", "gpt2", "--mode", "inference", "--points", 20)
    yield from ask("states", "7e9")
    yield from ask("states", "7e9", "--capacity", "80GiB", "--gpus", 8)
    yield from ask("capabilities")
    log = folder / "log.txt"
    for message in json.loads((data / "posts.json").read_text(encoding="utf-8"))[:80]:
        log.write_text(message["text"], encoding="utf-8")
        yield from ask("explain", log)
    for case in json.loads((data / "cases/oom-dev.json").read_text(encoding="utf-8")):
        log.write_text(case["text"], encoding="utf-8")
        yield from ask("explain", log)
    dated = [folder / "rank0.txt", folder / "rank1.txt"]
    for second, path in enumerate(dated):
        path.write_text(f"2026-11-20 10:00:0{second},123 ERROR torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n",
                        encoding="utf-8")
    yield from ask("explain", *dated)
    yield from ask("explain", log, log)  # without dates
    yield from ask("diagnose", died, "--message", "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 23.69 GiB total capacity; "
                   "22.00 GiB already allocated; 0.50 GiB free; 22.10 GiB reserved in total by PyTorch)")
    nothing = folder / "nothing.pickle"  # not even a device
    nothing.write_bytes(pickle.dumps({"segments": [], "device_traces": []}))
    yield from ask("diagnose", nothing)
    dumps = folder / "dumps"
    dumps.mkdir()
    shutil.copy(files[0], dumps)
    yield from ask("watch", dumps, "--existing", "--every", 0.05, "--count", 1)
    yield from ask("report", died, "-o", folder / "report.html")
    yield from ask("convert", died, "-o", folder / "out.folded")
    yield from ask("check", died, "--baseline", lived, "--max-peak", "1TiB", codes=(1,))
    yield from ask("check", lived, "--max-peak", "1TiB", "--no-oom")
    # Where answers are cut they say so, in the same words.
    for command, arguments in (("summary", (died,)), ("timeline", (died, "--points", 400)), ("allocations", (died,)), ("labels", (died,)),
                               ("diagnose", (died,)), ("predict", (died,)), ("program", (died,)), ("stacks", (died,)), ("capabilities", ()),
                               ("simulate", (died,)), ("compare", (lived, died)), ("ranks", (job,)), ("plan", ("Qwen/Qwen2.5-7B",))):
        yield from ask(command, *arguments, "--max-bytes", MOST_BYTES.get(command, 8_000), codes=(0, 1, 2))
    yield from ask("watch", dumps, "--existing", "--every", 0.05, "--count", 1, "--max-bytes", 12_000)


def complaints(command, validator, answer):
    for error in list(validator.iter_errors(answer))[:3]:
        yield f"{command}: {'/'.join(map(str, error.absolute_path))}: {error.message[:150]}"


def unlisted(schema, value, where=""):
    """Fields that a schema does not have, by their places."""
    if isinstance(value, list):
        for item in value:
            yield from unlisted(schema.get("items") or {}, item, where + "[]")
    elif isinstance(value, dict):
        properties = schema.get("properties")
        for name, item in value.items():
            if properties is None:
                yield from unlisted(schema.get("additionalProperties") or {}, item, where + ".*")
            elif name not in properties:
                yield f"{where}.{name}"
            else:
                yield from unlisted(properties[name], item, f"{where}.{name}")


def written(path, command, answer):
    old = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    head = {"$schema": DIALECT, "$id": f"tidemark:{command}:1", "title": f"tidemark-cli {command} --json", "version": 1}
    if old is not None:
        head |= {name: old[name] for name in head}
    body = merged({k: v for k, v in old.items() if k not in head} if old else None, schema_of(answer))
    path.write_text(json.dumps(head | body, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main():
    program, root = harness.Program(sys.argv[1]), pathlib.Path(sys.argv[2])
    checks = harness.Checks()
    commands = [row["id"] for row in program.json("capabilities")["commands"] if row["id"] not in NO_SCHEMA]
    folder = root / "docs/schema"
    checks.equal("schemas", sorted(path.stem for path in folder.glob("*.json")), sorted(commands))
    validators = {}
    with tempfile.TemporaryDirectory() as name:
        for command, answer in answers(program, root, pathlib.Path(name)):
            path = folder / f"{command}.json"
            if "--write" in sys.argv:
                written(path, command, answer)
            if "--write" in sys.argv or command not in validators:
                schema = json.loads(path.read_text(encoding="utf-8"))
                jsonschema.Draft202012Validator.check_schema(schema)
                checks.equal(f"id of {command}", schema["$id"], f"tidemark:{command}:{schema['version']}")
                validators[command] = jsonschema.Draft202012Validator(schema)
            wrong = list(complaints(command, validators[command], answer))
            checks.that(not wrong, "\n".join(wrong))
            missing = sorted(set(unlisted(validators[command].schema, answer)))
            checks.that(not missing, f"{command}: docs/schema/{command}.json lacks {', '.join(missing[:5])}")
    checks.equal("commands whose JSON was looked at", sorted(validators), sorted(commands))
    checks.finish()


if __name__ == "__main__":
    main()
