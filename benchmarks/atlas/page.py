"""docs/atlas.md and its picture, made from the tables: `python -m benchmarks.atlas.page`."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from benchmarks.atlas.entries import COVERAGE
from benchmarks.atlas.run import PREFIX
from xladoctor.rules import atlas
from xladoctor.rules.atlas import Difference

DOCS = Path(__file__).resolve().parents[2] / "docs"
_CELL, _LABEL, _HEAD = 14, 190, 150
_SHADES = {
    "first-raises": "#b2182b", "shape": "#d6604d", "value": "#f4a582", "nan": "#fddbc7", "infinity": "#fddbc7",
    "second-raises": "#92c5de", "unrepeatable": "#f4a582", "dtype": "#d6604d",
    "sign-of-zero": "#e0e0e0", "denormal": "#e0e0e0",
    "process-ends": "#000000", "hangs": "#000000",
}  # fmt: skip
_HEAVY = tuple(_SHADES)
_TRIALS = {"helps": "tried:", "no-help": "tried without success:"}
_SIDES = {"eager": "eager nearer", "xla": "XLA nearer", "neither": "neither near"}
_GROUPS = ("ops with both kernels", "layers, losses and metrics", "programs of several ops")
_PROGRAMS = "[benchmarks/atlas/compositions](../benchmarks/atlas/compositions)"
_INTRO = """\
# Where XLA differs from eager execution

XLA drops checks, clamps indices, and treats NaN, overflow and bounded sizes in its own way. For this page each op that
has a kernel for the CPU and one for XLA was run eagerly, in a graph and under XLA, on ordinary inputs and on inputs at
the edges of what it takes, in each of 15 element types that both ways take, and so was what Keras has: layers, losses
and metrics (in float32), in three versions of TensorFlow.
Small programs of several ops show what no call of one op does: arrays that grow, loops, checks, seeds, variables, long
sums. What differed by more than rounding is listed, and what gave the eager result when it was tried.
`xladoctor explain OP` shows the entries of one op or program, `xladoctor explain tf.random.normal` those of the
programs about a function, and `xladoctor explain silent-under-xla` all of them by kind of input. A divergence that
[a scan](silent.md) finds names its entry. All of it is data, too: [the entries](../xladoctor/rules/atlas.csv) and
[what was tried of each op](../benchmarks/atlas/coverage.csv).

An entry says that there is a difference, not which side is right. Where both sides gave numbers in a type narrower than
float64, the same call ran eagerly in float64, too, on the same numbers, and the entry says which side is nearer to that
(`eager nearer`, `XLA nearer`, or `neither near` where both are off by about as much). That tells what rounding,
overflow and denormal numbers do. Where an entry names float64 among its types, both differ there as well, and the
difference is one of meaning.

An op that is not listed was the same on everything that was tried, or was not tried: the end of the page names those.
"""
_AGAIN = """\
## How it was made

```sh
python -m benchmarks.atlas.run JOURNAL --jobs 2    # {minutes}
python -m benchmarks.atlas.workarounds JOURNAL WAYS    # then again with --flag no-fast-min-max, into another file
python -m benchmarks.atlas.entries VERSION=JOURNAL --ways VERSION=WAYS    # --more VERSION=JOURNAL adds further calls
python -m benchmarks.atlas.page
```

It never runs in CI. Each call is made in a process that may die, and counts as *no answer* after a minute. Results that
eager execution does not give twice are not compared. Two floating results are the same where they differ by at most
{rounding:.0f} units in the last place of the largest element, and are taken for two approximations of one function up
to {approximate:.0f} units.

