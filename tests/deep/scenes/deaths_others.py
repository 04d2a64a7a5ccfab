# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""More programs that run out of memory, of other families and habits than those of deaths.py and deaths_kept.py: one for
every cause that a run on one device can have. DEATHS is as there."""

import torch
import torch.nn.functional as F
from torch import nn


class Mixer(nn.Module):
    """Tokens mixed by a matrix, no attention."""

    def __init__(self, patches=64, wide=256, deep=6, classes=10):
        super().__init__()
        self.stem = nn.Linear(48, wide)
        self.across = nn.ParameterList(nn.Parameter(torch.randn(patches, patches) / patches) for _ in range(deep))
        self.along = nn.ModuleList(nn.Sequential(nn.LayerNorm(wide), nn.Linear(wide, 4 * wide), nn.GELU(),
                                                 nn.Linear(4 * wide, wide)) for _ in range(deep))
        self.top = nn.Linear(wide, classes)

    def forward(self, patches):
        h = self.stem(patches)
        for mix, block in zip(self.across, self.along):
            h = h + torch.einsum("pq,bqc->bpc", mix, h)
            h = h + block(h)
        return self.top(h.mean(1))


class Field(nn.Module):
    """A scene as a function of points, as radiance fields are."""

    def __init__(self, wide=256, deep=8):
        super().__init__()
        self.levels = 6
        sizes = [3 + 6 * self.levels] + [wide] * deep
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.density, self.colour = nn.Linear(wide, 1), nn.Linear(wide, 3)

    def encode(self, points):
        waves = [points]
        for i in range(self.levels):
            waves += [torch.sin(points * 2 ** i), torch.cos(points * 2 ** i)]
        return torch.cat(waves, -1)

    def forward(self, points):
        h = self.encode(points)
        for layer in self.layers:
            h = torch.relu(layer(h))
        return self.density(h), self.colour(h).sigmoid()


class Experts(nn.Module):
    def __init__(self, wide=512, experts=16):
        super().__init__()
        self.gate = nn.Linear(wide, experts)
        self.w_in = nn.Parameter(torch.randn(experts, wide, 2 * wide) * 0.02)
        self.w_out = nn.Parameter(torch.randn(experts, 2 * wide, wide) * 0.02)

    def forward(self, tokens):
        chosen = self.gate(tokens).argmax(-1)
        out = torch.zeros_like(tokens)
        for e in range(self.w_in.shape[0]):
            rows = (chosen == e).nonzero().squeeze(1)
            out = out.index_add(0, rows, F.silu(tokens[rows] @ self.w_in[e]) @ self.w_out[e])
        return out + tokens


def restore_into_existing(rec):
    """The file's tensors lie on the card beside those they are copied into."""
    net = Mixer(wide=512, deep=8)
    stored = {name: torch.empty_like(tensor) for name, tensor in net.state_dict().items()}
    moments = {name: (torch.empty_like(t), torch.empty_like(t)) for name, t in stored.items()}
    net.load_state_dict(stored)
    return moments


def experts_and_their_moments(rec):
    stack = nn.Sequential(*(Experts(experts=8) for _ in range(2)))
    opt = torch.optim.RAdam(stack.parameters(), lr=1e-3, foreach=False)
    for _ in range(3):
        batch = torch.randn(64, 512)
        stack(batch).square().mean().backward()
        opt.step()
        opt.zero_grad(set_to_none=True)


class Shampooed(torch.optim.Optimizer):
    """Keeps a square matrix per side of every weight."""

    def __init__(self, params, lr=1e-3):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.dim() != 2:
                    p.add_(p.grad, alpha=-group["lr"])
                    continue
                slots = self.state[p]
                if not slots:
                    slots["left"] = torch.eye(p.shape[0])
                    slots["right"] = torch.eye(p.shape[1])
                slots["left"].addmm_(p.grad, p.grad.t(), beta=0.9)
                slots["right"].addmm_(p.grad.t(), p.grad, beta=0.9)
                p.add_(slots["left"] @ p.grad @ slots["right"], alpha=-group["lr"] * 1e-6)


