"""XD5xx: kernels and memory at run time."""

from __future__ import annotations

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.matching import make
from xladoctor.rules.recognise import gpu, memory

RULES = (
    make(
        gpu.jit_kernel,
        code="XD501",
        slug="jit-kernel-failed",
        title="A generated GPU kernel could not be compiled at first use",
        level="error",
        rank=40,
        what="TensorFlow ships many element-wise GPU kernels as code that is compiled when it is "
        "first used. That compilation failed. The message carries no cause.",
        why="Known causes are a libdevice that is not found, a ptxas that is missing or too old, a driver older "
        "than the CUDA version, and a GPU that the (ROCm) compiler makes no code for. The runtime says which in the "
        "lines just above the exception. It is not auto-clustering, not jit_compile and not the graph optimizer: the "
        "message is raised in plain eager mode with XLA off as well, and nothing in it speaks of mixed float widths.",
        example="UnknownError: JIT compilation failed. [[{{node enc_1/MaximumMeanDiscrepancy/Exp}}]]",
        tell_apart="With a libdevice line above: `libdevice-missing` is the root. `tf2xla conversion "
        "failed` or `_XlaMustCompile` in the message: XLA, another matter. A CPU build of "
        "TensorFlow cannot raise this.",
        remedies=(
            Remedy(
                "show-lines",
                "Get the lines that tell the cause",
                "safe",
                "Run again with standard error kept (`TF_CPP_MIN_LOG_LEVEL=0 python train.py 2>&1 | "
                "tee log`), and look for libdevice, ptxas, `Generating device code failed` or LLVM "
                "above the exception.",
            ),
            Remedy(
                "install-cuda-tree",
                "Give TensorFlow a CUDA folder with nvvm/libdevice",
                "safe",
                "`pip install nvidia-cuda-nvcc-cu12`, or install the toolkit; then `export "
                "XLA_FLAGS=--xla_gpu_cuda_data_dir=/path/to/cuda` (the generated kernels read it "
                "too).",
            ),
            Remedy(
                "place-on-cpu",
                "Run the op on the CPU",
                "slower",
                "`with tf.device('/CPU:0'):` around the op. Shows also whether the rest is sound.",
            ),
        ),
        references=(
            "tensorflow/compiler/mlir/tools/kernel_gen/tf_framework_c_interface.cc",
            "tensorflow/compiler/mlir/tools/kernel_gen/kernel_creator.cc",
            "tensorflow/core/kernels/mlir_generated/BUILD",
        ),
    ),
    make(
        gpu.autotune,
        code="XD502",
        slug="autotune-failed",
        title="No cuDNN or cuBLAS algorithm could be chosen",
        level="error",
        rank=42,
        what="For a convolution or product the library's algorithms were tried in turn, and none could be run.",
        why="Mostly memory: another process holds the GPU, or TensorFlow left none for the "
        "workspace. Otherwise a library that failed to initialise (the lines above say so), "
        "or a shape that no algorithm takes.",
        example="No algorithm worked!  Error messages: ...",
        tell_apart="`CUDNN_STATUS_...` or `Could not create cudnn handle` above it: `gpu-library-failed` "
        "is the root. An allocation that failed above it: `oom`.",
        remedies=(
            Remedy(
                "memory-growth",
                "Leave memory for the workspace",
                "safe",
                "`tf.config.experimental.set_memory_growth(gpu, True)` before the first op, a "
                "smaller batch, no other process on the GPU.",
            ),
            Remedy(
                "no-autotune",
                "Choose without trying",
                "slower",
                "`TF_CUDNN_USE_AUTOTUNE=0` or `XLA_FLAGS=--xla_gpu_autotune_level=0`.",
            ),
        ),
        references=(
            "tensorflow/core/kernels/conv_ops_gpu.cc",
            "tensorflow/core/util/autotune_maps",
            "xla/service/gpu/autotuning",
        ),
    ),
    make(
        memory.oom,
        code="XD503",
        slug="oom",
        title="Memory of the device or the host is exhausted",
        level="error",
        rank=35,
        what="An allocation failed, in GPU memory or in the host's, at run time or while compiling.",
        why="A batch or image too large, activations kept for the gradient, another process on "
        "the GPU, a product of two vectors that broadcast into a matrix by mistake, or a "
        "constant that XLA folded into a huge array.",
        example="OOM when allocating tensor with shape[1000000,1000000,10] and type float on "
        "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc",
        tell_apart="Compare the named shape with what you expect: an absurd shape is a shape error, not "
        "a lack of memory. While compiling (`Ran out of memory in memory space`, autotuning) the program's size "
        "counts. `BufferAssignment OOM Debugging` and `cluster_N/xla_run` are run time: a compiled program asks for "
        "all its buffers at once, and names the largest. Without either it is one op's tensor. A bare `Killed` may be "
        "the host's out-of-memory killer, but does not show it: that is `not-xla`.",
        remedies=(
            Remedy(
                "smaller-batch",
                "A smaller batch",
                "changes-numerics",
                "Halve the batch until it fits; gradients then average over fewer samples.",
            ),
            Remedy(
                "check-shape",
                "Check whether the shape is meant",
                "safe",
                "An axis that is the square of another, or appears twice, comes from a broadcast of (N,) with (N, 1).",
            ),
            Remedy(
                "memory-growth",
                "Share the GPU",
                "safe",
                "`tf.config.experimental.set_memory_growth(gpu, True)`; look with `nvidia-smi` for other processes.",
            ),
        ),
        references=(
            "tensorflow/core/framework/op_kernel.cc (OpKernelContext::allocate_tensor)",
            "tensorflow/core/common_runtime/bfc_allocator.cc",
            "xla/service/buffer_assignment.cc (ToVerboseString)",
            "xla/stream_executor/integrations (Allocate)",
        ),
    ),
)
