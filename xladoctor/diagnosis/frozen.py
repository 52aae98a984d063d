"""Values that a graph keeps though the program changes them: a global or an attribute that a `tf.function` reads in
Python, written anew in a loop.

A function reads Python values when it is traced. One that was traced once in the run has one value of each, whatever is
written later. Said only of a run that its own program ended with an error, where nothing else explains that.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from xladoctor.diagnosis.basis import NOT_TESTED
from xladoctor.diagnosis.facts import is_user_file
from xladoctor.diagnosis.own_source import source_of
from xladoctor.diagnosis.setting_finding import event_of, traced
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Finding, Location, Proof
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema
from xladoctor.rules import OUTSIDE, by_slug
from xladoctor.sources.names import dotted, nodes_of, walk

SLUG = "baked-in-setting"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_CHANGES = frozenset({"update", "setdefault", "__setitem__"})
_MOST_TRACES = 50


def frozen(recording: Recording, findings: Sequence[Finding]) -> Iterator[Finding]:
    """A likely cause for each value that a function keeps, where the program ended itself and no error says why."""
    errors = [f for f in findings if f.level == "error"]
    if survived(recording) or not ended_itself(recording) or any(f.slug not in OUTSIDE for f in errors):
        return
    for trace in _traced_once(recording):
        file, line = str(trace["defined"]["file"]), int(trace["defined"]["line"])
        source = source_of(recording, file)
        function = _function_at(source.tree, line) if source is not None else None
        if source is None or function is None:
            continue
        tree = source.tree
        reads = reads_of(function, tree)
        for name, written in writes_in_loops(tree, function):
            if name in reads:
                yield _finding(trace, name, Location(file, reads[name], str(trace.get("python_name"))), written)
                return


def _traced_once(recording: Recording) -> list[Event]:
    """The traces of those of the user's functions that were traced once."""
    tops = [
        t
        for t in recording.of_kind(schema.TRACE)
        if t.get("defined") and t["defined"].get("line") and is_user_file(str(t["defined"].get("file")))
    ]
    count = Counter((t["defined"]["file"], t["defined"]["line"]) for t in tops)
    return [t for t in tops if count[t["defined"]["file"], t["defined"]["line"]] == 1][:_MOST_TRACES]


def _function_at(tree: ast.Module, line: int) -> ast.AST | None:
    """The function whose definition, or first decorator, stands in a line."""
    for node in walk(tree):
        if isinstance(node, _FUNCTIONS):
            decorators = getattr(node, "decorator_list", ())
            if line in (node.lineno, *(d.lineno for d in decorators)):
                return node
    return None


def reads_of(function: ast.AST, tree: ast.Module) -> dict[str, int]:
    """{name: line} of what a function reads in Python and does not make itself: `SETTINGS['rate']`, `SETTINGS.rate`,
    a global's own name, `.rate` of an attribute of `self`.
    """
    made = {a.arg for n in nodes_of(function, ast.arguments) for a in (*n.args, *n.kwonlyargs)}
    made |= {n.id for n in nodes_of(function, ast.Name) if isinstance(n.ctx, ast.Store)}
    top = {t.id for s in tree.body if isinstance(s, ast.Assign) for t in s.targets if isinstance(t, ast.Name)}
    found: dict[str, int] = {}
    for node in walk(function):
        name = _place(node)
        if name is None or not isinstance(getattr(node, "ctx", None), ast.Load):
            continue
        root = name.partition("[")[0].partition(".")[0]
        if root == "self" and "." in name:
            found.setdefault("." + name.partition(".")[2], node.lineno)  # type: ignore[attr-defined]
        elif root not in made and root in top:
            found.setdefault(name, node.lineno)  # type: ignore[attr-defined]
    return found


def writes_in_loops(tree: ast.Module, function: ast.AST) -> Iterator[tuple[str, int]]:
    """(name, line) of what the program writes anew in the rounds of a loop, outside of a function."""
    inside = {id(n) for n in walk(function)}
    for loop in walk(tree):
        if not isinstance(loop, ast.For | ast.While) or id(loop) in inside:
            continue
        for node in walk(loop):
            if isinstance(node, ast.Assign | ast.AugAssign):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    name = _place(target)
                    if name is not None:
                        yield name, node.lineno
                        if "." in name and "[" not in name:
                            yield "." + name.partition(".")[2], node.lineno
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGES:
                holder = dotted(node.func.value)
                for keyword in node.keywords if holder else ():
                    yield f"{holder}[{keyword.arg!r}]", node.lineno


def _place(node: ast.AST) -> str | None:
    """What is read or written, as one name: `a`, `a.b`, `a['key']`."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        holder = dotted(node.value)
        return f"{holder}[{node.slice.value!r}]" if holder else None
    return dotted(node) if isinstance(node, ast.Name | ast.Attribute) else None


def _finding(trace: Event, name: str, read: Location, written: int) -> Finding:
    rule = by_slug(SLUG)
    function, setting = trace.get("python_name"), name.lstrip(".")
    found = Finding(
        code=rule.code,
        slug=rule.slug,
        level="error",
        role="root",
        title=f"{function} keeps the {setting} of its first call",
        message=f"{function} reads {setting} in Python when it is traced, and was traced once in this run. Line "
        f"{written} writes {setting} again in a loop, which does not change the graph. The program then "
        f"ended with an error of its own, which is likely about that.",
        location=read,
        evidence=(traced(trace), Proof("event", f"one trace of {function} in the run", event_of(trace))),
        status="untested",
        basis=NOT_TESTED,
        remedies=rule.remedies,
    )
    return replace(found, details={"function": function, "setting": setting, "written": written})
