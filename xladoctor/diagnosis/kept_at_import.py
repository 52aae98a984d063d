"""What was computed of a setting once, at an import or in a cached function, and is kept after the setting was changed.

A constant (`SIDE = params.side()`), a default (`def cut(size=cfg["N"])`) or an attribute of a class is computed once.
The recorder has seen the read, with its line; a later write of another value does not reach what was kept. Where the
statement that failed takes such a name, the line that keeps it is the one to suspect first. A function under
`functools.cache` keeps what it gave in the same way: its arguments are the key, the settings that it reads are not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from xladoctor.diagnosis.causes import SHAPES
from xladoctor.diagnosis.first_suspect import with_first_suspect
from xladoctor.diagnosis.own_source import source_of
from xladoctor.diagnosis.reads import History, histories
from xladoctor.diagnosis.setting_finding import finding, told
from xladoctor.model.blame import Suspect
from xladoctor.model.diagnosis import Diagnosis, Finding, Location, Remedy
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema
from xladoctor.sources.names import defaults, dotted, nodes_of, walk
from xladoctor.sources.source import Source

_MOST = 20
_CONTRACT = "contract-violation"


@dataclass(frozen=True)
class Missed:
    """A setting that was read for it, and the last value that it was given afterwards."""

    history: History
    read: Event
    written: Event

    @property
    def text(self) -> str:
        """In words, with both values and the line of the write."""
        at = location(self.written.get("where"))
        where = f" at {at.file}:{at.line}" if at is not None else ""
        was, now = self.read["value"], self.written["value"]
        return f"{self.history.name} = {was!r}, which was set to {now!r} afterwards{where}"


@dataclass(frozen=True)
class Kept:
    """A statement that ran while its module was imported: the names that it bound, and what it missed."""

    pid: int
    location: Location
    code: str
    names: frozenset[str]
    missed: tuple[Missed, ...]
    cached: bool = False
    """A function whose results are kept by their arguments, not a statement that ran once."""

    @property
    def text(self) -> str:
        """In words: what keeps what."""
        how = "is cached: it ran with" if self.cached else "was computed when the module was imported, from"
        return f"{', '.join(sorted(self.names))} {how} " + " and ".join(each.text for each in self.missed)


def kept_at_import(recording: Recording) -> tuple[Kept, ...]:
    """Each statement of an imported module that holds an old value at the end of the run."""
    return recording.once(_kept_at_import)


def kept_findings(recording: Recording) -> Iterator[Finding]:
    """A note for each: whether it matters, the run does not say."""
    for kept in kept_at_import(recording):
        written = kept.missed[-1].written
        names = ", ".join(sorted(kept.names))
        when = "before" if kept.cached else "at the import"
        what = "Its cached result" if kept.cached else "What was computed"
        yield replace(
            finding(
                "baked-in-setting",
                f"{names} keeps a setting as it was {when}",
                f"{kept.text}. {what} uses the old value.",
                written,
                [proof for m in kept.missed for proof in (told(m.read, "read"), told(m.written, "written"))],
                tested=False,
                details={"setting": kept.missed[-1].history.name, "kept": kept.missed[-1].read["value"],
                         "now": written["value"]},
            ),
            level="note",
            remedies=(_remedy(kept),),
            location=kept.location,
        )  # fmt: skip


def with_kept(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis with the line that keeps an old value as the first suspect, where the statement that failed takes
    it and the failure is one of shapes.
    """
    root = diagnosis.root
    if root is None or root.level != "error" or root.location is None or root.slug not in (*SHAPES, _CONTRACT):
        return diagnosis
    every = kept_at_import(recording)
    kept = next((k for k in every if _taken(k, root, recording)), None)
    # Elsewhere the two sizes tell it: they have the ratio of the setting's two values.
    kept = kept or next((k for k in every if not k.cached and _has_ratio(k, apart_sizes(root))), None)
    if kept is None:
        return diagnosis
    suspect = Suspect(kept.location, kept.code, f"{kept.text}.", "likely")
    return with_first_suspect(diagnosis, root, suspect, (_remedy(kept),))


