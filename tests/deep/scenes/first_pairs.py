# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""first_pairs.py OUT_DIR [PAIR...]: runs of models that no law was made by, which die in their first forward or backward,
each against the run that made the change. Recorded before any of their predictions was looked at."""

import first_models as models
import first_pictures as pictures
import pairs
import torch
import torch.nn.functional as F
from held_runs import OPTIMIZERS
from pairs import HALF, QUARTER, pair

MOMENTUM = "optimizer: sgd\nmomentum: 0.9\n"


def steps_of(model, opt, batches, loss_of):
    optimizer = OPTIMIZERS[opt](model.parameters())
    for batch in batches:
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(model, batch)
        loss.backward()
        optimizer.step()


def sorted_by(make_input):
    """A scene of a model that sorts what `make_input` makes of a batch size and options."""
    def scene(rec, B=16, steps=2, opt="adamw", side=32, T=48, model=None, **shape):
        net = model(**shape)
        batches = ((make_input(B, side, T), torch.randint(4, (B,))) for _ in range(steps))
        steps_of(net, opt, batches, lambda m, batch: F.cross_entropy(m(*batch[0]), batch[1]))
    return scene


of_pictures = sorted_by(lambda B, side, T: (torch.rand(B, 3, side, side),))
of_points = sorted_by(lambda B, side, T: (torch.rand(B, 3, T),))
of_texts = sorted_by(lambda B, side, T: (torch.randint(1000, (B, T)),))
of_masked = sorted_by(lambda B, side, T: (torch.randint(1000, (B, T)), torch.ones(B, T)))


def pixels(rec, B=8, steps=2, opt="adam", side=32, model=None, classes=4, **shape):
    """A class per pixel."""
    net = model(classes=classes, **shape)
    batches = ((torch.rand(B, 3, side, side), torch.randint(classes, (B, side, side))) for _ in range(steps))
    steps_of(net, opt, batches, lambda m, batch: F.cross_entropy(m(batch[0]), batch[1]))


def restored(rec, B=8, steps=2, opt="adam", side=32, model=None, **shape):
    """A clean picture of a noisy one."""
    net = model(**shape)
    batches = ((x, x + 0.1) for x in (torch.rand(B, 3, side, side) for _ in range(steps)))
    steps_of(net, opt, batches, lambda m, batch: F.mse_loss(m(batch[1]), batch[0]))


def words(rec, B=8, T=64, steps=2, opt="adamw", model=None, vocab=1800, **shape):
    """The next word; the loop itself holds the logits."""
    net = model(vocab=vocab, **shape)
    optimizer = OPTIMIZERS[opt](net.parameters())
    for _ in range(steps):
        ids = torch.randint(vocab, (B, T + 1))
        logits = net(ids[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()


def text_to_text(rec, B=8, T=40, read=56, steps=2, opt="adamw", vocab=2200, **shape):
    net = models.TextToText(vocab, **shape)
    batches = ((torch.randint(vocab, (B, read)), torch.randint(vocab, (B, T + 1))) for _ in range(steps))
    steps_of(net, opt, batches, lambda m, batch: F.cross_entropy(
        m(batch[0], batch[1][:, :-1]).flatten(0, 1), batch[1][:, 1:].flatten()))


def two_towers(rec, B=512, steps=2, opt="adam", **shape):
    net = models.TwoTowers(**shape)
    batches = ((torch.randint(3000, (B, 4)), torch.randint(1000, (B, 4))) for _ in range(steps))
    steps_of(net, opt, batches, lambda m, batch: F.cross_entropy(m(*batch), torch.arange(B)))


def points(rec, B=4096, steps=2, opt="adam", **shape):
    net = models.Points(**shape)
    batches = ((torch.rand(B, 3), torch.rand(B, 4)) for _ in range(steps))
    steps_of(net, opt, batches, lambda m, batch: F.mse_loss(m(batch[0]), batch[1]))


def denoised(rec, B=512, steps=2, opt="adam", **shape):
    net = models.Denoiser(**shape)
    batches = (torch.rand(B, 784) for _ in range(steps))
    steps_of(net, opt, batches, lambda m, x: F.binary_cross_entropy(m((x + 0.1 * torch.randn_like(x)).clamp(0, 1)), x))


PAIRS = {
    # Texts
    "first_text_net": pair(of_texts, HALF, {"B": 64}, room=0.6, model=models.TextNet, B=128, opt="adam"),
    "first_sorter_early": pair(of_masked, HALF, {"B": 24}, room=0.45, model=models.Sorter, B=48),
    "first_sorter_late": pair(of_masked, QUARTER, {"B": 8}, room=0.85, model=models.Sorter, B=32, T=64, opt="momentum",
                              config=MOMENTUM),
    "first_gated_mlp": pair(words, HALF, {"B": 8}, room=0.65, model=models.GatedMlp, B=16),
    "first_letters": pair(words, HALF, {"B": 16}, room=0.6, model=models.Letters, B=32, T=48, vocab=200, opt="adam"),
    "first_turning_early": pair(words, HALF, {"B": 6}, room=0.5, model=models.TurningGpt, B=12, vocab=2300),
    "first_turning_late": pair(words, QUARTER, {"B": 4}, room=0.9, model=models.TurningGpt, B=16, vocab=1500, opt="sgd",
                                config="optimizer: sgd\n"),
    "first_text_to_text_early": pair(text_to_text, HALF, {"B": 8}, room=0.4, B=16),
    "first_text_to_text_late": pair(text_to_text, HALF, {"B": 8}, room=0.8, B=16, deep=3),
    # Plain layers
    "first_two_towers": pair(two_towers, HALF, {"B": 1024}, room=0.7, B=2048),
    "first_points_early": pair(points, HALF, {"B": 4096}, room=0.5, B=8192),
    "first_points_late": pair(points, QUARTER, {"B": 2048}, room=0.9, B=8192, wide=160, deep=6),
    "first_denoiser": pair(denoised, HALF, {"B": 1024}, room=0.7, B=2048),
    # Pictures
    "first_picture_transformer": pair(of_pictures, HALF, {"B": 12}, room=0.7, model=models.PictureTransformer,
                                      B=24, side=40),
    "first_stages": pair(of_pictures, HALF, {"B": 12}, room=0.6, model=pictures.Stages, B=24, opt="momentum",
                         config=MOMENTUM),
    "first_stages_in_backward": pair(of_pictures, HALF, {"B": 12}, room=0.93, model=pictures.Stages, B=24, w=24, each=(1, 1, 1)),
    "first_deepwise": pair(of_pictures, HALF, {"B": 16}, room=0.7, model=pictures.Deepwise, B=32, side=64),
    "first_shifted_early": pair(of_pictures, HALF, {"B": 12}, room=0.5, model=pictures.Shifted, B=24, side=64),
    "first_shifted_late": pair(of_pictures, QUARTER, {"B": 6}, room=0.92, model=pictures.Shifted, B=24, side=64, each=(1, 1, 2)),
    "first_cloud": pair(of_points, HALF, {"B": 32}, room=0.6, model=pictures.Cloud, B=64, T=256),
    # Pictures of pictures
    "first_ushape_early": pair(pixels, HALF, {"B": 8}, room=0.4, model=pictures.Ushape, B=16),
    "first_ushape_late": pair(pixels, HALF, {"B": 8}, room=0.8, model=pictures.Ushape, B=16, w=12, deep=4),
    "first_ushape_stretched": pair(pixels, HALF, {"B": 8}, room=0.65, model=pictures.Ushape, B=16, transposed=False, w=14),
    "first_ushape_shallow": pair(pixels, QUARTER, {"B": 4}, room=0.55, model=pictures.Ushape, B=16, deep=2, w=24, opt="momentum",
                                 config=MOMENTUM),
    "first_added_early": pair(restored, HALF, {"B": 8}, room=0.5, model=pictures.Added, B=16),
    "first_added_late": pair(restored, HALF, {"B": 8}, room=0.85, model=pictures.Added, B=16, w=16),
}

if __name__ == "__main__":
    pairs.main(PAIRS)
