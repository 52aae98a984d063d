"""Settings that do not govern what they say: written too late, or dead. Seen by building the subject again.

A program that writes a setting while it is imported and built, after what it governs has been made, runs under another
value than the setting has. With all that it writes in force from the start of the process, its graph is another one.
And a switch with which the graph is the same in both positions has no effect on it.
"""

from __future__ import annotations

from collections.abc import Sequence

from xladoctor.diagnosis.order import is_switch
from xladoctor.model.replay import Agreement, Case
from xladoctor.protocol import answers, requests
from xladoctor.recording.flags import FLAG_VARIABLES
from xladoctor.workers.bench import Bench

Settings = tuple[tuple[str, str], ...]

GRAPH = "the graph"
FROM_THE_START = "its own settings from the start"
_PLAIN = "plain"


def written(bench: Bench, case: Case) -> Settings:
    """What the program of a callable writes while it is imported and built: settings of `params.cfg`, and variables of
    the environment about XLA. Switches come first. Empty for a capsule.
    """
    if bench.subject.kind != "callable":
        return ()
    answer = bench.ask(requests.ListWritten(), case)
    if not answer.ok:
        return ()
    given = {name for name, _ in case.vary}
    found = [(n, v) for n, v in answer.result.items() if n not in given and _counts(n)]
    return tuple(sorted(found, key=lambda pair: (not is_switch(pair[0]), pair[0])))


def earlier(case: Case, settings: Settings) -> Case:
    """The case with these settings in force before the program is imported."""
    return Case(case.batch, (*case.vary, *settings))


def building(bench: Bench, case: Case, again: bool = False) -> requests.CompareCallable:
    """The question that has the callable built in this case, kept as a capsule with open rows, and run plainly; with
    `again` it is built twice in one process, and the second one counts.
    """
    return requests.CompareCallable(folder=str(bench.open_folder(case, again=again)), again=again, ways=(), python=())


def graph_of(bench: Bench, case: Case, again: bool = False) -> answers.Digest | None:
    """The graph in this case; None where there is none."""
    built = bench.ask(building(bench, case, again), case)
    if not built.ok or built.result.capsule is None:
        return None
    answer = bench.ask(requests.DigestGraph(capsule=built.result.capsule), case)
    return answer.result if answer.ok else None


def too_late(bench: Bench, case: Case) -> tuple[Settings, str] | None:
    """(the settings that came too late, what they change, in words) of a callable; None where all came in time."""
    settings = written(bench, case)
    before = graph_of(bench, case) if settings else None
    after = graph_of(bench, earlier(case, settings)) if before else None
    if not before or not after or before.digest == after.digest:
        return None
    culprits = settings
    for one in settings if len(settings) > 1 else ():
        alone = graph_of(bench, earlier(case, (one,)))
        if alone and alone.digest == after.digest:
            culprits = (one,)
            break
    return culprits, difference(before, after)


def difference(before: answers.Digest, after: answers.Digest) -> str:
    """In which way a graph is another one."""
    if before.compiled != after.compiled:
        return f"functions marked for XLA in the graph: {before.compiled} as it is, {after.compiled} then"
    if before.nodes != after.nodes:
        return f"nodes of the graph: {before.nodes} as it is, {after.nodes} then"
    return "the graph has the same number of nodes, of which some are others"


def agreements(bench: Bench, case: Case, others: Sequence[Case]) -> tuple[list[Agreement], list[str]]:
    """(what a setting does not govern although it should, what is to be said besides) of a callable; `others` are the
    same size under other settings.
    """
    if bench.subject.kind != "callable":
        return [], []
    bench.say("looking whether settings come in time")
    found: list[Agreement] = []
    notes: list[str] = []
    late = too_late(bench, case)
    if late is not None:
        settings, change = late
        what = f"the program writes {listed(settings)}, too late: from the start of the process it gives another graph"
        found.append(_disagree(FROM_THE_START, "setting-too-late", f"{what} ({change})"))
    for other in others:
        changed = [(n, v) for n, v in other.vary if (n, v) not in case.vary]
        if len(changed) != 1 or not changed[0][0].startswith(("cfg:", "env:", "arg:")):
            continue
        before, after = graph_of(bench, case), graph_of(bench, other)
        if not before or not after or before.digest != after.digest:
            continue
        name = changed[0][0]
        values = f"{dict(case.vary).get(name, 'as it is')} and {changed[0][1]}"
        what = f"the graph is the same, op by op, with {name} {values}: it has no effect in this call"
        if is_switch(name):
            found.append(_disagree(listed(changed), "dead-switch", what))
        else:
            notes.append(what)
    return found, notes


def listed(settings: Sequence[tuple[str, str]]) -> str:
    """`cfg:A=1, cfg:B=False`."""
    return ", ".join(f"{name}={value}" for name, value in settings)


def _disagree(way: str, slug: str, what: str) -> Agreement:
    return Agreement(GRAPH, (_PLAIN, way), False, (None, None), slug=slug, what=what)


def _counts(name: str) -> bool:
    return name.startswith("cfg:") or is_switch(name) or name.removeprefix("env:") in FLAG_VARIABLES
