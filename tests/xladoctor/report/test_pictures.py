"""The pictures: what they show of plain values, that they say the same in words, and that hostile text stays text."""

from __future__ import annotations

import dataclasses
import math
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from tests.xladoctor.report import samples
from tests.xladoctor.report.hostile import CONTROL, EVIL
from tests.xladoctor.report.pages import check_page, words
from tests.xladoctor.report.test_hostile import check_markdown
from xladoctor.model.diagnosis import Location, SettingEvent
from xladoctor.model.replay import (
    Agreement,
    Case,
    DeviationMap,
    Isolation,
    Link,
    Lowering,
    Outcome,
    Parity,
    Replay,
    Repro,
    Rule,
    Signature,
    Sweep,
    Tested,
)
from xladoctor.report import View, render, stations, svg
from xladoctor.report.html import style
from xladoctor.report.replay.parity import deviations
from xladoctor.report.svg.heat import level


def drawn(picture: str) -> ElementTree.Element:
    assert not CONTROL.search(picture)
    return ElementTree.fromstring(picture)


def texts(root: ElementTree.Element) -> list[str]:
    return [text.text for text in root.iter("text")]


def kinds(root: ElementTree.Element, tag: str) -> list[str]:
    return [element.get("class") for element in root.iter(tag)]


# The path of the data ------------------------------------------------------------------------------------------------


def test_the_path_leads_to_the_first_violation():
    way = stations.stations(samples.SHAPES)
    assert [s.place for s in way[:4]] == [
        "ReassemblePatchesLayer.call",
        "flatten_offsets",
        "_channel_to_flat",
        "translate_xla",
    ]
    (first,) = [s for s in way if s.first]
    assert (first.place, first.shapes, first.depth) == (
        "ReassemblePatchesLayer.call",
        "returns (1 78 78 1)",
        0,
    )


def test_the_path_is_drawn():
    root = drawn(svg.data_path("p", stations.stations(samples.SHAPES)))
    assert any(text.startswith("FIRST VIOLATION: B = 1, but 32") for text in texts(root))
    assert kinds(root, "rect").count("f-mark") == 1
    assert "line" in kinds(root, "path") and "line-bad" in kinds(root, "path"), "the line changes after the violation"
    assert "First violation: ReassemblePatchesLayer.call" in root.find("desc").text


def test_turns_of_a_loop_are_counted_and_long_paths_are_cut():
    shapes = samples.SHAPES[:5]
    calls = [replace(samples.SHAPES[4], call=100 + n) for n in range(50)]
    assert [s.place for s in stations.stations([*shapes, *calls])][-1] == "_channel_to_flat ×51"
    odd = [replace(samples.SHAPES[4], call=n, runtime=[n, 1]) for n in range(90)]
    broken = replace(odd[60], violation="no", first_violation=True)
    way = stations.stations([*odd[:60], broken, *odd[61:]])
    assert len(way) < 30 and any(s.first for s in way)
    assert sum(s.calls or 1 for s in way) == 90


def test_what_was_never_computed_is_counted():
    dead = [replace(samples.SHAPES[-1], call=n, tensor=f"r{n}") for n in range(9)]
    first, rest = stations.stations(dead)
    assert (first.state, first.shapes, rest.calls) == ("failed", "does not return", 8)


def test_calls_that_never_return_nest_only_so_deep():
    rows = [replace(samples.SHAPES[0], call=n) for n in range(5000)]
    assert 0 < len(stations.stations(rows)) < 40


# The settings --------------------------------------------------------------------------------------------------------

LATE = replace(
    samples.LOUD,
    settings=(
        SettingEvent(0.1, "params.cfg", "use_xla_translate", "write", True),
        SettingEvent(0.5, "milestone", "model m: build", "happened", None),
        SettingEvent(0.6, "params.cfg", "use_xla_translate", "read", True),
        SettingEvent(0.9, "params.cfg", "use_xla_translate", "write", False, Location(samples.STUDY, 369, "main")),
        SettingEvent(1.0, "params.cfg", "learning_rate", "write", 0.1),
    ),
    findings=(
        replace(
            samples.ROOT,
            slug="setting-too-late",
            title="use_xla_translate came too late",
            location=Location(samples.STUDY, 369, "main"),
        ),
    ),
)


