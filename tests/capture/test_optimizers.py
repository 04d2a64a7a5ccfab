# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""The capture module sees the steps of the optimizers that do the work, whatever stands around them."""

import contextlib
import gc
import unittest
import weakref

import stand_in_libraries
from capture_case import CaptureCase


class OptimizerTest(CaptureCase):
    def setUp(self):
        super().setUp()
        self.libraries = stand_in_libraries.install(self.torch)

    def micro_step(self, model):
        model(self.torch.Tensor(16)).backward()

    def record(self, model=None, optimizer=None):
        return self.capture.record(self.path, model=model, optimizer=optimizer)

    def marks(self):
        return [kind for kind in self.read()["tidemark"]["moments"]["kind"] if kind.startswith("optimizer")]

    def check(self, steps, has_state=True):
        known = self.read()["tidemark"]
        self.assertEqual((known["steps"], known["warnings"]), (steps, []))
        self.assertEqual(self.marks(), ["optimizer_begin", "optimizer_end"] * steps)
        self.assertEqual("optimizer_state" in known["things"]["bucket"], has_state)
        return known

    def test_an_optimizer_by_type_alone_leads_to_the_one_inside(self):
        model, inner = self.parts()
        outer = self.libraries.accelerate.AcceleratedOptimizer(inner)
        with self.warned(), self.record(model, outer):
            for micro in range(4):
                self.micro_step(model)
                outer.syncs = micro % 2 == 1
                outer.step()
                outer.zero_grad()
        known = self.check(steps=2)
        self.assertEqual(known["settings"]["optimizers"], "Optimizer")
        self.assertNotIn("step", vars(outer))

    def test_a_step_that_a_scaler_leaves_out_is_one(self):
        """Its gradients are infinite: torch.amp.GradScaler calls no step."""
        model, inner = self.parts()
        scaler, step = self.torch.amp.GradScaler(), self.torch.amp.GradScaler.step
        with self.warned(), self.record(model, inner) as recorder:
            for scaler.is_infinite in (True, False, True, True):
                self.micro_step(model)
                scaler.step(inner)
                inner.zero_grad()
            self.assertEqual(recorder.steps, 4)
        self.check(steps=4)
        self.assertIs(self.torch.amp.GradScaler.step, step)

    def test_a_scaler_inside_of_a_wrapper_or_of_older_torch(self):
        model, inner = self.parts()
        scaler, outer = self.torch.amp.GradScaler(), self.libraries.deepspeed.ZeroOptimizer(inner)
        outer.step = lambda: [scaler.step(inner) for _ in range(2)]
        self.torch.cuda.amp, self.torch.amp = self.torch.amp, None
        with self.warned(), self.record(model, outer):
            for scaler.is_infinite in (True, False):
                self.micro_step(model)
                outer.step()
        self.check(steps=2)

    def test_a_scaler_counts_nothing_twice_or_that_raised_or_that_the_program_counts(self):
        model, inner = self.parts()
        scaler = self.torch.amp.GradScaler(enabled=False)
        with self.warned(), self.record(model, inner):
            scaler.is_infinite = True  # it is not asked
            self.micro_step(model)
            scaler.step(inner)
            with self.assertRaises(TypeError):
                scaler.step(inner, 1, 2)
        self.assertEqual(self.read()["tidemark"]["steps"], 1)
        with self.warned(), self.record(model, inner) as recorder:
            scaler._enabled = True
            self.micro_step(model)
            scaler.step(inner)
            recorder.step()
        self.assertEqual(self.read()["tidemark"]["steps"], 1)

    def test_a_scheduler_leads_to_its_optimizer(self):
        model, inner = self.parts()
        scheduler = stand_in_libraries.Scheduler(self.libraries.accelerate.AcceleratedOptimizer(inner))
        self.train(model, inner)  # its state is there before the recording begins
        with self.warned(), self.record(model, scheduler):
            scheduler.step()
        self.check(steps=0)

    def test_what_steps_several_inner_ones_makes_one_step(self):
        model, inner = self.parts()
        outer = self.libraries.deepspeed.ZeroOptimizer(inner, groups=3)
        with self.warned(), self.record(model, self.libraries.accelerate.AcceleratedOptimizer(outer)):
            for overflow in (False, True, False):
                self.micro_step(model)
                outer.overflow = overflow
                outer.step()
        self.check(steps=2)
        self.assertNotIn("step", vars(outer))

    def test_an_optimizer_inside_an_optimizer_makes_one_step(self):
        class Sharded(self.torch.optim.Optimizer):
            def __init__(this, params):
                super().__init__(params)
                this.optim = self.torch.optim.Optimizer(params)

            def step(this, closure=None):
                this.optim.step(closure)

        model = self.torch.nn.Module()
        optimizer = Sharded(model.weights)
        with self.warned(), self.record(model, optimizer):
            self.train(model, optimizer)
        self.check(steps=2)

    def test_optimizers_that_nobody_named_are_seen_when_they_step(self):
        model = self.torch.nn.Module()
        with self.warned(), self.record(model):
            for _ in range(2):  # made late, and made anew
                optimizer = self.torch.optim.Optimizer(model.weights)
                self.train(model, optimizer, steps=1)
                del optimizer
        self.check(steps=2)

    def test_state_of_an_optimizer_made_anew_is_seen_at_its_first_step(self):
        model, first = self.parts()
        with self.warned(), self.record(model, first):
            self.train(model, first, steps=10)
            second = self.torch.optim.Optimizer(model.weights)
            self.train(model, second, steps=1)
            made = {t._storage.address for s in second.state.values() for k, t in s.items() if k != "step"}
            del second
        self.assertLessEqual(made, set(self.buckets_by_address(self.read())))

    def test_an_optimizer_without_torchs_hooks_is_wrapped_and_let_go(self):
        class Own:
            def __init__(this, optimizer):
                this.param_groups, this.state, this.calls = optimizer.param_groups, optimizer.state, 0

            def step(this, scale=1):
                this.calls += scale
                return "stepped"

        model, inner = self.parts()
        optimizer = Own(inner)
        del inner
        with self.warned(), self.record(model, optimizer):
            self.micro_step(model)
            self.assertEqual(optimizer.step(scale=2), "stepped")
        self.check(steps=1, has_state=False)
        self.assertEqual((optimizer.calls, vars(optimizer).get("step")), (2, None))
        gone = weakref.ref(optimizer)
        del optimizer
        self.assertIsNone(gone())

    def test_a_step_of_the_programs_own_is_put_back(self):
        model, inner = self.parts()
        outer = self.libraries.deepspeed.ZeroOptimizer(inner)
        outer.step = own = lambda: None
        with self.record(model, outer):
            self.assertIsNot(outer.step, own)
        self.assertIs(outer.step, own)

    def test_a_step_begins_when_its_closure_has_made_the_gradients(self):
        model, optimizer = self.parts()
        with self.warned(), self.record(model, optimizer):
            optimizer.step(closure=lambda: self.micro_step(model))
        self.assertEqual(self.read()["tidemark"]["moments"]["kind"],
                         ["record_begin", "forward_begin", "forward_end", "backward_begin", "backward_end",
                          "optimizer_begin", "optimizer_end", "dump"])
        self.check(steps=1)

    def test_a_closure_that_makes_no_gradients(self):
        """As Lightning hands one in where the program runs backward itself; what it returns reaches the optimizer."""
        model, optimizer = self.parts()
        with self.warned(), self.record(model, optimizer):
            self.micro_step(model)
            self.assertEqual(optimizer.step(closure=lambda: 7), 7)
            self.assertEqual(optimizer.step(lambda: 8), 8)
        self.check(steps=2)

    def test_a_closure_that_raises(self):
        model, optimizer = self.parts()
        with self.record(model, optimizer):
            with self.assertRaises(ZeroDivisionError):
                optimizer.step(lambda: 1 // 0)
        self.assertEqual(self.marks(), [])

    def test_a_step_that_raises_is_none_and_hides_no_later_one(self):
        for wrap in (lambda o: o, self.libraries.deepspeed.ZeroOptimizer):
            with self.subTest(wrap):
                model, optimizer = self.parts()
                dies = wrap(self.torch.optim.Optimizer(model.weights))
                with self.warned(), self.record(model, [dies, optimizer]):
                    self.micro_step(model)
                    limit, self.torch.allocators[0].limit = self.torch.allocators[0].limit, 0
                    with contextlib.suppress(RuntimeError):
                        dies.step()
                    self.torch.allocators[0].limit = limit
                    optimizer.step()
                self.assertEqual(self.read()["tidemark"]["steps"], 1)
                self.assertEqual(self.marks(), ["optimizer_begin", "optimizer_begin", "optimizer_end"])

    def test_two_optimizers_step_twice(self):
        model, first = self.parts()
        other, second = self.parts()
        with self.warned(), self.record([model, other], [first, second]):
            self.train(model, first, steps=1)
            self.train(other, second, steps=1)
        self.check(steps=2)

    def test_optimizers_that_step_inside_backward_are_seen_when_it_ends(self):
        model = self.torch.nn.Module()
        optimizer = self.torch.optim.Optimizer(model.weights)
        with self.warned(), self.record(model):
            loss = model(self.torch.Tensor(4))
            back = loss._back
            loss._back = lambda: (back(), optimizer.step())
            loss.backward()
            del loss, back
        self.check(steps=0)

    def test_nothing_is_kept_alive(self):
        model, inner = self.parts()
        outer = self.libraries.deepspeed.ZeroOptimizer(self.libraries.accelerate.AcceleratedOptimizer(inner))
        recorder = self.record(model, outer)
        recorder.start()
        self.micro_step(model)
        outer.step()
        dead = [weakref.ref(x) for x in (model, inner, outer)]
        del model, inner, outer
        gc.collect()
        self.assertEqual([reference() for reference in dead], [None] * 3)
        recorder.stop()


if __name__ == "__main__":
    unittest.main(verbosity=1)
