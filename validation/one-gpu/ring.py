#!/usr/bin/env python3
"""Measures what one rank of a context-parallel ring computes in a layer, without its messages: attention of its balanced
share over the keys and values of each rank in turn, and the sums of partial results in fp32, as eager PyTorch does both
(torch/distributed/tensor/experimental). Prints a line per size. Needs PyTorch 2.8 or newer.
"""

import csv
import statistics
import sys

import torch

ATEN = torch.ops.aten


def flash(q, k, v, causal):
    out = ATEN._scaled_dot_product_flash_attention(q, k, v, 0.0, causal, return_debug_mask=False)
    return out[0], out[1], out


def flash_back(g, q, k, v, out, lse, causal, parts):
    return ATEN._scaled_dot_product_flash_attention_backward(g, q, k, v, out, lse, parts[2], parts[3], parts[4], parts[5], 0.0,
                                                             causal, parts[6], parts[7])


def shares(step, rank, q, k, v):
    """Rows of queries and keys that a rank with the first and last but so many of the pieces has to do in a step."""
    half = q.shape[2] // 2
    if step == 0:
        return slice(None), slice(None), True
    return (slice(None), slice(None, half), False) if step <= rank else (slice(half, None), slice(None), False)


def merge(sums, lse, part, part_lse, rows):
    part, part_lse = part.float(), part_lse.float().unsqueeze(-1)
    if sums is None:
        return part, part_lse
    old, old_lse = sums[:, :, rows], lse[:, :, rows]
    sums[:, :, rows] = old - torch.sigmoid(part_lse - old_lse) * (old - part)
    lse[:, :, rows] = old_lse - torch.nn.functional.logsigmoid(old_lse - part_lse)
    return sums, lse


def forward(ranks, rank, q, k, v, sum_up):
    sums = lse = None
    parts = None
    for step in range(ranks):
        rows, keys, causal = shares(step, rank, q, k, v)
        out, out_lse, parts_ = flash(q[:, :, rows], k[:, :, keys], v[:, :, keys], causal)
        parts = parts or parts_
        if sum_up:
            sums, lse = merge(sums, lse, out, out_lse, rows)
    return (sums.to(q.dtype), lse.squeeze(-1)) if sum_up else (out, out_lse), parts


def backward(ranks, rank, q, k, v, g, out, lse, parts, sum_up):
    sums = [torch.zeros_like(t, dtype=torch.float32) for t in (q, k, v)] if sum_up else None
    for step in range(ranks):
        rows, keys, causal = shares(step, rank, q, k, v)
        grads = flash_back(g[:, :, rows], q[:, :, rows], k[:, :, keys], v[:, :, keys], out[:, :, rows],
                           lse[:, :, rows].contiguous(), causal, parts)
        if sum_up:
            for total, grad, at in zip(sums, grads, (rows, keys, keys)):
                total[:, :, at] += grad


def seconds(call):
    call()
    times = []
    for _ in range(3):
        marks = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        marks[0].record()
        call()
        marks[1].record()
        torch.cuda.synchronize()
        times.append(marks[0].elapsed_time(marks[1]) / 1e3)
    return statistics.median(times)


def main():
    out = csv.writer(sys.stdout)
    out.writerow(["ranks", "rank", "tokens_per_rank", "direction", "with_sums", "seconds", "flop", "tflops"])
    heads, size, tokens = 32, 128, 32768
    q, k, v, g = (torch.randn(1, tokens, heads, size, device="cuda", dtype=torch.bfloat16).transpose(1, 2) for _ in range(4))
    for ranks, rank in ((1, 0), (2, 0), (2, 1), (4, 0), (4, 3), (8, 0), (8, 4), (8, 7)):
        flop = 2.0 * heads * size * tokens * tokens * ranks
        for sum_up in (False, True):
            (result, lse), parts = forward(ranks, rank, q, k, v, True)
            for direction, call, more in (("forward", lambda: forward(ranks, rank, q, k, v, sum_up), 1.0),
                                          ("backward", lambda: backward(ranks, rank, q, k, v, g, result, lse, parts, sum_up), 2.5)):
                took_s = seconds(call)
                out.writerow([ranks, rank, tokens, direction, sum_up, f"{took_s:.6f}", f"{more * flop:.6g}",
                              f"{more * flop / took_s / 1e12:.1f}"])
                sys.stdout.flush()


if __name__ == "__main__":
    main()
