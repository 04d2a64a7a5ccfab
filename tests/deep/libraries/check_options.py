# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_options.py FIXES [FOLDER]: whether every option, class and function in the lines to paste stands in the sources of the
release that resources/fixes.json says they were checked against.

What is installed beside this Python is looked at where it lies; FOLDER holds wheels of the rest (pip download --no-deps -r
sources.txt). Nothing is run. Prints what is missing, by framework, and ends with 1 if anything is."""

import functools
import importlib.metadata
import json
import pathlib
import re
import sys
import zipfile

# Framework -> whose sources its lines may name.
PACKAGES = {
    "PyTorch": ["torch", "bitsandbytes", "peft", "torchao", "lion-pytorch", "cut-cross-entropy", "torchtune"],
    "FSDP": ["torch", "transformers"],
    "Lightning": ["lightning", "torch", "bitsandbytes", "torchmetrics"],
    "HF Trainer": ["transformers", "trl", "peft", "torch", "bitsandbytes"],
    "TRL": ["trl", "transformers", "peft", "accelerate", "torch"],
    "Accelerate": ["accelerate", "torch"],
    "DeepSpeed": ["deepspeed", "torch", "bitsandbytes"],
    "vLLM": ["vllm", "torch"],
    "veRL": ["verl"],
    "Megatron": ["megatron-core"],
    "torchtune": ["torchtune"],
}
# What a reader puts a name of his own for, and what belongs to Python, a shell or a file.
OWN = {"TokenBudgetSampler", "Block", "Attention", "Model", "batch_size", "device", "lr", "shape", "outputs", "min", "max", "format", "int",
       "len", "get", "environ", "append", "item", "split", "transforms", "Resize", "layers", "mesh", "path", "logits", "loss", "hidden",
       "targets", "block", "stage", "max_tokens", "opts", "query-compute-apps", "wq", "wo"}
PATTERNS = [
    r"\b([A-Z]\w+)\(",  # a class
    r"\.([a-z_]\w+)\(",  # a method or a function of a module
    r"(?<![\w=])([a-z_]\w*)=(?!=)",  # a keyword
    r'"([a-z_][a-z_0-9]*)":',  # a key of JSON
    r"[{,] ?([a-z_]\w+): ",  # a key of YAML
    r"--([a-z][a-z0-9_-]+)",  # an option
    r"CONF=([a-z_0-9]+):",  # one of the allocator
    r'(?:optim|precision|strategy|cache_implementation|implementation)="?:? ?"?([a-z][\w-]+)"',  # a value with a name
    r"(?<=\.)([a-z_]\w*)(?=[.=])",  # a part of a dotted setting
]
# Dataclasses whose every keyword must be a field: files that have them.
FIELDS = {"TrainingArguments": ["transformers/training_args.py"], "SFTConfig": ["trl/trainer/sft_config.py", "trl/trainer/base_config.py"],
          "DPOConfig": ["trl/trainer/dpo_config.py", "trl/trainer/base_config.py"]}


def not_fields(line):
    """(class, keyword) of what a configuration does not have."""
    for name, files in FIELDS.items():
        texts = [text for file in files + FIELDS["TrainingArguments"] if (text := installed(file))]
        for inside in re.findall(name + r"\(([^()]*)", re.sub(r'"[^"]*"', '""', line)):
            for keyword in re.findall(r"(?<![\w{\"])([a-z_]\w*)=", inside):
                if not any(re.search(rf"^    {keyword}: ", text, re.MULTILINE) for text in texts):
                    yield name, keyword


def installed(file):
    found = [f for f in importlib.metadata.distribution(file.split("/")[0]).files if str(f) == file]
    return found[0].locate().read_text(encoding="utf-8") if found else ""


def names_in(line):
    line = re.sub(r"    # .*(older|before).*", "", line).replace("«", "").replace("»", "")  # What older releases took is in none.
    return {name for pattern in PATTERNS for name in re.findall(pattern, line)} - OWN


class Sources:
    def __init__(self, folder):
        self.wheels = {p.name.split("-")[0].replace("_", "-").lower(): p for p in sorted(pathlib.Path(folder).glob("*.whl"))} if folder else {}

    @functools.cache
    def of(self, package):
        """(version, words) of a release."""
        wheel = self.wheels.get(package)
        if wheel:
            with zipfile.ZipFile(wheel) as packed:
                texts = [packed.read(n).decode(errors="replace") for n in packed.namelist() if n.endswith((".py", ".yaml", ".json"))]
            return wheel.name.split("-")[1], self.words(texts)
        distribution = importlib.metadata.distribution(package)
        files = [f for f in distribution.files if str(f).endswith((".py", ".yaml")) or "include/c10" in str(f)]
        return distribution.version.split("+")[0], self.words(f.locate().read_text(errors="replace") for f in files if f.locate().exists())

    @staticmethod
    def words(texts):
        return {word for text in texts for word in re.findall(r"[\w-]+", text)}


def main():
    fixes = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    sources = Sources(sys.argv[2] if len(sys.argv) > 2 else None)
    complaints, count = [], 0
    for fix in fixes["fixes"]:
        for framework, line in fix.get("how", {}).items():
            known = set().union(*(sources.of(package)[1] for package in PACKAGES[framework]))
            complaints += [f"{framework}, {fix['id']}: {name} has no {keyword}" for name, keyword in not_fields(line)]
            for name in sorted(names_in(line)):
                count += 1
                if not known & {name, name.replace("-", "_"), "--" + name}:
                    complaints.append(f"{framework}, {fix['id']}: no '{name}' in {', '.join(PACKAGES[framework])}")
    for package in sorted({p for packages in PACKAGES.values() for p in packages}):
        version, told = sources.of(package)[0], fixes["checked"]["releases"].get(package)
        if told != version:
            complaints.append(f"{package} is {version}; resources/fixes.json says {told}")
    print("\n".join(complaints) or f"{count} names, all there")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
