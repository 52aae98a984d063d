"""Sentences of the blocker document that are the same in every format."""

from __future__ import annotations

import shlex

from xladoctor.diagnosis.model import Diagnosis
from xladoctor.report import findings
from xladoctor.report.text import line
from xladoctor.report.view import View


def next_action(diagnosis: Diagnosis) -> str:
    """What to do now, in a sentence with names between backticks; empty where nothing is wrong."""
    root = diagnosis.root
    if not root:
        return ""
    verified = [r for f in diagnosis.findings for r in f.remedies if r.result == "verified"]
    if verified:
        return f"Apply the remedy that was verified: {verified[0].title}."
    if root.remedies:
        return f"Try the first remedy ({root.remedies[0].title}), which nobody has run yet, and scan again."
    where = "the line" if root.location else "what is"
    return f"Look at {where} named under {findings.heading(root)}; no remedy is known yet."


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
