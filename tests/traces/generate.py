"""Writes a trace as PyTorch's profiler does, of made-up kernels: generate.py SEED STEPS KERNELS [--layers] [--bare] > FILE.
KERNELS are those of a step. Bare is a trace of one step that names none and has no optimizer, so that all of it counts."""
import random
import sys

NAMES = [
    "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8>(Params)",
    "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTN",
    "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4> >(Flash_fwd_params)",
    "void transformer_engine::normalization::rmsnorm_fwd_tuned_kernel<float>(Params)",
    "triton_poi_fused_add_mul_silu_3",
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >(int)",
    "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float> >(long, int volatile*)",
    "void some_vendor::secret<\\\"quoted\\\", \\u00e4>(int)",
]
GROUPS = [("TENSOR_MODEL_PARALLEL_GROUP", 2, "[0, 1]"), ("DATA_PARALLEL_GROUP_WITH_CP", 4, "[0, 2, 4, 6]"),
          ("PIPELINE_MODEL_PARALLEL_GROUP", 2, "[0, 8]"), ("", 4, "[0, 2, 4, 6]")]


class Trace:
    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.now = 1700000000000000000 + seed  # nanoseconds, since 1970
        self.first = True
        self.names = NAMES if "--bare" not in sys.argv else [name for name in NAMES if "Adam" not in name]

    def emit(self, category, name, thread, start, length, arguments=""):
        print("%s {\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %s, \"tid\": %s,\n   \"ts\": %d.%03d, \"dur\": %d.%03d,"
              "\n   \"args\": {\"External id\": 1, \"device\": 0, \"grid\": [1, {\"x\": 2}, 3]%s}}"
              % ("" if self.first else ",", category, name, "0" if category != "user_annotation" else "12345", thread,
                 start // 1000, start % 1000, length // 1000, length % 1000, arguments))
        self.first = False

    def kernels(self, count, layers):
        draw, at, out = self.draw, {7: self.now, 20: self.now, 28: self.now}, []
        for i in range(count):
            stream = draw.choice([7, 7, 7, 20, 28])
            start = at[stream] + draw.randrange(20000) * draw.randrange(2)
            length = draw.randrange(1, 300000)
            at[stream] = start + length
            if stream == 28:
                out.append(("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", stream, start, length, ", \"bytes\": 4096"))
            elif stream == 20:
                group, size, ranks = draw.choice(GROUPS)
                out.append(("kernel", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", stream,
                            start, length, ", \"Group size\": %d, \"Process Group Description\": \"%s\", "
                            "\"Process Group Ranks\": \"%s\"" % (size, group, ranks)))
            else:
                out.append(("kernel", draw.choice(self.names), stream, start, length, ""))
                if layers and i % 4 == 0:
                    out.append(("gpu_user_annotation", "model.layers.%d.mlp" % draw.randrange(8), stream, start, length, ""))
        for i in range(0, len(out) - 8, 8):  # roughly in order of time, as activities of several streams are
            part = out[i:i + 8]
            draw.shuffle(part)
            out[i:i + 8] = part
        for item in out:
            self.emit(*item)
        return max(at.values())


def main():
    seed, steps, kernels = (int(text) for text in sys.argv[1:4])
    trace = Trace(seed)
    print("{\n \"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0}],\n"
          " \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": 0, \"world_size\": 8},\n \"traceEvents\": [")
    for step in range(steps):
        end = trace.kernels(kernels, "--layers" in sys.argv)
        if "--bare" not in sys.argv:
            trace.emit("user_annotation", "ProfilerStep#%d" % (step + 5), 99, trace.now, end - trace.now)
        trace.now = end + trace.draw.randrange(50000)
    print("\n], \"traceName\": \"made up\"}")


if __name__ == "__main__":
    main()
