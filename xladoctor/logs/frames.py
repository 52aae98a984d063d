"""Stack frames as logs print them, and which of them are the user's."""

from __future__ import annotations

import re
from dataclasses import replace

from xladoctor.model.evidence import Frame
from xladoctor.patterns import pattern

# Code that is nobody's fault here: installed packages, the standard library, generated code, and the doctor itself.
_FRAMEWORK = pattern(
    r"""site-packages[\\/]|dist-packages[\\/]|[\\/]lib(?:64)?[\\/]python\d(?:\.\d+)?[\\/]|\\[Ll]ib\\
    |^<frozen|^<xladoctor>|^<__array_function__|__autograph_generated_file|\.runfiles[\\/]|[\\/]bazel-
    |(?:^|[\\/])(?:tensorflow|tensorflow_core|keras|tf_keras|tf_slim|absl|IPython|ipykernel|_pytest|ray|horovod)
       [\\/](?:python|src|engine|utils|layers|core|compiler|backend|api|_api|saving|optimizers|losses|legacy|models
             |lite|contrib|app\.py|testing|runner|_private|train|tensorflow)
    |xladoctor[\\/]_probes[\\/]|(?:^|[\\/])probes[\\/](?:record|graph|bootstrap)[\\/]|[\\/]runpy\.py$|\.p(?:yx|xi)$
    """,
    re.VERBOSE,
)

_PYTHON = pattern(r'^\s*(?:\|\s*)?File "([^"]{1,1000})", line (\d{1,9})(?:,? in (.{1,300}))?\s*$')
# Without a function: the test itself.
_PYTEST = pattern(r"^(\S{1,500}\.py):(\d{1,9}):(?: in (\S{1,200}))?$")
_PYTEST_RAISED = pattern(r"^(\S{1,500}\.py):(\d{1,9}): ([A-Z]\w{0,80})$")
_RICH = pattern(r"^(\S[^│]{0,400}?\.py):(\d{1,9}) in(?: ([^\s│]{1,200}))?\s*│?$")
_RICH_ARROW = pattern(r"^\s?❱\s{0,5}(\d{1,9}) │?(.{0,300}?)\s*│?$")
_RICH_CODE = pattern(r"^\s{0,6}\d{1,9} │")
_IPYTHON = (
    pattern(r"^File (\S.{0,500}?):(\d{1,9}), in (.{1,300})$"),
    pattern(r"^((?:Cell|Input) In ?\[\d*\])(?:, line (\d{1,9}))?(?:, in (.{1,300}))?$"),
    pattern(r"^(<ipython-input-[\w-]{1,80}>)() in (.{1,300})$"),
    pattern(r"^([/~]\S{1,500}\.py)() in (.{1,300})$"),
    # The end of a path whose beginning was cut off.
    pattern(r"^([\w.~-]{1,200}\.py)() in (<(?:cell line|module).{0,100})$"),
    pattern(r"^((?:[A-Za-z]:|~)\\[^:*?\"<>|]{1,500}\.py)() in (.{1,300})$"),
)
# Colab's file names are links, which a copy as Markdown keeps.
_LINKED = pattern(r"^\[([^\[\]]{1,500})\]\([^()\s]{1,300}\)")
_ARROW = pattern(r"^\s?-{2,}>\s?(\d{1,9})\s(.{0,300})$")
_MARKS = pattern(r"(?<!\s)\s{2,}\*{1,2}$")


_KERNEL = pattern(r"ipykernel_\d{1,9}[\\/]\d{1,20}\.py$")
# What `six` makes of text, to raise in both Pythons.
_RAISERS = ("raise_from", "reraise")


def is_user(file: str) -> bool:
    """Whether a file is the user's own, as far as its path can tell."""
    return _FRAMEWORK.search(file) is None


def python_frame(line: str) -> Frame | None:
    """A `File "...", line N, in f` line (faulthandler's form without the comma too), or None."""
    if 'File "' not in line:
        return None
    found = _PYTHON.match(line)
    if not found:
        return None
    function = _MARKS.sub("", found[3]) if found[3] else None
    made = found[1] == "<string>" and function in _RAISERS
    return Frame(found[1], int(found[2]), function, user=is_user(found[1]) and not made)