def second_order_state(rec):
    net = nn.Sequential(*(layer for _ in range(6) for layer in (nn.Linear(768, 768), nn.Tanh())))
    opt = Shampooed(net.parameters())
    for _ in range(2):
        net(torch.randn(32, 768)).square().mean().backward()
        opt.step()
        opt.zero_grad(set_to_none=True)


def updates_by_hand(rec):
    """Gradients as a tuple, updates by hand, no optimizer at all."""
    weights = [torch.randn(1024, 1024, requires_grad=True) for _ in range(20)]
    for _ in range(2):
        h = torch.randn(8, 1024)
        for w in weights:
            h = torch.tanh(h @ w / 32)
        grads = torch.autograd.grad(h.square().sum(), weights)
        with torch.no_grad():
            for w, g in zip(weights, grads):
                w -= 0.01 * g
        del grads, h


def rays_of_a_picture(rec):
    field = Field()
    opt = torch.optim.Adam(field.parameters(), lr=5e-4, foreach=False)
    for _ in range(2):
        points = torch.rand(24576, 3)
        sigma, rgb = field(points)
        loss = ((sigma.sigmoid() * rgb) - 0.5).square().mean()
        loss.backward()
        opt.step()
        opt.zero_grad(set_to_none=True)


def mixer_on_large_batches(rec):
    net = Mixer()
    opt = torch.optim.NAdam(net.parameters(), foreach=False)
    for _ in range(2):
        loss = F.nll_loss(net(torch.randn(48, 64, 48)).log_softmax(1), torch.randint(10, (48,)))
        loss.backward()
        opt.step()
        opt.zero_grad(set_to_none=True)


class PairBias(nn.Module):
    """Every residue looks at every other, with a bias per pair, as folding networks do."""

    def __init__(self, dim=32, heads=4):
        super().__init__()
        self.to_qkv, self.bias, self.back = nn.Linear(dim, 3 * dim), nn.Linear(dim, heads), nn.Linear(dim, dim)
        self.heads = heads

    def forward(self, single, pair):
        n, dim = single.shape
        q, k, v = self.to_qkv(single).view(n, 3, self.heads, -1).unbind(1)
        affinity = torch.einsum("ihc,jhc->hij", q, k) * dim ** -0.5 + self.bias(pair).permute(2, 0, 1)
        return single + self.back(torch.einsum("hij,jhc->ihc", F.softmax(affinity, -1), v).reshape(n, dim))


def long_chain_of_residues(rec):
    blocks = nn.ModuleList(PairBias(dim=16, heads=16) for _ in range(6))
    opt = torch.optim.Adam(blocks.parameters(), foreach=False)
    for _ in range(2):
        single, pair = torch.randn(640, 16), torch.randn(640, 640, 16)
        for block in blocks:
            single = block(single, pair)
        single.square().mean().backward()
        opt.step()
        opt.zero_grad(set_to_none=True)


class Captions(nn.Module):
    def __init__(self, words=60000, dim=48):
        super().__init__()
        self.look, self.words = nn.Linear(512, dim), nn.Embedding(words, dim)
        self.cell = nn.GRU(dim, dim, batch_first=True)

    def forward(self, picture, caption):
        start = self.look(picture).unsqueeze(0)
        hidden, _ = self.cell(self.words(caption), start)
        return hidden @ self.words.weight.t()


def captions_with_tied_words(rec):
    net = Captions()
    opt = torch.optim.Adagrad(net.parameters(), lr=0.01)
    for _ in range(2):
        text = torch.randint(60000, (16, 24))
        scores = net(torch.randn(16, 512), text)
        loss = -scores.log_softmax(-1).gather(2, text.unsqueeze(2)).mean()
        loss.backward()
        opt.step()
        opt.zero_grad(set_to_none=True)


def neighbours_of_all_points(rec):
    """The distance of all to all, beside a small net."""
    net = nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 16))
    cloud = torch.rand(9000, 3)
    features = net(cloud)
    gram = features @ features.t()
    return gram.topk(16, dim=1)


