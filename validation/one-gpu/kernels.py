#!/usr/bin/env python3
"""Measures kernels of training on one GPU, by themselves: products, attention, norms and element-wise chains, copies, Adam,
launches. Prints a line per kernel: what it is, its sizes, median seconds. Needs PyTorch 2.8 or newer.

    kernels.py [PART...]

Each is launched some times in a row behind a long enough warm-up, on one of several sets of operands in turn, so that caches
hold none of them. Products and an addition are also measured beside a kernel that holds so many multiprocessors and
copies, as collectives do (that needs CuPy).
"""

import csv
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

BF16, FP8, GPU = torch.bfloat16, torch.float8_e4m3fn, "cuda"
OUT = csv.writer(sys.stdout)


def mean_seconds(calls, count):
    """Mean seconds of so many calls, which are made in turn."""
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
    marks[0].record()
    for i in range(count):
        calls[i % len(calls)]()
    marks[1].record()
    torch.cuda.synchronize()
    return marks[0].elapsed_time(marks[1]) / 1e3 / count


def seconds(calls, budget=0.06):
    """Median seconds of one of the calls."""
    mean_seconds(calls, 3)
    once = mean_seconds(calls, 5)
    count = max(5, min(200, int(budget / 5 / once)))
    return statistics.median(mean_seconds(calls, count) for _ in range(5))


