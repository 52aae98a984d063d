"""Foreign text made harmless: for a terminal and for Markdown.

Everything that comes from a log, a target or a run folder is foreign. A log can hold codes that rewrite the
screen, set the window title or reverse the reading direction; in Markdown it can hold HTML, links, mentions
and table bars. Every renderer sends foreign text through this module and through nothing else.
"""

from __future__ import annotations

import re

from xladoctor.patterns import pattern

# Sequences that a terminal acts upon, removed whole: CSI, the string commands (OSC, DCS, ...) and the short
# escapes. A string command without its end is left to `_UNSEEN`, which makes its escape visible: nothing
# after it may be swallowed.
_ANSI = pattern(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\r\n]{0,4096}(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-OQ-WYZ\\`-~]"
)

# What is left and must not reach a terminal: C0 and C1 controls, invisible and direction-changing
# characters, tags, surrogates, and the Unicode line separators.
_UNSEEN = pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def lines(text: object) -> str:
    """`text` with its line breaks and tabs kept, and nothing else that a terminal would act upon."""
    value = str(text).replace("\r\n", "\n").replace("\r", "\n")
    return _UNSEEN.sub(_visible, _ANSI.sub("", value)).expandtabs(4)


def line(text: object) -> str:
    """`text` on one line: line breaks and runs of blanks become one blank."""
    return " ".join(lines(text).split())


def clip(text: str, limit: int) -> str:
    """At most `limit` characters, with a sign where something was cut."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + "…"


def stop(text: object) -> str:
    """A sentence with one full stop at its end."""
    return f"{str(text).rstrip().rstrip('.')}."


# Markdown

_GAP = "&#8203;"  # a zero-width space: breaks mentions, autolinks and issue numbers without showing
_PUNCTUATION = pattern(r"([\\`*<|~$]|\](?=[(:\[])|(?<![^\W_])_|_(?![^\W_]))")
_LINE_START = pattern(r"^(#{1,6}(?=\s|$)|[-+=](?=[\s=-]|$)|[>\[])")
_NUMBERED = pattern(r"^(\d{1,9})([.)])(?=\s|$)")
_ENTITY = pattern(r"&(?=#|\w)")
_MENTION = pattern(r"@(?=\w)")
_ISSUE = pattern(r"(#|\bGH-)(?=\d)", re.IGNORECASE)
_SCHEME = pattern(r"(?<=[A-Za-z]):(?=//)|(?<=mailto):|(?<=xmpp):", re.IGNORECASE)
_WWW = pattern(r"(?i)(?<=www)\.")
_COMMIT = pattern(r"\b([0-9a-f]{7})(?=[0-9a-f]{33}\b)")


def md(text: object) -> str:
    """Foreign prose on one line of Markdown, safe in a paragraph, a list item and a table cell."""
    value = line(text)
    value = _ENTITY.sub("&amp;", value)
    value = _PUNCTUATION.sub(r"\\\1", value)
    value = _NUMBERED.sub(r"\1\\\2", _LINE_START.sub(r"\\\1", value))
    # Issue numbers first: the gaps themselves hold a number sign.
    value = _COMMIT.sub(rf"\1{_GAP}", _ISSUE.sub(rf"\1{_GAP}", value))
    for special, mark in ((_MENTION, "@"), (_SCHEME, ":"), (_WWW, ".")):
        value = special.sub(mark + _GAP, value)
    return value


def md_mixed(text: object, table: bool = False) -> str:
    """Prose in which `names` stand between backticks: those become code spans, the rest is foreign prose."""
    value = line(text)
    if "``" in value or value.count("`") % 2:
        return md(value)
    out = []
    for number, part in enumerate(value.split("`")):
        if number % 2:
            out.append(md_code(part, table) if part.strip() else "")
        else:
            lead, tail = part[: len(part) - len(part.lstrip())], part[len(part.rstrip()) :]
            out.append(f"{lead}{md(part)}{tail if part.strip() else ''}")
    return "".join(out)


def md_code(text: object, table: bool = False) -> str:
    """Foreign text as a code span. In a table a bar must be escaped even there."""
    value = line(text)
    if not value:
        return ""
    ticks = "`" * (_longest_run(value) + 1)
    pad = " " if value[0] == "`" or value[-1] == "`" else ""
    if table:
        # A bar after a backslash would end the cell whatever stands before it: a blank parts them.
        value = value.replace("\\|", "\\ |").replace("|", "\\|")
    return f"{ticks}{pad}{value}{pad}{ticks}"


def md_fence(text: object, info: str = "") -> str:
    """Foreign text as a fenced block whose fence is longer than any run of backticks in it."""
    value = lines(text).strip("\n")
    ticks = "`" * max(3, _longest_run(value) + 1)
    return f"{ticks}{info}\n{value}\n{ticks}"


def _longest_run(value: str) -> int:
    return max((len(run) for run in re.findall(r"`+", value)), default=0)
