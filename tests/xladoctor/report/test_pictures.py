"""The pictures: what they show of plain values, that they say the same in words, and that hostile text stays text."""

from __future__ import annotations

import json
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
from xladoctor.report import View, render, replays, stations, svg
from xladoctor.report.html import style
from xladoctor.report.replay import to_dict
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
    assert [s.get("place") for s in way[:4]] == [
        "ReassemblePatchesLayer.call",
        "flatten_offsets",
        "_channel_to_flat",
        "translate_xla",
    ]
    (first,) = [s for s in way if s.get("first")]
    assert (first["place"], first["shapes"], first["depth"]) == (
        "ReassemblePatchesLayer.call",
        "returns (1 78 78 1)",
        0,
    )
    assert all(s["state"] != "skipped" for s in way if "state" in s), "branches that were not taken are left out"


def test_the_path_is_drawn():
    root = drawn(svg.data_path("p", stations.stations(samples.SHAPES)))
    assert any(text.startswith("FIRST VIOLATION: B = 1, but 32") for text in texts(root))
    assert kinds(root, "rect").count("f-mark") == 1
    assert "line" in kinds(root, "path") and "line-bad" in kinds(root, "path"), "the line changes after the violation"
    assert "First violation: ReassemblePatchesLayer.call" in root.find("desc").text


def test_turns_of_a_loop_are_counted_and_long_paths_are_cut():
    shapes = samples.SHAPES[:5]
    calls = [replace(samples.SHAPES[4], call=100 + n) for n in range(50)]
    assert [s["place"] for s in stations.stations([*shapes, *calls])][-1] == "_channel_to_flat ×51"
    odd = [replace(samples.SHAPES[4], call=n, runtime=[n, 1]) for n in range(90)]
    broken = replace(odd[60], violation="no", first_violation=True)
    way = stations.stations([*odd[:60], broken, *odd[61:]])
    assert len(way) < 30 and any(s.get("first") for s in way)
    assert sum(s.get("calls", 1) for s in way) == 90


