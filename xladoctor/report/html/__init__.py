"""Parts of one self-contained HTML page: no script, nothing fetched, light and dark by the reader's own setting.

Everything that is put in goes through `esc`. A long table is cut into blocks that a browser lays out only when they
come into view, so a page of ten thousand rows opens at once; each block is a table with a caption and heads of its own,
as a screen reader needs them.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xladoctor.report.html.style import BLOCK, POLICY, STYLE
from xladoctor.report.text import line, lines

# After a sign that parts names. There is none in the entities that escaping makes.
_BREAK = re.compile(r"(?<=[/:._])(?=\w)")
# What Unicode says is no character, and the standard of HTML an error.
_NO_CHARACTER = re.compile(
    "[\ufdd0-\ufdef" + "".join(chr(plane << 16 | low) for plane in range(17) for low in (0xFFFE, 0xFFFF)) + "]"
)
_WIDTHS = (6, 8, 10, 12, 14, 16, 18, 20, 22, 26, 30, 34, 40)


class Markup(str):
    """Text that is HTML already: everything else is escaped where it is put in."""

    __slots__ = ()


def esc(value: object) -> str:
    """Foreign text for a page: on one line, without control codes, and never markup."""
    return _escape(line(value))


def _escape(text: str) -> str:
    return html.escape(_NO_CHARACTER.sub("\ufffd", text), quote=True)


def put(value: object) -> str:
    """A cell's content: markup as it is, anything else escaped, nothing for None."""
    return value if isinstance(value, Markup) else "" if value is None else esc(value)


def code(value: object) -> Markup:
    """A name, a path, a shape."""
    return Markup(f"<code>{esc(value)}</code>") if value not in (None, "") else Markup("")


def breakable(value: object) -> Markup:
    """A path or a long name, which a narrow column may break after its signs; what is copied of it stays whole."""
    return Markup(f"<code>{_broken(value)}</code>") if value not in (None, "") else Markup("")


def _broken(value: object) -> str:
    return _BREAK.sub("<wbr>", esc(value))


def mixed(value: object) -> Markup:
    """Prose in which `names` stand between backticks: those become code."""
    said = line(value)
    if "``" in said or said.count("`") % 2:
        return Markup(esc(said))
    parts = said.split("`")
    # Not `esc`, which would take the blanks at the ends.
    return Markup("".join(str(code(part)) if n % 2 and part.strip() else _escape(part) for n, part in enumerate(parts)))


def fence(value: object) -> Markup:
    """Several lines as they stand."""
    return Markup(f"<pre><code>{_escape(lines(value).strip(chr(10)))}</code></pre>")


def source(drawn: Iterable[tuple[str, bool]]) -> Markup:
    """Lines of source, of which the carets are marked."""
    escaped = [(_escape(lines(row)), is_caret) for row, is_caret in drawn]
    shown = [f'<span class="bad">{row}</span>' if is_caret else row for row, is_caret in escaped]
    # A caret means nothing below a line that was broken: the box scrolls, also by the keyboard.
    return Markup(f'<pre class="src" tabindex="0"><code>{chr(10).join(shown)}</code></pre>')


def diff(changed: Iterable[tuple[str, str]]) -> Markup:
    """Lines of a diff; nothing where there is none."""
    kinds = {"-": "bad", "+": "ok"}
    rows = [f'<span class="{kinds[sign]}">{sign} {esc(said)}</span>' for sign, said in changed]
    return Markup(f"<pre><code>{chr(10).join(rows)}</code></pre>" if rows else "")


@dataclass(frozen=True)
class Section:
    """A section of a page, which the list of contents names. `anchor` is ours, and unique on the page."""

    anchor: str
    title: str
    body: tuple[str, ...]


def section(anchor: str, title: str, body: Iterable[str]) -> Section:
    """A section of what `body` gives."""
    return Section(anchor, title, tuple(body))


def page(
    schema: str,
    version: str,
    title: str,
    head: Iterable[str],
    sections: Sequence[Section],
) -> str:
    """The whole page: `head` under the landmark of the page's header, then contents, then the sections."""
    comment = re.sub("--+", "-", "".join(c for c in schema if c.isascii() and (c.isalnum() or c in "./-"))).strip("-")
    return "\n".join(
        (
            "<!DOCTYPE html>",
            f"<!-- {comment} -->",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width,initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            '<meta name="referrer" content="no-referrer">',
            f'<meta name="generator" content="xladoctor {esc(version)}">',
            f"<title>{esc(title)}</title>",
            f"<style>\n{STYLE}\n</style></head>",
            '<body class="aside">' if _contents(sections) else "<body>",
            '<a class="skip" href="#content">Skip to the content</a>',
            "<header>",
            *head,
            "</header>",
            *_contents(sections),
            '<main id="content" tabindex="-1">',
            *(part for one in sections for part in _section(one)),
            "</main>",
            f"<footer><p>Written by xladoctor {esc(version)}. This page needs no network, and runs no script.</p>",
            "</footer>",
            "</body></html>\n",
        )
    )


