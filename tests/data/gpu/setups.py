# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""What a training run is: a `Setup`, and `changed`, the same run with a change of tidemark-cli's words. Needs no torch."""

import dataclasses
from fractions import Fraction


@dataclasses.dataclass
class Setup:
    model: str  # a key of training.MODELS
    samples: int
    length: int = 0  # tokens, or the side of an image
    precision: str = "fp32"  # fp32, bf16 (autocast), pure-bf16
    optimizer: str = "adamw"
    attention: str = "sdpa"  # or eager
    checkpointing: bool = False
    micro_batches: int = 1
    set_to_none: bool = True
    rank: int = 0  # of adapters
    compiled: str = ""  # a mode of torch.compile
    capacity: float = 0  # GiB that the process may take


def changed(setup, change):
    """The setup with `change`, such as "micro-batch=1/2,accumulation=2"."""
    new = dataclasses.replace(setup)
    for name, value in (part.split("=") for part in change.split(",")):
        if name == "micro-batch":
            new.samples = round(new.samples * Fraction(value))
        elif name == "sequence":
            new.length = round(new.length * Fraction(value))
        elif name == "accumulation":
            new.micro_batches = int(value)
        elif name == "checkpointing":
            new.checkpointing = True
        elif name in ("precision", "optimizer"):
            setattr(new, name, value)
        elif name == "attention":
            new.attention = "sdpa"
        elif name in ("foreach", "fused"):
            new.optimizer = f"{new.optimizer} {name}={value}"
        elif name == "set-to-none":
            new.set_to_none = True
        elif name == "lora":
            new.rank = int(value)
        else:
            raise ValueError(change)
    return new
