"""Flags, device libraries, run-time kernels and memory.

Format strings: xla/parse_flags_from_env.cc, tensorflow/compiler/jit/flags.cc, xla/service/gpu/llvm_gpu_backend
(libdevice),
xla/stream_executor/cuda/{cuda_asm_compiler,ptx_compiler,subprocess_compilation}.cc, cuda_dnn.cc, cuda_blas.cc,
cuda_fft.cc,
tensorflow/compiler/mlir/tools/kernel_gen/tf_framework_c_interface.cc, core/kernels/{conv_ops_gpu,matmul_util}.cc,
core/framework/op_kernel.cc (allocate_*), core/common_runtime/bfc_allocator.cc, xla/stream_executor/integrations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xladoctor.rules.forms import SHAPE, Form, by_forms, first_form
from xladoctor.rules.matching import Hit, find, flat, ints, pattern

if TYPE_CHECKING:
    from xladoctor.diagnosis.model import Level, Role, Status
    from xladoctor.evidence.model import ErrorRecord

# Names that belong to the other variable.
_TF_FLAG, _XLA_FLAG = "tf_xla_", "xla_"


def flag_error(record: ErrorRecord, text: str) -> Hit | None:
    """A flag that the parser refuses. The process ends here."""
    found = find(text, "nknown flag", r"[Uu]nknown flags? in (\w{1,30}): ?(.{1,600}?)(?: Perhaps you meant| \*\*\*|$)")
    if found:
        variable, flags = found[1], [f for f in found[2].split() if f][:20]
        says = (
            f"{variable} holds {'flags' if len(flags) > 1 else 'a flag'} that this build does not "
            f"know: {' '.join(flags)}."
        )
        reasons = [why for flag in flags if (why := _why(variable, flag))]
        return Hit(" ".join([says, *dict.fromkeys(reasons)]), details={"variable": variable, "flags": flags})
    found = find(
        text,
        "to read flags for environment variable",
        r"Could not open file \"(.{0,300}?)\" to read flags for environment variable \"(\w{1,30})\"",
    )
    if found:
        says = (
            f"{found[2]} does not begin with two hyphens, so it was taken for the name of a file "
            f"with flags: {found[1]}."
        )
        why = _why(found[2], found[1])
        return Hit(f"{says} {why}".strip(), details={"variable": found[2], "flags": [found[1]]})
    found = find(
        text,
        "parse",
        r"(?:Unable to parse|Failed to parse|Couldn't parse|Error parsing) (?:value .{0,80}? "
        r"for )?flag:? ?[\"'`]?(--?[\w.=-]{1,200})",
    )
    if found:
        return Hit(f"The value of {found[1]} cannot be read.", details={"flags": [found[1]]})
    return None


def _why(variable: str, flag: str) -> str:
    if flag[:1] in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212":
        return "The dashes are typographic ones (copied from a document); type two hyphens."
    if flag.startswith("-") and not flag.startswith("--"):
        return "One hyphen is missing: flags begin with two."
    name = flag.lstrip("-")
    if variable == "XLA_FLAGS" and name.startswith(_TF_FLAG):
        return "This is a flag of TF_XLA_FLAGS."
    if variable == "TF_XLA_FLAGS" and name.startswith(_XLA_FLAG):
        return "This is a flag of XLA_FLAGS."
    if name.startswith("xla_gpu_cuda_dir"):
        return "The flag's name is --xla_gpu_cuda_data_dir."
    return ""


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
    """Ptxas missing, not executable or too old; TensorFlow goes on with the driver's compiler where it can."""
    hit = first_form(_PTXAS, text)
    if hit is None and _kernel_failed(text) and first_form(_LIBDEVICE, flat("\n".join(record.before[-30:]))) is None:
        hit = first_form(_PTXAS, flat("\n".join(record.before[-30:])))
    if hit is None:
        return None
    fallback = pattern(
        r"[Rr]elying on driver|fall(?:ing)? ?back to the driver|Using fallback|will be "
        r"(?:slower|used instead)"
    ).search(text)
    serious = record.level == "error" and not fallback
    return Hit(
        hit.message + (" TensorFlow goes on with the driver's own compiler." if fallback else ""),
        level=None if serious else "warning",
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
    "the driver is older than the CUDA version",
    "the compiler makes no code for this GPU",
)
_KERNEL_DECIDES = (
    "the runtime's lines above the exception (`TF_CPP_MIN_LOG_LEVEL=0 python PROGRAM 2>&1 | tee log`)",
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
            "The lines above it come from the ROCm compiler: it makes no code for this GPU, or its tools are missing.",
        )
    elif driver := pattern(_DRIVER).search(above):
        cause, says = "driver", f"A line above it says: {driver[0]}."
    else:
        cause, status = "unknown", "untested"
        says = (
            "The log does not show why: the reason is in the runtime's lines just above the "
            "exception (`Generating device code failed`, "
            "libdevice, ptxas, LLVM), which are missing here. It is neither auto-clustering nor "
            "jit_compile: this message comes from "
            "TensorFlow's own generated GPU kernels, with XLA switched off too."
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
            r"(without BLAS support|[Nn]o BLAS support for stream|Blas (?:x?GEMM|SGEMM|"
            r"GEMV)\w{0,20} launch failed)",
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
        Form("Failed to initialize batched cufft", r"(Failed to initialize batched cufft plan)", "{0}.", pick=()),
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


def oom(record: ErrorRecord, text: str) -> Hit | None:
    """Memory of the device or the host is exhausted, while compiling or at run time."""
    compiling = pattern(
        r"while (?:compiling|autotuning)|[Cc]ompil\w{0,8} .{0,80}?out of memory|Ran out of "
        r"memory in memory space|XLA.{0,30}?requires .{0,60}?exceed"
    ).search(text)
    for literal, source, says in (
        (
            "OOM when allocating tensor",
            rf"OOM when allocating tensor (?:with|of) shape ?{SHAPE}(?: and type (\w{{1,20}}))?(?: "
            rf"on (\S{{1,120}}))?",
            "No memory for a tensor of shape {0}",
        ),
        (
            "nable to allocate",
            rf"Unable to allocate (\S{{1,30}} \w{{1,4}}) for an array with shape {SHAPE} and data "
            rf"type (\S{{1,30}})",
            "NumPy could not allocate {0} for an array of shape {1}",
        ),
        (
            "ut of memory while trying to allocate",
            r"[Oo]ut of memory (?:while trying to allocate|allocating) (\S{1,40}?)(?: bytes)?\.?(?:\s|$)",
            "No memory for a block of {0}",
        ),
        (
            "ut of memory allocating",
            r"[Oo]ut of memory allocating (\S{1,40}?)(?: bytes)?\.?(?:\s|$)",
            "No memory for a block of {0}",
        ),
        (
            "CUDA_ERROR_OUT_OF_MEMORY",
            r"failed to allocate (\S{1,30}).{0,60}?(CUDA_ERROR_OUT_OF_MEMORY)",
            "The driver refused {0} of device memory",
        ),
        (
            "_STATUS_ALLOC_FAILED",
            r"((?:CUBLAS|CUDNN|CUSOLVER)_STATUS_ALLOC_FAILED|CUFFT_ALLOC_FAILED)",
            "A CUDA library got no memory: {0}",
        ),
        (
            "Ran out of memory in memory space",
            r"Ran out of memory in memory space (\w{1,30}).{0,60}? (?:Used|It should not).{0,20}? (\S{1,20})",
            "The compiled program does not fit into memory space {0}",
        ),
        ("std::bad_alloc", r"(std::bad_alloc)", "The host is out of memory ({0})"),
        (
            "oom",
            r"([Oo]om[-_][Kk]ill\S{0,40}|Exceeded job memory limit|oom_kill event)",
            "The system killed the process because it used too much memory ({0})",
        ),
        (
            "Out of memory: Kill",
            r"(Out of memory: Kill\w{0,4} process) \d{1,9}",
            "The kernel killed the process because memory was exhausted ({0})",
        ),
        ("Ran out of GPU memory", r"(Ran out of GPU memory)", "{0}"),
        ("RESOURCE_EXHAUSTED", r"RESOURCE_EXHAUSTED: (.{0,200})", "Memory is exhausted: {0}"),
        ("failed to allocate memory", r"(failed to allocate memory)", "Memory is exhausted ({0})"),
    ):
        found = find(text, literal, source)
        if found:
            groups = [g or "" for g in found.groups()]
            shape_ = next((g for g in groups if g.startswith(("[", "("))), "")
            host = "CPU" in text or literal in ("std::bad_alloc", "oom", "Out of memory: Kill", "nable to allocate")
            when = " while compiling" if compiling else ""
            level: Level | None = "warning" if record.level == "warning" else None
            return Hit(
                says.format(*groups) + when + ".",
                dims=ints(shape_),
                level=level,
                details={"memory": "host" if host else "device", "when": "compile" if compiling else "run"},
            )
    if record.exception in ("MemoryError", "ResourceExhaustedError") and "No such process" not in text:
        return Hit(
            "Memory is exhausted; the message does not say by what.",
            decide=("the lines above it with `OOM when allocating` or an allocator's name",),
            details={"memory": "host" if record.exception == "MemoryError" else "unknown"},
        )
    return None


dtype = by_forms(
    (
        Form(
            "was expected to be a",
            r"cannot compute (\S{1,200}) as input #(\d{1,4})\(zero-based\) was expected to be an? "
            r"(\w{1,30}) tensor but is an? (\w{1,30}) tensor",
            "Input {1} of {0} must be {2} and is {3}.",
            pick=(),
        ),
        Form(
            "that does not match",
            r"Input '(\S{1,80})' of '(\w{1,100})' Op has type (\w{1,30}) that does not match "
            r"(?:expected type of (\w{1,30})|type (\w{1,30}) of argument '(\S{1,80})')",
            "Input `{0}` of {1} is {2} and does not match {3}{4}.",
            pick=(),
        ),
        Form(
            "onversion requested dtype",
            r"Tensor conversion requested dtype (\w{1,30}) for Tensor with dtype (\w{1,30})",
            "A tensor of {1} is used where {0} is wanted.",
            pick=(),
        ),
        Form(
            "to float is not supported",
            r"Cast (\w{1,30}) to (\w{1,30}) is not supported",
            "{0} cannot be cast to {1}.",
            pick=(),
            op="Cast",
        ),
        Form(
            "is not supported",
            r"Cast (\w{1,30}) to (\w{1,30}) is not supported",
            "{0} cannot be cast to {1}.",
            pick=(),
            op="Cast",
        ),
        Form(
            "not in the list of allowed values",
            r"Value for attr '(\w{1,40})' of (\w{1,30}) is not in the list of allowed values: "
            r"(.{1,160}?)(?: ;|$)",
            "{1} is not among the types that the op takes ({2}).",
            pick=(),
        ),
        Form(
            "not in list of allowed values",
            r"parameter '(\w{1,60})' has DataType (\w{1,30}) not in list of allowed values: "
            r"(.{1,160}?)(?:$|\.)",
            "Parameter `{0}` does not take {1} (only {2}).",
            pick=(),
        ),
        Form(
            "types that don't all match",
            r"(?:Tensors in list passed to|Input) '(\S{1,60})' of '(\w{1,80})' Op have types "
            r"\[(.{1,160}?)\] that don't all match",
            "The inputs of {1} have different types: {2}.",
            pick=(),
        ),
        Form(
            "convert a NumPy array to a Tensor",
            r"Failed to convert a NumPy array to a Tensor \(Unsupported object type (\w{1,60})\)",
            "A NumPy array holds Python objects ({0}), often because its rows differ in length.",
            pick=(),
        ),
        Form(
            "Attempt to convert a value",
            r"Attempt to convert a value \(.{1,200}?\) with an unsupported type \((.{1,80}?)\) to a Tensor",
            "A value of type {0} cannot become a tensor.",
            pick=(),
        ),
        Form(
            "convert Python sequence with mixed types",
            r"(Can't convert Python sequence with mixed types to Tensor)",
            "A Python sequence of mixed types cannot become a tensor.",
            pick=(),
        ),
        Form(
            "an not cast TensorSpec",
            r"Can not cast TensorSpec\(.{0,120}?dtype=(?:tf\.)?(?!tf\b)(\w{1,30})\b.{0,60}?\) to "
            r"TensorSpec\(.{0,120}?dtype=(?!(?:tf\.)?\1\b)(?:tf\.)?(?!tf\b)(\w{1,30})",
            "A tensor of {0} is given to a function traced for {1}.",
            pick=(),
        ),
        Form(
            "Expected",
            r"Expected (?:tensor )?(?:of type )?'?(\w{1,30})'?, (?:but )?got (?:a tensor of type "
            r")?'?(?:<dtype: ')?(\w{1,30})'?.{0,20}? (?:instead|of type)",
            "{0} is expected and {1} was given.",
            pick=(),
        ),
        Form(
            "must be from the same type",
            r"(?:All values|arguments?|Tensors?) .{0,80}?must be (?:from|of) the same "
            r"type.{0,80}?(\w{1,30})(?: and |, )(\w{1,30})",
            "Types {0} and {1} meet.",
            pick=(),
        ),
        Form(
            "must have the same element type",
            r"(?:must have|have) the same element type(?:s)?.{0,80}?(\w{1,8})\[.{0,80}?\].{1,30}?(\w{1,8})\[",
            "Types {0} and {1} meet in one operation.",
            pick=(),
        ),
        Form(
            "with different element types",
            r"(?:Binary op|[Oo]peration) .{1,60}? with different element types: "
            r"(\w{1,8})\[.{0,80}?\] and (\w{1,8})\[",
            "Types {0} and {1} meet in one operation.",
            pick=(),
        ),
        Form(
            "No OpKernel was registered",
            r"No OpKernel was registered to support Op '(\w{1,80})'.{0,200}?T=(?:DT_)?(\w{1,30})",
            "{0} has no kernel for {1}.",
            pick=(),
        ),
        Form(
            "ufunc",
            r"ufunc '(\w{1,40})' .{0,80}?(?:not supported for the input types|did not contain a "
            r"loop).{0,160}",
            "NumPy's {0} does not take these types.",
            pick=(),
        ),
        Form(
            "Invalid type",
            r"(?:XLA|xla).{0,60}?(?:[Ii]nvalid|[Uu]nsupported) (?:data )?type(?: for operand)?:? ?(\w{1,30})",
            "XLA does not take the type {0} here.",
            pick=(),
        ),
    )
)