# AutoGraph up to TensorFlow 2.6 lists the frames of "in user code:" so; a star marks the user's.
_AUTOGRAPH = (
    r"^\s{1,12}((?:/|~|[A-Za-z]:\\|<ipython|[\w.])[^:*?\"<>|]{1,400}?(?:\.pyc?|>)):(\d{1,9}) "
    r"(\S{1,200})(?:\s{1,4}\*{1,2})?\s*$"
)


def autograph_frame(line: str) -> Frame | None:
    """A `path.py:12 f` line of AutoGraph, or None."""
    found = re.match(_AUTOGRAPH, line) if ".py" in line or "<ipython" in line else None
    return Frame(found[1], int(found[2]), found[3], user=is_user(found[1])) if found else None


def pytest_frame(line: str) -> Frame | None:
    """A `path.py:12: in f` (of the test itself: `path.py:12:`) line of pytest, or None."""
    found = _PYTEST.match(line) if ".py:" in line else None
    return Frame(found[1], int(found[2]), found[3], user=is_user(found[1])) if found else None


def pytest_raised(line: str) -> tuple[Frame, str] | None:
    """Where an exception was raised, and its name: the `path.py:12: ValueError` below pytest's message, or None."""
    found = _PYTEST_RAISED.match(line) if ".py:" in line else None
    return (Frame(found[1], int(found[2]), None, user=is_user(found[1])), found[3]) if found else None


def rich_frame(line: str) -> Frame | None:
    """A `path.py:12 in f` line of the framed tracebacks of rich, or None. A long name stands in the next line."""
    found = _RICH.match(line) if ".py:" in line and " in" in line else None
    return Frame(found[1], int(found[2]), found[3], user=is_user(found[1])) if found else None


def is_rich_code(line: str) -> bool:
    """Whether rich shows a line of code here that is not the one that failed."""
    return "│" in line and _RICH_CODE.match(line) is not None


def ipython_frame(line: str) -> Frame | None:
    """A frame header of IPython and notebooks, old and new, or None."""
    if " in " not in line and "In[" not in line and "In [" not in line:
        return None
    if line[:1] == "[":
        line = _LINKED.sub(r"\1", line)
    for form in _IPYTHON:
        found = form.match(line)
        if found:
            function = found[3].split("(")[0] if found[3] else None
            return Frame(found[1], int(found[2]) if found[2] else None, function or None, user=is_user(found[1]))
    return None


def arrow(line: str) -> tuple[int, str] | None:
    """The line that IPython or rich points at: its number and code."""
    found = _ARROW.match(line) if ">" in line[:16] else _RICH_ARROW.match(line) if "❱" in line[:4] else None
    return (int(found[1]), found[2].strip(" │")) if found else None


def same_paths(op_frames: list[Frame], frames: list[Frame]) -> tuple[Frame, ...]:
    """Give op stacks back the folders that TensorFlow cut off (those that all files share), where known, and the
    cells of which a kernel made files.
    """
    whole = {frame.file for frame in frames if frame.user}
    cells = {(frame.line, frame.function): frame.file for frame in frames if frame.file.startswith(("Cell ", "Input "))}
    cells |= {(line, "<module>"): file for (line, function), file in cells.items() if function is None}
    return tuple(replace(f, file=_cell(f, cells) or _longer(f.file, whole)) if f.user else f for f in op_frames)


def _cell(frame: Frame, cells: dict[tuple[int | None, str | None], str]) -> str | None:
    """The cell in which a frame of a kernel's file stands, if the traceback has the same line."""
    return cells.get((frame.line, frame.function)) if _KERNEL.search(frame.file) else None


def _longer(file: str, whole: set[str]) -> str:
    fits = [path for path in whole if path.endswith("/" + file)]
    return fits[0] if len(fits) == 1 else file
