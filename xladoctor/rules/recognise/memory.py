"""Memory that is exhausted: of the device or the host, while compiling, loading or running.

Format strings: tensorflow/core/framework/op_kernel.cc (allocate_*), core/common_runtime/bfc_allocator.cc,
xla/stream_executor/integrations, xla/service/buffer_assignment.cc (ToVerboseString), xla/service/gpu/gpu_executable.cc.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xladoctor.rules.forms import SHAPE
from xladoctor.rules.matching import Hit, find, ints, pattern
from xladoctor.rules.recognise.full import is_disk_full

if TYPE_CHECKING:
    from xladoctor.model.evidence import ErrorRecord


_ALLOCATIONS = (
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
        "ailed to allocate request for",
        r"[Ff]ailed to allocate request for (\S{1,30}) \(\d{1,18}B\) on device",
        "No memory for a block of {0}",
    ),
    (
        "in-memory CUBIN",
        r"(in-memory CUBIN): (?:\S{1,30} )?CUDA_ERROR_OUT_OF_MEMORY",
        "The machine code of a kernel did not fit into device memory ({0})",
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
        r"Ran out of memory in memory space (\w{1,30})",
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
    (
        "otal_region_allocated_bytes_: ",
        r"total_region_allocated_bytes_: (\d{1,18}) memory_limit_?: \d{1,18} available bytes: (\d{1,18})",
        "The device memory for TensorFlow is used up: its allocator holds {0} bytes and can get {1} more",
    ),
    ("Ran out of GPU memory", r"(Ran out of GPU memory)", "{0}"),
    ("RESOURCE_EXHAUSTED", r"RESOURCE_EXHAUSTED: (.{0,200})", "Memory is exhausted: {0}"),
    ("failed to allocate memory", r"(failed to allocate memory)", "Memory is exhausted ({0})"),
)
"""(literal, pattern, sentence) for each allocator, and for each killer of processes with too much memory; the first
that fits.
"""


def oom(record: ErrorRecord, text: str) -> Hit | None:
    """Memory of the device or the host is exhausted, while compiling or at run time."""
    if is_disk_full(text):
        return None
    for literal, source, says in _ALLOCATIONS:
        found = find(text, literal, source)
        if found:
            when, of, says_when = _when(text)
            groups = [g or "" for g in found.groups()]
            shape_ = next((g for g in groups if g.startswith(("[", "("))), "")
            host = "CPU" in text or literal in ("std::bad_alloc", "oom", "Out of memory: Kill", "nable to allocate")
            return Hit(
                f"{says.format(*groups)}{says_when}",
                dims=ints(shape_),
                details={"memory": "host" if host else "device", "when": when, **of, **_tensor(shape_, groups)},
            )
    if record.exception in ("MemoryError", "ResourceExhaustedError") and "No such process" not in text:
        return Hit(
            "Memory is exhausted; the message does not say by what.",
            decide=("the lines above it with `OOM when allocating` or an allocator's name",),
            details={"memory": "host" if record.exception == "MemoryError" else "unknown"},
        )
    return None


def _tensor(shape_: str, groups: list[str]) -> dict[str, Any]:
    """The shape and the element type that a message names; nothing where it names no shape."""
    if not shape_:
        return {}
    names = pattern(r"(?:b?float|u?int|complex|half|double|bool)\d{0,3}")
    dtype = next((g for g in groups if names.fullmatch(g)), None)
    return {"tensor_shape": list(ints(shape_)), **({"dtype": dtype} if dtype else {})}


_WHILE_COMPILING = (
    r"while (?:compiling|autotuning)|[Cc]ompil\w{0,8} .{0,80}?out of memory|Ran out of memory in memory space"
    r"|compile permanent error|[Aa]utotun\w{0,8} .{0,80}?(?:allocat|out of memory)|XLA.{0,30}?requires .{0,60}?exceed"
)
_LARGEST = r'Buffer 1: Size: (\S{1,20})(?: Operator: (?:op_type="(\w{1,100})" )?op_name="([^"]{1,300})")?'


def _when(text: str) -> tuple[str, dict[str, str], str]:
    """When memory was asked for: (compile, load or run; what else is known; the end of the sentence).

    A compiled program asks for all its buffers at once when it is run, and prints the largest of them.
    """
    if pattern(_WHILE_COMPILING).search(text):
        return "compile", {}, " while compiling: the size of the program matters, not the rest of the memory."
    if "in-memory CUBIN" in text or pattern(r"load\w{0,3} .{0,40}module.{0,80}OUT_OF_MEMORY").search(text):
        return "load", {}, ". A compiled program was loaded when memory was already full."
    if "BufferAssignment" not in text and "/xla_run" not in text:
        return "run", {}, "."
    of = {"of": "compiled program"}
    largest = find(text, "Buffer 1:", _LARGEST)
    says = ". A program that XLA had compiled allocated all its buffers at once when it ran"
    if largest:
        of |= {key: value for key, value in zip(("size", "op", "op_name"), largest.groups(), strict=True) if value}
        says += f"; the largest is {largest[1]}" + (f", of `{largest[3]}`" if largest[3] else "")
    return "run", of, f"{says}."
