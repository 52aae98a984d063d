"""The text of an edit that was tried on the parsed tree: which part of a line would change, and to what."""

from __future__ import annotations

import ast
import re

from xladoctor.blame.variants import Variant
from xladoctor.sources.files import Files
from xladoctor.sources.names import walk

_TOKEN = re.compile(r"\w+|\s+|.", re.DOTALL)
_SIMPLE = ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return | ast.Expr
_MOST = 12
"""So many tokens beside a change may be needed to say which place of a line is meant."""
_MADE_UP = ("'another'",)
"""What stands for a name that nobody knows."""


def as_text(files: Files, variant: Variant) -> tuple[str, str]:
    """(old, new) of one line; empty where the edit cannot be written so."""
    source = files.source(variant.file)
    rows = source.lines if source is not None else []
    statement = _statement(source.tree, variant.line) if source is not None else None
    if statement is None or source is None or not 0 < variant.line <= len(rows):
        return "", ""
    before = ast.unparse(statement)
    with variant.made():
        after = ast.unparse(statement)
    after = _with_alias(after, source.tree)
    if not after or any(word in after for word in _MADE_UP) or before == after:
        return "", ""
    return _placed(before, after, rows[variant.line - 1])


def _statement(tree: ast.Module, line: int) -> ast.stmt | None:
    """The simple statement at a line."""
    found = [n for n in walk(tree) if isinstance(n, _SIMPLE) and n.lineno <= line <= (n.end_lineno or n.lineno)]
    return found[-1] if found else None


def _with_alias(text: str, tree: ast.Module) -> str:
    """`numpy.squeeze` as the file calls it; empty where it does not import NumPy."""
    if "numpy." not in text:
        return text
    names = [a.asname or a.name for n in tree.body if isinstance(n, ast.Import) for a in n.names if a.name == "numpy"]
    return re.sub(r"\bnumpy\.", f"{names[0]}.", text) if names else ""


def _placed(before: str, after: str, row: str) -> tuple[str, str]:
    """The smallest part of a statement that stands once in the row, with what would stand there."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    for more in range(_MOST):
        for left, right in ((more, more), (more, 0), (0, more)):
            first, last = max(0, start - left), max(0, end - right)
            part, put = "".join(old[first : len(old) - last]), "".join(new[first : len(new) - last])
            for one, other in ((part, put), (_quoted(part), _quoted(put))):
                if one.strip() and row.count(one) == 1:
                    return one, other
    return "", ""


def _quoted(text: str) -> str:
    """With the other quotes, which `ast.unparse` never writes."""
    return text.replace("'", '"')
