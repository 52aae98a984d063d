"""`--vary NAME=a,b`: what is varied besides the batch size, and what a name means.

A name is, in this order: one of the words below; with a prefix (`env:`, `cfg:`, `arg:`) what the prefix says; without
one, what fits: a parameter of the callable, a key of `params.cfg`, else, where it is written in capitals, a variable of
the environment. A name that fits both of the first two is refused, since either may be meant.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence

from xladoctor.errors import XladoctorError, did_you_mean
from xladoctor.workers.subject import Subject

Varied = tuple[str, tuple[str, ...]]

WORDS = {
    "jit": "on compiles the whole step with XLA, off runs it without",
    "eager": "on calls the function as it stands, without a graph",
    "dtype": "the precision of the floating arguments, such as float32 or float64",
    "python": "another interpreter, with its own TensorFlow",
}
PREFIXES = ("env:", "cfg:", "arg:")
_SWITCHES = ("jit", "eager")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*\Z")
_OF_CALLABLES = ("eager", "dtype", "cfg:", "arg:")


def parse(texts: Sequence[str]) -> tuple[Varied, ...]:
    r"""Each `NAME=a,b` as (name, values). `\,` is a comma within a value.

    Raises:
        XladoctorError: it is not of this form, or a name comes twice.
    """
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, equals, rest = text.partition("=")
        values = tuple(dict.fromkeys(v.replace("\0", ",").strip() for v in rest.replace("\\,", "\0").split(",")))
        if not equals or not name.strip():
            raise XladoctorError(f"--vary {text}: a name and its values, such as jit=on,off or env:TF_XLA_FLAGS=a,b")
        if name in found:
            raise XladoctorError(f"--vary {name} is given twice; give all values at once: --vary {name}=a,b")
        if name in _SWITCHES and not set(values) <= {"on", "off"}:
            raise XladoctorError(f"--vary {text}: {name} is on or off")
        found[name.strip()] = values
    return tuple(found.items())


def resolve(
    varied: Sequence[Varied], subject: Subject, parameters: Collection[str] = (), config: Collection[str] = ()
) -> tuple[Varied, ...]:
    """The same with every name's prefix, for a subject with these parameters and keys of `params.cfg`.

    Raises:
        XladoctorError: a name means nothing here, or could mean two things, or cannot be varied for this subject.
    """
    for path in dict(varied).get("python", ()):
        if not os.access(path, os.X_OK):
            raise XladoctorError(f"--vary python={path}: no such interpreter", exit_code=3)
    return tuple((_meaning(name, subject, parameters, config), values) for name, values in varied)


def _meaning(name: str, subject: Subject, parameters: Collection[str], config: Collection[str]) -> str:
    full = name
    if name not in WORDS and not name.startswith(PREFIXES):
        fits = [f"{prefix}{name}" for prefix, known in (("arg:", parameters), ("cfg:", config)) if name in known]
        if len(fits) > 1:
            raise XladoctorError(f"--vary {name} may mean {fits[0]} or {fits[1]}", hint="Write the one that you mean.")
        if not fits and not _VARIABLE.match(name):
            near = did_you_mean(name, [*WORDS, *parameters, *config])
            raise XladoctorError(
                f"--vary {name}: there is nothing of this name to vary"
                + ("" if subject.kind == "callable" else " for a capsule"),
                hint=near or f"Known are {', '.join(WORDS)} and names with {', '.join(PREFIXES)} in front.",
            )
        full = fits[0] if fits else f"env:{name}"
    if subject.kind == "capsule" and full.startswith(_OF_CALLABLES):
        raise XladoctorError(
            f"--vary {name}: a capsule keeps the graph that was traced, and this was decided before it",
            hint="Name your own callable: xladoctor replay --subject module:callable",
        )
    return full
