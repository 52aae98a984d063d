"""Classes of messages, one file each. The name of the file is the code and the class: `xd416_tensor_out_of_scope.py`.

Each has one constant `RULE`, made by `rules.matching.make`: its texts, its remedies, what recognises it, and in
`literals` the constant parts of its messages, by which a line is found in a large log. `TESTS` says how the remedies
are tested that only this class has. Nothing else lists a class. Classes that share recognisers are together in the
files of `rules`. See CONTRIBUTING.md.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from xladoctor.folder import modules

if TYPE_CHECKING:
    from xladoctor.rules.how_tested import RemedyTest

_FILE = re.compile(r"^(xd\d{3})_([a-z0-9]+(?:_[a-z0-9]+)*)$")


def codes() -> dict[str, tuple[str, str]]:
    """{code: (class, module below `rules`)} of every file here. None is loaded for it."""
    files = (_FILE.match(name) for name in modules(__path__))
    return {f[1].upper(): (f[2].replace("_", "-"), f"messages.{f[0]}") for f in files if f}


@cache
def literals() -> tuple[str, ...]:
    """The literals of all classes here."""
    return tuple(dict.fromkeys(literal for file in _files() for literal in file.RULE.literals))


def tests() -> dict[str, RemedyTest]:
    """{id: how it is tested} of the remedies that only a class here has: its `TESTS`."""
    return {name: test for file in _files() for name, test in getattr(file, "TESTS", {}).items()}


def _files() -> tuple[Any, ...]:
    return tuple(import_module(f"xladoctor.rules.{module}") for _, module in codes().values())
