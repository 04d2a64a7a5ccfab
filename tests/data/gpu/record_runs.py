#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Records real training runs on one CUDA device, each with the truth beside it. Written for torch 2.11 with transformers, torchvision and peft;
a scene whose library is missing is skipped with a word.

usage: record_runs.py OUT_DIR [scene ...]      (no scene: all; --list names them)

Each scene leaves NAME.pickle.xz and NAME.truth.json (the fields of ../../README.md, and `stats`: what torch itself counted).
How the truth is made: at chosen moments the script knows the addresses of parameters, gradients, optimizer state, inputs, caches. It ties such a moment
to the trace by a marker: a tensor of a size that nothing else has, allocated and freed at once. Marker events stay in the trace (label `temporary`).
Bucket rules: as in DESIGN.md, section 3; what forward made and is alive when backward begins is `activation`; all else unmarked is `temporary`."""
import contextlib, gc, json, lzma, os, pickle, sys
import torch, torch.nn as nn, torch.nn.functional as F

DEV = "cuda"
MARK = 700_001                     # bytes; marker k has size MARK + k: odd sizes under 1 MiB that no tensor of a model has
RANK = {"workspace": 10, "parameter": 9, "optimizer_state": 8, "gradient": 7, "input": 6, "kv_cache": 6, "output": 5, "activation": 4}
MAX_ENTRIES = 200_000

class Truth:
    """Collects marks while a scene runs, and labels the trace afterwards."""
    def __init__(self):
        self.marks, self.steps, self.oom_snapshot, self.oom_message, self.workspaces, self.last = [], 0, None, None, set(), {}
    def _mark(self, kind, addresses=()):
        torch.empty(MARK + len(self.marks), dtype=torch.uint8, device=DEV)
        self.marks.append((kind, [(int(a), b) for a, b in addresses]))
    @staticmethod
    def _addresses(tensors, bucket):
        return [(t.untyped_storage().data_ptr(), bucket) for t in tensors if torch.is_tensor(t) and t.is_cuda and t.untyped_storage().nbytes()]
    def phase(self, name): self._mark("phase:" + name)
    def tensors(self, bucket, tensors): self._mark("label", self._addresses(tensors, bucket))
    def model(self, m): self.tensors("parameter", [*m.parameters(), *m.buffers()])
    def gradients(self, m): self.tensors("gradient", [p.grad for p in m.parameters() if p.grad is not None])
    def state(self, opt): self.tensors("optimizer_state", [v for s in opt.state.values() for v in s.values()])
    def state_at_failure(self, opt):
        """What a step that failed had made: no mark can follow it, so it is what lives at its addresses in the end."""
        self.last = {a: b for a, b in self._addresses([v for s in opt.state.values() for v in s.values()], "optimizer_state")}
    def backward_begins(self): self._mark("backward")
    def forward_failed(self): self._mark("backward")

    def find_workspaces(self):
        """What cuBLAS keeps is what goes when torch gives its workspaces up; called once the snapshot is taken."""
        held = lambda: {b["address"] for g in torch.cuda.memory_snapshot() for b in g["blocks"] if b["state"] == "active_allocated"}
        before = held(); torch._C._cuda_clearCublasWorkspaces(); self.workspaces = before - held()

    def label(self, snap):
        """Returns the truth of one snapshot: the same fields as the modelled runs."""
        trace = snap["device_traces"][0]
        bucket, made_in, live, of_event = {}, {}, {}, {}
        phase, phases, next_id, expected = "setup", [[0, "setup"]], 0, 0
        unborn = {}                                             # address -> id of what lived before the trace
        def ident(addr):
            if addr in live: return live[addr]
            return unborn.setdefault(addr, ("before", addr))
        for i, e in enumerate(trace):
            a = e["action"]
            if a == "alloc":
                live[e["addr"]] = next_id; of_event[i] = next_id; made_in[next_id] = phase; next_id += 1
                k = e["size"] - MARK
                if 0 <= k < len(self.marks) and k >= expected:
                    expected = k + 1
                    kind, addresses = self.marks[k]
                    if kind.startswith("phase:"):
                        phase = kind[6:]; phases.append([i, phase])
                    elif kind == "backward":
                        for t in list(live.values()):
                            if made_in.get(t) == "forward" and t not in bucket and t != of_event[i]: bucket[t] = "activation"
                        phase = "backward"; phases.append([i, phase])
                    for addr, b in addresses:
                        t = ident(addr)
                        if RANK[b] > RANK.get(bucket.get(t), 0): bucket[t] = b
            elif a == "free_completed":
                of_event[i] = live.pop(e["addr"], None) if e["addr"] in live else unborn.pop(e["addr"], ("before", e["addr"]))
            elif a == "oom" and phase == "forward":
                for t in list(live.values()):
                    if made_in.get(t) == "forward" and t not in bucket: bucket[t] = "activation"
        for addr in self.last.keys() & live.keys(): bucket.setdefault(live[addr], self.last[addr])
        for addr in self.workspaces & live.keys(): bucket[live[addr]] = "workspace"
        for i, e in enumerate(trace):                            # what a library asks for and gives back, where C++ frames tell
            if e["action"] == "alloc" and of_event[i] not in bucket and any("Workspace" in f["name"] for f in e.get("frames", [])): bucket[of_event[i]] = "workspace"
        name = lambda t: bucket.get(t, "temporary")
        active = {b["address"]: b["requested_size"] for g in snap["segments"] if g["device"] == 0 for b in g["blocks"] if b["state"] != "inactive"}
        end = sum(active.values()); now, series = end, [end]
        for e in reversed(trace):
            now -= e["size"] if e["action"] == "alloc" else -e["size"] if e["action"] == "free_completed" else 0
            series.append(now)
        series.reverse(); peak = max(series)
        ooms = [i for i, e in enumerate(trace) if e["action"] == "oom"]
        return {"alloc_labels": [[i, name(t)] for i, t in of_event.items() if trace[i]["action"] == "alloc"],
                "free_labels": [[i, name(t)] for i, t in of_event.items() if trace[i]["action"] == "free_completed" and isinstance(t, tuple)],
                "live_labels": {str(a): name(live[a] if a in live else ("before", a)) for a in active},
                "phases": phases, "steps": self.steps, "cut": 0, "requested_start": series[0], "requested_peak": peak, "peak_event": series.index(peak) - 1, "requested_end": end,
                "oom": {"index": ooms[-1], "requested": trace[ooms[-1]]["size"], "device_free": trace[ooms[-1]].get("device_free"), "message": self.oom_message} if ooms else None,
                "marks_found": expected, "marks_made": len(self.marks)}

@contextlib.contextmanager
def capacity(gib):
    """Pretends the card is smaller, so that a run dies soon."""
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(min(1.0, gib * 2**30 / total))
    try: yield
    finally: torch.cuda.set_per_process_memory_fraction(1.0)

def steps(T, model, opt, batch, loss_of, n=3, micro=1, set_to_none=True, autocast=None):
    T.model(model)
    for _ in range(n):
        for _ in range(micro):
            T.phase("input"); b = batch(); T.tensors("input", b if isinstance(b, (list, tuple)) else b.values())
            T.phase("forward")
            with torch.autocast(DEV, torch.bfloat16) if autocast else contextlib.nullcontext(): loss = loss_of(model, b)
            T.backward_begins(); loss.backward(); T.gradients(model); del loss, b
        T.phase("optimizer"); T.steps += 1; T.gradients(model); opt.step(); T.state(opt); opt.zero_grad(set_to_none=set_to_none)
    T.phase("other")

def llama(layers=4, hidden=512, vocab=8192, **kw):
    from transformers import LlamaConfig, LlamaForCausalLM
    return LlamaForCausalLM(LlamaConfig(hidden_size=hidden, intermediate_size=hidden * 11 // 4, num_hidden_layers=layers, num_attention_heads=8, num_key_value_heads=4, vocab_size=vocab, max_position_embeddings=4096, use_cache=False, **kw)).to(DEV)
def tokens(B, S, vocab=8192):
    return lambda: (lambda x: {"input_ids": x, "labels": x.clone()})(torch.randint(vocab, (B, S), device=DEV))
lm_loss = lambda m, b: m(**b).loss

def llama_adamw(T, **k): m = llama(); steps(T, m, torch.optim.AdamW(m.parameters()), tokens(8, 512), lm_loss, **k)
def llama_autocast(T): llama_adamw(T, autocast=True)
def llama_accumulate(T): llama_adamw(T, micro=4, n=2)
def llama_keep_grads(T): llama_adamw(T, set_to_none=False)
def llama_pure_bf16(T): m = llama().bfloat16(); steps(T, m, torch.optim.AdamW(m.parameters(), fused=True), tokens(8, 512), lm_loss)
def llama_checkpointing(T): m = llama(layers=8); m.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False}); m.train(); steps(T, m, torch.optim.AdamW(m.parameters()), tokens(8, 512), lm_loss)
def llama_eager_attention(T): m = llama(attn_implementation="eager"); steps(T, m, torch.optim.AdamW(m.parameters()), tokens(4, 1024), lm_loss)
def llama_sgd(T): m = llama(); steps(T, m, torch.optim.SGD(m.parameters(), .1, momentum=.9), tokens(8, 512), lm_loss)
def llama_compiled(T): m = llama(); c = torch.compile(m); steps(T, m, torch.optim.AdamW(m.parameters()), tokens(8, 512), lambda _, b: c(**b).loss)
def llama_lora(T):
    from peft import LoraConfig, get_peft_model
    m = get_peft_model(llama(layers=6), LoraConfig(r=16, target_modules="all-linear")); steps(T, m, torch.optim.AdamW([p for p in m.parameters() if p.requires_grad]), tokens(8, 512), lm_loss)
def resnet_train_eval(T):
    from torchvision.models import resnet50
    m = resnet50().to(DEV); ce = nn.CrossEntropyLoss()
    steps(T, m, torch.optim.SGD(m.parameters(), .1, momentum=.9), lambda: [torch.randn(32, 3, 160, 160, device=DEV), torch.randint(1000, (32,), device=DEV)], lambda m, b: ce(m(b[0]), b[1]))
    T.phase("evaluation"); m.eval()
    with torch.no_grad():
        for _ in range(3): x = torch.randn(64, 3, 160, 160, device=DEV); T.tensors("input", [x]); m(x)
def generate(T):
    m = llama(layers=8).eval(); m.config.use_cache = True; T.model(m); T.phase("inference")
    with torch.no_grad():
        ids = torch.randint(8192, (32, 64), device=DEV); T.tensors("input", [ids]); past = None; x = ids
        for _ in range(96):
            o = m(input_ids=x, past_key_values=past, use_cache=True); past = o.past_key_values; x = o.logits[:, -1:].argmax(-1)
            T.tensors("output", [o.logits]); T.tensors("kv_cache", [t for l in getattr(past, "layers", []) for t in (l.keys, l.values)])
def keep_eval_outputs(T):
    m = llama(vocab=32000); steps(T, m, torch.optim.AdamW(m.parameters()), tokens(4, 256, 32000), lm_loss, n=2); T.phase("evaluation"); m.eval(); kept = []
    with torch.no_grad():
        for _ in range(400): o = m(torch.randint(32000, (4, 256), device=DEV)).logits; kept.append(o); T.tensors("output", [o])
def leak(T):
    m = llama(); opt = torch.optim.AdamW(m.parameters()); T.model(m); losses = []
    for _ in range(200):
        T.phase("input"); b = tokens(4, 256)(); T.tensors("input", b.values()); T.phase("forward"); loss = m(**b).loss; T.backward_begins(); loss.backward(retain_graph=True); T.gradients(m)
        T.phase("optimizer"); T.steps += 1; opt.step(); T.state(opt); opt.zero_grad(); losses.append(loss)
def growing_batches(T):
    m = llama(); opt = torch.optim.AdamW(m.parameters()); T.model(m); lengths = iter([200, 256, 180, 300, 220, 2600])
    steps(T, m, opt, lambda: tokens(8, next(lengths))(), lm_loss, n=6)
def fragmentation(T):
    import random
    rng, keep = random.Random(1), []; T.phase("other")
    for i in range(4000):
        keep.append(torch.empty(rng.randrange(2 << 20, 12 << 20), dtype=torch.uint8, device=DEV)); T.tensors("output", keep[-1:])
        if len(keep) > 60: keep.pop(rng.randrange(len(keep)))
        if i % 5 == 0: big = torch.empty(int((20 << 20) * (1 + i / 100)), dtype=torch.uint8, device=DEV); del big

# name: (scene, pretended capacity in GiB or None, stacks, accepted causes)
SCENES = {
 "llama_adamw": (llama_adamw, None, "python", ["none"]), "llama_adamw_all_stacks": (llama_adamw, None, "all", ["none"]), "llama_autocast": (llama_autocast, None, "python", ["none"]),
 "llama_accumulate": (llama_accumulate, None, "python", ["none"]), "llama_keep_grads": (llama_keep_grads, None, "python", ["none"]), "llama_pure_bf16": (llama_pure_bf16, None, "python", ["none"]),
 "llama_checkpointing": (llama_checkpointing, None, "python", ["none"]), "llama_eager_attention": (llama_eager_attention, None, "all", ["none"]), "llama_sgd": (llama_sgd, None, "python", ["none"]),
 "llama_compiled": (llama_compiled, None, "python", ["none"]), "llama_lora": (llama_lora, None, "python", ["none"]), "resnet_train_eval": (resnet_train_eval, None, "all", ["none"]), "generate": (generate, None, "python", ["none"]),
 "oom_activations": (llama_adamw, 1.4, "python", ["activations", "logits", "memory-fraction"]), "oom_keep_eval_outputs": (keep_eval_outputs, 6.0, "python", ["evaluation-accumulation"]), "oom_leak": (leak, 8.0, "python", ["leak"]),
 "oom_longest_batch": (growing_batches, 6.0, "python", ["longest-batch"]), "oom_fragmentation": (fragmentation, 1.1, "python", ["fragmentation"]),
}
def run(name, out):
    scene, gib, stacks, causes = SCENES[name]
    gc.collect(); torch.cuda.empty_cache(); torch.manual_seed(0); torch.cuda.reset_peak_memory_stats()
    T = Truth()
    def observer(device, alloc, device_alloc, device_free):
        with contextlib.suppress(Exception): T.oom_snapshot = torch.cuda.memory._snapshot()
    torch._C._cuda_attach_out_of_memory_observer(observer)
    torch.cuda.memory._record_memory_history(max_entries=MAX_ENTRIES, stacks=stacks)
    error = None
    try:
        with capacity(gib) if gib else contextlib.nullcontext(): scene(T)
    except torch.OutOfMemoryError as e: error = T.oom_message = str(e)
    stats = {k: v for k, v in torch.cuda.memory_stats().items() if k.split(".")[0] in ("requested_bytes", "allocated_bytes", "active_bytes", "reserved_bytes", "num_ooms", "num_alloc_retries")}
    snap = T.oom_snapshot if error and T.oom_snapshot else torch.cuda.memory._snapshot()
    torch.cuda.memory._record_memory_history(enabled=None)
    T.find_workspaces(); truth = T.label(snap)
    truth.update(scene=name, accepted_causes=causes, error=error, capacity=int(gib * 2**30) if gib else None, stats=stats, stacks=stacks, torch=torch.__version__, device=torch.cuda.get_device_name(0), total_memory=torch.cuda.get_device_properties(0).total_memory)
    with lzma.open(f"{out}/{name}.pickle.xz", "wb") as f: pickle.dump(snap, f)
    with open(f"{out}/{name}.truth.json", "w") as f: json.dump(truth, f, separators=(",", ":"))
    print(f"{name:26} events {len(snap['device_traces'][0]):7} marks {truth['marks_found']}/{truth['marks_made']} peak {truth['requested_peak']/2**30:6.2f} GiB (torch {stats.get('requested_bytes.all.peak', 0)/2**30:6.2f}) "
          f"{os.path.getsize(out + '/' + name + '.pickle.xz') >> 10} KiB oom {bool(truth['oom'])} {error and error[:80]}", flush=True)
def main():
    if "--list" in sys.argv: print("\n".join(SCENES)); return
    out, names = sys.argv[1], sys.argv[2:] or list(SCENES); os.makedirs(out, exist_ok=True)
    for n in names:
        try: run(n, out)
        except Exception as e: print(f"{n}: skipped, {type(e).__name__}: {str(e)[:200]}", flush=True)
        finally: torch._C._cuda_clearCublasWorkspaces() if hasattr(torch._C, "_cuda_clearCublasWorkspaces") else None
if __name__ == "__main__": main()
