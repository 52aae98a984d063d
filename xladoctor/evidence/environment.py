"""The environment as it may be shown or written: secrets taken out, by the same rules as in the probes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from xladoctor.evidence.schema import schema

_NAME = re.compile(schema.SECRET_NAME)
_VALUE = re.compile(schema.SECRET_VALUE)


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
    shown: list[str] = []
    secret_follows = False
    for word in command:
        name, equals, _ = word.partition("=")
        option = name.startswith("-")
        hidden = bool(_NAME.search(name.lstrip("-").replace("-", "_"))) and (option or name.isidentifier())
        if secret_follows and not option:
            shown.append(str(schema.REDACTED))
        elif hidden and equals:
            shown.append(f"{name}={schema.REDACTED}")
        else:
            shown.append(redacted_text(word))
        secret_follows = hidden and option and not equals
    return shown


def redacted_value(name: str, text: str) -> str:
    """The value of one variable, or what may be shown of it."""
    return str(schema.REDACTED) if _NAME.search(name) else redacted_text(text)


def redacted_text(text: str) -> str:
    """A text with credentials inside it replaced."""
    replaced: str = _VALUE.sub(lambda m: f"{m['url'] or ''}{schema.REDACTED}{'@' if m['url'] else ''}", text)
    return replaced