def test_the_timeline():
    found = stations.moments(LATE)
    assert [(m.setting, m.action, m.wrong) for m in found] == [
        ("params.cfg use_xla_translate", "write", False),
        ("model m: build", "milestone", False),
        ("params.cfg use_xla_translate", "read", False),
        ("params.cfg use_xla_translate", "write", True),
    ]
    root = drawn(svg.settings("t", found))
    assert texts(root).count("params.cfg use_xla_translate") == 1, "a setting has one row"
    assert {"0.10", "0.60", "0.90", "1"} <= set(texts(root))
    assert kinds(root, "rect").count("f-bad") == 1, "the write that came too late, and no other"
    assert "f-bg" in kinds(root, "circle")


# Sweep, chain, heat --------------------------------------------------------------------------------------------------


def case(batch, jit, state, slug=None):
    vary = (("jit", jit),) if jit else ()
    return Outcome(Case(batch, vary), state, Signature(slug) if slug else None)


CASES = [
    case(15, "on", "passed"), case(16, "on", "failed", "reshape-mismatch"),
    case(15, "off", "passed"), case(16, "off", "silent"), case(None, "off", "refused"),
]  # fmt: skip


def test_the_sweep():
    root = drawn(svg.sweep("s", CASES))
    assert [t for t in texts(root) if t in ("15", "16", "?")] == ["15", "16", "?"], "sizes in order, the unknown last"
    fields = kinds(root, "rect")
    assert (fields.count("o-ok"), fields.count("o-bad"), fields.count("f-bg dash")) == (2, 2, 1)
    assert root.find("desc").text == "5 cases; bad at batch sizes 16"
    assert {"✓ passes", "✗ fails", "≠ wrong without an error", "– could not be tried"} <= set(texts(root))
    assert "† the process dies" not in texts(root)


def test_a_wide_sweep_is_broken_into_rows():
    many = [case(n, "", "passed") for n in range(1, 61)]
    root = drawn(svg.sweep("s", many))
    assert float(root.get("width")) < 1000 and kinds(root, "rect").count("o-ok") == 60


def test_neighbours_that_went_the_same_way_stand_together_in_a_long_sweep():
    many = [
        case(n, jit, "failed" if n >= 16 and jit == "on" else "passed") for n in range(1, 4097) for jit in ("on", "off")
    ]
    root = drawn(svg.sweep("s", [*many, case(None, "on", "refused")]))
    assert [t for t in texts(root) if t[0].isdigit() or t == "?"] == ["1–15", "16–4096", "?"]
    assert (kinds(root, "rect").count("o-ok"), kinds(root, "rect").count("o-bad")) == (3, 1)
    assert root.find("desc").text.startswith("8193 cases; bad at batch sizes 16, 17, 18")
    assert root.find("desc").text.endswith("and 4009 more")


def test_the_chain():
    links = [
        Link("Where", "a/Where", "s64[<=64,1]", "birth", "/x.py:3 in f"),
        Link("GatherV2", "a/Gather", "f32[<=64,8]", "carries"),
        Link("FFT2D", "a/FFT", "c64[<=64,8]", "fails", "/x.py:9 in f"),
    ]
    root = drawn(svg.chain("c", links))
    assert [t for t in texts(root) if t in ("Where", "GatherV2", "FFT2D")] == ["Where", "GatherV2", "FFT2D"]
    assert {"born in", "fails in", "s64[<=64,1]", "/x.py:9 in f", "no line of yours"} <= set(texts(root))
    long = [links[0], *[links[1]] * 40, links[2]]
    root = drawn(svg.chain("c", long))
    assert "29 more ops that carry it" in texts(root) and texts(root).count("GatherV2") == 11
    assert root.find("desc").text == "It becomes dynamic in Where, and FFT2D cannot carry it; 42 ops."


def test_the_heat_map():
    root = drawn(svg.heat("h", [[0.0, 1e-9], [1e-3, None]], ["psi", "obj"], ["eager / XLA", "XLA / reference"], 1e-6))
    assert sorted(k for k in kinds(root, "rect") if k)[:3] == ["h0", "h0", "h0"], "two fields and the scale"
    assert kinds(root, "rect").count("h6") == 2
    assert "1 fields are above the tolerance" in root.find("desc").text
    assert {"psi", "obj", "0.001"} <= set(texts(root))


def test_one_wrong_pixel_of_a_large_matrix_stays_to_be_seen():
    matrix = [[0.0] * 500 for _ in range(300)]
    matrix[217][433] = 2.0
    root = drawn(svg.heat("h", matrix, tolerance=1e-6))
    assert kinds(root, "rect").count("h6") == 2, "the field, and the scale"
    assert len(kinds(root, "rect")) < 64 * 64 + 10
    assert "Each field is the worst of 5 by 8." in root.find("desc").text


