# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""record_messages.py OUT [NAME...]: what programs print on a CUDA device when memory of some kind is out, each in a process of its own.

Leaves messages.json, {name: standard error's end}, and nvidia-smi's tables while programs hold memory."""

import json
import os
import pathlib
import subprocess
import sys
import time

HEAD = "import torch, os\nfree = lambda: torch.cuda.mem_get_info()[0]\n"
FILL = "held = [torch.empty(free() - (400 << 20), dtype=torch.uint8, device='cuda')]\n"
# What takes all that is left without the allocator, so that a library finds nothing.
DRAIN = """
import ctypes
runtime = ctypes.CDLL([l.split()[-1] for l in open('/proc/self/maps') if 'libcudart' in l][0])
torch.cuda.synchronize()
for size in (1 << 30, 1 << 26, 1 << 21):
    pointer = ctypes.c_void_p()
    while runtime.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(size)) == 0: pass
runtime.cudaGetLastError()
"""
PROGRAMS = {
    "plain": ("", "x = torch.empty(10 << 30, device='cuda'); y = torch.empty(20 << 30, device='cuda')"),
    "fraction": ("", "torch.cuda.set_per_process_memory_fraction(0.05); x = [torch.empty(1 << 28, device='cuda') for _ in range(99)]"),
    "expandable": ("expandable_segments:True", "x = [torch.empty(1 << 28, device='cuda') for _ in range(999)]"),
    "async": ("backend:cudaMallocAsync", "x = [torch.empty(1 << 28, device='cuda') for _ in range(999)]"),
    "throw_early": ("throw_on_cudamalloc_oom:True", "torch.cuda.set_per_process_memory_fraction(0.05); x = [torch.empty(1 << 28, device='cuda') for _ in range(99)]"),
    "more_than_an_exabyte": ("", "torch.empty(1 << 61, device='cuda')"),
    "no_cublas": ("", "a = torch.ones(64, 64, device='cuda')\n" + DRAIN + "a @ a"),
    "no_cudnn": ("", "x = torch.ones(8, 64, 64, 64, device='cuda'); c = torch.nn.Conv2d(64, 64, 3).cuda()\n" + DRAIN + "c(x)"),
    "no_kernel": ("", "a = torch.ones(64, device='cuda')\n" + DRAIN + "torch.linalg.svd(torch.ones(64, 64, device='cuda'))"),
    "no_context": ("", "a = torch.ones(64, device='cuda')\n" + DRAIN + "import subprocess, sys\nprint(subprocess.run([sys.executable, '-c', "
                       "\"import torch; torch.ones(1, device='cuda')\"], capture_output=True, text=True).stderr[-1500:], file=sys.stderr)"),
    "no_nccl": ("", "os.environ.update(MASTER_ADDR='127.0.0.1', MASTER_PORT='29517', RANK='0', WORLD_SIZE='1')\na = torch.ones(64, device='cuda')\n" + DRAIN +
                "torch.distributed.init_process_group('nccl'); torch.distributed.all_reduce(a)"),
    "no_nccl_warned": ("", "os.environ.update(NCCL_DEBUG='WARN', MASTER_ADDR='127.0.0.1', MASTER_PORT='29518', RANK='0', WORLD_SIZE='1')\na = torch.ones(64, device='cuda')\n" + DRAIN +
                       "torch.distributed.init_process_group('nccl'); torch.distributed.all_reduce(a)"),
    "graph": ("", "torch.cuda.set_per_process_memory_fraction(0.05)\nx = torch.ones(1 << 26, device='cuda'); g = torch.cuda.CUDAGraph(); kept = []\n"
              "with torch.cuda.graph(g):\n    for _ in range(99): kept.append(x * 2)"),
    "graph_replayed": ("", "torch.cuda.set_per_process_memory_fraction(0.05)\nx = torch.ones(1 << 26, device='cuda'); graphs = []; kept = []\n"
                       "for _ in range(3):\n    g = torch.cuda.CUDAGraph()\n    with torch.cuda.graph(g):\n        kept.append([x * 2 for _ in range(4)])\n    graphs.append(g)\n"
                       "y = [torch.ones(1 << 28, device='cuda') for _ in range(99)]"),
    "pinned": ("", "torch.cuda.init(); x = [torch.empty(32 << 30, dtype=torch.uint8, pin_memory=True) for _ in range(9)]"),
    "host": ("", "torch.empty(1 << 46)"),
    "device_assert": ("", "t = torch.ones(4, 4, device='cuda'); i = torch.tensor([9], device='cuda'); print(t[i].sum().item())"),
    "shared_memory": ("", "import triton, triton.language as tl, tempfile, importlib.util\n"
                      "p = tempfile.mktemp(suffix='.py'); open(p, 'w').write('import triton, triton.language as tl\\n@triton.jit\\ndef k(x, y, N: tl.constexpr):\\n"
                      "    a = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]\\n    m = tl.load(x + a); n = tl.load(y + a)\\n    tl.store(x + a, tl.dot(m, n))\\n')\n"
                      "s = importlib.util.spec_from_file_location('k', p); m = importlib.util.module_from_spec(s); s.loader.exec_module(m)\n"
                      "x = torch.ones(512, 512, device='cuda'); m.k[(1,)](x, x, 512)"),
    "fragmented": ("", "torch.cuda.set_per_process_memory_fraction(0.05)\nx = [torch.empty(30 << 20, dtype=torch.uint8, device='cuda') for _ in range(130)]\ndel x[::2]\n"
                   "y = torch.empty(1 << 30, dtype=torch.uint8, device='cuda')"),
    "jax": ("", "import jax, jax.numpy as n\nn.ones((1 << 36,), n.float32).block_until_ready()"),
    "cupy": ("", "import cupy\ncupy.ones(1 << 36)"),
}


def run(name):
    settings, text = PROGRAMS[name]
    try:
        done = subprocess.run([sys.executable, "-c", HEAD + text], capture_output=True, text=True, timeout=50,
                              env={**os.environ, **({"PYTORCH_CUDA_ALLOC_CONF": settings} if settings else {})})
        return {"status": done.returncode, "stderr": done.stderr[-4000:], "stdout": done.stdout[-2500:]}
    except subprocess.TimeoutExpired as e:
        return {"status": None, "stderr": str(e.stderr)[-3000:]}


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    names = sys.argv[2:]
    answers, tables = {}, {}
    for name in names:
        answers[name] = run(name)
    if names:
        (out / "more_messages.json").write_text(json.dumps(answers, indent=1), encoding="utf-8")
        return
    holder = subprocess.Popen([sys.executable, "-c", HEAD + "import time\nx = torch.empty(60 << 30, dtype=torch.uint8, device='cuda'); print('held', flush=True); time.sleep(200)"],
                              stdout=subprocess.PIPE)
    holder.stdout.readline()
    for arguments in ["", "-q -d MEMORY", "-q -d PIDS", "pmon -c 1 -s m", "dmon -c 1 -s m", "--query-gpu=index,name,memory.total,memory.used,memory.free --format=csv",
                      "--query-compute-apps=pid,process_name,used_memory --format=csv", "-L"]:
        done = subprocess.run(["nvidia-smi", *arguments.split()], capture_output=True, text=True)
        tables[f"nvidia-smi {arguments}".strip()] = done.stdout + done.stderr
    answers["plain_beside_another"] = run("plain")
    holder.kill()
    holder.wait()
    deadline = time.time() + float(os.environ.get("SECONDS_LEFT", 100_000))
    for name in PROGRAMS:
        if time.time() < deadline:
            answers[name] = run(name)
        (out / "messages.json").write_text(json.dumps({"programs": answers, "tables": tables}, indent=1), encoding="utf-8")
    print({n: a["status"] for n, a in answers.items()}, flush=True)


if __name__ == "__main__":
    main()
