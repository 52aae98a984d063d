from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from tests.xladoctor.report import samples
from xladoctor.errors import XladoctorError
from xladoctor.model.blame import Constraint, Operand, Provenance, Step, Suspect
from xladoctor.model.diagnosis import Finding, Location, Remedy
from xladoctor.report import json_

ALL = [samples.LOUD, samples.MUTED, samples.HEALTHY]


@pytest.mark.parametrize("diagnosis", ALL, ids=lambda d: d.verdict)
def test_round_trip(diagnosis):
    text = json_.render(diagnosis)
    again = json_.from_json(text)
    assert json_.render(again) == text
    assert again.findings == diagnosis.findings
    assert again.shapes == diagnosis.shapes
    assert again.settings == diagnosis.settings
    assert again.xla_paths == diagnosis.xla_paths
    assert again.hypotheses == diagnosis.hypotheses
    assert again.compilations == diagnosis.compilations


def test_the_keys_of_the_schema():
    data = json.loads(json_.render(samples.LOUD))
    assert list(data)[:4] == ["schema", "tool_version", "source", "verdict"]
    assert {
        "findings",
        "hypotheses",
        "xla_paths",
        "settings",
        "shapes",
        "compilations",
        "isolated",
        "reproducer",
        "environment",
    } <= set(data)
    finding = data["findings"][0]
    assert {
        "code",
        "class",
        "level",
        "role",
        "title",
        "message",
        "op",
        "node",
        "device",
        "dims",
        "layer",
        "location",
        "evidence",
        "status",
        "remedies",
    } <= set(finding)
    assert "slug" not in finding
    assert finding["class"] == "contract-violation"
    assert finding["location"] == {"file": samples.LAYERS, "line": 171, "function": "call", "cell": None}
    assert set(finding["evidence"][0]) == {"kind", "text", "where"}
    assert set(finding["remedies"][0]) == {
        "id", "title", "safety", "how", "result", "deviation", "speed_ratio", "change",
    }  # fmt: skip
    assert data["findings"][1]["dims"] == [778752, 24336]


def test_what_is_no_number_in_json_survives():
    remedy = Remedy("r", "t", "safe", "h", deviation=math.inf, speed_ratio=math.nan)
    finding = Finding("XD1", "s", "error", "root", "t", "m", remedies=(remedy,), details={"loss": math.nan})
    text = json_.render(replace(samples.HEALTHY, findings=(finding,)))
    json.loads(text, parse_constant=pytest.fail)
    again = json_.from_json(text).findings[0]
    assert again.remedies[0].deviation == math.inf
    assert math.isnan(again.remedies[0].speed_ratio)
    assert again.details == {"loss": "NaN"}


def test_any_text_gives_ascii_that_others_can_read():
    text = json_.render(replace(samples.HEALTHY, source="\x1b[31m\u202e\udc80 größer"))
    assert text.isascii() and "\x1b" not in text
    assert json_.from_json(text).source == "\x1b[31m\u202e? größer"


def test_unknown_keys_are_ignored():
    data = json.loads(json_.render(samples.LOUD))
    data["new"] = 1
    data["findings"][0]["new"] = 2
    assert json_.from_dict(data).findings == samples.LOUD.findings


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": "xladoctor.diagnosis/2"}, "reads 'xladoctor.diagnosis/1'"),
        ({"schema": "sarif"}, "not a diagnosis"),
        ({"schema": None}, "not a diagnosis"),
        ({"findings": {}}, "diagnosis.findings is no list but dict"),
        ({"findings": [3]}, "diagnosis.findings[0] is no object but int"),
        ({"findings": [{"code": "XD1"}]}, "diagnosis.findings[0] lacks 'class'"),
        ({"verdict": "fine"}, "diagnosis.verdict is 'fine', not one of failed, warnings, healthy"),
        (
            {"settings": [{"t": "x", "store": "", "key": "", "action": "", "value": 1}]},
            "settings[0].t is no number",
        ),
    ],
)
def test_a_wrong_diagnosis_is_told(change, said):
    data = json.loads(json_.render(samples.HEALTHY)) | change
    with pytest.raises(XladoctorError) as error:
        json_.from_dict(data)
    assert said in error.value.message


@pytest.mark.parametrize("text", ["", "[1, 2", "[]", "null", "[" * 100_000, b"\xff\xfe"])
def test_what_is_no_diagnosis_is_told(text):
    with pytest.raises(XladoctorError, match="this is not"):
        json_.from_json(text)


def test_a_blamed_finding_survives():
    at = Location("train.py", 9, "main")
    operand = Operand("the labels `y`", (None, 1), -1, 1, at, Location("train.py", 4), True)
    finding = Finding(
        "XD1",
        "s",
        "error",
        "root",
        "t",
        "m",
        location=at,
        raised_at=Location("train.py", 12),
        constraint=Constraint("equal", "Dense(4) makes 4 columns, the labels have 1.", (operand,), at),
        provenance=(Provenance(0, (Step("column", at, "a column of a frame", "y = df['price']", (None,)),)),),
        suspects=(Suspect(at, "Dense(4)", "The labels have one column.", "likely", 0, "units", "4", "1"),),
    )
    text = json_.render(replace(samples.HEALTHY, findings=(finding,)))
    assert json_.from_json(text).findings == (finding,)
    # Written before there were suspects.
    old = json.loads(text)
    for name in ("raised_at", "constraint", "provenance", "suspects"):
        del old["findings"][0][name]
    assert json_.from_dict(old).findings[0].suspects == ()