def graphed(call, repeats=20):
    """A call replayed without a host: seconds of one of many launches in a CUDA graph."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(repeats):
            call()
    return seconds([graph.replay]) / repeats


def row(kind, sizes, time_s, flop=0, moved_b=0):
    OUT.writerow([kind, " ".join(str(s) for s in sizes), f"{time_s:.9f}", f"{flop:.6g}", f"{moved_b:.6g}",
                  f"{flop / time_s / 1e12:.1f}", f"{moved_b / time_s / 1e9:.1f}"])
    sys.stdout.flush()


def sets(make, moved_b):
    return [make() for _ in range(max(1, min(8, int(2e8 / moved_b) + 1)))]


def normal(*shape, dtype=BF16):
    return torch.randn(*shape, device=GPU, dtype=BF16).to(dtype)


def products():
    shapes = [(t, n, k) for t in (1024, 2048, 4096, 8192, 16384)
              for n, k in ((2304, 768), (3072, 1024), (1024, 1024), (6144, 2048), (8192, 2048), (2048, 8192), (4096, 4096),
                           (6144, 4096), (14336, 4096), (4096, 14336), (8192, 8192), (28672, 8192), (8192, 3584))]
    shapes += [(n, n, n) for n in (256, 512, 1024, 2048, 4096, 8192, 16384)]
    shapes += [(8192, 128256, 4096), (8192, 50304, 2048), (8192, 128256, 2048)]
    for m, n, k in shapes:
        moved = 2.0 * (m * k + k * n + m * n)
        x = sets(lambda: normal(m, k), moved)
        w, y = normal(n, k), normal(m, n)
        flop = 2.0 * m * n * k
        row("forward", (m, n, k), seconds([lambda a=a: F.linear(a, w) for a in x]), flop, moved)
        row("input-gradient", (m, n, k), seconds([lambda: y @ w]), flop, moved)
        row("weight-gradient", (m, n, k), seconds([lambda a=a: y.t() @ a for a in x]), flop, moved)
        x8, w8 = normal(m, k, dtype=FP8), normal(n, k, dtype=FP8)
        one = torch.ones((), device=GPU)
        row("forward-fp8", (m, n, k),
            seconds([lambda: torch._scaled_mm(x8, w8.t(), scale_a=one, scale_b=one, out_dtype=BF16, use_fast_accum=True)]),
            flop, moved)
        row("forward-fp8-exact", (m, n, k),
            seconds([lambda: torch._scaled_mm(x8, w8.t(), scale_a=one, scale_b=one, out_dtype=BF16)]), flop, moved)
        del x, w, y, x8, w8


def blocks():
    """Products in fp8 with a scale for each 128 of a row, or for blocks of 128 x 128, beside those with one scale."""
    def scales(rows, columns):  # of pieces of rows, one row after the other
        return torch.ones(columns, rows, device=GPU).t()

    for m, n, k in ((4096, 4096, 4096), (8192, 4096, 4096), (8192, 14336, 4096), (8192, 4096, 14336), (8192, 8192, 8192),
                    (4096, 7168, 2048), (4096, 2048, 7168), (16384, 4096, 7168), (1024, 4096, 7168), (4096, 24576, 1536)):
        a, b = normal(m, k, dtype=FP8), normal(n, k, dtype=FP8)
        one, flop, moved = torch.ones((), device=GPU), 2.0 * m * n * k, m * k + k * n + 2.0 * m * n
        rows, columns = torch.ones(m, 1, device=GPU), torch.ones(1, n, device=GPU)
        for name, sides in (("one-scale", (one, one)), ("row-scales", (rows, columns)),
                            ("tile-scales", (scales(m, k // 128), scales(n, k // 128).t())),
                            ("tile-and-block-scales", (scales(m, k // 128), torch.ones(n // 128, k // 128, device=GPU).t()))):
            for fast in (True, False):
                try:
                    took_s = seconds([lambda: torch._scaled_mm(a, b.t(), scale_a=sides[0], scale_b=sides[1], out_dtype=BF16,
                                                               use_fast_accum=fast)])
                    row(f"{name}{'' if fast else '-exact'}", (m, n, k), took_s, flop, moved)
                except Exception as error:
                    print(f"{name} {fast}: {str(error)[:300]}", file=sys.stderr)


def sustained():
    """A product for two seconds, then the same: what the clock leaves of it."""
    x, w = normal(8192, 8192), normal(8192, 8192)
    for part in range(4):
        row("sustained", (8192, 8192, 8192, part), seconds([lambda: x @ w], 1.0), 2.0 * 8192**3, 6.0 * 8192**2)


def grouped():
    for experts, rows, n, k in ((8, 1024, 14336, 4096), (16, 1024, 768, 2048), (64, 512, 768, 2048), (128, 256, 768, 2048),
                                (128, 1024, 768, 2048), (32, 1024, 2048, 7168), (32, 4096, 2048, 7168)):
        x, w = normal(experts * rows, k), normal(experts, k, n)
        ends = torch.arange(1, experts + 1, device=GPU, dtype=torch.int32) * rows
        flop, moved = 2.0 * experts * rows * n * k, 2.0 * (experts * rows * (n + k) + experts * n * k)
        row("grouped", (experts, rows, n, k), seconds([lambda: torch._grouped_mm(x, w, offs=ends)]), flop, moved)
        row("each", (experts, rows, n, k), seconds([lambda: [x[i * rows:(i + 1) * rows] @ w[i] for i in range(experts)]]),
            flop, moved)


def attention():
    for kernel, backend in (("cudnn", SDPBackend.CUDNN_ATTENTION), ("flash2", SDPBackend.FLASH_ATTENTION)):
        for size, heads in ((128, 32), (64, 32), (128, 16)):
            for s in (512, 1024, 2048, 4096, 8192, 16384):
                b = max(1, 16384 // s)
                q, k, v = (normal(b, s, heads, size).transpose(1, 2).requires_grad_() for _ in range(3))
                flop = 4.0 * b * heads * s * s * size
                with sdpa_kernel(backend):
                    forward = seconds([lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True)])
                    out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
                    g = torch.randn_like(out)
                    back = seconds([lambda: torch.autograd.grad(out, (q, k, v), g, retain_graph=True)])
                row(f"attention-{kernel}", (b, s, heads, size), forward, flop, 8.0 * b * s * heads * size)
                row(f"attention-{kernel}-backward", (b, s, heads, size), back, 2.5 * flop, 16.0 * b * s * heads * size)


def vector():
    for mib in (0.1, 1, 4, 10, 32, 100, 320, 1000):
        n = int(mib * 2**20) // 4
        a, b = (torch.randn(n, device=GPU, dtype=BF16) for _ in range(2))
        row("copy", (2 * n,), graphed(lambda: b.copy_(a)), 0, 4.0 * n)
        row("add", (2 * n,), graphed(lambda: torch.add(a, b, out=b)), n, 6.0 * n)
        del a, b
    for t, h in ((2048, 2048), (8192, 2048), (8192, 4096), (8192, 8192), (32768, 4096)):
        x, w, bias, g = normal(t, h), normal(h), normal(h), normal(t, h)
        parts = [normal(t, h) for _ in range(2)]
        for name, norm in (("rms-norm", lambda a, c: F.rms_norm(a, (h,), c)),
                           ("layer-norm", lambda a, c: F.layer_norm(a, (h,), c, bias))):
            a, c = x.clone().requires_grad_(), w.clone().requires_grad_()
            y = norm(a, c)
            row(name, (t, h), seconds([lambda: norm(x, w)]), 0, 4.0 * t * h)
            row(name + "-backward", (t, h), seconds([lambda: torch.autograd.grad(y, (a, c), g, retain_graph=True)]), 0, 6.0 * t * h)
        for name, call, reads in (("gelu", lambda p, q: F.gelu(p, approximate="tanh"), 1), ("swiglu", lambda p, q: F.silu(p) * q, 2)):
            fused = torch.compile(call)
            row(name, (t, h), seconds([lambda: fused(*parts)]), 0, 2.0 * (reads + 1) * t * h)
            row(name + "-eager", (t, h), seconds([lambda: call(*parts)]), 0, 2.0 * (reads + 1) * t * h)
    for t, v in ((2048, 50304), (8192, 50304), (8192, 128256)):
        logits, labels = normal(t, v).requires_grad_(), torch.randint(0, v, (t,), device=GPU)
        loss = lambda: F.cross_entropy(logits.float(), labels)
        row("cross-entropy", (t, v), seconds([loss]), 0, 2.0 * t * v)
        once = loss()
        row("cross-entropy-backward", (t, v), seconds([lambda: torch.autograd.grad(once, logits, retain_graph=True)]), 0, 4.0 * t * v)
        del logits, once
    table, tokens = normal(128256, 4096).requires_grad_(), torch.randint(0, 128256, (8192,), device=GPU)
    rows_, = (F.embedding(tokens, table),)
    g = torch.randn_like(rows_)
    row("embedding", (8192, 4096), seconds([lambda: F.embedding(tokens, table)]), 0, 4.0 * 8192 * 4096)
    row("embedding-backward", (8192, 4096), seconds([lambda: torch.autograd.grad(rows_, table, g, retain_graph=True)]), 0,
        2.0 * 128256 * 4096)


def adam():
    for count in (1, 24):
        weights = [torch.randn(50_000_000 // count * 4, device=GPU, requires_grad=True) for _ in range(count)]
        for w in weights:
            w.grad = torch.randn_like(w)
        n = sum(w.numel() for w in weights)
        for name, more in (("adam", dict(fused=True)), ("adam-foreach", dict(foreach=True))):
            step = torch.optim.AdamW(weights, lr=1e-5, **more).step
            row(name, (n, count), seconds([step]), 0, 28.0 * n)


COPY = r"""
extern "C" __global__ void copy(const float4 *a, float4 *b, long n, int repeats)
{
  extern __shared__ char held[];
  for (int r = 0; r < repeats; ++r)
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) b[i] = a[i];
}"""


def beside():
    """Rates alone, and while blocks with most of a multiprocessor's shared memory copy on another stream."""
    import cupy

    held_b = 150 * 1024
    copy = cupy.RawKernel(COPY, "copy")
    copy.max_dynamic_shared_size_bytes = held_b
    source, target = (torch.empty(2**26, device=GPU) for _ in range(2))
    side = torch.cuda.Stream()

    def timed(call, count, blocks):
        for _ in range(3):
            call()
        torch.cuda.synchronize()
        if blocks:
            with cupy.cuda.ExternalStream(side.cuda_stream):
                copy((blocks,), (512,), (source.data_ptr(), target.data_ptr(), source.numel() // 4, 2 + blocks), shared_mem=held_b)
        return mean_seconds([call], count)

    for m, n, k in ((8192, 6144, 4096), (8192, 4096, 4096), (8192, 28672, 4096), (8192, 4096, 14336), (8192, 7168, 8192),
                    (8192, 8192, 2048), (4096, 4096, 4096)):
        x, y, w, sums = normal(m, k), normal(m, n), normal(n, k), torch.zeros(n, k, device=GPU)
        flop = 2.0 * m * n * k
        for name, call in (("forward", lambda: F.linear(x, w)), ("weight-gradient", lambda: y.t() @ x),
                           ("weight-gradient-fp32", lambda: torch.mm(y.t(), x, out_dtype=torch.float32)),
                           ("weight-gradient-fp32-copy-and-sum", lambda: torch.addmm(sums, y.t(), x, out_dtype=torch.float32))):
            for blocks in (0, 4, 8, 16, 24, 32):
                row(f"{name} beside", (m, n, k, blocks), timed(call, max(6, int(16e12 / flop)), blocks), flop)
    a, b = normal(8192, 8192), normal(8192, 8192)
    for blocks in (0, 4, 8, 16, 24, 32):
        row("add beside", (2 * a.numel(), blocks), timed(lambda: torch.add(a, b), 100, blocks), 0, 6.0 * a.numel())


def launches():
    x, y = normal(64, 64), normal(64, 64).requires_grad_()
    linear = torch.nn.Linear(64, 64, device=GPU, dtype=BF16)
    norm = torch.nn.LayerNorm(64, device=GPU, dtype=BF16)

    def host(call, count=3000):
        for _ in range(200):
            call()
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(count):
            call()
        passed = time.perf_counter() - start
        torch.cuda.synchronize()
        return passed / count

    def chain(depth=200):
        z = y
        for _ in range(depth):
            z = linear(z) + y
        return z.sum()

    row("host add", (1,), host(lambda: x + x))
    row("host linear", (1,), host(lambda: linear(x)))
    row("host linear with gradients", (1,), host(lambda: linear(y)))
    row("host layer norm with gradients", (1,), host(lambda: norm(y)))
    for part in range(3):
        start = time.perf_counter()
        end = chain()
        middle = time.perf_counter()
        torch.cuda.synchronize()
        again = time.perf_counter()
        end.backward()
        torch.cuda.synchronize()
        row("host chain forward, per linear and add", (part,), (middle - start) / 200)
        row("host chain backward, per linear and add", (part,), (time.perf_counter() - again) / 200)
    row("gpu add in a graph", (64, 64), graphed(lambda: torch.add(x, x, out=x), 200))
    row("gpu product in a graph", (64, 64), graphed(lambda: torch.mm(x, x), 200))


if __name__ == "__main__":
    OUT.writerow(["kernel", "sizes", "seconds", "flop", "moved_b", "tflops", "gbps"])
    parts = (launches, vector, adam, attention, grouped, beside, sustained, blocks, products)
    for part in (part for part in parts if len(sys.argv) == 1 or part.__name__ in sys.argv[1:]):
        try:
            part()
        except Exception as error:  # the other kernels go on
            print(f"{part.__name__}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
        torch.cuda.empty_cache()
