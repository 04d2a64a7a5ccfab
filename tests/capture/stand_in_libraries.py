# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Stand-ins for what transformers, Accelerate and DeepSpeed put around torch, as far as the capture module meets it. Each
does what the library does (transformers 5.24, accelerate 1.15); tests/deep/run.sh libraries tries the same with those."""

import sys
import types


def install(torch):
    """Puts them into sys.modules and returns them."""
    accelerate, transformers, deepspeed = (types.ModuleType(n) for n in ("accelerate", "transformers", "deepspeed"))
    _accelerate(accelerate, torch)
    _deepspeed(deepspeed)
    _transformers(transformers, accelerate, torch)
    sys.modules.update(accelerate=accelerate, transformers=transformers, deepspeed=deepspeed)
    return types.SimpleNamespace(accelerate=accelerate, transformers=transformers, deepspeed=deepspeed)


def _accelerate(accelerate, torch):
    class AcceleratedOptimizer(torch.optim.Optimizer):
        """An Optimizer that never calls Optimizer.__init__; it steps when gradients are complete."""

        def __init__(self, optimizer):
            self.optimizer, self.syncs = optimizer, True

        @property
        def state(self):
            return self.optimizer.state

        @property
        def param_groups(self):
            return self.optimizer.param_groups

        def step(self, closure=None):
            if self.syncs:
                self.optimizer.step(closure)

        def zero_grad(self):
            if self.syncs:
                self.optimizer.zero_grad()

    accelerate.AcceleratedOptimizer = AcceleratedOptimizer


def _deepspeed(deepspeed):
    class ZeroOptimizer:
        """No Optimizer at all; it steps the one inside once for each group of parameters."""

        def __init__(self, optimizer, groups=2):
            self.optimizer, self.groups, self.overflow = optimizer, groups, False

        @property
        def param_groups(self):
            return self.optimizer.param_groups

        @property
        def state(self):
            return self.optimizer.state

        def step(self):
            for _ in range(0 if self.overflow else self.groups):
                self.optimizer.step()

    deepspeed.ZeroOptimizer = ZeroOptimizer


def _transformers(transformers, accelerate, torch):
    class TrainerCallback:
        pass

    for event in ("train_begin", "step_begin", "step_end", "evaluate", "train_end"):
        setattr(TrainerCallback, f"on_{event}", lambda self, args, state, control, **kwargs: None)

    class CallbackHandler:
        def __init__(self, callbacks, model):
            self.callbacks, self.model, self.optimizer = list(callbacks), model, None

        def call_event(self, event, args, state, control):
            for callback in self.callbacks:
                getattr(callback, event)(args, state, control, model=self.model, optimizer=self.optimizer,
                                         processing_class=None, lr_scheduler=None, train_dataloader=None,
                                         eval_dataloader=None)

    class Trainer:
        """Tells no callback when it dies."""

        def __init__(self, model, callbacks=(), steps=2, accumulation=1, evaluates=False, retries=0):
            self.model, self.steps, self.accumulation, self.evaluates = model, steps, accumulation, evaluates
            self.callback_handler, self.optimizer, self.retries = CallbackHandler(callbacks, model), None, retries

        def add_callback(self, callback):
            self.callback_handler.callbacks.append(callback)

        def tell(self, event):
            self.callback_handler.call_event(event, None, None, None)

        def train(self):
            while True:
                try:
                    return self._inner_training_loop()
                except RuntimeError:  # auto_find_batch_size
                    if not self.retries:
                        raise
                    self.retries -= 1

        def _inner_training_loop(self):
            self.optimizer = accelerate.AcceleratedOptimizer(torch.optim.Optimizer(self.model.weights))
            self.callback_handler.optimizer = self.optimizer
            self.tell("on_train_begin")
            for _ in range(self.steps):
                self.tell("on_step_begin")
                for micro in range(self.accumulation):
                    self.training_step(torch.Tensor(16))
                    self.optimizer.syncs = micro == self.accumulation - 1
                    if self.optimizer.syncs:
                        self.optimizer.step()
                        self.optimizer.zero_grad()
                self.tell("on_step_end")
                if self.evaluates:
                    self.evaluate()
            self.tell("on_train_end")
            return "trained"

        def training_step(self, batch):
            self.model(batch).backward()

        def evaluate(self):
            with torch.no_grad():
                self.model(torch.Tensor(16))
            self.tell("on_evaluate")

    transformers.TrainerCallback, transformers.Trainer = TrainerCallback, Trainer


class Scheduler:
    """A learning-rate scheduler: holds the optimizer and has a step of its own."""

    def __init__(self, optimizer):
        self.optimizer = optimizer

    def step(self):
        pass


