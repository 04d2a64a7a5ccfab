# SPDX-License-Identifier: GPL-3.0-or-later
# SPDX-FileCopyrightText: 2026 Tidemark contributors
"""The models that are trained on the card, and how each `Setup` is."""

import contextlib

import torch
import torch.nn.functional as F
from torch import nn

DEVICE = "cuda"


def llama(s, layers=8, hidden=768, vocabulary=32000, **more):
    from transformers import LlamaConfig, LlamaForCausalLM
    return LlamaForCausalLM(LlamaConfig(hidden_size=hidden, intermediate_size=2048, num_hidden_layers=layers, num_attention_heads=12,
                                        num_key_value_heads=4, vocab_size=vocabulary, max_position_embeddings=8192, use_cache=False,
                                        attn_implementation=s.attention, **more))


def qwen3(s):
    from transformers import Qwen3Config, Qwen3ForCausalLM
    return Qwen3ForCausalLM(Qwen3Config(hidden_size=1024, intermediate_size=3072, num_hidden_layers=6, num_attention_heads=16, head_dim=128,
                                        num_key_value_heads=8, vocab_size=50000, use_cache=False, tie_word_embeddings=True,
                                        attn_implementation=s.attention))


def mixtral(s):
    from transformers import MixtralConfig, MixtralForCausalLM
    return MixtralForCausalLM(MixtralConfig(hidden_size=512, intermediate_size=1024, num_hidden_layers=4, num_attention_heads=8,
                                            num_key_value_heads=4, num_local_experts=4, vocab_size=16000, use_cache=False,
                                            attn_implementation=s.attention))


def gpt2(s):
    from transformers import GPT2Config, GPT2LMHeadModel
    return GPT2LMHeadModel(GPT2Config(n_layer=8, n_positions=4096, use_cache=False, attn_implementation=s.attention))


def bert(s):
    from transformers import BertConfig, BertForMaskedLM
    return BertForMaskedLM(BertConfig(num_hidden_layers=8, max_position_embeddings=4096, attn_implementation=s.attention))


def t5(s):
    from transformers import T5Config, T5ForConditionalGeneration
    return T5ForConditionalGeneration(T5Config(d_model=512, d_kv=64, d_ff=2048, num_layers=6, num_heads=8, use_cache=False, pad_token_id=0,
                                               decoder_start_token_id=0))


def vit(s):
    from transformers import ViTConfig, ViTForImageClassification
    return ViTForImageClassification(ViTConfig(num_hidden_layers=8, image_size=s.length, num_labels=1000, attn_implementation=s.attention))


def of_torchvision(name):
    def make(s):
        import torchvision
        return getattr(torchvision.models, name)()
    return make


class Block(nn.Module):
    """A block of a transformer as people write it after nanoGPT."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.ln_1, self.ln_2 = heads, nn.LayerNorm(width), nn.LayerNorm(width)
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def attention(self, x):
        return F.scaled_dot_product_attention(*self.split(x), is_causal=True)

    def split(self, x):
        batch, length, width = x.shape
        return [t.view(batch, length, self.heads, width // self.heads).transpose(1, 2) for t in self.c_attn(x).split(width, 2)]

    def forward(self, x):
        x = x + self.c_proj(self.attention(self.ln_1(x)).transpose(1, 2).flatten(2))
        return x + self.mlp(self.ln_2(x))


class PlainBlock(Block):
    """With attention by hand."""

    def attention(self, x):
        q, k, v = self.split(x)
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
        return scores.masked_fill(hidden, float("-inf")).softmax(-1) @ v


class Own(nn.Module):
    def __init__(self, block, layers=6, width=768, vocabulary=24000, length=4096):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.h = nn.ModuleList(block(width, 12) for _ in range(layers))
        self.ln_f, self.lm_head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids):
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1], device=ids.device))
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


class Recurrent(nn.Module):
    def __init__(self, vocabulary=10000, width=512, layers=2):
        super().__init__()
        self.table, self.inner = nn.Embedding(vocabulary, width), nn.LSTM(width, width, layers, batch_first=True, dropout=0.1)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, ids):
        return self.head(self.inner(self.table(ids))[0])


def decoder(name, attention="", **words):
    """A decoder of transformers, of a size between a toy's and a product's."""
    def make(s):
        import transformers
        config = getattr(transformers, f"{name}Config")(use_cache=False, attn_implementation=attention or s.attention, **words)
        return getattr(transformers, f"{name}ForCausalLM")(config)
    return make


def classifier(name, **words):
    def make(s):
        import transformers
        config = getattr(transformers, f"{name}Config")(attn_implementation=s.attention, **words)
        return getattr(transformers, f"{name}ForMaskedLM")(config)
    return make


def bart(s):
    from transformers import BartConfig, BartForConditionalGeneration
    return BartForConditionalGeneration(BartConfig(d_model=512, encoder_layers=4, decoder_layers=4, encoder_ffn_dim=2048, decoder_ffn_dim=2048,
                                                   encoder_attention_heads=8, decoder_attention_heads=8, use_cache=False))


class Encoder(nn.Module):
    """With torch's own layers."""

    def __init__(self, vocabulary=12000, width=512, layers=6):
        super().__init__()
        self.table = nn.Embedding(vocabulary, width)
        self.layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(width, 8, 2048, batch_first=True), layers, enable_nested_tensor=False)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, ids):
        return self.head(self.layers(self.table(ids)))


