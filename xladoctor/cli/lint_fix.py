"""What `lint --fix` and `lint --diff` show and write."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

from xladoctor.cli.output import Output
from xladoctor.lint.baseline import Baseline
from xladoctor.lint.engine import Linted
from xladoctor.lint.fix_files import Fixed, fix
from xladoctor.lint.fix_files import write as write_file
from xladoctor.lint.rewrite import NotFixable
from xladoctor.lint.settings import Settings
from xladoctor.report.text import line, lines


def fixed(paths: Sequence[str], settings: Settings, baseline: Baseline | None, verbose: bool) -> Fixed:
    """All safe fixes, not yet written; what could not be fixed is among the problems."""
    made = fix(paths, settings, baseline, verbose)
    return replace(made, linted=_with_problems(made.linted, made.problems))


def show_diff(made: Fixed, target: Output) -> int:
    """Show what would change; 1 if anything would, 2 where something could not be read or fixed."""
    text = "".join(file.diff() for file in made.files)
    target.write("".join(f"{lines(row)}\n" for row in text.splitlines()))
    for problem in made.linted.diagnosis.problems:
        sys.stderr.write(f"xladoctor: {line(problem)}\n")
    sys.stderr.write(f"Would fix {_counted(made.count, len(made.files))}.\n")
    return 2 if made.linted.diagnosis.problems else int(made.count > 0)


def write(made: Fixed) -> Linted:
    """Write the files. A file that cannot be written is a problem of the diagnosis."""
    problems: list[str] = []
    count, files = 0, 0
    for file in made.files:
        try:
            write_file(file)
        except (OSError, NotFixable) as error:
            reason = (error.strerror or error) if isinstance(error, OSError) else error
            problems.append(f"{file.path}: not fixed: {reason}")
            continue
        count, files = count + len(file.titles), files + 1
        for title in file.titles:
            sys.stderr.write(f"Fixed {line(file.path)}: {line(title)}\n")
    sys.stderr.write(f"Fixed {_counted(count, files)}.\n")
    return _with_problems(made.linted, problems)


def _with_problems(linted: Linted, problems: Sequence[str]) -> Linted:
    diagnosis = replace(linted.diagnosis, problems=(*linted.diagnosis.problems, *problems))
    return replace(linted, diagnosis=diagnosis)


def _counted(fixes: int, files: int) -> str:
    if not fixes:
        return "nothing"
    return f"{fixes} finding{'' if fixes == 1 else 's'} in {files} file{'' if files == 1 else 's'}"
