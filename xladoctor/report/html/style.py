"""The one style of all our pages: light and dark by the reader's own setting, and for paper.

Every colour is a variable, and every pair that stands on another is held to a contrast of 4.5:1 by a test
(`PAIRS`). The page's Content-Security-Policy allows this very text by its hash, and no style besides.
"""

from __future__ import annotations

import base64
import hashlib

# How many rows of a long table a browser lays out together.
BLOCK = 200

LIGHT = {
    "bg": "#ffffff", "fg": "#1b1f24", "dim": "#57606a", "line": "#d0d7de", "head": "#f3f5f7", "edge": "#6e7781",
    "bad": "#b3261e", "badbg": "#fdecea", "mark": "#fff3c4", "ok": "#17692f", "link": "#0a53be", "warn": "#7a4d00",
    "h0": "#fff5eb", "h1": "#fee6ce", "h2": "#fdd0a2", "h3": "#fdae6b", "h4": "#f16913", "h5": "#a63603",
    "h6": "#5c1a01", "on0": "#1b1f24", "on4": "#1b1f24",
    "on5": "#ffffff",
}  # fmt: skip
DARK = {
    "bg": "#15181c", "fg": "#e2e6ea", "dim": "#a3adb8", "line": "#3a424b", "head": "#1f242a", "edge": "#8b949e",
    "bad": "#ff8a80", "badbg": "#3a1d1c", "mark": "#443a12", "ok": "#62ce82", "link": "#8ab8ff", "warn": "#e8b64c",
    "h0": "#2a2320", "h1": "#4a2d1c", "h2": "#6b3713", "h3": "#8a430d", "h4": "#d9772b", "h5": "#fdae6b",
    "h6": "#fee6ce", "on0": "#e2e6ea", "on4": "#15181c",
    "on5": "#15181c",
}  # fmt: skip

# (text, ground) as the style below uses them.
PAIRS = (
    *((text, ground) for text in ("fg", "dim", "bad") for ground in ("bg", "head", "mark", "badbg")),
    *((text, ground) for text in ("ok", "link", "warn") for ground in ("bg", "head")),
    *(("on0", f"h{n}") for n in range(4)),
    ("on4", "h4"),
    *(("on5", f"h{n}") for n in (5, 6)),
)

