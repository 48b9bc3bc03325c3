#!/usr/bin/env python3
"""Measures what a GPU sustains: a product, then training steps, for half a minute each, with its clock, power and
temperature once a second. Prints a line per second. Needs PyTorch 2.8 or newer and nvidia-ml-py.
"""

import csv
import sys
import time

import pynvml
import torch

import steps

OUT = csv.writer(sys.stdout)


def sustain(name, call, flop, seconds):
    gpu = pynvml.nvmlDeviceGetHandleByIndex(0)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        start, count = time.perf_counter(), 0
        while time.perf_counter() < start + 1:
            call()
            count += 1
        clock = pynvml.nvmlDeviceGetClockInfo(gpu, pynvml.NVML_CLOCK_SM)  # launches are ahead of the GPU, which is busy
        power_w = pynvml.nvmlDeviceGetPowerUsage(gpu) / 1e3
        torch.cuda.synchronize()
        took_s = (time.perf_counter() - start) / count
        OUT.writerow([name, f"{took_s:.6f}", f"{flop / took_s / 1e12:.1f}", clock, f"{power_w:.0f}",
                      pynvml.nvmlDeviceGetTemperature(gpu, pynvml.NVML_TEMPERATURE_GPU),
                      hex(pynvml.nvmlDeviceGetCurrentClocksThrottleReasons(gpu))])
        sys.stdout.flush()


def main():
    pynvml.nvmlInit()
    gpu = pynvml.nvmlDeviceGetHandleByIndex(0)
    print(pynvml.nvmlDeviceGetName(gpu), pynvml.nvmlDeviceGetEnforcedPowerLimit(gpu) / 1e3, "W", file=sys.stderr)
    OUT.writerow(["what", "seconds", "tflops", "sm_mhz", "power_w", "celsius", "throttled_by"])
    for m, n, k, scale in ((8192, 14336, 4096, 1.0), (8192, 8192, 8192, 1.0), (8192, 8192, 8192, 0.0)):
        x, w = (torch.randn(*s, device="cuda", dtype=torch.bfloat16) * scale for s in ((m, k), (k, n)))
        y = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
        sustain(f"product {m} {n} {k} x{scale:g}", lambda: torch.mm(x, w, out=y), 2.0 * m * n * k, 16)
    del x, w, y
    job = steps.Job("llama-8b-4l-b1-n4")
    layers, tokens = 4 * (4096 * 4096 * 2 + 4096 * 1024 * 2 + 3 * 4096 * 14336) + 4096 * 128256, 4 * 8192
    sustain("llama-8b-4l-b1-n4", job.step, 6.0 * layers * tokens, 16)


if __name__ == "__main__":
    main()
