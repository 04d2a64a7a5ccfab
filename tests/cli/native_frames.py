# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""native_frames.py IN_DIR OUT_DIR: recorded pairs again with C++ frames between those of Python and below them, as
`_record_memory_history` leaves them unless it is told `stacks="python"`. The predictions are to be the same."""

import collections
import pathlib
import pickle
import shutil
import sys

ALLOCATOR = ("torch::unwind::unwind()", "torch::CapturedTraceback::gather(bool, bool, bool)",
             "torch::cuda::(anonymous namespace)::gather_with_cpp()",
             "c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::malloc(unsigned long, CUstream_st*)",
             "c10::cuda::CUDACachingAllocator::Native::NativeCachingAllocator::malloc(void**, signed char, unsigned long)",
             "c10::cuda::CUDACachingAllocator::Native::NativeCachingAllocator::allocate(unsigned long)",
             "at::detail::empty_generic(c10::ArrayRef<long>, c10::Allocator*, c10::DispatchKeySet, c10::ScalarType)",
             "at::detail::empty_cuda(c10::ArrayRef<long>, c10::TensorOptions const&)")
CAST = ("at::_ops::_to_copy::call(at::Tensor const&, std::optional<c10::ScalarType>)",
        "at::native::to(at::Tensor const&, c10::ScalarType, bool, bool, std::optional<c10::MemoryFormat>)",
        "at::_ops::to_dtype::call(at::Tensor const&, c10::ScalarType, bool, bool, std::optional<c10::MemoryFormat>)",
        "at::autocast::cached_cast(c10::ScalarType, at::Tensor const&, c10::DeviceType)")
ENGINE = ("torch::autograd::Engine::evaluate_function(std::shared_ptr<torch::autograd::GraphTask>&, torch::autograd::Node*)",
          "torch::autograd::Engine::thread_main(std::shared_ptr<torch::autograd::GraphTask> const&)",
          "torch::autograd::python::PythonEngine::thread_init(int, std::shared_ptr<torch::autograd::ReadyQueue> const&, bool)",
          "clone3")
BETWEEN = ("_PyEval_EvalFrameDefault", "method_vectorcall.llvm.14057086860930748638", "_PyObject_Call_Prepend")


def native(names):
    return [{"filename": "??", "line": 0, "name": name} for name in names]


def key_of(frames):
    return tuple((f["filename"], f["line"], f["name"]) for f in frames)


class Weaver:
    """Allocations that one line makes right after each other get different operations, as each has its own."""

    def __init__(self, weights):
        self._copies = {w // 2 for w in weights}
        self._last = collections.deque(maxlen=8)
        self._before, self._at = None, 0

    def woven(self, frames, size, is_followed_up):
        place = key_of(frames)
        self._at = self._at + 1 if place == self._before else 0
        self._before = place
        is_cast = bool(frames) and is_followed_up and (size in self._copies or 2 * size in self._last)
        self._last.append(size)
        if not frames:
            operation = (f"at::_ops::backward_{size % 7}::call(at::Tensor const&)",
                         f"torch::autograd::generated::Op{size % 7}Backward0::apply(std::vector<at::Tensor>&&)", *ENGINE)
            return native((*ALLOCATOR, *operation))
        operation = CAST if is_cast else (self._operation(frames[0]),)
        return native((*ALLOCATOR, *operation, "cfunction_call")) + self._between(frames)

    def _operation(self, innermost):
        names = {"softmax": "_softmax", "layer_norm": "native_layer_norm", "cross_entropy": "_log_softmax",
                 "gelu": "gelu", "relu": "relu"}
        return f"at::_ops::{names.get(innermost['name'], f'operation_{self._at}')}::call(at::Tensor const&)"

    @staticmethod
    def _between(frames):
        woven = []
        for frame in frames:
            woven += [frame, *native(BETWEEN)]
        return woven


def weave(snapshot, autocast):
    weights = set()
    for trace in snapshot["device_traces"]:
        for event in trace:
            if autocast and event["action"] == "alloc" and event["frames"] and event["frames"][0]["name"] == "__init__":
                weights.add(event["size"])
    for trace in snapshot["device_traces"]:
        weaver = Weaver(weights)
        made = [e for e in trace if e["action"] in ("alloc", "oom")]
        following = {id(a): b for a, b in zip(made, made[1:])}
        woven = {}
        for event in made:
            after = following.get(id(event))
            is_followed_up = autocast and after is not None and key_of(after["frames"]) == key_of(event["frames"])
            woven[id(event)] = weaver.woven(event["frames"], event["size"], is_followed_up)
        for event in made:
            event["frames"] = woven[id(event)]


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    target.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.glob("*.pair.json")):
        name = path.name.removesuffix(".pair.json")
        snapshot = pickle.loads((source / f"{name}.pickle").read_bytes())
        frames = [f["filename"] for t in snapshot["device_traces"] for e in t[-2000:] for f in e["frames"]]
        weave(snapshot, any(f.endswith("/autocast.py") for f in frames))
        (target / f"{name}.pickle").write_bytes(pickle.dumps(snapshot))
        shutil.copy(path, target / path.name)


if __name__ == "__main__":
    main()
