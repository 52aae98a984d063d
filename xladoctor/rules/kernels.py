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
        what="TensorFlow compiles many element-wise GPU kernels when they are first used. That compilation failed, "
        "and the message does not say why.",
        why="Known causes are a libdevice that is not found, a ptxas that is missing or too old, a driver older than "
        "the CUDA version, and a GPU that the (ROCm) compiler does not support. The lines just above the exception "
        "say which. Auto-clustering, jit_compile and the graph optimizer are not the cause: the same message comes "
        "in eager execution with XLA off. It is not about mixed float widths either.",
        example="UnknownError: JIT compilation failed. [[{{node enc_1/MaximumMeanDiscrepancy/Exp}}]]",
        tell_apart="With a libdevice line above it, the root cause is `libdevice-missing`. `tf2xla conversion "
        "failed` or `_XlaMustCompile` in the message means XLA, and so another class. A CPU build of TensorFlow "
        "cannot raise this.",
        remedies=(
            Remedy(
                "show-lines",
                "Get the lines that name the cause",
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
                "`with tf.device('/CPU:0'):` around the op. This also shows whether the rest works.",
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
        what="TensorFlow tried all algorithms of the library for a convolution or product, and none could run.",
        why="Usually memory is missing: another process holds the GPU, or TensorFlow left none for the workspace. "
        "Otherwise a library failed to initialise (the lines above say so), or no algorithm supports the shape.",
        example="No algorithm worked!  Error messages: ...",
        tell_apart="`CUDNN_STATUS_...` or `Could not create cudnn handle` above it means that the root cause is "
        "`gpu-library-failed`. A failed allocation above it means `oom`.",
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
                "Choose an algorithm without trying all",
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
        why="A batch or image that is too large, activations kept for the gradient, another process on the GPU, a "
        "product of two vectors that broadcast into a matrix by mistake, or a constant that XLA folded into a huge "
        "array.",
        example="OOM when allocating tensor with shape[1000000,1000000,10] and type float on "
        "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc",
        tell_apart="Compare the named shape with what you expect: an absurd shape is a shape error, not a lack of "
        "memory. `Ran out of memory in memory space` and autotuning come while XLA compiles. `BufferAssignment OOM "
        "Debugging` and `cluster_N/xla_run` come at run time: a compiled program allocates all its buffers at once, "
        "and the message names the largest. Otherwise it is the tensor of one op. A bare `Killed` may come from the "
        "host's out-of-memory killer, but does not prove it: that is `not-xla`.",
        remedies=(
            Remedy(
                "smaller-batch",
                "Use a smaller batch",
                "changes-numerics",
                "Halve the batch size until it fits. Gradients are then averages over fewer samples.",
            ),
            Remedy(
                "check-shape",
                "Check whether the shape is intended",
                "safe",
                "A size that is the square of another, or that appears twice, comes from a broadcast of (N,) with "
                "(N, 1).",
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
