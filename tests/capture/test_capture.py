# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""The capture module against a stand-in for torch."""

import copy
import collections
import dataclasses
import gc
import os
import pickle
import types
import unittest
import warnings
import weakref

import stand_in
from capture_case import CaptureCase


class CaptureTest(CaptureCase):
    # -- what a file holds ------------------------------------------------------------------------

    def test_a_run_is_an_ordinary_snapshot_with_one_more_key(self):
        model, optimizer = self.parts()
        with self.warned():
            with self.capture.record(self.path, model=model, optimizer=optimizer) as recorder:
                self.train(model, optimizer)
        snapshot = self.read()
        self.assertEqual(set(snapshot), {"segments", "device_traces", "allocator_settings", "external_annotations",
                                         "host_segments", "host_traces", "tidemark"})
        known = snapshot["tidemark"]
        self.assertEqual((known["version"], known["reason"], known["steps"]), (1, "end", 2))
        self.assertEqual(known["moments"]["kind"],
                         ["record_begin"] + ["forward_begin", "forward_end", "backward_begin", "backward_end",
                                             "optimizer_begin", "optimizer_end"] * 2 + ["dump"])
        self.assertEqual(known["devices"][0]["name"], "Stand-in GPU")
        self.assertEqual(known["devices"][0]["capacity_bytes"], int(0.7 * stand_in.SEGMENT))
        self.assertEqual(recorder.files, [self.path])
        self.assertGreater(known["overhead_us"], 0)
        self.assert_plain(snapshot["tidemark"])

    def assert_plain(self, value):
        self.assertIn(type(value), (dict, list, str, int, bool, type(None)))
        for item in (list(value.values()) + list(value) if isinstance(value, dict) else value
                     if isinstance(value, list) else ()):
            self.assert_plain(item)

    def test_every_tensor_is_named_by_the_address_of_its_storage(self):
        model, optimizer = self.parts(frozen=1, weights=3)
        with self.capture.record(self.path, model=model, optimizer=optimizer):
            batch = self.torch.Tensor(16)
            model(batch).backward()
            gradients = {w.grad._storage.address for w in model.weights if w.grad}
            optimizer.step()
        named = self.buckets_by_address(self.read())
        for i, weight in enumerate(model.weights):
            self.assertEqual(named[weight._storage.address], ("parameter", f"layers.{i}.weight"))
        self.assertEqual(named[model.running_mean._storage.address], ("parameter", "running_mean"))
        self.assertEqual(named[batch._storage.address][0], "input")
        self.assertEqual({a for a, (bucket, _) in named.items() if bucket == "gradient"}, gradients)
        moments = {t._storage.address: key for state in optimizer.state.values() for key, t in state.items() if key != "step"}
        self.assertEqual({a: name for a, (bucket, name) in named.items() if bucket == "optimizer_state"}, moments)
        things = self.read()["tidemark"]["things"]
        roles = {n: r for n, r, b in zip(things["name"], things["role"], things["bucket"]) if b == "parameter"}
        self.assertEqual((roles["layers.0.weight"], roles["layers.1.weight"]), ("frozen", "trainable"))

    def test_counters_name_the_place_of_each_moment(self):
        model, optimizer = self.parts()
        with self.capture.record(self.path, model=model, optimizer=optimizer):
            self.train(model, optimizer)
        snapshot = self.read()
        trace, kinds = snapshot["device_traces"][0], snapshot["tidemark"]["moments"]["kind"]
        counted = [i for i, e in enumerate(trace) if e["action"] in ("alloc", "free_requested")]
        for moment, kind in enumerate(kinds):
            following = self.follow(snapshot, moment)
            if kind == "forward_begin":  # the batch came before, then the first of two activations
                at = counted[-following]
                self.assertEqual((trace[at]["action"], trace[at]["size"]), ("alloc", 4 * 64))
                self.assertEqual(trace[counted[-following - 1]]["size"], 4 * 16)
            if kind == "optimizer_begin" and moment < 8:
                self.assertEqual(trace[counted[-following]]["size"], 4 * 1000)

    def test_a_reset_of_the_counters_begins_a_new_epoch(self):
        model, optimizer = self.parts()
        with self.capture.record(self.path, model=model, optimizer=optimizer):
            self.train(model, optimizer, steps=1)
            self.torch.allocators[0].allocated = self.torch.allocators[0].freed = 0
            self.train(model, optimizer, steps=1)
        known = self.read()["tidemark"]
        epochs = known["moments"]["clocks"][0]["epoch"]
        self.assertEqual(epochs[0], 0)
        self.assertEqual(epochs[-1], known["devices"][0]["epoch"])
        self.assertEqual(sorted(set(epochs)), [0, 1])

    def test_without_counters_markers_are_used(self):
        self.load(lacks=["_C._cuda_memoryStats"])
        model, optimizer = self.parts()
        with self.warned("counters cannot be read"):
            with self.capture.record(self.path, model=model, optimizer=optimizer):
                self.train(model, optimizer, steps=1)
        snapshot = self.read()
        known = snapshot["tidemark"]["moments"]
        sizes = [e["size"] for e in snapshot["device_traces"][0] if e["action"] == "alloc"]
        for marker in known["marker_bytes"]:
            self.assertEqual(sizes.count(marker), 1)

    def test_several_devices_have_clocks_of_their_own(self):
        self.load(devices=2)
        near, far = self.torch.nn.Module(device=0), self.torch.nn.Module(device=1)
        with self.capture.record(self.path, model={"": near, "ema": far}):
            near(self.torch.Tensor(4))
            far(self.torch.Tensor(4, device=1))
        known = self.read()["tidemark"]
        self.assertEqual([d["index"] for d in known["devices"]], [0, 1])
        self.assertEqual([c["device"] for c in known["moments"]["clocks"]], [0, 1])
        rows = {d: known["things"]["role"][t] for d, t in zip(known["tensors"]["device"], known["tensors"]["thing"])
                if known["things"]["name"][t].endswith("weight")}
        self.assertEqual(rows, {0: "trainable", 1: "ema"})

    def test_a_recording_of_somebody_else_is_left_alone(self):
        self.torch._C._cuda_isHistoryEnabled = lambda: True
        with self.capture.record(self.path):
            pass
        self.assertFalse(hasattr(self.torch, "history"))
        self.assertEqual(self.files(), ["run.pickle"])

    def test_the_settings_of_torch(self):
        with self.capture.record(self.path, stacks="all", max_entries=77, context="alloc"):
            self.assertEqual(self.torch.history,
                             {"enabled": "all", "context": "alloc", "stacks": "all", "max_entries": 77,
                              "record_pinned_host_memory": False, "record_cuda": True})

    # -- what it must not do ----------------------------------------------------------------------

    def test_no_tensor_model_or_optimizer_is_kept_alive(self):
        model, optimizer = self.parts()
        recorder = self.capture.record(self.path, model=model, optimizer=optimizer)
        recorder.start()
        batch = self.torch.Tensor(16)
        loss = model(batch)
        loss.backward()
        optimizer.step()
        recorder.note("output", [loss], "loss")
        dead = [weakref.ref(x) for x in (batch, loss, model, optimizer, model.weights[0], model.weights[0].grad)]
        del batch, loss, model, optimizer
        gc.collect()
        self.assertEqual([reference() for reference in dead], [None] * len(dead))
        self.assertEqual(self.torch.allocators[0].live, {})
        recorder.stop()

    def test_every_failing_call_of_torch_is_a_warning_and_no_error(self):
        places = [("_C", "_cuda_attach_out_of_memory_observer"), ("cuda.memory", "_snapshot"), ("cuda", "mem_get_info"),
                  ("cuda.memory", "_set_memory_metadata"), ("cuda.memory", "_annotate_tensor"),
                  ("cuda.memory", "_record_memory_history"), ("cuda", "is_available"), ("_C", "_cuda_memoryStats"),
                  ("nn.Module", "named_parameters"), ("nn.Module", "register_forward_pre_hook"),
                  ("optim_module", "register_optimizer_step_pre_hook"), ("Tensor", "untyped_storage"), ("", "is_grad_enabled")]
        for holder, name in places:
            with self.subTest(name), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                self.load()
                at = self.torch
                for part in filter(None, holder.split(".")):
                    at = getattr(at, part)

                def fail(*_, **__):
                    raise RuntimeError("refused")

                setattr(at, name, fail)
                model, optimizer = self.parts()
                with self.capture.record(self.path, model=model, optimizer=optimizer):
                    self.train(model, optimizer)
                messages = [str(w.message) for w in caught]
                self.assertTrue(any("refused" in m for m in messages), messages)
                self.assertEqual(len(messages), len(set(messages)), "a warning came twice")

    def test_a_full_ring_buffer_is_a_warning(self):
        model, optimizer = self.parts()
        with self.warned("ring buffer of 20 entries was full"):
            with self.capture.record(self.path, model=model, optimizer=optimizer, max_entries=20):
                self.train(model, optimizer, steps=300)
        known = self.read()["tidemark"]
        self.assertTrue(known["devices"][0]["overflowed"])
        self.assertLess(len(known["moments"]["kind"]), 600)  # what lies before the buffer is forgotten
        self.assertIn("parameter", {bucket for bucket, _ in self.buckets_by_address(self.read()).values()})

    def test_hooks_that_would_be_compiled_are_set_only_when_asked(self):
        for hooks, hooked in ((None, False), (True, True), (False, False)):
            with self.subTest(hooks):
                model, _ = self.parts()
                model._compiled_call_impl = len  # module.compile()
                with self.capture.record(self.path, model=model, hooks=hooks):
                    self.assertEqual(bool(model.before), hooked)

    def test_hooks_around_what_is_compiled_are_outside_of_it(self):
        model, _ = self.parts()
        model._orig_mod, model._compiled_call_impl = self.torch.nn.Module(), None  # torch.compile(module)
        with self.capture.record(self.path, model=model):
            self.assertTrue(model.before and not model._orig_mod.before)

    def test_a_compiler_that_reads_the_hooks_sees_nothing_in_them(self):
        model, _ = self.parts()
        with self.capture.record(self.path, model=model):
            self.torch.compiling = True
            model(self.torch.Tensor(4))
            self.torch.compiling = False
        self.assertEqual(self.read()["tidemark"]["moments"]["kind"], ["record_begin", "dump"])

    # -- phases and steps -------------------------------------------------------------------------

    def test_passes_without_gradients_are_evaluation_or_inference(self):
        model, optimizer = self.parts()
        for settings, expected in (({"optimizer": optimizer}, "evaluation"), ({}, "inference")):
            with self.capture.record(self.path, model=model, **settings), self.torch.no_grad():
                model(self.torch.Tensor(4))
            known = self.read()["tidemark"]["moments"]
            self.assertEqual(known["name"][known["kind"].index("forward_begin")], expected)

    def test_marks_of_the_program(self):
        with self.capture.record(self.path) as recorder:
            with recorder.phase("evaluation"):
                held = self.torch.Tensor(4)
                recorder.note("output", {"logits": [held]}, "logits")
            recorder.phase("input")
            recorder.step()
            recorder.phase(None)
        known = self.read()["tidemark"]
        marks = list(zip(known["moments"]["kind"], known["moments"]["name"], known["moments"]["step"]))
        self.assertEqual(marks[1:-1], [("phase", "evaluation", 0), ("note", "", 0), ("phase_end", "", 0),
                                       ("phase", "input", 0), ("step", "", 1), ("phase_end", "", 1)])
        self.assertEqual(self.buckets_by_address(self.read())[held._storage.address], ("output", "logits"))

    def test_generation_caches_are_seen(self):
        torch = self.torch
        layer = types.SimpleNamespace(keys=torch.Tensor(8), values=torch.Tensor(9))
        new, old = types.SimpleNamespace(layers=[layer]), types.SimpleNamespace(key_cache=[torch.Tensor(5)], value_cache=[])
        with self.capture.record(self.path, model=(model := torch.nn.Module())), torch.no_grad():
            model(torch.Tensor(4), past_key_values=new)
            model(torch.Tensor(4), past_key_values=old)
        named = self.buckets_by_address(self.read())
        for tensor in (layer.keys, layer.values, old.key_cache[0]):
            self.assertEqual(named[tensor._storage.address][0], "kv_cache")

    def test_a_rollout_between_two_steps_is_inference(self):
        """What scores without a cache is evaluation, in the same run."""
        model, optimizer = self.parts()
        cache = types.SimpleNamespace(layers=[types.SimpleNamespace(keys=self.torch.Tensor(8))])
        for name in ("cache", "past_key_values"):
            with self.capture.record(self.path, model=model, optimizer=optimizer), self.torch.no_grad():
                model(self.torch.Tensor(4), **{name: cache})
                model(self.torch.Tensor(4), **{name: None})
            known = self.read()["tidemark"]["moments"]
            self.assertEqual([n for n in known["name"] if n][:2], ["inference", "evaluation"])
            self.assertEqual(self.buckets_by_address(self.read())[cache.layers[0].keys._storage.address][0], "kv_cache")

    def test_caches_of_other_shapes_are_seen(self):
        torch = self.torch
        cross = types.SimpleNamespace(layers=[types.SimpleNamespace(keys=torch.Tensor(8), values=torch.Tensor(9))])
        both = types.SimpleNamespace(self_attention_cache=None, cross_attention_cache=cross)
        states = types.SimpleNamespace(conv_states=[torch.Tensor(3)], ssm_states={0: torch.Tensor(4)})
        pairs = ((torch.Tensor(5), torch.Tensor(6)),)
        model = torch.nn.Module()
        with self.capture.record(self.path, model=model), torch.no_grad():
            model(torch.Tensor(4), past_key_values=both)
            model(torch.Tensor(4), cache_params=states)
            model(torch.Tensor(4), past_key_values=pairs)
        named = self.buckets_by_address(self.read())
        for tensor in (cross.layers[0].keys, cross.layers[0].values, states.conv_states[0], states.ssm_states[0],
                       *pairs[0]):
            self.assertEqual(named[tensor._storage.address][0], "kv_cache")

    def test_what_a_cache_holds_in_training_is_no_cache(self):
        keys = self.torch.Tensor(8)
        keys.requires_grad = True
        model = self.torch.nn.Module()
        with self.capture.record(self.path, model=model):
            layer = types.SimpleNamespace(keys=keys, values=keys)
            model(self.torch.Tensor(4), past_key_values=types.SimpleNamespace(layers=[layer]))
        self.assertNotIn(keys._storage.address, self.buckets_by_address(self.read()))

    def test_a_backward_inside_backward_is_not_one_more(self):
        model, optimizer = self.parts()
        with self.capture.record(self.path, model=model, optimizer=optimizer):
            loss, inner = model(self.torch.Tensor(4)), model.forward(None)
            back = loss._back
            loss._back = lambda: (inner.backward(), optimizer.step(), back())
            loss.backward()
        kinds = self.read()["tidemark"]["moments"]["kind"]
        self.assertEqual(kinds.count("backward_begin"), 1)
        self.assertEqual(kinds.count("optimizer_begin"), 0)

    # -- ranks, versions --------------------------------------------------------------------------

    def test_a_torch_without_the_newer_parts(self):
        self.load(lacks=["memory._set_memory_metadata", "memory._get_memory_metadata", "memory._annotate_tensor",
                         "cuda.get_per_process_memory_fraction", "_C._cuda_isHistoryEnabled",
                         "optim_module.register_optimizer_step_pre_hook"])
        model, optimizer = self.parts()
        with self.warned():
            with self.capture.record(self.path, model=model, optimizer=optimizer):
                self.train(model, optimizer)
        self.assertEqual(self.read()["tidemark"]["steps"], 2)
        self.assertNotIn("step", vars(optimizer))

    def test_names_and_phases_go_into_the_trace_where_torch_has_the_means(self):
        model, optimizer = self.parts()
        with self.capture.record(self.path, model=model, optimizer=optimizer):
            model(self.torch.Tensor(4))
            self.assertEqual(self.torch.metadata, "tidemark:forward_end:0")
        address = model.weights[0]._storage.address
        self.assertIn((address, "tidemark:parameter layers.0.weight"), self.torch.annotations)

    def test_metadata_of_the_program_is_left_alone(self):
        model, optimizer = self.parts()
        with self.capture.record(self.path, model=model, optimizer=optimizer):
            self.torch.metadata = "mine"
            self.train(model, optimizer)
        self.assertEqual(self.torch.metadata, "mine")

    def test_a_model_can_be_pickled_while_it_is_recorded(self):
        """As torch.save(model) does; where it is read, this module need not be."""
        model, _ = self.parts()
        with self.warned(), self.capture.record(self.path, model=model):
            for hook, with_kwargs in model.before + model.after:
                text = pickle.dumps(hook)
                self.assertNotIn(b"tidemark", text)
                self.assertIs(copy.deepcopy(hook), hook)
                for handed in ((model, ()), (model, (), {}), (model, (), {}, 7)):
                    self.assertIsNone(pickle.loads(text)(*handed))

    def test_tensors_that_hold_others_are_where_those_are(self):
        """As quantised weights and DTensor: their own storage is none, and asking for its address is an error."""
        torch = self.torch

        class Outer(torch.Tensor):
            def __init__(self, **parts):
                super().__init__(8, device=None)
                vars(self).update(parts, is_cuda=True, parts=list(parts))

            def untyped_storage(self):
                raise RuntimeError("Attempted to access the data pointer on an invalid python storage.")

        class Quantised(Outer):
            def __tensor_flatten__(self):
                return self.parts, None

        model, _ = self.parts(weights=3)
        numbers, scale = torch.Tensor(90), torch.Tensor(9)
        model.weights[:2] = Outer(), Quantised(numbers=numbers, inner=Quantised(scale=scale), mesh="a mesh")
        with self.warned(), self.capture.record(self.path, model=model):
            pass
        found = {address: name for address, (_, name) in self.buckets_by_address(self.read()).items()}
        self.assertEqual(found, {
            numbers._storage.address: "layers.1.weight", scale._storage.address: "layers.1.weight",
            model.weights[2]._storage.address: "layers.2.weight", model.running_mean._storage.address: "running_mean"})

    def test_a_device_without_a_number_is_the_current_one(self):
        self.load(devices=2)
        for device, indices in (("cuda", [0]), ("cuda:1", [1]), (1, [1]), (["cuda:0", 1], [0, 1])):
            with self.warned(), self.capture.record(self.path, device=device):
                pass
            self.assertEqual([d["index"] for d in self.read()["tidemark"]["devices"]], indices)

    def test_inputs_in_any_container(self):
        """A dataclass with slots; a mapping that is no dict, as transformers' BatchEncoding."""
        tensors = [self.torch.Tensor(i + 1) for i in range(4)]

        @dataclasses.dataclass
        class Batch:
            __slots__ = ("text", "image")
            text: object
            image: object

        model, _ = self.parts()
        with self.warned(), self.capture.record(self.path, model=model):
            model(Batch(tensors[0], [tensors[1]]), mask=collections.UserDict(a=tensors[2], b=(tensors[3],)))
        found = {address for address, (bucket, _) in self.buckets_by_address(self.read()).items() if bucket == "input"}
        self.assertEqual(found, {t._storage.address for t in tensors})

    def test_names_that_are_no_texts(self):
        """A dictionary of models by number, a layer's number as a note's name, a phase from an enumeration."""
        model, optimizer = self.parts()
        held = self.torch.Tensor(5)
        with self.warned(), self.capture.record(self.path, model={0: model}, optimizer=optimizer) as recorder:
            recorder.note("kv_cache", held, name=7)
            recorder.phase(types.SimpleNamespace(value="warm"))
            self.train(model, optimizer)
        known = self.read()["tidemark"]
        self.assertEqual({type(text) for text in known["things"]["name"] + known["moments"]["name"]}, {str})
        self.assertIn("0.layers.0.weight", known["things"]["name"])
        self.assertIn("7", known["things"]["name"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
