# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Programs that know nothing of the module: models and optimizers are found, and the file is left however they end."""

import glob
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import time
import unittest

from capture_case import MODULE_DIR, CaptureCase

HERE = pathlib.Path(__file__).resolve().parent
WHEEL = HERE.parents[1] / "packaging" / "wheel"
TRAIN = """
import sys, torch
def train(steps):
    model = torch.nn.Module()
    optimizer = torch.optim.Optimizer(model.weights)
    for _ in range(steps):
        model(torch.Tensor(16)).backward()
        optimizer.step()
        optimizer.zero_grad()
    return model, optimizer
"""


class FindTest(CaptureCase):
    def names(self, snapshot):
        return {name for bucket, name in self.buckets_by_address(snapshot).values() if bucket == "parameter"}

    def test_a_model_made_later_is_found_with_its_optimizer(self):
        with self.capture.record(self.path, find=True):
            model, optimizer = self.parts()
            self.train(model, optimizer)
        snapshot = self.read()
        self.assertEqual(self.names(snapshot), {"layers.0.weight", "layers.1.weight", "running_mean"})
        self.assertIn("optimizer_state", {b for b, _ in self.buckets_by_address(snapshot).values()})
        self.assertEqual(snapshot["tidemark"]["steps"], 2)
        kinds = snapshot["tidemark"]["moments"]["kind"]
        self.assertEqual(kinds.count("forward_begin"), 2)
        self.assertEqual(kinds.count("forward_end"), 2)

    def test_one_that_was_there_before_is_found(self):
        model, optimizer = self.parts()
        with self.capture.record(self.path, find=True):
            self.train(model, optimizer)
        self.assertEqual(len(self.names(self.read())), 3)

    def test_without_an_optimizer_the_first_call_tells(self):
        with self.capture.record(self.path, find=True):
            model = self.torch.nn.Module()
            with self.torch.no_grad():
                model(self.torch.Tensor(16))
                model(self.torch.Tensor(16))
        self.assertEqual(len(self.names(self.read())), 3)
        self.assertEqual(self.read()["tidemark"]["moments"]["kind"].count("forward_begin"), 2)
        self.assertEqual(self.torch.nn_module.all_before, [])

    def test_what_no_optimizer_trains_beside_what_one_does_is_a_second_model(self):
        frozen = self.torch.nn.Module(size=5000)
        discriminator = self.torch.nn.Module(size=10)
        model = self.torch.nn.Module()
        with self.capture.record(self.path, find=True):
            optimizers = [self.torch.optim.Optimizer(m.weights) for m in (model, discriminator)]
            self.train(model, optimizers[0])
        known = self.read()["tidemark"]["things"]
        roles = {name: role for name, role, bucket in zip(known["name"], known["role"], known["bucket"])
                 if bucket == "parameter"}
        seconds = [name for name, role in roles.items() if role == "second_model"]
        self.assertEqual(len(seconds), len(frozen.weights) + 1)  # and its running mean
        trained = [name for name, role in roles.items() if role == "trainable"]
        self.assertEqual(len(trained), len(model.weights) + len(discriminator.weights))

    def test_a_module_that_is_not_made_yet_does_not_hide_the_others(self):
        """Its __init__ has begun, or is never called, as that of what is made by __new__."""
        model, optimizer = self.parts()
        begun = self.torch.nn.Module.__new__(self.torch.nn.Module)
        with self.warned(), self.capture.record(self.path, find=True):
            self.train(model, optimizer)
        self.assertEqual(len(self.names(self.read())), 3)
        del begun

    def test_nothing_is_kept_alive_and_all_is_put_back(self):
        init = self.torch.optim.Optimizer.__init__
        with self.capture.record(self.path, find=True):
            self.assertIsNot(self.torch.optim.Optimizer.__init__, init)
            model, optimizer = self.parts()
            self.train(model, optimizer)
            del model, optimizer
            self.assertEqual(self.capture._alive(), ([], []))
        self.assertIs(self.torch.optim.Optimizer.__init__, init)
        self.assertEqual(self.torch.nn_module.all_before, [])

    def test_many_optimizers_of_one_model_cost_one_look(self):
        alive, looks = self.capture._alive, []
        self.capture._alive = lambda: looks.append(0) or alive()
        try:
            with self.capture.record(self.path, find=True):
                model = self.torch.nn.Module(weights=50)
                before = len(looks)
                optimizers = [self.torch.optim.Optimizer([w]) for w in model.weights]
                self.assertEqual(len(looks) - before, 1)
                self.train(model, optimizers[0])
        finally:
            self.capture._alive = alive
        self.assertEqual(len(self.names(self.read())), 51)

    def test_passes_begin_at_the_parts_of_a_model_that_is_not_called(self):
        nn = self.torch.nn

        class Outer(nn.Module):
            def __init__(self):
                super().__init__(weights=1)
                self._modules = {"inner": nn.Module()}

            def named_parameters(self):
                return ((f"inner.{name}", p) for name, p in self._modules["inner"].named_parameters())

            def children(self):
                return iter(self._modules.values())

            def modules(self):
                return iter([self, *self.children()])

        with self.capture.record(self.path, find=True):
            outer, metric = Outer(), type("Metric", (nn.Module,), {"forward": lambda self, batch: batch})(weights=0)
            inner = outer._modules["inner"]
            optimizer = self.torch.optim.Optimizer(inner.weights)
            metric(self.torch.Tensor(16))
            self.train(inner, optimizer)
        moments = self.read()["tidemark"]["moments"]["kind"]
        self.assertEqual((moments.count("forward_begin"), moments.count("forward_end")), (2, 2))
        self.assertIn("inner.layers.0.weight", self.names(self.read()))

    def test_settings_of_a_text(self):
        settings = self.capture.settings_of("steps=10,12 stacks=all at_memory=0.9 clear=True on_file=/tmp/a")
        self.assertEqual(settings, {"steps": (10, 12), "stacks": "all", "at_memory": 0.9, "clear": True,
                                    "on_file": "/tmp/a"})
        self.assertEqual(self.capture.settings_of(shlex.join(["on_file=/tmp/my dump", "steps=(10, 12)"])),
                         {"on_file": "/tmp/my dump", "steps": (10, 12)})
        for wrong in ("stakcs=all", "stacks=all trace", "on_file='/tmp/a", "steps", "self=1", "path=x", "steps=10", "steps=10,", "steps=a,b"):
            with self.assertRaises(ValueError, msg=wrong):
                self.capture.settings_of(wrong)


