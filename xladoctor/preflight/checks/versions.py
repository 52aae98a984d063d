"""Do TensorFlow, Keras, Python and CUDA belong together, and does XLA find what it needs of CUDA?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from xladoctor.model.preflight import State
from xladoctor.preflight import cuda
from xladoctor.preflight.situation import Situation
from xladoctor.preflight.verdict import Verdict
from xladoctor.recording.interpreter import Interpreter

TITLE = "versions that fit together"
ORDER = 10

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


@dataclass(frozen=True)
class _Problem:
    state: State
    text: str
    todo: str
    slug: str | None = None


def check(situation: Situation) -> Verdict:
    """From the packages' metadata and the files of this machine; nothing is imported."""
    from xladoctor.recording.interpreter import ask

    found = ask(situation.study.python or _named(situation))
    packages = found.packages
    tensorflow = packages.get("tensorflow") or packages.get("tensorflow-cpu")
    told = [
        f"Python {found.python}",
        *(f"{n} {packages[n]}" for n in ("tensorflow", "keras", "tf-keras", "numpy") if n in packages),
    ]
    told += [f"ptycho from {found.files['ptycho']}"] if "ptycho" in found.files else []
    details = [f"interpreter {found.executable}", *told]
    if tensorflow is None:
        return Verdict(
            "fail", f"TensorFlow is not installed for {found.executable}", "Name the interpreter: --python PATH.",
            ("not-xla",), tuple(details),
        )  # fmt: skip
    problems = list(_of_packages(tensorflow, packages, found.python))
    if situation.study.device == "gpu":
        lines, more = _of_cuda(situation, found)
        details += lines
        problems += more
    if not problems:
        return Verdict("pass", ", ".join(told[:4]), details=tuple(details))
    first = next((p for p in problems if p.state == "fail"), problems[0])
    details += [p.text for p in problems if p is not first]
    slugs = tuple(dict.fromkeys(p.slug for p in problems if p.slug))
    return Verdict(first.state, first.text, first.todo, slugs, tuple(details))


def _named(situation: Situation) -> str | None:
    """The interpreter that the command starts with, where it is one."""
    word = situation.study.command[0] if situation.study.command else ""
    return word if Path(word).name.startswith("python") else None


def _of_packages(tensorflow: str, packages: dict[str, str], python: str) -> Iterator[_Problem]:
    todo = "Install versions that fit together."
    version, keras = _two(tensorflow), packages.get("keras")
    if keras is not None and version >= (2, 16) and _two(keras) < (3, 0):
        yield _Problem("warn", f"TensorFlow {tensorflow} needs Keras 3, but Keras {keras} is installed", todo)
    if keras is not None and version < (2, 16) and _two(keras) >= (3, 0):
        yield _Problem("warn", f"TensorFlow {tensorflow} needs Keras 2, but Keras {keras} is installed", todo)
    low, high = _PYTHON.get(version, ((0, 0), (99, 0)))
    if not low <= _two(python) <= high:
        yield _Problem("warn", f"TensorFlow {tensorflow} has no wheel for Python {python}", todo)


def _of_cuda(situation: Situation, found: Interpreter) -> tuple[list[str], list[_Problem]]:
    """(what there is, what is wrong with it). Without a driver this is not the machine with the GPU: what that one has
    cannot be known, only what pip brings along is the same there.
    """
    build = cuda.build_of(found.files.get("tensorflow"))
    built_with = cuda.numbers(str(build.get("cuda_version") or ""))
    has_cuda = build.get("is_cuda_build")
    lines = [f"built with CUDA {cuda.dotted(built_with)}" if built_with else "built without CUDA"] if build else []
    problems = list(_of_pip(found.packages, built_with))
    driver = cuda.driver()
    if driver is None:
        unknown = "driver, libdevice and ptxas could not be checked: this machine has no NVIDIA driver"
        return [*lines, f"{unknown} (there: xladoctor preflight --only versions -- COMMAND)"], problems
    lines.append(f"driver {driver}")
    if has_cuda is False:
        todo = "Install the package that has CUDA: pip install 'tensorflow[and-cuda]'."
        return lines, [
            *problems,
            _Problem("warn", "this TensorFlow is built without CUDA: it will not use the GPU", todo),
        ]
    old = cuda.driver_problem(driver, built_with)
    if old is not None:
        problems.append(_Problem("fail", old, "Update the driver, or use a TensorFlow for an older CUDA."))
    environment, cwd = situation.environment, situation.cwd
    folders = cuda.roots(environment, cwd, found.files.get("tensorflow"))
    looked = f"XLA looks in {', '.join(map(str, folders))}"
    told = cuda.elsewhere(environment)
    flag = f"XLA_FLAGS=--xla_gpu_cuda_data_dir={told or '/path/to/cuda'}"
    get = f"Give its folder: {flag}." if told else f"pip install 'tensorflow[and-cuda]', or {flag}."
    library = cuda.libdevice(folders, cwd)
    if library is None:
        problems.append(_Problem("fail", f"libdevice.10.bc is not found; {looked}", get, "libdevice-missing"))
    else:
        lines.append(f"libdevice {library}")
    tool, refused = cuda.ptxas(environment, folders)
    lines += [f"ptxas {t.path} {t.why_not}" for t in refused]
    if tool is not None:
        lines.append(f"ptxas {tool.path}, version {cuda.dotted(tool.version or ())}")
    else:
        problems.append(_without_ptxas(refused, found.packages, cuda.falls_back(environment), looked, get))
    return lines, problems


def _without_ptxas(
    refused: list[cuda.Tool], packages: dict[str, str], falls_back: bool, looked: str, get: str
) -> _Problem:
    """XLA ends the process without ptxas, unless nvJitLink (from 2.18 on) or the driver stands in for it."""
    why = f"{refused[0].path} {refused[0].why_not}" if refused else f"ptxas is not found; {looked}, and in the PATH"
    nvjitlink = next((n for n in packages if n.startswith("nvidia-nvjitlink")), None)
    if falls_back:
        return _Problem("warn", f"{why}; the driver compiles PTX instead, as XLA_FLAGS says", get, "ptxas-missing")
    if nvjitlink is not None and _two(packages.get("tensorflow", "")) >= (2, 18):
        return _Problem("warn", f"{why}; {nvjitlink} may replace it", get, "ptxas-missing")
    return _Problem("fail", why, get, "ptxas-missing")


def _of_pip(packages: dict[str, str], built_with: tuple[int, ...]) -> Iterator[_Problem]:
    """CUDA's libraries from pip: for the CUDA of this TensorFlow, and with libdevice and ptxas among them."""
    ours = [n for n in packages if n.startswith("nvidia-") and "-cu" in n]
    others = [n for n in ours if built_with and not n.endswith(f"-cu{built_with[0]}")]
    todo = "pip install 'tensorflow[and-cuda]' installs versions that fit together."
    if others and len(others) == len(ours):
        yield _Problem("warn", f"TensorFlow is built for CUDA {built_with[0]}, but pip has {others[0]}", todo)
    elif ours and not any("cuda-nvcc" in n for n in ours):
        text = "CUDA libraries are installed by pip, without nvidia-cuda-nvcc-cu12: libdevice and ptxas may be missing"
        yield _Problem("warn", text, todo, "libdevice-missing")


def _two(version: str) -> tuple[int, int]:
    found = (*cuda.numbers(version), 0, 0)
    return found[0], found[1]
