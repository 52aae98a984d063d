"""Libraries and tools of the GPU: libdevice, ptxas, cuDNN and its likes, kernels that are compiled at run time.

Format strings: xla/service/gpu/llvm_gpu_backend (libdevice), xla/stream_executor/cuda/{cuda_asm_compiler,ptx_compiler,
subprocess_compilation,cuda_dnn,cuda_blas,cuda_fft}.cc, tensorflow/core/kernels/{conv_ops_gpu,matmul_util}.cc,
tensorflow/compiler/mlir/tools/kernel_gen/tf_framework_c_interface.cc.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.rules.forms import Form, by_forms, first_form
from xladoctor.rules.matching import Hit, flat, pattern

if TYPE_CHECKING:
    from xladoctor.model.diagnosis import Role, Status
    from xladoctor.model.evidence import ErrorRecord


_LIBDEVICE = (
    Form("libdevice not found at", r"(libdevice) not found at (\S{1,300})", "libdevice was not found at {1}.", pick=()),
    Form(
        "find libdevice",
        r"(?:[Cc]an't|[Cc]annot|[Cc]ould not|Couldn't|Unable to|failed to) find (libdevice) "
        r"(?:directory|file|in)? ?(\S{0,300})",
        "libdevice was not found ({1}).",
        pick=(),
    ),
    Form(
        "libdevice is required",
        r"(libdevice) is required by this HLO module but was not found at (\S{0,300})",
        "libdevice is required and was not found at {1}.",
        pick=(),
    ),
    Form(
        "libdevice",
        r"(libdevice)\S{0,40} (?:is )?(?:missing|not found|could not be found|does not exist)(.{0,100})",
        "libdevice was not found.",
        pick=(),
    ),
    Form(
        "opencl.bc",
        r"((?:ocml|opencl|oclc_\w{1,40}|hc|ockl)\.bc).{0,60}?(not found|missing|does not exist)",
        "The device library {0} was not found.",
        pick=(),
    ),
    Form(
        "bitcode module",
        r"(bitcode module).{0,60}?(?:is )?(?:required by this HLO module but )?was not found at (\S{1,300})",
        "A device bitcode library was not found at {1}.",
        pick=(),
    ),
)


def libdevice(record: ErrorRecord, text: str) -> Hit | None:
    """Libdevice not found: in the message itself, or in the lines just above a kernel that could not be compiled."""
    hit = first_form(_LIBDEVICE, text)
    if hit or not _kernel_failed(text):
        return hit
    return first_form(_LIBDEVICE, flat("\n".join(record.before[-30:])))


_PTXAS = (
    Form(
        "ptxas",
        r"(?:[Cc]ouldn't|[Cc]ould not|[Cc]annot|[Nn]o|[Ff]ailed to|Unable to) (?:get|find|"
        r"invoke|run|launch|execute|such file.{0,40}?) ?(?:a suitable )?(?:the )?(?:version "
        r"of )?(ptxas)(.{0,120})",
        "ptxas could not be found or run.",
        pick=(),
    ),
    Form(
        "ptxas",
        r"(ptxas) (?:exited with non-zero error code|returned an error|fatal|too old|is too "
        r"old|version .{1,30}? (?:has|is)).{0,40}?(\d{0,6})",
        "ptxas failed, or is too old for this GPU.",
        pick=(),
    ),
    Form(
        "ptxas",
        r"(ptxas).{0,60}?(?:not found|No such file|Permission denied|not executable|does not "
        r"support|unsupported)(.{0,100})",
        "ptxas is missing or cannot be run.",
        pick=(),
    ),
    Form(
        "Invoking",
        r"Invoking (?:GPU asm compilation|ptxas).{0,200}?(not|error|fail).{0,200}",
        "ptxas could not be invoked.",
        pick=(),
    ),
    Form("not found: ptxas", r"(not found: ptxas)", "ptxas was not found.", pick=()),
    Form(
        "PTX",
        r"(Unsupported \.version|PTX .{0,60}?unsupported (?:toolchain|version)|"
        r"CUDA_ERROR_UNSUPPORTED_PTX_VERSION|CUDA_ERROR_INVALID_PTX)",
        "The driver or ptxas does not accept this PTX: {0}.",
        pick=(),
    ),
)


def ptxas(record: ErrorRecord, text: str) -> Hit | None:
    """Ptxas missing, not executable or too old; TensorFlow continues with the driver's compiler if it can."""
    hit = first_form(_PTXAS, text)
    if hit is None and _kernel_failed(text) and first_form(_LIBDEVICE, flat("\n".join(record.before[-30:]))) is None:
        hit = first_form(_PTXAS, flat("\n".join(record.before[-30:])))
    if hit is None:
        return None
    fallback = pattern(
        r"[Rr]elying on driver|[Ff]all(?:ing)? ?back to the (?:\w{1,12} )?driver|Using fallback|will be "
        r"(?:slower|used instead)"
    ).search(text)
    serious = record.level == "error" and not fallback
    return Hit(
        hit.message + (" TensorFlow continues with the driver's compiler." if fallback else ""),
        level=None if serious else "warning",
        details={"harmless": True} if fallback else {},
    )


