"""Do TensorFlow, Keras, Python and CUDA's libraries belong together?"""

from __future__ import annotations

import re

from xladoctor.preflight.situation import Situation
from xladoctor.preflight.verdict import Verdict

TITLE = "versions that fit together"

# TensorFlow's own requirements (its wheels' metadata and https://www.tensorflow.org/install/source, "Tested build
# configurations"): the Pythons for which there are wheels.
_PYTHON = {
    (2, 15): ((3, 9), (3, 11)),
    (2, 16): ((3, 9), (3, 12)),
    (2, 17): ((3, 9), (3, 12)),
    (2, 18): ((3, 9), (3, 12)),
    (2, 19): ((3, 9), (3, 12)),
    (2, 20): ((3, 9), (3, 13)),
    (2, 21): ((3, 10), (3, 13)),
}


def check(situation: Situation) -> Verdict:
    """From the packages' metadata; nothing is imported."""
    from xladoctor.evidence.interpreter import ask

    found = ask(situation.study.python or _named(situation))
    packages = found.packages
    tensorflow = packages.get("tensorflow") or packages.get("tensorflow-cpu")
    told = [
        f"Python {found.python}",
        *(f"{n} {packages[n]}" for n in ("tensorflow", "keras", "tf-keras", "numpy") if n in packages),
    ]
    told += [f"ptycho from {found.files['ptycho']}"] if "ptycho" in found.files else []
    details = (f"interpreter {found.executable}", *told)
    if tensorflow is None:
        return Verdict(
            "fail", f"TensorFlow is not installed for {found.executable}", "Name the interpreter: --python PATH.",
            ("not-xla",), details,
        )  # fmt: skip
    problems = list(_problems(tensorflow, packages, found.python, situation.study.device))
    if problems:
        return Verdict("warn", problems[0], "Install versions that belong together.", (), (*details, *problems[1:]))
    return Verdict("pass", ", ".join(told[:4]), details=details)


def _named(situation: Situation) -> str | None:
    """The interpreter that the command starts with, where it is one."""
    from pathlib import Path

    word = situation.study.command[0] if situation.study.command else ""
    return word if Path(word).name.startswith("python") else None


def _problems(tensorflow: str, packages: dict[str, str], python: str, device: str) -> list[str]:
    version, keras = _two(tensorflow), packages.get("keras")
    found = []
    if keras is not None and version >= (2, 16) and _two(keras) < (3, 0):
        found.append(f"TensorFlow {tensorflow} goes with Keras 3, and Keras {keras} is installed")
    if keras is not None and version < (2, 16) and _two(keras) >= (3, 0):
        found.append(f"TensorFlow {tensorflow} goes with Keras 2, and Keras {keras} is installed")
    low, high = _PYTHON.get(version, ((0, 0), (99, 0)))
    if not low <= _two(python) <= high:
        found.append(f"TensorFlow {tensorflow} has no wheel for Python {python}")
    cuda = [n for n in packages if n.startswith("nvidia-")]
    if device == "gpu" and cuda and "nvidia-cuda-nvcc-cu12" not in packages:
        found.append(
            "CUDA libraries are installed by pip, without nvidia-cuda-nvcc-cu12: libdevice and ptxas may be missing"
        )
    return found


def _two(version: str) -> tuple[int, int]:
    numbers = re.findall(r"\d+", version)
    return (int(numbers[0]), int(numbers[1]) if len(numbers) > 1 else 0) if numbers else (0, 0)
