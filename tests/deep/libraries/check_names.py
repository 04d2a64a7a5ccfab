# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""check_names.py [FOLDER]: whether all that the capture module looks for in other people's libraries is there.

What is installed beside this Python is looked at where it lies; FOLDER holds wheels of what is not (pip download
--no-deps -r sources.txt). Sources are parsed and never run, but for torch and pynvml, most of whose names are made by C.
Prints each library with its version and ends with 1 where a name is missing."""

import ast
import importlib.metadata
import inspect
import pathlib
import re
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
MODULE = HERE.parents[2] / "resources" / "capture" / "tidemark_capture.py"

# Library -> what is looked for in it: (file, class or "", names). A name is a method, an attribute that the class sets or
# declares, or a function of the module. Where a file or class is a list, one of them has it all.
NAMES = {
    "transformers": [
        ("transformers/trainer.py", "Trainer", ["train", "callback_handler"]),
        ("transformers/trainer_callback.py", "CallbackHandler", ["callbacks", "on_train_begin", "on_step_begin"]),
        ("transformers/trainer_callback.py", "TrainerCallback", ["on_train_begin", "on_step_begin", "on_train_end"]),
    ],
    "trl": [
        ("trl/trainer/dpo_trainer.py", "DPOTrainer", ["ref_model"]),
        ("trl/trainer/grpo_trainer.py", "GRPOTrainer", ["ref_model", "reward_funcs", "vllm_generation"]),
        ("trl/trainer/distillation_trainer.py", "DistillationTrainer", ["teacher_model"]),
        ("trl/generation/vllm_generation.py", "VLLMGeneration", ["llm"]),
    ],
    "accelerate": [("accelerate/optimizer.py", "AcceleratedOptimizer", ["optimizer", "step", "param_groups", "state"])],
    "lightning": [
        ("lightning/pytorch/callbacks/callback.py", "Callback",
         ["on_train_start", "on_train_batch_start", "on_validation_start", "on_validation_end", "on_exception",
          "on_train_end"]),
        ("lightning/pytorch/trainer/trainer.py", "Trainer", ["optimizers"]),
    ],
    "deepspeed": [
        ("deepspeed/runtime/engine.py", "DeepSpeedEngine", ["optimizer", "module", "step", "backward"]),
        ("deepspeed/runtime/zero/stage_1_and_2.py", "DeepSpeedZeroOptimizer",
         ["optimizer", "step", "param_groups", "state", "single_partition_of_fp32_groups"]),
        ("deepspeed/runtime/zero/stage3.py", "DeepSpeedZeroOptimizer_Stage3",
         ["optimizer", "step", "param_groups", "state", "fp32_partitioned_groups_flat"]),
    ],
    "torchtitan": [
        ("torchtitan/trainer.py", "Trainer", ["train", "model_parts", "optimizers"]),
        ("torchtitan/train.py", "", ["main"]),
        ("torchtitan/tools/profiler.py", "Config", ["enable_memory_snapshot"]),
        ("torchtitan/components/optimizer/optimizer.py", "OptimizersContainer", ["optimizers", "step"]),
    ],
    "megatron-core": [
        ("megatron/core/optimizer/distrib_optimizer.py", "DistributedOptimizer",
         ["shard_fp32_from_float16_groups", "shard_fp32_groups"]),
        ("megatron/core/optimizer/optimizer.py", "MegatronOptimizer", ["optimizer", "step"]),
    ],
    "bitsandbytes": [
        ("bitsandbytes/functional.py", "QuantState", ["absmax", "code", "offset", "state2"]),
        ("bitsandbytes/nn/modules.py", "Params4bit", ["quant_state"]),
        ("bitsandbytes/functional.py", "", ["get_paged"]),
    ],
    "vllm": [
        ("vllm/device_allocator/cumem.py", "CuMemAllocator", ["get_instance", "allocator_and_pools", "sleep", "wake_up"]),
        ("vllm/entrypoints/llm.py", "LLM", ["sleep", "wake_up"]),
        ("vllm/v1/worker/gpu_worker.py", "Worker", ["model_runner", "sleep", "wake_up"]),
        ("vllm/v1/worker/gpu_model_runner.py", "GPUModelRunner", ["model", "kv_caches"]),
        ("vllm/v1/worker/gpu/model_runner.py", "GPUModelRunner", ["model", "kv_caches"]),
        ("vllm/config/parallel.py", "ParallelConfig", ["worker_extension_cls"]),
    ],
    "sglang": [
        ("sglang/srt/entrypoints/engine.py", "Engine", ["release_memory_occupation", "resume_memory_occupation"]),
    ],
    "torch_memory_saver": [("torch_memory_saver/entrypoint.py", "TorchMemorySaver", ["pause", "resume"])],
    "verl": [
        ("verl/workers/engine/fsdp/transformer_impl.py", "FSDPEngine", ["module", "optimizer"]),
        ("verl/utils/profiler/torch_memory_profile.py", "TorchMemoryProfiler", ["start", "stop"]),
    ],
}

# Lines that say how something is used, where a name alone would not tell.
LINES = {
    "vllm": [("vllm/device_allocator/cumem.py", r"allocator_and_pools\[\"cudagraph\"\]\[0\]\[0\]\.id", "pools by tag, in lists")],
    "verl": [("verl/trainer/config/ppo_trainer.yaml", r"(?ms)^global_profiler:.*?^  tool: .*torch_memory|torch_memory.*?^  tool: ",
              "global_profiler.tool=torch_memory"),
             ("verl/trainer/config/ppo_trainer.yaml", r"(?ms)^global_profiler:.*?^  steps: ", "global_profiler.steps")],
    "trl": [("trl/generation/vllm_generation.py", r"self\.llm\.(sleep|wake_up)\(", "the engine sleeps and wakes")],
}


class Library:
    """The files of a distribution: installed, or in a wheel."""

    def __init__(self, name, folder):
        self.trees = {}
        try:
            self.version, self.wheel = importlib.metadata.version(name), None
            self.root = pathlib.Path(importlib.metadata.distribution(name).locate_file(""))
        except importlib.metadata.PackageNotFoundError:
            stem = re.sub(r"[-_.]+", "_", name)
            wheel = next(iter(sorted(folder.glob(f"{stem}-*.whl"))), None) if folder else None
            self.wheel = zipfile.ZipFile(wheel) if wheel else None
            self.version, self.root = (wheel.name.split("-")[1] if wheel else None), None

    def text(self, file):
        if self.wheel:
            return self.wheel.read(file).decode()
        return (self.root / file).read_text(encoding="utf-8")

    def names(self, file, owner):
        """What a class, with those of the same file that it is made of, or a module has."""
        if file not in self.trees:
            self.trees[file] = ast.parse(self.text(file))
        tree = self.trees[file]
        if not owner:
            return {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
        found, todo = set(), [owner]
        while todo:
            node = classes.get(todo.pop())
            if node is not None:
                found |= set(names_in(node))
                todo += [base.id for base in node.bases if isinstance(base, ast.Name)]
        return found


def names_in(node):
    for part in ast.walk(node):
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield part.name
        elif isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
            yield part.attr
        elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            yield part.target.id
        elif isinstance(part, ast.Assign):
            yield from (target.id for target in part.targets if isinstance(target, ast.Name))


def missing_in_library(library, name):
    for file, owner, wanted in NAMES[name]:
        try:
            there = library.names(file, owner)
        except (OSError, KeyError):
            yield f"{file} is not there"
            continue
        yield from (f"{file}: {owner + '.' if owner else ''}{one} is not there" for one in wanted if one not in there)
    for file, pattern, words in LINES.get(name, ()):
        if not re.search(pattern, library.text(file)):
            yield f"{file}: not as it was: {words}"


def missing_in_torch():
    """Of what is asked for with getattr or hasattr, as it came with later releases, that which this one must have."""
    import torch
    release = tuple(map(int, torch.__version__.split("+")[0].split(".")[:3]))
    memory, hooks = torch.cuda.memory, sys.modules[torch.optim.Optimizer.__module__]
    wanted = [
        (torch._C, "_cuda_memoryStats"), (torch._C, "_cuda_attach_out_of_memory_observer"), (torch._C, "_cuda_isHistoryEnabled"),
        (torch.cuda, "get_per_process_memory_fraction"), (torch.cuda, "host_memory_stats"), (torch.cuda, "_get_nvml_device_index"),
        (torch.cuda, "mem_get_info"), (torch.cuda.CUDAGraph, "capture_begin"), (torch.cuda.CUDAGraph, "capture_end"),
        (torch.cuda.CUDAGraph, "pool"), (torch.cuda.MemPool, "id"), (memory, "_set_allocator_settings"),
        (memory, "_set_memory_metadata"), (memory, "_get_memory_metadata"), (memory, "_snapshot"), (memory, "memory_snapshot"),
        (torch.distributed.distributed_c10d, "_world"), (torch.distributed.ProcessGroup, "_get_backend"),
        (hooks, "register_optimizer_step_pre_hook"), (hooks, "register_optimizer_step_post_hook"),
        (torch.compiler, "is_compiling"), (torch.autograd, "backward")]
    if release >= (2, 14, 1):
        wanted.append((memory, "_annotate_tensor"))
    # What builds with CUDA alone have is named by the stub file and the compiler's rules of the same release.
    folder = pathlib.Path(torch.__file__).parent
    stubs = "".join((folder / file).read_text(encoding="utf-8") for file in ("_C/__init__.pyi", "_dynamo/trace_rules.py"))
    for owner, name in wanted:
        if not hasattr(owner, name) and not re.search(rf"\b{name}\b", stubs):
            yield f"{getattr(owner, '__name__', owner)}.{name} is not there"
    record = inspect.signature(memory._record_memory_history).parameters
    settings = {"enabled", "context", "stacks", "max_entries"} | ({"record_pinned_host_memory"} if release >= (2, 14) else set())
    yield from (f"_record_memory_history takes no {name}" for name in sorted(settings - set(record)))
    if release >= (2, 11) and "include_traces" not in inspect.signature(memory.memory_snapshot).parameters:
        yield "memory_snapshot takes no include_traces"
    if "_optimizer_step_pre_hooks" not in vars(torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=1)):
        yield "an optimizer has no _optimizer_step_pre_hooks"
    keys = inspect.getsource(torch.cuda.host_memory_stats) + inspect.getsource(torch.cuda.memory.host_memory_stats)
    yield from (f"host_memory_stats tells no {key}" for key in ("allocated_bytes.", "active_bytes.") if key not in keys)


def missing_in_pynvml():
    import pynvml
    for name in ("nvmlInit", "nvmlDeviceGetHandleByIndex", "nvmlDeviceGetComputeRunningProcesses"):
        if not hasattr(pynvml, name):
            yield f"{name} is not there"
    fields = {field for field, _ in pynvml.c_nvmlProcessInfo_t._fields_}
    yield from (f"a process has no {field}" for field in ("pid", "usedGpuMemory") if field not in fields)


def unused_names():
    """What stands here and the module no longer speaks of."""
    words = MODULE.read_text(encoding="utf-8") + (HERE.parents[2] / "docs" / "record.md").read_text(encoding="utf-8")
    known = {"callback_handler", "callbacks", "get_paged", "start", "stop", "main"}
    for name, rows in NAMES.items():
        for _, _, names in rows:
            yield from (f"{name}: {one}" for one in names if one not in known and not re.search(rf"\b{one}\b", words))


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None
    libraries = {name: Library(name, folder) for name in NAMES}
    problems, absent = [f"not in the module: {name}" for name in unused_names()], []
    import torch
    rows = [("torch", torch.__version__, list(missing_in_torch()))]
    rows.append(("nvidia-ml-py", importlib.metadata.version("nvidia-ml-py"), list(missing_in_pynvml())))
    for name, library in libraries.items():
        if library.version is None:
            absent.append(name)
        else:
            rows.append((name, library.version, list(missing_in_library(library, name))))
    for name, version, missing in rows:
        print(f"{name} {version}: {'all there' if not missing else '; '.join(missing)}")
        problems += missing
    if absent:
        print(f"not looked at, because they are not here: {', '.join(absent)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
