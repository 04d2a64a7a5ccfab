# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""What a CPU does otherwise than a CUDA device, done as there, so that what is recorded has a GPU's sizes and lifetimes.

- Autocast widens what CUDA's list names (docs: "CUDA Ops that can autocast to float32"); the CPU's list is another.
- Softmax and its logarithm read 16 bits and write 32 in one kernel (`half_to_float`).
- cross_entropy is in the CPU's list alone: on CUDA the logarithm of the softmax keeps 16 bits, and nll_loss reads a copy in 32.
- No fused attention kernel of fp32 takes grouped keys: the one that writes the matrices runs."""

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

HALF = (torch.bfloat16, torch.float16)
WIDENED = ("layer_norm", "group_norm", "exp", "log", "log2", "log10", "log1p", "expm1", "reciprocal", "rsqrt", "pow.Tensor_Scalar",
           "pow.Tensor_Tensor", "logsumexp", "cumsum", "cumprod", "softplus", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss",
           "kl_div", "nll_loss", "cosine_similarity", "binary_cross_entropy_with_logits", "norm.ScalarOpt_dim", "norm.Scalar")
_alive = []  # What torch has registered as long as it lives.


def widened(value):
    return value.float() if torch.is_tensor(value) and value.dtype in HALF else value


def without_autocast():
    return torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU))


def widens(library, name):
    packet, _, overload = name.partition(".")
    operator = getattr(getattr(torch.ops.aten, packet), overload or "default")

    def run(*arguments, **options):
        with without_autocast():
            return operator(*map(widened, arguments), **{n: widened(v) for n, v in options.items()})

    library.impl(name, run, "AutocastCPU")


def softmax_in_one_kernel(library, recorder, host, name):
    """`name`: "softmax" or "log_softmax"."""
    forward, backward = (getattr(torch.ops.aten, f"_{name}{end}").default for end in ("", "_backward_data"))
    plain = getattr(torch.ops.aten, name).int

    def called(x, dim, dtype=None):
        with without_autocast():
            if x.dtype in HALF and dtype in (None, torch.float32):
                return forward(x, dim, True)
            return plain(x, dim, dtype)

    library.impl(f"{name}.int", called, "AutocastCPU")
    old_forward, old_backward = (torch.library.get_kernel(f"aten::_{name}{end}", "CPU") for end in ("", "_backward_data"))

    def run(keys, x, dim, to_float):
        if not to_float:
            return old_forward.call_boxed(keys, x, dim, to_float)
        out = torch.empty(x.shape, dtype=torch.float32)
        with host(recorder):
            out.copy_(old_forward.call_boxed(keys, x.float(), dim, False))
        return out

    def run_back(keys, gradient, out, dim, dtype):
        if dtype == gradient.dtype:
            return old_backward.call_boxed(keys, gradient, out, dim, dtype)
        result = torch.empty(gradient.shape, dtype=dtype)
        with host(recorder):
            result.copy_(old_backward.call_boxed(keys, gradient, out, dim, gradient.dtype))
        return result

    library.impl(f"_{name}", run, "CPU", with_keyset=True)
    library.impl(f"_{name}_backward_data", run_back, "CPU", with_keyset=True)


def cross_entropy(library):
    def run(x, target, weight=None, reduction=1, ignore_index=-100, label_smoothing=0.0):
        if label_smoothing or target.dtype.is_floating_point:
            raise NotImplementedError("only labels are drawn")
        return torch.ops.aten.nll_loss_nd(torch.log_softmax(x, 1, x.dtype), target, weight, reduction, ignore_index)

    library.impl("cross_entropy_loss", run, "AutocastCPU")


def put_in_place(recorder, host):
    library = torch.library.Library("aten", "IMPL")
    _alive.append(library)
    for name in WIDENED:
        widens(library, name)
    for name in ("softmax", "log_softmax"):
        softmax_in_one_kernel(library, recorder, host, name)
    cross_entropy(library)
    attention = F.scaled_dot_product_attention

    def grouped(query, key, *arguments, **options):
        is_wide = query.dtype == torch.float32 and not torch.is_autocast_enabled("cpu")
        if is_wide and options.get("enable_gqa") and query.shape[-3] != key.shape[-3]:
            with sdpa_kernel(SDPBackend.MATH):
                return attention(query, key, *arguments, **options)
        return attention(query, key, *arguments, **options)

    F.scaled_dot_product_attention = torch.nn.functional.scaled_dot_product_attention = grouped