def one_long_recording(rec):
    """Sound of changing length through strided convolutions."""
    net = nn.Sequential(nn.Conv1d(1, 32, 10, 5), nn.GELU(), nn.Conv1d(32, 64, 8, 4), nn.GELU(), nn.Conv1d(64, 64, 4, 2),
                        nn.GELU())
    top = nn.Linear(64, 30)
    opt = torch.optim.Adam([*net.parameters(), *top.parameters()], foreach=False)
    for seconds in (3, 4, 2, 5, 3, 14, 4):
        wave = torch.randn(6, 1, 16000 * seconds)
        scores = top(net(wave).transpose(1, 2)).log_softmax(-1).transpose(0, 1)
        lengths = torch.full((6,), scores.shape[0])
        loss = F.ctc_loss(scores, torch.randint(1, 30, (6, 10)), lengths, torch.full((6,), 10))
        loss.backward()
        opt.step()
        opt.zero_grad(set_to_none=True)


def predictions_of_a_test_set(rec):
    net = Mixer(wide=64, deep=2, classes=4096)
    opt = torch.optim.SGD(net.parameters(), 0.05, foreach=False)
    for _ in range(2):
        F.cross_entropy(net(torch.randn(32, 64, 48)), torch.randint(4096, (32,))).backward()
        opt.step()
        opt.zero_grad(set_to_none=True)
    net.eval()
    table = {}
    with torch.inference_mode():
        for i in range(60):
            table[f"part{i}"] = net(torch.randn(128, 64, 48))
    return table


def score_whole_volume(rec):
    """Patches in training, the whole volume when it is tested."""
    net = nn.Sequential(nn.Conv3d(1, 12, 3, padding=1), nn.ReLU(), nn.Conv3d(12, 12, 3, padding=1), nn.ReLU(),
                        nn.Conv3d(12, 3, 1))
    opt = torch.optim.Adam(net.parameters(), foreach=False)
    for _ in range(3):
        patch = torch.randn(2, 1, 24, 24, 24)
        F.cross_entropy(net(patch), torch.randint(3, (2, 24, 24, 24))).backward()
        opt.step()
        opt.zero_grad(set_to_none=True)
    net.eval()
    with torch.no_grad():
        return net(torch.randn(1, 1, 96, 96, 96)).argmax(1)


class Attending(nn.Module):
    """Keys and values of what was said are put behind each other."""

    def __init__(self, dim=256):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, h, said):
        k, v = self.k(h), self.v(h)
        if said is not None:
            k, v = torch.cat((said[0], k), 1), torch.cat((said[1], v), 1)
        mixed = F.softmax(self.q(h) @ k.transpose(1, 2) / 16, -1) @ v
        return h + self.o(mixed), (k, v)


def answers_in_many_voices(rec):
    layers = nn.ModuleList(Attending() for _ in range(6))
    words = nn.Embedding(500, 256)
    token, memory = torch.randint(500, (64, 1)), [None] * 6
    with torch.no_grad():
        for _ in range(60):
            h = words(token)
            for i, layer in enumerate(layers):
                h, memory[i] = layer(h, memory[i])
            token = (h @ words.weight.t()).argmax(-1)
    return memory


def returns_of_an_agent(rec):
    """Losses are added up over episodes, with their graphs."""
    policy = nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh(), nn.Linear(256, 8))
    opt = torch.optim.RMSprop(policy.parameters(), foreach=False)
    total = torch.zeros(())
    for _ in range(40):
        seen = torch.randn(512, 64)
        loss = -policy(seen).log_softmax(-1)[:, 0].mean()
        loss.backward(retain_graph=True)
        opt.step()
        opt.zero_grad(set_to_none=True)
        total = total + loss.detach() + policy(seen).mean()
    return total


def replay_of_transitions(rec):
    """A buffer that grows with what was seen."""
    policy = nn.Sequential(nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 4))
    opt = torch.optim.Adam(policy.parameters(), foreach=False)
    buffer = []
    for _ in range(40):
        frames = torch.randn(256, 256)
        buffer.append((frames, policy(frames).detach()))
        batch = buffer[torch.randint(len(buffer), (1,)).item()][0]
        F.mse_loss(policy(batch), torch.zeros(256, 4)).backward()
        opt.step()
        opt.zero_grad(set_to_none=True)
    return buffer


