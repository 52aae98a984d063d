"""`%%xladoctor` in a notebook: the cell is watched, and its diagnosis stands below its traceback.

The cell is run by IPython itself, as any other: its first line is taken for an empty one, and the watch begins and ends
with IPython's own events. So its lines keep their numbers, its traceback has no frame of ours, and `await` works.
IPython is the kernel's: it is not imported here.
"""

from __future__ import annotations

import argparse
import linecache
import os
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

MAGIC = "%%xladoctor"
_SHELL_CALLS = ("get_ipython().system(", "get_ipython().getoutput(")  # what `!` becomes
_loaded: list[_Extension] = []


@dataclass(frozen=True)
class CellOptions:
    """What stands behind `%%xladoctor`."""

    run_dir: Path | None = None
    replay: bool = True
    check_budget: float = 0.0


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise SyntaxError(f"{MAGIC}: {message}")


def options_of(line: str) -> CellOptions:
    """The options of a first line.

    Raises:
        SyntaxError: there is no such option.
    """
    parser = _Parser(MAGIC, add_help=False, allow_abbrev=False)
    parser.add_argument("--run-dir", type=Path)
    parser.add_argument("--no-replay", dest="replay", action="store_false")
    parser.add_argument("--check-budget", type=float, default=0.0)
    try:
        words = shlex.split(line.strip().removeprefix(MAGIC))
    except ValueError as error:
        raise SyntaxError(f"{MAGIC}: {error}") from None
    return CellOptions(**vars(parser.parse_args(words)))


def _is_run(line: str) -> bool:
    """Whether a cell with this first line is watched; else the magic function answers."""
    try:
        options_of(line)
    except SyntaxError:
        return False
    return True


def is_ours(cell: str) -> bool:
    """Whether a cell begins with the magic."""
    return cell.lstrip().split(None, 1)[:1] == [MAGIC]


class _Extension:
    """The hooks in one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._watch: Any = None
        self._running = False

    def load(self) -> None:
        shell = self._shell
        shell.input_transformers_cleanup.append(self.without_magic)
        shell.events.register("pre_run_cell", self.begins)
        shell.events.register("post_run_cell", self.ends)
        shell.register_magic_function(_not_run, "cell", "xladoctor")

    def unload(self) -> None:
        shell = self._shell
        shell.input_transformers_cleanup.remove(self.without_magic)
        shell.events.unregister("pre_run_cell", self.begins)
        shell.events.unregister("post_run_cell", self.ends)
        shell.magics_manager.magics["cell"].pop("xladoctor", None)

    def without_magic(self, lines: list[str]) -> list[str]:
        """The lines of a cell, the first one empty where it is the magic. Within a cell that runs nothing is changed:
        there the magic is one inside of another, which cannot be watched.
        """
        if self._running or not lines or not is_ours(lines[0]) or not _is_run(lines[0]):
            return lines
        return ["\n", *lines[1:]]

    def begins(self, info: Any) -> None:
        """IPython is about to run a cell."""
        self._running = True
        first = info.raw_cell.lstrip().partition("\n")[0]
        if not is_ours(first) or not _is_run(first):
            return
        from xladoctor.commands.watch import Recorded, WatchOptions

        options = options_of(first)
        recorded = Recorded(WatchOptions(options.run_dir))
        recorded.begin_if_possible()
        self._watch = (recorded, options)

    def ends(self, result: Any) -> None:
        """A cell was run, and its traceback is shown."""
        self._running = False
        watch, self._watch = self._watch, None
        if watch is None:
            return
        recorded, options = watch
        error = getattr(result, "error_in_exec", None)
        self._keep_cells(recorded)
        recorded.leave(error)
        if recorded.why_not is not None:
            sys.stderr.write(f"xladoctor: nothing was recorded: {recorded.why_not}\n")
        elif getattr(result, "error_before_exec", None) is None:
            code = str(getattr(result.info, "transformed_cell", ""))
            self._show(recorded, options, any(call in code for call in _SHELL_CALLS))

    def _show(self, recorded: Any, options: CellOptions, shell: bool) -> None:
        import IPython.display

        from xladoctor.api import Diagnosis

        found = recorded.diagnosis(replay=options.replay, check_budget=options.check_budget)
        diagnosis = Diagnosis.of(found, recorded.run_dir)
        if diagnosis.findings:
            show: Any = IPython.display.display
            show(diagnosis)
        else:
            print(f"xladoctor: no finding ({recorded.run_dir})")  # noqa: T201
            if shell:
                print("  Commands of the shell are not watched. To run one so: !xladoctor scan -- CMD")  # noqa: T201

    def _keep_cells(self, recorded: Any) -> None:
        if recorded.run_dir is None:
            return
        from xladoctor.recording import kernel_cells

        try:
            kernel_cells.write(recorded.run_dir, _name(self._shell), _cells(self._shell))
        except OSError:
            return  # the places then have the kernel's names


def _cells(shell: Any) -> Iterator[Any]:
    """The cells that were run, the newest first, as the kernel keeps them for its tracebacks."""
    from xladoctor.recording.kernel_cells import KernelCell

    found = []
    for file, entry in list(linecache.cache.items()):
        label = shell.compile.format_code_name(file)
        number = re.search(r"\d+", label[1]) if label else None
        if number is not None and len(entry) > 2:
            found.append(KernelCell(str(file), int(number[0]), "".join(entry[2])))
    yield from sorted(found, key=lambda cell: -cell.number)


def _name(shell: Any) -> str:
    """The notebook, where whoever started the kernel has said which it is."""
    known = os.environ.get("JPY_SESSION_NAME") or shell.user_ns.get("__vsc_ipynb_file__")
    return Path(str(known)).name if known and str(known).endswith(".ipynb") else ""


def _not_run(line: str, cell: str | None = None) -> None:
    """Watch this cell and show its diagnosis: %%xladoctor [--run-dir DIR] [--no-replay] [--check-budget SECONDS]."""
    from IPython.core.error import UsageError

    try:
        options_of(line)
    except SyntaxError as error:
        raise UsageError(f"{error} (its options: {MAGIC}?)") from None
    raise UsageError(f"{MAGIC} must be the first line of its cell: it watches the whole of it")


def load(shell: Any) -> None:
    """Put `%%xladoctor` into a shell of IPython."""
    if not _loaded:
        _loaded.append(_Extension(shell))
        _loaded[0].load()


def unload(shell: Any) -> None:
    """Take it out again."""
    while _loaded:
        _loaded.pop().unload()