class Gru(nn.Module):
    def __init__(self, vocabulary=8000, width=384):
        super().__init__()
        self.table, self.inner = nn.Embedding(vocabulary, width), nn.GRU(width, width, 3, batch_first=True)
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary)

    def forward(self, ids):
        return self.head(self.norm(self.inner(self.table(ids))[0]))


class UNet(nn.Module):
    """Two levels down and up again, then a class per image."""

    def __init__(self, width=48):
        super().__init__()
        def stage(a, b):
            return nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.GroupNorm(8, b), nn.SiLU(), nn.Conv2d(b, b, 3, padding=1), nn.GroupNorm(8, b), nn.SiLU())
        self.down = nn.ModuleList([stage(3, width), stage(width, 2 * width)])
        self.middle = stage(2 * width, 4 * width)
        self.up = nn.ModuleList([stage(6 * width, 2 * width), stage(3 * width, width)])
        self.head = nn.Linear(width, 1000)

    def forward(self, x):
        kept = []
        for stage in self.down:
            x = stage(x)
            kept.append(x)
            x = F.max_pool2d(x, 2)
        x = self.middle(x)
        for stage in self.up:
            x = stage(torch.cat([F.interpolate(x, scale_factor=2), kept.pop()], 1))
        return self.head(x.mean((2, 3)))


SIZES = dict(hidden_size=768, intermediate_size=2304, num_hidden_layers=6, num_attention_heads=12)
GROUPED = dict(SIZES, num_key_value_heads=4)
MODELS = {
    "opt": (decoder("OPT", hidden_size=768, ffn_dim=3072, num_hidden_layers=6, num_attention_heads=12, vocab_size=20000, word_embed_proj_dim=768), 20000),
    "pythia": (decoder("GPTNeoX", **SIZES, vocab_size=24000), 24000),
    "phi3": (decoder("Phi3", **GROUPED, vocab_size=20000, pad_token_id=0), 20000),
    "gemma2": (decoder("Gemma2", "eager", **GROUPED, head_dim=64, vocab_size=30000), 30000),
    "olmo2": (decoder("Olmo2", **SIZES, vocab_size=24000), 24000),
    "bloom": (decoder("Bloom", "eager", hidden_size=768, n_layer=6, n_head=12, vocab_size=24000), 24000),
    "mistral_padded": (decoder("Mistral", **GROUPED, vocab_size=16000), 16000),
    "roberta": (classifier("Roberta", **SIZES, vocab_size=16000, max_position_embeddings=1030), 16000),
    "distilbert": (classifier("DistilBert", n_layers=6, vocab_size=16000, max_position_embeddings=1024), 16000),
    "bart": (bart, 50265), "swin": (of_torchvision("swin_t"), 0), "mobilenet": (of_torchvision("mobilenet_v3_large"), 0),
    "densenet": (of_torchvision("densenet121"), 0), "encoder": (lambda s: Encoder(), 12000), "gru": (lambda s: Gru(), 8000),
    "unet": (lambda s: UNet(), 0),
    "llama": (llama, 32000), "qwen3": (qwen3, 50000), "mixtral": (mixtral, 16000), "gpt2": (gpt2, 50257), "bert": (bert, 30522), "t5": (t5, 32128),
    "vit": (vit, 0), "resnet50": (of_torchvision("resnet50"), 0), "convnext": (of_torchvision("convnext_tiny"), 0),
    "efficientnet": (of_torchvision("efficientnet_b0"), 0),
    "own": (lambda s: Own(Block), 24000), "own_attention": (lambda s: Own(PlainBlock), 24000), "lstm": (lambda s: Recurrent(), 10000),
}
LIBRARY = {"llama", "qwen3", "mixtral", "gpt2", "bert", "t5", "opt", "pythia", "phi3", "gemma2", "olmo2", "bloom", "mistral_padded", "roberta", "distilbert",
           "bart"}


