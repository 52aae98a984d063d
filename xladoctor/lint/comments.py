"""`# xladoctor: ignore[XD805] reason`: findings that somebody has looked at."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass, field

from xladoctor.lint.fix import Change, Fix
from xladoctor.lint.hazard import Hazard
from xladoctor.lint.project import Module
from xladoctor.model.diagnosis import Level
from xladoctor.rules import CODES
from xladoctor.sources.source import Source

CODE = "XD800"
_WORD = re.compile(r"#\s*xladoctor:\s*(ignore(?:-file)?)\b\s*(?:\[([^\]]*)\])?\s*(.*)", re.IGNORECASE)


@dataclass
class Ignore:
    """One comment. It holds for the statement that it stands behind or above, or for the whole file.

    `columns` are those of the list of codes, between the brackets.
    """

    line: int
    codes: tuple[str, ...]
    reason: str
    whole_file: bool
    own_line: bool
    columns: tuple[int, int] = (0, 0)
    used: set[str] = field(default_factory=set)

    def holds(self, hazard: Hazard) -> bool:
        """Whether it is about this hazard."""
        if not self.reason or hazard.code not in self.codes:
            return False
        first = getattr(hazard.node, "lineno", 1)
        last = getattr(hazard.node, "end_lineno", first) or first
        if isinstance(hazard.node, ast.If | ast.FunctionDef):
            last = first
        return self.whole_file or (self.line == first - 1 if self.own_line else first <= self.line <= last)


def apply(sources: Sequence[Source], hazards: Sequence[Hazard], unused: bool) -> tuple[list[Hazard], list[Hazard]]:
    """The hazards that no comment ignores, and what is wrong with the comments.

    A comment without a reason or a known code ignores nothing, and is told. `unused` also tells those that meet
    nothing.
    """
    ignores = {source.path: of_source(source) for source in sources if "xladoctor:" in source.text}
    kept: list[Hazard] = []
    for hazard in hazards:
        holding = [i for i in ignores.get(hazard.module.source.path, ()) if i.holds(hazard)]
        for ignore in holding:
            ignore.used.add(hazard.code)
        if not holding:
            kept.append(hazard)
    by_path = {source.path: source for source in sources}
    about = [h for path, found in ignores.items() for i in found for h in _wrong(by_path[path], i, unused)]
    return kept, about


def of_source(source: Source) -> list[Ignore]:
    """The comments of ours in a source."""
    found: list[Ignore] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
            match = _WORD.match(token.string) if token.type == tokenize.COMMENT else None
            if match is not None:
                kind, codes, reason = match.groups()
                listed = tuple(code.strip().upper() for code in (codes or "").split(",") if code.strip())
                own = not token.line[: token.start[1]].strip()
                row, column = token.start
                span = (column + match.start(2), column + match.end(2))
                found.append(Ignore(row, listed, reason.strip(), kind.lower() == "ignore-file", own, span))
    except (tokenize.TokenError, IndentationError):
        pass  # what ast could parse, tokenize can: only a file that ends within a bracket gets here, and none does
    return found


def _wrong(source: Source, ignore: Ignore, unused: bool) -> list[Hazard]:
    said: list[tuple[str, Level]] = []
    unknown = [code for code in ignore.codes if code not in CODES]
    if not ignore.codes:
        said.append(
            ("This comment names no code, so it ignores nothing: write # xladoctor: ignore[XD805] reason.", "warning")
        )
    elif not ignore.reason:
        said.append(
            (
                f"Why is {', '.join(ignore.codes)} ignored? Without a reason after the code the comment has no effect.",
                "warning",
            )
        )
    fix = _without_unknown(ignore)
    missing = [f"There is no code {code}." for code in unknown]
    if unused and ignore.reason:
        spare = [code for code in ignore.codes if code in CODES and code not in ignore.used]
        said += [(f"{code} is ignored here, but not found.", "note") for code in spare]
    place = ast.Pass(lineno=ignore.line, col_offset=0, end_lineno=ignore.line, end_col_offset=0)
    module = Module("", source)
    about = [Hazard(CODE, module, place, text, None, level) for text, level in said]
    return about + [Hazard(CODE, module, place, text, None, "warning", fix=fix) for text in missing]


def _without_unknown(ignore: Ignore) -> Fix | None:
    """The comment without the codes that do not exist: they have no effect. Where no code is left the comment stays:
    its author meant something, and nothing is ignored by it.
    """
    known = [code for code in ignore.codes if code in CODES]
    if not known or len(known) == len(ignore.codes):
        return None
    gone = ", ".join(dict.fromkeys(code for code in ignore.codes if code not in CODES))
    begin, end = ignore.columns
    change = Change((ignore.line, begin), (ignore.line, end), ",".join(known))
    return Fix(f"Remove {gone} from the comment", (change,))
