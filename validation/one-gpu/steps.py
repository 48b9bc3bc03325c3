#!/usr/bin/env python3
"""Measures training steps of small models, or of a few layers of large ones, on one GPU.

Dense models of the GPT and Llama kinds and a mixture of experts, as Megatron-LM keeps their numbers: weights in bf16, one
bucket of gradients in fp32 that hooks add to, weights and moments of Adam in fp32. Prints a line per job: seconds per step
(median, least, most), and what PyTorch's allocator had given out and reserved at most, in bytes. Needs PyTorch 2.8 or newer.

    steps.py [--jobs NAME[,NAME...]] [--traces FOLDER]
"""

import argparse
import contextlib
import csv
import gc
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils.checkpoint import checkpoint


class Product8(torch.autograd.Function):
    """A product of operands in 8 bits, with scales of tensors or of rows, found when they are cast."""

    @staticmethod
    def cast(x, rows, kind=torch.float8_e4m3fn):
        most = torch.finfo(kind).max
        x = x.float()
        scale = (x.abs().amax(1, keepdim=True) if rows else x.abs().max()).clamp(min=1e-12) / most
        return (x / scale).clamp(-most, most).to(kind), scale

    @classmethod
    def product(cls, a, b, rows, kinds=(torch.float8_e4m3fn, torch.float8_e4m3fn), exact=False):
        """Of a and the transpose of b, both of which are summed over along their rows."""
        (a, scale_a), (b, scale_b) = cls.cast(a, rows, kinds[0]), cls.cast(b, rows, kinds[1])
        return torch._scaled_mm(a.contiguous(), b.contiguous().t(), scale_a=scale_a, scale_b=scale_b.t(),
                                out_dtype=torch.bfloat16, use_fast_accum=rows or not exact)

    @staticmethod
    def forward(ctx, x, w, rows):
        ctx.save_for_backward(x, w)
        ctx.rows = rows
        return Product8.product(x.flatten(0, -2), w, rows).view(*x.shape[:-1], -1)

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        kinds = (torch.float8_e4m3fn if ctx.rows else torch.float8_e5m2, torch.float8_e4m3fn)
        flat, g = x.flatten(0, -2), g.flatten(0, -2)
        back = Product8.product(g, w.t(), ctx.rows, kinds, True)
        return back.view(x.shape), Product8.product(g.t(), flat.t(), ctx.rows, kinds, True), None


class Linear8(nn.Linear):
    rows = False

    def forward(self, x):
        return Product8.apply(x, self.weight, self.rows)


class Linear8Rows(Linear8):
    rows = True