def model_of(s):
    model = MODELS[s.model][0](s)
    if s.precision == "pure-bf16":
        model = model.bfloat16()
    model = model.to(DEVICE).train()
    if s.checkpointing:
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    if s.rank:
        from peft import LoraConfig, get_peft_model
        if s.checkpointing:
            model.enable_input_require_grads()
        model = get_peft_model(model, LoraConfig(r=s.rank, target_modules="all-linear"))
    return model


def optimizer_of(s, model):
    name, *options = s.optimizer.split()
    trained = [p for p in model.parameters() if p.requires_grad]
    more = {o.split("=")[0]: o.split("=")[1] == "on" for o in options}
    return {"adamw": lambda: torch.optim.AdamW(trained, **more), "sgd": lambda: torch.optim.SGD(trained, 0.01, **more),
            "sgd-momentum": lambda: torch.optim.SGD(trained, 0.01, momentum=0.9, **more)}[name]()


def batch_of(s):
    vocabulary = MODELS[s.model][1]
    if vocabulary:
        ids = torch.randint(vocabulary, (s.samples, s.length), device=DEVICE)
        batch = {"input_ids": ids, "labels": ids.clone()} if s.model in LIBRARY else {"ids": ids}
        if s.model == "mistral_padded":
            lengths = torch.linspace(s.length // 2, s.length, s.samples, device=DEVICE)
            batch["attention_mask"] = (torch.arange(s.length, device=DEVICE)[None] < lengths[:, None]).long()
        return batch
    images, labels = torch.randn(s.samples, 3, s.length, s.length, device=DEVICE), torch.randint(1000, (s.samples,), device=DEVICE)
    if s.precision == "pure-bf16":
        images = images.bfloat16()
    return {"pixel_values": images, "labels": labels} if s.model == "vit" else {"images": images, "labels": labels}


def loss_of(s, model, batch):
    with torch.autocast(DEVICE, torch.bfloat16) if s.precision == "bf16" else contextlib.nullcontext():
        if s.model in LIBRARY or s.model == "vit":
            return model(**batch).loss
        if "ids" in batch:
            return F.cross_entropy(model(batch["ids"]).flatten(0, 1), batch["ids"].flatten())
        return F.cross_entropy(model(batch["images"]), batch["labels"])


def train(s, truth, steps=3):
    """Trains, and tells `truth` (record_runs.Truth, or Silent) what is what."""
    model = model_of(s)
    optimizer = optimizer_of(s, model)
    called = torch.compile(model, mode=s.compiled) if s.compiled else model
    truth.model(model)
    for _ in range(steps):
        for _ in range(s.micro_batches):
            truth.phase("input")
            batch = batch_of(s)
            truth.tensors("input", batch.values())
            truth.phase("forward")
            loss = loss_of(s, called, batch)
            truth.backward_begins()
            (loss / s.micro_batches if s.micro_batches > 1 else loss).backward()
            truth.gradients(model)
            del loss, batch
        truth.phase("optimizer")
        truth.steps += 1
        try:
            optimizer.step()
        except torch.OutOfMemoryError:
            truth.state_at_failure(optimizer)
            raise
        truth.state(optimizer)
        optimizer.zero_grad(set_to_none=s.set_to_none)
    truth.phase("other")
    return model


class Silent:
    """Takes what is said of a run that is measured and not recorded."""

    steps = 0

    def __getattr__(self, name):
        return lambda *_: None
