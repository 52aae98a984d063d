"""The environment as it may be shown or written: secrets taken out, by the same rules as in the probes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xladoctor import secrets

# What decides about XLA, devices, interpreters and the study's switches. The rest of an environment is nobody's
# business.
NAMES = ("LD_LIBRARY_PATH", "NVIDIA_TF32_OVERRIDE", "PATH", "VIRTUAL_ENV")
PREFIXES = (
    "TF_", "XLA_", "USE_XLA_", "CUDA_", "CUDNN_", "KERAS_", "NCCL_", "TPU_", "OMP_", "MKL_", "MLIR_", "PYTHON",
    "CONDA_", "SLURM_JOB", "PTYCHO_", "XLADOCTOR_",
)  # fmt: skip


def redacted(environment: Mapping[str, str]) -> dict[str, str]:
    """What matters of an environment, as it may be written."""
    return {
        name: redacted_value(name, text)
        for name, text in sorted(environment.items())
        if name in NAMES or name.startswith(PREFIXES)
    }


def redacted_words(command: Sequence[str]) -> list[str]:
    """A command line as it may be written: `--token V`, `--token=V` and `API_KEY=V` without the V."""
    return secrets.of_words(command)


def redacted_value(name: str, text: str) -> str:
    """The value of one variable, or what may be shown of it."""
    return secrets.of_value(name, text)


def redacted_text(text: str) -> str:
    """A text with credentials inside it replaced."""
    return secrets.of_text(text)
