"""The way in: `xladoctor` and `python -m xladoctor`.

Everything that a person sees of an error is written here, once. `--version` is answered before anything else
is imported.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

from xladoctor import __version__, descriptors, paths

INTERRUPTED = 130
BROKEN_PIPE = 141
INTERNAL = 70


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit status.

    Returns:
        0 nothing wrong, 1 findings at error level, 2 wrong usage or unreadable input, 3 the target could not
        be run; 130 interrupted, 141 the reader of our output went away, 70 a bug of the doctor.
    """
    if argv is None:
        # A command makes many small objects and few cycles, and ends soon: collecting them is a twentieth of its time.
        gc.set_threshold(100_000)
    args = list(sys.argv[1:] if argv is None else argv)
    descriptors.fill()
    _survive_any_text()
    try:
        if args in (["--version"], ["-V"]):
            print(f"xladoctor {__version__}")  # noqa: T201
            status = 0
        else:
            status = _run(args)
        sys.stdout.flush()
    except BrokenPipeError:
        descriptors.drop_stdout()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if _debug(args):
            raise
        return _explain(error)
    return status


def _run(args: list[str]) -> int:
    if len(args) == 2 and args[0] == "scan":
        from xladoctor.cli import one_target

        status = one_target.scan(args[1])
        if status is not None:
            return status
    from xladoctor.cli.app import run

    return run(args)


def _explain(error: Exception) -> int:
    from xladoctor.errors import XladoctorError
    from xladoctor.report.text import line, lines

    if isinstance(error, XladoctorError):
        return _say(lines(error.message), error.exit_code, lines(error.hint) if error.hint else None)
    if isinstance(error, OSError):
        named = f"{line(error.filename)}: " if error.filename else ""
        return _say(f"{named}{line(error.strerror or error)}", 2)
    said = f"{type(error).__name__}: {line(error)}"
    return _say(
        f"the doctor itself failed ({said})",
        INTERNAL,
        "This is a bug in xladoctor; XLADOCTOR_DEBUG=1 shows where.",
    )


def _say(message: str, status: int, hint: str | None = None) -> int:
    try:
        sys.stderr.write(f"xladoctor: {message}\n" + (f"  {hint}\n" if hint else ""))
        sys.stderr.flush()
    except OSError:
        pass
    return status


def _debug(args: Sequence[str]) -> bool:
    ours = args[: args.index("--")] if "--" in args else args
    return "--debug" in ours or os.environ.get("XLADOCTOR_DEBUG", "") not in ("", "0")


def _survive_any_text() -> None:
    # A report can hold any character, and a terminal any encoding.
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _without_here() -> None:
    """`python -m` puts the current folder first on the path. It may be a stranger's: what lies in it is neither a
    library of ours nor a plug-in. (The package itself is loaded by now, wherever it is.)
    """
    if not getattr(sys.flags, "safe_path", False) and sys.path and sys.path[0] in ("", str(paths.here())):
        del sys.path[0]


if __name__ == "__main__":
    _without_here()
    raise SystemExit(main())