def test_what_was_never_computed_is_counted():
    dead = [replace(samples.SHAPES[-1], call=n, tensor=f"r{n}") for n in range(9)]
    first, rest = stations.stations(dead)
    assert (first["state"], first["shapes"], rest["calls"]) == ("failed", "does not return", 8)


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
    assert [(m["setting"], m["action"], m["wrong"]) for m in found] == [
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

CASES = [
    {"batch": 15, "vary": "jit=on", "outcome": "passed", "class": None},
    {"batch": 16, "vary": "jit=on", "outcome": "failed", "class": "reshape-mismatch"},
    {"batch": 15, "vary": "jit=off", "outcome": "passed", "class": None},
    {"batch": 16, "vary": "jit=off", "outcome": "silent", "class": None},
    {"batch": None, "vary": "jit=off", "outcome": "refused", "class": None},
]


def test_the_sweep():
    root = drawn(svg.sweep("s", CASES))
    assert [t for t in texts(root) if t in ("15", "16", "?")] == ["15", "16", "?"], "sizes in order, the unknown last"
    fields = kinds(root, "rect")
    assert (fields.count("o-ok"), fields.count("o-bad"), fields.count("f-bg dash")) == (2, 2, 1)
    assert root.find("desc").text == "5 cases; bad at batch sizes 16"
    assert {"✓ passes", "✗ fails", "≠ wrong without an error", "– could not be tried"} <= set(texts(root))
    assert "† the process dies" not in texts(root)


def test_a_wide_sweep_is_broken_into_rows():
    many = [{"batch": n, "vary": "", "outcome": "passed"} for n in range(1, 61)]
    root = drawn(svg.sweep("s", many))
    assert float(root.get("width")) < 1000 and kinds(root, "rect").count("o-ok") == 60


def test_neighbours_that_went_the_same_way_stand_together_in_a_long_sweep():
    many = [
        {"batch": n, "vary": vary, "outcome": "failed" if n >= 16 and vary == "on" else "passed"}
        for n in range(1, 4097)
        for vary in ("on", "off")
    ]
    root = drawn(svg.sweep("s", [*many, {"batch": None, "vary": "on", "outcome": "refused"}]))
    assert [t for t in texts(root) if t[0].isdigit() or t == "?"] == ["1–15", "16–4096", "?"]
    assert (kinds(root, "rect").count("o-ok"), kinds(root, "rect").count("o-bad")) == (3, 1)
    assert root.find("desc").text.startswith("8193 cases; bad at batch sizes 16, 17, 18")
    assert root.find("desc").text.endswith("and 4009 more")


def test_the_chain():
    links = [
        {"op": "Where", "node": "a/Where", "shape": "s64[<=64,1]", "source": "/x.py:3 in f", "what": "birth"},
        {"op": "GatherV2", "node": "a/Gather", "shape": "f32[<=64,8]", "source": None, "what": "carries"},
        {"op": "FFT2D", "node": "a/FFT", "shape": "c64[<=64,8]", "source": "/x.py:9 in f", "what": "fails"},
    ]
    root = drawn(svg.chain("c", links))
    assert [t for t in texts(root) if t in ("Where", "GatherV2", "FFT2D")] == ["Where", "GatherV2", "FFT2D"]
    assert {"born in", "fails in", "s64[<=64,1]", "/x.py:9 in f", "no line of yours"} <= set(texts(root))
    long = [links[0], *[links[1]] * 40, links[2]]
    root = drawn(svg.chain("c", long))
    assert "29 more ops that carry it" in texts(root) and texts(root).count("GatherV2") == 11
    assert root.find("desc").text == "Born in Where, FFT2D cannot carry it; 42 ops."


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
    cells[4][7] = "inf"
    found = {"rows": [[0, 0.0], [1, 0.25]], "block": 1, "row": 1, "shape": [64, 64], "cells": cells}
    ways = {"ways": ["plain", "xla"], "agree": False, "tolerance": 1e-5, "shapes": [[2, 64, 64], [2, 64, 64]]}
    good = {**ways, "output": "good", "agree": True, "deviation": 0.0}
    replay = {**REPLAY, "parity": {"agreements": [good, {**ways, "output": "psi", "deviation": 0.25, "map": found}]}}
    (one,) = replays.maps(replay)
    assert (one["output"], one["row"], one["rows"], one["shape"]) == ("psi", 1, [(0, 0.0), (1, 0.25)], [64, 64])
    assert one["cells"][4][7] == math.inf
    page = render(samples.LOUD, "html", None, View(replays=(replay,)))
    check_page(page)
    assert "Which rows of the batch deviate, plain / XLA" in page
    assert "Where psi deviates in row 1, plain / XLA (64 by 64)." in page


@pytest.mark.parametrize(
    "bad",
    [
        3, {}, {"rows": 3}, {"rows": [[0]]}, {"rows": [["a", "b"]]}, {"rows": [[0, 1.0]], "cells": 3, "shape": 3},
        {"rows": [[0, 1.0]], "cells": [[]], "shape": [1, 1]}, {"rows": [[0, 1.0]], "cells": [[EVIL]], "shape": [1, 2]},
        {"rows": [[0, 1.0]], "block": EVIL, "row": EVIL, "cells": [[1.0], [1.0, 2.0]], "shape": [2, 2]},
    ],
)  # fmt: skip
def test_a_damaged_map_does_no_harm(bad):
    agreement = {"output": EVIL, "ways": ["plain", "xla"], "agree": False, "deviation": 1.0, "map": bad}
    page = render(samples.LOUD, "html", None, View(replays=({**REPLAY, "parity": {"agreements": [agreement]}},)))
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
        svg.data_path(
            "p", [{"place": EVIL, "shapes": EVIL, "layer": EVIL, "state": "ok", "remark": EVIL, "first": True}]
        ),
        svg.settings("t", [{"t": 1.0, "setting": EVIL, "action": "write", "value": EVIL, "note": EVIL}]),
        svg.sweep("s", [{"batch": 1, "vary": EVIL, "outcome": EVIL, "class": EVIL}]),
        svg.chain("c", [{"op": EVIL, "node": EVIL, "shape": EVIL, "source": EVIL, "what": EVIL}]),
        svg.heat("h", [[1.0]], [EVIL], [EVIL]),
    ):
        assert {element.tag for element in drawn(picture).iter()} <= {
            *("svg", "title", "desc", "rect", "circle", "path", "text")
        }


# Replays -------------------------------------------------------------------------------------------------------------

