"""The other position of a switch of the program's own, from the lines that read and test it.

An environment variable that the program reads is a switch where the program compares it with words ("fast"), takes it
for a flag ("1", "true"), or tests whether a number that it was made into is zero. The text that is given when it is not
set is read from the call.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xladoctor.model.flips import Reading
from xladoctor.sources.names import around, parents_of
from xladoctor.sources.source import Source

_CLAIMS = ("faster", "speed", "quick", "saves memory", "save memory", "saving memory", "less memory", "same result",
           "same return", "same number", "same value", "same output", "equivalent", "identical")  # fmt: skip
"""What a comment promises of a switch that may change how something is computed, and not what."""


def reading(source: Source, key: str) -> Reading | None:
    """How a file reads an environment variable; None where it does not name the variable."""
    call = next((n for n in ast.walk(source.tree) if isinstance(n, ast.expr) and _key(n) == key), None)
    if call is None:
        return None
    parents = parents_of(source.tree)
    tests = _Tests(source.tree, parents, key, call)
    names = tests.names
    return Reading(
        file=source.path,
        line=call.lineno,
        default=_default(call),
        words=tuple(dict.fromkeys(tests.words)),
        flag=tests.flag,
        number=tests.number,
        names=tuple(sorted(names)),
        uses=tuple(sorted(set(tests.uses))),
        alternatives=tuple(sorted(set(tests.alternatives))),
        claims=_claim(source.lines, [call.lineno, *tests.uses]),
        passed_on=tests.passed_on,
        decides=tuple(sorted(tests.decides)),
        deferred=tuple(sorted(tests.deferred)),
    )


def _key(node: ast.AST) -> str | None:
    """The variable that an expression reads: `os.environ[K]`, `os.environ.get(K)`, `os.getenv(K)`."""
    argument: ast.expr | None = None
    if isinstance(node, ast.Call) and node.args:
        name = ast.unparse(node.func)
        argument = node.args[0] if name.endswith(("environ.get", "getenv")) else None
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        argument = node.slice if ast.unparse(node.value).endswith("environ") else None
    return argument.value if isinstance(argument, ast.Constant) and isinstance(argument.value, str) else None


def _default(call: ast.AST) -> str | None:
    second = call.args[1] if isinstance(call, ast.Call) and len(call.args) > 1 else None
    return second.value if isinstance(second, ast.Constant) and isinstance(second.value, str) else None


@dataclass
class _Tests:
    """Where a value that was read is tested, in the file that reads it."""

    tree: ast.Module
    parents: dict[ast.AST, ast.AST]
    key: str
    call: ast.AST
    names: set[str] = field(default_factory=set)
    words: list[str] = field(default_factory=list)
    flag: bool = False
    number: bool = False
    uses: list[int] = field(default_factory=list)
    alternatives: list[int] = field(default_factory=list)
    passed_on: bool = False
    decides: set[int] = field(default_factory=set)
    deferred: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        for read in [n for n in ast.walk(self.tree) if isinstance(n, ast.expr) and _key(n) == self.key]:
            pending: list[ast.AST] = [read]
            seen: set[ast.AST] = set()
            before = len(self.uses)
            while pending:
                node = pending.pop()
                if node not in seen:
                    seen.add(node)
                    pending += self._follow(node)
            if len(self.uses) > before:
                self.decides.add(read.lineno)

    def _use(self, node: ast.AST, line: int) -> None:
        self.uses.append(line)
        if any(isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) for n in around(node, self.parents)):
            self.deferred.add(line)

    def _follow(self, node: ast.AST) -> Iterator[ast.AST]:
        """Look at what is done with an expression that holds the value; the expressions that hold it then."""
        above = self.parents.get(node)
        if isinstance(above, ast.Compare):
            constants = [c for c in (above.left, *above.comparators) if isinstance(c, ast.Constant)]
            constants += [e for c in above.comparators if isinstance(c, (ast.Tuple, ast.List, ast.Set)) for e in c.elts
                          if isinstance(e, ast.Constant)]  # fmt: skip
            self.words += [c.value for c in constants if isinstance(c.value, str)]
            yield above
        elif isinstance(above, (ast.UnaryOp, ast.BoolOp)):
            yield above
        elif isinstance(above, (ast.If, ast.IfExp, ast.While)) and above.test is node:
            self._use(node, above.lineno if not isinstance(above, ast.IfExp) else getattr(node, "lineno", above.lineno))
            self.flag = self.flag or not self.words
            if _alternatives(above, self.parents):
                self.alternatives.append(self.uses[-1])
        elif isinstance(above, ast.Call) and above.func is not node:
            name = ast.unparse(above.func)
            if name in ("int", "bool", "float", "str"):
                self.number = self.number or name in ("int", "float")
                yield above
            else:
                self.passed_on = True
        elif isinstance(above, ast.keyword):
            self.passed_on = True
        elif isinstance(above, ast.Attribute):
            method = self.parents.get(above)
            if above.attr in ("lower", "upper", "strip") and isinstance(method, ast.Call):
                yield method
        elif isinstance(above, (ast.Assign, ast.AnnAssign)):
            targets = above.targets if isinstance(above, ast.Assign) else [above.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    self.names.add(target.id)
                    yield from _loads(self.tree, target.id)
        elif isinstance(above, ast.Return):
            outer = around(above, self.parents)
            function = next((n for n in outer if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)), None)
            if function is not None:
                calls = (n for n in ast.walk(self.tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
                yield from (c for c in calls if isinstance(c.func, ast.Name) and c.func.id == function.name)


def _loads(tree: ast.Module, name: str) -> Iterator[ast.AST]:
    yield from (n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load))


def _alternatives(node: ast.If | ast.IfExp | ast.While, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether the two ways of a branch call different functions with the same arguments."""
    if isinstance(node, ast.While):
        return False
    one = node.body if isinstance(node, ast.IfExp) else _value(node.body)
    if isinstance(node, ast.IfExp):
        two: ast.AST | None = node.orelse
    else:
        two = _value(node.orelse) if node.orelse else _value(_after(node, parents))
    if not (isinstance(one, ast.Call) and isinstance(two, ast.Call)) or not one.args:
        return False
    given = [[ast.dump(a) for a in c.args] + [ast.dump(k) for k in c.keywords] for c in (one, two)]
    return given[0] == given[1] and ast.dump(one.func) != ast.dump(two.func)


def _value(body: Sequence[ast.stmt]) -> ast.AST | None:
    first = body[0] if body else None
    return first.value if isinstance(first, (ast.Return, ast.Assign)) else None


def _after(node: ast.If, parents: dict[ast.AST, ast.AST]) -> Sequence[ast.stmt]:
    """What follows a branch that returns."""
    if not isinstance(node.body[-1], ast.Return):
        return ()
    block = getattr(parents.get(node), "body", [])
    return block[block.index(node) + 1 :] if isinstance(block, list) and node in block else ()


def _claim(lines: Sequence[str], numbers: Sequence[int]) -> str | None:
    """A comment at one of the lines, or just above it, that promises the same numbers."""
    for number in numbers:
        at = number
        texts = [lines[at - 1].partition("#")[2]] if 0 < at <= len(lines) else []
        while at >= 2 and lines[at - 2].lstrip().startswith("#"):
            at -= 1
            texts.append(lines[at - 1].strip(" #\t"))
        for text in texts:
            if any(word in text.lower() for word in _CLAIMS):
                return text.strip()
    return None