_RULES = """\
*{box-sizing:border-box}
body{margin:0 auto;padding:1.2rem 1.5rem 3rem;max-width:84rem;background:var(--bg);color:var(--fg);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
h1{font-size:1.5rem;line-height:1.25;margin:.2rem 0 .6rem;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2.2rem 0 .5rem;padding-top:.6rem;border-top:1px solid var(--line);overflow-wrap:anywhere}
h3{font-size:1rem;margin:1.2rem 0 .3rem;overflow-wrap:anywhere}
p,ul,ol,dl{margin:.4rem 0}ul,ol{padding-left:1.4rem}li{margin:.15rem 0;overflow-wrap:anywhere}p{overflow-wrap:anywhere}
main>section:first-child h2{border-top:0;margin-top:1rem}
a{color:var(--link)}:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--bg);padding:.3rem .6rem}
.vh{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.dim{color:var(--dim)}.bad{color:var(--bad);font-weight:600}.ok{color:var(--ok);font-weight:600}
.warn{color:var(--warn);font-weight:600}
.kicker{margin:0;font-weight:600;letter-spacing:.04em;text-transform:uppercase;font-size:.8rem}
nav ol{list-style:none;display:flex;gap:.2rem 1rem;overflow-x:auto;white-space:nowrap;padding:.4rem .9rem;
margin:.4rem 0;background:var(--head);border-radius:6px}
nav li{margin:0;overflow-wrap:normal}
dl.facts{display:grid;grid-template-columns:minmax(0,max-content) minmax(0,1fr);gap:.15rem 1rem}
dl.facts>div{display:contents}
dl.facts dt{color:var(--dim);overflow-wrap:anywhere}dl.facts dd{margin:0;overflow-wrap:anywhere;min-width:0}
dl.brief{display:flex;flex-wrap:wrap;gap:.1rem 1.4rem}
dl.brief>div{display:flex;gap:.4rem;min-width:0}dl.brief dt{flex:none}
code,pre,td.c,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:13px}
code{background:var(--head);padding:.05rem .25rem;border-radius:3px;overflow-wrap:anywhere}
td code,pre code{background:none;padding:0}
pre{background:var(--head);padding:.6rem .8rem;border-radius:6px;overflow-x:auto;white-space:pre-wrap;
overflow-wrap:anywhere;margin:.5rem 0}pre.src{white-space:pre;overflow-wrap:normal}
.box{border-left:5px solid var(--line);padding:.1rem .9rem;margin:.8rem 0}
.box.root{border-color:var(--bad)}.box.after{border-color:var(--edge)}.box.mild{border-color:var(--warn)}
.box.good{border-color:var(--ok)}.box h3{margin-top:.4rem}
.scroll{overflow-x:auto;margin:.5rem 0}
.block{content-visibility:auto;contain-intrinsic-size:auto 6000px}
table{border-collapse:collapse;width:100%}
table.wide{min-width:56rem;table-layout:fixed}table.small{width:auto}
caption{text-align:left;color:var(--dim);padding:.2rem 0}
th{background:var(--head);text-align:left;font-weight:600}
th,td{border-bottom:1px solid var(--line);padding:.25rem .5rem;vertical-align:top;overflow-wrap:anywhere}
table.small th,table.small td,table.small code{overflow-wrap:normal}
table.small td:last-child,table.small td:last-child code{overflow-wrap:anywhere}
td>span{white-space:nowrap}
tr.first td{background:var(--mark)}tr.broken td{background:var(--badbg)}tr.skip td,tr.gap td{color:var(--dim)}
tr.first td:first-child{border-left:4px solid var(--bad)}
tr.gap td{font-style:italic}
col.w6{width:6%}col.w8{width:8%}col.w10{width:10%}col.w12{width:12%}col.w14{width:14%}col.w16{width:16%}
col.w18{width:18%}col.w20{width:20%}col.w22{width:22%}col.w26{width:26%}col.w30{width:30%}col.w34{width:34%}col.w40{width:40%}
ol.stack{list-style:none;padding:0;margin:.3rem 0}ol.stack li{padding:.05rem .6rem;border-left:3px solid var(--link)}
ol.stack li.lib{border-color:var(--line);color:var(--dim);font-style:italic}
ol.stack details{margin:0}ol.stack pre{background:none;margin:0;padding:0 0 0 1.5rem}
details{margin:.6rem 0}summary{cursor:pointer;color:var(--link);width:fit-content}
figure{margin:.8rem 0}figcaption{color:var(--dim);margin:.3rem 0}
svg{display:block;max-width:100%;height:auto}figure .scroll svg{max-width:none}
svg text{fill:var(--fg);font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
svg .t-dim{fill:var(--dim)}svg .t-bad{fill:var(--bad)}svg .t-b{font-weight:600}svg .t-s{font-size:11px}
svg .t-m{text-anchor:middle}svg .t-e{text-anchor:end}svg .t-h4{fill:var(--on4)}svg .t-h5,svg .t-h6{fill:var(--on5)}
svg .line{stroke:var(--edge);stroke-width:2;fill:none}svg .line-bad{stroke:var(--bad);stroke-width:3;fill:none}
svg .grid{stroke:var(--line);stroke-width:1;fill:none}svg .dash{stroke-dasharray:3 4}
svg .f-ok{fill:var(--ok);stroke:var(--ok)}svg .f-bad{fill:var(--bad);stroke:var(--bad)}
svg .f-bg{fill:var(--bg);stroke:var(--edge);stroke-width:2}svg .f-dim{fill:var(--edge);stroke:var(--edge)}
svg .f-mark{fill:var(--mark)}svg .f-badbg{fill:var(--badbg)}svg .f-head{fill:var(--head);stroke:var(--line)}
svg .o-ok{fill:none;stroke:var(--ok);stroke-width:2}svg .o-bad{fill:var(--badbg);stroke:var(--bad);stroke-width:2}
svg .x{stroke:var(--bg);stroke-width:2.5;fill:none}
svg .h0{fill:var(--h0)}svg .h1{fill:var(--h1)}svg .h2{fill:var(--h2)}svg .h3{fill:var(--h3)}svg .h4{fill:var(--h4)}
svg .h5{fill:var(--h5)}svg .h6{fill:var(--h6)}
footer{margin-top:2.5rem;padding-top:.6rem;border-top:1px solid var(--line);color:var(--dim)}
@media(max-width:40rem){body{padding:.8rem}dl.facts{grid-template-columns:1fr;gap:0}dl.facts dt{margin-top:.3rem}
h1{font-size:1.2rem}table.small td:last-child{min-width:14rem}dl.brief{font-size:.87rem}dl.brief dt{margin:0}}
@media screen and (min-width:68rem){body.aside{max-width:96rem;display:grid;column-gap:2rem;
grid-template-columns:12.5rem minmax(0,1fr);grid-template-rows:auto 1fr auto}
nav{grid-row:1/4;align-self:start;position:sticky;top:1rem;max-height:calc(100vh - 2rem);overflow-y:auto}
nav ol{display:block;white-space:normal;margin:0}nav li{padding:.1rem 0;overflow-wrap:anywhere}
.aside>header,.aside>main,.aside>footer{grid-column:2;min-width:0}}
@media(forced-colors:active){svg .f-ok,svg .f-bad{forced-color-adjust:none}}
@media print{body{max-width:none;padding:0;font-size:10pt}nav,.skip{display:none}a{color:inherit;text-decoration:none}
h2,h3{break-after:avoid}tr,figure,.box p{break-inside:avoid}caption{break-after:avoid}
table.wide{min-width:0;table-layout:auto}th,td{overflow-wrap:break-word}.scroll{overflow:visible}
pre.src{white-space:pre-wrap}.block{content-visibility:visible}figure .scroll svg,svg{max-width:100%}
pre,code,td.c{font-size:8.5pt}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
details:not([open])>summary::after{content:" (not printed)"}}
@page{margin:15mm 12mm}"""


def _variables(colours: dict[str, str]) -> str:
    return ";".join(f"--{name}:{value}" for name, value in colours.items())


STYLE = (
    f":root{{color-scheme:light dark;{_variables(LIGHT)}}}\n"
    # Paper is white, whatever the screen is.
    f"@media screen and (prefers-color-scheme:dark){{:root{{{_variables(DARK)}}}}}\n"
    "@media print{:root{color-scheme:light}}\n" + _RULES
)

POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; "
    f"style-src 'sha256-{base64.b64encode(hashlib.sha256(f'{chr(10)}{STYLE}{chr(10)}'.encode()).digest()).decode()}'"
)