class Gpt(nn.Module):
    """A layer with LayerNorm, biases, fused queries, keys and values, and GELU."""

    def __init__(self, hidden, ffn, heads, **_):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.qkv, self.out = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.up, self.down = nn.Linear(hidden, ffn), nn.Linear(ffn, hidden)

    def forward(self, x, _):
        b, s, h = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, s, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(a.transpose(1, 2).reshape(b, s, h))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Attention(nn.Module):
    """Attention with grouped heads and rotary embedding in complex numbers."""

    def __init__(self, hidden, heads, kv_heads, head_size=None):
        super().__init__()
        self.heads, self.kv_heads, self.size = heads, kv_heads, head_size or hidden // heads
        self.q = nn.Linear(hidden, heads * self.size, bias=False)
        self.k = nn.Linear(hidden, kv_heads * self.size, bias=False)
        self.v = nn.Linear(hidden, kv_heads * self.size, bias=False)
        self.out = nn.Linear(heads * self.size, hidden, bias=False)

    @staticmethod
    def rotate(x, angles):
        pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * angles).flatten(3).type_as(x)

    def forward(self, x, angles):
        b, s, _ = x.shape
        q, k, v = (f(x).view(b, s, -1, self.size) for f in (self.q, self.k, self.v))
        q, k = self.rotate(q, angles), self.rotate(k, angles)
        k, v = (t.repeat_interleave(self.heads // self.kv_heads, dim=2) for t in (k, v))
        a = F.scaled_dot_product_attention(*(t.transpose(1, 2) for t in (q, k, v)), is_causal=True)
        return self.out(a.transpose(1, 2).reshape(b, s, -1))


class Gated(nn.Module):
    def __init__(self, hidden, ffn):
        super().__init__()
        self.gate, self.up = nn.Linear(hidden, ffn, bias=False), nn.Linear(hidden, ffn, bias=False)
        self.down = nn.Linear(ffn, hidden, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Experts(nn.Module):
    """Routed experts, whose products are grouped ones; tokens are sorted by expert."""

    def __init__(self, hidden, ffn, experts, top_k):
        super().__init__()
        self.top_k, self.experts = top_k, experts
        self.router = nn.Linear(hidden, experts, bias=False)
        self.gate, self.up = (nn.Parameter(torch.empty(experts, hidden, ffn).normal_(std=0.02)) for _ in range(2))
        self.down = nn.Parameter(torch.empty(experts, ffn, hidden).normal_(std=0.02))

    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        scores, chosen = self.router(x).float().softmax(-1).topk(self.top_k, -1)
        order = chosen.flatten().argsort(stable=True)
        ends = torch.bincount(chosen.flatten(), minlength=self.experts).cumsum(0).to(torch.int32)
        rows = x[order // self.top_k]
        act = F.silu(torch._grouped_mm(rows, self.gate, offs=ends)) * torch._grouped_mm(rows, self.up, offs=ends)
        back = torch._grouped_mm(act, self.down, offs=ends) * scores.flatten()[order].unsqueeze(-1).to(x.dtype)
        return torch.zeros_like(x).index_add(0, order // self.top_k, back).view(shape)


class Llama(nn.Module):
    """A layer with RMSNorm, grouped heads, and SwiGLU or routed experts."""

    def __init__(self, hidden, ffn, heads, kv_heads, experts=0, top_k=0, head_size=None):
        super().__init__()
        self.norm1, self.norm2 = nn.RMSNorm(hidden, eps=1e-5), nn.RMSNorm(hidden, eps=1e-5)
        self.attention = Attention(hidden, heads, kv_heads, head_size)
        self.mlp = Experts(hidden, ffn, experts, top_k) if experts else Gated(hidden, ffn)

    def forward(self, x, angles):
        x = x + self.attention(self.norm1(x), angles)
        return x + self.mlp(self.norm2(x))


class Model(nn.Module):
    def __init__(self, kind, layers, hidden, ffn, heads, vocabulary, sequence, recompute=False, compiled=False, linear=None,
                 **more):
        super().__init__()
        gpt = kind is Gpt
        self.recompute, self.annotate = recompute, False
        self.embedding = nn.Embedding(vocabulary, hidden)
        self.positions = nn.Embedding(sequence, hidden) if gpt else None
        layer = [kind(hidden=hidden, ffn=ffn, heads=heads, **more) for _ in range(layers)]
        for part in (part for one in layer for part in one.modules() if linear and isinstance(part, nn.Linear)):
            part.__class__ = linear
        self.layers = nn.ModuleList(torch.compile(one) if compiled else one for one in layer)
        self.norm = nn.LayerNorm(hidden) if gpt else nn.RMSNorm(hidden, eps=1e-5)
        self.head = nn.Linear(hidden, vocabulary, bias=False)
        size = more.get("head_size") or hidden // heads
        turns = torch.outer(torch.arange(sequence), 10000.0 ** (-torch.arange(0, size, 2) / size))
        self.register_buffer("angles", None if gpt else torch.polar(torch.ones_like(turns), turns).view(1, sequence, 1, -1))

    def forward(self, tokens, labels):
        x = self.embedding(tokens)
        if self.positions is not None:
            x = x + self.positions.weight
        for i, layer in enumerate(self.layers):
            with record_function(f"layers.{i}") if self.annotate else contextlib.nullcontext():
                x = checkpoint(layer, x, self.angles, use_reentrant=False) if self.recompute else layer(x, self.angles)
        logits = self.head(self.norm(x)).float()
        return F.cross_entropy(logits.view(-1, logits.shape[-1]), labels.view(-1))


class Optimizer:
    """Adam on weights in fp32, of gradients in fp32 that hooks add up; clips, steps, and copies weights back to bf16."""

    def __init__(self, model):
        self.weights = list(model.parameters())
        self.masters = [w.detach().float() for w in self.weights]
        for w in self.weights:
            w.main_grad = torch.zeros_like(w, dtype=torch.float32)
            w.register_post_accumulate_grad_hook(self.add)
        self.adam = torch.optim.AdamW(self.masters, lr=1e-5, fused=True)

    @staticmethod
    def add(weight):
        weight.main_grad.add_(weight.grad)
        weight.grad = None

    @torch.no_grad()
    def step(self):
        for master, w in zip(self.masters, self.weights):
            master.grad = w.main_grad
        torch.nn.utils.clip_grad_norm_(self.masters, 1.0, foreach=True)
        self.adam.step()
        torch._foreach_copy_(self.weights, self.masters)
        torch._foreach_zero_([w.main_grad for w in self.weights])


GPT = dict(kind=Gpt, vocabulary=50304)
SIZES = {
    "gpt-125m": GPT | dict(layers=12, hidden=768, ffn=3072, heads=12, sequence=1024),
    "gpt-350m": GPT | dict(layers=24, hidden=1024, ffn=4096, heads=16, sequence=2048),
    "gpt-1.3b": GPT | dict(layers=24, hidden=2048, ffn=8192, heads=16, sequence=2048),
    "llama-1b": dict(kind=Llama, layers=16, hidden=2048, ffn=8192, heads=32, kv_heads=8, sequence=8192, vocabulary=128256),
    "llama-8b-4l": dict(kind=Llama, layers=4, hidden=4096, ffn=14336, heads=32, kv_heads=8, sequence=8192, vocabulary=128256),
    "llama-70b-2l": dict(kind=Llama, layers=2, hidden=8192, ffn=28672, heads=64, kv_heads=8, sequence=4096, vocabulary=32000),
    "qwen3-30b-4l": dict(kind=Llama, layers=4, hidden=2048, ffn=768, heads=32, kv_heads=4, head_size=128, experts=128,
                         top_k=8, sequence=4096, vocabulary=32000),
}
# Name: model, sequences of a micro-batch, micro-batches of a step, and what else is set.
JOBS = {
    "gpt-125m-b4": ("gpt-125m", 4, 4, {}),
    "gpt-125m-b8": ("gpt-125m", 8, 4, {}),
    "gpt-125m-b32": ("gpt-125m", 32, 2, {}),
    "gpt-350m-b4": ("gpt-350m", 4, 4, {}),
    "gpt-350m-b16": ("gpt-350m", 16, 2, {}),
    "gpt-1.3b-b1": ("gpt-1.3b", 1, 4, {}),
    "gpt-1.3b-b2": ("gpt-1.3b", 2, 4, {}),
    "gpt-1.3b-b4": ("gpt-1.3b", 4, 1, {}),
    "gpt-1.3b-b4-n4": ("gpt-1.3b", 4, 4, {}),
    "gpt-1.3b-b8-full": ("gpt-1.3b", 8, 2, dict(recompute=True)),
    "llama-1b-b1": ("llama-1b", 1, 2, {}),
    "llama-8b-4l-b1": ("llama-8b-4l", 1, 1, {}),
    "llama-8b-4l-b1-n4": ("llama-8b-4l", 1, 4, {}),
    "llama-8b-4l-b2-full": ("llama-8b-4l", 2, 2, dict(recompute=True)),
    "llama-70b-2l-b1": ("llama-70b-2l", 1, 4, {}),
    "llama-70b-2l-b2": ("llama-70b-2l", 2, 2, {}),
    "qwen3-30b-4l-b1": ("qwen3-30b-4l", 1, 4, {}),
    "qwen3-30b-4l-b4": ("qwen3-30b-4l", 4, 2, {}),
    "gpt-1.3b-b4-compiled": ("gpt-1.3b", 4, 4, dict(compiled=True)),
    "llama-8b-4l-b1-compiled": ("llama-8b-4l", 1, 4, dict(compiled=True)),
    "llama-1b-b1-compiled": ("llama-1b", 1, 2, dict(compiled=True)),
    "llama-8b-4l-b1-fp8": ("llama-8b-4l", 1, 4, dict(compiled=True, linear=Linear8)),
    "llama-8b-4l-b1-fp8-rows": ("llama-8b-4l", 1, 4, dict(compiled=True, linear=Linear8Rows)),
    "llama-8b-4l-b2-fp8": ("llama-8b-4l", 2, 2, dict(compiled=True, linear=Linear8)),
    "llama-70b-2l-b1-fp8": ("llama-70b-2l", 1, 4, dict(compiled=True, linear=Linear8)),
    "llama-70b-2l-b1-fp8-rows": ("llama-70b-2l", 1, 4, dict(compiled=True, linear=Linear8Rows)),
}
TRACED = ("gpt-1.3b-b4", "llama-8b-4l-b1", "llama-8b-4l-b1-compiled", "qwen3-30b-4l-b1", "llama-8b-4l-b1-fp8",
          "llama-8b-4l-b1-fp8-rows")


class Job:
    def __init__(self, name):
        size, self.batch, self.passes, more = JOBS[name]
        torch.manual_seed(1)
        with torch.device("cuda"):
            self.model = Model(**(SIZES[size] | more)).bfloat16()
        self.optimizer = Optimizer(self.model)
        shape = (self.batch, SIZES[size]["sequence"])
        self.tokens = torch.randint(0, SIZES[size]["vocabulary"], shape, device="cuda")

    def step(self):
        for _ in range(self.passes):
            self.model(self.tokens, self.tokens).backward()
        self.optimizer.step()

    def times(self):
        """Seconds of steps, of which at least five, and those of three seconds."""
        for _ in range(3):
            self.step()
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        times, end = [], time.perf_counter() + 3
        while len(times) < 5 or time.perf_counter() < end:
            start = time.perf_counter()
            self.step()
            torch.cuda.synchronize()
            times.append(time.perf_counter() - start)
        return times

    def trace(self, path):
        self.model.annotate = True
        with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], acc_events=True) as profiler:
            for i in range(2):
                with record_function(f"ProfilerStep#{i}"):
                    self.step()
                    torch.cuda.synchronize()
        profiler.export_chrome_trace(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", default=",".join(JOBS))
    parser.add_argument("--traces")
    given = parser.parse_args()
    out = csv.writer(sys.stdout)
    out.writerow(["job", "steps", "median_s", "least_s", "most_s", "parameters", "allocated_b", "reserved_b"])
    for name in given.jobs.split(","):
        try:
            with sdpa_kernel([SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION], set_priority=True):
                job = Job(name)
                times = job.times()
                memory = torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved()
                if given.traces and name in TRACED:
                    job.trace(f"{given.traces}/{name}.json.gz")
            count = sum(w.numel() for w in job.model.parameters())
            median = statistics.median(times)
            out.writerow([name, len(times), f"{median:.6f}", f"{min(times):.6f}", f"{max(times):.6f}", count, *memory])
        except Exception as error:  # the other jobs go on
            print(f"{name}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
        sys.stdout.flush()
        job = None
        torch._dynamo.reset()
        gc.collect()
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
