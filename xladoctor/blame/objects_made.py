"""One of several objects of a class, whose method failed with what it was made with: the line that made this one."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise

from xladoctor.blame.crash import Crash, Frame
from xladoctor.blame.indices import OF_VALUES
from xladoctor.blame.suspicion import Candidate
from xladoctor.sources.files import Files
from xladoctor.sources.names import last_name, names_in, nodes_of, parameters, walk

_Class = tuple[ast.ClassDef, ast.FunctionDef]


def of_objects(crash: Crash, files: Files, names: Sequence[str]) -> Iterator[Candidate]:
    """The line that makes the object on which the traceback calls a method, if the failing line of the method reads
    what the object was made with, and the program makes other objects of the class.
    """
    if len(set(crash.sizes)) < 2:
        return
    trees = files.trees(names)
    for caller, callee in reversed(list(pairwise(crash.frames))):
        found = _class_at(trees.get(callee.file), callee)
        receiver = _receiver(trees.get(caller.file), caller, callee) if found is not None else ""
        if found is None or not receiver or not _reads_given(found, callee):
            continue
        made = [
            (file, target, node.value)
            for file, tree in trees.items()
            for node in nodes_of(tree, ast.Assign)
            for target in node.targets
            if isinstance(node.value, ast.Call) and last_name(node.value.func) == found[0].name
        ]
        own = [(file, call) for file, target, call in made if last_name(target) == receiver]
        others = [call for _, target, call in made if last_name(target) != receiver]
        if len(own) == 1 and others:
            file, call = own[0]
            # Which row is asked for depends on how many there are, and not on what the objects share.
            shared = _shared(call, others) if crash.slug not in OF_VALUES else ""
            same = f", with `{shared}` as another one of its class has it" if shared else ""
            reason = f"It makes `{receiver}`, whose method failed{same}."
            yield Candidate(file, call.lineno, 8.4 if shared else 5.6, reason, None, "other", True)
        return


def _class_at(tree: ast.Module | None, frame: Frame) -> _Class | None:
    """The class around a frame, with its constructor."""
    for cls in nodes_of(tree, ast.ClassDef) if tree is not None else ():
        inner = [m for m in cls.body if isinstance(m, ast.FunctionDef)]
        here = [m for m in inner if m.lineno <= frame.line <= (m.end_lineno or m.lineno) and m.name != "__init__"]
        makes = [m for m in inner if m.name == "__init__"]
        if here and makes:
            return cls, makes[0]
    return None


def _receiver(tree: ast.Module | None, caller: Frame, callee: Frame) -> str:
    """The name of the object whose method the caller's line calls."""
    method = callee.function.rpartition(".")[2]
    for call in nodes_of(tree, ast.Call) if tree is not None else ():
        func = call.func
        if not call.lineno <= caller.line <= (call.end_lineno or call.lineno):
            continue
        if isinstance(func, ast.Attribute) and func.attr == method and last_name(func.value) not in ("self", "super"):
            return last_name(func.value)
        if method in ("__call__", "call") and isinstance(func, ast.Name | ast.Attribute):
            return last_name(func)
    return ""


def _reads_given(found: _Class, frame: Frame) -> bool:
    """Whether the failing line reads an attribute that the constructor makes of its parameters."""
    cls, makes = found
    given = set(parameters(makes)) - {"self"}
    filled = {
        target.attr
        for node in nodes_of(makes, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute) and names_in(node.value) & given
    }
    lines = (n for n in walk(cls) if isinstance(n, ast.Attribute) and n.lineno == frame.line)
    return any(n.attr in filled for n in lines)


def _shared(call: ast.Call, others: Sequence[ast.Call]) -> str:
    """What a call gives in the same place as others: a name that is no number."""
    for i, value in enumerate(call.args):
        text = ast.unparse(value)
        if isinstance(value, ast.Name | ast.Attribute) and any(
            len(o.args) > i and ast.unparse(o.args[i]) == text for o in others
        ):
            return text
    return ""