def test_labels_of_what_stands_for_more():
    root = drawn(svg.heat("h", [[0.0] * 32] * 26, tolerance=1e-6, each=(3, 2), widest=360))
    assert "Each field is the worst of 3 by 2." in root.find("desc").text
    assert {"9", "72", "8", "56"} <= set(texts(root)), "indices of pixels, not of fields"
    assert float(root.get("width")) < 480


def test_where_an_output_deviates():
    """From the JSON of a replay to a picture of the rows and one of the worst row."""
    cells = [[0.0] * 32 for _ in range(32)]
    cells[4][7] = math.inf
    found = DeviationMap(((0, 0.0), (1, 0.25)), 1, 1, (64, 64), tuple(map(tuple, cells)))
    shapes = ([2, 64, 64], [2, 64, 64])
    bad = Agreement("psi", ("plain", "xla"), False, shapes, 0.25, 1e-5, map=found)
    replay = Replay("fit", parity=Parity(WAYS, (Agreement("good", ("plain", "xla"), True, shapes, 0.0, 1e-5), bad)))
    page = render(samples.LOUD, "html", None, View(replays=(replay,)))
    check_page(page)
    assert "Which rows of the batch deviate, plain against xla" in page
    assert "Where psi deviates in row 1, plain against xla (64 by 64)." in page


@pytest.mark.parametrize(
    "bad",
    [
        DeviationMap((), 1, 0), DeviationMap(((0, 1.0),), 1, 0, (1, 1), ((),)), DeviationMap(((0, 1.0),), 1, 0, (1, 2)),
        DeviationMap(((0, math.nan),), 1, 0, (1, 1), ((math.nan,),)),
    ],
)  # fmt: skip
def test_a_map_that_lacks_a_part_does_no_harm(bad):
    one = Agreement(EVIL, ("plain", "xla"), False, ([1], [1]), 1.0, map=bad)
    page = render(samples.LOUD, "html", None, View(replays=(Replay("fit", parity=Parity(WAYS, (one,))),)))
    check_page(page)


@pytest.mark.parametrize(
    ("value", "rank"), [(0, 0), (1e-6, 0), (1.1e-6, 1), (1e-3, 4), (1.0, 6), (math.inf, 6), (math.nan, 6)]
)
def test_levels(value, rank):
    assert level(value, 1e-6, 1.0) == rank


def test_nothing_to_draw():
    for picture in (svg.data_path("p", []), svg.settings("t", []), svg.sweep("s", []), svg.chain("c", []),
                    svg.heat("h", []), svg.heat("h", [[None]])):  # fmt: skip
        drawn(picture)


def test_hostile_text_stays_text():
    for picture in (
        svg.data_path("p", [stations.Station(EVIL, EVIL, EVIL, "ok", first=True, remark=EVIL)]),
        svg.settings("t", [stations.SettingMoment(1.0, EVIL, "write", EVIL, EVIL, wrong=False)]),
        svg.sweep("s", [Outcome(Case(1, ((EVIL, EVIL),)), "failed", Signature(EVIL, EVIL))]),
        svg.chain("c", [Link(EVIL, EVIL, EVIL, "birth", EVIL)]),
        svg.heat("h", [[1.0]], [EVIL], [EVIL]),
    ):
        assert {element.tag for element in drawn(picture).iter()} <= {
            *("svg", "title", "desc", "rect", "circle", "path", "text")
        }


# Replays -------------------------------------------------------------------------------------------------------------