def tiles_that_grow(rec):
    """Each tile is a little larger than the one before, and what is kept of it lies where that one was."""
    look, kept = nn.Conv2d(3, 24, 3, padding=1), []
    with torch.no_grad():
        for i in range(40):
            out = torch.relu(look(torch.randn(1, 3, 128, 128 + 8 * i)))
            kept.append(out[:, :4].clone())
            del out
    return kept


def captured_shapes(rec):
    """A pool of its own for each captured length; then training outside of them."""
    net = Mixer(deep=3)
    for number, count in enumerate((24, 48, 72, 96), start=1):
        rec.use(pool=number)
        with torch.no_grad():
            net(torch.randn(count, 64, 48))
    rec.use()
    loss = net(torch.randn(40, 64, 48)).square().mean()
    loss.backward()


def teacher_beside_the_student(rec):
    teacher, student = Mixer(wide=768, deep=6), Mixer(wide=256, deep=3)
    opt = torch.optim.AdamW(student.parameters(), foreach=False)
    for _ in range(3):
        seen = torch.randn(4, 64, 48)
        with torch.no_grad():
            aim = teacher(seen)
        F.mse_loss(student(seen), aim).backward()
        opt.step()
        opt.zero_grad(set_to_none=True)


def inner_steps_of_a_meta_learner(rec):
    """Gradients of gradients: every inner step's graph is kept."""
    weight = torch.randn(512, 512, requires_grad=True)
    opt = torch.optim.Adam([weight], foreach=False)
    for _ in range(2):
        fast = weight
        for _ in range(8):
            inner = torch.tanh(torch.randn(1024, 512) @ fast).square().mean()
            (slope,) = torch.autograd.grad(inner, fast, create_graph=True)
            fast = fast - 0.1 * slope
        torch.tanh(torch.randn(1024, 512) @ fast).square().mean().backward()
        opt.step()
        opt.zero_grad(set_to_none=True)


def fine_field(rec):
    field = Field(wide=128, deep=4)
    opt = torch.optim.Adam(field.parameters(), lr=5e-4, foreach=False)
    for _ in range(3):
        sigma, rgb = field(torch.rand(2048, 3))
        (sigma.sigmoid() * rgb).square().mean().backward()
        opt.step()
        opt.zero_grad(set_to_none=True)


DEATHS = {scene.__name__: (scene, capacity, causes) for scene, capacity, causes in (
    (restore_into_existing, 3.5, ["loading", "model-states"]),
    (experts_and_their_moments, 3.3, ["optimizer-state", "model-states"]),
    (second_order_state, 0.8, ["optimizer-state", "model-states"]),
    (updates_by_hand, 2.2, ["gradients", "model-states"]),
    (rays_of_a_picture, 3.2, ["activations"]),
    (mixer_on_large_batches, 2.6, ["activations"]),
    (long_chain_of_residues, 2.8, ["activations-sequence"]),
    (captions_with_tied_words, 4.5, ["logits"]),
    (neighbours_of_all_points, 3, ["single-huge-tensor"]),
    (one_long_recording, 1.8, ["longest-batch"]),
    (predictions_of_a_test_set, 1.0, ["evaluation-accumulation"]),
    (score_whole_volume, 1.2, ["evaluation-batch", "single-huge-tensor"]),
    (answers_in_many_voices, 0.5, ["kv-cache"]),
    (returns_of_an_agent, 0.5, ["leak"]),
    (replay_of_transitions, 0.1, ["leak"]),
    (tiles_that_grow, 0.9, ["fragmentation"]),
    (captured_shapes, 2.3, ["private-pools"]),
    (teacher_beside_the_student, 2.15, ["model-states", "loading", "optimizer-state"]),
    (inner_steps_of_a_meta_learner, 1.2, ["activations"]),
    (fine_field, 64, ["none"]),
)}
