"""Runs the target so that nothing that happens to the doctor harms it.

A keeper process (`xladoctor.target.keeper`) starts the target and copies its output; the doctor only waits. The target
gets the caller's standard input, process group, terminal and open descriptors. An output that is a regular file is the
target's own; one that is a terminal is a pseudo-terminal; a pipe is a pipe.
"""

from xladoctor.target.command import resolve, with_python
from xladoctor.target.run import Run, Stop, run

__all__ = ["Run", "Stop", "resolve", "run", "with_python"]