WAYS = ("eager", "xla")
JIT = (("jit", "on"),)
REPLAY = Replay(
    "the failing fit",
    sweep=Sweep(
        (
            Outcome(Case(15, JIT), "passed", run_seconds=0.5),
            Outcome(
                Case(16, JIT), "silent", Signature("wrong-shape-silent"), place="m:f", rows_in=16, rows_out=1,
            ),
        ),
        (Rule("from", "fails from 16 on", 16, JIT, (15, 16)),), 2, 2,
    ),
    isolated=Isolation(
        "FFT2D", "a/FFT", ({"shape": [64, 8], "dtype": "complex64"},), None, "no", "xla", 62, 5, 5, 1.2,
        chain=(
            Link("Where", None, "s64[<=64]", "birth", "/x.py:3 in f", None, "it counts"),
            Link("FFT2D", "n", "c64[<=64,8]", "fails"),
        ),
    ),
    parity=Parity(
        WAYS,
        (
            Agreement("psi", WAYS, True, ([2, 3], [2, 3]), 1e-8, 1e-6),
            Agreement("obj", WAYS, False, ([2, 3], [1, 3]), None, 1e-6, rows=(1,), slug="wrong-shape-silent"),
            Agreement("obj", ("eager", "graph"), False, ([2, 3], [2, 3]), math.nan, 1e-6, slug="parity-divergence"),
            Agreement("psi", ("plain", "plain"), False, ([1], [16]), test="size", what="16 rows in, 1 out"),
        ),
        not_comparable=("dropout: random",),
        first_node={"node": "a/Sub", "op": "Sub", "location": "/x.py:4 in g", "deviation": 0.25},
    ),
    remedies=(Tested("r", "Use `batch_size=15`", "cured", "slower", 1e-7, 1.84, how="Set it."),),
    lowering=Lowering("gpu", False, 1.0, unsupported=("StringFormat",)),
    repro=Repro("repro.py", 30, True),
    notes=("random values",),
)  # fmt: skip


def test_the_matrix_of_parity():
    matrix, rows, columns, tolerance = deviations(REPLAY.parity)
    assert (rows, columns, tolerance) == (["psi", "obj"], ["eager against xla", "eager against graph"], 1e-6)
    assert matrix[0] == [1e-8, None] and matrix[1][0] == math.inf and math.isnan(matrix[1][1])


def test_tolerances_that_differ_make_multiples():
    same = ([1], [1])
    two = Parity(WAYS, (Agreement("a", WAYS, True, same, 1e-4, 1e-3), Agreement("b", WAYS, False, same, 1e-4, 1e-6)))
    matrix, *_, tolerance = deviations(two)
    assert tolerance == 1.0 and [round(line[0], 6) for line in matrix] == [0.1, 100.0]


@pytest.mark.parametrize("format", ["markdown", "html"])
def test_a_replay_in_the_document(format):
    said = render(samples.LOUD, format, None, View(replays=(REPLAY,)))
    if format == "html":
        said = words(check_page(said))
    for part in (
        *("fails from 16 on", "16 -> 1", "the dynamic dimension, from its origin", "s64[<=64]", "1.8 times"),
        *("StringFormat", "5 tries, 62 ops, 5 XLA compilations"),
        *("it counts", "dropout: random", "a/Sub", "16 rows in, 1 out", "number of rows (plain)", "random values"),
    ):
        assert part.lower() in said.lower().replace("\\", ""), part


def test_what_cured_it_is_the_next_action():
    bare = replace(samples.LOUD, findings=(replace(samples.ROOT, remedies=()),))
    assert "Apply the remedy that cured it in a replay (slower): Use `batch_size=15`." in render(
        bare, "markdown", None, View(replays=(REPLAY,))
    )


def evil(value):
    if isinstance(value, str):
        return EVIL
    if isinstance(value, tuple):
        return tuple(evil(item) for item in value)
    if isinstance(value, dict):
        return {f"{EVIL}{n}": evil(item) for n, item in enumerate(value.values())}
    if dataclasses.is_dataclass(value):
        fixed = {"state", "what", "mode", "result", "kind", "schema"}
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.name not in fixed}
        return replace(value, **{name: evil(item) for name, item in fields.items()})
    return value


def test_a_replay_that_means_harm():
    replay = evil(replace(REPLAY, parity=replace(REPLAY.parity, first_node=None)))
    check_page(render(samples.LOUD, "html", None, View(replays=(replay,))))
    check_markdown(render(samples.LOUD, "markdown", None, View(replays=(replay,))))


# Colours -------------------------------------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["LIGHT", "DARK"])
def test_contrast(scheme):
    colours = getattr(style, scheme)
    for text, ground in style.PAIRS:
        one, other = sorted((luminance(colours[text]), luminance(colours[ground])), reverse=True)
        assert (one + 0.05) / (other + 0.05) >= 4.5, (text, ground)
    for mark in ("edge", "ok", "bad"):
        one, other = sorted((luminance(colours[mark]), luminance(colours["bg"])), reverse=True)
        assert (one + 0.05) / (other + 0.05) >= 3, "what is drawn"


def test_every_colour_and_class_is_defined():
    used = set(re.findall(r"var\(--(\w+)\)", style.STYLE))
    assert used <= set(style.LIGHT) == set(style.DARK)
