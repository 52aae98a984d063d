"""XD1xx: flags, and libraries that the GPU path needs."""

from __future__ import annotations

from xladoctor.model.diagnosis import Remedy
from xladoctor.rules.base import Rule
from xladoctor.rules.matching import make
from xladoctor.rules.recognise import environment, gpu
from xladoctor.rules.recognise.ineffective import ineffective

_CUDA_TREE = Remedy(
    "install-cuda-tree",
    "Give XLA a CUDA folder that holds nvvm/libdevice",
    "safe",
    "Install a CUDA toolkit (or `pip install nvidia-cuda-nvcc-cu12`), and name the "
    "folder that contains `nvvm/libdevice/libdevice.10.bc`: "
    "`export XLA_FLAGS=--xla_gpu_cuda_data_dir=/path/to/cuda`. It must be set before the "
    "first compilation of the process.",
)

RULES = (
    make(
        environment.flag_error,
        code="XD101",
        slug="flag-error",
        title="A flag that this TensorFlow does not know",
        level="error",
        rank=5,
        what="XLA_FLAGS or TF_XLA_FLAGS holds a flag that is unknown, misspelt, meant for the "
        "other variable, or written with typographic dashes. "
        "The process ends when the variable is first read: TF_XLA_FLAGS at the first op, "
        "XLA_FLAGS at the first compilation.",
        why="TensorFlow parses flags once, and an unknown name is fatal on purpose, so that no setting is silently "
        "lost. Which names exist depends on the version: flags come and go between releases.",
        example="Unknown flag in XLA_FLAGS: --tf_xla_auto_jit=2",
        tell_apart="The process ends at once, with exit status 1 (or SIGABRT in older versions) and "
        "without a Python traceback. "
        "`flag-ineffective` is the opposite: the flag is accepted and changes nothing.",
        remedies=(
            Remedy(
                "remove-flag",
                "Remove or correct the flag",
                "safe",
                "Unset the variable, or put the flag in the variable that owns it: names that begin "
                "with `tf_xla_` belong to TF_XLA_FLAGS, those with `xla_` to XLA_FLAGS. Each begins "
                "with two plain hyphens.",
            ),
            Remedy(
                "list-flags",
                "See which flags this build knows",
                "safe",
                '`TF_XLA_FLAGS=--help python -c "import tensorflow as tf; tf.constant(1)"` prints '
                "the names that this version has.",
            ),
        ),
        references=("xla/parse_flags_from_env.cc", "xla/debug_options_flags.cc", "tensorflow/compiler/jit/flags.cc"),
    ),
    Rule(
        code="XD102",
        slug="flag-ineffective",
        title="A switch that is set but has no effect here",
        level="warning",
        rank=80,
        what="A flag or switch is set, but the code that it controls did not run. Typically "
        "TF_XLA_FLAGS=--tf_xla_auto_jit=0 is set, while functions are compiled explicitly with jit_compile=True.",
        why="There are several separate ways into XLA. --tf_xla_auto_jit, tf.config.optimizer.set_jit and "
        "global_jit_level control only auto-clustering. `jit_compile=True` marks a function with `_XlaMustCompile`, "
        "and so does Keras' compile(jit_compile='auto') on a machine with an accelerator. No flag undoes that.",
        example='TF_XLA_FLAGS="--tf_xla_auto_jit=0" and still: tf2xla conversion failed while '
        "converting __inference_f_12[_XlaMustCompile=true,...]",
        tell_apart="`_XlaMustCompile=true` (or a function with jit_compile) in the message means that TensorFlow "
        "never reads the switch for this function. `dead-switch` is a setting of your program that nothing reads.",
        remedies=(
            Remedy(
                "jit-off",
                "Switch XLA off where it is switched on",
                "slower",
                "Remove `jit_compile=True` from the tf.function, or pass `jit_compile=False` to "
                "`model.compile`. To test without editing: `tf.config.run_functions_eagerly(True)`.",
            ),
        ),
        references=(
            "tensorflow/compiler/jit/flags.cc",
            "tensorflow/compiler/jit/mark_for_compilation_pass.cc",
            "keras/src/trainers/trainer.py (resolve_auto_jit_compile)",
        ),
        match=ineffective,
    ),
    make(
        gpu.libdevice,
        code="XD103",
        slug="libdevice-missing",
        title="libdevice (the GPU's math library) is not found",
        level="error",
        rank=10,
        what="XLA and TensorFlow's generated kernels link exp, log, sin and the like from `libdevice.10.bc`, a file "
        "of the CUDA toolkit. The file was not found, so GPU code that needs it cannot be compiled.",
        why="TensorFlow looks for the file in --xla_gpu_cuda_data_dir, in ./, and in a few usual CUDA folders. "
        "Wheels and conda packages of CUDA put it elsewhere, or leave it out.",
        example="libdevice not found at ./libdevice.10.bc [Op:__inference_train_function_1]",
        tell_apart="The name of the file is in the message, or in the lines of the runtime just above it. Without "
        "such a line, `JIT compilation failed.` is `jit-kernel-failed`, and its cause is not known.",
        remedies=(
            _CUDA_TREE,
            Remedy(
                "jit-off",
                "Switch XLA off",
                "slower",
                "With `jit_compile=False`, XLA does not need libdevice. That does not help if TensorFlow's generated "
                "kernels need it (`JIT compilation failed.`).",
            ),
        ),
        references=(
            "xla/service/gpu/llvm_gpu_backend/nvptx_backend.cc",
            "xla/service/gpu/nvptx_compiler.cc",
            "tsl/platform/default/cuda_root_path.cc",
        ),
    ),
    make(
        gpu.ptxas,
        code="XD104",
        slug="ptxas-missing",
        title="ptxas is missing, cannot be run, or is too old",
        level="error",
        rank=12,
        what="ptxas, the assembler of the CUDA toolkit, was not found, cannot be executed, or "
        "does not know this GPU or this PTX version.",
        why="XLA calls ptxas to turn PTX into machine code. If the fallback is allowed, XLA uses the driver's "
        "compiler instead and says so; the line is then a harmless warning. Otherwise the compilation fails.",
        example="Couldn't get ptxas version : FAILED_PRECONDITION: Couldn't get ptxas/nvlink version "
        "string: INTERNAL: Couldn't invoke ptxas --version",
        tell_apart="`Relying on driver to perform ptx compilation` in a line next to it means that the line is "
        "harmless. An error that ends the run and names ptxas is this class. `libdevice-missing` is about another "
        "file, which is needed earlier.",
        remedies=(
            Remedy(
                "install-ptxas",
                "Put a matching ptxas on the path",
                "safe",
                "Install the toolkit of the CUDA version that TensorFlow was built for (`pip install "
                "nvidia-cuda-nvcc-cu12`), and put its `bin` folder first on PATH.",
            ),
            Remedy(
                "driver-fallback",
                "Let the driver compile",
                "slower",
                "`XLA_FLAGS=--xla_gpu_unsafe_fallback_to_driver_on_ptxas_not_found=true`. The "
                "driver's compiler may be older and slower.",
            ),
        ),
        references=(
            "xla/stream_executor/cuda/subprocess_compilation.cc",
            "xla/service/gpu/nvptx_compiler.cc",
            "xla/stream_executor/gpu/redzone_allocator.cc",
        ),
    ),
    make(
        gpu.gpu_library,
        code="XD105",
        slug="gpu-library-failed",
        title="A CUDA library (cuDNN, cuBLAS, cuFFT, the driver) failed",
        level="error",
        rank=15,
        what="A call into cuDNN, cuBLAS, cuFFT, cuSOLVER or the driver failed at run time, or the "
        "library that was loaded is not the version that TensorFlow was built for.",
        why="Versions that do not match, two copies of a library on the path, a GPU whose memory another process "
        "holds, or an earlier kernel that failed. After one illegal access, every later call fails, and the op in "
        "the message is not the cause.",
        example="Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.6.0. CuDNN "
        "library needs to have matching major version",
        tell_apart="The message has the library's status name (`CUDNN_STATUS_...`, `CUBLAS_STATUS_...`). "
        "`..._ALLOC_FAILED` is `oom`; `No algorithm worked` is `autotune-failed`.",
        remedies=(
            Remedy(
                "match-versions",
                "Install the versions that this TensorFlow was built for",
                "safe",
                "`pip install tensorflow[and-cuda]` brings matching libraries; remove others from "
                "LD_LIBRARY_PATH. `tf.sysconfig.get_build_info()` names the versions.",
            ),
            Remedy(
                "memory-growth",
                "Leave memory for the library",
                "safe",
                "`tf.config.experimental.set_memory_growth(gpu, True)` for each GPU before the first "
                "op; make sure that no other process uses the GPU.",
            ),
            Remedy(
                "launch-blocking",
                "Find the first failing kernel",
                "slower",
                "Run once with CUDA_LAUNCH_BLOCKING=1: the first error is then raised where it happens.",
            ),
        ),
        references=(
            "xla/stream_executor/cuda/cuda_dnn.cc",
            "xla/stream_executor/cuda/cuda_blas.cc",
            "xla/stream_executor/cuda/cuda_fft.cc",
        ),
    ),
)