REPLAY = {
    "schema": "xladoctor.replay/1",
    "subject": "the failing fit",
    "sweep": {
        "outcomes": [
            {"case": {"batch": 15, "vary": [["jit", "on"]]}, "state": "passed", "run_seconds": 0.5},
            {"case": {"batch": 16, "vary": [["jit", "on"]]}, "state": "silent", "rows_in": 16, "rows_out": 1,
             "signature": {"class": "wrong-shape-silent"}, "place": "m:f"},
        ],
        "rules": [{"text": "fails from 16 on", "vary": [["jit", "on"]]}],
    },
    "isolated": {"op": "FFT2D", "node": "a/FFT", "inputs": [{"shape": [64, 8], "dtype": "complex64"}], "ops": 62,
                 "tries": 5, "compilations": 5, "seconds": 1.2, "message": "no",
                 "chain": [{"op": "Where", "shape": "s64[<=64]", "what": "birth", "location": "/x.py:3 in f"},
                           {"op": "FFT2D", "shape": "c64[<=64,8]", "what": "fails"}]},
    "parity": {"agreements": [
        {"output": "psi", "ways": ["eager", "xla"], "agree": True, "deviation": 1e-8, "tolerance": 1e-6,
         "shapes": [[2, 3], [2, 3]]},
        {"output": "obj", "ways": ["eager", "xla"], "agree": False, "deviation": None, "tolerance": 1e-6,
         "shapes": [[2, 3], [1, 3]], "rows": [1], "class": "wrong-shape-silent"},
        {"output": "obj", "ways": ["eager", "graph"], "agree": False, "deviation": "NaN", "tolerance": 1e-6}]},
    "remedies": [{"remedy": "r", "title": "Use `batch_size=15`", "result": "cured", "safety": "slower",
                  "deviation": 1e-7, "speed_ratio": 1.84}],
    "lowering": {"platform": "gpu", "ok": False, "unsupported": ["StringFormat"]},
    "repro": {"path": "repro.py", "reproduced": True},
    "notes": ["random values"],
}  # fmt: skip


def test_a_replay_as_plain_rows():
    assert [(c["batch"], c["vary"], c["outcome"], c["class"], c["rows"]) for c in replays.cases(REPLAY)] == [
        (15, "jit=on", "passed", None, ""),
        (16, "jit=on", "silent", "wrong-shape-silent", "16 -> 1"),
    ]
    matrix, rows, columns, tolerance = replays.deviations(REPLAY)
    assert (rows, columns, tolerance) == (["psi", "obj"], ["eager / XLA", "eager / graph"], 1e-6)
    assert matrix[0] == [1e-8, None] and matrix[1][0] == math.inf and math.isnan(matrix[1][1])