class LaunchTest(CaptureCase):
    def run_program(self, text, how, env=(), arguments=(), wait=True, options=(), before=""):
        script = os.path.join(self.folder.name, "train.py")
        pathlib.Path(script).write_text(before + TRAIN + text, encoding="utf-8")
        module = [sys.executable, "-B", "-m", "tidemark_capture", "-o", self.path, *options]
        command = {"module": [*module, script, *arguments],
                   "as module": [*module, "-m", "train", *arguments],
                   "run": [sys.executable, "-B", "-m", "tidemark_run", "-o", self.path, *options, script, *arguments],
                   "environment": [sys.executable, "-B", script, *arguments]}[how]
        # site-packages of a Python that has the wheel: the .pth is read from there alone, so what it says is done here.
        start = os.path.join(self.folder.name, "site")
        os.makedirs(start, exist_ok=True)
        pth = (WHEEL / "start" / "tidemark_start.pth").read_text(encoding="utf-8")
        pathlib.Path(start, "sitecustomize.py").write_text(pth, encoding="utf-8")
        paths = [start, str(WHEEL / "start"), MODULE_DIR, str(HERE), str(HERE / "stand_in_torch"),
                 self.folder.name]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **dict(env)}
        if how == "environment":
            environment["TIDEMARK_CAPTURE"] = self.path
        child = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 cwd=self.folder.name)
        if not wait:
            return child
        out, err = child.communicate(timeout=60)
        return child.returncode, out, err

    def test_every_way_to_start_a_program(self):
        for how in ("module", "as module", "run", "environment"):
            code, out, err = self.run_program("kept = train(int(sys.argv[1])); print(sys.argv[1:], __name__)", how,
                                              arguments=["2", "--lr=3"])
            self.assertEqual((code, out), (0, "['2', '--lr=3'] __main__\n"), f"{how}: {err}")
            known = self.read()["tidemark"]
            self.assertEqual((known["steps"], known["reason"], known["error"]), (2, "exit", None), how)
            self.assertIn("parameter", known["things"]["bucket"], how)
            os.unlink(self.path)

    def test_a_program_that_asks_for_torch_before_it_imports_it_is_recorded(self):
        """As transformers, accelerate and others do when they are imported."""
        code, _, err = self.run_program("kept = train(1)", "environment",
                                        before="import importlib.util\nassert importlib.util.find_spec('torch')\n")
        self.assertEqual(code, 0, err)
        self.assertEqual(self.read()["tidemark"]["steps"], 1)

    def test_the_command_may_come_after_two_dashes(self):
        for how in ("module", "run"):
            code, out, err = self.run_program("kept = train(1); print(sys.argv[1:])", how, options=["--"], arguments=["--", "-x"])
            self.assertEqual((code, out), (0, "['--', '-x']\n"), f"{how}: {err}")

    def test_a_program_that_is_a_link_finds_what_is_beside_it(self):
        """As Python itself looks beside what a link leads to."""
        self.run_program("", "environment")
        pathlib.Path(self.folder.name, "beside.py").write_text("print('found')", encoding="utf-8")
        pathlib.Path(self.folder.name, "train.py").write_text("import beside", encoding="utf-8")
        link = os.path.join(self.folder.name, "site", "link.py")
        os.symlink(os.path.join(self.folder.name, "train.py"), link)
        paths = os.pathsep.join([MODULE_DIR, str(HERE), str(HERE / "stand_in_torch")])
        done = subprocess.run([sys.executable, "-B", "-m", "tidemark_capture", "-o", self.path, link], capture_output=True,
                              text=True, timeout=60, env={**os.environ, "PYTHONPATH": paths}, cwd="/")
        self.assertEqual(done.stdout, "found\n", done.stderr)

    def test_signals_reach_the_program(self):
        """Slurm and others tell a job with SIGUSR1 or SIGUSR2 that its time is up."""
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGTERM):
            text = (f"import signal, time\nsignal.signal({int(number)}, lambda *_: sys.exit(7))\n"
                    "print('ready', flush=True)\nfor _ in range(50): time.sleep(0.1)\n")
            child = self.run_program(text, "run", wait=False)
            self.assertEqual(child.stdout.readline(), "ready\n")
            child.send_signal(number)
            _, err = child.communicate(timeout=60)
            self.assertEqual(child.returncode, 7, err)

    def test_a_setting_may_have_blanks(self):
        for how in ("module", "run"):
            code, _, err = self.run_program("kept = train(3)", how, options=["--set", "steps=(1, 2)", "--set", "stacks=all"])
            self.assertEqual(code, 0, err)
            settings = self.read()["tidemark"]["settings"]
            self.assertEqual((settings["steps"], settings["stacks"]), ("1 to 2", "all"), how)
            os.unlink(self.path)

    def test_a_program_that_dies_leaves_its_error(self):
        text = "kept = train(1)\ntorch.allocators[0].limit = 9000\nheld = []\nwhile True: held.append(torch.Tensor(1000))"
        for how in ("module", "run", "environment"):
            code, _, err = self.run_program(text, how)
            self.assertEqual(code, 1, err)
            self.assertIn("OutOfMemoryError", err)
            self.assertEqual(self.read()["tidemark"]["error"]["type"], "OutOfMemoryError", how)
            self.assertEqual(self.read("run.oom.pickle")["tidemark"]["reason"], "oom", how)
            for name in glob.glob(os.path.join(self.folder.name, "*.pickle")):
                os.unlink(name)

    def test_an_error_that_a_library_catches_is_dumped(self):
        text = ("kept = train(1)\ntorch.allocators[0].limit = 9000\nheld = []\n"
                "try:\n    while True: held.append(torch.Tensor(1000))\nexcept RuntimeError: held.clear()\n")
        code, _, err = self.run_program(text, "environment")
        self.assertEqual(code, 0, err)
        self.assertEqual(self.read("run.oom.pickle")["tidemark"]["reason"], "oom")
        self.assertIsNone(self.read()["tidemark"]["error"])

    def test_a_rank_that_the_launcher_ends_leaves_a_file(self):
        text = "kept = train(2)\nprint('ready', flush=True)\nimport time\nwhile True: time.sleep(60)"
        child = self.run_program(text, "environment", {"RANK": "1", "WORLD_SIZE": "4"}, wait=False)
        self.assertEqual(child.stdout.readline(), "ready\n")
        child.send_signal(signal.SIGTERM)
        _, err = child.communicate(timeout=60)
        self.assertEqual(child.returncode, -signal.SIGTERM, err)
        self.assertEqual(self.read("run.rank1-of-4.pickle")["tidemark"]["reason"], "terminated")

    def test_a_server_whose_event_loop_handles_other_signals_can_be_ended(self):
        """It takes Python's wakeup descriptor for itself, and leaves none when it removes its handlers."""
        handle = "asyncio.get_running_loop().add_signal_handler(signal.SIGINT, print)"
        for more in ("", "; asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)"):
            text = (f"kept = train(2)\nimport asyncio, signal\nasync def serve():\n    {handle}{more}\n"
                    "    print('ready', flush=True)\n    await asyncio.sleep(10)\nasyncio.run(serve())\n")
            child = self.run_program(text, "environment", wait=False)
            self.assertEqual(child.stdout.readline(), "ready\n")
            child.send_signal(signal.SIGTERM)
            _, err = child.communicate(timeout=60)
            self.assertEqual(child.returncode, -signal.SIGTERM, err)
            self.assertEqual(self.read()["tidemark"]["reason"], "terminated")

    def test_a_handler_of_the_program_is_left_alone(self):
        text = ("kept = train(1)\nimport signal, time\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\n"
                "print('ready', flush=True)\nwhile True: time.sleep(60)")
        child = self.run_program(text, "environment", wait=False)
        self.assertEqual(child.stdout.readline(), "ready\n")
        child.send_signal(signal.SIGTERM)
        _, err = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 7, err)
        self.assertEqual(self.read()["tidemark"]["reason"], "exit")

    def test_a_forked_child_can_be_ended_and_its_parent_goes_on(self):
        text = ("kept = train(1)\nimport os, signal, time\nchild = os.fork()\n"
                "if child == 0:\n    time.sleep(60)\n    os._exit(3)\n"
                "time.sleep(0.2)\nos.kill(child, signal.SIGTERM)\n"
                "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\ntime.sleep(0.3)\nkept[0](torch.Tensor(16))")
        code, out, err = self.run_program(text, "environment")
        self.assertEqual((code, out), (0, "-15\n"), err)
        self.assertEqual(self.read()["tidemark"]["reason"], "exit")

    def test_workers_without_ranks_write_files_of_their_own(self):
        text = ("import multiprocessing\n"
                "if __name__ == '__main__':\n"
                "    multiprocessing.set_start_method(sys.argv[1])\n"
                "    workers = [multiprocessing.Process(target=train, args=(steps,)) for steps in (1, 'no number')]\n"
                "    [w.start() for w in workers]; [w.join() for w in workers]\n")
        for method in ("spawn", "fork", "forkserver"):
            code, _, err = self.run_program(text, "environment", arguments=[method])
            self.assertEqual(code, 0, err)
            names = [n for n in self.files() if n.endswith(".pickle")]
            self.assertEqual(len(names), 2, (method, names))
            errors = []
            for name in names:
                self.assertRegex(name, r"run\.pid\d+\.pickle")
                errors.append((self.read(name)["tidemark"]["error"] or {}).get("type"))
                os.unlink(os.path.join(self.folder.name, name))
            # From Python 3.13 on it keeps a worker's error nowhere.
            self.assertEqual(set(errors), {None, "TypeError"} if sys.version_info < (3, 13) else {None}, method)

    def test_programs_of_one_command_do_not_replace_each_others_files(self):
        """As a script that trains and then evaluates, or an engine that starts its workers as programs."""
        text = ("import subprocess\nkept = train(1)\n"
                "if len(sys.argv) == 1: [subprocess.run([sys.executable, '-B', __file__, 'again'], check=True) for _ in '12']")
        for _ in range(2):  # a later run replaces what an earlier one wrote
            code, _, err = self.run_program(text, "run")
            self.assertEqual(code, 0, err)
            names = [n for n in self.files() if n.endswith(".pickle")]
            self.assertIn("tidemark-run: open ", err)
            self.assertIn(" and 2 more", err)
            self.assertIn("run.pickle", names)
            time.sleep(1.1)
        self.assertEqual(len(names), 5, names)

    def test_settings_of_the_environment_and_of_the_command_go_together(self):
        code, _, err = self.run_program("kept = train(3)", "run", {"TIDEMARK_CAPTURE_SETTINGS": "steps=1,2 stacks=all"},
                                        options=["--set", "steps=(2, 3)"])
        self.assertEqual(code, 0, err)
        settings = self.read()["tidemark"]["settings"]
        self.assertEqual((settings["steps"], settings["stacks"]), ("2 to 3", "all"))

    def test_a_wheel_that_is_there_twice_records_once(self):
        """The .pth of each place is read."""
        text = "kept = train(1)\nimport tidemark_capture\nprint(len(tidemark_capture._active))"
        code, out, err = self.run_program(text, "environment", before="import tidemark_start; tidemark_start.begin()\n")
        self.assertEqual((code, out), (0, "1\n"), err)

    def test_what_is_wrong_is_said_and_the_program_runs(self):
        code, out, err = self.run_program("print('ran')", "environment", {"TIDEMARK_CAPTURE_SETTINGS": "stakcs=all"})
        self.assertEqual((code, out), (0, "ran\n"))
        self.assertIn("nothing is recorded ('stakcs=all' is no setting", err)
        code, _, err = self.run_program("", "run")
        self.assertEqual(code, 0)
        self.assertIn("no snapshot was written", err)

    def test_a_program_without_torch_is_not_touched(self):
        script = os.path.join(self.folder.name, "plain.py")
        pathlib.Path(script).write_text("import sys; print('torch' in sys.modules, 'tidemark_capture' in sys.modules)")
        self.run_program("", "environment")  # writes sitecustomize
        paths = [os.path.join(self.folder.name, "site"), str(WHEEL / "start"), MODULE_DIR]
        done = subprocess.run([sys.executable, "-B", script], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TIDEMARK_CAPTURE": self.path})
        self.assertEqual(done.stdout, "False False\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
