"""Parts of one self-contained HTML page: no script, nothing fetched, light and dark by the reader's own setting.

Everything that is put in goes through `esc`. A long table is cut into blocks that a browser lays out only when they
come into view, so a page of ten thousand rows opens at once.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from xladoctor.report.text import line

BLOCK = 200

_STYLE = """\
:root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--dim:#59636e;--line:#d5dae0;--head:#f3f5f7;--bad:#b3261e;
--badbg:#fdecea;--mark:#fff3c4;--ok:#1a7f37}
@media(prefers-color-scheme:dark){:root{--bg:#15181c;--fg:#e2e6ea;--dim:#98a2ad;--line:#343b43;--head:#1f242a;
--bad:#ff8a80;--badbg:#3a1d1c;--mark:#4a3f14;--ok:#57c774}}
body{margin:0 auto;padding:1.5rem;max-width:110rem;background:var(--bg);color:var(--fg);
font:15px/1.45 system-ui,sans-serif}
h1{font-size:1.4rem;margin:0 0 .3rem}h2{font-size:1.1rem;margin:2rem 0 .3rem}
p,ul{margin:.3rem 0}.dim{color:var(--dim)}.bad{color:var(--bad);font-weight:600}.ok{color:var(--ok);font-weight:600}
code,td{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:13px}
.scroll{overflow-x:auto}
.block{content-visibility:auto;contain-intrinsic-size:auto 5000px}
table{border-collapse:collapse;width:100%;min-width:60rem;table-layout:fixed}
table.small{width:auto;min-width:0;table-layout:auto}
th{background:var(--head);text-align:left;font-weight:600}
th,td{border-bottom:1px solid var(--line);padding:.2rem .5rem;vertical-align:top;overflow-wrap:anywhere}
tr.first td{background:var(--mark)}tr.broken td{background:var(--badbg)}tr.skip td{color:var(--dim)}
tr.first td:first-child{border-left:4px solid var(--bad)}
a{color:inherit}"""


def esc(value: object) -> str:
    """Foreign text for a page: on one line, without control codes, and never markup."""
    return html.escape(line(value), quote=True)


def page(schema: str, version: str, title: str, body: Iterable[str]) -> str:
    """The whole page."""
    return "\n".join(
        (
            "<!DOCTYPE html>",
            f"<!-- {''.join(c for c in schema if c.isalnum() or c in './-')} -->",
            '<html lang="en"><head><meta charset="utf-8">',
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            '<meta name="viewport" content="width=device-width,initial-scale=1">',
            f'<meta name="generator" content="xladoctor {esc(version)}">',
            f"<title>{esc(title)}</title>",
            f"<style>\n{_STYLE}\n</style></head><body>",
            *body,
            "</body></html>\n",
        )
    )


def table(heads: Sequence[str], widths: Sequence[int], rows: Sequence[str]) -> list[str]:
    """A table of fixed columns (widths in per cent); each row is `row(...)`."""
    columns = "<colgroup>" + "".join(f'<col style="width:{width}%">' for width in widths) + "</colgroup>"
    head = "<thead><tr>" + "".join(f"<th>{esc(name)}</th>" for name in heads) + "</tr></thead>"
    out = ['<div class="scroll">']
    for start in range(0, len(rows), BLOCK):
        part = rows[start : start + BLOCK]
        # One head for all blocks: the others are read out as a continuation.
        above = head if start == 0 else ""
        size = f' style="contain-intrinsic-size:auto {27 * len(part)}px"'
        out.append(f'<div class="block"{size}><table>{columns}{above}<tbody>')
        out += part
        out.append("</tbody></table></div>")
    return [*out, "</div>"]


def row(cells: Sequence[object], kind: str = "", anchor: str = "") -> str:
    """One row; `kind` is a class of the style, `anchor` a name that can be jumped to."""
    attributes = (f' class="{kind}"' if kind else "") + (f' id="{anchor}"' if anchor else "")
    inside = "".join(f"<td>{esc(cell) if cell is not None else ''}</td>" for cell in cells)
    return f"<tr{attributes}>{inside}</tr>"


def small(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table that is as wide as it must be."""
    head = "".join(f"<th>{esc(name)}</th>" for name in heads)
    return f'<table class="small"><tr>{head}</tr>{"".join(row(cells) for cells in rows)}</table>'


def bullets(title: str, said: Sequence[str]) -> list[str]:
    """A titled list, or nothing."""
    if not said:
        return []
    return [f"<h2>{esc(title)}</h2>", "<ul>", *(f"<li>{esc(item)}</li>" for item in said), "</ul>"]
