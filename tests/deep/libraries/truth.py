# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""What a run truly did, from torch's own hooks: the phase of each event and the bucket of each allocation, in the form
that tests/cli/modelled.py reads. It shares nothing with the capture module."""

import contextlib
import functools

import torch
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

RANK = {"temporary": 0, "activation": 1, "output": 2, "input": 3, "kv_cache": 3, "gradient": 4, "optimizer_state": 5,
        "parameter": 6}
SCORED = {"temporary", "activation", "input", "kv_cache", "gradient", "optimizer_state", "parameter"}


class Truth:
    def __init__(self, device):
        self.device, self.bucket, self.phases, self.steps = device, {}, [[0, "setup"]], 0
        self.phase, self.born, self.trained = "setup", {}, False
        self.backwards = self.stepping = 0
        self.optimizers, self.hears_modules, self.closures_do_nothing, self.generates = [], True, False, False
        device.on_alloc = lambda number: self.born.__setitem__(number, self.phase)
        device.on_copy = lambda: self.now("input") if self.phase in ("optimizer", "setup") else None
        device.on_oom = lambda: self.keep_activations() if self.phase == "forward" else None
        device.on_copied = self._copied
        device.phases, device.on_cleared = lambda: self.phases, self._cleared

    # -- what is what

    def mark(self, bucket, *tensors):
        for tensor in tensors:
            number = self.device.number_of(tensor) if isinstance(tensor, torch.Tensor) else None
            if number is not None and RANK[bucket] > RANK[self.bucket.get(number, "temporary")]:
                self.bucket[number] = bucket

    def watch(self, *models):
        for model in models:
            self.mark("parameter", *model.parameters(), *model.buffers())
            for p in model.parameters():
                if p.requires_grad:
                    p.register_post_accumulate_grad_hook(lambda q: self.mark("gradient", q.grad))

    def states(self, optimizer):
        for state in optimizer.state.values():
            self.mark("optimizer_state", *state.values())

    def keep_activations(self):
        """What a training pass made and what is there when its backward begins."""
        for _, _, number in self.device.live.values():
            if self.born.get(number) == "forward":
                self.bucket.setdefault(number, "activation")

    def _copied(self, tensor):
        self.mark("input", tensor)
        if not self.hears_modules:
            self.now("forward")

    # -- when

    def _cleared(self):
        self.phases = [[0, self.phase]]

    def now(self, phase):
        if phase != self.phase:
            self.phase = phase
            self.phases.append([len(self.device.trace), phase])

    def _forward(self, module, _):
        self.mark("parameter", *module._parameters.values())  # where they are sharded, gathered for this pass
        if not self.hears_modules or self.backwards:
            return  # a compiler's own calls, or a recomputation
        if torch.is_grad_enabled():
            self.now("forward" if module.training or self.phase == "forward" else self.phase)
        else:
            is_beside = not self.generates and (self.trained or self.optimizers)
            self.now("evaluation" if is_beside else "inference")

    def _backward(self, run, *args, **kwargs):
        if torch._guards.TracingContext.try_get() is not None:
            return run(*args, **kwargs)
        if not self.backwards:
            self.keep_activations()
            self.now("backward")
        self.backwards, self.trained = self.backwards + 1, True
        try:
            return run(*args, **kwargs)
        finally:
            self.backwards -= 1
            if self.stepping and not self.backwards:
                self.now("optimizer")

    def _step_begins(self, optimizer, args, kwargs):
        if optimizer not in self.optimizers:
            self.optimizers.append(optimizer)
        self.stepping += 1
        closure = kwargs.get("closure", args[1] if len(args) > 1 else None)
        if not callable(closure) or self.closures_do_nothing:
            self.now("optimizer")

    def _step_ends(self, optimizer, *_):
        self.stepping -= 1
        self.states(optimizer)
        if not self.stepping:
            self.steps += self.device.is_recording

    def _watch_generation(self, stack):
        from transformers import GenerationMixin
        generate = GenerationMixin.generate

        @functools.wraps(generate)
        def generated(*args, **kwargs):
            self.generates = True
            try:
                return generate(*args, **kwargs)
            finally:
                self.generates = False

        GenerationMixin.generate = generated
        stack.callback(setattr, GenerationMixin, "generate", generate)

    @contextlib.contextmanager
    def watching(self):
        graph, clip = torch.autograd.graph, torch.nn.utils.clip_grad_norm_
        run, cache = graph._engine_run_backward, None
        engine = functools.wraps(run)(functools.partial(self._backward, run))
        engine.__name__ = run.__name__
        handles = [register_module_forward_pre_hook(self._forward),
                   register_optimizer_step_pre_hook(self._step_begins),
                   register_optimizer_step_post_hook(self._step_ends)]

        @functools.wraps(clip)
        def clipped(*args, **kwargs):
            self.now("optimizer")
            return clip(*args, **kwargs)

        stack = contextlib.ExitStack()
        torch.nn.utils.clip_grad_norm_ = clipped
        graph._engine_run_backward = torch.autograd._engine_run_backward = engine
        with contextlib.suppress(ImportError):
            from transformers.cache_utils import DynamicLayer

            cache = DynamicLayer.update

            @functools.wraps(cache)
            def update(layer, *args, **kwargs):
                result = cache(layer, *args, **kwargs)
                if not torch.is_grad_enabled():
                    self.mark("kv_cache", layer.keys, layer.values)
                return result

            DynamicLayer.update = update
            self._watch_generation(stack)
        try:
            yield self
        finally:
            for optimizer in self.optimizers:  # of a step that died
                self.states(optimizer)
            for handle in handles:
                handle.remove()
            graph._engine_run_backward = torch.autograd._engine_run_backward = run
            torch.nn.utils.clip_grad_norm_ = clip
            stack.close()
            if cache is not None:
                DynamicLayer.update = cache

    # -- written down

    def written(self, shot):
        """For the snapshot taken when `shot` was noted."""
        trace, numbers, oom = shot["trace"], shot["ids"], shot["oom"]
        of = lambda number: self.bucket.get(number, "temporary")
        made = {numbers[i] for i, e in enumerate(trace) if e["action"] == "alloc"}
        return {
            "cut": 0, "steps": self.steps, "phases": [p for p in shot["phases"] if p[0] < len(trace)],
            "oom": {"index": oom} if oom is not None and oom < len(trace) else None,
            "alloc_labels": [[i, of(numbers[i])] for i, e in enumerate(trace) if e["action"] == "alloc"],
            "free_labels": [[i, of(numbers[i])] for i, e in enumerate(trace)
                            if e["action"] == "free_completed" and numbers[i] not in made],
            "live_labels": {str(address): of(number) for address, number in shot["live"].items()}}
