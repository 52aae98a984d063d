"""Methods of a callback that look like hooks, and that Keras does not know: `on_epoch_start`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from difflib import get_close_matches

from xladoctor.sources.names import dotted, mentioned, nodes_of
from xladoctor.sources.slips.slip import Slip

_HOOKS = {
    "Callback": frozenset(
        f"on_{what}_{when}"
        for what in ("batch", "epoch", "train", "test", "predict", "train_batch", "test_batch", "predict_batch")
        for when in ("begin", "end")
    ),
    "PyDataset": frozenset({"on_epoch_begin", "on_epoch_end"}),
    "Sequence": frozenset({"on_epoch_begin", "on_epoch_end"}),
}
"""What Keras calls of its base classes."""


def unknown_hooks(tree: ast.Module) -> Iterator[Slip]:
    """Each that no line of the module calls or names either."""
    classes = list(nodes_of(tree, ast.ClassDef))
    bases = _bases(tree) if classes else {}
    named = mentioned(tree) if classes else frozenset()
    for made in classes:
        hooks = next((h for b in made.bases if (h := _hooks(b, bases)) is not None), None)
        for method in made.body if hooks is not None else ():
            if not isinstance(method, ast.FunctionDef) or not method.name.startswith("on_") or hooks is None:
                continue
            if method.name in hooks or method.name in named or method.decorator_list:
                continue
            near = get_close_matches(method.name, sorted(hooks), n=1)
            yield Slip(
                "unknown-hook",
                method.lineno,
                f"Keras does not call `{method.name}`",
                f"It is no hook of `{ast.unparse(made.bases[0])}`, and no line calls it: what it does is never done."
                + (f" Keras calls `{near[0]}`." if near else ""),
            )


def _bases(tree: ast.Module) -> dict[str, str]:
    """{name: class} of the base classes that the module imports from Keras."""
    return {
        alias.asname or alias.name: alias.name
        for node in nodes_of(tree, ast.ImportFrom)
        if "keras" in (node.module or "")
        for alias in node.names
        if alias.name in _HOOKS
    }


def _hooks(base: ast.expr, imported: dict[str, str]) -> frozenset[str] | None:
    name = dotted(base) or ""
    if name in imported:
        return _HOOKS[imported[name]]
    owner, _, last = name.rpartition(".")
    return _HOOKS.get(last) if owner.endswith(("callbacks", "utils")) else None