def _kernel_failed(text: str) -> bool:
    return (
        pattern(
            r"JIT compilation failed|Generating device code failed|Failed to find or create JIT "
            r"cache|JIT invocation failed"
        ).search(text)
        is not None
    )


_DRIVER = (
    r"CUDA_ERROR_\w{1,60}|driver version|cuModuleLoad|LLVM ERROR|Could not load (?:module|PTX)"
    r"|Failed to load .{0,40}?(?:PTX|module)"
)


_KERNEL_CAUSES = (
    "libdevice is not found",
    "ptxas is missing or too old",
    "the driver is too old",
    "the compiler does not support this GPU",
)


_KERNEL_DECIDES = (
    "the runtime's lines above the exception",
    "the driver's CUDA version in `nvidia-smi` against `tf.sysconfig.get_build_info()['cuda_version']`",
)


def jit_kernel(record: ErrorRecord, text: str) -> Hit | None:
    """A generated GPU kernel that could not be compiled at first use. The cause stands above, or nowhere in the log."""
    if not _kernel_failed(text) or record.level == "warning":
        return None
    above = flat("\n".join(record.before[-30:]))
    role: Role = "root"
    status: Status = "confirmed"
    if first_form(_LIBDEVICE, above) or first_form(_LIBDEVICE, text):
        cause, says, role = "libdevice", "The lines above it say that libdevice was not found.", "consequence"
    elif first_form(_PTXAS, above):
        cause, says, role = "ptxas", "The lines above it say that ptxas failed.", "consequence"
    elif pattern(r"generating HSACO|ROCm|hipError|gfx\d{3,4}").search(above):
        cause, says = (
            "rocm",
            "The lines above it come from the ROCm compiler, which does not support this GPU, or whose tools are "
            "missing.",
        )
    elif driver := pattern(_DRIVER).search(above):
        cause, says = "driver", f"A line above it says: {driver[0]}."
    else:
        cause, status = "unknown", "untested"
        says = (
            "Neither auto-clustering nor jit_compile is the cause: TensorFlow's generated kernels give this "
            "message with XLA off, too."
        )
    unknown = cause == "unknown"
    return Hit(
        f"A GPU kernel that TensorFlow compiles at first use could not be compiled. {says}",
        role=role,
        status=status,
        details={"cause": cause},
        between=_KERNEL_CAUSES if unknown else (),
        decide=_KERNEL_DECIDES if unknown else (),
        remedies=None
        if cause == "unknown"
        else ("show-lines", "install-cuda-tree", "place-on-cpu")
        if cause == "libdevice"
        else ("show-lines", "place-on-cpu"),
    )