def _remedy(kept: Kept) -> Remedy:
    names = " and ".join(f"`{name}`" for name in sorted(kept.names))
    if kept.cached:
        settings = " and ".join(f"`{m.history.key}`" for m in kept.missed)
        return Remedy(
            "settings-as-arguments",
            f"Give {names} {settings} as arguments, so that the cache distinguishes them",
            "safe",
            f"`functools.cache` compares only the arguments. Or call `{min(kept.names)}.cache_clear()` after a change.",
        )
    value = kept.code.partition("=")[2].strip() if kept.code.startswith(f"{min(kept.names)} =") else ""
    instead = f"Where {names} is used, write `{value}`" if value else f"Compute {names} in the function that uses it"
    return Remedy(
        "read-where-used",
        f"Compute {names} where it is used, from the settings of that moment",
        "safe",
        f"{instead}; or set the settings before this module is imported ({kept.location.file}:"
        f"{kept.location.line} runs once).",
    )


def _at(place: Location) -> tuple[str, int | None]:
    return place.file, place.line


def _kept_at_import(recording: Recording) -> tuple[Kept, ...]:
    found: dict[tuple[int, str, int], dict[str, Missed]] = {}
    for history, now in _changed(recording):
        for read in history.reads:
            place = _at_import(read)
            if place is not None and _misses(read, now):
                found.setdefault((history.pid, *place), {})[history.name] = Missed(history, read, now)
    kept = []
    for (pid, file, line), missed in list(found.items())[:_MOST]:
        source = source_of(recording, file)
        names = bound(source.tree, line) if source is not None else frozenset()
        if source is not None and names:
            where = Location(file, line, "<module>")
            kept.append(Kept(pid, where, source.line(line), names, tuple(missed.values())))
    return (*kept, *_cached(recording))


def _changed(recording: Recording) -> Iterator[tuple[History, Event]]:
    """The settings of the program whose last value it wrote itself, with that write."""
    for history in histories(recording):
        if history.store != "env" and history.writes and history.writes[-1]["action"] == "write":
            yield history, history.writes[-1]


def _misses(read: Event, now: Event) -> bool:
    return bool(now["seq"] > read["seq"] and now["value"] != read["value"])


def _cached(recording: Recording) -> Iterator[Kept]:
    """Functions whose results are kept, that did not run again after a setting that they had read was changed."""
    found: dict[tuple[int, str, str], list[Missed]] = {}
    for history, now in _changed(recording):
        last: dict[tuple[str, str], Event] = {}
        for read in history.reads:
            frames = [f for f in read.get("frames") or () if isinstance(f, dict)]
            last |= {(str(f.get("file")), str(f.get("function"))): read for f in frames}
        for (file, function), read in last.items():
            if _misses(read, now):
                found.setdefault((history.pid, file, function), []).append(Missed(history, read, now))
    for (pid, file, function), missed in list(found.items())[: 10 * _MOST]:
        source = source_of(recording, file)
        made = _made_cached(source.tree, function) if source is not None else None
        if source is not None and made is not None:
            where = Location(file, made.lineno, function)
            yield Kept(pid, where, source.line(made.lineno), frozenset({function}), tuple(missed), cached=True)


def _made_cached(tree: ast.Module, function: str) -> ast.FunctionDef | None:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            names = [dotted(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list]
            return node if any((name or "").split(".")[-1] in ("cache", "lru_cache") for name in names) else None
    return None


def _at_import(read: Event) -> tuple[str, int] | None:
    """File and line of the statement at the top level of an imported module, or of a class in it, that read it; None
    where a program's own script reads, in its order, or a function that runs later.
    """
    frames = [f for f in read.get("frames") or () if isinstance(f, dict)]
    if read.get("graph"):
        return None
    for number, frame in enumerate(frames[:-1]):
        file, line = frame.get("file"), frame.get("line")
        if frame.get("function") == "<module>" and isinstance(file, str) and isinstance(line, int):
            body = frames[number - 1] if number else {}
            inner = body.get("line") if body.get("file") == file else None
            return file, inner if isinstance(inner, int) and inner > line else line
    return None


def bound(tree: ast.Module, line: int) -> frozenset[str]:
    """The names to which a statement at the top level of a module or of a class gives a value at this line."""
    bodies = [tree.body, *(node.body for node in tree.body if isinstance(node, ast.ClassDef))]
    for statement in (s for body in bodies for s in body):
        if not statement.lineno <= line <= (statement.end_lineno or statement.lineno):
            continue
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            return frozenset(n.id for t in targets for n in nodes_of(t, ast.Name))
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)) and line < statement.body[0].lineno:
            return frozenset(defaults(statement))
    return frozenset()