XLA can take a size from memory that nothing has written: what it then does depends on what is there, and a rerun may
differ. So new memory is filled with one byte in a measurement, and such a call ends the process each time. The valid
calls stand in [calls.csv](../benchmarks/atlas/calls.csv). A rerun of 36 of the 650 ops, layers
and programs of 2.21.0, drawn by hash (`--share 5 --seed fourth`), gave the same kind of difference, or none, for all of
its 2157 calls. A second measurement of all of 2.21.0 showed 797 of 807 differences again; the other ten are not listed.
A third one, of the ops that differ, with strides and results in float64, showed all of them again but those of slices,
whose valid call is another one now; the element types of one op of 2.21.0 and of two of 2.19.1 were others.
"""


def heat_map(found: Sequence[Difference]) -> str:
    """Ops by kind of input as SVG: the darker a cell, the graver the difference; red ones raise no error."""
    ops = sorted({d.op for d in found})
    edges = [edge for edge in atlas.EDGES if any(d.edge == edge for d in found)]
    worst: dict[tuple[str, str], str] = {}
    for one in sorted(found, key=lambda d: -_HEAVY.index(d.kind)):
        worst[one.op, one.edge] = one.kind
    width, height = _LABEL + _CELL * len(edges) + 10, _HEAD + _CELL * len(ops) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'font-family="sans-serif" font-size="10">'
        "<title>Ops by kind of input: where XLA differs from eager execution</title>"
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    ]
    for number, edge in enumerate(edges):
        x = _LABEL + _CELL * number + 10
        parts.append(f'<text transform="translate({x},{_HEAD - 6}) rotate(-60)">{escape(atlas.EDGES[edge])}</text>')
    for row, op in enumerate(ops):
        y = _HEAD + _CELL * row
        parts.append(f'<text x="{_LABEL - 6}" y="{y + 10}" text-anchor="end">{escape(op)}</text>')
        for column, edge in enumerate(edges):
            kind = worst.get((op, edge))
            if kind:
                parts.append(
                    f'<rect x="{_LABEL + _CELL * column}" y="{y}" width="{_CELL - 1}" height="{_CELL - 1}" '
                    f'fill="{_SHADES[kind]}"><title>{escape(op)}: {escape(atlas.KINDS[kind])}</title></rect>'
                )
    return "\n".join([*parts, "</svg>"]) + "\n"


def page(found: Sequence[Difference], tried: Sequence[Mapping[str, str]]) -> str:
    """The page."""
    versions = sorted({row["version"] for row in tried}, key=lambda v: [int(part) for part in v.split(".")])
    parts = [
        _INTRO,
        _summary(found, tried, versions),
        "![Ops by kind of input](images/atlas.svg)",
        "## By op",
        _by_op([d for d in found if d.edge != atlas.PROGRAM]),
        "## By program",
        f"The programs stand in {_PROGRAMS}. Those that are not listed gave the same.",
        _by_program([d for d in found if d.edge == atlas.PROGRAM]),
    ]
    parts += [_defects(), _left_out(tried), _made()]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _summary(found: Sequence[Difference], tried: Sequence[Mapping[str, str]], versions: Sequence[str]) -> str:
    rows = []
    for version in versions:
        for what in _GROUPS:
            ops = [row for row in tried if row["version"] == version and _group(row["op"]) == what]
            compared = [row for row in ops if not row["why"]]
            differing = {d.op for d in found if d.version == version and _group(d.op) == what}
            calls = sum(int(row["calls"]) for row in compared)
            types = sum(len(row["types"].split()) for row in compared) / max(len(compared), 1)
            counts = (len(ops), len(compared), f"{types:.1f}" if types else "", calls, len(differing))
            rows.append(f"| {version} | {what} | {' | '.join(map(str, counts))} |")
    head = "| TensorFlow | what | there are | compared | types of each | calls compared | differ |\n|" + "---|" * 7
    kinds = Counter((d.op, d.kind) for d in found)
    by_kind = Counter(kind for _, kind in kinds)
    list_ = "\n".join(f"- {number} of them: XLA {atlas.KINDS[kind]}." for kind, number in by_kind.most_common())
    return head + "\n" + "\n".join(rows) + "\n\n" + list_


def _by_op(found: Sequence[Difference]) -> str:
    groups: dict[str, list[str]] = defaultdict(list)
    all_of = len({d.version for d in found})
    for one, versions in atlas.joined(found):
        groups[one.op].append(_one(one, versions if len(versions) < all_of else ()))
    return "\n".join(f"- `{op}`: {'; '.join(of_op)}." for op, of_op in sorted(groups.items()))


def _group(op: str) -> str:
    """Which of `_GROUPS` a row of the tables is of."""
    return _GROUPS[2 if op.startswith(PREFIX) else 1 if ":" in op else 0]


def _by_program(found: Sequence[Difference]) -> str:
    of_all = len({d.version for d in found})
    lines = (
        f"- `{d.op.removeprefix(PREFIX)}`: {atlas.what(d.op)}. {_one(d, v if len(v) < of_all else ())}; "
        f"eagerly `{d.eager or 'nothing'}`, under XLA `{d.xla or 'nothing'}`."
        for d, v in sorted(atlas.joined(found), key=lambda pair: pair[0].op)
    )
    return "\n".join(lines)


def _one(one: Difference, versions: Sequence[str]) -> str:
    told = [", ".join(t for t in one.types if t), f"seen in {', '.join(versions)}" if versions else ""]
    told.append(_SIDES.get(one.nearer, ""))
    told = [part for part in told if part]
    if one.trial in ("helps", "no-help"):
        ways = one.workarounds or one.tried
        told.append(f"{_TRIALS[one.trial]} {', or '.join(atlas.WORKAROUNDS[way] for way in ways)}")
    return f"{one} ({'; '.join(told)})" if told else str(one)


def _defects() -> str:
    from benchmarks.atlas.defects import outputs

    parts = [
        "## Differences that look like defects",
        "Each program prints what eager execution gives, then what XLA gives; the last one what a graph gives.",
    ]
    for defect, printed in outputs():
        parts += [f"**{defect.title}**", f"```python\n{defect.program}```", f"```text\n{printed}\n```"]
    return "\n\n".join(parts)


def _left_out(tried: Sequence[Mapping[str, str]]) -> str:
    reasons: dict[str, list[str]] = defaultdict(list)
    for row in tried:
        if row["why"]:
            reasons[row["why"].split(":")[0]].append(row["op"])
    lines = [f"- {why}: {', '.join(f'`{op}`' for op in sorted(set(ops)))}." for why, ops in sorted(reasons.items())]
    return "## Not compared\n\n" + "\n".join(lines)


def _made() -> str:
    from benchmarks.atlas.compare import APPROXIMATE, ROUNDING

    return _AGAIN.format(
        minutes="17 minutes for 2.15.1, on two cores that did other work, too",
        rounding=ROUNDING,
        approximate=APPROXIMATE,
    )


def main() -> None:
    """Write both."""
    with COVERAGE.open(encoding="utf-8", newline="") as file:
        tried = list(csv.DictReader(file))
    found = atlas.differences()
    (DOCS / "atlas.md").write_text(page(found, tried), encoding="utf-8")
    (DOCS / "images" / "atlas.svg").write_text(
        heat_map([d for d in found if d.edge != atlas.PROGRAM]), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