gpu_library = by_forms(
    (
        Form(
            "CuDNN library",
            r"Loaded runtime (CuDNN) library: (\S{1,20}) but source was compiled with: (\S{1,20})",
            "cuDNN {1} is installed; TensorFlow was built for {2}.",
            pick=(),
        ),
        Form(
            "DNN library",
            r"(DNN library) (?:is not found|initialization failed|not found)",
            "cuDNN could not be loaded or initialised.",
            pick=(),
        ),
        Form("Could not create cudnn handle", r"(Could not create cudnn handle: \w{1,60})", "{0}.", pick=()),
        Form("CUDNN_STATUS_", r"(CUDNN_STATUS_(?!SUCCESS|ALLOC)\w{1,50})", "A call of cuDNN failed: {0}.", pick=()),
        Form("CUBLAS_STATUS_", r"(CUBLAS_STATUS_(?!SUCCESS|ALLOC)\w{1,50})", "A call of cuBLAS failed: {0}.", pick=()),
        Form("CUFFT_", r"(CUFFT_(?!SUCCESS|ALLOC)\w{1,50})", "A call of cuFFT failed: {0}.", pick=()),
        Form(
            "CUSOLVER_STATUS",
            r"(CUSOLVER_STATUS_(?!SUCCESS|ALLOC)\w{1,50})",
            "A call of cuSOLVER failed: {0}.",
            pick=(),
        ),
        Form("create cublas handle", r"(failed to create cublas handle: \S{1,80})", "{0}.", pick=()),
        Form(
            "BLAS support",
            r"(without BLAS support|[Nn]o BLAS support for stream)",
            "cuBLAS could not be used: {0}.",
            pick=(),
        ),
        # tensorflow/core/kernels/{matmul_op,batch_matmul_op_impl,gpu_utils}: up to 2.15
        Form(
            "launch failed",
            r"([Bb]las (?:x?GEMM|SGEMM|GEMV)\w{0,30} launch failed)",
            "cuBLAS could not be used: {0}.",
            pick=(),
        ),
        Form("libcudnn", r"(Could not load library (?:libcudnn|libcublas|libcufft)\S{1,80})\.?", "{0}.", pick=()),
        Form(
            "CUDA_ERROR_",
            r"(CUDA_ERROR_(?!OUT_OF_MEMORY|NO_DEVICE|UNSUPPORTED_PTX|INVALID_PTX|NOT_FOUND)\w{1,60})",
            "A call of the CUDA driver failed: {0}.",
            pick=(),
        ),
        # xla/stream_executor/cuda/cuda_fft.cc
        Form(
            "cuFFT",
            r"([Ff]ailed to (?:make|create|run|initialize|set) .{0,30}?cuFFT .{0,60})",
            "cuFFT could not be used: {0}.",
            pick=(),
        ),
        Form("batched cufft", r"([Ff]ailed to initialize batched cufft plan)", "{0}.", pick=()),
    )
)


autotune = by_forms(
    (
        Form(
            "No algorithm worked",
            r"(No algorithm worked)",
            "None of cuDNN's algorithms could be run for this convolution.",
            pick=(),
        ),
        Form(
            "Failed to get convolution algorithm",
            r"(Failed to get convolution algorithm)",
            "No convolution algorithm could be chosen; cuDNN probably failed to initialise.",
            pick=(),
            status="untested",
            between=("no memory is left for cuDNN", "cuDNN's version does not match"),
            decide=(
                "a line above with `Could not create cudnn handle`, `Loaded runtime CuDNN library` or an allocation",
                "a run with TF_FORCE_GPU_ALLOW_GROWTH=true and no other process on the GPU (`nvidia-smi`)",
            ),
        ),
        Form(
            "utotun",
            r"([Aa]utotuning failed .{0,160}|[Ff]ailed to autotune.{0,120}|All algorithms tried "
            r".{0,100}? failed|No valid config found|NOT_FOUND: Couldn't find a suitable "
            r"algorithm.{0,60})",
            "No algorithm could be chosen: {0}",
            pick=(),
        ),
        Form(
            "algorithm",
            r"(Failed to determine best cudnn convolution algorithm|All algorithms tried for "
            r"convolution .{0,200}? failed|No working algorithm|no algorithm .{0,40}? worked)",
            "No cuDNN algorithm could be chosen.",
            pick=(),
        ),
    )
)