def _taken(kept: Kept, root: Finding, recording: Recording) -> bool:
    """Whether the statement that failed, or one on the stack of what ended the run, takes what was kept; or whether the
    model whose call failed was built there, and the setting that it missed tells the sizes apart.
    """
    ends = [e for e in recording.raised if (e["pid"], e["failure"]) in recording.uncaught and e["pid"] == kept.pid]
    if kept.cached and any(_built(kept, recording, end) for end in ends) and _tells_apart(kept, _sizes(root)):
        return True
    frames = [f for e in ends for f in e.get("frames") or () if isinstance(f, dict) and f.get("user")]
    places = [_at(at) for at in (root.raised_at, root.location) if at is not None]
    places += [(str(f.get("file")), f.get("line")) for f in frames]
    sources = ((source_of(recording, file), line) for file, line in dict.fromkeys(places) if isinstance(line, int))
    return any(source is not None and _takes(source, line, kept) for source, line in sources)


def _built(kept: Kept, recording: Recording, failure: Event) -> bool:
    """Whether the model in whose call a failure was raised was built in the function that keeps its results, each time
    that a model of this name was.
    """
    calls = [e for e in recording.of_kind(schema.CALL) if e["pid"] == failure["pid"] and e["seq"] < failure["seq"]]
    ended = {e["call"] for e in calls if e["phase"] != "begin"}
    model = next((e.get("model") for e in reversed(calls) if e["phase"] == "begin" and e["call"] not in ended), None)
    built = [
        location(e.get("where"))
        for e in recording.of_kind(schema.MODEL)
        if e["pid"] == failure["pid"] and e.get("action") == "build" and e.get("name") == model
    ]
    return bool(model and built) and all(
        at is not None and at.file == kept.location.file and at.function in kept.names for at in built
    )


def _sizes(root: Finding) -> frozenset[int]:
    """The sizes that did not fit: of the message, and of the arrays that a worker saw at the op."""
    op = root.details.get("failing_op")
    given = op.get("inputs") if isinstance(op, dict) else None
    shapes = [t.get("shape") for t in given or () if isinstance(t, dict)]
    named = [d if isinstance(d, (list, tuple)) else [d] for d in (*root.dims, *shapes)]
    return frozenset(n for dims in named for n in dims if isinstance(n, int) and n > 0)


def _tells_apart(kept: Kept, sizes: frozenset[int]) -> bool:
    """Whether two sizes have the ratio of a setting's two values, or of their squares: one is as the old value wants
    it, the other as the new one does.
    """
    for missed in kept.missed:
        was, now = missed.read["value"], missed.written["value"]
        if type(was) is int and type(now) is int and was > 0 < now:
            for power in (1, 2):
                if any(a * was**power == b * now**power for a in sizes for b in sizes):
                    return True
    return False


def apart_sizes(root: Finding) -> tuple[int, int] | None:
    """The two sizes that a broken contract saw and expected, where one axis alone differs."""
    seen, text = root.details.get("seen"), str(root.details.get("expected") or "")
    wanted = [int(n) if n.isdecimal() else None for n in text.strip("()").replace(",", " ").split()]
    if not isinstance(seen, list) or len(seen) != len(wanted):
        return None
    apart = [(a, b) for a, b in zip(seen, wanted, strict=True) if isinstance(a, int) and b is not None and a != b]
    return apart[0] if len(apart) == 1 else None


def _has_ratio(kept: Kept, sizes: tuple[int, int] | None) -> bool:
    """Whether two sizes have the ratio of a setting's two values, or of their squares."""
    return sizes is not None and min(sizes) > 0 and _tells_apart(kept, frozenset(sizes))


def _takes(source: Source, line: int, kept: Kept) -> bool:
    """Whether the innermost statement at a line loads one of the names, of this module or of the one that kept it."""
    here = [
        n for n in nodes_of(source.tree, ast.stmt)
        if n.lineno <= line <= (n.end_lineno or n.lineno)
        and not isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    ]  # fmt: skip
    if not here:
        return False
    statement = max(here, key=lambda n: n.lineno)
    own = source.path == kept.location.file
    module = kept.location.file.rpartition("/")[2].removesuffix(".py")
    taken = {
        (alias.asname or alias.name)
        for n in nodes_of(source.tree, ast.ImportFrom) if (n.module or "").split(".")[-1] == module
        for alias in n.names if alias.name in kept.names
    }  # fmt: skip
    for node in walk(statement):
        if isinstance(node, ast.Name) and node.id in (kept.names if own else taken):
            return True
        if isinstance(node, ast.Attribute) and node.attr in kept.names and isinstance(node.value, ast.Name):
            return node.value.id in ("self", "cls", module)
    return False
