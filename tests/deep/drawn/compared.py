# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""compared.py RECORDER OUT [NAME...]: the runs of tests/data/compared, which are held against each other: one thing differs.

RECORDER and OUT as of draw.py. Without names, all of RUNS. Leaves NAME.pickle."""

import draw
import research
import torch
import torch.nn.functional as F
from draw import OUT, Recurrent, Run, as_cuda, next_token, record, tokens
from layers import Scan
from torch import nn


def lstm(samples=8, length=64):
    return Run(lambda: [Recurrent(nn.LSTM, 3000, 192, 384, 2)], tokens(3000), next_token, samples, length, clips=True)


def scan(samples=12, length=40):
    """A state-space model with its loop over the sequence."""
    width = 192
    return Run(lambda: [nn.Sequential(nn.Embedding(3000, width), *(Scan(width, 16) for _ in range(2)), nn.LayerNorm(width),
                                      nn.Linear(width, 3000))], tokens(3000), next_token, samples, length)


class Both(nn.Module):
    """An encoder, and a decoder of half as many tokens."""

    def __init__(self, width=256):
        super().__init__()
        self.table, self.head = nn.Embedding(4000, width), nn.Linear(width, 4000)
        self.inner = nn.Transformer(width, 8, 3, 3, 768, 0.0, batch_first=True)

    def forward(self, read, written):
        mask = nn.Transformer.generate_square_subsequent_mask(written.shape[1])
        return self.head(self.inner(self.table(read), self.table(written), tgt_mask=mask))


def encoder_decoder(samples=4, length=128):
    def loss(models, batch):
        written = batch[:, :length // 2]
        return F.cross_entropy(models[0](batch, written).flatten(0, 1), written.flatten())

    return Run(lambda: [Both()], tokens(4000), loss, samples, length)


class Adversaries(Run):
    """Two models and two optimizers, each with a backward of its own in a step."""

    def __call__(self, recorder):
        as_cuda.put_in_place(recorder, draw.host)
        with draw.host(recorder):
            width = 48
            maker = nn.Sequential(nn.Linear(64, width * 64), nn.Unflatten(1, (width * 4, 4, 4)), nn.ConvTranspose2d(width * 4, width * 2, 4, 2, 1),
                                  nn.BatchNorm2d(width * 2), nn.ReLU(), nn.ConvTranspose2d(width * 2, width, 4, 2, 1),
                                  nn.BatchNorm2d(width), nn.ReLU(), nn.ConvTranspose2d(width, 3, 4, 2, 1), nn.Tanh())
            judge = nn.Sequential(nn.Conv2d(3, width, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(width, width * 2, 4, 2, 1),
                                  nn.BatchNorm2d(width * 2), nn.LeakyReLU(0.2), nn.Conv2d(width * 2, width * 4, 4, 2, 1), nn.LeakyReLU(0.2),
                                  nn.Flatten(), nn.Linear(width * 64, 1))
        optimizers = []

        def step(real, _, __):
            if not optimizers:
                optimizers.extend(torch.optim.Adam(m.parameters()) for m in (maker, judge))
            made = maker(torch.randn(len(real), 64))
            loss = F.softplus(-judge(real)).mean() + F.softplus(judge(made.detach())).mean()
            loss.backward()
            del loss
            optimizers[1].step()
            optimizers[1].zero_grad()
            loss = F.softplus(-judge(made)).mean()
            loss.backward()
            del loss
            optimizers[0].step()
            for o in optimizers:
                o.zero_grad()

        research.loop(recorder, [maker, judge], optimizers, lambda: torch.randn(self.samples, 3, 32, 32), step)


def adversaries(samples=32):
    return Adversaries(None, None, None, samples)


def llama(samples=4, length=128, adapters=None, **how):
    def models():
        import transformers
        config = transformers.LlamaConfig(hidden_size=384, intermediate_size=1024, num_hidden_layers=4, num_attention_heads=6,
                                          num_key_value_heads=6, vocab_size=6000, max_position_embeddings=1024, use_cache=False)
        config._attn_implementation = "sdpa"
        model = transformers.LlamaForCausalLM(config)
        if adapters:
            import peft
            rank, targets = adapters
            model = peft.get_peft_model(model, peft.LoraConfig(r=rank, target_modules=targets, lora_dropout=0.0))
        return [model]

    return Run(models, tokens(6000), lambda models, batch: models[0](input_ids=batch, labels=batch).loss, samples, length, **how)


RUNS = {
    "lstm": lstm(), "lstm_batch_16": lstm(16), "lstm_sequence_128": lstm(8, 128),
    "scan": scan(), "scan_sequence_80": scan(12, 80),
    "encoder_decoder": encoder_decoder(), "encoder_decoder_batch_8": encoder_decoder(8),
    "adversaries": adversaries(), "adversaries_batch_64": adversaries(64),
    "llama": llama(), "llama_sgd": llama(optimizer="sgd"), "llama_passes_4": llama(parts=4),
    "llama_sequence_512": llama(4, 512), "llama_autocast": llama(precision="bf16"),
    "llama_lora_all": llama(adapters=(16, "all-linear")), "llama_lora_qv": llama(adapters=(16, ["q_proj", "v_proj"])),
    "llama_lora_all_64": llama(adapters=(64, "all-linear")),
}

if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    for name in draw.sys.argv[1:] or RUNS:
        record(name, RUNS[name])
