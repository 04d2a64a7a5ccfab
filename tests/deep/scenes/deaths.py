# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""Training runs that run out of memory, each of another cause: states, gradients, activations, what is kept by mistake.
Written out as scripts are, so that no helper's name tells a rule what a line is for. DEATHS names each with the capacity
it gets (GiB, as the recorder scales sizes) and the causes that are a right answer."""

import copy

import torch
import torch.nn.functional as F
from models import Encoder, Mlp, ResNet, Tagger, UNet
from torch import nn


def weights_alone(rec):
    return [nn.Linear(1024, 1024) for _ in range(40)]


def state_made_at_once(rec):
    model = Mlp(wide=1024, deep=12)
    optimizer = torch.optim.Adagrad(model.parameters(), foreach=False)
    for _ in range(2):
        x, y = torch.randn(8, 1024), torch.randint(64, (8,))
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def gradients_of_a_large_model(rec):
    model = Mlp(wide=1024, deep=16)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(2):
        x, y = torch.randn(4, 1024), torch.randint(64, (4,))
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def gradients_kept_between_steps(rec):
    model = Mlp(wide=1024, deep=12)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=False)
    for _ in range(3):
        x, y = torch.randn(320, 1024), torch.randint(64, (320,))
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=False)


def gradients_of_accumulation(rec):
    model = Mlp(wide=1024, deep=12)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(2):
        for _ in range(4):
            x, y = torch.randn(320, 1024), torch.randint(64, (320,))
            loss = F.cross_entropy(model(x), y) / 4
            loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def gradients_copied_into_buckets(rec):
    """As DDP without gradient_as_bucket_view."""
    model = Mlp(wide=1024, deep=12)
    bucket = torch.zeros(sum(p.numel() for p in model.parameters()))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, foreach=False)
    for _ in range(2):
        x, y = torch.randn(8, 1024), torch.randint(64, (8,))
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        at = 0
        for p in model.parameters():
            bucket[at:at + p.numel()].copy_(p.grad.flatten())
            at += p.numel()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def adam_first_step(rec):
    model = Encoder(d=512, deep=4, heads=8)
    optimizer = torch.optim.Adam(model.parameters(), foreach=False)
    for _ in range(3):
        x, y = torch.randint(2000, (4, 16)), torch.randint(20, (4,))
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def second_forward_after_the_state_came(rec):
    model = Mlp(wide=1024, deep=10)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(3):
        x, y = torch.randn(512, 1024), torch.randint(64, (512,))
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def optimizer_lists(rec):
    model = Mlp(wide=1024, deep=12)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
    for _ in range(3):
        x, y = torch.randn(8, 1024), torch.randint(64, (8,))
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def moving_average_made_late(rec):
    model = Mlp(wide=1024, deep=12)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    average = None
    for i in range(4):
        x, y = torch.randn(8, 1024), torch.randint(64, (8,))
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if i == 1:
            average = copy.deepcopy(model)
    return average


def transformer_first_forward(rec):
    model = Encoder(d=256, deep=6, heads=4)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    x, y = torch.randint(2000, (256, 32)), torch.randint(20, (256,))
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()


def conv_first_forward(rec):
    model = UNet(w=32)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    x = torch.randn(32, 3, 64, 64)
    loss = F.mse_loss(model(x), x)
    loss.backward()
    optimizer.step()


def conv_backward_of_step_two(rec):
    model = ResNet(w=48)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, foreach=False)
    for _ in range(3):
        x, y = torch.randn(48, 3, 32, 32), torch.randint(64, (48,))
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def first_backward(rec):
    model = Mlp(wide=256, deep=12)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(2):
        x, y = torch.randn(4096, 256), torch.randint(64, (4096,))
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def long_lstm(rec):
    model = Tagger()
    optimizer = torch.optim.Adam(model.parameters(), foreach=False)
    for _ in range(2):
        x, y = torch.randint(3000, (32, 400)), torch.randint(30, (32, 400))
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def autocast_activations(rec):
    model = Mlp(wide=256, deep=10)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(2):
        x, y = torch.randn(6144, 256), torch.randint(64, (6144,))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.cross_entropy(model(x).float(), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def long_sequence(rec):
    model = Encoder(d=64, deep=3, heads=4)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(2):
        x, y = torch.randint(2000, (2, 1024)), torch.randint(20, (2,))
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


class LanguageModel(nn.Module):
    def __init__(self, vocab, d=64, deep=2, heads=4):
        super().__init__()
        self.embed, self.mix = nn.Embedding(vocab, d), nn.ModuleList(nn.Linear(d, d) for _ in range(deep))
        self.lm_head, self.heads = nn.Linear(d, vocab, bias=False), heads

    def attend(self, x):
        b, t, d = x.shape
        q = x.view(b, t, self.heads, -1).transpose(1, 2)
        scores = q @ q.transpose(-2, -1) / 8
        return (scores.softmax(-1) @ q).transpose(1, 2).reshape(b, t, d)

    def forward(self, tokens):
        x = self.embed(tokens)
        for layer in self.mix:
            x = x + F.gelu(layer(self.attend(x)))
        return self.lm_head(x)


def own_attention_long(rec):
    model = LanguageModel(1000, deep=4)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(2):
        x = torch.randint(1000, (2, 900))
        loss = F.cross_entropy(model(x).flatten(0, 1), x.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def large_vocabulary_in_the_loss(rec):
    model = LanguageModel(120000, d=32)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, foreach=False)
    for _ in range(2):
        x = torch.randint(120000, (4, 64))
        logits = model(x)
        loss = F.cross_entropy(logits.view(-1, 120000), x.view(-1))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def large_vocabulary_in_backward(rec):
    model = LanguageModel(120000, d=32)
    optimizer = torch.optim.SGD(model.parameters(), 0.1, foreach=False)
    for _ in range(2):
        x = torch.randint(120000, (4, 64))
        loss = F.cross_entropy(model(x).float().view(-1, 120000), x.view(-1))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def policy_ratio_over_the_vocabulary(rec):
    """Two models score the same tokens, as methods with a reference do."""
    actor, reference = LanguageModel(50000, d=32), LanguageModel(50000, d=32)
    optimizer = torch.optim.SGD(actor.parameters(), 0.1, foreach=False)
    for _ in range(2):
        x = torch.randint(50000, (8, 64))
        with torch.no_grad():
            ref = torch.log_softmax(reference(x), -1).gather(-1, x[..., None])
        logp = torch.log_softmax(actor(x), -1)
        chosen = logp.gather(-1, x[..., None])
        loss = -(chosen - ref).mean() - 0.01 * (logp.exp() * logp).sum(-1).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def all_pairs(rec):
    model = Mlp(wide=128, deep=2, out=32)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for n in (512, 512, 6000):
        x = torch.randn(n, 128)
        z = model(x)
        loss = torch.cdist(z, z).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def one_hot_of_everything(rec):
    model = Mlp(wide=128, deep=2, out=64)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for _ in range(3):
        x, y = torch.randn(256, 128), torch.randint(64, (256,))
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    ids = torch.randint(30000, (4000,))
    return F.one_hot(ids, 30000).float().mean(0)


def data_set_moved_at_once(rec):
    model = Mlp(wide=256)
    images = torch.zeros(200000, 256)
    return model(images[:32])


def one_long_sentence(rec):
    model = Tagger(d=96)
    optimizer = torch.optim.Adam(model.parameters(), foreach=False)
    for length in (40, 32, 56, 48, 300, 40):
        x, y = torch.randint(3000, (32, length)), torch.randint(30, (32, length))
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def one_large_picture(rec):
    model = UNet(w=16)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    for side in (48, 64, 56, 64, 128, 64):
        x = torch.randn(8, 3, side, side)
        loss = F.mse_loss(model(x), x)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


def one_graph_with_many_nodes(rec):
    net = nn.ModuleList(nn.Linear(64, 64) for _ in range(4))
    optimizer = torch.optim.Adam(net.parameters(), foreach=False)
    for nodes in (800, 1200, 900, 1000, 1100, 4000):
        x, edges = torch.randn(nodes, 64), torch.randint(nodes, (2, 8 * nodes))
        for layer in net:
            messages = layer(x)[edges[0]]
            x = F.relu(torch.zeros_like(x).index_add(0, edges[1], messages))
        loss = x.pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


DEATHS = {
    "weights_alone": (weights_alone, 2.2, ["model-states", "loading"]),
    "state_made_at_once": (state_made_at_once, 1.2, ["optimizer-state", "model-states"]),
    "gradients_of_a_large_model": (gradients_of_a_large_model, 1.6, ["gradients", "model-states"]),
    "gradients_kept_between_steps": (gradients_kept_between_steps, 1.9, ["gradients"]),
    "gradients_of_accumulation": (gradients_of_accumulation, 1.9, ["gradients"]),
    "gradients_copied_into_buckets": (gradients_copied_into_buckets, 2.0, ["gradients", "model-states"]),
    "adam_first_step": (adam_first_step, 3.0, ["optimizer-state", "model-states"]),
    "second_forward_after_the_state_came": (
        second_forward_after_the_state_came, 2.6, ["optimizer-state", "model-states", "activations"]),
    "optimizer_lists": (optimizer_lists, 3.6, ["optimizer-state"]),
    "moving_average_made_late": (moving_average_made_late, 3.5, ["model-states"]),
    "transformer_first_forward": (transformer_first_forward, 6, ["activations"]),
    "conv_first_forward": (conv_first_forward, 3, ["activations"]),
    "conv_backward_of_step_two": (conv_backward_of_step_two, 1.6, ["activations"]),
    "first_backward": (first_backward, 2.3, ["activations"]),
    "long_lstm": (long_lstm, 3, ["activations"]),
    "autocast_activations": (autocast_activations, 1.6, ["activations"]),
    "long_sequence": (long_sequence, 2.5, ["activations-sequence"]),
    "own_attention_long": (own_attention_long, 2.2, ["activations-sequence"]),
    "large_vocabulary_in_the_loss": (large_vocabulary_in_the_loss, 3.5, ["logits"]),
    "large_vocabulary_in_backward": (large_vocabulary_in_backward, 5, ["logits"]),
    "policy_ratio_over_the_vocabulary": (policy_ratio_over_the_vocabulary, 6, ["logits"]),
    "all_pairs": (all_pairs, 2, ["single-huge-tensor"]),
    "one_hot_of_everything": (one_hot_of_everything, 4, ["single-huge-tensor"]),
    "data_set_moved_at_once": (data_set_moved_at_once, 2, ["single-huge-tensor"]),
    "one_long_sentence": (one_long_sentence, 2, ["longest-batch"]),
    "one_large_picture": (one_large_picture, 2, ["longest-batch"]),
    "one_graph_with_many_nodes": (one_graph_with_many_nodes, 0.6, ["longest-batch"]),
}
