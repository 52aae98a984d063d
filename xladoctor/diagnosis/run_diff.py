"""What differs between two runs: most often one that passes and one that fails.

Paths are compared as they stand below each run's own working folder, and addresses in memory not at all: two runs of
the same program in two folders do not differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import xladoctor
from xladoctor.model.diagnosis import Compilation, Diagnosis, SettingEvent, XlaPath
from xladoctor.model.run_diff import Difference, RunDiff, RunSide, Seen, Topic
from xladoctor.model.trace import TraceDiff

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
# TensorFlow numbers its functions in the order in which they were made.
_NUMBERED = re.compile(r"_\d+$")
_VERSIONS = ("python", "tensorflow", "keras", "numpy", "executable", "ptycho_file", "tensorflow_file")
# What Keras and tf.data trace for themselves.
_INTERNAL = ("Dataset_", "initialize_variables")
_OURS = ("XLADOCTOR_", "PYTHONUNBUFFERED", "PYTHONFAULTHANDLER")

Tidy = Callable[[Any], str]


def diff(a: Seen, b: Seen, shapes: TraceDiff) -> RunDiff:
    """Set two runs side by side."""
    clean_a, clean_b = _tidy(a), _tidy(b)
    left, right = a.diagnosis, b.diagnosis
    silent = [name for name, seen in (("A", a), ("B", b)) if not seen.recorded]
    versions_a, versions_b = (_versions(s, t, not silent) for s, t in ((a, clean_a), (b, clean_b)))
    topics: tuple[Topic, ...] = (
        _topic("command", "Command", _command(left, clean_a), _command(right, clean_b)),
        _topic("versions", "Versions", versions_a, versions_b),
        _topic("environment", "Environment", _variables(a, clean_a), _variables(b, clean_b)),
    )
    notes = shapes.notes
    if silent:
        # What one run did not record does not differ from what the other did.
        shapes = replace(shapes, steps=(), notes=())
        what = "versions, settings, XLA paths, compilations and shapes were not compared"
        notes = (f"nothing was recorded in {' and '.join(silent)}: {what}", *notes)
    else:
        topics += _recorded(left, right, clean_a, clean_b)
    topics += (_topic("outcome", "Outcome", _outcome(a), _outcome(b)),)
    problems = [f"{n}: {p}" for n, d in (("A", left), ("B", right)) for p in d.problems]
    return RunDiff(
        a=_side(a),
        b=_side(b),
        topics=topics,
        shapes=shapes,
        notes=notes,
        problems=tuple(dict.fromkeys((*problems, *shapes.problems))),
        tool_version=xladoctor.__version__,
    )


def _recorded(left: Diagnosis, right: Diagnosis, clean_a: Tidy, clean_b: Tidy) -> tuple[Topic, ...]:
    return (
        _topic("settings", "Settings", _settings(left, clean_a), _settings(right, clean_b)),
        _order(left, right),
        _topic("xla", "XLA paths", _xla(left, clean_a), _xla(right, clean_b)),
        _topic("compilations", "Traces and compilations", _compiled(left, clean_a), _compiled(right, clean_b)),
    )


def _side(seen: Seen) -> RunSide:
    diagnosis, root = seen.diagnosis, seen.diagnosis.root
    return RunSide(
        source=diagnosis.source,
        ended=seen.ended,
        verdict=diagnosis.verdict,
        root=f"{root.code} {root.slug}: {root.title}" if root else None,
        command=tuple(map(str, diagnosis.environment.get("command") or ())),
        tool_version=diagnosis.tool_version,
    )


def _topic(name: str, title: str, a: dict[str, str], b: dict[str, str]) -> Topic:
    keys = list(dict.fromkeys((*a, *b)))
    differ = tuple(Difference(key, a.get(key), b.get(key)) for key in keys if a.get(key) != b.get(key))
    return Topic(name, title, len(keys) - len(differ), differ)


def _tidy(seen: Seen) -> Tidy:
    """A text without what is another one in every run: the working folder, the run folder, addresses."""
    folders = [str(f) for f in (seen.diagnosis.source, seen.diagnosis.environment.get("cwd"), seen.run.get("cwd")) if f]
    folders = sorted({f for f in folders if f.startswith("/") and len(f) > 1}, key=len, reverse=True)

    def tidy(value: Any) -> str:
        said = _ADDRESS.sub("0x…", str(value))
        for folder in folders:
            said = said.replace(folder, ".")
        return said

    return tidy


def _command(diagnosis: Diagnosis, tidy: Tidy) -> dict[str, str]:
    """The options of the command by name; the rest by position."""
    found: dict[str, str] = {}
    words = [tidy(word) for word in diagnosis.environment.get("command") or ()]
    option, position = "", 0
    for word in words:
        name, equals, value = word.partition("=")
        if word.startswith("--") or (word.startswith("-") and word[1:2].isalpha()):
            option = "" if equals else name
            found[name] = value if equals else "given"
        elif option:
            found[option] = word if found[option] == "given" else f"{found[option]} {word}"
        else:
            position += 1
            found[f"word {position}"] = word
    return found


def _versions(seen: Seen, tidy: Tidy, recorded: bool) -> dict[str, str]:
    environment = seen.diagnosis.environment if recorded else {}
    found = {name: tidy(environment[name]) for name in _VERSIONS if environment.get(name)}
    host = seen.run.get("host")
    if isinstance(host, dict):
        found |= {f"host {key}": str(value) for key, value in host.items()}
    return found


def _variables(seen: Seen, tidy: Tidy) -> dict[str, str]:
    found = seen.run.get("environment")
    if not isinstance(found, dict):
        return {}
    return {str(k): tidy(v) for k, v in found.items() if not str(k).startswith(_OURS)}


def _settings(diagnosis: Diagnosis, tidy: Tidy) -> dict[str, str]:
    """Of each setting what was written and what was read, in order, repetitions once."""
    found: dict[str, list[str]] = {}
    for event in _main(diagnosis):
        if event.store == "milestone":
            continue
        value = "unset" if event.value is None and event.store == "env" else tidy(repr(event.value))
        done = found.setdefault(_setting(event), [])
        step = f"{event.action} {value}"
        if not done or done[-1] != step:
            done.append(step)
    return {name: ", ".join(_once(steps)) for name, steps in found.items()}


def _once(steps: Sequence[str]) -> Iterator[str]:
    """Steps without what only repeats since the last write: reads alternate by the hundred."""
    since: set[str] = set()
    for step in steps:
        if not step.startswith("read"):
            since.clear()
        elif step in since:
            continue
        since.add(step)
        yield step


def _order(a: Diagnosis, b: Diagnosis) -> Topic:
    """The same steps of a setting at other times: before another milestone in one run than in the other."""
    known_a, known_b = (set(_milestones(d)) for d in (a, b))
    shared = known_a & known_b
    placed_a, placed_b = _placed(a, shared), _placed(b, shared)
    both = [key for key in placed_a if key in placed_b]
    differ = [Difference(_step_name(k), placed_a[k], placed_b[k]) for k in both if placed_a[k] != placed_b[k]]
    order_a = [m for m in dict.fromkeys(_milestones(a)) if m in shared]
    order_b = [m for m in dict.fromkeys(_milestones(b)) if m in shared]
    if order_a != order_b:
        differ.append(Difference("milestones", ", ".join(order_a), ", ".join(order_b)))
    return Topic("order", "Order of settings", len(both) - len(differ), tuple(differ))


def _placed(diagnosis: Diagnosis, shared: set[str]) -> dict[tuple[str, str, str], str]:
    """(setting, action, value) -> the milestone before it, at the first time that it happened."""
    found: dict[tuple[str, str, str], str] = {}
    last = "the start"
    for event in _main(diagnosis):
        if event.store == "milestone":
            name = _milestone(event)
            last = name if name in shared else last
        elif event.action != "start":
            found.setdefault((_setting(event), str(event.action), repr(event.value)), f"after {last}")
    return found


def _step_name(key: tuple[str, str, str]) -> str:
    setting, action, value = key
    return f"{setting}: {action} {value}"


def _milestones(diagnosis: Diagnosis) -> list[str]:
    return [_milestone(event) for event in _main(diagnosis) if event.store == "milestone"]


def _milestone(event: SettingEvent) -> str:
    words = str(event.key).split()
    # A version is a difference of its own.
    return " ".join(words[:2]) if words[:1] == ["import"] else str(event.key)


def _setting(event: SettingEvent) -> str:
    return str(event.key) if event.store == "decision" else f"{event.store} {event.key}"


def _main(diagnosis: Diagnosis) -> list[SettingEvent]:
    """The events of the first process: those of others come at any time."""
    first = next((event.pid for event in diagnosis.settings if event.pid is not None), None)
    return [event for event in diagnosis.settings if event.pid in (first, None)]


def _xla(diagnosis: Diagnosis, tidy: Tidy) -> dict[str, str]:
    def words(path: XlaPath) -> str:
        state = {True: "on", False: "off"}.get(path.effective, "?")  # type: ignore[arg-type]
        governed = ", ".join(map(str, path.governed_by)) or "nothing"
        return tidy(f"{state}: {path.requested} -> {path.resolved}, governed by {governed}")

    return _numbered((f"{p.mechanism} {p.function or ''}".strip(), words(p)) for p in diagnosis.xla_paths)


def _compiled(diagnosis: Diagnosis, tidy: Tidy) -> dict[str, str]:
    """How often each function was traced or compiled, and for which inputs."""
    grouped: dict[str, list[Compilation]] = {}
    for compilation in diagnosis.compilations:
        if str(compilation.function).startswith(_INTERNAL):
            continue
        grouped.setdefault(f"{compilation.kind} {_NUMBERED.sub('', str(compilation.function))}", []).append(compilation)
    found = {}
    for name, same in grouped.items():
        inputs = list(dict.fromkeys(tidy(", ".join(map(str, c.inputs))) for c in same if c.inputs))
        shown = "; ".join(inputs[:4]) + (f"; {len(inputs) - 4} more" if len(inputs) > 4 else "")
        xla = " under XLA" if any(c.xla for c in same) else ""
        found[name] = f"{len(same)} time{'' if len(same) == 1 else 's'}{xla}" + (f": {shown}" if shown else "")
    return found


def _numbered(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in pairs:
        number = 2
        key = name
        while key in found:
            key, number = f"{name} ({number})", number + 1
        found[key] = value
    return found


def _outcome(seen: Seen) -> dict[str, str]:
    diagnosis = seen.diagnosis
    found = {"verdict": str(diagnosis.verdict)}
    if seen.ended:
        found["end"] = seen.ended
    for finding in diagnosis.findings:
        if finding.level == "error":
            found.setdefault(f"{finding.code} {finding.slug}", f"{finding.role}: {finding.title}")
    return found