def test_what_replay_writes_is_read():
    """From the dataclasses to the JSON that `xladoctor replay` keeps, to the rows of the document."""
    found = Replay(
        "fit",
        sweep=Sweep(
            (
                Outcome(Case(15, (("jit", "on"),)), "passed", run_seconds=0.5),
                Outcome(Case(None), "failed", Signature("reshape-mismatch", "Reshape"), "no", rows_in=4, rows_out=1),
            ),
            (Rule("from", "fails from 16 on", 16, (("jit", "on"),)),),
            2,
            2,
        ),
        isolated=Isolation(
            "FFT2D", "a/FFT", ({"shape": [2], "dtype": "float32"},), None, "no", "xla", 62, 5, 5, 1.2,
            chain=(
                Link("Where", None, "s64[<=64]", "birth", "/x.py:3 in f", None, "it counts"),
                Link("FFT2D", "n", "c64[<=64]", "fails"),
            ),
        ),
        parity=Parity(
            ("eager", "xla"),
            not_comparable=("dropout: random",),
            first_node={"node": "a/Sub", "op": "Sub", "location": "/x.py:4 in g", "deviation": 0.25},
            agreements=(
                Agreement(
                    "psi", ("eager", "xla"), False, ([2], [2]), 0.5, 1e-6, rows=(3,), slug="parity-divergence"
                ),
                Agreement("psi", ("plain", "plain"), False, ([1], [16]), test="size", what="16 rows in, 1 out"),
            ),
        ),
        remedies=(Tested("r", "Do it", "cured", "safe", 0.0, 1.5),),
        lowering=Lowering("gpu", False, 1.0, unsupported=("StringFormat",)),
        repro=Repro("repro.py", 30, True),
    )  # fmt: skip
    data = json.loads(json.dumps(to_dict(found)))
    assert replays.known([data]) == [data]
    passed, failed = replays.cases(data)
    assert (passed["batch"], passed["vary"], passed["seconds"], passed["outcome"]) == (15, "jit=on", 0.5, "passed")
    assert (failed["batch"], failed["class"], failed["rows"]) == (None, "reshape-mismatch", "4 -> 1")
    assert replays.rules(data) == ["jit=on: fails from 16 on"]
    assert dict(replays.isolation(data))["found among"] == "62 ops, 5 tries, 5 compilations, in 1.2 s"
    assert [(x["op"], x["what"], x["source"], x["why"]) for x in replays.links(data)] == [
        ("Where", "birth", "/x.py:3 in f", "it counts"),
        ("FFT2D", "fails", None, None),
    ]
    for format in ("markdown", "html"):
        said = render(samples.LOUD, format, None, View(replays=(data,)))
        assert "it counts" in said and "dropout: random" in said and "a/Sub" in said.replace("<wbr>", "")
    agreement, rows = replays.agreements(data)
    assert (rows["ways"], rows["shapes"], rows["what"]) == (
        "number of rows (plain)",
        "(1) / (16)",
        "16 rows in, 1 out",
    )
    assert replays.deviations(data)[2] == ["eager / XLA"], "a number of rows is no deviation"
    assert (agreement["class"], agreement["ways"], agreement["rows"]) == ("parity-divergence", "eager / XLA", "3")
    assert dict(replays.divergence(data)) == {
        "first node": "a/Sub",
        "op": "Sub",
        "location": "/x.py:4 in g",
        "deviation there": "0.25",
        "not compared": "dropout: random",
    }
    assert replays.tested(data)[0]["speed_ratio"] == 1.5
    assert dict(replays.lowering(data))["without a kernel"] == "StringFormat"
    assert dict(replays.repro(data))["script"] == "repro.py"


def test_tolerances_that_differ_make_multiples():
    two = {"parity": {"agreements": [
        {"output": "a", "ways": ["e", "g"], "agree": True, "deviation": 1e-4, "tolerance": 1e-3},
        {"output": "b", "ways": ["e", "g"], "agree": False, "deviation": 1e-4, "tolerance": 1e-6}]}}  # fmt: skip
    matrix, *_, tolerance = replays.deviations(two)
    assert tolerance == 1.0 and [round(line[0], 6) for line in matrix] == [0.1, 100.0]


@pytest.mark.parametrize("format", ["markdown", "html"])
def test_a_replay_in_the_document(format):
    said = render(samples.LOUD, format, None, View(replays=(REPLAY, {"schema": "xladoctor.replay/9"})))
    if format == "html":
        said = words(check_page(said))
    for part in (
        *("jit=on: fails from 16 on", "16 -> 1", "the way of the dynamic dimension", "s64[<=64]", "1.84"),
        *("StringFormat", "fails in the same way in a fresh process", "62 ops, 5 tries, 5 compilations"),
    ):
        assert part.lower() in said.lower().replace("\\", ""), part


def test_what_cured_it_is_the_next_action():
    bare = replace(samples.LOUD, findings=(replace(samples.ROOT, remedies=()),))
    assert "Apply the remedy that cured it when it was run again (slower): Use `batch_size=15`." in render(
        bare, "markdown", None, View(replays=(REPLAY,))
    )


def spoiled(value, how):
    if isinstance(value, dict):
        return {key: item if key == "schema" else spoiled(item, how) for key, item in value.items()}
    if isinstance(value, list):
        return [spoiled(item, how) for item in value] if how is EVIL else how
    return how


@pytest.mark.parametrize("how", [EVIL, None, 3, True, [], {}, [[]], "x"])
def test_a_replay_of_anything(how):
    for replay in (spoiled(REPLAY, how), {**REPLAY, "sweep": how, "parity": how, "isolated": how, "lowering": how}):
        view = View(replays=(replay,))
        check_page(render(samples.LOUD, "html", None, view))
        check_markdown(render(samples.LOUD, "markdown", None, view))


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
