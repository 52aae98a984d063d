"""Sentences of the blocker document that are the same in every format."""

from __future__ import annotations

import shlex

from xladoctor.model.diagnosis import Diagnosis
from xladoctor.report import facts, findings
from xladoctor.report.console import ended, how_it_ended
from xladoctor.report.text import line
from xladoctor.report.view import View


def next_action(diagnosis: Diagnosis, view: View) -> str:
    """What to do now, in a sentence with names between backticks; empty where nothing is wrong."""
    root = diagnosis.root
    if not root:
        return ""
    verified = [r for f in diagnosis.findings for r in f.remedies if r.result == "verified"]
    if verified:
        return f"Apply the remedy that was verified: {facts.near_words(verified[0].title, diagnosis)}."
    cures = [t for replay in view.replays for t in replay.remedies if t.verdict == "verified"]
    if cures:
        best = next((t for t in cures if t.safety == "safe"), cures[0])
        return f"Apply the remedy that cured it in a replay ({best.safety}): {best.title or best.remedy}."
    untested = [r for r in root.remedies if r.result == "untested"]
    if untested:
        title = facts.near_words(untested[0].title, diagnosis)
        return f"Try the first remedy ({title}), which was not tested, and scan again."
    where = "the line" if root.location else "what is"
    return f"Look at {where} named under {findings.heading(root)}; no remedy is known yet."


def end(diagnosis: Diagnosis, view: View) -> str:
    """How the program ended; empty where that is not known."""
    if view.target_status is None:
        return ""
    if diagnosis.environment.get("stopped"):
        return how_it_ended(diagnosis, view.target_status)
    silent = diagnosis.verdict == "failed" and view.target_status == 0
    return ended(view.target_status, False) + (", without an error" if silent else "")


def commands_to_reproduce(diagnosis: Diagnosis, view: View) -> list[str]:
    """The commands that show the same again, each as it can be pasted."""
    commands = []
    if view.run_dir:
        commands.append(f"xladoctor scan {shlex.quote(line(view.run_dir))}")
    command = diagnosis.environment.get("command")
    if isinstance(command, list | tuple) and command:
        commands.append(f"xladoctor scan -- {shlex.join(map(line, command))}")
    if diagnosis.reproducer:
        commands.append(f"python {shlex.quote(line(diagnosis.reproducer))}")
    return commands