def _contents(sections: Sequence[Section]) -> list[str]:
    if len(sections) < 3:
        return []
    items = [f'<li><a href="#{one.anchor}">{_broken(one.title)}</a></li>' for one in sections]
    return ['<nav aria-label="Contents"><ol>', *items, "</ol></nav>"]


def whole(one: Section) -> str:
    """A section alone, for a page of somebody else's."""
    return "\n".join(_section(one))


def _section(one: Section) -> list[str]:
    title = f'<h2 id="{one.anchor}">{_broken(one.title)}</h2>'
    return [f'<section aria-labelledby="{one.anchor}">', title, *one.body, "</section>"]


def table(heads: Sequence[str], widths: Sequence[int], rows: Sequence[str], caption: str) -> list[str]:
    """A long table of fixed columns (widths in per cent, of those that the style has); each row is `row(...)`.

    Raises:
        ValueError: the style has no such width.
    """
    if any(width not in _WIDTHS for width in widths):
        raise ValueError(f"widths are of {_WIDTHS}, not {tuple(widths)}")
    columns = "<colgroup>" + "".join(f'<col class="w{width}">' for width in widths) + "</colgroup>"
    out = [f'<div class="scroll" tabindex="0" role="group" aria-label="{esc(caption)}">']
    for start in range(0, len(rows), BLOCK):
        part = rows[start : start + BLOCK]
        said = esc(caption)
        if len(rows) > BLOCK:
            said += f", rows {start + 1} to {start + len(part)} of {len(rows)}"
        out.append(f'<div class="block"><table class="wide"><caption>{said}</caption>{columns}{_head(heads)}<tbody>')
        out += part
        out.append("</tbody></table></div>")
    return [*out, "</div>"]


def _head(heads: Sequence[str]) -> str:
    return "<thead><tr>" + "".join(f'<th scope="col">{esc(name)}</th>' for name in heads) + "</tr></thead>"


def row(cells: Sequence[object], kind: str = "", anchor: str = "", mono: int = 0) -> str:
    """One row; `kind` is a class of the style, `anchor` a name to jump to, the first `mono` cells are code."""
    attributes = (f' class="{kind}"' if kind else "") + (f' id="{anchor}"' if anchor else "")
    starts = ['<td class="c">'] * mono + ["<td>"] * len(cells)
    inside = "".join(f"{start}{put(value)}</td>" for start, value in zip(starts, cells, strict=False))
    return f"<tr{attributes}>{inside}</tr>"


def gap(text: str, columns: int) -> str:
    """A row that stands for rows left out."""
    return f'<tr class="gap"><td colspan="{columns}">{esc(text)}</td></tr>'


def small(heads: Sequence[str], rows: Iterable[Sequence[object]], caption: str) -> str:
    """A table that is as wide as it must be."""
    body = "".join(row(cells) for cells in rows)
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="{esc(caption)}"><table class="small">'
        f'<caption class="vh">{esc(caption)}</caption>{_head(heads)}<tbody>{body}</tbody></table></div>'
    )


def facts(rows: Iterable[tuple[str, object]], kind: str = "facts") -> str:
    """Names and values; `kind` is a class of the style: `facts brief` has them side by side."""
    pairs = "".join(f"<div><dt>{esc(k)}</dt><dd>{put(v)}</dd></div>" for k, v in rows)
    return f'<dl class="{kind}">{pairs}</dl>'


def folded(title: str, body: Iterable[str], anchor: str = "") -> list[str]:
    """What is shown when asked for, and not printed."""
    name = f' id="{anchor}"' if anchor else ""
    return [f"<details{name}><summary>{esc(title)}</summary>", *body, "</details>"]


def figure(picture: Markup, caption: str) -> str:
    """A picture with its caption; it scrolls where the window is narrow."""
    said = esc(caption)
    box = f'<div class="scroll" tabindex="0" role="group" aria-label="{said}">{picture}</div>'
    return f"<figure>{box}<figcaption>{said}</figcaption></figure>"


def items(said: Iterable[object]) -> str:
    """A list."""
    return "<ul>" + "".join(f"<li>{put(item)}</li>" for item in said) + "</ul>"


def bullets(anchor: str, title: str, said: Sequence[object]) -> list[Section]:
    """A section that is a list, or nothing."""
    return [section(anchor, title, [items(said)])] if said else []
