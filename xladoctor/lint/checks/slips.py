"""Lines of a training that Python takes without a word, and that do something else than they seem to: the slips that a
run shows after it ended, as far as the source alone tells them (`xladoctor.sources.slips`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import PurePath

from xladoctor.lint.hazard import Hazard
from xladoctor.lint.project import Module, Project
from xladoctor.rules import by_slug
from xladoctor.rules.slips import OF_SOURCE
from xladoctor.rules.slips_of_names import OF_NAMES
from xladoctor.sources.backward import Backward
from xladoctor.sources.held import View
from xladoctor.sources.names import nodes_of, unchanged, walk
from xladoctor.sources.order import scope_at
from xladoctor.sources.slips import Slip, slips, slips_of_names

_TRAINS = re.compile(r"\.(?:fit|evaluate|predict|apply_gradients|train_on_batch)\(")
_OF_ALL_FILES = frozenset(
    {"argument-ignored", "never-asked", "never-called", "other-key", "read-early", "setting-unread", "text-for-true",
     "two-layouts", "unscaled-loss", "trains-in-evaluation"}
)  # fmt: skip
"""What only the whole program tells, with the words of its command."""


def find(project: Project) -> Iterator[Hazard]:
    """Those of each module that trains or predicts, but for tests."""
    for module in project.modules:
        test = PurePath(module.source.path).name.startswith(("test_", "conftest"))
        if module.mentions and not test and _TRAINS.search(module.source.text):
            yield from _of_module(module)


def _of_module(module: Module) -> Iterator[Hazard]:
    path, tree = module.source.path, module.source.tree
    views: dict[str, View] = {}
    view = views[path] = View(path, tree, Backward({path: tree}), {}, views)
    try:
        with unchanged():
            found = [slip for _, slip in slips({path: tree}, ())] + list(slips_of_names(view))
    except RecursionError:
        return
    kinds = {**OF_SOURCE, **OF_NAMES}
    for slip in found:
        if slip.kind not in _OF_ALL_FILES:
            yield _hazard(module, slip, by_slug(kinds[slip.kind].slug).code)


def _hazard(module: Module, slip: Slip, code: str) -> Hazard:
    """At the first thing that stands on the line."""
    tree = module.source.tree
    node = next((n for n in walk(tree) if getattr(n, "lineno", 0) == slip.line), tree)
    first = next((n for n in nodes_of(tree, ast.stmt) if n.lineno == slip.line), node)
    name = getattr(scope_at(tree, slip.line), "name", None)
    how = f"{slip.title}. {slip.message}"
    return Hazard(code, module, first, how, None, function=name, details={"kind": slip.kind})
